"""One exact reflection a token follows S_m if the letters are transpositions, in bfloat16 and at every length.

Source: own. Grazzi et al. 2024 (arXiv:2411.12537) follow transpositions by reflections with the keys (e_i - e_j) / sqrt 2,
of m coordinates, which no float holds exactly. We differ: keys have entries 0, 1/2 and 1, so nothing is ever rounded. The
price is a few coordinates, and we compute the fewest.

*Statement.* Let the letters be all transpositions of S_m, 3 <= m <= 9. A delta rule with b = 2 and unit keys that are
multiples of 1/2 follows the product exactly, one reflection a token, with `dimension(m)` numbers of state: 4, 4, 6, 6, 7,
7, 8 for m = 3 to 9. With rational unit keys no fewer are enough.

*Construction.* Let k_1 .. k_(m-1) be unit vectors with k_i . k_(i+1) = 1/2 in size and other products 0 (`adjacent`, a
search). Choose signs so that these products are -1/2. Then k_ij = k_i + .. + k_(j-1) are the unit keys of the
transpositions (i j), for i < j. Start at v_0, the sum of all k_ij. The token (i j) does v <- v - 2 k_ij (k_ij . v).

*Proof.* The reflections of k_1 .. k_(m-1) generate S_m: the Gram matrix is that of the roots of A_(m-1), at length 1. Define y
by y_0 = 0 and y_(i+1) = y_i + k_(i+1) . v. The token (i j) exchanges y_i and y_j, up to a common shift. At the start k_i . v_0
= 1, so y = 0, 1, .., m - 1. So y + const is a permutation, the product of the letters from the other side: its inverse is P_t.
The read-out is m - 1 products.

*Exactness.* The products k_ij . v are y_j - y_i, whole numbers of size 1 to m - 1. So every update is a whole number times 2
k_ij, which is whole, and entries of v stay multiples of 1/2. The length of v stays |v_0|, where |v_0|^2 = m (m^2 - 1) / 6, at
most 120. The terms of k_ij . v are multiples of 1/4, and the sum of their sizes is at most |v| < 11, so 44 units of 1/4. A
float with 8 bits holds all whole numbers up to 256. So nothing is rounded, in any order of summation, in bf16, fp16 and fp32.
The margin is the least |k_ij . v|, which is 1 or more.

*All letters* (`_swap_blocks`). Now let every element of S_m be a letter. One swap a token is enough too, if the layer and its
read-out also know the last 2 m - 3 letters and the place modulo m - 1. The slow state applies the product of the block of m -
1 letters before, one swap a token. The read-out applies the rest. It is a function of finitely many values, so a table. This
is about existence: the table has at least (m!)^(2 m - 3) lines, and the program computes the line that it needs.

*No fewer* (`excluded`). Let each transposition act by one reflection with a rational unit key, and let the state be decided by
the product. On the span of the orbit, adjacent transpositions do not commute, and have a product of order 3. So k_i . k_(i+1)
= +-1/2, and other products are 0. The span is m - 1 dimensional. Over the rationals it is a form with the diagonal (i + 1) / 2i
for i = 1 .. m - 1, from Gram-Schmidt.
* n = m - 1 coordinates: the determinant of the Gram matrix is m / 2^(m-1). It must be the square of a rational number.
* n = m: the orthogonal complement is a number d, and d times this determinant is a square. By Witt and Hasse, the product of
  all Hilbert symbols (a_i, a_j)_p, i < j, of the diagonal with d must be 1 at each prime, as for n squares.
These tests exclude all smaller n for m = 3 to 9.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations, pairwise, permutations, product
from math import isqrt
from typing import Annotated, Any, NamedTuple

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import OneOf, Range
from seqsep.maths.automata.permutations import Permutation, after, swapped
from seqsep.theorems.base import Claim, Margin, Number, Outcome, Theorem
from seqsep.theorems.options import Length, Seed
from seqsep.theorems.state_tracking._swap_blocks import Pair, blocks
from seqsep.theorems.state_tracking._words import permutations_in

CLAIM = Claim(
    name="symmetric-reflections",
    source="own",
    statement="One exact reflection a token follows S_m over transpositions, in bfloat16 at every length, and no fewer "
    "coordinates have rational keys",
)
Points = Annotated[int, Range(3, 9), "m, the number of points that are permuted."]
Float = Annotated[str, OneOf("bfloat16", "float16", "float32"), "The floats of keys, state and products."]
Letters = Annotated[str, OneOf("transpositions", "all"), "The letters: the transpositions, or all elements of S_m."]


def is_square(numerator: int, denominator: int = 1) -> bool:
    """Return True if a positive fraction is the square of a rational number.

    >>> is_square(9, 256), is_square(3, 4)
    (True, False)
    """
    whole = numerator * denominator
    return isqrt(whole) ** 2 == whole


def hilbert(a: int, b: int, prime: int) -> int:
    """Return the Hilbert symbol (a, b)_p of two positive whole numbers at an odd prime.

    >>> hilbert(3, 3, 3), hilbert(3, 5, 5), hilbert(2, 7, 5)
    (-1, -1, 1)
    """
    parts = []
    for value in (a, b):
        power = 0
        while value % prime == 0:
            value //= prime
            power += 1
        parts.append((power, value))
    (power_a, unit_a), (power_b, unit_b) = parts
    sign = -1 if power_a % 2 and power_b % 2 and prime % 4 == 3 else 1
    for unit, power in ((unit_a, power_b), (unit_b, power_a)):
        if power % 2 and pow(unit, (prime - 1) // 2, prime) != 1:
            sign = -sign
    return sign


def excluded(points: int, size: int) -> str | None:
    """Return why rational keys of `size` coordinates do not exist, or None if the tests do not exclude them.

    >>> excluded(5, 4), excluded(5, 5), excluded(5, 6)
    ('5/16 is not a square', 'the Hilbert symbols at 5 have the product -1', None)
    """
    rank = points - 1
    if size < rank:
        return f"{rank} keys are linearly independent"
    if size == rank and not is_square(points, 2**rank):
        return f"{points}/{2**rank} is not a square"
    if size == rank + 1:
        entries = [2 * i * (i + 1) for i in range(1, points)]
        entries.append(points * 2**rank)
        for prime in (3, 5, 7):
            symbols = [hilbert(a, b, prime) for a, b in combinations(entries, 2)]
            if np.prod(symbols) != 1:
                return f"the Hilbert symbols at {prime} have the product -1"
    return None


def dimension(points: int) -> int:
    """Return the least number of coordinates that the tests do not exclude.

    >>> [dimension(points) for points in range(3, 10)]
    [4, 4, 6, 6, 7, 7, 8]
    """
    return next(size for size in range(points - 1, points + 2) if excluded(points, size) is None)


@cache
def adjacent(points: int) -> tuple[tuple[int, ...], ...]:
    """Return twice the keys k_1 .. k_(m-1), found by a search in `dimension` coordinates.

    >>> adjacent(3)
    ((2, 0, 0, 0), (-1, -1, -1, -1))
    """
    size = dimension(points)
    rows = [2 * row for row in np.eye(size, dtype=np.int64)]
    for places in combinations(range(size), 4):
        for signs in product((-1, 1), repeat=4):
            row = np.zeros(size, dtype=np.int64)
            row[list(places)] = signs
            rows.append(row)
    vectors = np.array(rows)
    products = vectors @ vectors.T

    def extended(chain: list[int]) -> list[int] | None:
        if len(chain) == points - 1:
            return chain
        fits = products[chain[-1]] == -2
        for earlier in chain[:-1]:
            fits &= products[earlier] == 0
        for candidate in np.flatnonzero(fits).tolist():
            found = extended([*chain, candidate])
            if found is not None:
                return found
        return None

    found = extended([0])
    if found is None:
        raise CLAIM.fails({"points": points, "coordinates": size, "found": "no keys"})
    return tuple(tuple(vectors[index].tolist()) for index in found)


class SwapLayer(NamedTuple):
    """Twice the key of each transposition (i, j), and twice the start state."""

    keys: Mapping[Pair, Int64[np.ndarray, "size"]]
    start: Int64[np.ndarray, "size"]

    def follow(self, letters: Sequence[Pair | None], float_type: str) -> tuple[list[Permutation], float]:
        """Return the product after each letter, and the least size of a product of the read-out; None keeps the state."""
        import torch

        kind = getattr(torch, float_type)
        points = 1 + max(second for _, second in self.keys)
        keys = {pair: torch.tensor(key, dtype=kind) / 2 for pair, key in self.keys.items()}
        chain = torch.stack([keys[place, place + 1] for place in range(points - 1)])
        state = torch.tensor(self.start, dtype=kind) / 2
        found = []
        margin = float("inf")
        for letter in letters:
            if letter is not None:
                key = keys[letter]
                state = state - 2 * key * (key * state).sum()
            steps = (chain * state).sum(1).tolist()
            heights = [0.0]
            for step in steps:
                heights.append(heights[-1] + step)
            order = sorted(range(points), key=heights.__getitem__)
            found.append(tuple(order))
            margin = min(margin, *(heights[b] - heights[a] for a, b in pairwise(order)))
        return found, margin

    def follow_all(self, letters: Sequence[Permutation], float_type: str) -> tuple[list[Permutation], float]:
        """Return the product after each letter, any element of S_m, and the least size of a product of the read-out."""
        asked = blocks(len(letters[0]), letters)
        slow, margin = self.follow(asked.swaps, float_type)
        return [after(rest, state) for rest, state in zip(asked.rests, slow, strict=True)], margin


def build(points: Points) -> SwapLayer:
    """Return the keys and the start state of S_m.

    >>> layer = build(4)
    >>> len(layer.keys), int(layer.start @ layer.start) // 4
    (6, 10)
    """
    chain = np.array(adjacent(points), dtype=np.int64)
    keys = {(i, j): chain[i:j].sum(0) for i, j in combinations(range(points), 2)}
    start = np.sum(list(keys.values()), axis=0)
    return SwapLayer(keys, start)


def bound(points: Points) -> dict[str, Number]:
    """Return the sizes of the statement.

    >>> bound(5)
    {'reflections': 1, 'state_numbers': 6}
    """
    return {"reflections": 1, "state_numbers": dimension(points)}


def check(
    length: Length = 200,
    points: Points = 5,
    floats: Float = "bfloat16",
    letters: Letters = "transpositions",
    seed: Seed = 0,
) -> list[Outcome]:
    """Run the layer on a random word, and compute why fewer coordinates are not enough.

    Raises TheoremFails with the word if an answer is wrong, or if a number of the read-out is not whole.
    """
    layer = build(points)
    random = np.random.default_rng(seed)
    if letters == "all":
        word = [tuple(random.permutation(points).tolist()) for _ in range(length)]
        found, margin = layer.follow_all(word, floats)
    else:
        pairs = list(layer.keys)
        swaps = [pairs[index] for index in random.integers(len(pairs), size=length).tolist()]
        word = [swapped(points, *pair) for pair in swaps]
        found, margin = layer.follow(swaps, floats)
    _require(points, word, found)
    measured: dict[str, Number] = {"reflections": 1, "state_numbers": len(layer.start)}
    bounds = bound(points)
    reasons = {size: excluded(points, size) for size in range(1, dimension(points))}
    if not all(reasons.values()):
        raise CLAIM.fails({"points": points, "not excluded": reasons})
    upper = CLAIM.upper(
        length=length,
        inputs=length,
        measured=CLAIM.within(measured, bounds),
        bound=bounds,
        variant=f"S_{points}, {floats}{', all letters' if letters == 'all' else ''}",
        margin=Margin(margin, 1.0, "the read-out"),
    )
    lower = CLAIM.lower(
        length=1,
        inputs=len(reasons),
        measured={"state_numbers": max(reasons) + 1},
        bound={"state_numbers": bounds["state_numbers"]},
        variant=f"S_{points}",
        witness={"excluded": {str(size): reason for size, reason in reasons.items()}},
    )
    return [upper, lower]


def _require(points: int, letters: Sequence[Permutation], found: Sequence[Permutation]) -> None:
    """Require the product after each letter. Raises TheoremFails at the first wrong one."""
    arranged = tuple(range(points))
    for place, (letter, answer) in enumerate(zip(letters, found, strict=True)):
        arranged = after(letter, arranged)
        if answer != arranged:
            shown = {"letters": place + 1, "the last of them": letters[max(0, place - 9) : place + 1]}
            raise CLAIM.fails({**shown, "expected": arranged, "found": answer})


def predictor(
    length: Length, points: Points = 5, floats: Float = "bfloat16", letters: Letters = "transpositions"
) -> Callable[[Mapping[str, Any]], list[int]]:
    """Answer {"letters": [[1, 0, 2], ..]}, at most `length` letters, with their product; the last one acts last.

    >>> predictor(length=4, points=3)({"letters": [[1, 0, 2], [0, 2, 1]]})
    [2, 0, 1]
    """
    layer = build(points)
    if letters == "all":
        each = {letter: letter for letter in permutations(range(points))}
        kind = f"permutations of {points} points"
        return lambda given: list(layer.follow_all(permutations_in(given, each, kind, length), floats)[0][-1])
    known = {swapped(points, *pair): pair for pair in layer.keys}
    return lambda given: list(
        layer.follow(permutations_in(given, known, f"transpositions of {points} points", length), floats)[0][-1]
    )


def verify(length: Annotated[int, Range(1)] = 10_000) -> list[Outcome]:
    """Run S_3 to S_9 in three kinds of floats on 10,000 tokens each; and all letters of S_3 to S_6 in bfloat16."""
    every = [outcome for points in range(3, 7) for outcome in check(length, points, letters="all")[:1]]
    return every + [
        outcome
        for points in range(3, 10)
        for floats in ("bfloat16", "float16", "float32")
        for outcome in check(length, points, floats)
    ]


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="A run searches the keys, follows a random word in the chosen floats, and compares the "
    "product after each letter. It computes the arithmetic that excludes each smaller number of coordinates.",
    not_shown="This does not show that the state is exact in a kernel that scales keys, decays the state or writes with "
    "other factors. It does not show the lower bound for keys that are not rational. With all letters it does not build the "
    "table of the read-out.",
    bound=bound,
    predictor=predictor,
    verify=verify,
    nothing_to_certify="certificates have no type for recurrences with real numbers",
)

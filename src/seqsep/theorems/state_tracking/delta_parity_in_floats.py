"""One delta rule with 0 < beta < 1, with each operation rounded, decides parity in bfloat16, float16 and float32.

Source: own. Grazzi et al. 2024 (arXiv:2411.12537), Theorem 1, is often quoted as "without negative eigenvalues a linear RNN
cannot decide parity at finite precision".

*Relation to 2411.12537.* Their Theorem 1 is about products of exact matrices, rounded at the read-out. This file does not
contradict it: in exact arithmetic the same layer fails (`exact_answers_end`). The quoted sentence, without the place of
rounding, is false. If every operation is rounded, as a kernel that stores each result does, the step is not a linear map. It
can then have a cycle of two states, although the matrix I - beta k k^T has the eigenvalues 1 and about 1 - beta, both
positive. The layers below have such cycles.

*Statement.* The state is two numbers S. A token applies the delta rule with key k, value v and beta, each operation rounded to
the format, to nearest and ties to even:
    p = R(R(S_1 k_1) + R(S_2 k_2)),  e = R(v - p),  w = R(beta e),  S_i <- R(S_i + R(w k_i)).
For each of the three formats there is one key, value and beta in (0, 1) for the letter 1, with beta = 0 for the letter 0. A
token before the word writes the start. Then the state after every word is one of two states, by the parity of the number of
ones.

*Construction.* `SETTINGS` has the numbers, which random search found. The first token has beta = 1/8, value 8 and the start
as its key. From the state 0 it writes the start exactly, because all products with 1/8 and 8 are exact.

*Proof.* A finite computation per format, which `build` repeats:
1. The first token gives the state E.
2. The letter 1 maps E to O, and O to E. `check` computes both.
3. The letter 0 has w = 0, and adds 0 to each number. So it keeps every state.
By induction, E is the state after an even number of ones, and O after an odd number. So the layer is right at every length.
The read-out compares one number, which differs between E and O, with its value in E.

*Eigenvalues.* The matrix of the letter 1 has the eigenvalues 1 and 1 - beta |k|^2, and that of the first token 1 and
1 - |E|^2 / 8. `check` computes all of them exactly, and requires them to be above 0.

*Exact arithmetic.* Without rounding, S moves along k. The distance from its limit is multiplied by 1 - beta |k|^2 at each
one, so each number is monotone in the number of ones. If it is rounded at the read-out, it is constant from some n on.

*Other orders of rounding.* In the bfloat16 setting, the cycle vanishes if the products R(S_i k_i) are not rounded before the
sum. So a kernel with another order or a wider accumulator needs other numbers, if any exist.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from seqsep.theorems.base import Claim, Number, Outcome, Theorem, symbols_in
from seqsep.theorems.options import Length, Seed
from seqsep.theorems.state_tracking._float_formats import FORMATS, FormatName, in_format

CLAIM = Claim(
    name="delta-parity-in-floats",
    source="own",
    statement="One delta rule with 0 < beta < 1 and positive eigenvalues, each operation rounded, decides parity at "
    "every length",
)
Pair = tuple[float, float]


class Delta(NamedTuple):
    """The numbers of one letter."""

    key: Pair
    beta: float
    value: float


class DeltaSetting(NamedTuple):
    """The numbers of the letter 1, and the state after an even number of ones."""

    one: Delta
    even: Pair


SETTINGS = {
    "bfloat16": DeltaSetting(Delta((-0.99609375, 0.068359375), 0.61328125, -0.76953125), (0.890625, 1.7421875)),
    "float16": DeltaSetting(
        Delta((0.7890625, 0.61474609375), 0.490966796875, 1.1552734375),
        (0.77294921875, 0.8876953125),
    ),
    "float32": DeltaSetting(
        Delta((-0.5302131772041321, -0.8478643894195557), 0.6368675827980042, 0.8360607028007507),
        (-0.4793228209018707, -0.686333179473877),
    ),
}


class RoundedDelta(NamedTuple):
    """The layer in one format.

    Fields:
        name: the format.
        first: the token before the word.
        letters: the delta rule of 0 and of 1.
    """

    name: str
    first: Delta
    letters: tuple[Delta, Delta]

    def step(self, state: Pair, token: Delta) -> Pair:
        """Apply one delta rule, with every operation rounded."""

        def rounded(number: float) -> float:
            return float(in_format(number, self.name))

        pairs = list(zip(state, token.key, strict=True))
        predicted = rounded(sum(rounded(number * entry) for number, entry in pairs))
        written = rounded(token.beta * rounded(token.value - predicted))
        one, two = (rounded(number + rounded(written * entry)) for number, entry in pairs)
        return one, two

    def states(self, word: Sequence[int]) -> list[Pair]:
        """Return the state after the first token and after each letter."""
        found = [self.step((0.0, 0.0), self.first)]
        for letter in word:
            found.append(self.step(found[-1], self.letters[letter]))
        return found

    def answers(self, states: Sequence[Pair]) -> list[int]:
        """Return the parity for each state of a word: whether the first number differs from its start."""
        start = SETTINGS[self.name].even[0]
        return [int(state[0] != start) for state in states]


def build(dtype: str) -> RoundedDelta:
    """Return the layer of a format.

    >>> layer = build("bfloat16")
    >>> layer.answers(layer.states([1, 1, 0, 1]))
    [0, 1, 0, 0, 1]
    """
    one, even = SETTINGS[dtype]
    return RoundedDelta(dtype, Delta(even, 0.125, 8.0), (Delta(one.key, 0.0, one.value), one))


def least_eigenvalue(token: Delta) -> Fraction:
    """Return 1 - beta |k|^2 exactly; the other eigenvalue is 1.

    >>> float(least_eigenvalue(build("bfloat16").letters[1])) > 0.38
    True
    """
    return 1 - Fraction(token.beta) * sum((Fraction(entry) ** 2 for entry in token.key), Fraction(0))


def exact_answers_end(dtype: str, most: int = 20) -> int:
    """Return the least n for which the exact states after n and n + 1 ones are equal once they are rounded to the format."""
    layer = build(dtype)
    one = layer.letters[1]
    state = [Fraction(number) for number in layer.states([])[0]]
    for ones in range(most):
        error = Fraction(one.value) - sum(a * Fraction(b) for a, b in zip(state, one.key, strict=True))
        after = [a + Fraction(one.beta) * error * Fraction(b) for a, b in zip(state, one.key, strict=True)]
        pairs = [in_format(np.array([float(number) for number in numbers]), dtype) for numbers in (state, after)]
        if (pairs[0] == pairs[1]).all():
            return ones
        state = after
    raise ValueError(f"exact_answers_end({dtype!r}, {most}): no two words with one rounded state")


def check(length: Length = 200, dtype: FormatName | None = None, seed: Seed = 0) -> list[Outcome]:
    """Run the layer of each format on a random word, on a run of ones, and on the two steps of the proof.

    Raises TheoremFails with the first wrong prefix, or with a number that is not of the format.
    """
    return [_check_format(name, length, seed) for name in FORMATS if dtype in (None, name)]


def _check_format(name: str, length: int, seed: int) -> Outcome:
    layer = build(name)
    tokens = (layer.first, *layer.letters)
    numbers = np.array([number for token in tokens for number in (*token.key, token.beta, token.value)])
    if (in_format(numbers, name) != numbers).any():
        raise CLAIM.fails({"format": name, "numbers": numbers.tolist()})
    least = min(least_eigenvalue(token) for token in tokens)
    even, odd, again = layer.states([1, 1])
    if least <= 0 or even != SETTINGS[name].even or again != even or odd[0] == even[0]:
        raise CLAIM.fails({"format": name, "states": [even, odd, again], "least eigenvalue": float(least)})
    words = [np.random.default_rng(seed).integers(0, 2, length).tolist(), [1] * length]
    visited: set[Pair] = set()
    for word in words:
        states = layer.states(word)
        wrong = np.flatnonzero(np.array(layer.answers(states)) != np.cumsum([0, *word]) % 2)
        if len(wrong):
            raise CLAIM.fails({"format": name, "word": word[: int(wrong[0])]})
        visited.update(states)
    return CLAIM.upper(
        length=length,
        inputs=2 * length,
        measured=CLAIM.within({"states": len(visited), "state_numbers": 2}, bound()),
        bound=bound(),
        variant=name,
        witness={"least_eigenvalue": float(least), "in_exact_arithmetic_one_state_from": exact_answers_end(name)},
    )


def bound() -> dict[str, Number]:
    """Return the sizes of the statement."""
    return {"states": 2, "state_numbers": 2}


def predictor(length: Length, dtype: FormatName = "bfloat16") -> Callable[[Mapping[str, Any]], int]:
    """Answer {"bits": [..]}, at most `length` bits, with their parity.

    >>> predictor(length=8)({"bits": [1, 0, 1, 1]})
    1
    """
    layer = build(dtype)
    return lambda given: layer.answers(layer.states(symbols_in(given, "bits", 2, most=length)))[-1]


def verify() -> list[Outcome]:
    """Run 10,000 tokens in each format."""
    return check(10_000, seed=1)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run computes the two steps of the proof in each format, and compares the answer after each letter of a "
    "random word and "
    "of a run of ones. It also finds two runs of ones that exact arithmetic does not distinguish after rounding at "
    "the read-out.",
    not_shown="This does not show that a given kernel rounds in this order. It does not show that training finds such "
    "numbers, or "
    "that noise leaves them intact.",
    bound=bound,
    predictor=predictor,
    verify=verify,
    nothing_to_certify="certificates have no type for recurrences in floating point",
)

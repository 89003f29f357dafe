"""A layer that follows a group of rotations in rounded arithmetic is exact up to a horizon, which is proved or measured.

Source: own. Siems et al. 2025 (arXiv:2502.10297) build layers with two reflections a token, of exact numbers. We differ: every
operation is rounded, and the outcome names the number of tokens.

*Statement.* The state is a d x d matrix that starts as the identity. A token is a rotation, and applies two reflections
I - 2 k k^T by the delta rule with beta = 2. Every operation is rounded to bfloat16, float16 or float32, to nearest and ties to
even. The answer is the element with the nearest matrix.
* Z_3 by dyadic keys (d = 4) is exact at every length, in each format. This is proved.
* The rotations of the pentagon (d = 2), the cube and the icosahedron (d = 3) are followed up to a measured number of tokens.

*Construction.* A rotation turns a unit vector n that is perpendicular to its axis. It is the reflection with key n, followed by
the one with the key that halves the angle between n and its image (`_rotations`). Keys are rounded to the format.

*Proof for dyadic keys.* The keys are e_1 and (1, 1, 1, 1)/2. Their products have entries that are multiples of 1/2 up to 1. So
each product of a key's entry and a state's entry is a multiple of 1/4, and partial sums are at most 2. The sum, doubled, is a
multiple of 1/2 up to 4, and its product with a key's entry is a multiple of 1/4 up to 4. Each of the three formats holds all
multiples of 1/4 up to 32. After the first reflection the entries are multiples of 1/2 too, since the group of both
reflections is finite and its matrices have such entries. So no step rounds, and the state is the product for ever.

*Two horizons.* The state is *close* up to the last token before its error exceeds half the least distance of two elements.
It is *right* up to the last token before a wrong answer. A state that is close is right. A state with a wrong norm can still
be right, because the nearest of equally long elements does not depend on the norm.

*Order of operations.* The sum k^T S runs from the first coordinate on, and each product and partial sum is rounded. Doubling is
exact. A kernel with another order, or other keys, has other horizons.
"""

from typing import Annotated, NamedTuple

import numpy as np
from jaxtyping import Float64, Int64

from seqsep.core.options import OneOf, Range
from seqsep.theorems.base import Claim, Outcome, Theorem
from seqsep.theorems.options import Length, Seed
from seqsep.theorems.state_tracking._float_formats import FORMATS, FormatName, in_format
from seqsep.theorems.state_tracking._rotations import NAMES, Rotations, rotations

CLAIM = Claim(
    name="horizon",
    source="own",
    statement="Two rounded reflections a token follow Z_3 by dyadic keys at every length, and other rotations up to a horizon",
)
GroupOfRotations = Annotated[str, OneOf(*NAMES), "The group: dyadic (Z_3), pentagon (Z_5), cube or icosahedron."]
WordCount = Annotated[int, Range(1, 1 << 10), "Number of random words."]


class Horizon(NamedTuple):
    """The least horizons over some words, at most their length.

    Fields:
        close: the tokens up to which every state is close.
        right: the tokens up to which every answer is right.
        error: the greatest error of a state.
    """

    close: int
    right: int
    error: float


def build(group: str, dtype: str) -> Float64[np.ndarray, "elements two size"]:
    """Return the keys of each element, rounded to the format.

    >>> build("dyadic", "bfloat16")[1].tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]]
    """
    return in_format(rotations(group).keys, dtype)


def reflected(
    state: Float64[np.ndarray, "words size size"], keys: Float64[np.ndarray, "words size"], dtype: str
) -> Float64[np.ndarray, "words size size"]:
    """Apply one delta rule with beta = 2 to each state, with every operation rounded."""
    read = np.zeros(state[:, 0].shape)
    for row in range(keys.shape[1]):
        read = in_format(read + in_format(state[:, row] * keys[:, row, None], dtype), dtype)
    return in_format(state - in_format(keys[:, :, None] * (2 * read)[:, None, :], dtype), dtype)


def follow(
    group: Rotations, keys: Float64[np.ndarray, "elements two size"], letters: Int64[np.ndarray, "words time"], dtype: str
) -> Horizon:
    """Run the layer on words, and return their horizons."""
    count, length = letters.shape
    state = np.tile(group.elements[0], (count, 1, 1))
    product = np.zeros(count, dtype=np.int64)
    close = length
    right = length
    error = 0.0
    for place in range(length):
        letter = letters[:, place]
        for which in range(2):
            state = reflected(state, keys[letter, which], dtype)
        product = group.products[letter, product]
        distances = np.sqrt(((group.elements - state[:, None]) ** 2).sum(axis=(2, 3)))
        off = float(distances[np.arange(count), product].max())
        error = max(error, off)
        if off > group.least_distance / 2:
            close = min(close, place)
        if (distances.argmin(axis=1) != product).any():
            right = min(right, place)
    return Horizon(close, right, error)


def check(
    length: Length = 60,
    words: WordCount = 4,
    group: GroupOfRotations | None = None,
    dtype: FormatName | None = None,
    seed: Seed = 0,
) -> list[Outcome]:
    """Measure the horizons of each group in each format on random words.

    Raises TheoremFails if the dyadic layer is not exact.
    """
    return [
        _check_group(name, form, (words, length), seed)
        for name in NAMES
        for form in FORMATS
        if group in (None, name) and dtype in (None, form)
    ]


def _check_group(name: str, dtype: str, shape: tuple[int, int], seed: int) -> Outcome:
    group = rotations(name)
    letters = np.random.default_rng(seed).integers(0, len(group.elements), shape)
    found = follow(group, build(name, dtype), letters, dtype)
    if name == "dyadic" and found.error:
        raise CLAIM.fails({"format": dtype, "error": found.error, "expected": "an exact state"})
    length = shape[1]
    return CLAIM.upper(
        length=length,
        inputs=shape[0] * length,
        measured={"close_tokens": found.close, "right_tokens": found.right},
        bound={"close_tokens": length, "right_tokens": length},
        variant=f"{name}, {dtype}",
        witness={"greatest_error": f"{found.error:.3g}"},
    )


def verify() -> list[Outcome]:
    """Measure the horizons on 10 words of 10,000 tokens."""
    return check(10_000, 10, seed=1)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run measures, for each group and format, the tokens up to which every state is close and every answer is right. A "
    "number that equals N means that the horizon is at least N. For dyadic keys it requires an error of exactly 0.",
    not_shown="This does not show the horizon of other words, keys or orders of rounding. Only the horizon of dyadic "
    "keys is proved.",
    verify=verify,
    nothing_to_apply="it measures a horizon; `seqsep check horizon` prints it",
    nothing_to_certify="certificates have no type for recurrences in floating point",
)

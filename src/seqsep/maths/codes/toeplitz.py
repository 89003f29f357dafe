"""Position codes from a seed of O(log N) bits: linear codes whose generator is a Toeplitz matrix.

With b = max(1, ceil(log2 N)) and bits s_0 .. s_(k + b - 2), entry r of the vector of address i, with binary digits i_0 ..
i_(b - 1), is
    T_i[r] = (-1)^(i_0 s_r + i_1 s_(r + 1) + .. + i_(b - 1) s_(r + b - 1)).
Proof that a good seed exists. Let i > 0 have the highest digit t. Then entry r is the only one among the entries 0 .. r with
s_(r + t) in it, so for uniform bits the k entries are independent and uniform. T_i . T_j is the sum of the entries of the
address i xor j. So of the 2^(k + b - 1) seeds at most (2^b - 1) V 2^(b - 1) have a product above gamma k, where V counts
the sign vectors with a sum above gamma k (`code_sizes.too_near`). If 2 (2^b - 1) V <= 2^k, at least half of the seeds are good.
By Hoeffding V <= 2^k exp(-k gamma^2 / 2), so k = ceil(2 (b + 1) ln 2 / gamma^2) is enough; for |T_i . T_j| put b + 2 for b + 1.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from seqsep.maths.arithmetic.integers import digits_of
from seqsep.maths.codes.code_sizes import enough_coordinates
from seqsep.maths.codes.correlations import MOST_WORDS
from seqsep.maths.codes.linear_codes import LinearCode

# Seeds are tried in the order of x -> MULTIPLIER x + INCREMENT modulo 2^s from 0 on, which goes once through all of them (Hull
# and Dobell 1962: the increment is odd and the multiplier 1 modulo 4). By size, the first ones would have long runs of 0.
MULTIPLIER = 6364136223846793005
INCREMENT = 1442695040888963407


class Toeplitz(LinearCode):
    """The first `count` words of the code of a seed: k = `dimension` entries for each address.

    Raises ValueError for a count beyond 2^24, a dimension below 1, a seed beyond k + b - 1 bits, or one for which two words are
    equal.

    >>> code = Toeplitz(4, dimension=3, seed=0b0111)
    >>> code.keys(np.arange(4)).tolist()
    [[1, 1, 1], [-1, -1, -1], [-1, -1, 1], [1, 1, -1]]
    """

    name: ClassVar[str] = "toeplitz"
    order: ClassVar[int] = 2

    def __init__(self, count: int, dimension: int, seed: int) -> None:
        super().__init__(count)
        call = f"Toeplitz(count={count}, dimension={dimension}, seed={seed})"
        if not 1 <= count <= MOST_WORDS or dimension < 1:
            raise ValueError(f"{call}: expected 1 to {MOST_WORDS:,} addresses and at least 1 coordinate")
        digits = digits_of(count)
        if not 0 <= seed < 1 << seed_bits(count, dimension):
            raise ValueError(f"{call}: expected a seed of {seed_bits(count, dimension)} bits")
        self.seed = seed
        bits = np.array([seed >> place & 1 for place in range(dimension + digits - 1)], dtype=np.int64)
        self.generator = np.lib.stride_tricks.sliding_window_view(bits, dimension).astype(np.int64)
        if self.gap <= 0:
            raise ValueError(f"{call}: two addresses have the same vector")

    @property
    def parameter_bits(self) -> int:
        """The bits of the seed."""
        return seed_bits(self.count, self.dimension)

    @cached_property
    def greatest(self) -> int:  # type: ignore[override]
        """The greatest product of two words of the whole code."""
        return max(self._of_pairs)


def seed_bits(count: int, dimension: int) -> int:
    """k + b - 1.

    >>> seed_bits(1024, 100)
    109
    """
    return dimension + digits_of(count) - 1


def seeds(bits: int) -> Iterator[int]:
    """Yield all seeds of `bits` bits, each once, in the order in which they are tested.

    >>> sorted(seeds(3)) == list(range(8)), list(seeds(3))[:3]
    (True, [0, 7, 2])
    """
    seed = 0
    for _ in range(1 << bits):
        yield seed
        seed = (MULTIPLIER * seed + INCREMENT) % (1 << bits)


def proved_dimension(count: int, coherence: Fraction, two_sided: bool = False) -> int:
    """A dimension k for which half of the seeds are good: 2 (2^b - 1) V <= 2^k, by bisection from the closed form.

    >>> proved_dimension(1024, Fraction(1, 4)), closed_form(1024, Fraction(1, 4))
    (173, 244)
    """
    pairs = 2 * ((1 << digits_of(count)) - 1)
    return enough_coordinates(pairs, coherence, two_sided)


def closed_form(count: int, coherence: Fraction, two_sided: bool = False) -> int:
    """ceil(2 (b + 1) ln 2 / gamma^2), with b + 2 if `two_sided`: at least `proved_dimension`.

    >>> closed_form(1024, Fraction(1, 4), two_sided=True)
    267
    """
    return math.ceil(2 * (digits_of(count) + 1 + two_sided) * math.log(2) / coherence**2)

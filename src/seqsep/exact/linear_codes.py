"""Position codes that are linear: duals of BCH codes over Z_2, Kerdock's codes over Z_4. A generator is all they store.

Sources: MacWilliams and Sloane 1977, chapters 9 and 15; Hammons, Kumar, Calderbank, Sloane and Sole 1994 (Z_4, Gray's map).
"""

import math
from collections import Counter
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
from jaxtyping import Int, Int64

from seqsep.exact.correlations import MOST_WORDS, correlations, words
from seqsep.exact.integers import ceil_log2, digits_of
from seqsep.exact.position_code import PositionCode

# Coefficients of a primitive polynomial over Z_2, by degree, as bits.
PRIMITIVE = {3: 0xB, 5: 0x25, 6: 0x43, 7: 0x83, 8: 0x11D, 9: 0x211, 10: 0x409}


class LinearCode(PositionCode):
    """The first `count` words of a code over Z_2 or Z_4, as signs (`exact.correlations`): address i is word i.

    T_i . T_j is the correlation with word 0 of i - j, digit by digit, and of j - i. Let 2^b be the least power of 2 that is
    not below `count`. For every j other than i, i - j or j - i is among the words 1 .. 2^b - 1, a different one for each j, so
        leakage(eta) = sum over the words 1 .. 2^b - 1 of exp(-eta (k - correlation)).
    Up to its sign each of these words occurs: h at the highest digit and x below it is the word itself less 0 if h = 0,
    the address of h and zeros less the address -x if h = 1 or 2, and the negative of such a word if h = 3. So the extremes
    over these words are those over the pairs.
    """

    order: ClassVar[int]
    generator: Int64[np.ndarray, "digits symbols"]
    greatest: int  # the greatest correlation of a word other than 0, over the whole code

    @property
    def dimension(self) -> int:
        return self.generator.shape[1] * (self.order // 2)

    @property
    def capacity(self) -> int:
        """Words of the whole code."""
        return int(self.order ** len(self.generator))

    def _correlations(self, count: int) -> Counter[int]:
        return correlations(self.generator, self.order, count)

    @cached_property
    def _of_pairs(self) -> Counter[int]:
        return self._correlations(1 << digits_of(self.count))

    def verify(self) -> Counter[int]:
        """The correlations of all words of the whole code with word 0, which are those of all pairs. Exhaustive.

        Raises ValueError where the greatest is not `greatest`.
        """
        found = self._correlations(self.capacity)
        if max(found) != self.greatest:
            call = f"{type(self).__name__}(count={self.count}).verify()"
            raise ValueError(f"{call}: expected a greatest product of two words of {self.greatest}, found {max(found)}")
        return found

    @property
    def gap(self) -> int:
        return self.dimension - max(self._of_pairs)

    @property
    def one_sided_coherence(self) -> Fraction | None:
        return None if self.count == 1 else Fraction(max(self._of_pairs), self.dimension)

    @property
    def two_sided_coherence(self) -> Fraction | None:
        return None if self.count == 1 else Fraction(max(map(abs, self._of_pairs)), self.dimension)

    @property
    def parameter_bits(self) -> int:
        """The generator's symbols."""
        return int(self.generator.size) * ceil_log2(self.order)

    def leakage(self, eta: int) -> float:
        return sum(number * math.exp(-eta * (self.dimension - product)) for product, number in self._of_pairs.items())

    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        return words(self.generator, self.order, addresses)


class DualBCH(LinearCode):
    """Duals of binary BCH codes, (-1)^Tr(a x + b x^3 (+ c x^5)): at most 2^30 addresses.

    Of those with a one-sided coherence of at most 1/4 and enough words, the one of the least dimension k = 2^degree - 1. At
    degree 5 and 6 only the pairs (a, b) have it: 7/31 of 2^10 words, 15/63 of 2^12. With c: 31/127 of 2^21, 63/255 of 2^24,
    63/511 of 2^27, 127/1023 of 2^30 words; the first 2^14 words at k = 127 are those with c = 0, at 15/127.
    """

    name: ClassVar[str] = "dual-bch"
    order: ClassVar[int] = 2
    SIZES: ClassVar = ((5, 2, 7), (6, 2, 15), (7, 3, 31), (8, 3, 63), (9, 3, 63), (10, 3, 127))  # degree, errors, greatest

    def __init__(self, count: int) -> None:
        super().__init__(count)
        for degree, errors, greatest in self.SIZES:
            if count <= 2 ** (degree * errors):
                self._degree, self.greatest, self.generator = degree, greatest, dual_bch(degree, errors)
                return
        raise ValueError(f"DualBCH(count={count}): at most 2^30 = {2**30:,} words")

    def _correlations(self, count: int) -> Counter[int]:
        if count > MOST_WORDS:
            return dual_bch_correlations(self.generator, self._degree, count)
        return super()._correlations(count)


class Kerdock(LinearCode):
    """Kerdock's codes as Z_4-linear codes under Gray's map: k = 16, 64, 256 coordinates with k^2 words, coherence 1/sqrt(k).

    Exactly that on one side: 1/4, 1/8, 1/16. In the first half of the words it is so on both sides; the second half holds their
    negatives. T_i . T_j depends on i - j alone, so every word sees the same distances: the code is distance-invariant.
    """

    name: ClassVar[str] = "kerdock"
    order: ClassVar[int] = 4
    DEGREES: ClassVar = (3, 5, 7)

    def __init__(self, count: int) -> None:
        super().__init__(count)
        for degree in self.DEGREES:
            self.generator = kerdock(degree)
            self.greatest = math.isqrt(self.dimension)
            if count <= self.capacity:
                return
        raise ValueError(f"Kerdock(count={count}): at most {self.capacity:,} words")


def multiplication(polynomial: list[int], order: int) -> Int64[np.ndarray, "degree degree"]:
    """Multiplication by x of the coordinates 1, x, x^2, .. in Z_order[x] / (a monic polynomial, coefficients least first)."""
    matrix = np.eye(len(polynomial) - 1, k=-1, dtype=np.int64)
    matrix[:, -1] = -np.array(polynomial[:-1]) % order
    return matrix


def powers(matrix: Int64[np.ndarray, "degree degree"], order: int) -> Int64[np.ndarray, "degree count"]:
    """The coordinates of 1, x, .., x^(2^degree - 2)."""
    columns = [np.eye(len(matrix), dtype=np.int64)[0]]
    while len(columns) < 2 ** len(matrix) - 1:
        columns.append(matrix @ columns[-1] % order)
    return np.stack(columns, axis=1)


def primitive(degree: int) -> list[int]:
    """Coefficients, least first, of a polynomial whose root g has the 2^degree - 1 nonzero elements of its field as powers."""
    return [PRIMITIVE[degree] >> place & 1 for place in range(degree + 1)]


def lifted(polynomial: list[int]) -> list[int]:
    """Graeffe: the monic h with h(x^2) = +-(e(x)^2 - o(x)^2) mod 4, for the even part e and the odd part o of a polynomial.

    Its root xi is the Teichmueller element of the Galois ring: xi = g modulo 2, and of the same order.
    """
    parts = np.array(polynomial) * [[1], [-1]] ** np.arange(len(polynomial))
    squares = np.convolve(parts[0], parts[1])[::2]  # (e + o)(e - o)
    return [int(coefficient) for coefficient in squares * squares[-1] % 4]


@lru_cache(maxsize=16)
def dual_bch(degree: int, errors: int) -> Int64[np.ndarray, "digits symbols"]:
    """The dual of the binary BCH code that corrects 2 or 3 `errors`: Tr(a x + b x^3 + c x^5) at x = 1, g, .., g^(n - 1).

    n = 2^degree - 1. The linear maps from the field to Z_2 are y -> Tr(a y), one for each a: so the rows are the coordinates
    of x, of x^3 and of x^5, and the digits of a word are those of a, b and c in the basis dual to 1, g, g^2, .. by the trace.
    """
    elements = powers(multiplication(primitive(degree), 2), 2)
    n = elements.shape[1]
    rows = np.concatenate([elements[:, np.arange(n) * power % n] for power in range(1, 2 * errors, 2)])
    rows.setflags(write=False)  # every code of this size holds it
    return rows


def dual_bch_correlations(generator: Int64[np.ndarray, "digits symbols"], degree: int, count: int) -> Counter[int]:
    """`correlations` of a generator like `dual_bch(degree, 3)` for a power of two of words above 2^(2 degree), by symmetry.

    To put g x for x permutes the coordinates, and takes the word (a, b, c) to (a g, b g^3, c g^5). Where 5 is coprime to n the
    powers of g^5 are all nonzero elements, so any c other than 0 becomes any other, with a and b going once through all pairs:
    the words of each such c have one distribution. We compute it for c = 0 and for the first c; x -> x^2, which takes
    (a, b, c) to (a^2, b^2, c^2), would save another factor, and is not needed.
    Raises ValueError where the generator lacks this symmetry, which is checked on every column.
    """
    call = f"dual_bch_correlations(degree={degree}, count={count})"
    step = multiplication(primitive(degree), 2)
    for part, power in enumerate((1, 3, 5)):
        rows = generator[part * degree : (part + 1) * degree]
        moved = np.linalg.matrix_power(step, power) @ rows % 2
        if not np.array_equal(moved, np.roll(rows, -1, axis=1)):
            raise ValueError(f"{call}: expected columns that go through the powers of g^{power}, found others")
    if math.gcd(5, 2**degree - 1) != 1:
        raise ValueError(f"{call}: expected a degree with 5 coprime to 2^degree - 1")
    pairs = 1 << 2 * degree
    found = correlations(generator, 2, pairs)
    first = correlations(generator, 2, 2 * pairs) - found
    return found + Counter({product: number * (count // pairs - 1) for product, number in first.items()})


@lru_cache(maxsize=16)
def kerdock(degree: int) -> Int64[np.ndarray, "digits symbols"]:
    """Kerdock's code over Z_4, for an odd degree: T(l x) + e at x = 0, 1, xi, xi^2, .. with l in the Galois ring, e in Z_4.

    2^degree symbols, 4^(degree + 1) words; the linear maps are the coordinates of x, as in `dual_bch`. The highest digit is e.
    As signs its correlations are 0, +-sqrt(k) and, for e = 2 and l = 0, -k, in k = 2^(degree + 1) coordinates.
    """
    elements = powers(multiplication(lifted(primitive(degree)), 4), 4)
    rows = np.ones((degree + 1, 1 + elements.shape[1]), dtype=np.int64)
    rows[:-1, 0], rows[:-1, 1:] = 0, elements
    rows.setflags(write=False)
    return rows

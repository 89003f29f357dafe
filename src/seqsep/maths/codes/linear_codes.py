"""Linear position codes: duals of BCH codes over Z_2 and Kerdock's codes over Z_4. All they store is a generator matrix.

Sources: MacWilliams and Sloane 1977, chapters 9 and 15; Hammons, Kumar, Calderbank, Sloane and Sole 1994 (Z_4, Gray's map).
"""

import math
from collections import Counter
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
from jaxtyping import Int, Int64

from seqsep.maths.arithmetic.integers import ceil_log2, digits_of
from seqsep.maths.codes.correlations import MOST_WORDS, correlations, words
from seqsep.maths.codes.position_code import PositionCode

# Coefficients of a primitive polynomial over Z_2, by degree, as bits.
PRIMITIVE = {3: 0xB, 5: 0x25, 6: 0x43, 7: 0x83, 8: 0x11D, 9: 0x211, 10: 0x409}


class LinearCode(PositionCode):
    """The first `count` words of a code over Z_2 or Z_4, as signs (`maths.codes.correlations`): address i is word i.

    T_i . T_j is the correlation with word 0 of the word i - j, digit by digit, and also of j - i. Let 2^b be the least power
    of 2 that is at least `count`. For every j other than i, i - j or j - i is among the words 1 .. 2^b - 1, a different one for
    each j, so
        leakage(eta) = sum over the words 1 .. 2^b - 1 of exp(-eta (k - correlation)).
    Up to its sign each of these words is a difference of two addresses. Let h be its highest digit and x the digits below.
    If h = 0, it is itself less 0. If h = 1 or 2, it is the address of h and zeros, less the address -x. If h = 3, it is the
    negative of such a word. So the extremes over these words are those over the pairs.

    >>> Kerdock(1000).verify()[8]  # how many of the 4,096 words have the greatest correlation, sqrt(64), with word 0
    1984
    """

    order: ClassVar[int]
    generator: Int64[np.ndarray, "digits symbols"]
    greatest: int  # correlation of a word other than 0 with word 0, over the whole code

    @property
    def dimension(self) -> int:
        return self.generator.shape[1] * (self.order // 2)

    @property
    def capacity(self) -> int:
        """The number of words of the code."""
        return int(self.order ** len(self.generator))

    def _correlations(self, count: int) -> Counter[int]:
        return correlations(self.generator, self.order, count)

    @cached_property
    def _of_pairs(self) -> Counter[int]:
        return self._correlations(1 << digits_of(self.count))

    def verify(self) -> Counter[int]:
        """The correlations of all words of the whole code with word 0, which are those of all pairs.

        Every word is computed. Raises ValueError if the greatest is not `greatest`.
        """
        of_words = self._correlations(self.capacity)
        if max(of_words) != self.greatest:
            call = f"{type(self).__name__}(count={self.count}).verify()"
            raise ValueError(f"{call}: expected a greatest product of two words of {self.greatest}, found {max(of_words)}")
        return of_words

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
        """The bits of the generator's symbols."""
        return int(self.generator.size) * ceil_log2(self.order)

    def leakage(self, eta: int) -> float:
        return sum(number * math.exp(-eta * (self.dimension - product)) for product, number in self._of_pairs.items())

    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        return words(self.generator, self.order, addresses)


class DualBCH(LinearCode):
    """Duals of binary BCH codes, (-1)^Tr(a x + b x^3 (+ c x^5)): at most 2^30 addresses.

    Of these codes with enough words and a one-sided coherence of at most 1/4, we take the least dimension k = 2^degree - 1.
    Without c there are 2^10 words at coherence 7/31 and 2^12 at 15/63. With c there are 2^21 words at 31/127, 2^24 at 63/255,
    2^27 at 63/511 and 2^30 at 127/1023; the first 2^14 words at k = 127 are those with c = 0, at 15/127.

    >>> DualBCH(1000).dimension, DualBCH(1000).one_sided_coherence
    (31, Fraction(7, 31))
    """

    name: ClassVar[str] = "dual-bch"
    order: ClassVar[int] = 2
    SIZES: ClassVar = (  # degree, errors, greatest
        (5, 2, 7),
        (6, 2, 15),
        (7, 3, 31),
        (8, 3, 63),
        (9, 3, 63),
        (10, 3, 127),
    )

    def __init__(self, count: int) -> None:
        super().__init__(count)
        for degree, errors, greatest in self.SIZES:
            if count <= 2 ** (degree * errors):
                self._degree = degree
                self.greatest = greatest
                self.generator = dual_bch(degree, errors)
                return
        raise ValueError(f"DualBCH(count={count}): at most 2^30 = {2**30:,} words")

    def _correlations(self, count: int) -> Counter[int]:
        if count > MOST_WORDS:
            return dual_bch_correlations(self.generator, self._degree, count)
        return super()._correlations(count)


class Kerdock(LinearCode):
    """Kerdock's codes as Z_4-linear codes under Gray's map: k^2 words in k = 16, 64 or 256 coordinates.

    The one-sided coherence is 1/sqrt(k): 1/4, 1/8 or 1/16. So is the two-sided one of the first half of the words; the second
    half holds their negatives. T_i . T_j depends on i - j alone, so the code is distance-invariant.

    >>> Kerdock(1000).dimension, Kerdock(1000).one_sided_coherence
    (64, Fraction(1, 8))
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
    """Return the matrix of multiplication by x in Z_order[x] / (a monic polynomial), on the coordinates of 1, x, x^2, ..

    The coefficients of the polynomial begin with the constant.
    """
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
    """The coefficients of a primitive polynomial over Z_2, from the constant up.

    The powers of its root g are the 2^degree - 1 nonzero elements of the field.
    """
    return [PRIMITIVE[degree] >> place & 1 for place in range(degree + 1)]


def lifted(polynomial: list[int]) -> list[int]:
    """Graeffe's lift to Z_4: the monic h with h(x^2) = +-(e(x)^2 - o(x)^2) mod 4.

    e is the even part and o the odd part of the polynomial. The root xi of h is the Teichmueller element of the Galois ring:
    xi = g modulo 2, and xi has the order of g.
    """
    even_plus_odd = np.array(polynomial)
    even_minus_odd = even_plus_odd * (-1) ** np.arange(len(polynomial))
    squares = np.convolve(even_plus_odd, even_minus_odd)[::2]
    return [int(coefficient) for coefficient in squares * squares[-1] % 4]


@lru_cache(maxsize=16)
def dual_bch(degree: int, errors: int) -> Int64[np.ndarray, "digits symbols"]:
    """Return the generator of the dual of the binary BCH code that corrects 2 or 3 `errors`.

    Its words are Tr(a x + b x^3 + c x^5) at x = 1, g, .., g^(n - 1), with n = 2^degree - 1; for 2 errors c is absent. The
    linear maps from the field to Z_2 are y -> Tr(a y), one for each a. So the rows are the coordinates of x, of x^3 and of
    x^5, and the digits of a word are those of a, b and c in the basis that is dual to 1, g, g^2, .. under the trace.

    >>> dual_bch(5, errors=2).shape
    (10, 31)
    """
    elements = powers(multiplication(primitive(degree), 2), 2)
    n = elements.shape[1]
    rows = np.concatenate([elements[:, np.arange(n) * power % n] for power in range(1, 2 * errors, 2)])
    rows.setflags(write=False)  # cached: every code of this size shares it
    return rows


def dual_bch_correlations(generator: Int64[np.ndarray, "digits symbols"], degree: int, count: int) -> Counter[int]:
    """Return what `correlations` returns for `dual_bch(degree, 3)`, by symmetry; `count` is a power of 2 above 2^(2 degree).

    To put g x for x permutes the coordinates and takes the word (a, b, c) to (a g, b g^3, c g^5). If 5 is coprime to n, the
    powers of g^5 are all nonzero elements. Then any c other than 0 becomes any other one, while (a, b) goes once through all
    pairs. So the words of each such c have one distribution; we compute it for c = 0 and for the first other c.
    Raises ValueError if the generator lacks this symmetry, which is checked on every column.
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
    without_c = correlations(generator, 2, pairs)
    first_c = correlations(generator, 2, 2 * pairs) - without_c
    other_c = Counter({product: number * (count // pairs - 1) for product, number in first_c.items()})
    return without_c + other_c


@lru_cache(maxsize=16)
def kerdock(degree: int) -> Int64[np.ndarray, "digits symbols"]:
    """The generator of Kerdock's code over Z_4, for an odd degree.

    Its words are T(l x) + e at x = 0, 1, xi, xi^2, .. with l in the Galois ring and e in Z_4. It has 2^degree symbols and
    4^(degree + 1) words. The linear maps are the coordinates of x, as in `dual_bch`; the highest digit is e. As signs, in k =
    2^(degree + 1) coordinates, the correlations are 0, +-sqrt(k) and -k, for e = 2 and l = 0.

    >>> kerdock(3).shape
    (4, 8)
    """
    elements = powers(multiplication(lifted(primitive(degree)), 4), 4)
    rows = np.ones((degree + 1, 1 + elements.shape[1]), dtype=np.int64)
    rows[:-1, 0] = 0
    rows[:-1, 1:] = elements
    rows.setflags(write=False)
    return rows

"""A position code of two coordinates: points on a circle, rounded to multiples of 1/R by integer arithmetic alone."""

import math
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Int, Int64, Shaped

from seqsep.maths.codes.position_code import PositionCode

BITS = 128
PI = 0x3243F6A8885A308D313198A2E03707344  # floor(2^128 pi)
TERMS = 64
BLOCK = 1 << 16


class Circle(PositionCode):
    """Points on the unit circle, rounded to multiples of 1/R with R = max(4, N)^3; two coordinates.

    The point of an address is v, the rounded u = (cos t, sin t) at t = 2 pi address / N.
    Keys and queries are v R, and unit = 1/R. The product of two of these integer vectors passes 64 bits from N = 1,449 on; R
    is below 2^63 for at most 2,097,151 addresses.

    *Gap.* A coordinate of v is within (1/2 + 2^-50) / R of u's, so e = v - u is shorter than 0.708 / R. At distance d = |j - p|
    on the circle
        v_p . (v_p - v_j) = 2 sin^2(pi d / N), up to |e_p - e_j| + |e_p| |v_p - v_j| < 3 / R.
    From d = 1 to a greater d, 2 sin^2(pi d / N) grows by at least 2 sin(3 pi / N) sin(pi / N), which is above 6 / R: it is at
    least 24 / N^2 for N >= 6, and at least 1 for N = 4 and 5. So neighbours have the least gap, and it is computed exactly.

    *Leakage.* Two addresses are at each distance d < N / 2, and g(d) = 2 sin^2(pi d / N) - 3 / R grows with d. So with
    T = min(64, floor((N - 1) / 2))
        leakage(eta) = 2 * sum over d = 1 .. T of exp(-eta g(d)) + (N - 1 - 2 T) exp(-eta g(T + 1)).
    The coherences are None: the rounded points have several lengths.

    >>> Circle(4).keys(np.arange(4)).tolist()
    [[64, 0], [0, 64], [-64, 0], [0, -64]]
    """

    name: ClassVar[str] = "circle"
    of_one_length: ClassVar[bool] = False

    def __init__(self, count: int) -> None:
        super().__init__(count)
        if count >= 1 << 21:
            raise ValueError(f"Circle(count={count}): at most 2,097,151 addresses, for keys below 2^63")
        self.unit = Fraction(1, max(4, count) ** 3)

    @property
    def dimension(self) -> int:
        return 2

    @cached_property
    def gap(self) -> Fraction:
        if self.count == 1:
            return Fraction(1)
        gaps: list[int] = []
        for first in range(0, self.count, BLOCK):
            with_neighbours = np.arange(first - 1, min(self.count, first + BLOCK) + 1) % self.count
            points = self.keys(with_neighbours).astype(object)
            own = points[1:-1]
            for neighbour in (points[:-2], points[2:]):
                gaps.append(int((own * (own - neighbour)).sum(1).min()))
        return min(gaps) * self.unit**2

    def leakage(self, eta: int) -> float:
        terms = min(TERMS, (self.count - 1) // 2)
        gaps = 2 * np.sin(np.pi * np.arange(1, terms + 2) / self.count) ** 2 - float(3 * self.unit)
        weights = np.exp(-eta * gaps)
        return float(2 * weights[:-1].sum() + (self.count - 1 - 2 * terms) * weights[-1])

    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        """The points of the addresses, in units.

        Each is a coarse rotation times a fine one, so N points take only 2 sqrt(N) series. The product is within 4 * 2^12 + 1
        < 2^15 of 2^128 cos and sin, and R times that is below 2^-50 of a unit.
        """
        fine = math.isqrt(self.count)
        cos_1, sin_1 = _cos_and_sin(addresses // fine * fine, self.count)
        cos_2, sin_2 = _cos_and_sin(addresses % fine, self.count)
        exact = np.stack([cos_1 * cos_2 - sin_1 * sin_2, sin_1 * cos_2 + cos_1 * sin_2], axis=1) >> BITS
        return ((exact * self.unit.denominator + (1 << BITS - 1)) >> BITS).astype(np.int64)


def _cos_and_sin(numerators: Int[np.ndarray, "n"], count: int) -> tuple[Shaped[np.ndarray, "n"], Shaped[np.ndarray, "n"]]:
    """2^128 cos and sin of 2 pi numerator / count, within 2^12, as Python integers: the same on every machine.

    64 terms of the series at |angle| <= pi leave out less than 2^-190. Rounding a term down costs at most 2, and a term's
    error enters the next one times angle / power. So a term is off by at most 2 e^pi < 47, the sum by less than 64 * 47, and
    the angle by 2 more.
    """
    distinct, place = np.unique(numerators, return_inverse=True)
    angle = 2 * PI * np.where(2 * distinct > count, distinct - count, distinct).astype(object) // count
    term = np.full(len(distinct), 1 << BITS, dtype=object)
    sums = [term, np.zeros(len(distinct), dtype=object)]
    for power in range(1, TERMS):
        term = (term * angle >> BITS) // power
        sums[power % 2] = sums[power % 2] + (term if power % 4 < 2 else -term)
    return sums[0][place], sums[1][place]

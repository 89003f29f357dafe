"""The position codes by name, and the families that need no algebra: random signs, binary digits, parabola, one-hot."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from jaxtyping import Int, Int64

from seqsep.core.stream import Use, draws
from seqsep.maths.arithmetic.integers import digits_of
from seqsep.maths.codes.circle import Circle
from seqsep.maths.codes.linear_codes import DualBCH, Kerdock
from seqsep.maths.codes.position_code import PositionCode

MOST_VERIFIED = 20_000
ROWS_AT_ONCE = 1024


class Signs(PositionCode):
    """Random signs: Lemma 2 of Bhattamishra et al. 2024 with its printed dimension, k = ceil(8 ln(2 N) / gamma^2).

    N is the count and gamma = 1/4, the bound of Corollary 8.1. By the lemma's union bound a draw is good with a probability of
    at least 1/2. We check all pairs and draw again until T_i . T_j <= k/4 for all i != j; `attempt` is the number of the draw.
    We differ: entries are ±1, not ±1/sqrt(k), which is on no grid, so a score is k times the printed one. Checking takes
    time N^2 k, so the count is at most 20,000.

    >>> code = Signs(10)
    >>> code.dimension, code.gap
    (384, 328)
    """

    name: ClassVar[str] = "signs"
    INVERSE_GAMMA: ClassVar[int] = 4

    def __init__(self, count: int) -> None:
        super().__init__(count)
        if count > MOST_VERIFIED:
            raise ValueError(f"Signs(count={count}): at most {MOST_VERIFIED:,} random vectors can be verified pair by pair")
        self.attempt = 0
        self._least, self._most = self._extreme_products()
        while self.INVERSE_GAMMA * self._most > self.dimension:
            self.attempt += 1
            self._least, self._most = self._extreme_products()

    @property
    def dimension(self) -> int:
        return math.ceil(8 * self.INVERSE_GAMMA**2 * math.log(2 * self.count))

    @property
    def parameter_bits(self) -> int:
        """The 64 bits of `attempt`, which is the seed of the stream."""
        return 64

    @property
    def gap(self) -> int:
        return self.dimension - self._most

    @property
    def one_sided_coherence(self) -> Fraction | None:
        return None if self.count == 1 else Fraction(self._most, self.dimension)

    @property
    def two_sided_coherence(self) -> Fraction | None:
        return None if self.count == 1 else Fraction(max(self._most, -self._least), self.dimension)

    def _extreme_products(self) -> tuple[int, int]:
        """The least and the greatest T_i . T_j over i != j; exact, as float32 sums of ±1 are integers below 2^24."""
        vectors = self.keys(np.arange(self.count)).astype(np.float32)
        least = self.dimension
        most = -self.dimension
        for first in range(0, self.count, ROWS_AT_ONCE):
            products = vectors[first : first + ROWS_AT_ONCE] @ vectors[first:].T
            least = min(least, int(products.min()))
            np.fill_diagonal(products, -self.dimension)
            most = max(most, int(products.max()))
        return least, most

    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        if not len(addresses):
            return np.zeros((0, self.dimension), dtype=np.int64)
        first = int(addresses.min())
        count = int(addresses.max()) - first + 1
        words = -(-self.dimension // 32)
        uniform = draws(seed=self.attempt, use=Use.CODE, start=first, count=count, each=words)[addresses - first]
        bits = (uniform[:, :, None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1)
        return 2 * bits.reshape(len(addresses), -1)[:, : self.dimension].astype(np.int64) - 1


class Binary(PositionCode):
    """The binary digits of the address as ±1, the least first, in b = max(1, ceil(log2 count)) coordinates.

    Addresses that differ in d digits have product b - 2 d, so the gap is 2. At most C(b, d) addresses differ from one in d
    digits, so
        leakage(eta) = sum over d >= 1 of C(b, d) exp(-2 eta d) = (1 + exp(-2 eta))^b - 1.
    Addresses 2^(b-1) - 1 and 2^(b-1) differ in every digit, so the two-sided coherence is 1.

    >>> Binary(8).keys(np.array([0, 5])).tolist()
    [[-1, -1, -1], [1, -1, 1]]
    """

    name: ClassVar[str] = "binary"

    @property
    def dimension(self) -> int:
        return digits_of(self.count)

    @property
    def gap(self) -> int:
        return 2

    @property
    def one_sided_coherence(self) -> Fraction | None:
        return None if self.count == 1 else Fraction(self.dimension - 2, self.dimension)

    @property
    def two_sided_coherence(self) -> Fraction | None:
        return None if self.count == 1 else Fraction(1)

    def leakage(self, eta: int) -> float:
        return math.expm1(self.dimension * math.log1p(math.exp(-2 * eta)))

    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        return 2 * ((addresses.astype(np.int64)[:, None] >> np.arange(self.dimension)) & 1) - 1


class OneHot(PositionCode):
    """One coordinate per address: T_i . T_j = 0 for i != j, and leakage(eta) = (N - 1) exp(-eta).

    >>> OneHot(4).keys(np.array([2])).tolist()
    [[0, 0, 1, 0]]
    """

    name: ClassVar[str] = "one-hot"

    @property
    def dimension(self) -> int:
        return self.count

    @property
    def gap(self) -> int:
        return 1

    @property
    def one_sided_coherence(self) -> Fraction | None:
        return None if self.count == 1 else Fraction(0)

    @property
    def two_sided_coherence(self) -> Fraction | None:
        return self.one_sided_coherence

    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        vectors = np.zeros((len(addresses), self.count), dtype=np.int64)
        vectors[np.arange(len(addresses)), addresses] = 1
        return vectors


class Parabola(PositionCode):
    """Points on a parabola: keys (x, x^2) and queries (2 x_p, -1), with x = address - floor(count / 2).

    The score is x_p^2 - (x - x_p)^2, greatest at x = x_p by at least 1; x is centred to keep the numbers small. At most two
    addresses are at each distance t, so for every count
        leakage(eta) = 2 (q + q^4 / (1 - q^5)) >= 2 * sum over t >= 1 of q^(t^2),   q = exp(-eta),
    since t^2 >= 4 + 5 (t - 2) for t >= 2; it is 0.271 at eta = 2. The coherences are None, as the keys have several lengths.
    Keys fit 64 bits for at most 2^32 addresses.

    >>> Parabola(5).keys(np.arange(5)).tolist()
    [[-2, 4], [-1, 1], [0, 0], [1, 1], [2, 4]]
    >>> round(Parabola(1000).leakage(2), 3)
    0.271
    """

    name: ClassVar[str] = "parabola"
    of_one_length: ClassVar[bool] = False

    def __init__(self, count: int) -> None:
        super().__init__(count)
        if count > 1 << 32:
            raise ValueError(f"Parabola(count={count}): at most 2^32 addresses, for keys below 2^63")

    @property
    def dimension(self) -> int:
        return 2

    @property
    def gap(self) -> int:
        return 1

    def leakage(self, eta: int) -> float:
        first = math.exp(-eta)
        tail = first**4 / (1 - first**5)
        return 2 * (first + tail)

    def _centred(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n"]:
        return addresses.astype(np.int64) - self.count // 2

    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        x = self._centred(addresses)
        return np.stack([x, x * x], axis=1)

    def queries(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        x = self._centred(addresses)
        return np.stack([2 * x, np.full_like(x, -1)], axis=1)


CODES: tuple[type[PositionCode], ...] = (Signs, Binary, Parabola, DualBCH, Kerdock, OneHot, Circle)
BY_NAME: dict[str, type[PositionCode]] = {code.name: code for code in CODES}


@lru_cache(maxsize=16)
def position_code(name: str, count: int) -> PositionCode:
    """The code of that name; cached, because some codes check every pair when they are built.

    >>> position_code("kerdock", 1000).dimension
    64
    """
    return BY_NAME[name](count)


def has_addresses(name: str, count: int) -> bool:
    """Return True if the code of that name has this number of addresses.

    >>> has_addresses("kerdock", 65_536), has_addresses("kerdock", 65_537)
    (True, False)
    """
    try:
        return position_code(name, count).count == count
    except ValueError:
        return False

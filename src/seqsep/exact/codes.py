"""Position codes: integer keys and queries for addresses 0 .. count - 1, by index, without a stored table.

The score of key j for query p is queries(p) . keys(j). Its greatest value over j is at j = p, by at least `gap`; with
scores scaled by eta, the softmax gives address p a weight of at least 1 / (1 + others(eta)), since
others(eta) >= sum over j != p of exp(-eta (score_p - score_j)). A code's constants are proved in its docstring or verified.
"""

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from jaxtyping import Int, Int64

from seqsep.stream import Use, draws

MOST_VERIFIED = 20_000


class PositionCode(ABC):
    """A code of `count` addresses in `dimension` coordinates. Raises ValueError for a count below 1."""

    name: ClassVar[str]

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"{type(self).__name__}(count={count}): a code has at least 1 address")
        self.count = count

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Coordinates of a key."""

    @property
    @abstractmethod
    def gap(self) -> int:
        """A lower bound, over p and j != p, of score(p, p) - score(p, j)."""

    @abstractmethod
    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        """The keys of the addresses."""

    @abstractmethod
    def queries(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        """The queries that ask for the addresses."""

    def others(self, eta: int) -> float:
        """An upper bound of sum over j != p of exp(-eta (score(p, p) - score(p, j)))."""
        return (self.count - 1) * math.exp(-eta * self.gap)

    def least_scale(self) -> int:
        """The least whole eta that gives the wanted address a weight above 3/4: others(eta) < 1/3."""
        eta = 1
        while self.others(eta) >= 1 / 3:
            eta += 1
        return eta


class Signs(PositionCode):
    """Random signs: Lemma 2 of Bhattamishra et al. 2024 with its printed dimension, k = ceil(8 ln(2 N) / gamma^2).

    gamma = 1/4, the bound of Corollary 8.1; N is the count. The lemma's union bound makes a draw good with probability of at
    least 1/2; we verify every pair and draw again until T_i . T_j <= k/4 for all i != j (`attempt` says which draw it was).
    We differ: entries are ±1, not ±1/sqrt(k), which is on no grid; a score is k times the printed one. Verification takes
    time N^2 k, so the count is at most 20,000.
    """

    name: ClassVar[str] = "signs"
    INVERSE_GAMMA: ClassVar[int] = 4

    def __init__(self, count: int) -> None:
        super().__init__(count)
        if count > MOST_VERIFIED:
            raise ValueError(f"Signs(count={count}): at most {MOST_VERIFIED:,} random vectors can be verified pair by pair")
        self.attempt = 0
        while True:
            self._most = self._greatest_product()
            if self.INVERSE_GAMMA * self._most <= self.dimension:
                return
            self.attempt += 1

    @property
    def dimension(self) -> int:
        return math.ceil(8 * self.INVERSE_GAMMA**2 * math.log(2 * self.count))

    @property
    def gap(self) -> int:
        return self.dimension - self._most

    def _greatest_product(self) -> int:
        """Greatest T_i . T_j over i != j; exact, since products of ±1 in float32 are integers below 2^24."""
        vectors = self.keys(np.arange(self.count)).astype(np.float32)
        most = -self.dimension
        for first in range(0, self.count, 1024):
            products = vectors[first : first + 1024] @ vectors.T
            np.fill_diagonal(products[:, first:], -self.dimension)
            most = max(most, int(products.max()))
        return most

    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        words = -(-self.dimension // 32)
        first, last = int(addresses.min(initial=self.count)), int(addresses.max(initial=-1))
        if last < first:
            return np.zeros((0, self.dimension), dtype=np.int64)
        uniform = draws(self.attempt, Use.CODE, first, last - first + 1, words)[addresses - first]
        bits = (uniform[:, :, None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1)
        return 2 * bits.reshape(len(addresses), -1)[:, : self.dimension].astype(np.int64) - 1

    def queries(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        return self.keys(addresses)


class Binary(PositionCode):
    """The binary digits of the address as ±1, least first: dimension b = max(1, ceil(log2 count)).

    Addresses that differ in d digits have product b - 2 d, so the gap is 2, and at most C(b, d) addresses lie at distance d:
    others(eta) = sum over d >= 1 of C(b, d) exp(-2 eta d) = (1 + exp(-2 eta))^b - 1.
    """

    name: ClassVar[str] = "binary"

    @property
    def dimension(self) -> int:
        return max(1, (self.count - 1).bit_length())

    @property
    def gap(self) -> int:
        return 2

    def others(self, eta: int) -> float:
        return math.expm1(self.dimension * math.log1p(math.exp(-2 * eta)))

    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        return 2 * ((addresses.astype(np.int64)[:, None] >> np.arange(self.dimension)) & 1) - 1

    def queries(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        return self.keys(addresses)


class Parabola(PositionCode):
    """Two coordinates for any count: keys (x, x^2), queries (2 x_p, -1), with x = address - floor(count / 2).

    The score is x_p^2 - (x - x_p)^2, greatest at x = x_p by at least 1; the centre keeps numbers small. At distance t there are
    at most two addresses: others(eta) = 2 * sum over t >= 1 of exp(-eta t^2), for every count; 0.271 at eta = 2.
    """

    name: ClassVar[str] = "parabola"

    @property
    def dimension(self) -> int:
        return 2

    @property
    def gap(self) -> int:
        return 1

    def others(self, eta: int) -> float:
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


CODES: tuple[type[PositionCode], ...] = (Signs, Binary, Parabola)
BY_NAME: dict[str, type[PositionCode]] = {code.name: code for code in CODES}

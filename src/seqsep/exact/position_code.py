"""What a position code is: integer keys and queries for addresses 0 .. count - 1, by index, without a stored table.

The score of key j for query p is unit^2 queries(p) . keys(j). Its greatest value over j is at j = p, by at least `gap`; with
scores scaled by eta, the softmax gives address p a weight of at least 1 / (1 + leakage(eta)), since
leakage(eta) >= sum over j != p of exp(-eta (score_p - score_j)). A code's constants are proved in its docstring or verified.
"""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar

import numpy as np
from jaxtyping import Int, Int64


class PositionCode(ABC):
    """A code of `count` addresses in `dimension` coordinates, whole numbers times `unit`.

    Raises ValueError for a count below 1 or above the capacity of the family.
    """

    name: ClassVar[str]
    of_one_length: ClassVar[bool] = True  # whether the keys are
    unit: Fraction = Fraction(1)

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"{type(self).__name__}(count={count}): a code has at least 1 address")
        self.count = count

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Coordinates of a key."""

    @property
    def parameter_bits(self) -> int:
        """What has to be stored to compute any key and query, beside the count."""
        return 0

    @property
    @abstractmethod
    def gap(self) -> int | Fraction:
        """The least score(p, p) - score(p, j) over p and j != p, exactly. Above 0 for a code of one address, too."""

    @property
    def one_sided_coherence(self) -> Fraction | None:
        """The greatest T_i . T_j / |T|^2 over i != j; None where there is no pair, or no one length |T|."""
        return None

    @property
    def two_sided_coherence(self) -> Fraction | None:
        """The same of |T_i . T_j| / |T|^2."""
        return None

    @property
    def welch_bound(self) -> float | None:
        """sqrt((N - k) / (k (N - 1))) for N > k: the two-sided coherence of N vectors in k coordinates is never below it.

        Source: Welch 1974, with exponent 1. None for N <= k, where it says nothing, and for keys of several lengths.
        """
        if not self.of_one_length or self.count <= self.dimension:
            return None
        return math.sqrt((self.count - self.dimension) / (self.dimension * (self.count - 1)))

    @abstractmethod
    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        """The keys of the addresses."""

    def queries(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        """The queries that ask for the addresses: the keys, unless a code says otherwise."""
        return self.keys(addresses)

    def leakage(self, eta: int) -> float:
        """An upper bound of sum over j != p of exp(-eta (score(p, p) - score(p, j))), the same for every p.

        Relative to the weight of address p, all other addresses together weigh at most leakage(eta).
        """
        return (self.count - 1) * math.exp(-eta * self.gap)

    def least_scale(self) -> int:
        """The least whole eta that gives the wanted address a weight above 3/4: leakage(eta) < 1/3.

        By doubling and halving, since every bound falls as eta grows.
        """
        enough = 1
        while self.leakage(enough) >= 1 / 3:
            enough *= 2
        few = enough // 2
        while enough - few > 1:
            middle = (few + enough) // 2
            few, enough = (middle, enough) if self.leakage(middle) >= 1 / 3 else (few, middle)
        return enough

"""Position codes: integer keys and queries for addresses 0 .. count - 1, computed without a stored table.

    score(p, j)   =  unit^2 queries(p) . keys(j)
    gap           =  min over p and j != p of  score(p, p) - score(p, j)  >  0
    leakage(eta) >=  sum over j != p of  exp(-eta (score(p, p) - score(p, j)))   for every p

So key p has the greatest score for query p. With scores scaled by eta, the softmax gives address p a weight of at least
1 / (1 + leakage(eta)). Each code proves its constants in its docstring or verifies them on all pairs.
"""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar

import numpy as np
from jaxtyping import Int, Int64


class PositionCode(ABC):
    """A code of `count` addresses in `dimension` coordinates, which are whole numbers times `unit`.

    Raises ValueError for a count below 1 or above the capacity of the family.

    >>> from seqsep.maths.codes.codes import Parabola
    >>> code = Parabola(10)
    >>> (code.keys(np.arange(10)) @ code.queries(np.array([3]))[0]).tolist()  # greatest at key 3, by the gap of 1
    [-5, 0, 3, 4, 3, 0, -5, -12, -21, -32]
    """

    name: ClassVar[str]
    of_one_length: ClassVar[bool] = True  # whether all keys have the same Euclidean length
    unit: Fraction = Fraction(1)

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"{type(self).__name__}(count={count}): a code has at least 1 address")
        self.count = count

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number of coordinates of a key."""

    @property
    def parameter_bits(self) -> int:
        """The bits to store, beside the count, to compute any key and query."""
        return 0

    @property
    @abstractmethod
    def gap(self) -> int | Fraction:
        """The least score(p, p) - score(p, j) over p and j != p, exactly; above 0 even for one address."""

    @property
    def one_sided_coherence(self) -> Fraction | None:
        """The greatest T_i . T_j / |T|^2 over keys i != j; None without a pair, or without a common length |T|."""
        return None

    @property
    def two_sided_coherence(self) -> Fraction | None:
        """The greatest |T_i . T_j| / |T|^2 over keys i != j; None as for `one_sided_coherence`."""
        return None

    @property
    def welch_bound(self) -> float | None:
        """A lower bound of the two-sided coherence, sqrt((N - k) / (k (N - 1))) for N > k.

        N is the count and k the dimension. Source: Welch 1974, with exponent 1. None if N <= k, as it says nothing then, and
        for keys of several lengths.
        """
        if not self.of_one_length or self.count <= self.dimension:
            return None
        return math.sqrt((self.count - self.dimension) / (self.dimension * (self.count - 1)))

    @abstractmethod
    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        """The keys of the addresses."""

    def queries(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        """The queries that ask for the addresses; they equal the keys unless a code says otherwise."""
        return self.keys(addresses)

    def leakage(self, eta: int) -> float:
        """An upper bound, for every p, of the sum over j != p of exp(-eta (score(p, p) - score(p, j))).

        Relative to the weight of address p, all other addresses together weigh at most leakage(eta).
        """
        return (self.count - 1) * math.exp(-eta * self.gap)

    def least_scale(self) -> int:
        """The least whole eta with leakage(eta) < 1/3, at which the address asked for has a weight above 3/4.

        It is found by doubling and bisection, since leakage falls as eta grows.

        >>> from seqsep.maths.codes.codes import OneHot
        >>> OneHot(1000).least_scale()
        9
        """
        enough = 1
        while self.leakage(enough) >= 1 / 3:
            enough *= 2
        too_small = enough // 2
        while enough - too_small > 1:
            middle = (too_small + enough) // 2
            if self.leakage(middle) >= 1 / 3:
                too_small = middle
            else:
                enough = middle
        return enough

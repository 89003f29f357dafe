"""The plan of a network of `two_layers`: N, d', C and gamma, and the numbers eta2 and Kc that follow from them."""

import math
from dataclasses import dataclass
from fractions import Fraction

from seqsep.maths.arithmetic.grid import Grid, least_exponent
from seqsep.maths.arithmetic.integers import digits_of

VARIANTS = ("repaired", "printed")
APART = 6  # points score this many eta2 below what their product gives them


@dataclass(frozen=True)
class NeighborPlan:
    """The parameters of a network: N points with the last one, d' dimensions, C labels, and margins of at least gamma.

    `eta` and `steps`, unless they are None, replace eta2 and L.
    """

    length: int
    dimension: int
    classes: int
    gamma: Fraction
    eta: int | None = None
    steps: int | None = None

    @property
    def digits(self) -> int:
        """The number b of binary digits of a label."""
        return digits_of(self.classes)

    @property
    def second_eta(self) -> int:
        """eta2, the scale of the scores of layer 2."""
        return scale(self.length, self.gamma) if self.eta is None else self.eta

    @property
    def grid(self) -> Grid:
        """The grid with L = n^Kc, unless `steps` are given."""
        return Grid.of(base(self.length), exponent(self.length, self.gamma)) if self.steps is None else Grid(self.steps)


def base(length: int) -> int:
    """Return the number of tokens, n = max(4, 2 N - 1)."""
    return max(4, 2 * length - 1)


def scale(length: int, gamma: Fraction) -> int:
    """Return eta2 = ceil(ln(3 N) / gamma)."""
    return math.ceil(Fraction(math.log(3 * length)) / gamma)


def exponent(length: int, gamma: Fraction) -> int:
    """Return the least Kc >= 2 with 6 eta2 <= n^Kc.

    Let gamma >= n^-c with c >= 1. Then Kc = c + 1 is enough from N = 12 on, since 6 (n^c ln(3/2 (n+1)) + 1) <= n^(c+1) there.
    Kc = c + 2 is always enough. A number has p = bit_length(2 n^(2 Kc)) bits.
    """
    return least_exponent(base(length), APART * scale(length, gamma), least=2)


def least_margin(length: int, gamma: Fraction | float | None) -> Fraction:
    """Return the margin that is required, by default 1/n."""
    return Fraction(1, base(length)) if gamma is None else Fraction(gamma)


def require(
    call: str,
    length: int,
    *,
    dimension: int = 1,
    classes: int,
    alphabet: int = 1,
    gamma: Fraction | float | None,
    variant: str = "repaired",
) -> None:
    """Raise ValueError for an argument out of range."""
    if variant not in VARIANTS:
        raise ValueError(f"{call}(variant={variant!r}): variant is one of {', '.join(VARIANTS)}")
    if length < 2 or min(dimension, classes, alphabet) < 1 or (gamma is not None and not 0 < gamma <= 1):
        raise ValueError(
            f"{call}(length={length}, dimension={dimension}, classes={classes}, alphabet={alphabet}, gamma={gamma}): length is "
            "at least 2; dimension, classes and alphabet are at least 1; 0 < gamma <= 1"
        )

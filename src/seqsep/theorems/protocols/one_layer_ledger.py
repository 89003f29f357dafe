"""Bits of the protocol of Theorem 4, step by step, and what follows for the width of a model; proof in `one_layer_protocol`."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import ceil_log2

Variant = Literal["both-exchange", "one-learns", "one-learns-and-sends"]
Question = Literal["vector", "token"]
VARIANTS: tuple[Variant, ...] = ("both-exchange", "one-learns", "one-learns-and-sends")
QUESTIONS: tuple[Question, ...] = ("vector", "token")


class Needed(NamedTuple):
    """The least m H by the constant in the paper (a fraction) and by the counted one (whole).

    >>> Needed(printed=10.4, counted=7).counted
    7
    """

    printed: float
    counted: int


@dataclass(frozen=True)
class NumberBits:
    """Bits of each kind of number sent, for n = `length` tokens and L steps a unit.

    * number: bit_length(2 L^2) = p, for i + L^2 with |i| <= L^2 (`most_number` is L^2);
    * normaliser: bit_length(n L), for a sum of at most n exponentials of at most L steps each;
    * value_sum: bit_length(2 W L^2), for i + W L^2 with |i| <= W L^2 (`most_value_sum`). W bounds the sum of the weights in
      steps: L if they are rounded down, L + floor(n/2) if to the nearest.

    >>> bits = NumberBits(Grid(4), length=6)
    >>> bits.number, bits.normaliser, bits.value_sum
    (6, 5, 8)
    """

    grid: Grid
    length: int

    @property
    def number(self) -> int:
        """Bits of a number of the grid."""
        return self.grid.precision

    @property
    def normaliser(self) -> int:
        """Bits of a sum of exponentials."""
        return (self.length * self.grid.steps).bit_length()

    @cached_property
    def most_number(self) -> int:
        """L^2, the greatest number of the grid in steps."""
        return self.grid.steps**2

    @cached_property
    def most_value_sum(self) -> int:
        """W L^2, the greatest sum of weights times values, in units of 1/L^2."""
        weights = self.grid.steps + (self.length // 2 if self.grid.rounding == "nearest" else 0)
        return weights * self.grid.steps**2

    @property
    def value_sum(self) -> int:
        """Bits of a sum of weights times values."""
        return (2 * self.most_value_sum).bit_length()


def message_bits(
    *,
    length: int,
    width: int,
    embedding: int,
    heads: int,
    grid: Grid,
    variant: Variant = "both-exchange",
    classes: int = 2,
    vocabulary: int | None = None,
) -> dict[str, int]:
    """Count the bits of each step, and their sum as `total`: N = `length` tokens, m = `width` of a value, d = `embedding`.

    With `vocabulary`, the question is the last token, one of this number; else its embedding. Raises ValueError for an unknown
    variant or numbers below 1.

    >>> message_bits(length=6, width=2, embedding=2, heads=1, grid=Grid(4))
    {'question': 12, 'maxima': 12, 'normalisers': 10, 'value_sums': 32, 'total': 66}
    """
    if variant not in VARIANTS or min(length, width, embedding, heads, classes) < 1:
        raise ValueError(
            f"message_bits(length={length}, width={width}, embedding={embedding}, heads={heads}, variant={variant!r}, "
            f"classes={classes}): numbers are at least 1; variant is one of {', '.join(VARIANTS)}"
        )
    bits = NumberBits(grid, length)
    senders = 2 if variant == "both-exchange" else 1
    steps = {
        "question": embedding * bits.number if vocabulary is None else ceil_log2(vocabulary),
        "maxima": 2 * heads * bits.number,
        "normalisers": 2 * heads * bits.normaliser,
        "value_sums": senders * width * heads * bits.value_sum,
    }
    if variant == "one-learns-and-sends":
        steps["answer"] = ceil_log2(classes)
    return {**steps, "total": sum(steps.values())}


def printed(length: int, width: int, heads: int, precision: int) -> float:
    """Return Theorem 4's total, 3 m (p + log2 N) H bits.

    If Kc >= 2, it is less than the sum of the four steps in the paper. It is also less than `both-exchange` costs (d = m, H =
    1: 1.06 to 1.12 times for m >= 16, Kc = 2). But it holds for `one-learns-and-sends`, after which both know the class. It
    holds there if the token is sent, m >= 2 and S C <= (N/2)^4. It also holds if x_N is sent, m >= 6, d <= m H, N >= 4 and C
    <= 2^27. (At m = 3, N = 9, C = 3, Kc = 2 it does not hold: the bits are 155, and the total in the paper is 154.5.)

    Proof. Write l = log2 N. As 2 log2 L + 1 < p, a normaliser takes at most l + p/2 + 1/2 bits and a value sum at most 3p/2 +
    1/2. So with q bits for the question the steps take at most
        q + H (2 p + 2 l + p + 1 + 3mp/2 + m/2) + log2 C + 1.
    Token: q <= log2 S + 1; 3 p <= 3mp/2 and 2 l + 1 + m/2 + log2 S C + 2 <= 3 m l. Vector: q <= m p H; 3 p <= mp/2 and 2 l + 1
    + m/2 + log2 C + 1 <= 3 m l. For m = 1 it takes about 4.5 p + 2 l bits a head, which is more than 3 (p + l).

    >>> printed(length=16, width=2, heads=1, precision=8)
    72.0
    """
    return 3 * width * (precision + math.log2(length)) * heads


def printed_steps(
    *,
    length: int,
    width: int,
    embedding: int,
    heads: int,
    precision: int,
    variant: Variant = "both-exchange",
    classes: int = 2,
    vocabulary: int | None = None,
) -> float:
    """Return the sum of the steps in appendix D's widths, x_N once: d p + (2 p + 2 (p + log2 N) + 4 m p) H bits.

    In the other variants only one party's value sums are sent, 2 m p H bits. In `one-learns-and-sends` the class is sent after
    them. With `vocabulary` the token is sent in place of d p bits. If numbers are rounded down no variant sends more: a
    normaliser has at most log2 N + log2 L + 1 bits and a value sum 3 log2 L + 2, and p >= 2 log2 L + 1.

    >>> printed_steps(length=16, width=2, embedding=2, heads=1, precision=8)
    120.0
    """
    question = embedding * precision if vocabulary is None else ceil_log2(vocabulary)
    answer = ceil_log2(classes) if variant == "one-learns-and-sends" else 0
    senders = 2 if variant == "both-exchange" else 1
    return question + heads * (4 * precision + 2 * math.log2(length) + 2 * senders * width * precision) + answer


def least_width(
    bits: int,
    length: int,
    grid: Grid,
    heads: int = 1,
    variant: Variant = "one-learns-and-sends",
    classes: int = 2,
    vocabulary: int | None = None,
) -> int:
    """Return the least m whose protocol takes at least `bits` bits: no smaller m computes a function that costs this many.

    By default both parties learn the class, as a fooling set or log-rank needs. Without `vocabulary` the embedding has d <= m
    coordinates, as in the paper's class; with it, d may be anything.

    >>> least_width(bits=1000, length=64, grid=Grid.of(64, 2))
    15
    """

    def total(width: int) -> int:
        return message_bits(
            length=length,
            width=width,
            embedding=width,
            heads=heads,
            grid=grid,
            variant=variant,
            classes=classes,
            vocabulary=vocabulary,
        )["total"]

    return _least(bits, total)


def least_width_heads(
    bits: int, precision: int, length: int, classes: int = 2, vocabulary: int | None = None, grid: Grid | None = None
) -> Needed:
    """Return the least m H that a one-layer model needs for a function that costs `bits` bits, from p and N.

    It holds for any m and H. `printed` is bits / (3 (p + log2 N)), which is proved for m >= 2. `counted` is for all m >= 1. Of
    all m and H with one product, m = 1 takes the most bits: two maxima and two normalisers for each coordinate. So it is the
    least number of such heads. For models of few heads `least_width` gives more. Without `vocabulary`, d <= m H. The grid is
    the finest one of p bits, if none is given.

    >>> least_width_heads(bits=1000, precision=26, length=64)
    Needed(printed=10.416666666666666, counted=7)
    """
    finest = Grid(math.isqrt(((1 << precision) - 1) // 2))

    def total(product: int) -> int:
        return message_bits(
            length=length,
            width=1,
            embedding=product,
            heads=product,
            grid=finest if grid is None else grid,
            variant="one-learns-and-sends",
            classes=classes,
            vocabulary=vocabulary,
        )["total"]

    return Needed(printed=bits / (3 * (precision + math.log2(length))), counted=_least(bits, total))


def first_excluded(last_possible: Callable[[int], int]) -> int:
    """Return the least even N from which N > last_possible(N): from there on no layer of given sizes has enough bits.

    `last_possible` never falls, and grows by one number with each doubling of N, as bits of fixed sizes do. So the last N with
    N <= last_possible(N) is its greatest fixed point, reached from any N above it. N is above it if last_possible(2 N) < N.

    >>> first_excluded(lambda length: 10 * length.bit_length())  # 70 has seven bits, 72 has as many
    72
    """
    length = 4
    while last_possible(2 * length) >= length:
        length *= 2
    while (lower := last_possible(length)) != length:
        length = lower
    return length + 2 - length % 2


def _least(bits: int, total: Callable[[int], int]) -> int:
    """The least number from 1 whose total is at least `bits`; each number adds the same to the total."""
    each = total(2) - total(1)
    return max(1, 1 - (total(1) - bits) // each)

"""The bits that a function costs two parties, and the width times heads of one attention layer that follows.

Let a function cost D bits for some partition of its positions. By Theorem 4 of Bhattamishra et al. 2024 (arXiv:2406.09347)
only layers whose protocol takes at least D bits compute it. The protocol is that of `theorems.protocols.one_layer_protocol`,
with the last token as its question, after which both know the class. It is proved for all m, H >= 1 and any embedding. The
constant in the paper, 3 (p + log2 N) bits for each unit of m H, holds only for m >= 2 and is not used.

Its domain: one layer of softmax attention, stepwise, on a grid of p bits with either rounding, that reads these N tokens and
answers every input right at the last one. The bits are those of the finest grid of p bits.
"""

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

from seqsep.maths.automata.growth import Growth
from seqsep.maths.communication import partition_search, rank_by_counting
from seqsep.maths.communication.partition_search import PartitionBound, SharedFunction
from seqsep.maths.communication.rank_by_counting import RankByCounting
from seqsep.theorems.analysis.function import FEWEST_COUNTED, FunctionAtLength

Communication: TypeAlias = PartitionBound | RankByCounting
LEAST_PRECISION = 4
FARTHEST = 1 << 20
PROTOCOL = "counted protocol, token asked, both learn"


@dataclass(frozen=True)
class Width:
    """A lower bound of the product of width and heads of one layer of attention, at one precision.

    Fields:
        precision: bits of a number.
        least: the lower bound. If it is 1, it excludes no layer, and `at_least` is None.

    >>> Width(precision=8, least=1).at_least is None, Width(precision=8, least=3).at_least
    (True, 3)
    """

    precision: int
    least: int

    @property
    def at_least(self) -> int | None:
        """The bound, if it says something."""
        return self.least if self.least > 1 else None


@dataclass(frozen=True)
class ProtocolSizes:
    """The sizes on which the protocol's bits depend besides p and m H: tokens in all, last tokens, answers.

    >>> ProtocolSizes(tokens=64, last_tokens=2, answers=2).bits_of_one(precision=8)
    52
    >>> ProtocolSizes(tokens=64, last_tokens=2, answers=2).width(bits=129, precision=8).least
    3
    """

    tokens: int
    last_tokens: int
    answers: int

    @classmethod
    def of(cls, instance: FunctionAtLength, answers: int) -> "ProtocolSizes":
        """Return the sizes of a function at one length."""
        return cls(len(instance.symbols), len(instance.symbols[-1]), max(1, answers))

    def width(self, bits: int, precision: int) -> Width:
        """The least width times heads whose protocol takes `bits` bits."""
        from seqsep.theorems.protocols.one_layer_ledger import least_width_heads  # brings torch

        needed = least_width_heads(
            bits, precision, self.tokens, classes=self.answers, vocabulary=self.last_tokens, grid=_finest(precision)
        )
        return Width(precision, needed.counted)

    def bits_of_one(self, precision: int) -> int:
        """Return the bits for m = H = 1: a function that costs no more gives no bound."""
        from seqsep.theorems.protocols.one_layer_ledger import message_bits

        return message_bits(
            length=self.tokens,
            width=1,
            embedding=1,
            heads=1,
            grid=_finest(precision),
            variant="one-learns-and-sends",
            classes=self.answers,
            vocabulary=self.last_tokens,
        )["total"]


def _finest(precision: int) -> Any:
    """The finest grid of p bits. Rounding to the nearest takes no fewer bits than rounding down."""
    from seqsep.maths.arithmetic.grid import Grid

    return Grid(math.isqrt(((1 << precision) - 1) // 2), rounding="nearest")


def communication(instance: FunctionAtLength) -> Communication:
    """The best verified lower bound of D(f): by ranks and fooling sets of matrices, or by counting in automata.

    Matrices for tables and automata (`maths.communication.partition_search`); counting (`maths.communication.rank_by_counting`)
    from 11 to 256 positions for functions without inputs outside their domain, in reading order and, for a formula, for its two
    halves.
    """
    bounds: list[Communication] = [] if instance.halves is None else [instance.halves]
    least = None if instance.least is None else instance.least.automaton
    if instance.table is not None:
        bounds.append(partition_search.best_partition(SharedFunction.of_table(instance.table)))
    elif least is not None:
        bounds.append(partition_search.best_partition(SharedFunction.of_automaton(least)))
    if least is not None and FEWEST_COUNTED <= least.length <= rank_by_counting.MOST_COUNTED:
        counted = rank_by_counting.best_counted(least)
        bounds += [] if counted is None else [counted]
    return max(bounds, key=lambda bound: bound.leaves)


def bound_from(growth: Growth, question: ProtocolSizes, last: tuple[int, int], precision: int) -> int | None:
    """Return the first N beyond the last length at which the fit exceeds the bits of m = H = 1; None if none is below 2^20.

    `last`: the last length, and the tokens of its inputs. An extrapolation is not a proof: it says what follows if the bounds
    continue to grow as they do. N is found by bisection, so it is not exact: the bits of m = H = 1 rise by steps.

    >>> from seqsep.maths.automata.growth import growth
    >>> bound_from(growth([(n, 2 ** (n // 2)) for n in (4, 8, 16)]), ProtocolSizes(16, 2, 2), (16, 16), precision=8)
    109
    """
    if growth.kind == "constant":
        return None
    fit = growth.linear if growth.kind == "linear" else growth.logarithmic

    def exceeds(length: int) -> bool:
        across = length if growth.kind == "linear" else math.log2(length)
        then = ProtocolSizes(length + last[1] - last[0], question.last_tokens, question.answers)
        return fit.intercept + fit.slope * across > then.bits_of_one(precision)

    low = last[0]
    high = low + 1
    while not exceeds(high):
        low = high
        high *= 2
        if high > FARTHEST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if exceeds(middle) else (middle, high)
    return high

"""The ceilings of tasks as functions of items and bits, for any number of items, also beyond the lengths of tasks.

Each form has its ceiling for n items and B bits, rounded up to a float, which falls with n and rises with B; the greatest n for
which 2^B states are enough for everything; and what the ceiling falls to as n grows.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from math import inf, nextafter, perm
from typing import NamedTuple

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks import (
    AssociativeRecall,
    Equality,
    IndexLookup,
    InductionHeads,
    MultiQueryRecall,
    NearestNeighbor,
    SelectiveCopying,
    StateBasedRecall,
    Task,
)
from seqsep.tasks.ceilings.answer_lists import counting_ceiling, large_counting_ceiling, nats_of_distinct
from seqsep.tasks.ceilings.fano import DIGITS
from seqsep.tasks.ceilings.index_lookup import index_lookup_ceiling, length_where_it_bites
from seqsep.tasks.ceilings.random_equality import MOST_SYMBOLS, random_equality_ceiling

MOST_BITS_FORMED = 4096


@dataclass(frozen=True)
class Form(ABC):
    """Items, each one of `symbols` symbols: uniform and independent unless a form says otherwise. All that a state may hold."""

    symbols: int

    @abstractmethod
    def ceiling(self, items: int, state_bits: int) -> float:
        """Return the highest accuracy, as a fraction, rounded up."""

    @abstractmethod
    def limit(self, state_bits: int) -> float:
        """Return the number to which the ceiling falls as items grow."""

    def most_held(self, state_bits: int) -> int | None:
        """Return the most items that a state can hold, so that all is right, exactly; None if every number fits."""
        first = length_where_it_bites(self.symbols, state_bits)
        return None if first is None else first - 1


class OneAnswer(Form):
    """One question about one of the items."""

    def ceiling(self, items: int, state_bits: int) -> float:
        return index_lookup_ceiling(items, self.symbols, state_bits)

    def limit(self, state_bits: int) -> float:
        return index_lookup_ceiling(1, self.symbols, 0)


class AllAnswers(Form):
    """Questions about every item, right only if all are."""

    def ceiling(self, items: int, state_bits: int) -> float:
        if items * ceil_log2(self.symbols) <= MOST_BITS_FORMED:
            return counting_ceiling(self.symbols**items, state_bits)
        held = self.most_held(state_bits)
        if held is None or items <= held:
            return 1.0
        with localcontext(Context(prec=DIGITS + len(str(items)))):
            nats = items * Decimal(self.symbols).ln()
        return large_counting_ceiling(nats, state_bits)

    def limit(self, state_bits: int) -> float:
        return nextafter(0, inf)


class DifferentAnswers(AllAnswers):
    """Questions about every item, all of them different, right only if all are."""

    def ceiling(self, items: int, state_bits: int) -> float:
        if items * ceil_log2(self.symbols) <= MOST_BITS_FORMED:
            return counting_ceiling(perm(self.symbols, items), state_bits)
        return large_counting_ceiling(nats_of_distinct(self.symbols, items), state_bits)


class EqualHalves(Form):
    """Are two lists of items equal? One is uniform, the other with chance 1/2 the same, else uniform too."""

    def ceiling(self, items: int, state_bits: int) -> float:
        return random_equality_ceiling(items, self.symbols, state_bits)

    def limit(self, state_bits: int) -> float:
        return random_equality_ceiling(MOST_SYMBOLS, self.symbols, state_bits)


class SizedForm(NamedTuple):
    """A form, the items of a task's examples, and the greatest length of such a task with n items: a n + b, n >= 1."""

    form: Form
    items: int
    length: tuple[int, int] | None


def form_of(task: Task) -> SizedForm | None:
    """Return a task's form, items and lengths; None for tasks whose ceiling is of another kind, or unknown.

    `length` is None if the items are not given by the length.

    >>> form_of(Equality(length=20))
    SizedForm(form=EqualHalves(symbols=2), items=10, length=(2, 0))
    """
    if isinstance(task, IndexLookup):
        return SizedForm(OneAnswer(task.alphabet), task.length, (1, 0))
    if isinstance(task, AssociativeRecall):
        return SizedForm(OneAnswer(task.values), task.length, (1, 0))
    if isinstance(task, MultiQueryRecall) and task.form == "zoology":
        return SizedForm(DifferentAnswers(task.values), task.pairs, None)
    if isinstance(task, MultiQueryRecall):
        return SizedForm(AllAnswers(task.values), task.pair_count, (2, 1))
    if isinstance(task, NearestNeighbor):
        return SizedForm(AllAnswers(task.classes), task.length // 2, (2, 0))
    if isinstance(task, Equality) and task.variant != "one":
        form = EqualHalves if task.variant == "random" else AllAnswers
        return SizedForm(form(task.symbols), task.length // 2, (2, 0))
    return _form_without_length(task)


def _form_without_length(task: Task) -> SizedForm | None:
    """Return the form of a task whose items are not given by its length.

    Induction heads ask for one uniform symbol. The last permutation of state-based recall leads to a uniform cell.
    """
    if isinstance(task, InductionHeads):
        return SizedForm(AllAnswers(task.alphabet), 1, None)
    if isinstance(task, SelectiveCopying):
        return SizedForm(AllAnswers(task.alphabet), task.items, None)
    if isinstance(task, StateBasedRecall):
        return SizedForm(OneAnswer(task.values), task.cells, None)
    return None

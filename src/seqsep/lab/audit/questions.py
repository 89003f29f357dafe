"""Questions about a prefix: the symbols that a state must carry, and the continuations that ask for them.

A task's input is a prefix, after which the state is what a model has left of it, and a continuation, which ends in a question:

    task                 prefix               values of a prefix   continuations              independent given the keys
    index-lookup         s_1 .. s_N           s_1 .. s_N           each position              s_1 .. s_N
    associative-recall   k_1 v_1 .. k_N v_N   v_1 .. v_N           each key, in order         v_1 .. v_N
    equality, random     a_1 .. a_h           a_1 .. a_h           the separator, b_1 .. b_h  a, as one word

Right answers are those of the task's own examples, or of `task.solve`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product
from math import perm
from typing import TypeAlias

import numpy as np
from jaxtyping import Int64

from seqsep.core.names import BadInput, excerpt
from seqsep.lab.audit.carried import carried_of_limits
from seqsep.tasks import AssociativeRecall, Equality, IndexLookup, Task
from seqsep.tasks.ceilings import least_state_bits

Tokens: TypeAlias = tuple[int, ...]
MOST_DRAWS = 64
"""Draws of a changed prefix until one is valid."""


@dataclass(frozen=True)
class PrefixQuestions:
    """Prefixes, the continuations of each, and the right answers."""

    prefixes: Int64[np.ndarray, "prefixes time"]
    continuations: Int64[np.ndarray, "prefixes questions more"]
    answers: Int64[np.ndarray, "prefixes questions"]

    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return prefixes, continuations and answers."""
        return self.prefixes, self.continuations, self.answers

    def first(self, count: int) -> "PrefixQuestions":
        """Return the questions about the first `count` prefixes."""
        return PrefixQuestions(self.prefixes[:count], self.continuations[:count], self.answers[:count])


class PrefixSource(ABC):
    """Questions about the prefixes of a task: `places` for each prefix, of `prefix_tokens` tokens, with answers of `alphabet`
    values.

    `single` is the task whose examples ask one of these questions each, if there is one: its ceilings hold.
    """

    task: Task
    places: int
    alphabet: int
    prefix_tokens: int
    single: Task | None

    @abstractmethod
    def drawn(self, count: int, seed: int) -> PrefixQuestions:
        """Return the questions about `count` prefixes of the task's evaluation examples under a seed."""

    @abstractmethod
    def carried(self, limits: list[float]) -> float:
        """Return the bits that a state carries at least, if the accuracy at each place is not below these limits."""

    @abstractmethod
    def least_bits(self, accuracy: float) -> int:
        """Return the fewest bits with which some model can have this accuracy."""


class TaskQueries(PrefixSource):
    """A task's questions about a prefix; `places` questions each, and values out of `alphabet`. Searches can change inputs.

    An input has `input_tokens` tokens. If `can_change` is False, a search asks only about prefixes that the task draws.

    >>> lookup = asking(IndexLookup(length=3, alphabet=5))
    >>> list(lookup.inputs_apart((4, 0, 2), (4, 1, 2)))  # position 2 is token 6
    [(4, 0, 2, 6), (4, 1, 2, 6)]
    >>> equality = asking(Equality(length=4))
    >>> list(equality.inputs_apart((0, 1), (1, 1)))
    [(0, 1, 2, 1, 1), (1, 1, 2, 0, 1)]
    """

    input_tokens: int
    can_change: bool = True

    def carried(self, limits: list[float]) -> float:
        return carried_of_limits(self.task, limits)

    def least_bits(self, accuracy: float) -> int:
        return least_state_bits(self.task, accuracy)

    def choices(self, place: int) -> Sequence[int]:
        """Return the values that a place of a prefix can have."""
        return range(self.alphabet)

    def is_valid(self, values: Sequence[int]) -> bool:
        """Tell if a prefix can have these values, each of which is among the choices of its place."""
        return True

    def is_prefix(self, prefix: Tokens) -> bool:
        """Tell if these tokens are a prefix of the task."""
        return len(prefix) == self.prefix_tokens

    @abstractmethod
    def values(self, prefix: Tokens) -> Tokens:
        """Return the values of a prefix."""

    @abstractmethod
    def with_values(self, prefix: Tokens, values: Tokens) -> Tokens:
        """Return the prefix with these values."""

    @abstractmethod
    def inputs_apart(self, first: Tokens, second: Tokens) -> Iterator[Tokens]:
        """Yield inputs in pairs, one after the first prefix and one after the second, whose continuation distinguishes the
        two.
        """

    @abstractmethod
    def continuations_apart(self, first: Tokens, second: Tokens) -> Iterator[Tokens]:
        """Yield continuations whose answers after the two prefixes differ."""

    @abstractmethod
    def inputs_about(self, prefix: Tokens) -> Iterator[Tokens]:
        """Yield inputs after one prefix: all questions, or all second halves at distance 0, 1 and 2, one by one."""

    @abstractmethod
    def inputs(self) -> int | None:
        """Return the number of all inputs, which are prefixes with their continuations; None if it is not known."""

    @abstractmethod
    def every_prefix(self) -> Iterator[Tokens]:
        """Yield every prefix, one by one."""

    @abstractmethod
    def continuations(self, prefix: Tokens) -> Iterator[Tokens]:
        """Yield every continuation of a prefix, one by one."""

    def every_input(self) -> Iterator[Tokens]:
        """Yield every input, one by one, prefix by prefix."""
        return (prefix + asked for prefix in self.every_prefix() for asked in self.continuations(prefix))

    @abstractmethod
    def moved(self, given: Tokens, random: np.random.Generator) -> Tokens:
        """Return the input with one value changed or with another question. In equality, one value of each half or the same in
        both changes.
        """

    @abstractmethod
    def simpler(self, given: Tokens) -> list[Tokens]:
        """Return inputs with one thing less in them than `size` counts."""

    @abstractmethod
    def size(self, given: Tokens) -> Tokens:
        """Return the size of an input, for the search for a least one: places that are not 0, then those that differ."""

    def edits(self, prefix: Tokens, distance: int) -> Iterator[Tokens]:
        """Yield the prefixes that differ from this one in the values of exactly `distance` places, one by one: there may be
        very many.
        """
        values = self.values(prefix)
        for places in combinations(range(len(values)), distance):
            others = ([value for value in self.choices(place) if value != values[place]] for place in places)
            for chosen in product(*others):
                changed = list(values)
                for place, value in zip(places, chosen, strict=True):
                    changed[place] = value
                if self.is_valid(changed):
                    yield self.with_values(prefix, tuple(changed))

    def edited(self, prefix: Tokens, distance: int, random: np.random.Generator) -> Tokens | None:
        """Return one of these prefixes, drawn uniformly; None if none is found in `MOST_DRAWS` draws."""
        values = self.values(prefix)
        places = [place for place in range(len(values)) if len(self.choices(place)) > 1]
        for _ in range(MOST_DRAWS if len(places) >= distance else 0):
            changed = list(values)
            for drawn in random.choice(len(places), size=distance, replace=False).tolist():
                place = places[drawn]
                choices = self.choices(place)
                moved = choices.index(values[place]) + int(random.integers(1, len(choices)))
                changed[place] = choices[moved % len(choices)]
            if self.is_valid(changed):
                return self.with_values(prefix, tuple(changed))
        return None

    def swaps(self, prefix: Tokens) -> list[Tokens]:
        """Return the prefixes with the values of two neighbours exchanged, if they differ."""
        values = self.values(prefix)
        exchanged = [
            (*values[:place], values[place + 1], values[place], *values[place + 2 :])
            for place in range(len(values) - 1)
            if values[place] != values[place + 1]
        ]
        return [self.with_values(prefix, one) for one in exchanged if self.is_valid(one)]


class LookupQueries(TaskQueries):
    """One question for each value: a token that names its place, which is a key in recall.

    Value 0 is the token `offset`. The keys are tokens of `keys`, in any order if `in_any_order`.
    """

    is_recall: bool
    offset: int
    keys: range
    in_any_order: bool

    def __init__(self, task: IndexLookup | AssociativeRecall) -> None:
        self.task = self.single = task
        self.places = task.length
        self.is_recall = isinstance(task, AssociativeRecall)
        self.alphabet = task.values if isinstance(task, AssociativeRecall) else task.alphabet
        self.offset = task.key_count if isinstance(task, AssociativeRecall) else 0
        self.keys = range(self.offset)
        self.in_any_order = isinstance(task, AssociativeRecall) and task.order == "any"
        self.prefix_tokens = task.longest - 1
        self.input_tokens = task.longest

    def drawn(self, count: int, seed: int) -> PrefixQuestions:
        prefixes = self.task.sample(0, count, seed, evaluate=True).inputs[:, : self.prefix_tokens]
        if self.is_recall:
            return PrefixQuestions(prefixes, prefixes[:, ::2, None], prefixes[:, 1::2] - self.offset)
        asked = np.broadcast_to(np.arange(self.places)[:, None] + self.alphabet, (count, self.places, 1))
        return PrefixQuestions(prefixes, asked.astype(np.int64), prefixes)

    def values(self, prefix: Tokens) -> Tokens:
        return tuple(token - self.offset for token in prefix[1::2]) if self.is_recall else prefix

    def with_values(self, prefix: Tokens, values: Tokens) -> Tokens:
        if not self.is_recall:
            return values
        pairs = zip(prefix[::2], values, strict=True)
        return tuple(token for key, value in pairs for token in (key, value + self.offset))

    def _questions(self, prefix: Tokens) -> Sequence[int]:
        """Return the tokens that query each value, in their order."""
        return prefix[::2] if self.is_recall else range(self.alphabet, self.alphabet + self.places)

    def continuations_apart(self, first: Tokens, second: Tokens) -> Iterator[Tokens]:
        behind = dict(zip(self._questions(second), self.values(second), strict=True))
        for asked, value in zip(self._questions(first), self.values(first), strict=True):
            if behind.get(asked, value) != value:
                yield (asked,)

    def inputs_apart(self, first: Tokens, second: Tokens) -> Iterator[Tokens]:
        return (prefix + asked for asked in self.continuations_apart(first, second) for prefix in (first, second))

    def inputs_about(self, prefix: Tokens) -> Iterator[Tokens]:
        return ((*prefix, asked) for asked in self._questions(prefix))

    def inputs(self) -> int | None:
        orders = perm(len(self.keys), self.places) if self.in_any_order else 1
        return orders * self.value_lists() * self.places

    def value_lists(self) -> int:
        """Return the number of lists of values that a prefix can have."""
        return int(self.alphabet**self.places)

    def every_values(self) -> Iterator[Tokens]:
        """Yield every list of values that a prefix can have."""
        return product(range(self.alphabet), repeat=self.places)

    def every_prefix(self) -> Iterator[Tokens]:
        orders = permutations(self.keys, self.places) if self.in_any_order else iter([tuple(range(self.places))])
        for keys in orders:
            like = tuple(token for key in keys for token in (key, self.offset)) if self.is_recall else keys
            for values in self.every_values():
                yield self.with_values(like, values)

    def continuations(self, prefix: Tokens) -> Iterator[Tokens]:
        return ((asked,) for asked in self._questions(prefix))

    def moved(self, given: Tokens, random: np.random.Generator) -> Tokens:
        prefix = given[:-1]
        changed = self.edited(prefix, 1, random) if random.random() < 0.5 else None
        asked = self._questions(prefix)[int(random.integers(self.places))] if changed is None else given[-1]
        return (*(prefix if changed is None else changed), asked)

    def simpler(self, given: Tokens) -> list[Tokens]:
        prefix = given[:-1]
        values = self.values(prefix)
        places = [place for place in range(self.places) if values[place]]
        zeroed = [(*values[:place], 0, *values[place + 1 :]) for place in places]
        return [(*self.with_values(prefix, changed), given[-1]) for changed in zeroed]

    def size(self, given: Tokens) -> Tokens:
        return (sum(value != 0 for value in self.values(given[:-1])),)


class _Halves(TaskQueries):
    """A question is a second half."""

    def __init__(self, task: Equality) -> None:
        self.task = self.single = task
        self.half = task.length // 2
        self.places = 1
        self.alphabet = task.symbols
        self.prefix_tokens = self.half
        self.input_tokens = task.longest

    def drawn(self, count: int, seed: int) -> PrefixQuestions:
        batch = self.task.sample(0, count, seed, evaluate=True)
        halves = batch.inputs[:, self.half :][:, None]
        return PrefixQuestions(batch.inputs[:, : self.half], halves, batch.targets[:, -1:])

    def values(self, prefix: Tokens) -> Tokens:
        return prefix

    def with_values(self, prefix: Tokens, values: Tokens) -> Tokens:
        return values

    def _input(self, first: Tokens, second: Tokens) -> Tokens:
        return (*first, self.alphabet, *second)

    def continuations_apart(self, first: Tokens, second: Tokens) -> Iterator[Tokens]:
        if first != second:
            yield from ((self.alphabet, *half) for half in (first, second))

    def inputs_apart(self, first: Tokens, second: Tokens) -> Iterator[Tokens]:
        if first != second:
            yield self._input(first, second)
            yield self._input(second, first)

    def inputs_about(self, prefix: Tokens) -> Iterator[Tokens]:
        halves = chain([prefix], self.edits(prefix, 1), self.edits(prefix, 2))
        return (self._input(prefix, half) for half in halves)

    def inputs(self) -> int | None:
        return int(self.alphabet ** (2 * self.half))

    def every_prefix(self) -> Iterator[Tokens]:
        return product(range(self.alphabet), repeat=self.half)

    def continuations(self, prefix: Tokens) -> Iterator[Tokens]:
        return ((self.alphabet, *half) for half in product(range(self.alphabet), repeat=self.half))

    def moved(self, given: Tokens, random: np.random.Generator) -> Tokens:
        halves = [list(given[: self.half]), list(given[self.half + 1 :])]
        place = int(random.integers(self.half))
        symbol = int(random.integers(self.alphabet))
        which = int(random.integers(3))
        for half in halves if which == 2 else halves[which : which + 1]:
            half[place] = symbol
        return self._input(tuple(halves[0]), tuple(halves[1]))

    def simpler(self, given: Tokens) -> list[Tokens]:
        first = given[: self.half]
        second = given[self.half + 1 :]
        places = range(self.half)
        closer = [
            (first, (*second[:place], first[place], *second[place + 1 :])) for place in places if first[place] != second[place]
        ]
        zeroed = [
            ((*first[:place], 0, *first[place + 1 :]), (*second[:place], 0, *second[place + 1 :]))
            for place in places
            if first[place] == second[place] != 0
        ]
        return [self._input(*halves) for halves in (*closer, *zeroed)]

    def size(self, given: Tokens) -> Tokens:
        first = given[: self.half]
        second = given[self.half + 1 :]
        pairs = list(zip(first, second, strict=True))
        return sum(pair != (0, 0) for pair in pairs), sum(one != other for one, other in pairs)


def asking(task: Task) -> TaskQueries:
    """Return the questions of a task, with ways to change an input. Raises BadInput for a task other than the three above.

    `searched` also takes multi-query recall and your own task.

    >>> asking(IndexLookup(length=20)).places
    20
    """
    if isinstance(task, IndexLookup | AssociativeRecall):
        return LookupQueries(task)
    if isinstance(task, Equality) and task.variant == "random":
        return _Halves(task)
    known = "index-lookup, associative-recall or equality (random), multi-query-recall, or your own task with questions()"
    raise BadInput(f"audit: expected a model of {known}, found {excerpt(repr(task))}")

"""Questions about a prefix of multi-query recall, and of your own task that says what it asks.

Multi-query recall. The prefix are the pairs, and each key is a question by itself: the first query of an example. In the form
paper, the values are independent, and the questions are those of associative recall with keys in any order. In the form
zoology, the values of an example differ.

Your own task. A class may have the method `questions(start, count, seed) -> prefixes, continuations, answers`, three arrays of
int64 of the shapes (count, time), (count, questions, more) and (count, questions). Prefix i depends on start + i and the seed
only. An input is a prefix followed by one of its continuations, and the answer is a class. If the answers of a prefix are
independent, and each is uniform among A values, the class may say so with the attribute `independent_answers = A`. Otherwise
the accuracy proves no bits.

A search for failures needs right answers for other inputs too: the task's method `solve`. If `alphabets(length)` has as many
ranges as an input has tokens, the search changes tokens within them. Otherwise it asks only about prefixes that are drawn.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, permutations, product
from math import ceil, lgamma, log, perm, prod

import numpy as np

from seqsep.core.names import BadInput
from seqsep.lab.audit.questions import LookupQueries, PrefixQuestions, PrefixSource, TaskQueries, Tokens, asking
from seqsep.models.plugins.load import PlugInFails
from seqsep.models.plugins.task import UserTask
from seqsep.tasks import AssociativeRecall, MultiQueryRecall, Task
from seqsep.tasks.ceilings import carried_bits_by_place

MOST_CONTINUATIONS = 256
"""Continuations that a search tries after prefixes of your own task."""
ASKED_FIRST = 64
"""Prefixes of your own task that are drawn to collect its continuations."""


class RecallQuestions(LookupQueries):
    """The questions of multi-query recall, one for each pair.

    >>> how = RecallQuestions(MultiQueryRecall.zoology(16, 2, vocab_size=16))
    >>> asked = how.drawn(3, seed=0)
    >>> asked.prefixes.shape, asked.continuations.shape
    ((3, 4), (3, 2, 1))
    """

    def __init__(self, task: MultiQueryRecall) -> None:
        self.task = task
        self.places = task.pair_count
        self.prefix_tokens = 2 * task.pair_count
        self.input_tokens = self.prefix_tokens + 1
        self.alphabet = task.values
        self.is_recall = True
        self.offset = task.first_value
        self.keys = range(task.first_key, task.first_value)
        self.in_any_order = True
        self.values_differ = task.form == "zoology"
        self.answers_from = 0 if self.values_differ else task.first_value
        self.single = None
        if task.form == "paper":
            self.single = AssociativeRecall(task.pair_count, keys=task.first_value, values=task.values, least_length=1)

    def drawn(self, count: int, seed: int) -> PrefixQuestions:
        prefixes = self.task.sample(0, count, seed, evaluate=True).inputs[:, : self.prefix_tokens]
        return PrefixQuestions(prefixes, prefixes[:, ::2, None], prefixes[:, 1::2] - self.answers_from)

    def carried(self, limits: list[float]) -> float:
        """Return the bits about the values: if these differ, their entropy is below that of independent ones by the missing
        bits, and so is the result.
        """
        return max(0.0, carried_bits_by_place(self.alphabet, limits) - self._missing())

    def least_bits(self, accuracy: float) -> int:
        return ceil(self.carried([accuracy] * self.places) - 1e-6)

    def _missing(self) -> float:
        """Return n log2 S - log2 (S! / (S - n)!) in the form zoology, in which the n values of S differ."""
        if self.single is not None:
            return 0.0
        orders = lgamma(self.alphabet + 1) - lgamma(self.alphabet - self.places + 1)
        return (self.places * log(self.alphabet) - orders) / log(2)

    def is_valid(self, values: Sequence[int]) -> bool:
        return not self.values_differ or len(set(values)) == len(values)

    def is_prefix(self, prefix: Tokens) -> bool:
        keys = prefix[::2]
        values = self.values(prefix)
        known = set(keys) <= set(self.keys) and set(values) <= set(range(self.alphabet))
        return super().is_prefix(prefix) and known and len(set(keys)) == len(keys) and self.is_valid(values)

    def edited(self, prefix: Tokens, distance: int, random: np.random.Generator) -> Tokens | None:
        """Return a changed prefix, or None; if values differ and none is unused, one of them cannot change."""
        is_fixed = self.values_differ and self.alphabet == self.places and distance == 1
        return None if is_fixed else super().edited(prefix, distance, random)

    def value_lists(self) -> int:
        return perm(self.alphabet, self.places) if self.values_differ else super().value_lists()

    def every_values(self) -> Iterator[Tokens]:
        return permutations(range(self.alphabet), self.places) if self.values_differ else super().every_values()

    def simpler(self, given: Tokens) -> list[Tokens]:
        """Return the inputs with one value 0; if values differ, with one value replaced by the least unused one."""
        if not self.values_differ:
            return super().simpler(given)
        values = self.values(given[:-1])
        least = next((value for value in range(self.alphabet) if value not in values), self.alphabet)
        smaller = [(*values[:at], least, *values[at + 1 :]) for at, value in enumerate(values) if value > least]
        return [(*self.with_values(given[:-1], one), given[-1]) for one in smaller]

    def size(self, given: Tokens) -> Tokens:
        return (sum(self.values(given[:-1])),) if self.values_differ else super().size(given)


class OwnQuestions(PrefixSource):
    """The questions of a user's own task. Raises BadInput if the task says none, PlugInFails if they are not such arrays."""

    def __init__(self, task: UserTask) -> None:
        own = getattr(task.task, "questions", None)
        if not callable(own):
            raise BadInput(f"audit: {task.name}: expected a method questions(start, count, seed), found none")
        self.task = task
        self.own = own
        first = self.drawn(1, seed=0)
        self.places = first.answers.shape[1]
        self.prefix_tokens = first.prefixes.shape[1]
        values = getattr(task.task, "independent_answers", None)
        if values is not None and (not isinstance(values, int) or not 1 <= values <= task.classes):
            raise PlugInFails(f"{task.name}: independent_answers: expected 1 to {task.classes}, found {values!r:.60}")
        self.alphabet = values or task.classes
        self.is_independent = values is not None
        self.single = None

    def drawn(self, count: int, seed: int) -> PrefixQuestions:
        found = self.own(0, count, seed)
        arrays = found if isinstance(found, tuple) and all(isinstance(part, np.ndarray) for part in found) else ()
        axes = [part.ndim for part in arrays]
        if axes != [2, 3, 2] or any(part.dtype != np.int64 or len(part) != count for part in arrays):
            raise PlugInFails(
                f"{self.task.name}: questions: expected three int64 arrays of 2, 3 and 2 axes for {count} prefixes, "
                f"found {[(str(part.dtype), part.shape) for part in arrays] or type(found).__name__}"
            )
        questions = PrefixQuestions(*arrays)
        if questions.continuations.shape[1] != questions.answers.shape[1] or not questions.answers.size:
            raise PlugInFails(f"{self.task.name}: questions: expected an answer for each continuation")
        return questions

    def carried(self, limits: list[float]) -> float:
        return carried_bits_by_place(self.alphabet, limits) if self.is_independent else 0.0

    def least_bits(self, accuracy: float) -> int:
        return ceil(self.carried([accuracy] * self.places) - 1e-6)


class OwnQueries(OwnQuestions, TaskQueries):
    """The questions of a user's own task, for a search for failures.

    Raises BadInput if the task has no `solve`. Raises PlugInFails if its answers are others than those of `questions`, or if
    the tokens of `questions` are not in `alphabets`.
    """

    def __init__(self, task: UserTask) -> None:
        self.after: dict[Tokens, list[Tokens]] = {}  # the continuations of each prefix that was drawn
        super().__init__(task)
        if not task.solves:
            raise BadInput(f"worst_case: {task.name}: expected a method solve(tokens), which gives right answers, found none")
        first = self.drawn(ASKED_FIRST, seed=0)
        self.input_tokens = self.prefix_tokens + first.continuations.shape[2]
        declared = task.alphabets(task.length) if task.declares_alphabets else ()
        self.alphabets = declared if len(declared) == self.input_tokens else ()
        self.can_change = bool(self.alphabets)
        ends = self.alphabets[self.prefix_tokens :]
        drawn = (tuple(one) for of_prefix in first.continuations.tolist() for one in of_prefix)
        every = product(*ends) if ends and prod(map(len, ends)) <= MOST_CONTINUATIONS else dict.fromkeys(drawn)
        self.asked = list(islice(every, MOST_CONTINUATIONS))
        self._require_answers(first)

    def _require_answers(self, first: PrefixQuestions) -> None:
        """Raise PlugInFails unless `solve` and `alphabets` fit the questions."""
        for prefix, continuations, answers in zip(*(part.tolist() for part in first.parts()), strict=True):
            for continuation, answer in zip(continuations, answers, strict=True):
                given = (*prefix, *continuation)
                solved = self.task.solve(given)
                if solved != answer:
                    found = f"expected the answer {solved} of solve after {given}, found {answer}"
                    raise PlugInFails(f"{self.task.name}: questions: {found}")
                if self.alphabets and not all(map(range.__contains__, self.alphabets, given)):
                    raise PlugInFails(f"{self.task.name}: questions: expected tokens of alphabets, found {given}")

    def drawn(self, count: int, seed: int) -> PrefixQuestions:
        questions = super().drawn(count, seed)
        for prefix, continuations in zip(questions.prefixes.tolist(), questions.continuations.tolist(), strict=True):
            self.after[tuple(prefix)] = list(map(tuple, continuations))
        return questions

    def values(self, prefix: Tokens) -> Tokens:
        return prefix

    def with_values(self, prefix: Tokens, values: Tokens) -> Tokens:
        return values

    def choices(self, place: int) -> Sequence[int]:
        return self.alphabets[place] if self.alphabets else ()

    def is_valid(self, values: Sequence[int]) -> bool:
        return self.can_change and all(map(range.__contains__, self.alphabets, values))

    def is_prefix(self, prefix: Tokens) -> bool:
        return super().is_prefix(prefix) and (self.is_valid(prefix) or not self.can_change)

    def _shared(self, first: Tokens, second: Tokens) -> Sequence[Tokens]:
        """Return the continuations that both prefixes may have."""
        if self.can_change:
            return self.asked
        return [one for one in self.after.get(first, ()) if one in self.after.get(second, ())]

    def continuations_apart(self, first: Tokens, second: Tokens) -> Iterator[Tokens]:
        solve = self.task.solve
        return (one for one in self._shared(first, second) if solve(first + one) != solve(second + one))

    def inputs_apart(self, first: Tokens, second: Tokens) -> Iterator[Tokens]:
        return (prefix + one for one in self.continuations_apart(first, second) for prefix in (first, second))

    def inputs_about(self, prefix: Tokens) -> Iterator[Tokens]:
        return (prefix + one for one in (self.asked if self.can_change else self.after.get(prefix, ())))

    def inputs(self) -> int | None:
        return prod(map(len, self.alphabets)) if self.alphabets else None

    def every_prefix(self) -> Iterator[Tokens]:
        return product(*self.alphabets[: self.prefix_tokens])

    def continuations(self, prefix: Tokens) -> Iterator[Tokens]:
        return product(*self.alphabets[self.prefix_tokens :])

    def moved(self, given: Tokens, random: np.random.Generator) -> Tokens:
        prefix = given[: self.prefix_tokens]
        changed = self.edited(prefix, 1, random) if random.random() < 0.5 else None
        another = self.asked[int(random.integers(len(self.asked)))]
        return prefix + another if changed is None else changed + given[self.prefix_tokens :]

    def simpler(self, given: Tokens) -> list[Tokens]:
        """Return the inputs in which one more token is the first of its alphabet."""
        firsts = [alphabet[0] for alphabet in self.alphabets]
        return [(*given[:at], first, *given[at + 1 :]) for at, first in enumerate(firsts) if given[at] != first]

    def size(self, given: Tokens) -> Tokens:
        return (sum(token != alphabet[0] for token, alphabet in zip(given, self.alphabets, strict=False)),)


def searched(task: Task) -> TaskQueries:
    """Return the questions of a task for a search for failures. Raises BadInput as `asking` and `OwnQueries` do.

    >>> searched(MultiQueryRecall(length=4, values=3)).inputs()
    36
    """
    if isinstance(task, MultiQueryRecall):
        return RecallQuestions(task)
    return OwnQueries(task) if isinstance(task, UserTask) else asking(task)


def audited(task: Task) -> PrefixSource:
    """Return the questions of a task for an audit. Raises BadInput for a task that cannot be audited, as `asking` does.

    >>> from seqsep.tasks import IndexLookup
    >>> [audited(task).places for task in (IndexLookup(length=20), MultiQueryRecall(length=8))]
    [20, 4]
    """
    if isinstance(task, MultiQueryRecall):
        return RecallQuestions(task)
    return OwnQuestions(task) if isinstance(task, UserTask) else asking(task)

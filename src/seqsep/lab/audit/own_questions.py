"""Questions about a prefix of multi-query recall, and of your own task that says what it asks.

Multi-query recall. The prefix are the pairs, and each key is a question by itself: the first query of an example. In the form
paper, the values are independent, and the questions are those of associative recall with keys in any order. In the form
zoology, the values of an example differ.

Your own task. A class may have the method `questions(start, count, seed) -> prefixes, continuations, answers`, three arrays of
int64 of the shapes (count, time), (count, questions, more) and (count, questions). Prefix i depends on start + i and the seed
only. An input is a prefix followed by one of its continuations, and the answer is a class. If the answers of a prefix are
independent, and each is uniform among A values, the class may say so with the attribute `independent_answers = A`. Otherwise
the accuracy proves no bits.
"""

from math import ceil, lgamma, log

import numpy as np

from seqsep.core.names import BadInput
from seqsep.lab.audit.questions import PrefixQuestions, PrefixSource, asking
from seqsep.models.plugins.load import PlugInFails
from seqsep.models.plugins.task import UserTask
from seqsep.tasks import AssociativeRecall, MultiQueryRecall, Task
from seqsep.tasks.ceilings import carried_bits_by_place


class RecallQuestions(PrefixSource):
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
        self.alphabet = task.values
        self.answers_from = 0 if task.form == "zoology" else task.first_value
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


def audited(task: Task) -> PrefixSource:
    """Return the questions of a task for an audit. Raises BadInput for a task that cannot be audited, as `asking` does.

    >>> from seqsep.tasks import IndexLookup
    >>> [audited(task).places for task in (IndexLookup(length=20), MultiQueryRecall(length=8))]
    [20, 4]
    """
    if isinstance(task, MultiQueryRecall):
        return RecallQuestions(task)
    return OwnQuestions(task) if isinstance(task, UserTask) else asking(task)

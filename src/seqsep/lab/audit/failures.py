"""Results of a search for wrong answers: single ones, shares by attack, and all of them as a table."""

from dataclasses import asdict, dataclass
from typing import Any

from seqsep.core.tables import Tabular
from seqsep.lab.audit.questions import Tokens
from seqsep.tasks import MultiQueryRecall, Task
from seqsep.theorems.protocols.collision import Collision

INPUTS = {
    "closest": "prefixes whose states are closest",
    "swaps": "two unequal neighbours exchanged",
    "edits-1": "one value changed",
    "edits-2": "two values changed",
    "climb": "changed to lower the margin",
    "drawn": "as the task draws them",
    "all": "every one",
}
"""The inputs of each attack, in few enough characters for a table."""


@dataclass(frozen=True)
class Wrong:
    """An input that is answered wrong, with the right answer by `task.solve`, and the margin of the right one."""

    inputs: Tokens
    answer: int
    expected: int
    margin: float


@dataclass(frozen=True)
class Attacked:
    """The result of an attack: questions asked, wrong answers, and the number of the question that first got one, from 1.

    `interval`: Clopper and Pearson's limits of the share wrong, for attacks whose inputs are independent; else None.
    """

    attack: str
    questions: int
    wrong: int
    first_wrong: int | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, repr=False)
class WorstCase(Tabular):
    """The result of a search for failures; it prints as the table of the attacks.

    Fields:
        task: the task of the questions.
        questions: number of all questions, including those of the search for the smallest counterexample.
        confidence: confidence of all intervals together.
        attacks: wrong answers by attack.
        worst_prefix: some prefixes with a wrong answer are asked further questions; this one has the greatest share of wrong
            answers.
        worst_prefix_questions: questions about this prefix.
        worst_prefix_wrong: wrong answers among them.
        least: the smallest counterexample.
        collision: two prefixes with bit-equal states, which prove an error.
        inputs: number of all inputs, if all of them were tested.

    >>> from seqsep.lab.audit.worst import worst_case
    >>> from seqsep.models.model import Model
    >>> from seqsep.tasks import IndexLookup
    >>> model = Model.build(vocabulary=6, classes=4, longest=3, layers=("lstm",), width=4)
    >>> found = worst_case(model, IndexLookup(length=2, alphabet=4), questions=60)
    >>> found.inputs, [one.attack for one in found.attacks]
    (32, ['all'])
    """

    task: Task
    questions: int
    confidence: float
    attacks: tuple[Attacked, ...]
    worst_prefix: Tokens | None
    worst_prefix_questions: int
    worst_prefix_wrong: int
    least: Wrong | None
    collision: Collision | None
    inputs: int | None = None

    def title(self) -> str:
        """Return the least counterexample, the worst prefix, and the collision if there is one."""
        found = " found"
        lines = []
        if self.inputs is not None:
            found = ""
            wrong = sum(one.wrong for one in self.attacks)
            answered = f"{wrong:,} {'is' if wrong == 1 else 'are'} answered wrong" if wrong else "each is answered right"
            lines.append(f"all inputs were tested, {self.inputs:,}: {answered}")
        elif self.least is None:
            return f"{self.questions:,} questions, no wrong answer found; this proves nothing about the others"
        if self.least is not None:
            lines.append(f"least counterexample{found}: {self.least_in_words()}")
        if self.worst_prefix is not None:
            asked = f"{self.worst_prefix_wrong} of {self.worst_prefix_questions} questions"
            lines.append(f"worst prefix{found}: {' '.join(map(str, self.worst_prefix))}, wrong on {asked} about it")
        if self.collision is not None:
            one, other = (" ".join(map(str, prefix)) for prefix in self.collision.prefixes)
            lines.append(f"one state, bit for bit, after {one} and after {other}: no model with it answers both right")
        return "\n".join(lines)

    def least_in_words(self) -> str:
        """Return the least counterexample in the task's format, and the model's answer; empty if there is none."""
        if self.least is None:
            return ""
        shown = self.task.readable(self.least.inputs, self.least.expected).items()
        words = (f"{name} {' '.join(map(str, part)) if isinstance(part, list | tuple) else part}" for name, part in shown)
        if isinstance(self.task, MultiQueryRecall) and self.task.form == "zoology":  # its classes are tokens
            return f"{', '.join(words)}; token {self.least.expected} is right, the model answers token {self.least.answer}"
        return f"{', '.join(words)}; the model answers {self.least.answer}"

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each attack."""
        return [
            {
                "attack": one.attack,
                "inputs": INPUTS[one.attack],
                "questions": one.questions,
                "wrong": one.wrong,
                "share": one.wrong / one.questions if one.questions else None,
                "interval": self._interval(one),
                "first wrong": one.first_wrong,
            }
            for one in self.attacks
        ]

    def _interval(self, one: Attacked) -> str:
        if one.interval is not None:
            return f"{one.interval[0]:.2%} to {one.interval[1]:.2%}"
        if not one.questions:
            return "-"
        return "chosen" if self.inputs is None else "exact"

    def __repr__(self) -> str:
        return self.table()

    def record(self) -> dict[str, Any]:
        """Return the findings as plain values, for JSON."""
        collision = None if self.collision is None else self.collision.record()
        return asdict(self) | {"task": self.task.configuration(), "collision": collision}

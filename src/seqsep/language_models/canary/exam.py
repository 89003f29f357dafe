"""Put the prompts of the scenarios to an engine, and count the wrong answers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from seqsep.core.tables import Tabular
from seqsep.language_models.canary.scenarios import CanaryPrompt
from seqsep.theorems.canary.vocabulary import WORDS


class Asked(Protocol):
    """An engine that completes prompts."""

    def complete(self, prompts: Sequence[Sequence[int]], count: int) -> list[list[int]]:
        """Return `count` tokens for each of the prompts, which are sent together."""

    def not_exercised(self, scenario: str) -> str | None:
        """Return why the prompts so far did not exercise a scenario, or None if they did."""


@dataclass(frozen=True)
class WrongAnswer:
    """A prompt with a wrong token: the place of the first one, from 0, and what came instead."""

    prompt: CanaryPrompt
    place: int
    found: int | None

    def line(self) -> str:
        """Return the wrong token in a sentence.

        >>> WrongAnswer(CanaryPrompt("one", 0, (1, 13, 9, 37), (7,)), 0, 6).line()
        'answer 1 to a prompt of 4 tokens: expected a1, found a0'
        """
        expected = WORDS[self.prompt.answers[self.place]]
        known = self.found is not None and 0 <= self.found < len(WORDS)
        found = WORDS[self.found] if known else "no token" if self.found is None else f"token {self.found}"
        return f"answer {self.place + 1} to a prompt of {len(self.prompt.prompt)} tokens: expected {expected}, found {found}"


@dataclass(frozen=True)
class ScenarioVerdict:
    """What came out of one scenario.

    Fields:
        scenario: its name.
        prompts: number of prompts.
        answers: number of answers, a token each.
        wrong: the prompts with a wrong answer.
        not_exercised: why it says nothing, or None.
    """

    scenario: str
    prompts: int
    answers: int
    wrong: tuple[WrongAnswer, ...]
    not_exercised: str | None = None

    @property
    def holds(self) -> bool | None:
        """Return True if all answers are right, False if one is wrong, and None if the scenario did not happen."""
        return False if self.wrong else None if self.not_exercised else True


class CanaryReport(list[ScenarioVerdict], Tabular):
    """The verdicts of all scenarios, in a list that prints as a table."""

    def records(self) -> list[dict[str, object]]:
        """Return a row for each scenario."""
        return [
            {
                "scenario": verdict.scenario,
                "prompts": verdict.prompts,
                "answers": verdict.answers,
                "wrong prompts": len(verdict.wrong),
                "verdict": verdict.not_exercised or ("right" if verdict.holds else "WRONG") if not verdict.wrong else "WRONG",
            }
            for verdict in self
        ]

    def __repr__(self) -> str:
        return self.table()


def examine(engine: Asked, prompts: Iterable[CanaryPrompt]) -> CanaryReport:
    """Ask an engine and compare every token.

    Arguments:
        engine: the engine, which holds the canary's weights.
        prompts: prompts of `scenarios.prompts`, in their order.

    Returns a verdict for each scenario.
    """
    report = CanaryReport()
    for scenario, group in groupby(prompts, key=lambda prompt: prompt.scenario):
        asked = list(group)
        wrong: list[WrongAnswer] = []
        for _, together in groupby(asked, key=lambda prompt: prompt.batch):
            batch = list(together)
            count = max(len(prompt.answers) for prompt in batch)
            found = engine.complete([prompt.prompt for prompt in batch], count)
            pairs = zip(batch, found, strict=True)
            wrong += [verdict for prompt, answers in pairs if (verdict := _first_wrong(prompt, answers)) is not None]
        answers = sum(len(prompt.answers) for prompt in asked)
        missing = engine.not_exercised(scenario)
        report.append(ScenarioVerdict(scenario, len(asked), answers, tuple(wrong), missing))
    return report


def _first_wrong(prompt: CanaryPrompt, found: Sequence[int]) -> WrongAnswer | None:
    """Return the first token that differs, a missing one included."""
    for place, expected in enumerate(prompt.answers):
        token = found[place] if place < len(found) else None
        if token != expected:
            return WrongAnswer(prompt, place, token)
    return None

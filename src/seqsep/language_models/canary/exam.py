"""Put the prompts of the scenarios to an engine, and count the wrong answers."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Protocol, runtime_checkable

from seqsep.core.names import text_of
from seqsep.core.tables import Tabular
from seqsep.language_models.canary.scenarios import CanaryPrompt
from seqsep.language_models.engines.protocol import EngineFails
from seqsep.theorems.canary.vocabulary import WORDS


@runtime_checkable
class Asked(Protocol):
    """An engine that completes prompts."""

    def complete(self, prompts: Sequence[Sequence[int]], count: int) -> list[list[int]]:
        """Return `count` tokens for each of the prompts, which are sent together. Raises EngineFails."""

    def not_exercised(self, scenario: str) -> str | None:
        """Return why the prompts since the last call did not exercise a scenario, or None if they did."""


def word(token: int | None, words: Sequence[str] = WORDS) -> str:
    """Return a token in words, also one that the canary does not have.

    >>> word(7), word(1000), word(None)
    ('a1', 'token 1000', 'no token')
    """
    if token is None:
        return "no token"
    return words[token] if 0 <= token < len(words) else f"token {token}"


@dataclass(frozen=True)
class WrongAnswer:
    """A prompt with a wrong token: the place of the first one, from 0, what came instead, and all tokens that came."""

    prompt: CanaryPrompt
    place: int
    found: int | None
    answers: tuple[int, ...] = ()

    def line(self) -> str:
        """Return the wrong token in a sentence.

        >>> WrongAnswer(CanaryPrompt("one", 0, (1, 13, 9, 37), (7,)), 0, 6).line()
        'answer 1 to a prompt of 4 tokens: expected a1, found a0'
        """
        expected = word(self.prompt.answers[self.place], self.prompt.words)
        found = word(self.found, self.prompt.words)
        return f"answer {self.place + 1} to a prompt of {len(self.prompt.prompt)} tokens: expected {expected}, found {found}"


@dataclass(frozen=True)
class ScenarioVerdict:
    """The verdict of one scenario.

    Fields:
        scenario: its name.
        asked: the prompts that were answered.
        wrong: the prompts with a wrong answer.
        not_exercised: why it says nothing, or None.
        failed: what the engine did in place of an answer, or None.
    """

    scenario: str
    asked: tuple[CanaryPrompt, ...]
    wrong: tuple[WrongAnswer, ...]
    not_exercised: str | None = None
    failed: str | None = None

    @property
    def answers(self) -> int:
        """Return the number of answers, a token each."""
        return sum(len(prompt.answers) for prompt in self.asked)

    @property
    def holds(self) -> bool | None:
        """Return True if all answers are right, False if one is wrong or the engine failed, and None if it did not happen."""
        if self.wrong or self.failed:
            return False
        return None if self.not_exercised else True

    def words(self) -> str:
        """Return the verdict in words: right, WRONG, FAILED, or why the scenario was not exercised.

        >>> ScenarioVerdict("one", (), ()).words()
        'right'
        """
        if self.holds is None:
            return f"not exercised: {self.not_exercised}"
        return "right" if self.holds else "WRONG" if self.wrong else "FAILED"

    def record(self) -> dict[str, Any]:
        """Return the verdict for JSON."""
        return {
            "scenario": self.scenario,
            "prompts": len(self.asked),
            "answers": self.answers,
            "wrong": len(self.wrong),
            "holds": self.holds,
            "not_exercised": self.not_exercised,
            "failed": self.failed,
        }


class CanaryReport(list[ScenarioVerdict], Tabular):
    """The verdicts of all scenarios, in a list that prints as a table."""

    @property
    def holds(self) -> bool:
        """Return True if no scenario has a wrong answer."""
        return all(verdict.holds is not False for verdict in self)

    @property
    def wrong(self) -> list[WrongAnswer]:
        """Return the wrong answers of all scenarios."""
        return [answer for verdict in self for answer in verdict.wrong]

    def records(self) -> list[dict[str, object]]:
        """Return a row for each scenario."""
        return [
            {
                "scenario": verdict.scenario,
                "prompts": len(verdict.asked),
                "answers": verdict.answers,
                "wrong prompts": len(verdict.wrong),
                "verdict": verdict.words().split(":")[0],
            }
            for verdict in self
        ]

    def __repr__(self) -> str:
        return self.table()


def say_nothing(words: str) -> None:
    """Print nothing."""


@dataclass
class Budget:
    """The prompts and the time that an exam may use.

    Fields:
        requests: prompts that may be sent.
        seconds: time from now.

    >>> budget = Budget(requests=1)
    >>> budget.take(1), budget.take(1), budget.spent
    (True, False, 'the 1 prompts of --requests are used up')
    """

    requests: int = 10_000
    seconds: float = float("inf")
    sent: int = 0
    spent: str | None = None
    _start: float = field(default_factory=time.monotonic)

    def take(self, count: int) -> bool:
        """Return True and count the prompts if they may be sent; else say in `spent` why not."""
        if self.sent + count > self.requests:
            self.spent = f"the {self.requests} prompts of --requests are used up"
        elif time.monotonic() - self._start > self.seconds:
            self.spent = f"the {self.seconds:g} s of --seconds are over"
        else:
            self.sent += count
            return True
        return False


def examine(
    engine: Asked, prompts: Iterable[CanaryPrompt], budget: Budget | None = None, say: Callable[[str], None] = say_nothing
) -> CanaryReport:
    """Ask an engine and compare every token.

    Arguments:
        engine: the engine, which holds the canary's weights.
        prompts: prompts of `scenarios.prompts`, in their order.
        budget: the prompts and the time that may be used.
        say: function that is given lines of progress.

    Returns a verdict for each scenario. If the engine fails, the rest of that scenario is left out.
    """
    budget = budget or Budget()
    report = CanaryReport()
    for scenario, group in groupby(prompts, key=lambda prompt: prompt.scenario):
        report.append(_verdict(engine, scenario, list(group), budget, say=say))
    return report


def _verdict(
    engine: Asked, scenario: str, asked: list[CanaryPrompt], budget: Budget, *, say: Callable[[str], None]
) -> ScenarioVerdict:
    """Ask the prompts of one scenario, batch after batch."""
    done: list[CanaryPrompt] = []
    wrong: list[WrongAnswer] = []
    failed = None
    for _, together in groupby(asked, key=lambda prompt: prompt.batch):
        batch = list(together)
        if not budget.take(len(batch)):
            break
        try:
            found = engine.complete([prompt.prompt for prompt in batch], max(len(prompt.answers) for prompt in batch))
        except EngineFails as error:
            failed = text_of(error)
            break
        done += batch
        verdicts = [first_wrong(prompt, answers) for prompt, answers in zip(batch, found, strict=True)]
        wrong += [verdict for verdict in verdicts if verdict is not None]
        say(f"{scenario}: {len(done)} of {len(asked)} prompts, {len(wrong)} wrong")
    missing = (budget.spent if len(done) < len(asked) else None) or engine.not_exercised(scenario)
    return ScenarioVerdict(scenario, tuple(done), tuple(wrong), not_exercised=missing, failed=failed)


def first_wrong(prompt: CanaryPrompt, found: Sequence[int]) -> WrongAnswer | None:
    """Return the first token that differs, a missing one included; None if all are right."""
    for place, expected in enumerate(prompt.answers):
        token = found[place] if place < len(found) else None
        if token != expected:
            return WrongAnswer(prompt, place, token, tuple(found[: len(prompt.answers)]))
    return None

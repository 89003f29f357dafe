"""The exam of an engine: right and wrong answers, scenarios that did not happen, limits, failures."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.canary import over_http
from seqsep.language_models.canary.exam import Budget, WrongAnswer, examine
from seqsep.language_models.canary.over_http import ServerAsked
from seqsep.language_models.canary.questions import canary_words
from seqsep.language_models.canary.scenarios import BLOCK, SCENARIOS, CanaryPrompt, PromptWriter, prompts
from seqsep.language_models.canary.smaller import SmallPrompt, made_small
from seqsep.language_models.canary.through_engine import EngineAsked
from seqsep.theorems.canary import CANARIES
from seqsep.theorems.canary.vocabulary import ABSENT, BOS, FILLER, FIRST_KEY, SIZE, V0, V1
from support.canary_server import right, served

CANARY = CANARIES["llama"]
SHORT = ("one", "together", "again", "twins", "parents", "turns", "absent")


FEW = {"one": 2, "together": 8, "borders": 2, "again": 4, "twins": 4, "parents": 6, "turns": 8, "absent": 4, "crowded": 6}
"""Scenario -> the prompts of two conversations."""


class OracleEngine:
    """An engine that knows the answers; its state is the canary's oracle."""

    vocabulary = SIZE

    def prefill(self, tokens: Sequence[int]) -> tuple[Any, Any]:
        return self._read(tokens, CANARY.oracle())

    def decode(self, token: int, state: Any) -> tuple[Any, Any]:
        return self._read([token], state)

    def _read(self, tokens: Sequence[int], state: Any) -> tuple[Any, Any]:
        *_, answer = (state.read(token) for token in tokens)
        return np.eye(SIZE)[[answer]], state


class OracleWithMore(OracleEngine):
    """It has `extend` and `batch` too."""

    def extend(self, tokens: Sequence[int], state: Any) -> tuple[Any, Any]:
        return self._read(tokens, state)

    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[Any]) -> tuple[Any, Any]:
        read = [self._read(row, state or CANARY.oracle()) for row, state in zip(tokens, states, strict=True)]
        return [rows for rows, _ in read], [state for _, state in read]


@cache
def asked(*scenarios: str) -> list[CanaryPrompt]:
    """The prompts of two conversations of each scenario."""
    written = [(SCENARIOS[name][0], PromptWriter(CANARY, number), FEW[name]) for number, name in enumerate(scenarios)]
    return [prompt for write, writer, count in written for prompt in write(writer, count)]


def test_prompts_are_the_same_for_the_same_seed() -> None:
    everything = list(prompts(CANARY, 0, ["one", "absent"]))
    assert everything == list(prompts(CANARY, 0, ["one", "absent"]))
    assert everything != list(prompts(CANARY, 1, ["one", "absent"]))
    assert [prompt.scenario for prompt in everything] == ["one"] * 20 + ["absent"] * 24


def test_pairs_are_across_borders() -> None:
    for prompt in asked("borders"):
        [key] = [place for place, token in enumerate(prompt.prompt) if FIRST_KEY <= token < FIRST_KEY + 24]
        assert (key + 1) % BLOCK == 0
        assert {prompt.prompt[key + 1], prompt.prompt[key + 2]} == {V0, V1}  # an exchange of key and value changes the answer


def test_twins_differ_in_the_last_token_of_a_block() -> None:
    twins = asked("twins")
    for first, second in zip(twins[::2], twins[1::2], strict=True):
        [place] = [place for place, pair in enumerate(zip(first.prompt, second.prompt, strict=True)) if pair[0] != pair[1]]
        assert (place + 1) % BLOCK == 0
        assert first.answers[0] != second.answers[0]


def test_a_right_server_that_counts_exercises_all() -> None:
    with served(hold=1.0) as server:
        report = examine(ServerAsked(server.url), asked(*SHORT))
    assert [verdict.words() for verdict in report] == ["right"] * len(SHORT)


def test_fewer_steps_than_answers_show_requests_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """No look finds two requests that are answered."""
    monkeypatch.setattr(over_http, "RUNNING", ())
    for hold, said in ((1.0, "right"), (0.0, "not exercised: the server shows no requests at the same time")):
        with served(hold=hold) as server:
            asks = ServerAsked(server.url, at_once=64 if hold else 1)
            [verdict] = examine(asks, asked("together"))
        assert verdict.words() == said


def test_without_counters_a_scenario_is_not_exercised() -> None:
    with served(counts=False) as server:
        report = examine(ServerAsked(server.url), asked(*SHORT))
    assert report.holds
    verdicts = {verdict.scenario: verdict.holds for verdict in report}
    assert verdicts == {"one": True, "absent": True} | dict.fromkeys(SHORT[1:-1], None)
    assert report[1].words() == "not exercised: the server shows no requests at the same time"


@pytest.mark.parametrize(("room", "said"), [(1, "right"), (1000, "not exercised: no preemptions")])
def test_a_crowd_needs_preemptions(room: int, said: str) -> None:
    with served(hold=1.0, room=room) as server:
        [verdict] = examine(ServerAsked(server.url), asked("crowded"))
    assert verdict.words() == said


def test_a_wrong_answer_is_wrong_whether_exercised_or_not() -> None:
    def forgets_the_twin(prompt: Sequence[int], count: int) -> list[int]:
        return [ABSENT, *right(prompt, count)[1:]]

    with served(forgets_the_twin, counts=False) as server:
        [verdict] = examine(ServerAsked(server.url), asked("twins"))
    assert verdict.holds is False
    assert {wrong.found for wrong in verdict.wrong} == {ABSENT}


def test_a_wrong_answer_has_the_words_of_its_canary() -> None:
    checksum = CANARIES["checksum"]
    prompt = next(prompts(checksum, 0, ["one"]))
    line = WrongAnswer(prompt, 0, prompt.answers[0] + 1).line()
    words = [checksum.words[prompt.answers[0] + more] for more in range(2)]
    assert line.endswith(f"expected {words[0]}, found {words[1]}")
    assert all(word.startswith("e") for word in words)
    small = SmallPrompt(prompt.prompt, prompt.answers[:1], prompt.answers[0] + 1, words=prompt.words)
    assert small.line().endswith(f"expected {words[0]}, found {words[1]}")
    assert "words" not in small.record()


def test_a_failing_server_is_a_verdict_of_its_own() -> None:
    with served(status=500) as server:
        report = examine(ServerAsked(server.url), asked("one", "absent"))
    assert [(verdict.holds, len(verdict.asked)) for verdict in report] == [(False, 0), (False, 0)]
    assert "status 500" in (report[0].failed or "")


def test_the_limits_are_kept_and_said() -> None:
    with served() as server:
        report = examine(ServerAsked(server.url), asked("one", "absent"), Budget(requests=3))
        assert len(server.prompts) == 3
    assert [verdict.words() for verdict in report] == [
        "right",
        "not exercised: the 3 prompts of --requests are used up",
    ]
    with served() as server:
        [verdict] = examine(ServerAsked(server.url), asked("one"), Budget(seconds=1e-9))
    assert verdict.words() == "not exercised: the 1e-09 s of --seconds are over"


@pytest.mark.parametrize("url", ["http://192.0.2.1/v1", "http://127.0.0.1.example.org:8000", "http://user@example.org/v1"])
def test_only_this_machine_is_asked(url: str) -> None:
    with pytest.raises(BadInput, match="is not this machine; --allow-host"):
        ServerAsked(url)


def test_an_engine_exercises_what_its_methods_allow() -> None:
    short = asked("one", "together", "turns", "twins")
    with_more = {verdict.scenario: verdict.holds for verdict in examine(EngineAsked(OracleWithMore()), short)}
    assert with_more == {"one": True, "together": True, "turns": True, "twins": None}
    without = {verdict.scenario: verdict.words() for verdict in examine(EngineAsked(OracleEngine()), short)}
    assert without["together"] == "not exercised: the engine has no batch"
    assert without["turns"] == "not exercised: the engine has no extend"


def test_a_wrong_prompt_is_made_small() -> None:
    class LosesLate(OracleEngine):
        """It finds no key in prompts of more than 70 tokens."""

        def prefill(self, tokens: Sequence[int]) -> tuple[Any, Any]:
            rows, state = super().prefill(tokens)
            return np.eye(SIZE)[[ABSENT]] if len(tokens) > 70 else rows, state

    engine = EngineAsked(LosesLate())
    wrong = next(wrong for wrong in examine(engine, asked("one")).wrong if wrong.place == 0)
    small = made_small(engine, CANARY, wrong, [])
    assert small is not None
    assert len(small.tokens) == 71
    assert sum(token != FILLER for token in small.tokens) == 4
    assert small.line().endswith("found absent")
    assert " x (" in small.line()


def test_what_needs_another_prompt_first_keeps_it() -> None:
    class Sticky:
        """It answers with what it answered to the prompt before, if that had the same question."""

        def __init__(self) -> None:
            self.last: tuple[int, list[int]] = (0, [])

        def complete(self, asked: Sequence[Sequence[int]], count: int) -> list[list[int]]:
            [prompt] = asked
            question, kept = self.last
            self.last = (prompt[-1], right(prompt, count))
            return [kept[:count] if question == prompt[-1] else self.last[1]]

        def not_exercised(self, scenario: str) -> str | None:
            return None

    pair = asked("twins")[:2]
    engine = Sticky()
    [verdict] = examine(engine, pair)
    [wrong] = verdict.wrong
    engine.complete([(BOS, FILLER)], 1)
    small = made_small(engine, CANARY, wrong, [pair[0].prompt])
    assert small is not None
    assert len(small.before) == 1
    assert len(small.tokens) < 10


def test_the_words_of_a_canary_are_found_from_its_oracle() -> None:
    words = canary_words("llama")
    assert words.values == (V0, V1)
    assert words.question(3) == 40
    assert FILLER in words.noise

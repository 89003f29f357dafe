"""vLLM in this process, by a module in its place that has the same calls: answers, counters, failures."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from seqsep.commands.cli import main
from seqsep.commands.status import ENVIRONMENT
from seqsep.core.names import BadInput
from seqsep.language_models.canary.exam import examine
from seqsep.language_models.canary.in_vllm import SETTINGS, VllmAsked, VllmMissing
from seqsep.language_models.canary.scenarios import SCENARIOS, PromptWriter
from seqsep.theorems.canary import CANARIES
from seqsep.theorems.canary.vocabulary import ABSENT
from support.canary_server import right


class StandIn:
    """Has the calls of vLLM that are used. Its counters grow with each call if it `counts`."""

    counts = True
    fails = False
    wrong = False

    def __init__(self, **settings: Any) -> None:
        if settings["dtype"] == "float16":
            raise ValueError("no kernel for float16")
        self.settings = settings
        self.calls = 0

    def generate(self, prompts: Sequence[Any], settings: Any, *, use_tqdm: bool) -> list[Any]:
        if self.fails:
            raise RuntimeError("EngineCore died")
        self.calls += 1
        found = [right(prompt["prompt_token_ids"], settings.max_tokens) for prompt in prompts]
        if self.wrong:
            found[0][0] = ABSENT
        return [SimpleNamespace(outputs=[SimpleNamespace(token_ids=tokens)]) for tokens in found]

    def get_metrics(self) -> list[Any]:
        count = self.calls if self.counts else 0
        steps = SimpleNamespace(name="vllm:iteration_tokens_total", count=24 * self.calls)
        names = ("vllm:prefix_cache_hits", "vllm:num_preemptions")
        return [steps, *(SimpleNamespace(name=name, value=count) for name in names)]


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> type[StandIn]:
    kind = type("Own", (StandIn,), {})
    module = ModuleType("vllm")
    vars(module).update(LLM=kind, SamplingParams=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "vllm", module)
    return kind


def asked(*scenarios: str) -> list[Any]:
    writers = [(SCENARIOS[name][0], PromptWriter(CANARIES["llama"], number)) for number, name in enumerate(scenarios)]
    return [prompt for write, writer in writers for prompt in write(writer, 4)]


def test_right_answers_exercise_what_the_counters_show(library: type[StandIn]) -> None:
    engine = VllmAsked("canary", "float32")
    assert engine.model.settings == {"model": "canary", "dtype": "float32", **SETTINGS}
    report = examine(engine, asked("one", "together", "again"))
    assert {verdict.scenario: verdict.words() for verdict in report} == dict.fromkeys(("one", "together", "again"), "right")
    library.counts = False
    [verdict] = examine(engine, asked("again"))
    assert verdict.words() == "not exercised: no cached tokens"


def test_one_prompt_after_another_is_not_together(library: type[StandIn]) -> None:
    engine = VllmAsked("canary", "float32")
    engine.complete([[1] + [10] * 80], 24)
    assert engine.not_exercised("together") == "vLLM shows no requests at the same time"


def test_a_failure_is_a_verdict(library: type[StandIn]) -> None:
    engine = VllmAsked("canary", "float32")
    library.fails = True
    [verdict] = examine(engine, asked("one"))
    assert verdict.failed == "vLLM: EngineCore died"


def test_what_vllm_does_not_load_is_said(library: type[StandIn]) -> None:
    with pytest.raises(BadInput, match="--vllm: vLLM does not load canary: no kernel for float16"):
        VllmAsked("canary", "float16")


def test_without_vllm_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(VllmMissing, match="--vllm needs vLLM, which is not installed"):
        VllmAsked("canary", "float32")


def test_the_command_asks_it(library: type[StandIn], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "canary")
    assert main(["canary", "write", "llama", "-o", folder]) == 0
    words = ["canary", "check", folder, "--vllm", "--scenario", "one"]
    assert main(words) == 0
    assert capsys.readouterr().out.endswith("all answers to 20 prompts are right; 1 of 1 scenarios exercised\n")
    library.wrong = True
    assert main([*words, "--requests", "1", "--seconds", "1"]) == 1


def test_the_command_says_that_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    folder = str(tmp_path / "canary")
    assert main(["canary", "write", "llama", "-o", folder]) == 0
    assert main(["canary", "check", folder, "--vllm"]) == ENVIRONMENT
    assert "--vllm needs vLLM, which is not installed" in capsys.readouterr().err

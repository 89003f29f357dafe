"""Injected faults: a server without one is right, a fault is seen, and the diagnosis finds it."""

from pathlib import Path
from typing import Any

import pytest
import torch

from seqsep.core.names import BadInput
from seqsep.language_models.canary import diagnosis
from seqsep.language_models.canary.diagnosis import diagnose
from seqsep.language_models.canary.exam import CanaryReport, examine
from seqsep.language_models.canary.faults import FAULTS
from seqsep.language_models.canary.folder import write_canary
from seqsep.language_models.canary.scenarios import SCENARIOS, CanaryPrompt, PromptWriter
from seqsep.language_models.canary.serving import PrefixServing, Serving
from seqsep.theorems.canary import CANARIES

transformers = pytest.importorskip("transformers")
CHEAP = {"absent": 2, "together": 4, "one": 1, "twins": 2}
"""Scenario -> the prompts of one conversation."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = write_canary("llama", tmp_path_factory.mktemp("canary") / "llama")
    return transformers.AutoModelForCausalLM.from_pretrained(folder)


def prompts_of(scenario: str, conversations: int = 1) -> list[CanaryPrompt]:
    write, _ = SCENARIOS[scenario]
    return list(write(PromptWriter(CANARIES["llama"], 5), conversations * CHEAP[scenario]))


def seen(served: Serving, scenario: str) -> bool:
    return not examine(served, prompts_of(scenario)).holds


@pytest.mark.parametrize("kind", [Serving, PrefixServing])
@pytest.mark.parametrize("scenario", CHEAP)
def test_a_server_without_a_fault_is_right(model: Any, kind: type[Serving], scenario: str) -> None:
    assert not seen(kind(model), scenario)


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.seen_in in CHEAP])
def test_a_fault_is_seen(model: Any, name: str) -> None:
    assert seen(FAULTS[name].serve(model, 64), FAULTS[name].seen_in)


def test_prefixes_are_taken_from_the_cache(model: Any) -> None:
    served = PrefixServing(model)
    [first, second] = prompts_of("twins")
    served.complete([first.prompt], 1)
    cache, read = served.started(second.prompt)
    assert 192 <= read == cache.get_seq_length() < len(second.prompt)


def test_the_diagnosis_finds_the_fault(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: FAULTS[name] for name in ("positions-restart", "positions-ahead", "wrong-base", "cache-in-bf16")}
    monkeypatch.setattr(diagnosis, "FAULTS", few)
    report = examine(FAULTS["positions-ahead"].serve(model, 64), prompts_of("one", 2))
    best, *others = diagnose(model, report)
    assert (best.name, best.alike, best.compared) == ("positions-ahead", 2, 2)
    assert all(other.alike < 2 for other in others)
    assert best.line() == "as if positions in decoding were too large by one: 2 of 2 conversations alike"


def test_a_class_without_injected_faults_is_refused() -> None:
    other = torch.nn.Module()
    other.config = transformers.MambaConfig()
    with pytest.raises(BadInput, match=r"mamba: expected a class of a canary \(llama, "):
        diagnose(other, CanaryReport())

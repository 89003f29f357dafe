"""The laws of serving: each finds its injected fault on five types, and says what a library gets wrong."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from torch import Tensor

import seqsep
from seqsep.commands.cli import main
from seqsep.language_models.laws.check import ModelVerdict, try_law
from seqsep.language_models.laws.reader import ModelReader, State
from seqsep.language_models.laws.receiver import Receiver
from seqsep.language_models.laws.trial import LawTrial
from seqsep.language_models.loader.source import ModelSource
from seqsep.models.laws.mixer import LawFails
from support.faulty_serving import FAULTS, TYPES, FaultyServing
from support.law_models import fields_of

TIME = 12
KEPT = json.loads((Path(__file__).parents[3] / "results/model-laws.json").read_text(encoding="utf-8"))["models"]


@cache
def trial_of(name: str) -> LawTrial:
    return LawTrial(ModelSource(name, fields_of(name)), time=TIME, batch=2, seed=3, dtype=torch.float64, receiver=Receiver())


@pytest.fixture
def healthy() -> Iterator[None]:
    """Every trial has its healthy reader again."""
    yield
    for name in {name for names in TYPES.values() for name in names.split()}:
        trial_of(name).reader = trial_of(name).exact


@pytest.mark.slow
@pytest.mark.usefixtures("healthy")
@pytest.mark.parametrize(("law", "name"), [(law, name) for law, names in TYPES.items() for name in names.split()])
def test_the_fault_of_each_law_is_caught(law: str, name: str) -> None:
    """The law holds on the healthy type, by the kept verdicts of the long check."""
    assert {verdict["law"]: verdict["holds"] for verdict in KEPT[name]}[law] is True
    trial = trial_of(name)
    trial.reader = FaultyServing(trial.exact, law)
    verdict = try_law(law, trial)
    assert verdict.holds is False, FAULTS[law]
    assert verdict.difference is not None
    assert verdict.difference > 1000 * verdict.allowed


BASE = {"hidden_size": 32, "vocab_size": 64, "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 32}
MAMBA = {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 8, "num_hidden_layers": 2}
EXPERTS = {"moe_intermediate_size": 16, "shared_expert_intermediate_size": 16, "num_experts": 4, "num_experts_per_tok": 2}
LINEAR = {"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 8}
NEMOTRON = {"mamba_num_heads": 4, "mamba_head_dim": 16, "n_groups": 1, "ssm_state_size": 8, "hybrid_override_pattern": "M-*-"}
REPORTED = {
    "llama": {**BASE, "num_hidden_layers": 2},
    "mistral": {**BASE, "num_hidden_layers": 2, "head_dim": 16, "sliding_window": 8},
    "qwen3_next": {**BASE, **EXPERTS, **LINEAR, "num_hidden_layers": 4, "head_dim": 16},
    "qwen3_5_text": {**BASE, **LINEAR, "num_hidden_layers": 4, "head_dim": 16},
    "lfm2": {**BASE, "num_hidden_layers": 2, "layer_types": ["conv", "full_attention"], "conv_L_cache": 3},
    "bamba": {**BASE, **MAMBA, "attn_layer_indices": [1]},
    "falcon_h1": {**BASE, **MAMBA, "mamba_d_ssm": 64, "head_dim": 16},
    "nemotron_h": {**BASE, **NEMOTRON, "num_hidden_layers": 4, "head_dim": 16},
}
"""Small configurations in which people reported states that were wrong, or that were right."""
SILENT = "; its is_croppable is False, but crop does not refuse"


@cache
def reported(name: str) -> LawTrial:
    source = ModelSource(name, {"model_type": name, **REPORTED[name]})
    return LawTrial(source, time=TIME, batch=2, seed=0, dtype=torch.float64, receiver=Receiver())


@pytest.mark.parametrize(
    ("law", "name", "words"),
    [
        ("rolled back", "llama", ""),
        ("rolled back", "mistral", ""),
        ("rolled back", "qwen3_next", SILENT),
        ("rolled back", "qwen3_5_text", SILENT),
        ("rolled back", "bamba", SILENT),
        ("rolled back", "falcon_h1", SILENT),
        ("rolled back", "lfm2", ""),
        ("reset", "llama", ""),
        ("reset", "mistral", ""),
        ("reset", "qwen3_next", ""),
        ("packed", "llama", ""),
        ("packed", "bamba", "; with seq_idx and cu_seq_lens it refuses: "),
        ("packed", "falcon_h1", "; with seq_idx and cu_seq_lens it refuses: "),
        ("packed", "nemotron_h", "; with seq_idx and cu_seq_lens it refuses: "),
    ],
)
def test_what_was_reported(law: str, name: str, words: str) -> None:
    verdict = try_law(law, reported(name))
    assert verdict.holds is not bool(words)
    assert words in verdict.where


def test_a_state_that_refuses_is_not_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(cache: object, count: int) -> None:
        raise NotImplementedError("this state cannot be cut")

    monkeypatch.setattr("transformers.DynamicCache.crop", refuse)
    verdict = try_law("rolled back", reported("llama"))
    assert verdict == ModelVerdict("rolled back", None, "its state refuses to be rolled back: this state cannot be cut")


def test_a_crash_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transformers.DynamicCache.crop", lambda cache, count: torch.zeros(2) + torch.zeros(3))
    verdict = try_law("rolled back", reported("llama"))
    assert verdict.holds is False
    assert verdict.where.startswith("it raises RuntimeError: The size of tensor a (2)")


@pytest.mark.slow
def test_what_fails_without_the_law_is_not_its_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that decodes wrongly breaks "token by token"; a state that was reset decodes as wrongly as an empty one."""
    trial = reported("llama")
    monkeypatch.setattr(trial, "reader", Forgets(trial.exact))
    assert try_law("token by token", trial).holds is False
    for law in ("reset", "static", "joined", "prefix shared", "rolled back"):
        assert try_law(law, trial).holds is True, law


class Forgets(FaultyServing):
    """A reader whose single tokens have logits that are twice as large."""

    def __init__(self, healthy: ModelReader) -> None:
        super().__init__(healthy, "")

    def read(
        self, tokens: Tensor, state: State | None = None, mask: Tensor | None = None, counted: bool = True
    ) -> tuple[Tensor, State]:
        logits, after = super().read(tokens, state, mask=mask, counted=counted)
        return logits * (2 if tokens.shape[1] == 1 else 1), after


def test_the_command_takes_laws_and_writes_junit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "bamba", **REPORTED["bamba"]}))
    chosen = ["--law", "packed", "--law", "rolled-back", "--law", "window passed by one", "--law", "causal"]
    report = tmp_path / "made" / "junit.xml"
    assert main(["check", "--model", str(path), "--length", "12", *chosen, "--junit", str(report)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:4]] == [
        "holds  causal",
        "FAILS  rolled back",
        "not tried  window passed by one",
        "FAILS  packed",
    ]
    assert lines[4].endswith("2 of 3 laws fail")
    [suite] = ElementTree.parse(report).getroot()
    assert suite.attrib == {"name": str(path), "tests": "4", "failures": "2", "skipped": "1"}
    assert [[part.tag for part in case] for case in suite] == [[], ["failure"], ["skipped"], ["failure"]]
    assert main(["check", "--model", str(path), "--law", "causal"]) == 0
    assert main(["check", "--model", str(path), "--law", "pakced"]) == 2
    assert capsys.readouterr().err == "seqsep check: unknown law 'pakced'; did you mean packed?\n"
    assert main(["check", "--model", str(path), "--junit", str(path)]) == 2


def test_python_has_every_law_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "bamba", **REPORTED["bamba"]}))
    with pytest.raises(LawFails, match=f"{path}: rolled back: .*; packed: ") as failure:
        seqsep.check_language_model(path, laws=["packed", "rolled back", "causal"])
    assert [verdict.holds for verdict in failure.value.verdicts] == [True, False, False]
    assert [verdict.law for verdict in seqsep.check_language_model(path, laws=["causal"])] == ["causal"]

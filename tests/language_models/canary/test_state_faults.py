"""Faults of recurrent states are seen, each in all conversations of the canary that is named for it."""

import json
from pathlib import Path
from typing import Any

import pytest

import long_state_faults
from long_state_faults import NOT_SEEN
from seqsep.language_models.canary import diagnosis
from seqsep.language_models.canary.exam import examine
from seqsep.language_models.canary.fault_rates import conversations_seen
from seqsep.language_models.canary.faults import FAULTS, Fault
from seqsep.language_models.canary.folder import write_canary
from seqsep.language_models.canary.scenarios import SCENARIOS, PromptWriter
from seqsep.language_models.canary.serving import Serving
from seqsep.language_models.canary.state_faults import STATE_FAULTS
from seqsep.theorems.canary import CANARIES
from support import canary_table

transformers = pytest.importorskip("transformers")
CONVERSATIONS = 3
RATES = json.loads((Path(__file__).parents[3] / "results/canary-state-faults.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module", params=["checksum", "olmo-hybrid", "mamba2"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def model(name: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return transformers.AutoModelForCausalLM.from_pretrained(write_canary(name, tmp_path_factory.mktemp(name) / "canary"))


@pytest.mark.parametrize("scenario", ["borders", "together"])
def test_no_fault_is_seen_in_none(name: str, model: Any, scenario: str) -> None:
    assert conversations_seen(model, CANARIES[name], Fault(Serving, "", scenario), conversations=CONVERSATIONS) == 0


@pytest.mark.parametrize(
    "fault",
    ["token-lost", "window-zero", "window-zero-in-decoding", "state-zero", "padding-in-front", "states-swapped"],
)
def test_all_conversations_see_a_fault(name: str, model: Any, fault: str) -> None:
    seen = conversations_seen(model, CANARIES[name], STATE_FAULTS[fault], conversations=CONVERSATIONS)
    assert seen == CONVERSATIONS


def test_a_state_in_bf16_is_seen_by_small_differences(name: str, model: Any) -> None:
    seen = conversations_seen(model, CANARIES[name], STATE_FAULTS["state-in-bf16"], conversations=CONVERSATIONS)
    assert seen == (CONVERSATIONS if name == "olmo-hybrid" else 0)


def test_the_diagnosis_finds_a_fault_of_the_state(name: str, model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {fault: STATE_FAULTS[fault] for fault in ("state-zero-in-decoding", "window-zero-in-decoding")}
    monkeypatch.setattr(diagnosis, "STATE_FAULTS", few)
    write, _ = SCENARIOS["one"]
    prompts = list(write(PromptWriter(CANARIES[name], 5), 2))
    report = examine(few["window-zero-in-decoding"].serve(model, 64), prompts)
    best, *others = diagnosis.diagnose(model, report)
    assert (best.name, best.alike, best.compared) == ("window-zero-in-decoding", 2, 2)
    assert all(other.alike < 2 for other in others)


@pytest.mark.parametrize("name", NOT_SEEN)
def test_all_other_faults_were_seen_in_all_of_20_conversations(name: str) -> None:
    rates = {fault: entries for fault, entries in RATES[name].items() if "none in" not in fault}
    assert {fault for fault, entries in rates.items() if any(one["seen"] < 20 for one in entries)} == NOT_SEEN[name]
    assert [one["seen"] for fault, entries in RATES[name].items() if fault not in rates for one in entries] == [0] * (
        len(RATES[name]) - len(rates)
    )


PAIRS: dict[tuple[str, ...], set[str]] = {
    ("llama", "walk-llama"): {"token-twice-in-place", "blocks-exchanged", "positions-shifted"},
    ("olmo-hybrid", "checksum"): set(),
    ("qwen3-next", "walk-qwen3-next"): {"state-in-bf16"},
    ("mamba2", "walk-mamba2"): {"state-in-bf16"},
    **{(name, f"walk-{name}"): {"state-in-bf16"} for name in ("qwen3.5", "granite-4-h", "nemotron-h", "falcon-h1")},
    ("jamba",): {"state-in-bf16"},
}
"""The canaries of a class, and the faults that not all of 20 conversations with one of them see: they change nothing there."""


@pytest.mark.parametrize("canaries", PAIRS, ids=" ".join)
def test_a_pair_of_canaries_sees_each_fault_of_its_class(canaries: tuple[str, ...]) -> None:
    rates = canary_table.kept_rates()
    faults = set(diagnosis.faults_of(CANARIES[canaries[0]].configuration()["model_type"]))
    if canaries[0] in long_state_faults.LOSES_CHUNKS:
        faults &= set(rates[canaries[0]])
    seen = {fault for name in canaries for fault in faults if all(one["seen"] == 20 for one in rates[name][fault])}
    assert faults - seen == PAIRS[canaries]
    if len(canaries) == 2:
        assert f"`{canaries[0]}` with `{canaries[1]}`" in canary_table.PAGE.read_text(encoding="utf-8").replace("\n", " ")


def test_the_page_says_where_to_look_for_each_fault() -> None:
    page = canary_table.PAGE.read_text(encoding="utf-8")
    assert [name for name in {**FAULTS, **STATE_FAULTS} if f"`{name}`" not in page] == []


def test_every_canary_is_in_a_pair() -> None:
    assert {name for canaries in PAIRS for name in canaries} == set(CANARIES)


def test_the_page_has_the_measured_rates() -> None:
    page = canary_table.PAGE.read_text(encoding="utf-8")
    rates = canary_table.kept_rates()
    assert canary_table.table(rates) in page
    assert canary_table.paged(page, rates) == page
    rates["mamba2"] = rates["checksum"]
    assert canary_table.paged(page, rates) != page
    assert canary_table.cell({"token-twice": [{"seen": 3}, {"seen": 20}], "token-lost": [{"seen": 20}]}) == (
        "a token that is read twice: 3 to 20"
    )


def test_the_long_check_holds_for_the_kept_rates_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row has an outcome for each fault that all conversations see, and one that a conversation misses fails."""
    rates = {known: json.loads(json.dumps(RATES[known])) for known in ("checksum", "mamba2")}
    monkeypatch.setattr(long_state_faults, "MEASURED", tuple(rates))
    monkeypatch.setattr(long_state_faults, "measure", rates.__getitem__)
    monkeypatch.setattr(long_state_faults, "keep", lambda known, found: None)
    outcomes = long_state_faults.verify()
    assert len(outcomes) > 40
    assert all(outcome.holds for outcome in outcomes)
    rates["mamba2"]["state-zero"][0]["seen"] = 19
    rates["checksum"]["none in long"][0]["seen"] = 1
    failed = {outcome.variant for outcome in long_state_faults.verify() if not outcome.holds}
    assert failed == {"mamba2, state-zero in chunks of 64", "checksum, none in long in chunks of 64"}

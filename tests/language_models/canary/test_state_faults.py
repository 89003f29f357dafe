"""Faults of recurrent states are seen, each in all conversations of the canary that is named for it."""

from typing import Any

import pytest

from seqsep.language_models.canary.fault_rates import conversations_seen
from seqsep.language_models.canary.faults import Fault
from seqsep.language_models.canary.folder import write_canary
from seqsep.language_models.canary.serving import Serving
from seqsep.language_models.canary.state_faults import STATE_FAULTS
from seqsep.theorems.canary import CANARIES

transformers = pytest.importorskip("transformers")
CONVERSATIONS = 3


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

"""The Llama that walks: its proved lead, exact weights, the latest of equal keys, and what a wrong weight does."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from seqsep.theorems.base import TheoremFails
from seqsep.theorems.canary import walk_llama
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import BOS, FILLER, FIRST_FINE, FIRST_KEY, FIRST_QUESTION, FIRST_RECALL, KEYS, V1

CANARY = walk_llama.CANARY
LOOKS = "model.layers.1.self_attn."


def test_the_lead_is_proved_in_float32_only() -> None:
    leads = [walk_llama.proved_lead(CANARY.longest, unit) for unit in (2**-53, 2**-24, 2**-11, 2**-8)]
    assert leads[0] > leads[1] > 0.3
    assert leads[2:] == [0, 0]


def test_the_proof_ends_before_the_distance_turns_around() -> None:
    assert walk_llama.proved_lead(2 * CANARY.longest, 2**-24) == 0
    assert walk_llama.proved_lead(1 << 17) == 0


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_every_weight_is_exact_in_each_type(dtype: torch.dtype) -> None:
    for name, values in CANARY.tensors().items():
        exact = torch.from_numpy(values)
        assert torch.equal(exact.to(dtype).float(), exact), name


def test_the_latest_of_many_next_keys_is_found() -> None:
    """The key is written 100 times, and again right before the step, by a key and by steps."""
    writes = [token for number in range(100) for token in (FIRST_KEY, FIRST_FINE + number % KEYS, FILLER)]
    answer = walk_llama.THEOREM.call("apply", {})
    for last, found in (([FIRST_KEY, FIRST_FINE + 9], 9), ([FIRST_RECALL, FIRST_RECALL + 4], 5), ([FIRST_QUESTION], 3)):
        assert answer({"tokens": [BOS, *writes, *last, FILLER, FIRST_RECALL]}) == f"r{found}"
    assert answer({"tokens": [BOS, *writes, FIRST_KEY, V1, FIRST_RECALL]}) == "q18"


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("model.layers.0.self_attn.q_proj.weight", (slice(0, 9), slice(FIRST_QUESTION, FIRST_FINE))),
        ("model.layers.0.self_attn.o_proj.weight", slice(190, 195)),
        (f"{LOOKS}q_proj.weight", walk_llama.HALF + walk_llama.RECENT),
        (f"{LOOKS}k_proj.weight", (walk_llama.BOS_PAIR, BOS)),
        (f"{LOOKS}k_proj.weight", (128 + walk_llama.VALUE_PAIR, V1)),
        (f"{LOOKS}v_proj.weight", (slice(0, KEYS), slice(FIRST_RECALL, FIRST_RECALL + KEYS))),
        (f"{LOOKS}v_proj.weight", (128, V1)),
    ],
)
def test_a_wrong_weight_is_found(name: str, place: Any) -> None:
    weights = CANARY.tensors()
    assert np.any(weights[name][place])
    weights[name][place] = 0
    spoiled = CanaryProof(replace(CANARY, tensors=lambda: weights), walk_llama.run)
    with pytest.raises(TheoremFails, match="canary-walk-llama fails"):
        spoiled.check(length=300, conversations=2)


def test_a_long_conversation_leads_by_the_proved_share() -> None:
    [outcome] = walk_llama.THEOREM.check(length=1000, conversations=1)
    assert outcome.margin is not None
    assert outcome.margin.least >= (outcome.margin.proved or 1) > 0.32

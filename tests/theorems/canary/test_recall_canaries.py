"""The canaries that recall bits by a recurrence: oracle, exact weights, proved lead, and what a wrong weight does."""

from dataclasses import replace
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from seqsep.theorems.base import TheoremFails
from seqsep.theorems.canary import falcon_h1, granite_4_h, jamba, mamba2, nemotron_h, olmo_hybrid, qwen3_5, qwen3_next
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import (
    A0,
    A1,
    ABSENT,
    ACK,
    ANSWERS,
    BOS,
    FIRST_FINE,
    FIRST_KEY,
    FIRST_QUESTION,
    FIRST_RECALL,
    KEYS,
    LAST,
    PAD,
    PARITY,
    SIZE,
    V0,
    V1,
)

FINE = range(FIRST_FINE, FIRST_FINE + KEYS)
IN_TWO_WAYS = [qwen3_next, qwen3_5, granite_4_h, nemotron_h, falcon_h1, jamba]
ALL = pytest.mark.parametrize("canary", [olmo_hybrid, mamba2, *IN_TWO_WAYS], ids=lambda canary: str(canary.CANARY.name))
QUESTIONS = [token for key in range(KEYS) for token in (FIRST_QUESTION + key, FIRST_RECALL + key)]
SCAN = {
    olmo_hybrid: [*QUESTIONS, PARITY],
    **{canary: [*QUESTIONS, LAST] for canary in IN_TWO_WAYS},
    mamba2: [FIRST_RECALL + key for key in range(KEYS)] + [LAST],
}


def by_definition(tokens: list[int], scan: list[int]) -> list[int]:
    """The answers, each from the conversation so far and nothing else."""
    answers = []
    bits = {V0: A0, V1: A1}
    for place, token in enumerate(tokens):
        seen = tokens[: place + 1]
        if token == PARITY and PARITY in scan:
            answers.append((A0, A1)[sum(other in (V1, *ANSWERS) for other in seen) % 2])
        elif token == LAST and LAST in scan:
            answers.append(([ABSENT] + [bits[other] for other in seen if other in bits])[-1])
        elif token in scan or (token in FINE and PARITY in scan):
            key = FIRST_KEY + (token - FIRST_QUESTION) % KEYS
            answers.append(([ABSENT] + [bits[bit] for first, bit in pairwise(seen) if first == key and bit in bits])[-1])
        elif token in ANSWERS and seen[-2] in scan:
            answers.append(scan[(scan.index(seen[-2]) + 1) % len(scan)])
        elif token in ANSWERS and seen[-2] in FINE and PARITY in scan:
            answers.append(FINE[(FINE.index(seen[-2]) + 1) % KEYS])
        else:
            answers.append(ACK)
    return answers


@ALL
@pytest.mark.parametrize("seed", range(5))
def test_the_oracle_agrees_with_the_definition(canary: ModuleType, seed: int) -> None:
    tokens = canary.CANARY.conversation(300, np.random.default_rng(seed))
    answers = canary.CANARY.truth(tokens)
    assert answers == by_definition(tokens, SCAN[canary])
    assert set(answers) >= {A0, A1, ABSENT, ACK, *SCAN[canary][:1]}


@ALL
def test_decoding_asks_for_all_keys(canary: ModuleType) -> None:
    scan = SCAN[canary]
    decoded = canary.CANARY.continued([BOS, FIRST_KEY + 2, V1, scan[0]], 2 * len(scan))
    assert decoded[1::2] == [*scan[1:], scan[0]]
    assert decoded[2 * scan.index(FIRST_RECALL + 2)] == A1


@ALL
@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ([ACK], "expected one BOS, first"),
        ([BOS, PAD], "no PAD"),
        ([BOS, FIRST_KEY, V1, FIRST_KEY, V0], "key k0 gets a second value"),
    ],
)
def test_a_conversation_without_answers_is_refused(canary: ModuleType, tokens: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        canary.CANARY.truth(tokens)


@ALL
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_every_weight_is_exact_in_each_type(canary: ModuleType, dtype: torch.dtype) -> None:
    for name, values in canary.tensors().items():
        exact = torch.from_numpy(values)
        assert torch.equal(exact.to(dtype).float(), exact), name


@ALL
@pytest.mark.parametrize("unit", [2**-24, 2**-11, 2**-8])
def test_the_proved_lead_is_above_nine_twentieths(canary: ModuleType, unit: float) -> None:
    assert 0.5 >= canary.proved_lead(canary.CANARY.longest, unit) >= 0.45


def test_the_proof_gives_nothing_for_coarse_numbers() -> None:
    assert olmo_hybrid.proved_lead(100, 2**-3) == mamba2.proved_lead(100, 2**-3) == 0
    assert all(canary.proved_lead(100, 2**-3) == 0 for canary in IN_TWO_WAYS)


OF_JAMBA: dict[str, Any] = {
    "A_log": (jamba.MEMORY, slice(0, KEYS)),
    "D": slice(0, jamba.CYCLED.stop),
    "dt_proj.bias": slice(0, 512),
    "dt_proj.weight": (jamba.MEMORY[0], 0),
    "x_proj.weight": (slice(jamba.RANK, jamba.RANK + KEYS), jamba.NAMED),
    "in_proj.weight": (slice(512 + jamba.LATEST.start, 512 + jamba.LATEST.stop), LAST),
    "conv1d.weight": (slice(0, KEYS), 0, 2),
    "c_layernorm.weight": jamba.CONSTANT,
}
"""Weights of Jamba's recurrence, and the part that is set to zero."""
DELTA, ATTENTION, MIXER = "model.layers.0.linear_attn.", "model.layers.1.self_attn.", "backbone.layers.0.mixer."


@pytest.mark.parametrize(
    ("canary", "name", "place"),
    [
        (olmo_hybrid, f"{DELTA}b_proj.weight", (slice(0, 1), V0)),
        (olmo_hybrid, f"{DELTA}conv1d.weight", (slice(192, 216), 0, 2)),
        (olmo_hybrid, f"{DELTA}q_proj.weight", (slice(128, 129), SIZE)),
        (olmo_hybrid, f"{ATTENTION}k_proj.weight", (slice(0, 24), BOS)),
        (olmo_hybrid, f"{ATTENTION}v_proj.weight", (slice(0, 1), V0)),
        (olmo_hybrid, "lm_head.weight", (ABSENT, slice(FIRST_QUESTION, FIRST_QUESTION + KEYS))),
        (mamba2, f"{MIXER}A_log", slice(0, 1)),
        (mamba2, f"{MIXER}in_proj.weight", (2313, V0)),
        (mamba2, f"{MIXER}in_proj.weight", (slice(0, 64), slice(FIRST_RECALL, FIRST_RECALL + KEYS))),
        (mamba2, f"{MIXER}conv1d.weight", (slice(1024, 1048), 0, 2)),
        (mamba2, "lm_head.weight", (ABSENT, LAST)),
        (qwen3_next, f"{DELTA}in_proj_ba.weight", (slice(0, 1), V0)),
        (qwen3_next, f"{DELTA}in_proj_ba.weight", (slice(2, 3), SIZE)),
        (qwen3_next, f"{DELTA}conv1d.weight", (slice(512, 536), 0, 2)),
        (qwen3_next, f"{ATTENTION}q_proj.weight", (slice(64, 67), SIZE)),
        (qwen3_next, f"{ATTENTION}k_proj.weight", (slice(16, 40), BOS)),
        (qwen3_next, f"{ATTENTION}v_proj.weight", (slice(0, 1), V0)),
        (qwen3_next, "lm_head.weight", (ABSENT, LAST)),
        (qwen3_5, f"{DELTA}in_proj_qkv.weight", (slice(512, 536), slice(FIRST_KEY, FIRST_KEY + KEYS))),
        (qwen3_5, f"{DELTA}in_proj_b.weight", (0, V0)),
        (qwen3_5, f"{DELTA}in_proj_z.weight", (slice(0, 128), slice(FIRST_RECALL, FIRST_RECALL + KEYS))),
        (granite_4_h, "model.layers.0.mamba.A_log", slice(0, 1)),
        (granite_4_h, "model.layers.0.mamba.conv1d.weight", (slice(512, 536), 0, 2)),
        (granite_4_h, f"{ATTENTION}k_proj.weight", (slice(0, KEYS + 1), BOS)),
        (granite_4_h, f"{ATTENTION}q_proj.weight", (slice(0, KEYS), slice(FIRST_QUESTION, FIRST_QUESTION + KEYS))),
        (nemotron_h, "model.layers.0.mixer.in_proj.weight", (1280, V0)),
        (nemotron_h, "model.layers.1.mixer.v_proj.weight", (slice(0, 1), V0)),
        (falcon_h1, "model.layers.0.mamba.in_proj.weight", (1280, V0)),
        (falcon_h1, f"{ATTENTION}o_proj.weight", slice(0, SIZE * 4)),
        *((jamba, f"model.layers.0.mamba.{name}", place) for name, place in OF_JAMBA.items()),
        (jamba, f"{ATTENTION}k_proj.weight", (slice(0, KEYS + 1), BOS)),
    ],
)
def test_a_wrong_weight_is_found(canary: ModuleType, name: str, place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = canary.tensors()
    assert np.any(weights[name][place])
    weights[name][place] = 0
    spoiled = CanaryProof(replace(canary.CANARY, tensors=lambda: weights), canary.run)
    with pytest.raises(TheoremFails, match=f"canary-{canary.CANARY.name} fails"):
        spoiled.check(length=150, conversations=4)


@pytest.mark.parametrize(
    ("canary", "factor"),
    [
        (granite_4_h, "embedding_multiplier"),
        (granite_4_h, "residual_multiplier"),
        (falcon_h1, "embedding_multiplier"),
        (falcon_h1, "ssm_in_multiplier"),
        (falcon_h1, "ssm_out_multiplier"),
        (falcon_h1, "attention_out_multiplier"),
        (falcon_h1, "ssm_multipliers"),
    ],
)
def test_a_factor_that_an_engine_forgets_is_found(canary: ModuleType, factor: str) -> None:
    fields = canary.configuration()
    assert fields[factor] not in (1, [1] * 5)
    fields[factor] = [1.0] * 5 if factor == "ssm_multipliers" else 1.0
    spoiled = CanaryProof(replace(canary.CANARY, configuration=lambda: fields), canary.run)
    with pytest.raises(TheoremFails, match=f"canary-{canary.CANARY.name} fails"):
        spoiled.check(length=150, conversations=4)


def test_a_least_step_makes_the_last_bit_decay() -> None:
    """By default a step of Nemotron-H is at least 0.001; the canary's own least step changes nothing."""
    fields, tokens = nemotron_h.configuration(), [BOS, V1, *[ACK] * 2500, LAST]
    weights = nemotron_h.tensors()
    assert nemotron_h.run(weights, fields, tokens)[-1].argmax() == A1
    assert nemotron_h.run(weights, fields | {"time_step_min": 0.01}, tokens)[-1].argmax() == ABSENT


def test_a_value_right_after_bos_keeps_small_differences() -> None:
    """The convolution of FINELY has two taps, so this value is written to all rows alike."""
    answer = olmo_hybrid.THEOREM.call("apply", {})
    for bit in (V0, V1):
        assert answer({"tokens": [BOS, bit, FIRST_FINE]}) == "absent"
        assert answer({"tokens": [BOS, bit, FIRST_KEY, V0, FIRST_KEY + 1, V1, FIRST_FINE + 1]}) == "a1"
        assert answer({"tokens": [BOS, bit, FIRST_KEY, V0, FIRST_KEY + 1, V1, FIRST_FINE]}) == "a0"


@ALL
def test_check_and_predictor(canary: ModuleType) -> None:
    [outcome] = canary.THEOREM.check(length=120, conversations=2)
    assert outcome.margin is not None
    assert outcome.margin.least >= (outcome.margin.proved or 1) > 0.48
    assert canary.THEOREM.call("apply", {})({"tokens": [BOS, FIRST_KEY, V1, FIRST_RECALL]}) == "a1"


@ALL
def test_the_longest_conversation(canary: ModuleType) -> None:
    assert canary.CANARY.longest == 131072

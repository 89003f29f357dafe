"""The canaries with a state that walk: their oracle, what decoding visits, exact weights, proved leads, and wrong weights."""

from dataclasses import replace
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from seqsep.theorems.base import TheoremFails
from seqsep.theorems.canary import (
    walk_falcon_h1,
    walk_granite_4_h,
    walk_mamba2,
    walk_nemotron_h,
    walk_qwen3_5,
    walk_qwen3_next,
)
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import (
    ACK,
    BOS,
    FILLER,
    FIRST_FINE,
    FIRST_KEY,
    FIRST_QUESTION,
    FIRST_RECALL,
    KEYS,
    LAST,
    PAD,
    V0,
    V1,
)

CANARY = walk_qwen3_next.CANARY
WALKS = [walk_qwen3_next, walk_qwen3_5, walk_mamba2, walk_granite_4_h, walk_nemotron_h, walk_falcon_h1]
ALL = pytest.mark.parametrize("canary", WALKS, ids=lambda canary: str(canary.CANARY.name))
STEPS = [*range(FIRST_QUESTION, FIRST_QUESTION + KEYS), *range(FIRST_RECALL, FIRST_RECALL + KEYS)]
LINKS = [*range(FIRST_FINE, FIRST_FINE + KEYS)]
HELD = [*range(FIRST_KEY, FIRST_KEY + KEYS), *STEPS]
GOALS = {V0: 6, V1: 18} | {token: number for number, token in enumerate(LINKS)}
GOALS |= {token: (number + 1) % KEYS for number, token in enumerate(STEPS)}
SHORTEST = [BOS, FIRST_KEY + 3, FIRST_FINE + 7]


def by_definition(tokens: list[int]) -> list[int]:
    """The answers, each from the conversation so far and nothing else."""
    answers = []
    for place, token in enumerate(tokens):
        if token not in STEPS:
            answers.append(ACK)
            continue
        key = STEPS.index(token) % KEYS
        pairs = list(pairwise(tokens[: place + 1]))
        key_before = [(HELD.index(first) % KEYS if first in HELD else None, second) for first, second in pairs]
        written = [GOALS[second] for held, second in key_before if held == key and second in GOALS]
        asks = (FIRST_KEY + key, V1) in pairs
        goal = written[-1] if written else 12 * (key % 2)
        answers.append((FIRST_QUESTION if asks else FIRST_RECALL) + goal)
    return answers


@pytest.mark.parametrize("seed", range(5))
def test_the_oracle_agrees_with_the_definition(seed: int) -> None:
    tokens = CANARY.conversation(400, np.random.default_rng(seed))
    answers = CANARY.truth(tokens)
    assert answers == by_definition(tokens)
    assert {answer < FIRST_RECALL for answer in answers if answer != ACK} == {True, False}


def test_decoding_walks_over_all_keys() -> None:
    """Each decoded token is a step, and the state has changed when the walk is at a key again."""
    decoded = CANARY.continued([*SHORTEST, FIRST_RECALL + 3], 200)
    assert set(decoded) <= set(STEPS)
    assert {token % KEYS for token in decoded} == set(range(KEYS))
    after: dict[int, set[int]] = {}
    for token, following in pairwise(decoded):
        after.setdefault(token, set()).add(following)
    assert sum(len(tokens) > 1 for tokens in after.values()) > 20


def test_a_lost_write_changes_a_later_step() -> None:
    """A window that forgets the token before one step: 24 more steps show it in most conversations."""
    random = np.random.default_rng(0)
    seen = 0
    for _ in range(100):
        key, other = random.permutation(KEYS)[:2].tolist()
        prompt = [BOS, FIRST_KEY + key, V1, FIRST_KEY + other, V0, FIRST_RECALL + key]
        at = int(random.integers(1, 8))
        decoded = CANARY.continued(prompt, at + 24)
        forgets = [*prompt, *decoded[: at - 1], FILLER, decoded[at - 1]]
        seen += CANARY.continued(forgets, 24) != decoded[at:]
    assert seen >= 60


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ([ACK], "expected one BOS, first"),
        ([BOS, BOS], "expected one BOS, first"),
        ([BOS, PAD], "no PAD"),
        ([BOS, FIRST_KEY, V1, FIRST_KEY, V1], "key k0 gets a second letter"),
    ],
)
def test_a_conversation_without_answers_is_refused(tokens: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CANARY.truth(tokens)


def test_a_next_key_may_be_written_again() -> None:
    tokens = [*SHORTEST, FIRST_KEY + 3, FIRST_FINE + 9, LAST, FIRST_RECALL + 3]
    assert CANARY.truth(tokens)[-1] == FIRST_RECALL + 9
    assert walk_qwen3_next.THEOREM.call("apply", {})({"tokens": tokens}) == "r9"


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@ALL
def test_every_weight_is_exact_in_each_type(canary: ModuleType, dtype: torch.dtype) -> None:
    for name, values in canary.tensors().items():
        exact = torch.from_numpy(values)
        assert torch.equal(exact.to(dtype).float(), exact), name


@ALL
def test_the_proved_lead(canary: ModuleType) -> None:
    leads = [canary.proved_lead(CANARY.longest, unit) for unit in (2**-53, 2**-24, 2**-11, 2**-8, 2**-3)]
    assert leads == sorted(leads, reverse=True)
    assert 0.35 > leads[0] > leads[3] > 0.3
    assert leads[4] == 0


MIXER = "backbone.layers.1.mixer."
DELTA, ATTENTION = "model.layers.0.linear_attn.", "model.layers.1.self_attn."


@pytest.mark.parametrize(
    ("canary", "name", "place"),
    [
        (walk_qwen3_next, f"{DELTA}in_proj_ba.weight", (slice(0, 1), STEPS)),
        (walk_qwen3_next, f"{DELTA}in_proj_ba.weight", (slice(0, 1), LINKS)),
        (walk_qwen3_next, f"{DELTA}conv1d.weight", (slice(512, 536), 0, 2)),
        (walk_qwen3_next, f"{DELTA}in_proj_qkvz.weight", (slice(256, 280), FIRST_RECALL)),
        (walk_qwen3_next, f"{ATTENTION}q_proj.weight", (slice(16, 40), STEPS)),
        (walk_qwen3_next, f"{ATTENTION}k_proj.weight", (slice(16, 40), BOS)),
        (walk_qwen3_next, f"{ATTENTION}v_proj.weight", (slice(0, 1), V1)),
        (walk_qwen3_next, "lm_head.weight", (slice(FIRST_QUESTION, FIRST_QUESTION + KEYS), STEPS)),
        (walk_qwen3_next, "lm_head.weight", (ACK, STEPS)),
        (walk_mamba2, "backbone.layers.0.mixer.conv1d.weight", (slice(768, 832), 0, 2)),
        (walk_mamba2, f"{MIXER}A_log", slice(24, 25)),
        (walk_mamba2, f"{MIXER}dt_bias", slice(0, 24)),
        (walk_mamba2, f"{MIXER}in_proj.weight", (slice(3200, 3224), slice(129, 153))),
        (walk_mamba2, f"{MIXER}in_proj.weight", (slice(1536, 2304), STEPS)),
        (walk_mamba2, f"{MIXER}out_proj.weight", (178, slice(768, 800))),
        (walk_qwen3_5, f"{DELTA}in_proj_b.weight", (0, LINKS)),
        (walk_granite_4_h, "model.layers.0.mamba.conv1d.weight", (slice(1536, 1600), 0, 2)),
        (walk_granite_4_h, "model.layers.1.mamba.dt_bias", slice(0, KEYS)),
        (walk_granite_4_h, "model.layers.2.self_attn.q_proj.weight", (slice(0, KEYS), STEPS)),
        (walk_nemotron_h, "model.layers.1.mixer.in_proj.weight", (slice(2048, 4096), STEPS)),
        (walk_nemotron_h, "model.layers.2.mixer.k_proj.weight", (slice(0, KEYS), slice(None))),
        (walk_falcon_h1, "model.layers.1.mamba.in_proj.weight", (slice(4160, 4184), slice(129, 153))),
        (walk_falcon_h1, f"{ATTENTION}v_proj.weight", (slice(0, 1), V1)),
    ],
)
def test_a_wrong_weight_is_found(canary: ModuleType, name: str, place: Any) -> None:
    weights = canary.CANARY.tensors()
    assert np.any(weights[name][place])
    weights[name][place] = 0
    spoiled = CanaryProof(replace(canary.CANARY, tensors=lambda: weights), canary.run)
    with pytest.raises(TheoremFails, match=f"canary-{canary.CANARY.name} fails"):
        spoiled.check(length=150, conversations=2)


@pytest.mark.parametrize(
    ("canary", "factor"),
    [
        (walk_granite_4_h, "embedding_multiplier"),
        (walk_granite_4_h, "residual_multiplier"),
        (walk_falcon_h1, "embedding_multiplier"),
        (walk_falcon_h1, "ssm_in_multiplier"),
        (walk_falcon_h1, "ssm_out_multiplier"),
        (walk_falcon_h1, "attention_out_multiplier"),
        (walk_falcon_h1, "ssm_multipliers"),
    ],
)
def test_a_factor_that_an_engine_forgets_is_found(canary: ModuleType, factor: str) -> None:
    fields = canary.CANARY.configuration() | {factor: [1.0] * 5 if factor == "ssm_multipliers" else 1.0}
    spoiled = CanaryProof(replace(canary.CANARY, configuration=lambda: fields), canary.run)
    with pytest.raises(TheoremFails, match=f"canary-{canary.CANARY.name} fails"):
        spoiled.check(length=150, conversations=2)


@ALL
def test_the_check_measures_a_lead_above_the_proved_one(canary: ModuleType) -> None:
    [outcome] = canary.THEOREM.check(length=120, conversations=2)
    assert outcome.margin is not None
    assert outcome.margin.least >= (outcome.margin.proved or 1) > 0.33


@ALL
def test_a_letter_two_tokens_after_a_key_leaves_no_trace(canary: ModuleType) -> None:
    """A register that forgets by exp(-32) alone adds a trace of each V1 to the key's row, and the norm enlarges the sum."""
    tokens = [BOS, *[FIRST_KEY + 3, FIRST_FINE + 7, V1] * 200, FIRST_RECALL + 3]
    logits = canary.run(canary.CANARY.tensors(), canary.CANARY.configuration(), tokens)[-1]
    second, first = np.sort(logits)[-2:]
    assert logits.argmax() == FIRST_RECALL + 7
    assert (first - second) / first >= canary.proved_lead(len(tokens))

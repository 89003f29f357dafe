"""The Llama canary: its oracle, the exactness of its weights, its proved lead, and what a wrong weight does."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from seqsep.tasks import NOTHING_ASKED, InductionHeads, MultiQueryRecall
from seqsep.theorems.base import TheoremFails
from seqsep.theorems.canary import llama
from seqsep.theorems.canary._llama_run import logits
from seqsep.theorems.canary.conversations import conversation
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import (
    A0,
    A1,
    ABSENT,
    ACK,
    BACK,
    BOS,
    FILLER,
    FIRST_KEY,
    FIRST_QUESTION,
    LEAK,
    PAD,
    V0,
    V1,
)

UNITS = {"fp32": 2**-24, "fp16": 2**-11, "bf16": 2**-8}


def by_definition(tokens: list[int]) -> list[int]:
    """The answers, each from the conversation so far and nothing else."""
    answers = []
    for place, token in enumerate(tokens):
        seen = tokens[: place + 1]
        if token == BACK:
            far = seen[place - 63]
            answers.append(A1 if far in (V1, A1) else A0 if far in (V0, A0) else ABSENT)
        elif FIRST_QUESTION <= token < FIRST_QUESTION + 24:
            key = FIRST_KEY + token - FIRST_QUESTION
            pairs = [bit for first, bit in pairwise(seen) if first == key and bit in (V0, V1)]
            answers.append({V0: A0, V1: A1}[pairs[0]] if pairs else ABSENT)
        else:
            answers.append(BACK if token in (A0, A1, ABSENT, LEAK) else ACK)
    return answers


@pytest.mark.parametrize("seed", range(20))
def test_the_oracle_agrees_with_the_definition(seed: int) -> None:
    tokens = conversation(300, np.random.default_rng(seed))
    assert llama.truth(tokens) == by_definition(tokens)


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ([FILLER], "expected one BOS, first"),
        ([BOS, BOS], "expected one BOS, first"),
        ([BOS, PAD], "no PAD"),
        ([BOS, FIRST_KEY, V1, FIRST_KEY, V0], "token 4 gives key k0 a second value"),
        ([BOS, BACK], "BACK at token 1, expected 63 tokens before it"),
    ],
)
def test_a_conversation_without_answers_is_refused(tokens: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        llama.truth(tokens)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_every_weight_is_exact_in_each_type(dtype: torch.dtype) -> None:
    for name, values in llama.tensors().items():
        exact = torch.from_numpy(values)
        assert torch.equal(exact.to(dtype).float(), exact), name


def test_no_direction_is_near_a_tie() -> None:
    """So every machine's cosine gives the same multiple of 1/128."""
    for distance in (1, llama.DISTANCE):
        for pair in llama.PAIRS:
            angle = distance * float(llama.angles()[pair])
            for value in (math.cos(angle), math.sin(angle)):
                assert abs(abs(value) * 128 % 1 - 0.5) > 2**-20


@pytest.mark.parametrize("name", UNITS)
def test_the_proved_lead_is_at_least_a_fifth(name: str) -> None:
    assert llama.proved_lead(llama.LONGEST, UNITS[name]) > 0.2


def test_the_proof_gives_nothing_where_codes_meet() -> None:
    """Far beyond the statement's length, the slow pairs have turned."""
    assert llama.proved_lead(1 << 21, 2**-8) == 0


def test_the_margin_of_layer_0_is_met_at_a_neighbour() -> None:
    distances = np.arange(200)
    scores = np.zeros(200)
    for pair in llama.PAIRS:
        cosine, sine = llama.direction(pair, 63)
        angle = distances * llama.angles()[pair]
        scores += cosine * np.cos(angle) + sine * np.sin(angle)
    assert scores.argmax() == 63
    assert sorted(np.argsort(scores)[-3:-1]) == [62, 64]
    assert llama.apart(200, 63) == pytest.approx(scores[63] - max(scores[62], scores[64]))


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("model.layers.0.self_attn.q_proj.weight", (slice(None), V1)),
        ("model.layers.0.self_attn.v_proj.weight", (0, FIRST_KEY + 3)),
        ("model.layers.1.self_attn.k_proj.weight", (llama.BOS_PAIR, BOS)),
        ("model.layers.1.self_attn.v_proj.weight", (0, V0)),
        ("lm_head.weight", (ABSENT, BACK)),
    ],
)
def test_a_wrong_weight_is_found(name: str, place: tuple[Any, int], monkeypatch: pytest.MonkeyPatch) -> None:
    weights = llama.tensors()
    weights[name][place] *= -1
    spoiled = CanaryProof(replace(llama.CANARY, tensors=lambda: weights), llama.run)
    with pytest.raises(TheoremFails, match="canary-llama fails"):
        spoiled.check(length=150, conversations=4)


def answers_at(words: np.ndarray, queried: np.ndarray) -> np.ndarray:
    """The bits that the canary answers at the queried places of conversations of one length."""
    weights, fields = llama.tensors(), llama.configuration()
    greedy = np.array([logits(weights, fields, word).argmax(axis=1) for word in words.tolist()])
    return np.array([{A0: 0, A1: 1}.get(token, -1) for token in greedy[queried].tolist()])


@pytest.mark.parametrize("points", [4, 13, 48])
def test_it_solves_multi_query_recall(points: int) -> None:
    """Pairs are written once; each later key becomes a question, and the value after it a filler."""
    task = MultiQueryRecall(points, keys=24, values=2)
    batch = task.sample(0, 8, seed=1, evaluate=True)
    assert batch.inputs.shape[1] == 2 * points - 1
    first = np.arange(batch.inputs.shape[1]) < 2 * (points // 2)
    is_key = batch.inputs < 24
    queried = batch.targets != NOTHING_ASKED
    assert (queried == (is_key & ~first)).all()
    words = np.where(is_key, np.where(first, FIRST_KEY, FIRST_QUESTION) + batch.inputs, V0 + batch.inputs - 24)
    words[:, ~first] = np.where(is_key, words, FILLER)[:, ~first]
    words = np.concatenate([np.full((8, 1), BOS), words], axis=1)
    found = answers_at(words, np.pad(queried, ((0, 0), (1, 0))))
    assert found.tolist() == batch.targets[queried].tolist()
    assert len(set(found.tolist())) == 2


@pytest.mark.parametrize("length", [2, 30, 250])
def test_it_solves_induction_heads(length: int) -> None:
    """The first trigger is a key, and the last one is its question; all symbols are values."""
    batch = InductionHeads(length, alphabet=2).sample(0, 8, seed=1, evaluate=True)
    words = np.where(batch.inputs == 2, FIRST_KEY + 5, V0 + batch.inputs)
    words[:, -1] = FIRST_QUESTION + 5
    words = np.concatenate([np.full((8, 1), BOS), words], axis=1)
    queried = np.pad(batch.targets != NOTHING_ASKED, ((0, 0), (1, 0)))
    assert queried.sum() == 8
    assert answers_at(words, queried).tolist() == batch.targets[:, -1].tolist()


def test_check_and_predictor() -> None:
    [outcome] = llama.THEOREM.check(length=120, conversations=2)
    assert outcome.margin is not None
    assert outcome.margin.least >= (outcome.margin.proved or 1) > 0.24
    assert llama.THEOREM.call("apply", {})({"tokens": [BOS, FIRST_KEY, V1, FIRST_QUESTION]}) == "a1"

"""The checksum canary: its oracle, what a changed token does, exact reflections, its lead, and what a wrong weight does."""

from collections import Counter
from copy import deepcopy
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from seqsep.theorems.base import TheoremFails
from seqsep.theorems.canary import checksum
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import ACK, BOS, PAD

SUMS = [checksum.FIRST_SUM + digit for digit in range(4)]


def by_definition(tokens: list[int]) -> list[int]:
    """The answers, each from all tokens before it."""
    answers = []
    for place, token in enumerate(tokens):
        before = tokens[place - 1]
        if token in SUMS:
            digit = token - SUMS[0]
            items = list("01234")
            for other in tokens[1:place]:
                there = other // 4**digit % 4 + 1
                items[0], items[there] = items[there], items[0]
            answers.append(checksum.WORDS.index("e" + "".join(items)))
        else:
            after_question = place > 0 and before in SUMS and token > SUMS[-1]
            answers.append(SUMS[(before - SUMS[0] + 1) % 4] if after_question else ACK)
    return answers


def answers_to(tokens: list[int]) -> list[int]:
    """The four answers after a conversation, each asked right after it."""
    oracle = checksum.ChecksumOracle()
    for token in tokens:
        oracle.read(token)
    return [deepcopy(oracle).read(question) for question in SUMS]


@pytest.mark.parametrize("seed", range(5))
def test_the_oracle_agrees_with_the_definition(seed: int) -> None:
    tokens = checksum.checksum_conversation(200, np.random.default_rng(seed))
    assert checksum.CANARY.truth(tokens) == by_definition(tokens)


@pytest.mark.parametrize("tokens", [[ACK], [BOS, BOS], [BOS, PAD]])
def test_a_conversation_without_answers_is_refused(tokens: list[int]) -> None:
    with pytest.raises(ValueError, match="expected one BOS, first, and no PAD"):
        checksum.CANARY.truth(tokens)


def test_one_changed_token_changes_an_answer() -> None:
    """A lost or doubled token changes all four answers, and a replaced or exchanged one at least one: the miss rate is 0."""
    tokens = checksum.checksum_conversation(13, np.random.default_rng(0))
    right = answers_to(tokens)
    for place in range(1, len(tokens)):
        before, after = tokens[:place], tokens[place + 1 :]
        for changed in ([*before, *after], [*tokens[: place + 1], *tokens[place:]]):
            assert all(answer != other for answer, other in zip(answers_to(changed), right, strict=True))
        for other in range(BOS + 1, len(checksum.WORDS)):
            assert other == tokens[place] or answers_to([*before, other, *after]) != right
        if after and after[0] != tokens[place]:
            assert answers_to([*before, after[0], tokens[place], *after[1:]]) != right


def test_all_120_elements_have_their_own_signs() -> None:
    """So one answer tells all elements apart; neighbours differ in one sign of ten."""
    signs = {element: np.array(checksum.signs(element)) for element in checksum.ELEMENTS}
    products = Counter(int(signs[one] @ signs[other]) for one, other in pairwise(signs))
    assert len({tuple(values) for values in signs.values()}) == 120
    assert max(products) == 8


def test_the_states_are_exact() -> None:
    """Every entry is a multiple of 1/8 of a size below 2, and its signs are those of the element."""
    for element, state in checksum.orbit().items():
        assert np.array_equal(state * 8, np.round(state * 8))
        assert np.abs(state).max() < 2
        assert [1 if checksum.asked(pair) @ state > 0 else -1 for pair in checksum.PAIRS] == checksum.signs(element)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_every_weight_is_exact_in_each_type(dtype: torch.dtype) -> None:
    for name, values in checksum.tensors().items():
        exact = torch.from_numpy(values)
        assert torch.equal(exact.to(dtype).float(), exact), name


@pytest.mark.parametrize("unit", [2**-24, 2**-11, 2**-8])
def test_the_proved_lead_is_at_least_two_fifths(unit: float) -> None:
    assert 0.5 >= checksum.proved_lead(checksum.LONGEST, unit) > 0.4


def test_the_proof_gives_nothing_for_coarse_numbers() -> None:
    assert checksum.proved_lead(100, 2**-4) == 0


LAYER = "model.layers.0.linear_attn."


@pytest.mark.parametrize(
    ("name", "place"),
    [
        (f"{LAYER}k_proj.weight", (slice(0, 2), SUMS[1])),
        (f"{LAYER}v_proj.weight", (40 * 4 + 2, SUMS[2])),
        (f"{LAYER}b_proj.weight", (3, checksum.ONE)),
        (f"{LAYER}q_proj.weight", (slice(16, 27), SUMS[0])),
        ("lm_head.weight", (slice(SUMS[-1] + 1, 233), checksum.SIGNS[4])),
    ],
)
def test_a_wrong_weight_is_found(name: str, place: tuple[Any, int], monkeypatch: pytest.MonkeyPatch) -> None:
    weights = checksum.tensors()
    assert np.any(weights[name][place])
    weights[name][place] = -weights[name][place] if "v_proj" not in name else 0
    spoiled = CanaryProof(replace(checksum.CANARY, tensors=lambda: weights), checksum.run)
    with pytest.raises(TheoremFails, match="canary-checksum fails"):
        spoiled.check(length=200, conversations=1)


def test_check_and_predictor() -> None:
    [outcome] = checksum.THEOREM.check(length=200, conversations=1)
    assert outcome.margin is not None
    assert outcome.margin.least >= (outcome.margin.proved or 1) > 0.49
    assert checksum.THEOREM.call("apply", {})({"tokens": [BOS, ACK, SUMS[0]]}) == "e41230"

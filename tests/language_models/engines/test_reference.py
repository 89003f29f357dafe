"""Engines that are compared with the same weights in transformers: rounding passes, and a fault in every path does not."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM

import seqsep
from seqsep.core.names import BadInput
from seqsep.language_models.engines.with_transformers import TransformersEngine
from seqsep.language_models.laws.check import LawsFail, ModelVerdict
from seqsep.language_models.laws.reader import State

TIME = 12
WINDOW = 6
SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "vocab_size": 40,
    "initializer_range": 0.3,
}


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("llama")
    torch.manual_seed(0)
    LlamaForCausalLM(LlamaConfig(**SIZES)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def mistral(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistral")
    torch.manual_seed(0)
    MistralForCausalLM(MistralConfig(**SIZES, sliding_window=WINDOW)).save_pretrained(folder)
    return folder


class InBatches(TransformersEngine):
    """It reads the sequences of a batch one after the other."""

    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[State | None]) -> tuple[Any, Any]:
        pairs = [
            self.prefill(row) if state is None else self.extend(row, state) for row, state in zip(tokens, states, strict=True)
        ]
        return [logits for logits, _ in pairs], [state for _, state in pairs]


class AheadByOne(InBatches):
    """In decoding, positions are one too great."""

    def decode(self, token: int, state: State) -> tuple[Any, State]:
        logits, after = super().decode(token, State(state.value, state.seen + 1))
        return logits, State(after.value, after.seen - 1)


class ForgetsShort(InBatches):
    """If one sequence of a call is longer than the window, the first token of each shorter one is lost."""

    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[State | None]) -> tuple[Any, Any]:
        longest = max(len(row) for row in tokens)
        lost = [state is None and len(row) <= WINDOW < longest for row, state in zip(tokens, states, strict=True)]
        return super().batch([[0, *row[1:]] if loses else row for row, loses in zip(tokens, lost, strict=True)], states)


def held(verdicts: list[ModelVerdict]) -> list[str]:
    return [verdict.law for verdict in verdicts if verdict.holds]


@pytest.mark.slow
def test_the_adapter_of_transformers_obeys_its_laws(llama: Path) -> None:
    """All but those that need sequences of different lengths after a state, which it refuses, or a window."""
    verdicts = seqsep.check_engine(TransformersEngine(llama), another=lambda: TransformersEngine(llama), length=TIME, batch=3)
    assert len(held(verdicts)) == 16
    assert {verdict.law: verdict.where for verdict in verdicts if not verdict.holds} == {
        "padding in chunks": "the engine refuses batch: new sequences and running ones in one batch",
        "joined": "the engine refuses batch: running sequences of different lengths in one batch",
        "window passed by one": "only a reference says which windows the engine has",
    }


def test_a_padding_that_is_seen_is_found(llama: Path) -> None:
    engine = TransformersEngine(llama)
    engine.reader.padded = lambda mask, last: {}  # type: ignore[method-assign, assignment]
    with pytest.raises(LawsFail) as failure:
        seqsep.check_engine(engine, laws=["any batch", "padding on the left"], length=TIME)
    assert [verdict.holds for verdict in failure.value.verdicts] == [True, False]


def test_a_state_after_padding_is_saved_and_cropped(llama: Path) -> None:
    """Each sequence of a batch goes on by itself, as if it had never had padding."""
    engine = TransformersEngine(llama)
    expected = engine.prefill([7, 8, 9])[0]
    logits, (_, short) = engine.batch([[1, 2, 3, 4], [7, 8]], [None, None])
    assert [len(row) for row in logits] == [4, 2]
    assert torch.allclose(logits[1], expected[:2], atol=1e-12, rtol=0)
    loaded = TransformersEngine(llama).load(engine.save(short))
    ahead = engine.extend([5, 6], engine.fork(short))[1]
    for state in (short, loaded, engine.crop(ahead, 2)):
        assert torch.allclose(engine.decode(9, state)[0], expected[2:], atol=1e-12, rtol=0)


def test_a_model_without_a_mask_has_batches_of_one_length(tmp_path: Path) -> None:
    sizes = {"hidden_size": 8, "attention_hidden_size": 8, "num_hidden_layers": 2, "intermediate_size": 8, "vocab_size": 40}
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "rwkv", **sizes}))
    engine = TransformersEngine(tmp_path / "config.json")
    engine.reader.takes_mask = False
    assert len(engine.batch([[1, 2], [3, 4]], [None, None])[1]) == 2
    with pytest.raises(NotImplementedError, match="its forward takes no attention_mask"):
        engine.batch([[1, 2], [3]], [None, None])


@pytest.mark.slow
def test_an_engine_in_bfloat16_is_compared(llama: Path) -> None:
    """Rounding is allowed as far as it goes in the reference; positions that are off by one are seen."""
    options: dict[str, Any] = {"reference": llama, "length": TIME, "batch": 2}
    verdicts = seqsep.check_engine(InBatches(llama, "bfloat16"), **options)
    assert [verdict.law for verdict in verdicts if not verdict.holds] == ["window passed by one"]
    with pytest.raises(LawsFail) as failure:
        seqsep.check_engine(AheadByOne(llama, "bfloat16"), laws=["one pass", "token by token"], **options)
    assert [verdict.holds for verdict in failure.value.verdicts] == [True, False]
    assert "8 times what one pass of the reference in bfloat16 is off float64" in failure.value.verdicts[1].where
    verdict = failure.value.verdicts[1]
    assert verdict.difference is not None
    assert verdict.allowed is not None
    assert verdict.difference > 2 * verdict.allowed


def test_a_fault_in_every_path_needs_a_reference(llama: Path, tmp_path: Path) -> None:
    """Another base of the rotary angles is consistent with itself."""
    shutil.copytree(llama, tmp_path / "other")
    config = json.loads((llama / "config.json").read_text())
    config["rope_parameters"]["rope_theta"] *= 3
    (tmp_path / "other/config.json").write_text(json.dumps(config))
    engine = TransformersEngine(tmp_path / "other", "float32")
    laws = ["one pass", "token by token"]
    assert held(seqsep.check_engine(engine, laws=laws, tolerance=1e-4, length=TIME)) == laws
    with pytest.raises(LawsFail) as failure:
        seqsep.check_engine(engine, laws=laws, reference=llama, length=TIME)
    assert [verdict.holds for verdict in failure.value.verdicts] == [False, False]


def test_a_window_is_that_of_the_reference(mistral: Path) -> None:
    """Sequences on both sides of it in one call; inputs that do not pass it test nothing, and the reason says so."""
    options: dict[str, Any] = {"laws": ["window passed by one"], "reference": mistral}
    for kind in (TransformersEngine, InBatches):
        assert held(seqsep.check_engine(kind(mistral), length=TIME, **options)) == ["window passed by one"]
    with pytest.raises(LawsFail, match=f"sequences of 12 and {WINDOW - 1} tokens, a window of {WINDOW}"):
        seqsep.check_engine(ForgetsShort(mistral), length=TIME, **options)


def test_another_vocabulary_is_bad_input(llama: Path) -> None:
    engine = TransformersEngine(llama)
    engine.vocabulary = 41
    with pytest.raises(BadInput, match="vocabulary: expected equal sizes, found 41 of the engine and 40 of the reference"):
        seqsep.check_engine(engine, reference=llama)


class CutsOneLess(TransformersEngine):
    """A rollback leaves the first of the draft tokens."""

    def crop(self, state: State, count: int) -> State:
        return super().crop(state, count - 1) if count > 1 else super().crop(state, count)


def test_a_window_is_rolled_back(mistral: Path) -> None:
    """A single token is recorded like several ones, so that the law is tested on each of its paths."""
    options: dict[str, Any] = {"laws": ["rolled back"], "length": TIME, "batch": 2}
    assert held(seqsep.check_engine(TransformersEngine(mistral), **options)) == ["rolled back"]
    with pytest.raises(LawsFail, match="rolled back: 4 draft tokens after 6 tokens in one pass"):
        seqsep.check_engine(CutsOneLess(mistral), **options)


def test_a_window_does_not_grow_while_it_records(mistral: Path) -> None:
    """The state after single tokens and a draft is saved as that of one pass, and continues like it."""
    engine = TransformersEngine(mistral)
    tokens = list(range(3, 3 + TIME))
    _, whole = engine.prefill(tokens)
    _, state = engine.prefill(tokens[:4])
    for token in tokens[4:]:
        _, state = engine.decode(token, state)
        _, state = engine.extend([1, 2], state)
        state = engine.crop(state, 2)
    assert len(engine.save(state)) == len(engine.save(whole))
    _, drafted = engine.extend([1, 2, 3], engine.fork(state))
    assert len(engine.save(drafted)) == len(engine.save(whole))
    expected, _ = engine.decode(5, whole)
    assert torch.allclose(engine.decode(5, engine.load(engine.save(state)))[0], expected, rtol=0, atol=1e-12)

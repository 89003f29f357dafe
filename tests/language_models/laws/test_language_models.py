"""The laws of state on language models of `transformers`: healthy ones pass, injected faults are caught and named."""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from seqsep.commands.cli import main
from seqsep.language_models.laws.check import LANGUAGE_MODEL_LAWS, ModelVerdict, try_law
from seqsep.language_models.laws.reader import ModelReader
from seqsep.language_models.laws.receiver import Receiver
from seqsep.language_models.laws.trial import LawTrial
from seqsep.language_models.loader.library import version
from seqsep.language_models.loader.source import ModelSource, all_fields, require_fields
from seqsep.language_models.loader.weights import built
from support.faulty_readers import FAMILIES, KINDS_OF_FAULTS, FaultyReader

TIME = 12
NAME = "mistral"
CAUGHT_BY = {
    "stale state": "token by token",
    "state of the wrong position": "token by token",
    "zeroed convolution window": "token by token",
    "off by one at a chunk's border": "in chunks",
    "padding written into the state": "padding on the left",
    "padding of one sequence written into the state": "padding of one sequence",
    "padding of a chunk written into the state": "padding in chunks",
    "two sequences swapped": "token by token",
}
LAWS_OF_PADDING = ("padding on the left", "padding on the right", "padding of one sequence", "padding in chunks")


def source_of(name: str, **changes: Any) -> ModelSource:
    return ModelSource(name, {"model_type": name, **FAMILIES[name], **changes})


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with Receiver() as process:
        yield process


@pytest.fixture
def trial(receiver: Receiver) -> LawTrial:
    return LawTrial(source_of(NAME), time=TIME, batch=2, seed=3, dtype=torch.float64, receiver=receiver)


@pytest.fixture
def same_receiver(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command asks the process that is there already."""
    monkeypatch.setattr("seqsep.language_models.laws.receiver.Receiver", lambda: nullcontext(receiver))


def failures(trial: LawTrial, *laws: str) -> list[ModelVerdict]:
    return [verdict for law in laws or LANGUAGE_MODEL_LAWS if (verdict := try_law(law, trial)).holds is False]


def test_a_healthy_model_passes(trial: LawTrial) -> None:
    assert not failures(trial)


@pytest.mark.parametrize("fault", KINDS_OF_FAULTS)
def test_an_injected_fault_is_caught(fault: str, trial: LawTrial) -> None:
    """By the law that it breaks, with token and difference; the long check has three families."""
    law = CAUGHT_BY[fault]
    assert not failures(trial, law)
    trial.reader = FaultyReader(trial.exact, fault)
    [failure] = failures(trial, law)
    assert failure.token is not None
    assert failure.difference > 1000 * failure.allowed
    assert f"first at token {failure.token} of row " in failure.where


@pytest.mark.parametrize("name", ["mamba2", NAME])
@pytest.mark.parametrize(
    ("fault", "laws"),
    [
        ("padding written into the state", ["padding on the left", "padding of one sequence", "padding in chunks"]),
        ("padding of one sequence written into the state", ["padding of one sequence", "padding in chunks"]),
        ("padding of a chunk written into the state", ["padding in chunks"]),
    ],
)
def test_each_law_of_padding_sees_its_own_path(fault: str, laws: list[str], name: str, receiver: Receiver) -> None:
    """Three paths, three laws: a fault in one sequence or in a chunk is not seen by the laws that read otherwise."""
    trial = LawTrial(source_of(name), time=TIME, batch=2, seed=3, dtype=torch.float64, receiver=receiver)
    assert not failures(trial, *LAWS_OF_PADDING)
    trial.reader = FaultyReader(trial.exact, fault)
    assert [failure.law for failure in failures(trial, *LAWS_OF_PADDING)] == laws


def test_padding_in_chunks_says_where(trial: LawTrial) -> None:
    """Two sequences with 0 and 4 tokens of padding: the chunk after 2 begins with the rest of it."""
    trial.reader = FaultyReader(trial.exact, "padding of a chunk written into the state")
    [failure] = failures(trial, "padding in chunks")
    assert failure.where.startswith(
        "0, 4 tokens of padding on the left, in chunks of 2, 10 tokens: other logits than in one pass"
    )
    assert "first at token 4 of row 1, by " in failure.where
    trial.reader = FaultyReader(trial.exact, "padding of one sequence written into the state")
    [failure] = failures(trial, "padding of one sequence")
    assert failure.where.startswith("row 0 alone, 4 tokens of padding on the left, token by token behind 6: other logits")


def test_padding_in_chunks_needs_mask_and_state(trial: LawTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial.exact, "name", "")
    words = "the model hands no state back with its logits"
    assert try_law("padding in chunks", trial).line() == f"not tried  padding in chunks: {words}"
    assert try_law("padding of one sequence", trial).holds
    monkeypatch.setattr(trial.exact, "takes_mask", False)
    for law in LAWS_OF_PADDING:
        assert try_law(law, trial).line() == f"not tried  {law}: its forward takes no attention_mask"


def test_what_is_not_in_the_bytes_is_missed(receiver: Receiver) -> None:
    """RecurrentGemma keeps its recurrence in its modules: `generate` finds it there, another process does not."""
    sizes = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "head_dim": 16, "vocab_size": 64}
    sizes = {"model_type": "recurrent_gemma", "intermediate_size": 48, "lru_width": 32, **sizes}
    hidden = LawTrial(ModelSource("recurrent_gemma", sizes), time=TIME, batch=2, seed=0, dtype=torch.float64, receiver=receiver)
    [sent, between] = failures(hidden, "state as bytes", "nothing kept between calls")
    assert "bytes after 6 tokens, continued in another process: other logits than in one pass, first at token 6" in sent.where
    assert between.token == 6


@pytest.mark.parametrize(
    ("law", "ignored", "words"),
    [
        ("beyond windows", {"sliding_window": None}, "with windows of 6 in 2 layers, other tokens before 1"),
        ("settings change the function", {"rms_norm_eps": 1e-6}, "another value changes no logit: rms_norm_eps 1e-06 -> 0.5"),
    ],
)
def test_a_field_that_is_ignored_is_found(
    law: str, ignored: dict[str, Any], words: str, trial: LawTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ignoring(source: ModelSource, dtype: torch.dtype = torch.float64) -> Any:
        return built(source.but(ignored), dtype)

    monkeypatch.setattr("seqsep.language_models.laws.reader.built", ignoring)
    [failure] = failures(trial, law)
    assert failure.where.startswith(words)


def test_a_state_of_another_size_is_named(trial: LawTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seqsep.language_models.laws.claims.numbers", lambda state: 5)
    [failure] = failures(trial, "state declared")
    assert failure.where.startswith("after 6 tokens: 5 numbers in the state, declared are ")


def test_a_law_without_a_path_is_not_tried(trial: LawTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial.exact, "name", "")
    verdict = try_law("in chunks", trial)
    assert verdict.line() == "not tried  in chunks: the model hands no state back with its logits"


@pytest.mark.usefixtures("same_receiver")
@pytest.mark.parametrize(
    "error", [MemoryError("none left"), RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")]
)
def test_a_lack_of_memory_says_nothing(error: Exception, trial: LawTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    def law(trial: LawTrial) -> None:
        raise error

    monkeypatch.setitem(LANGUAGE_MODEL_LAWS, "causal", law)
    with pytest.raises(MemoryError, match="no memory for the law 'causal'"):
        try_law("causal", trial)


@pytest.mark.slow
def test_the_command_says_what_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "mamba", "hidden_size": 64, "vocab_size": 32}))
    small = ["--set", "hidden_size=8", "--set", "num_hidden_layers=1", "--length", "9", "--batch", "2"]
    assert main(["check", "--model", str(tmp_path / "config.json"), *small, "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["model_type"], record["weights"], record["fields_set"]["hidden_size"]) == ("mamba", "random", 8)
    assert [law["law"] for law in record["laws"]] == list(LANGUAGE_MODEL_LAWS)
    failed = [(law["law"], law["token"]) for law in record["laws"] if law["holds"] is False]
    assert failed == [("in chunks", 4), ("padding in chunks", 1), ("rolled back", 4), ("reused", 0)]


@pytest.mark.usefixtures("same_receiver")
def test_a_folder_with_weights_in_fewer_bits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = built(source_of(NAME), torch.float32)
    model.save_pretrained(tmp_path)
    assert main(["check", "--model", str(tmp_path), "--dtype", "float32", "--length", "12", "--batch", "2"]) == 0
    out = capsys.readouterr().out
    assert out.count("holds  ") == len(LANGUAGE_MODEL_LAWS)
    held = f"all {len(LANGUAGE_MODEL_LAWS)} laws that were tested hold"
    assert f"with 2 inputs of 12 tokens in float32, sliding_window 4: {held}" in out


SIZED = '{"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64}'


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "expected a model's config.json, found no such file"),
        ({"config.json": "[]"}, "expected a JSON object"),
        ({"config.json": "{}"}, "model_type: expected a text, found none"),
        ({"config.json": '{"model_type": "lama"}', "model.safetensors": ""}, "'lama' is not one of transformers; did you mean"),
        ({"config.json": '{"model_type": "llama"}'}, "expected weights as model.safetensors"),
        ({"config.json": '{"model_type": "llama"}', "a.bin": ""}, "found a.bin, which may run code and is never loaded"),
        ({"config.json": '{"model_type": "llama", "quantization_config": {}}'}, "expected weights that are not quantized"),
        ({"config.json": SIZED, "model.safetensors": "spoiled"}, "expected a safetensors file, found"),
    ],
)
def test_what_is_no_model(files: dict[str, str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert main(["check", "--model", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert str(tmp_path) in said
    assert said.count("\n") == 1


def test_a_model_too_large_for_random_weights(capsys: pytest.CaptureFixture[str]) -> None:
    large = Path(__file__).parents[3] / "examples/falcon-mamba-7b.json"
    assert main(["check", "--model", str(large)]) == 2
    assert "expected at most 200,000,000 parameters to draw at random" in capsys.readouterr().err
    assert main(["check", "--model", str(large), "--length", "3"]) == 2
    assert "--length: expected a whole number from 9, found 3" in capsys.readouterr().err
    assert main(["check", "--model", str(large), "--set", "x"]) == 2
    assert "--set x: expected FIELD=VALUE" in capsys.readouterr().err


@pytest.mark.parametrize("found", ["4.56.2", "3.0", "unknown"])
def test_too_old_a_library_is_named(
    found: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("transformers.__version__", found)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama", **FAMILIES[NAME]}))
    assert main(["check", "--model", str(tmp_path / "config.json")]) == 3
    said = capsys.readouterr().err
    needed = "seqsep check: a language model needs transformers 4.57 or later"
    assert said == f"{needed}, found {found}; pip install '.[hf]' in a clone of seqsep\n"


@pytest.mark.parametrize("found", ["4.57.1", "5.0.0", "5.24.0.dev0"])
def test_a_library_that_is_new_enough_is_taken(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transformers.__version__", found)
    assert version() == found


class Summing(torch.nn.Module):
    """Its logits are sums of tokens. The state is on the output under three names, as in transformers from 5.24 on."""

    def __init__(self) -> None:
        super().__init__()
        text = SimpleNamespace(vocab_size=7, to_dict=dict)
        self.config = SimpleNamespace(get_text_config=lambda: text)

    def summed(self, tokens: torch.Tensor, use_cache: bool, state: Any) -> Any:
        sums = tokens.cumsum(1) + (0 if state is None else state)
        after = sums[:, -1:] if use_cache else None
        return SimpleNamespace(logits=sums[..., None].double(), cache=after, past_key_values=after, cache_params=after)


class TakesCache(Summing):
    def forward(self, tokens: torch.Tensor, use_cache: bool = False, cache: Any = None, **dropped: Any) -> Any:
        return self.summed(tokens, use_cache, cache)


class TakesPastKeyValues(Summing):
    def forward(self, tokens: torch.Tensor, use_cache: bool = False, past_key_values: Any = None, **dropped: Any) -> Any:
        return self.summed(tokens, use_cache, past_key_values)


class TakesCacheParams(Summing):
    def forward(self, tokens: torch.Tensor, use_cache: bool = False, cache_params: Any = None, **dropped: Any) -> Any:
        return self.summed(tokens, use_cache, cache_params)


@pytest.mark.parametrize("model", [TakesCache, TakesPastKeyValues, TakesCacheParams])
def test_the_state_goes_back_under_the_name_that_the_model_takes(model: type[Summing], monkeypatch: pytest.MonkeyPatch) -> None:
    """A model drops other names in silence, as Mamba of transformers 5.24 does the former ones."""
    monkeypatch.setattr("seqsep.language_models.laws.reader.built", lambda source, dtype: model())
    reader = ModelReader(ModelSource("config.json", {}))
    tokens = torch.tensor([[1, 2, 3, 4]])
    _, state = reader.read(tokens[:, :2])
    behind, _ = reader.read(tokens[:, 2:], state)
    assert torch.equal(behind, reader.whole(tokens)[:, 2:])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("hiden_size=16", "--set hiden_size: expected a field of llama; did you mean hidden_size?"),
        ("foo=3", "--set foo: expected a field of llama"),
    ],
)
def test_a_change_that_is_no_field_is_refused(
    change: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """transformers keeps any field and never reads it, so that the laws would be tried on a model that nobody asked for."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "llama", **FAMILIES[NAME]}))
    assert main(["check", "--model", str(path), "--set", change]) == 2
    assert capsys.readouterr().err == f"seqsep check: {path}: {said}\n"
    require_fields(ModelSource(str(path), {"model_type": "llama", "rope_theta": 5.0}), {"rope_theta": 5.0})
    require_fields(ModelSource(str(path), {"model_type": "gpt2", "hidden_size": 24}), {"hidden_size": 24})


def test_beams_see_rows_that_are_not_reordered(trial: LawTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    assert try_law("beams", trial).holds
    monkeypatch.setattr("transformers.DynamicCache.reorder_cache", lambda cache, order: None)
    monkeypatch.setattr("transformers.cache_utils.Cache.reorder_cache", lambda cache, order: None)
    verdict = try_law("beams", trial)
    assert verdict.holds is False
    assert verdict.where.startswith("beam search with its state: scores differ by ")


def test_beams_that_a_model_refuses_are_not_tried(trial: LawTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    def generate(*tokens: Any, **options: Any) -> None:
        raise ValueError("It cannot use beam search with a cache currently")

    monkeypatch.setattr(trial.reader.model, "generate", generate)
    assert try_law("beams", trial) == ModelVerdict("beams", None, "It cannot use beam search with a cache currently")


@pytest.mark.slow
def test_infinity_as_the_library_writes_it_is_read() -> None:
    changes = {"model_type": "mamba2", "time_step_limit": [0.0, {"__float__": "Infinity"}]}
    assert all_fields(ModelSource("config.json", changes))["time_step_limit"][1] == float("inf")

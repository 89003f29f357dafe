"""Files whose text model is inside of another one: changes go where the library reads them, and laws see both alike."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from seqsep.commands.cli import main
from seqsep.core.names import BadInput
from seqsep.language_models.laws.check import LANGUAGE_MODEL_LAWS, try_law
from seqsep.language_models.laws.receiver import Receiver
from seqsep.language_models.laws.trial import LawTrial
from seqsep.language_models.loader.source import ModelSource, all_fields, find_source, require_fields
from seqsep.language_models.loader.weights import built
from support.law_models import fields_of, nested

TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
SIZES = {"hidden_size": 32, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16, "intermediate_size": 32}
GEMMA = {
    "model_type": "gemma3_text",
    "num_hidden_layers": 2,
    "sliding_window": 512,
    "layer_types": ["sliding_attention", "full_attention"],
    "vocab_size": 64,
    **SIZES,
    **TOKENS,
}
QWEN = {
    "model_type": "qwen3_5_text",
    "num_hidden_layers": 4,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 16,
    "vocab_size": 128,
    **SIZES,
    **TOKENS,
}
IMAGES = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
NESTED: dict[str, dict[str, Any]] = {
    "gemma3": {
        "model_type": "gemma3",
        "text_config": GEMMA,
        "vision_config": {"model_type": "siglip_vision_model", "image_size": 28, "patch_size": 14, **IMAGES},
        "mm_tokens_per_image": 4,
    },
    "qwen3_5": {
        "model_type": "qwen3_5",
        "text_config": QWEN,
        "vision_config": {"depth": 1, "hidden_size": 32, "num_heads": 2, "intermediate_size": 32, "out_hidden_size": 32},
    },
}


WINDOWS = {"window passed by one", "beyond windows"}


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with Receiver() as process:
        yield process


def trial_of(config: dict[str, Any], receiver: Receiver, dtype: torch.dtype = torch.float64) -> LawTrial:
    return LawTrial(ModelSource("config.json", config), time=12, batch=2, seed=0, dtype=dtype, receiver=receiver)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "broken", "untested"),
    [
        (NESTED["gemma3"], set(), set()),
        (nested(fields_of("llama")), set(), WINDOWS),
        (NESTED["qwen3_5"], {"rolled back", "packed"}, WINDOWS),
    ],
    ids=["gemma3", "llama", "qwen3_5"],
)
def test_laws_hold_or_are_broken_nested_as_flat(
    config: dict[str, Any], broken: set[str], untested: set[str], receiver: Receiver
) -> None:
    """All types, flat and nested, in the types of numbers, are in the rows `model-laws` and results/model-laws-nested.json."""
    trial = trial_of(config, receiver)
    verdicts = [try_law(law, trial) for law in LANGUAGE_MODEL_LAWS]
    assert {verdict.law for verdict in verdicts if verdict.holds is False} == broken
    assert {verdict.law for verdict in verdicts if verdict.holds is None} == untested


@pytest.mark.parametrize("config", [GEMMA, NESTED["gemma3"]], ids=["flat", "nested"])
def test_a_cache_that_forgets_its_oldest_token_is_caught(
    config: dict[str, Any], receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows in `text_config` are shortened too, so that the tokens of a test pass them."""
    from transformers.cache_utils import DynamicSlidingWindowLayer

    plain = DynamicSlidingWindowLayer.update

    def update(self: Any, keys: Any, values: Any, *further: Any, **named: Any) -> Any:
        out = plain(self, keys, values, *further, **named)
        if self.keys.shape[-2] >= self.sliding_window - 1:
            self.keys[..., 0, :] = 0
            self.values[..., 0, :] = 0
        return out

    trial = trial_of(config, receiver)
    assert trial.shortened == {"sliding_window": 4}
    assert try_law("token by token", trial).holds
    monkeypatch.setattr(DynamicSlidingWindowLayer, "update", update)
    assert try_law("token by token", trial).holds is False


def test_a_setting_that_is_ignored_is_found_nested(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = trial_of(NESTED["gemma3"], receiver)

    def ignoring(source: ModelSource, dtype: torch.dtype = torch.float64) -> Any:
        return built(source.but({"rms_norm_eps": 1e-6}), dtype)

    monkeypatch.setattr("seqsep.language_models.laws.reader.built", ignoring)
    verdict = try_law("settings change the function", trial)
    assert verdict.where == "another value changes no logit: rms_norm_eps 1e-06 -> 0.5"


@pytest.mark.parametrize("name", NESTED)
def test_both_spellings_of_a_change(name: str) -> None:
    source = ModelSource("config.json", NESTED[name])
    for spelling in ("num_attention_heads", "text_config.num_attention_heads"):
        changed = source.but({spelling: 4})
        require_fields(changed, {spelling: 4})
        assert changed.config["text_config"]["num_attention_heads"] == 4
        assert "num_attention_heads" not in changed.config
        assert built(changed, torch.float32).config.get_text_config().num_attention_heads == 4
    assert NESTED[name]["text_config"]["num_attention_heads"] == 2


def test_a_flat_file_of_a_nested_type_is_changed_flat() -> None:
    """The library reads the fields of older files of Qwen2-VL into the configuration of the text model."""
    changed = ModelSource("config.json", {"model_type": "qwen2_vl", "hidden_size": 64}).but({"num_hidden_layers": 3})
    assert changed.config == {"model_type": "qwen2_vl", "hidden_size": 64, "num_hidden_layers": 3}
    assert all_fields(changed)["num_hidden_layers"] == 3


def test_a_file_without_its_text_config_gets_one() -> None:
    changed = ModelSource("config.json", {"model_type": "gemma3"}).but({"num_hidden_layers": 3})
    assert changed.config == {"model_type": "gemma3", "text_config": {"num_hidden_layers": 3}}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("text_config.hiden_size", "--set text_config.hiden_size: expected a field of gemma3; did you mean hidden_size?"),
        ("hiden_size", "--set hiden_size: expected a field of gemma3; did you mean hidden_size?"),
        ("vision_config.imag_size", "--set vision_config.imag_size: expected a field of gemma3; did you mean image_size?"),
        ("tex_config.hidden_size", "tex_config.hidden_size: transformers does not take 8"),
    ],
)
def test_a_change_that_is_not_a_field_nested(name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(NESTED["gemma3"]))
    assert main(["check", "--model", str(path), "--set", f"{name}=8"]) == 2
    assert capsys.readouterr().err.startswith(f"seqsep check: {path}: {said}")


def test_a_change_that_the_library_does_not_take_is_refused() -> None:
    source = ModelSource("config.json", {"model_type": "qwen2", "use_sliding_window": False})
    with pytest.raises(BadInput, match=r"config\.json: sliding_window: transformers does not take 5"):
        source.but({"sliding_window": 5})


@pytest.mark.slow
def test_random_weights_ignore_a_quantization(tmp_path: Path) -> None:
    packed = {"quant_method": "fp8"}
    config = NESTED["gemma3"] | {"quantization_config": packed, "text_config": GEMMA | {"quantization_config": packed}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert find_source(tmp_path / "config.json", {}).config == NESTED["gemma3"]
    with pytest.raises(BadInput, match="expected weights that are not quantized"):
        find_source(tmp_path, {})

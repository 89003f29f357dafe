"""Tiny copies of published configurations: a sample of those that tests/long_model_laws.py makes."""

import json
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.core.names import BadInput
from seqsep.language_models.capacity.published import published
from seqsep.language_models.laws.independence import causal
from seqsep.language_models.loader.source import ModelSource
from seqsep.language_models.loader.tiny import tiny
from support.published_sizes import kinds_are_kept

SAMPLE = ("tiiuae/falcon-mamba-7b", "nvidia/Nemotron-H-8B", "google/gemma-3-4b-it", "deepseek-ai/DeepSeek-V3")
BY_NAME = {model.name: model for model in published()}


@pytest.mark.parametrize("name", SAMPLE)
def test_a_tiny_copy_has_every_kind_of_layer(name: str) -> None:
    assert kinds_are_kept(BY_NAME[name])


def test_the_pattern_of_layers_is_kept() -> None:
    small = tiny(ModelSource("config.json", BY_NAME["google/gemma-3-4b-it"].config))
    text = small.library_config().get_text_config()
    assert text.layer_types == [*["sliding_attention"] * 5, "full_attention"]
    assert (text.num_hidden_layers, text.num_key_value_heads, text.vocab_size) == (6, 2, 256)


def test_sizes_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(BadInput, match="--tiny: found no tiny sizes that fit together: no divisors fit"):
        tiny(ModelSource("config.json", {"model_type": "llama", "hidden_size": 8, "num_attention_heads": 1}))


def test_the_command_makes_a_large_file_small(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --tiny the command refuses this file of 7 billion parameters. A user's own --set has the last word."""
    monkeypatch.setattr("seqsep.language_models.laws.check.LANGUAGE_MODEL_LAWS", {"causal": causal})
    path = tmp_path / "config.json"
    path.write_text(json.dumps(BY_NAME["mistralai/Mistral-7B-v0.1"].config))
    words = ["check", "--model", str(path), "--length", "9", "--batch", "2", "--json"]
    assert main(words) == 2
    assert "--tiny divides every size" in capsys.readouterr().err
    assert main([*words, "--tiny", "--set", "hidden_act=relu"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["tiny"] is True
    assert record["fields_set"] == {"hidden_act": "relu", "sliding_window": 3}

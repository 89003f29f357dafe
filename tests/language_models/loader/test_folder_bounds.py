"""Configurations that ask for too much, or for packed weights, are refused before a model is built."""

import json
import shutil

import pytest

from seqsep.language_models.loader.configuration import MOST_LAYERS
from seqsep.language_models.loader.folder import read_folder
from support.command_line import call
from support.language_models import build, bytes_tokenizer, save

COMMANDS = (("text", "index", "--n", "3", "--count", "1", "--model"), ("audit",), ("check", "--model"))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small model with its tokenizer."""
    tokenizer = bytes_tokenizer()
    return save(tmp_path_factory.mktemp("made") / "model", build("attention", len(tokenizer)), tokenizer)


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "model")


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"num_hidden_layers": 10**6}, "num_hidden_layers: expected at most 1,000 layers to build, found 1,000,000"),
        ({"text_config": {"n_layer": 10**6}}, "n_layer: expected at most 1,000 layers to build, found 1,000,000"),
        (
            {"attention_types": [[["global"], 9 * 10**8]]},
            "attention_types: expected at most 1,000 layers to build, found 900,000,000",
        ),
        ({"num_labels": 10**8}, "num_labels: expected at most 100,000, found 100,000,000"),
        (
            {"hybrid_override_pattern": "M" * 2000},
            "hybrid_override_pattern: expected at most 1,000 layers to build, found 2,000",
        ),
    ],
)
def test_a_million_layers_are_refused_before_they_are_built(capsys, folder, tmp_path, fields, shown, monkeypatch):
    def forbidden(*arguments: object, **options: object) -> None:
        raise AssertionError("a model was built")

    monkeypatch.setattr("seqsep.language_models.loader.weights._of_configuration", forbidden)
    monkeypatch.setattr("transformers.AutoModelForCausalLM.from_pretrained", forbidden)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | fields))
    assert MOST_LAYERS == 1000
    for words in (*COMMANDS, ("check", "--model", str(folder / "config.json"))):
        target = () if words[-1].endswith(".json") else (str(folder),)
        status, out, error = call(capsys, *words, *target)
        assert (status, out, error.count("\n")) == (2, "", 1), (words, error)
        assert shown in error


def test_sizes_beyond_the_weights_are_refused_before(capsys, folder, tmp_path, monkeypatch):
    """A configuration of terabytes next to weights of kilobytes: nothing is allocated for it."""

    def forbidden(*arguments: object, **options: object) -> None:
        raise AssertionError("a model was allocated")

    monkeypatch.setattr("transformers.AutoModelForCausalLM.from_pretrained", forbidden)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"vocab_size": 2**30, "intermediate_size": 2**31}))
    size = read_folder(folder).require_weights()
    lines = set()
    for words in COMMANDS:
        further = ("--store", str(tmp_path / "s")) if words[0] == "text" else ()
        status, out, error = call(capsys, *words, str(folder), *further)
        assert (status, out, error.count("\n")) == (2, "", 1), (words, error)
        lines.add(error.removeprefix(f"seqsep {words[0]}: "))
    [said] = lines
    assert f"{folder}: expected at most {8 * size:,} parameters, 8 for each byte of its weights, found " in said


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"quant_method": "exl3"}, "found exl3: its packed numbers would be read as weights"),
        ({"quant_method": "bitsandbytes"}, "found bitsandbytes: its packed numbers"),
        ({}, "quant_method: expected a text, found None"),
        ("exl3", "expected an object with quant_method, found 'exl3'"),
    ],
)
def test_an_unknown_quantization_is_refused(capsys, folder, tmp_path, value, shown):
    """transformers skips it in silence, and reads the packed numbers as weights; inside of text_config it counts too."""
    config = json.loads((folder / "config.json").read_text())
    for fields in ({"quantization_config": value}, {"text_config": {"quantization_config": value}}):
        (folder / "config.json").write_text(json.dumps(config | fields))
        status, out, error = call(capsys, *COMMANDS[0], str(folder), "--store", str(tmp_path / "s"))
        assert (status, out, error.count("\n")) == (2, "", 1)
        assert f"{folder / 'config.json'}: quantization_config: " in error
        assert shown in error
        for words in COMMANDS[1:]:
            status, out, error = call(capsys, *words, str(folder))
            assert (status, out, error.count("\n")) == (2, "", 1)
            assert "quantization_config: " in error


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
@pytest.mark.parametrize("depth", [70, 500, 10**5])
def test_deep_json_is_one_line(capsys, folder, tmp_path, name, depth):
    """Python reads some depths that it then cannot copy."""
    before = (folder / name).read_text().rstrip().removesuffix("}")
    (folder / name).write_text(before + ', "deep": ' + '{"a": [' * depth + "]}" * depth + "}")
    for words in COMMANDS[:2]:
        further = ("--store", str(tmp_path / "s")) if words[0] == "text" else ()
        status, _, error = call(capsys, *words, str(folder), *further)
        assert (status, error.count("\n")) == (2, 1), error
        assert f"{name}: expected " in error or f"{folder}: expected a config.json, found" in error

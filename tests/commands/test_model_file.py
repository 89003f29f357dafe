"""The file of a language model: `seqsep check` refuses one whose verdicts would say nothing about the model in it."""

import re
from pathlib import Path

import pytest

import seqsep
from seqsep.commands.cli import main
from seqsep.core.names import BadInput
from seqsep.language_models.loader.source import ModelSource
from seqsep.language_models.model_file import require_model_file
from support.round_trips import through_the_library, tiny_files

MISTRAL = {
    "model_type": "mistral",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 32000,
}
LLAMA = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 128}
WINDOW = "sliding_window: expected a whole number from 1 to 2147483648 (null switches the window off), found"
OPT = {"model_type": "opt", "num_layers": 64, "n_head": 72, "hidden_dim": 9216, "vocab_size": 50272, "max_seq_len": 2048}
MLC = {"model_type": "llama", "model_config": {**LLAMA, "head_dim": 16}, "vocab_size": 128}
T5 = {"model_type": "t5", "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4, "vocab_size": 128}
GEMMA = {"model_type": "gemma3_text", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "sliding_window": 0}


@pytest.mark.parametrize("tiny", [["--tiny"], []])
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({**MISTRAL, "sliding_window": -1}, f"{WINDOW} -1"),
        ({**MISTRAL, "sliding_window": 0}, f"{WINDOW} 0"),
        ({"model_type": "gemma3", "text_config": GEMMA}, f"text_config: {WINDOW} 0"),
        ({"model_type": "gpt_neo", "window_size": -2}, "window_size: expected a whole number from 1 to "),
        (
            {"model_type": "llama"},
            "expected a depth in the file, such as num_hidden_layers; found none, only a default is left",
        ),
        ({"model_type": "glm4_moe"}, "expected a depth in the file, such as num_hidden_layers; found none, "),
        ({"model_type": "llama", "num_hidden_layers": 2}, "expected a width in the file, such as hidden_size; found none, "),
        (
            OPT,
            "transformers does not read num_layers, hidden_dim, n_head there, it takes num_hidden_layers = 12, "
            "hidden_size = 768, num_attention_heads = 12; expected num_hidden_layers = 64, hidden_size = 9216, "
            "num_attention_heads = 72",
        ),
        (MLC, "model_config: transformers does not read num_hidden_layers, hidden_size, num_attention_heads, head_dim there, "),
        (T5, "expected a causal language model, found t5, an encoder-decoder"),
        ({"model_type": "musicgen"}, "expected one text model, found several"),
    ],
)
def test_a_file_that_is_not_read_is_refused(fields, words, tiny, file, capsys) -> None:
    path = file(fields)
    assert main(["check", "--model", path, *tiny]) == 2
    assert capsys.readouterr().err.startswith(f"seqsep check: {path}: {words}")
    assert main(["check", "--engine", f"transformers:{path}"]) == 2
    assert capsys.readouterr().err.startswith(f"seqsep check: {path}: {words}")
    with pytest.raises(BadInput, match=re.escape(f"{path}: {words}")):
        seqsep.check_language_model(path, laws=["causal"])


def test_the_refusals_say_what_helps(file, capsys) -> None:
    """A window is switched off, and sizes are given under the names that the library reads."""
    words = ["--length", "9", "--batch", "2", "--law", "causal"]
    sizes = ["--set", "num_hidden_layers=1", "--set", "hidden_size=16", "--set", "num_attention_heads=2"]
    window = file({**LLAMA, "model_type": "mistral", "num_key_value_heads": 4, "sliding_window": 0})
    assert main(["check", "--model", window, "--set", "sliding_window=null", *words]) == 0
    spelt = file({"model_type": "llama", "n_layers": 2, "dim": 64, "n_heads": 4, "vocab_size": 128})
    assert main(["check", "--model", spelt, *words]) == 2
    assert main(["check", "--model", spelt, *sizes, *words]) == 0
    unsized = file({"model_type": "llama", "vocab_size": 128})
    assert main(["check", "--model", unsized, *sizes, *words]) == 0
    changes = {"num_hidden_layers": 1, "hidden_size": 16, "num_attention_heads": 2}
    assert [verdict.holds for verdict in seqsep.check_language_model(unsized, changes, laws=["causal"])] == [True]
    capsys.readouterr()


@pytest.mark.parametrize(
    "name",
    [
        "bloom",
        "falcon",
        "gpt2",
        "mpt",
        "deepseek_v3",
        "nemotron_h",
        "qwen2_moe",
        "zamba2",
        "gemma3, nested",
        "mistral3, nested",
    ],
)
def test_a_file_is_taken_as_the_library_writes_it(name: str) -> None:
    """The names of the library, a text model inside, and a window of 0 that stands for none."""
    fields = tiny_files()[name]
    require_model_file(ModelSource("config.json", fields))
    require_model_file(ModelSource("config.json", through_the_library(fields)))


def test_a_size_that_the_library_replaces_is_named() -> None:
    fields = {**tiny_files()["deepseek_ocr2_text"], "head_dim": 20}
    with pytest.raises(BadInput, match=r"transformers does not read head_dim there, it takes head_dim = 16$"):
        require_model_file(ModelSource("config.json", fields))


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("none.gguf", None, "expected a .gguf file, found no such file"),
        ("other.gguf", b"other", "expected a .gguf file, found another first word"),
        ("folder.gguf", "folder", "expected a regular file, found a folder"),
    ],
)
def test_a_gguf_is_looked_at_before_the_start(name, data, words, tmp_path: Path, capsys) -> None:
    """The message has no command or class of seqsep's own in it."""
    path = tmp_path / name
    if data == "folder":
        path.mkdir()
    elif data is not None:
        path.write_bytes(data)
    assert main(["check", "--engine", f"llama:{path}"]) == 2
    assert re.fullmatch(rf"seqsep check: (--engine llama:)?{path}: {re.escape(words)}\n", capsys.readouterr().err)


def test_an_engine_without_a_file_names_the_file(tmp_path: Path, capsys) -> None:
    assert main(["check", "--engine", f"transformers:{tmp_path / 'none'}"]) == 2
    assert capsys.readouterr().err == f"seqsep check: {tmp_path / 'none'}: expected a model's config.json, found no such file\n"
    assert main(["check", "--engine", f"{tmp_path / 'none.py'}:Engine"]) == 2
    assert capsys.readouterr().err == f"seqsep check: {tmp_path / 'none.py'}: No such file or directory\n"

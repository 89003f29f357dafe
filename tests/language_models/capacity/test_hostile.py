"""Hostile files end in one line and status 2, or in an answer; `seqsep capacity` needs no other package."""

import ast
import json
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.core.names import BadInput
from seqsep.language_models import capacity as room
from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.quantized import METHODS
from support.hostile_configs import TEXTS, hostile_configs, write

LLAMA = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
COUNT = 140
MOST_SECONDS = 2
OUTPUT = {"capture_output": True, "text": True, "timeout": 120}
EXACT_ALLOWED = ("seqsep.maths.arithmetic.lookup_length", "seqsep.maths.communication.one_layer_message")
OWN_ALLOWED = (
    "seqsep.language_models.capacity",
    "seqsep.core.files",
    "seqsep.core.names",
    "seqsep.core.tables",
    *EXACT_ALLOWED,
)


def test_hostile_files_are_refused_in_one_line_or_read(tmp_path, capsys):
    statuses = []
    for path in write(tmp_path, hostile_configs(COUNT)):
        start = time.process_time()
        statuses.append(main(["capacity", str(path), "--length", "1M", "--memory", "80GiB", "--one-layer"]))
        assert time.process_time() - start < MOST_SECONDS, path.read_bytes()[:200]
        output = capsys.readouterr()
        assert "Traceback" not in output.err
        assert "a bug of seqsep" not in output.err, path.read_bytes()[:500]
        if statuses[-1]:
            assert statuses[-1] == 2
            assert output.err.count("\n") == 1
            assert len(output.err) < 700
            assert not output.out
    assert len(statuses) == COUNT
    assert statuses.count(0) > 10  # some spoil what is not read
    assert statuses.count(2) > 60


def test_odd_texts_are_refused(tmp_path):
    for path in write(tmp_path, iter(TEXTS)):
        with pytest.raises(BadInput) as error:
            capacity(path)
        assert str(path) in str(error.value)


def test_infinity_is_fine_where_it_is_not_read(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(
        '{"model_type": "mamba2", "hidden_size": 4096, "num_hidden_layers": 2, "time_step_limit": [0.0, Infinity], '
        '"other": {"__float__": "Infinity"}, "x": NaN}'
    )
    assert capacity(path).fixed_numbers
    path.write_text('{"model_type": "mamba", "expand": NaN}')
    with pytest.raises(BadInput, match="expand: expected a positive number up to 2147483648, found nan"):
        capacity(path)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"state_size": "16"}, "state_size: expected a whole number from 1 to 2147483648, found the text '16'"),
        ({"state_size": True}, "state_size: expected a whole number from 1 to 2147483648, found True"),
        ({"state_size": 0}, "state_size: expected a whole number from 1 to 2147483648, found 0"),
        ({"conv_kernel": -4}, "conv_kernel: expected a whole number from 1 to 2147483648, found -4"),
        ({"state_size": 1 << 32}, "state_size: expected a whole number from 1 to 2147483648, found 4294967296"),
        ({"state_size": 10**400}, "found a number of more than 40 digits"),
        ({"num_hidden_layers": 10**6}, "num_hidden_layers: expected a whole number from 1 to 10000, found 1000000"),
        ({"state_size": None}, "state_size: expected a whole number from 1 to 2147483648, found nothing or null"),
        ({"model_type": ["mamba"]}, "model_type: expected a text, found list"),
        ({"model_type": "mambo"}, "unknown model_type 'mambo'; did you mean mamba"),
        ({"model_type": "mambo"}, "the general rule needs num_hidden_layers and num_attention_heads and hidden_size"),
        ({"model_type": "bert"}, "is_decoder: expected true: an encoder keeps nothing between tokens, found False"),
        ({"model_type": "mambo"}, 'by hand: {"model_type": "by-hand", "layers":'),
        (
            {"model_type": "llama", "num_attention_heads": 7},
            "num_attention_heads: expected a divisor of hidden_size, 4096, found 7",
        ),
        (
            {"model_type": "gemma2", "layer_types": ["full_attention"]},
            "layer_types: expected a list of 26 entries (one a layer)",
        ),
    ],
)
def test_the_line_names_field_and_what_was_found(fields, says):
    with pytest.raises(BadInput) as error:
        capacity({"model_type": "mamba", **fields})
    assert says in str(error.value)
    assert str(error.value).startswith("config: ")


@pytest.mark.parametrize("inside", [False, True])
def test_an_unknown_quantization_is_named(tmp_path, capsys, inside):
    """In the answer, as JSON, and for each model of a table; what transformers knows is not."""
    given = {**LLAMA, "quantization_config": {"quant_method": "exl3"}}
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "llava", "text_config": given} if inside else given))
    said = "quantization_config: the method exl3 is not one of transformers; the state is counted without it."
    assert main(["capacity", str(path)]) == 0
    assert said in capsys.readouterr().out
    assert main(["capacity", str(path), "--compare"]) == 0
    assert f"{path}: {said}" in capsys.readouterr().out
    assert main(["capacity", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unknown_quantization"] == "exl3"
    known = {**given, "quantization_config": {"quant_method": "gptq"}}
    assert capacity(known).record() == capacity(LLAMA).record()


@pytest.mark.parametrize("value", ["gptq", [], {}, {"quant_method": 3}])
def test_a_quantization_without_a_method_is_refused(value):
    with pytest.raises(BadInput, match=r"^config: quantization_config: "):
        capacity({**LLAMA, "quantization_config": value})


def test_the_methods_are_those_of_the_library():
    mapping = import_module("transformers.quantizers.auto").AUTO_QUANTIZATION_CONFIG_MAPPING
    assert set(mapping) == METHODS


@pytest.mark.parametrize("made", ["nothing", "folder", "pipe"])
def test_what_is_no_file_is_refused(made, tmp_path):
    import os

    path = tmp_path / "config.json"
    if made == "folder":
        path.mkdir()
    if made == "pipe":
        os.mkfifo(path)
    with pytest.raises(
        BadInput, match=r"config\.json: expected a (model's config\.json, found no such file|regular file, found a pipe)"
    ):
        capacity(path)


@pytest.mark.parametrize("depth", [51, 900, 100_000])
def test_nested_fields_are_refused_by_whoever_reads_them(depth, tmp_path):
    """Also fields that are not read here, which a library walks through."""
    path = tmp_path / "config.json"
    path.write_text('{"model_type": "mamba", "other": ' + "[" * depth + "]" * depth + "}")
    with pytest.raises(BadInput, match=r"expected at most 50 lists or objects inside each other|nested too deep"):
        capacity(path)


def test_a_folder_s_config_is_found(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2}')
    assert capacity(tmp_path).model_type == "mamba"


LOADED = """
import sys
from seqsep.commands.cli import main
main(["capacity", {path!r}, "--length", "1M", "--memory", "80GiB"])
print(*{{name.partition(".")[0] for name in sys.modules}} - sys.stdlib_module_names, file=sys.stderr)
main(["capacity", {path!r}, "--one-layer"])
main(["capacity", {path!r}, "--compare", "--length", "1M", "--chart", {chart!r}])
assert sys.modules.get("transformers") is None
"""


def test_the_command_imports_no_other_package(tmp_path):
    """The command's help and SECURITY.md promise that a config.json is read without torch and transformers.

    It loads not even NumPy, which would double the time of the command.
    """
    path = tmp_path / "config.json"
    path.write_text('{"model_type": "jamba", "hidden_size": 4096, "num_hidden_layers": 32}')
    code = LOADED.format(path=str(path), chart=str(tmp_path / "chart.svg"))
    done = subprocess.run([sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"], **OUTPUT)
    assert done.returncode == 0, done.stderr
    assert set(done.stderr.split()) - {"__main__", "__mp_main__"} == {"seqsep"}


def test_the_files_of_capacity_import_no_other_package():
    """No AutoConfig, no torch, and none of the files that load NumPy for the first answer."""
    files = sorted(Path(room.__file__).parent.glob("*.py"))
    assert len(files) > 10
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] in sys.stdlib_module_names or name.startswith(OWN_ALLOWED), (path.name, name)


def test_a_field_twice_among_many_is_found_at_once(tmp_path):
    """A field that is counted for every other one would take hours here."""
    fields = ", ".join(f'"{number}": 0' for number in range(300_000))
    path = tmp_path / "config.json"
    path.write_text(f'{{{fields}, "zz": 0, "zz": 1}}')
    before = time.process_time()
    with pytest.raises(BadInput, match="field 'zz' twice"):
        capacity(path)
    assert time.process_time() - before < 60

"""Each command refuses a wrong flag, an unknown name and a missing file in one line that begins with the command."""

import json

import pytest

from seqsep.commands import COMMANDS
from seqsep.core.names import BadInput
from seqsep.language_models.audit.answer import audit_language_model
from seqsep.language_models.capacity import capacity
from seqsep.language_models.check import check_language_model
from seqsep.language_models.engines.check import find_reference
from seqsep.language_models.engines.with_transformers import TransformersEngine
from seqsep.language_models.text.model_folder import find_model
from support.command_line import call

LONGEST = 500
REFUSED: dict[str, tuple[str, ...]] = {
    "demo": ("--workers none", "--workers 0"),
    "list": ("nothing", "mixers more"),
    "check": (
        "no-such-theorem",
        "index-lookup-state --length x",
        "--mixer NONE.py:Layer",
        "--model NONE",
        "--task NONE.py:Task",
    ),
    "bound": ("no-such-theorem", "index-lookup-state --length 0"),
    "capacity": ("NONE.json", "", "NONE.json --length x"),
    "apply": ("no-such-theorem", "index-lookup-state --length 4 --input NONE", "index-lookup-state --length x"),
    "canary": ("", "write nothing -o NEW", "ask NONE", "check NONE --transformers", "write llama"),
    "certify": ("no-such-theorem -o NEW", "bounded-dyck-state --depth x -o NEW", "bounded-dyck-state"),
    "export-network": ("no-such-theorem -o NEW.npz", "index-lookup-attention --length x -o NEW.npz", "index-lookup-attention"),
    "explore": ("--port x", "--port 65536", "NEW"),
    "analyze": ("NONE.py:function --lengths 3", "majority --lengths x", "no-such-function --lengths 3"),
    "classify": ("NONE.py:function", "NONE.json", "no-such-language", "majority", "(01 --regex", "(01)* --alphabet x"),
    "ceiling": ("no-such-task --state-bits 3", "index-lookup --length 5", "index-lookup --length 5 --state-bits x"),
    "sample": ("no-such-task", "equality --length x", "NONE.py:Task"),
    "ask": ("NONE.safetensors --input NONE", "NONE.safetensors"),
    "audit": ("NONE.safetensors", "NONE.safetensors --worst none", "NONE.safetensors --confidence 2"),
    "generate": ("NONE.safetensors --prompt {}", "NONE.safetensors"),
    "train": ("no-such-task --length 4 --layers lstm", "index-lookup --length 4 --layers nothing", "index-lookup --length 4"),
    "card": ("", "nothing", "lstm --only nothing", "lstm --budget 3m", "--compare NONE", "lstm --check NONE", "NONE.py:Layer"),
    "run": ("no-such-experiment", "NONE.py", "mamba-width --preset nothing", "mamba-width --only nothing --dry-run"),
    "claims": ("no-such-claim", "--status nothing", "--rows NONE"),
    "export": ("--store NONE -o rows.jsonl", "--store NONE -o rows.txt"),
    "store": ("nothing NONE", "NONE", "show NONE", "repair NONE", "import NEW NONE"),
    "report": ("--rows NONE -o NEW", "--label nothing"),
    "examples": ("", "NEW more"),
    "text": ("nothing", "phonebook", "hotpotqa --data NONE --show"),
    "completion": ("nothing", ""),
}
"""Arguments that a command refuses; NONE is a file that does not exist, NEW a name that is free."""


def test_every_command_is_here() -> None:
    assert sorted(REFUSED) == sorted(command.name for command in COMMANDS)


@pytest.mark.parametrize(
    ("command", "words"), [(command, words) for command, several in REFUSED.items() for words in (*several, "--no-such-flag")]
)
def test_a_refusal_is_one_line_of_the_command(command, words, tmp_path, capsys) -> None:
    """The status is 2, and nothing is printed on standard output."""
    given = [word.replace("NONE", str(tmp_path / "none")).replace("NEW", str(tmp_path / "new")) for word in words.split()]
    status, out, err = call(capsys, command, *given)
    assert (status, out) == (2, ""), err
    assert err.startswith(f"seqsep {command}: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert len(err) <= LONGEST, len(err)
    assert "Traceback" not in err
    assert not err.removeprefix(f"seqsep {command}: ").startswith((f"{command} ", f"{command}: "))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("capacity", [""]),
        ("capacity", ["config.json", "--memory", "80GiB", "--weights", ""]),
        ("capacity", ["--compare", "config.json", "--chart", ""]),
        ("check", ["--model", ""]),
        ("check", ["--model="]),
        ("check", ["--engine", "transformers:"]),
        ("text", ["phonebook", "--model", ""]),
        ("store", ["show", ""]),
    ],
)
def test_an_empty_path_is_not_the_current_folder(command, words, tmp_path, monkeypatch, capsys) -> None:
    """The current folder has a model, which nobody asked for."""
    monkeypatch.chdir(tmp_path)
    sizes = {"num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 2, "vocab_size": 32}
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama", **sizes}))
    (tmp_path / "model.safetensors").write_bytes(b"x" * 100)
    status, out, err = call(capsys, command, *words)
    assert (status, out) == (2, "")
    assert "expected a path" in err
    assert len(list(tmp_path.iterdir())) == 2


def test_an_empty_path_is_refused_from_python(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 1}')
    assert capacity(".").fixed_numbers
    for take in (capacity, check_language_model, audit_language_model, TransformersEngine, find_model, find_reference):
        with pytest.raises(BadInput, match=r"^expected the path of a model, found an empty text$"):
            take("")

"""Each command refuses a wrong flag, an unknown name and a missing file in one line that begins with the command."""

import pytest

from seqsep.commands import COMMANDS
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
    "certify": ("no-such-theorem -o NEW", "bounded-dyck-state --depth x -o NEW", "bounded-dyck-state"),
    "export-network": ("no-such-theorem -o NEW.npz", "index-lookup-attention --length x -o NEW.npz", "index-lookup-attention"),
    "analyze": ("NONE.py:function --lengths 3", "majority --lengths x", "no-such-function --lengths 3"),
    "classify": ("NONE.py:function", "NONE.json", "no-such-language", "majority", "(01 --regex", "(01)* --alphabet x"),
    "sample": ("no-such-task", "equality --length x", "NONE.py:Task"),
    "ask": ("NONE.safetensors --input NONE", "NONE.safetensors"),
    "audit": ("NONE.safetensors", "NONE.safetensors --worst none", "NONE.safetensors --confidence 2"),
    "generate": ("NONE.safetensors --prompt {}", "NONE.safetensors"),
    "train": ("no-such-task --length 4 --layers lstm", "index-lookup --length 4 --layers nothing", "index-lookup --length 4"),
    "run": ("no-such-experiment", "NONE.py", "mamba-width --preset nothing", "mamba-width --only nothing --dry-run"),
    "claims": ("no-such-claim", "--status nothing", "--rows NONE"),
    "export": ("--store NONE -o rows.jsonl", "--store NONE -o rows.txt"),
    "store": ("nothing NONE", "show NONE", "repair NONE", "import NEW NONE"),
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

"""A user's own theorem on the command line: options, help, JSON, laws, and refusals in one line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from seqsep.commands.cli import main

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/own_theorem.py"
PARITY = f"{EXAMPLE}:PARITY"


def spoiled(folder: Path, before: str, after: str) -> str:
    """The example with one expression changed."""
    text = EXAMPLE.read_text()
    assert text.count(before) == 1
    path = folder / "spoiled.py"
    path.write_text(text.replace(before, after))
    return f"{path}:PARITY"


def test_the_example_holds_with_its_own_options(capsys):
    assert main(["check", "--theorem", PARITY, "--length", "4", "--long", "100"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("N = ")[1] for line in lines[:3]] == [
        "4; measured / bound: state_bits 1 / 1; all 16 inputs",
        "100; measured / bound: state_bits 1 / 1; 50 inputs",
        "4; measured / bound: state_bits 1 / 1; 2 inputs",
    ]
    assert lines[3:] == [f"{PARITY}: all 8 laws hold"]


def test_json_has_each_outcome_and_each_law(capsys):
    assert main(["check", f"--theorem={PARITY}", "equality-random-protocol", "--json", "--length=4"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert {record["theorem"] for record in records} == {"equality-random-protocol", "parity-state"}
    ours = [record for record in records if record["theorem"] == "parity-state"]
    assert [record["side"] for record in ours[:3]] == ["upper", "upper", "lower"]
    assert [record["holds"] for record in ours[3:]] == [True] * 8


def test_help_shows_its_options_with_their_ranges(capsys):
    for words in (["check", "--theorem", PARITY, "--help"], ["check", "--json", f"--theorem={PARITY}", "-h"]):
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == 0
        shown = capsys.readouterr().out
        assert shown.startswith(f"usage: seqsep check --theorem {PARITY} [--json] [options]\n\nRun the model on all inputs")
        assert "  --length      whole number, 2 to 16, by default 10. N, bits of an input;" in shown
    with pytest.raises(SystemExit):
        main(["certify", PARITY, "--help"])
    assert "whole number, 2 to 12, by default 6" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("state ^ bit", "state | bit", "parity-state fails: input = [0, 0, 1, 1], answer = 1"),
        ("read=lambda t, state: state", "read=lambda t, state: 1 - state", "input = [0, 0, 0, 0], answer = 1"),
        ("[[first] + [0]", "[[0] + [0]", "parity-state fails: inputs = [[0, 0, 0, 0], [0, 0, 0, 0]]"),
    ],
)
def test_a_spoiled_construction_or_witness_fails(tmp_path, capsys, before, after, said):
    """The example's check can fail: on each side something is wrong if it is changed."""
    status = main(["check", "--theorem", spoiled(tmp_path, before, after), "--length", "4", "--json"])
    printed = capsys.readouterr()
    assert said in printed.err
    [record] = json.loads(printed.out)
    assert (status, record["theorem"], record["holds"]) == (1, "parity-state", False)


def test_a_broken_law_is_a_refutation(tmp_path, capsys):
    words = ["check", "--theorem", spoiled(tmp_path, "ceil_log2(len(table.rows))", "np.log2(len(table.rows))"), "--length", "4"]
    assert main(words) == 1
    out = capsys.readouterr().out
    assert "FAILS  sizes that are numbers: measured: state_bits: expected a finite int or float" in out
    assert out.splitlines()[-1].endswith("1 law fails; 3 more laws are not tested until this one holds")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("check --theorem none.py:PARITY", "seqsep check: none.py: No such file or directory"),
        ("check --theorem {file}:NONE", "expected a theorem NONE in {file}, found no such name"),
        ("check --theorem {file}:CLAIM", "own_theorem.py:CLAIM: expected a seqsep.theorems.Theorem, found a Claim"),
        ("check --theorem {file}", "seqsep check: {file}: expected FILE.py:NAME, as in {file}:THEOREM"),
        ("check --theorem equality-state", "--theorem equality-state: expected your own theorem as FILE.py:NAME"),
        (
            "check {file}:PARITY",
            "expected the name of a theorem; put --theorem, --mixer, --model or --task before your own file",
        ),
        ("check --theorem {file}:PARITY --length 60", "seqsep check: parity-state: length is 2 to 16, found 60"),
        ("check --theorem {file}:PARITY --lenght 6", "--lenght is not an option of {file}:PARITY; did you mean --length?"),
        ("check --theorem {file}:PARITY --length x", "expected a whole number, found 'x'"),
        ("check --theorem", "expected one argument"),
        ("apply {file}:PARITY", "seqsep apply: {file}:PARITY: the answer is a sum modulo 2"),
        ("certify {file}:PARITY", "expected -o FILE, the file to write the certificate to; found none"),
        ("export-network {file}:PARITY -o n.npz", "{file}:PARITY: builds no network"),
        ("bound {file}:PARITY --length 1", "length is 2 to 16, found 1"),
    ],
)
def test_refusals_are_one_line(capsys, words, said):
    assert main(words.format(file=EXAMPLE).split()) == 2
    printed = capsys.readouterr()
    assert said.format(file=EXAMPLE) in printed.err
    assert (printed.out, len(printed.err.splitlines())) == ("", 1)


@pytest.mark.parametrize(
    "body", ["1 / 0", "raise SystemExit(3)", "raise BaseException('x')", "CLAIM.upper(length=1)", "raise ValueError('a\\nb')"]
)
def test_what_a_users_check_raises_is_one_line(tmp_path, capsys, body):
    path = tmp_path / "raises.py"
    path.write_text(
        "from seqsep.theorems.base import Claim, Theorem\n"
        "CLAIM = Claim('mine', 'own', 'It holds')\n"
        f"def check(length=1):\n    {body}\n"
        "MINE = Theorem(CLAIM, check)\n"
    )
    assert main(["check", "--theorem", f"{path}:MINE"]) == 2
    printed = capsys.readouterr()
    assert "raises.py, line 4)" in printed.err
    assert (printed.out, len(printed.err.splitlines())) == ("", 1)


def test_its_certificate_is_checked_without_seqsep(tmp_path, capsys):
    """A certificate of another function is not confirmed."""
    path = tmp_path / "parity.json"
    assert main(["certify", PARITY, "--length", "5", "-o", str(path)]) == 0
    assert f"bytes to {path}" in capsys.readouterr().out
    checker = [sys.executable, "-I", "-S", str(ROOT / "src/seqsep_check.py"), str(path)]
    done = subprocess.run(checker, capture_output=True, text=True, check=False)
    assert (done.returncode, "rows 2, state_bits 1" in done.stdout) == (0, True)
    constant = spoiled(tmp_path, "values = [sum(word) % 2", "values = [0")
    assert main(["certify", constant, "--length", "5", "-o", str(path)]) == 0
    assert subprocess.run(checker, capture_output=True, check=False).returncode == 1


def test_bound_prints_its_sizes(capsys):
    assert main(["bound", PARITY, "--length", "5", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["theorem"], record["bound"]) == ("parity-state", {"state_bits": 1})


def test_the_guide_shows_the_example_as_it_is():
    guide = (ROOT / "docs/how-to/own-theorem.md").read_text()
    assert f"<!-- file: own_theorem.py -->\n```python\n{EXAMPLE.read_text()}```\n" in guide

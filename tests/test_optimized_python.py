"""`python -O` runs no assert and `python -OO` keeps no docstring: laws, checks and help do not depend on either."""

import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WRONG = f"{ROOT / 'tests/models/plugins/bad_tasks.py'}:Wrong"
COMMANDS = (
    ["--help"],
    ["list", "tasks"],
    ["list", "mixers"],
    ["sample", "index-lookup", "--length", "4"],
    ["sample", "index-lookup", "--help"],
    ["sample", f"{ROOT / 'examples/own_task.py'}:Greatest", "--help"],
    ["check", "index-lookup-state", "--help"],
    ["check", "index-lookup-state", "--length", "3", "--alphabet", "2"],
)
SHOW = f"""
from seqsep.commands.cli import main
from seqsep.models.mixers import LSTM

for words in {COMMANDS!r}:
    try:
        print("status", main(words))
    except SystemExit as end:
        print("status", end.code)
print(LSTM.__doc__)
"""
TRY = f"""
from dataclasses import replace
from seqsep import Run, train
from seqsep.commands.cli import main
from seqsep.theorems.laws import check_theorem
from seqsep.models.plugins.load import PlugInFails
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.task import UserTask
from seqsep.theorems import BY_NAME

print("status", main(["check", "--task", {WRONG!r}, "--length", "6"]))
try:
    train(Run(UserTask.of(PlugIn.parse({WRONG!r}), 6), ("lstm",), width=8, steps=1))
except PlugInFails as error:
    print("train:", error)
try:
    check_theorem(replace(BY_NAME["index-random-protocol"], check=lambda: []))
except AssertionError as error:
    print("check_theorem:", error)
"""


@cache
def printed(optimize: str) -> tuple[str, str]:
    """The outputs of SHOW and TRY under PYTHONOPTIMIZE=`optimize`, from one process: it imports torch without a cache."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONOPTIMIZE": optimize, "COLUMNS": "80"}
    command = [sys.executable, "-c", f"{SHOW}\nprint('---')\n{TRY}"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    shown, _, tried = done.stdout.partition("---\n")
    return shown, tried + done.stderr


def test_no_source_file_has_an_assert():
    """Under -O an assert is not executed, so what it checks would go unchecked."""
    found = []
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assert) or (isinstance(node, ast.Name) and node.id == "__debug__"):
                found.append(f"{path}, line {node.lineno}")
    assert found == []


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("optimize", ["1", "2"])
def test_a_wrong_task_breaks_its_law_under_optimization(optimize):
    """`check` reports the broken law, `train` refuses the task, and the law of theorems holds as well."""
    _, tried = printed(optimize)
    assert "FAILS  right answers" in tried
    assert "status 1" in tried
    assert "train: bad_tasks.py:Wrong: bad_tasks.py:Wrong(length=6): solve(" in tried
    assert "check_theorem: index-random-protocol: no outcome" in tried


@pytest.mark.timeout(300)
@pytest.mark.parametrize("optimize", ["1", "2"])
def test_help_is_the_same_under_optimization(optimize, capsys, monkeypatch):
    """Fields, ranges and equations are read from the source files if Python keeps no docstrings."""
    monkeypatch.setenv("COLUMNS", "80")
    exec(SHOW, {})
    expected = capsys.readouterr().out
    assert "N, symbols of an evaluated input; 1 to 2^20" in expected
    assert expected.count("status 0") == len(COMMANDS)
    assert printed(optimize)[0] == expected

"""`seqsep list`: every member of every registry."""

import json

import pytest

from seqsep.lab.experiments import EXPERIMENTS
from seqsep.models.mixers import MIXERS
from seqsep.tasks import TASKS
from seqsep.theorems import THEOREMS
from support.command_line import call


@pytest.mark.unchecked  # an experiment is listed with all its runs, thousands of them
@pytest.mark.parametrize("what", ["tasks", "mixers", "theorems", "experiments"])
def test_list(capsys, what):
    _, out, _ = call(capsys, "list", what, "--json")
    names = {entry["name"] for entry in json.loads(out)}
    assert all(entry["summary"] for entry in json.loads(out))
    expected = {
        "tasks": {task.name for task in TASKS},
        "mixers": {mixer.name for mixer in MIXERS} | {"automaton", "elman", "linear-recurrence"},
        "theorems": {theorem.name for theorem in THEOREMS},
        "experiments": {experiment.name for experiment in EXPERIMENTS},
    }
    assert names == expected[what]
    _, plain, _ = call(capsys, "list", what)
    assert all(f"{name}: " in plain for name in names)


def test_list_mixers_prints_the_block_defaults(capsys):
    _, out, _ = call(capsys, "list", "mixers")
    assert "block (norm rms, residual yes, mlp no, positions none)" in out

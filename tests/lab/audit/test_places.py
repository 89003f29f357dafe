"""The answers of a lookup model and the contents of its state, place by place; and the committed lines of those that fall."""

from pathlib import Path
from statistics import mean

import pytest
import torch

from seqsep.lab.audit import falls
from seqsep.lab.audit.places import _found, by_place
from seqsep.lab.experiments._reach import GOAL
from seqsep.lab.row import read_rows
from seqsep.models.model import Model
from seqsep.tasks import AssociativeRecall, IndexLookup

RESULTS = Path(__file__).parents[3] / "results"


def untrained(task, layer):
    torch.manual_seed(0)
    sizes = {"vocabulary": task.vocabulary, "classes": task.classes, "longest": task.longest}
    return Model.build(**sizes, layers=(layer,), width=8, heads=1, positions="learned", embedding_scale=1.0).eval()


def test_a_window_keeps_its_last_symbols_and_no_others():
    """Of four symbols a state of three tokens has the last three; nothing has learned to answer with them."""
    task = IndexLookup(4, alphabet=4)
    found = by_place(untrained(task, "sliding-attention(window=3)"), task)
    assert found.in_state[1:] == (1.0, 1.0, 1.0)
    assert found.in_state[0] < 0.35
    assert max(found.right) < 0.4
    assert found.prefixes == 1000


def test_values_of_recall_are_found_in_a_cache():
    task = AssociativeRecall(3, values=4, order="fixed")
    found = by_place(untrained(task, "attention"), task)
    assert len(found.in_state) == 3
    assert min(found.in_state) > 0.99


def test_a_wide_state_and_a_narrow_one_are_read_by_one_formula(monkeypatch):
    """Numbers that are 0 everywhere change nothing; with them there are more numbers than fitted prefixes."""
    monkeypatch.setattr("seqsep.lab.audit.places.FITTED_ON", 300)
    monkeypatch.setattr("seqsep.lab.audit.places.ASKED", 100)
    random = torch.Generator().manual_seed(0)
    values = torch.randint(4, (500, 2), generator=random)
    mixed = torch.nn.functional.one_hot(values, 4).double().flatten(1) @ torch.randn(
        8, 20, generator=random, dtype=torch.float64
    )
    states = mixed + torch.randn(mixed.shape, generator=random, dtype=torch.float64)
    narrow = _found(states, values, 4)
    wide = _found(torch.cat((states, torch.zeros(500, 400, dtype=torch.float64)), dim=1), values, 4)
    assert narrow.tolist() == wide.tolist()
    assert 0.6 < narrow.min() < 1


def test_the_committed_lines_are_of_the_best_runs_that_fall():
    """Shares over places come to the accuracy of the run, which was evaluated on other inputs."""
    rows = falls.rows(RESULTS)
    runs = falls.runs(RESULTS)
    assert [row["key"] for row in rows] == [run.key() for run in runs]
    reach = {row.key: row for row in read_rows(RESULTS / "index-lookup-architectures-reach.jsonl")}
    for row in rows:
        assert row["run"] == reach[row["key"]].run.configuration()
        assert len(row["right"]) == len(row["in_state"]) == reach[row["key"]].run.task.length
        assert mean(row["right"]) == pytest.approx(row["accuracy"], abs=0.02)
        assert row["accuracy"] < falls.GOAL == GOAL

"""The speed of the layers that track a state: results/mixers-tracking.json, of benchmarks/mixers.py tracking."""

import json
import sys
from pathlib import Path

import pytest

from pages._mixer_speeds import ATTENTION, NAMES, OURS, TITLE

ROOT = Path(__file__).parents[3]
MEASURED = json.loads((ROOT / "results/mixers-tracking.json").read_text(encoding="utf-8"))
SLOWER = "Rotation"
"""The one layer that takes longer than the other library's, which does not rotate its state."""


@pytest.fixture
def compared(monkeypatch):
    """The comparisons that the benchmark makes, as titles with the names of their sides."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.delitem(sys.modules, "mixers", raising=False)
    import mixers

    found = {}
    monkeypatch.setattr(mixers, "compare", lambda title, *sides, rounds: found.update({title: {one.name for one in sides}}))
    mixers.tracking()
    return found


def test_where_it_was_measured():
    assert MEASURED["processor"].startswith("AuthenticAMD")
    assert MEASURED["threads"] == 1


def test_every_comparison_of_the_benchmark_is_there(compared):
    """No peer was missing."""
    assert {title: set(sides) for title, sides in MEASURED["medians"].items()} == compared
    assert set(compared) == {TITLE.format(name) for name in NAMES}
    assert all(sides > {OURS, ATTENTION} for sides in compared.values())


def test_no_process_waited_long():
    """CPU and wall time differ by little: the cores were idle."""
    for sides in MEASURED["medians"].values():
        assert all(times["wall ms"] < 1.1 * times["CPU ms"] for times in sides.values())


@pytest.mark.parametrize("name", NAMES)
def test_how_much_slower_the_other_layer_is(name):
    """Five layers are faster than the other one; `rotation` takes at most 1.1 times its time."""
    sides = MEASURED["medians"][TITLE.format(name)]
    (other,) = set(sides) - {OURS, ATTENTION}
    ratio = sides[other]["CPU ms"] / sides[OURS]["CPU ms"]
    assert (1 / 1.1 < ratio < 1) if name == SLOWER else ratio > 1

"""The committed rows are those of the presets, and show what the README and the page say."""

import csv
import dataclasses
from pathlib import Path

import pytest

from seqsep.commands.check import check_every_theorem
from seqsep.commands.demo import COMMITTED, compare
from seqsep.experiments import EXPERIMENTS, dyck_architectures, index_lookup_architectures
from seqsep.lab.row import read_rows, write_rows
from seqsep.mixers import PAPER_MIXERS
from seqsep.report.write import write_report
from seqsep.tasks import BoundedDyck, IndexLookup
from seqsep.theorems.retrieval import index_lookup_state

ROOT = Path(__file__).parents[2]
DEMO = [experiment for experiment in EXPERIMENTS if "demo" in experiment.presets]
RECURRENT = [mixer.name for mixer in PAPER_MIXERS if not mixer.grows]


@pytest.fixture(scope="module")
def rows():
    return read_rows(ROOT / COMMITTED)


@pytest.fixture(scope="module")
def by_key(rows):
    return {row.key: row for row in rows}


def test_every_run_of_the_presets_is_there_once(rows):
    runs = [run for experiment in DEMO for preset in ("demo-rates", "demo-seeds") for run in experiment.runs(preset)]
    assert sorted(run.key() for run in runs) == sorted(row.key for row in rows)
    assert all(row.run.key() == row.key for row in rows)
    assert {run.seed for run in runs} == {0, 1, 2}


@pytest.mark.parametrize("experiment", DEMO, ids=lambda experiment: experiment.name)
def test_the_demo_reruns_committed_runs(experiment, by_key):
    assert all(run.key() in by_key for run in experiment.runs("demo"))
    with pytest.raises(ValueError, match="demo-seeds"):
        experiment.runs("paper-gird")


def test_best_rates_are_those_of_the_committed_rows(by_key):
    """The best rate is the most accurate with seed 0; of equal ones it took fewer steps."""

    def best(runs):
        results = {run.learning_rate: by_key[run.key()].result for run in runs}
        return max(results, key=lambda rate: (min(results[rate]["accuracy"], 0.999), -results[rate]["steps"]))

    lookup, dyck = index_lookup_architectures, dyck_architectures
    for cell, rate in lookup.BEST_RATE.items():
        assert best([lookup.make(*cell, each, 0) for each in lookup.RATES]) == rate, cell
    for architecture, rate in dyck.BEST_RATE.items():
        assert best([dyck.make(architecture, each, 0) for each in dyck.RATES]) == rate, architecture
    assert set(lookup.BEST_RATE) == set(lookup.cells())


def accuracies(rows, architecture, length):
    """Of the three seeds at the best rate."""
    rate = index_lookup_architectures.BEST_RATE[architecture, length]
    found = [
        row.result["accuracy"]
        for row in sorted(rows, key=lambda row: row.run.seed)
        if row.run.layers == (architecture,) and row.run.task == IndexLookup(length) and row.run.learning_rate == rate
    ]
    assert len(found) == 3
    return found


def test_the_separation_is_visible(rows):
    """Every recurrent model stays at 90 % or below for all seeds at a length where attention passes 99 %.

    That is N = 50, or N = 100 for a model that exceeds 90 % at N = 50. Attention passes 99 % with every seed at N = 20 and
    50, and with two of three at N = 100, where the third stays above 98.9 %; the demo re-runs seed 0.
    """
    for architecture in RECURRENT:
        longest = 50 if max(accuracies(rows, architecture, 50)) <= 0.9 else 100
        assert max(accuracies(rows, architecture, longest)) <= 0.9
        assert accuracies(rows, "attention", longest)[0] > 0.99
    assert min(accuracies(rows, "attention", 20) + accuracies(rows, "attention", 50)) > 0.99
    assert sorted(accuracy > 0.99 for accuracy in accuracies(rows, "attention", 100)) == [False, True, True]
    assert min(accuracies(rows, "attention", 100)) > 0.989


def first_step(result, goal):
    return next((step for step, accuracy, _ in result["curve"] if accuracy >= goal), None)


def test_on_dyck_the_lstm_needs_at_most_half_of_attentions_steps(rows):
    found, accuracies = {"lstm": [], "attention": []}, []
    for row in rows:
        architecture = row.run.layers[0]
        at_best_rate = row.run.learning_rate == dyck_architectures.BEST_RATE[architecture]
        if row.run.task == BoundedDyck(30) and architecture in found and at_best_rate:
            found[architecture].append(first_step(row.result, 0.99))
            accuracies += [row.result["accuracy"]] if architecture == "attention" else []
    assert None not in found["lstm"]
    assert len(found["lstm"]) == len(found["attention"]) == 3
    for attention in found["attention"]:
        assert max(found["lstm"]) <= (attention or dyck_architectures.STEPS["attention"]) / 2
    assert min(accuracies) > 0.96


def test_the_report_rebuilds_from_the_committed_rows(tmp_path, monkeypatch, rows):
    """It has the page, and figures and tables of the demo and of every experiment with rows beside it."""
    monkeypatch.setattr("seqsep.theorems.THEOREMS", (index_lookup_state.THEOREM,))
    mamba = [row for row in rows if row.run.layers == ("mamba",) and row.run.task == IndexLookup(50)]
    write_rows(tmp_path / "demo.jsonl", rows)
    write_rows(tmp_path / "mamba-width.jsonl", mamba)
    check = lambda: check_every_theorem()[0]  # noqa: E731
    page = write_report(tmp_path / "demo.jsonl", tmp_path / "out", check=check, bibtex=True)
    assert (tmp_path / "out" / "references.bib").read_text().count("@") == 2 + len(PAPER_MIXERS)
    assert "index-lookup-state" in page.read_text()
    assert (tmp_path / "out" / "picture.png").stat().st_size > 10_000
    names = ["demo-dyck-architectures", "demo-index-lookup-architectures", "mamba-width"]
    assert sorted(path.name for path in (tmp_path / "out" / "tables").glob("*.csv")) == [f"{name}.csv" for name in names]
    assert {f"{name}.{kind}" for name in names for kind in ("pdf", "png", "svg")} <= {
        path.name for path in (tmp_path / "out" / "figures").iterdir()
    }
    with (tmp_path / "out" / "tables" / "demo-index-lookup-architectures.csv").open() as file:
        cells = list(csv.DictReader(file))
    assert len(cells) == len(index_lookup_architectures.cells())
    for cell in cells:
        assert float(cell["accuracy_best"]) == accuracies(rows, cell["architecture"], int(cell["length"]))[0]
    text = (tmp_path / "out" / "tables" / "mamba-width.csv").read_text().splitlines()
    assert len(text) == 2
    assert text[1].startswith("index-lookup,50,mamba,1,64,,")


def test_compare_counts_equal_rows(rows):
    assert compare(rows[:5], rows).startswith("5 of 5 runs equal")
    changed = [
        type(rows[0])(
            *(getattr(rows[0], f) for f in ("experiment", "key", "configuration")), {"accuracy": 0.0}, rows[0].environment
        )
    ]
    assert compare(changed, rows).startswith("0 of 1 runs equal")
    reordered = dataclasses.replace(rows[0], environment=dict(reversed(rows[0].environment.items())))
    assert compare([reordered], rows).startswith("1 of 1")
    assert compare(rows[:5], []).startswith("0 of 0")

"""The committed rows are those of the presets, and show what the README and the page say."""

import csv
import dataclasses
import math
from pathlib import Path

import pytest

from seqsep.commands.check import check_every_theorem
from seqsep.commands.demo import COMMITTED
from seqsep.lab.experiments import EXPERIMENTS, _drawn, dyck_architectures, index_lookup_architectures
from seqsep.lab.experiments.claims.recipe import STEPS, lookup_task
from seqsep.lab.experiments.index_lookup_architectures import DEMO_MIXERS
from seqsep.lab.row import read_rows, write_rows
from seqsep.models.mixers.settings import mixer_named
from seqsep.report.comparison import Comparison
from seqsep.report.sized_model import SizedModel
from seqsep.report.write import write_report
from seqsep.tasks import BoundedDyck, IndexLookup
from support import small_theorems

ROOT = Path(__file__).parents[3]
DEMO = [experiment for experiment in EXPERIMENTS if "demo" in experiment.presets]
RECURRENT = [name for name in DEMO_MIXERS if not mixer_named(name).grows]


@pytest.fixture(scope="module")
def rows():
    return read_rows(ROOT / COMMITTED)


@pytest.fixture(scope="module")
def by_key(rows):
    return {row.key: row for row in rows}


def test_rows_are_those_of_the_presets(rows):
    """The runs that the demo trains and compares are there; longer inputs and further seeds are there if they are trained."""
    needed = {run.key() for experiment in DEMO for preset in ("demo", "demo-rates") for run in experiment.runs(preset)}
    further = {
        run.key()
        for experiment in DEMO
        for preset in ("demo-seeds", "demo-lengths")
        if preset in experiment.presets
        for run in experiment.runs(preset)
    }
    keys = [row.key for row in rows]
    assert len(keys) == len(set(keys))
    assert needed <= set(keys) <= needed | further
    assert all(row.run.key() == row.key for row in rows)


@pytest.mark.parametrize("preset", ["drawn-rates", "drawn-seeds"])
def test_the_earlier_demo_is_there_once(preset):
    keys = [row.key for row in drawn_rows(preset)]
    assert sorted(keys) == sorted(run.key() for run in index_lookup_architectures.EXPERIMENT.runs(preset))


def drawn_rows(*presets):
    """Rows of index lookup with training inputs of a drawn length."""
    experiment = index_lookup_architectures.EXPERIMENT
    return [row for preset in presets for row in read_rows(experiment.rows_file(ROOT / "results", preset))]


@pytest.mark.parametrize("experiment", DEMO, ids=lambda experiment: experiment.name)
def test_the_demo_reruns_committed_runs(experiment, by_key):
    assert all(run.key() in by_key for run in experiment.runs("demo"))
    with pytest.raises(ValueError, match="demo-seeds"):
        experiment.runs("paper-gird")


def test_best_rates_are_those_of_the_committed_rows(by_key):
    """The most accurate with seed 0; of those that reach 99.9 %, on lookup the nearest to 0.001, on Dyck the fastest."""

    def best(runs, rank):
        results = {run.learning_rate: by_key[run.key()].result for run in runs}
        return max(results, key=lambda rate: (min(results[rate]["accuracy"], 0.999), *rank(rate, results[rate])))

    lookup, dyck = index_lookup_architectures, dyck_architectures
    for architecture, rate in lookup.BEST_RATE.items():
        runs = [lookup.make(architecture, lookup.RATES_AT, each, 0) for each in lookup.RATES]
        assert best(runs, lambda rate, result: (-abs(math.log(rate / 1e-3)),)) == rate, architecture
    for architecture, rate in dyck.BEST_RATE.items():
        runs = [dyck.make(architecture, each, 0) for each in dyck.RATES]
        assert best(runs, lambda rate, result: (-result["steps"], result["accuracy"])) == rate, architecture
    assert set(lookup.BEST_RATE) == set(lookup.DEMO_MIXERS)


def of_model(rows, architecture, task):
    return [row for row in rows if (row.run.layers, row.run.task) == ((architecture,), task)]


def of_cell(rows, architecture, length):
    """The rows of a cell at its architecture's best rate, by seed."""
    rate = index_lookup_architectures.BEST_RATE[architecture]
    task = lookup_task(length)
    chosen = [
        row for row in rows if (row.run.layers, row.run.task) == ((architecture,), task) and row.run.learning_rate == rate
    ]
    return sorted(chosen, key=lambda row: row.run.seed)


def accuracies(rows, architecture, length):
    """Of each seed at the best rate."""
    return [row.result["accuracy"] for row in of_cell(rows, architecture, length)]


def test_the_separation_is_visible(rows):
    """Attention passes 99 % at every length up to 400; at 100 no recurrent model that was trained there passes 70 %."""
    for length in (20, 50, 100, 200, 400):
        assert min(accuracies(rows, "attention", length)) > 0.99
    trained = [accuracies(rows, architecture, 100) for architecture in RECURRENT]
    assert sum(map(bool, trained)) >= 2
    assert max(max(found) for found in trained if found) <= 0.7


def test_cells_of_the_demo_over_lengths(rows):
    """Numbers of docs/reproduction/demo.md."""
    first = {(name, length): accuracies(rows, name, length)[:1] for name in DEMO_MIXERS for length in STEPS}
    said = {cell: round(100 * found[0], 1) for cell, found in first.items() if found}
    for length in STEPS:
        assert said["attention", length] >= 99.9
        assert of_cell(rows, "attention", length)[0].result["steps"] <= 7000
    assert (said["linear-attention", 50], said["linear-attention", 100]) == (99.9, 63.1)
    assert (said["retention", 50], said["retention", 100]) == (94.5, 7.6)
    assert said["gated-delta", 50] == 84.9
    assert (said["mamba", 20], said["mamba", 50]) == (94.3, 34.0)
    assert max(said[name, length] for name in ("lstm", "dss") for length in (20, 50, 100)) < 10
    assert [cell for cell in said if cell[1] > 100 and cell[0] != "attention"] == []


def of_drawn_cell(rows, architecture, length):
    """The rows of the three seeds of the earlier demo at its best rate."""
    rate = _drawn.BEST_RATE[architecture, length]
    task = IndexLookup(length)
    chosen = [
        row for row in rows if (row.run.layers, row.run.task) == ((architecture,), task) and row.run.learning_rate == rate
    ]
    assert len(chosen) == 3
    return sorted(chosen, key=lambda row: row.run.seed)


def test_cells_of_drawn_lengths():
    """Numbers of docs/reproduction/index-lookup-architectures-drawn.md."""
    rows = drawn_rows("drawn-rates", "drawn-seeds")
    found = {cell: [row.result["accuracy"] for row in of_drawn_cell(rows, *cell)] for cell in _drawn.BEST_RATE}
    spans = {cell: (round(100 * min(seeds), 1), round(100 * max(seeds), 1)) for cell, seeds in found.items()}
    learned = ("attention", "linear-attention", "retention", "gated-delta")
    assert min(min(found[name, 20]) for name in learned) >= 0.999
    assert spans["mamba", 20] == (18.3, 94.9)
    assert max(found["lstm", 20] + found["dss", 20]) < 0.125
    assert min(found["attention", 50]) >= 0.999
    assert spans["linear-attention", 50] == (94.6, 96.4)
    assert spans["retention", 50] == (58.4, 66.6)
    assert spans["gated-delta", 50] == (52.5, 69.5)
    assert max(found["lstm", 50] + found["dss", 50] + found["mamba", 50]) <= 0.07
    assert (spans["attention", 100], spans["linear-attention", 100]) == ((99.0, 99.9), (59.9, 61.6))


def first_step(result, goal):
    return next((step for step, accuracy, _ in result["curve"] if accuracy >= goal), None)


def test_on_dyck_the_lstm_needs_at_most_half_of_attentions_steps(rows):
    found, accuracies = {"lstm": [], "attention": []}, []
    for row in rows:
        architecture = row.run.layers[0]
        if row.run.task != BoundedDyck(30) or architecture not in found:
            continue
        if row.run.learning_rate == dyck_architectures.BEST_RATE[architecture]:
            found[architecture].append(first_step(row.result, 0.99))
            accuracies += [row.result["accuracy"]] if architecture == "attention" else []
    assert None not in found["lstm"]
    assert len(found["lstm"]) == len(found["attention"]) == 3
    for attention in found["attention"]:
        assert max(found["lstm"]) <= (attention or dyck_architectures.STEPS["attention"]) / 2
    assert min(accuracies) > 0.96


def reach_rows():
    """The name of the file of rows of `length-scaling`, and rows of two models with learned positions; Mamba fell at N = 50."""
    experiment = index_lookup_architectures.EXPERIMENT
    name = experiment.rows_file(Path(), "length-scaling").name
    learned = [row for row in read_rows(ROOT / "results" / name) if row.run.positions == "learned"]
    of_both = [row for row in learned if row.run.layers in (("mamba",), ("retention",))]
    of_mamba = [row for row in of_both if row.run.layers == ("mamba",) and row.run.task == IndexLookup(50)]
    return name, [
        *(row for row in of_both if row.run.task == IndexLookup(20)),
        *(row for row in of_mamba if row.result["accuracy"] < 0.99),
    ]


@pytest.mark.slow
@pytest.mark.unchecked  # tests/report checks the same calls
def test_the_report_rebuilds_from_the_committed_rows(tmp_path, monkeypatch, rows):
    """It has the page, and figures and tables of the demo and of every experiment with rows beside it.

    At its head stands how far each architecture reaches, beside the paper's.
    """
    monkeypatch.setattr("seqsep.theorems.THEOREMS", (small_theorems.LOOKUP,))
    mamba = [row for row in rows if row.run.layers == ("mamba",) and row.run.task == lookup_task(50)]
    write_rows(tmp_path / "demo.jsonl", rows)
    write_rows(tmp_path / "mamba-width.jsonl", mamba)
    beside, reached = reach_rows()
    write_rows(tmp_path / beside, reached)
    check = lambda: check_every_theorem()[0]  # noqa: E731
    page = write_report(tmp_path / "demo.jsonl", tmp_path / "out", check=check, bibtex=True)
    assert (tmp_path / "out" / "references.bib").read_text().count("@") == 2 + len(DEMO_MIXERS)
    assert "index-lookup-state" in page.read_text()
    assert (tmp_path / "out" / "picture.png").stat().st_size > 10_000
    said = page.read_text().replace("\u00a0", " ")
    most = max(row.result["accuracy"] for row in reached if row.run.task == IndexLookup(50))
    table = said.partition("Up to which length each architecture learns")[2].partition("</table>")[0]
    assert f"{100 * most:.1f}" in table
    assert "99.3" in table  # the paper's, of Mamba
    lookup = "index-lookup-architectures"
    names = ["demo-dyck-architectures", f"demo-{lookup}", f"{lookup}-reach-learned", "mamba-width"]
    assert sorted(path.name for path in (tmp_path / "out" / "tables").glob("*.csv")) == [f"{name}.csv" for name in names]
    assert {f"{name}.{kind}" for name in names for kind in ("pdf", "png", "svg")} <= {
        path.name for path in (tmp_path / "out" / "figures").iterdir()
    }
    with (tmp_path / "out" / "tables" / "demo-index-lookup-architectures.csv").open() as file:
        cells = list(csv.DictReader(file))
    trained = {(row.run.layers, row.run.task) for row in rows if isinstance(row.run.task, IndexLookup)}
    assert len(cells) == len(trained)
    assert {cell["positions"] for cell in cells} == {"learned"}
    for cell in cells:
        at_seed_0 = [row for row in rows if row.run.layers == (cell["architecture"],) and row.run.seed == 0]
        tried = [row.result["accuracy"] for row in at_seed_0 if row.run.task == lookup_task(int(cell["length"]))]
        assert float(cell["accuracy_best"]) == max(tried)
    text = (tmp_path / "out" / "tables" / "mamba-width.csv").read_text().splitlines()
    assert len(text) == 2
    assert text[1].startswith("index-lookup training_inputs=full-length,50,mamba,1,64,,")


def off_by(row, points, **environment):
    """A row as another run of it might leave it: less accurate, and perhaps made elsewhere."""
    result = {**row.result, "accuracy": row.result["accuracy"] - points / 100}
    return dataclasses.replace(row, result=result, environment=row.environment | environment)


@pytest.fixture(scope="module")
def named(rows):
    """The rows that name their processor."""
    return [row for row in rows if "processor" in row.environment]


def test_fresh_rows_are_compared_with_committed_ones(rows):
    """Equal ones are counted, whatever their processor; rows of another torch are not compared."""
    assert Comparison.of_rows(rows[:5], rows).sentence() == "5 of 5 runs equal their committed rows number for number"
    assert Comparison.of_rows(rows[:5], []) == Comparison(compared=0, differences=())
    assert Comparison.of_rows(rows[:5], rows).table() is None
    reordered = dataclasses.replace(rows[0], environment=dict(reversed(rows[0].environment.items())))
    assert Comparison.of_rows([reordered], rows).equal == 1
    elsewhere = dataclasses.replace(rows[0], environment=rows[0].environment | {"processor": "Vendor 1.2, AVX2"})
    assert Comparison.of_rows([elsewhere], rows).equal == 1
    older = dataclasses.replace(rows[0], environment=rows[0].environment | {"torch": "2.10.0"})
    assert Comparison.of_rows([older], rows).compared == 0
    compared = Comparison.of_rows([off_by(rows[0], 12.5), rows[1]], rows)
    assert (compared.compared, compared.equal) == (2, 1)
    assert "1 of 2 runs equal" in compared.sentence()
    assert [entry.main for entry in compared.table().rows[0].entries][:1] == ["12.5"]
    curve = dataclasses.replace(rows[0], result=rows[0].result | {"curve": []})
    assert Comparison.of_rows([curve], rows).differences[0].points == 0.0


def test_a_difference_is_not_laid_to_an_equal_processor(rows, named):
    """Another processor is named only if both rows name one."""
    first, _ = named[:2]
    elsewhere = {"processor": "Vendor 1.2, AVX2"}
    unnamed = next(row for row in rows if "processor" not in row.environment)
    cases = [(off_by(first, 12.5), "the same"), (off_by(first, 12.5, **elsewhere), "another")]
    cases += [(off_by(first, 12.5, products="another library"), "another"), (off_by(unnamed, 1, **elsewhere), "not named")]
    for fresh, processor in cases:
        [row] = Comparison.of_rows([fresh], rows).table().rows
        assert row.entries[-1].main == processor


def test_a_difference_has_what_its_own_seeds_change():
    """The spread of Mamba at N = 20, 76.6 points, says nothing of attention, whose seeds differ by 0.02."""
    rows = drawn_rows("drawn-rates", "drawn-seeds")
    mamba, attention = (of_drawn_cell(rows, name, 20)[0] for name in ("mamba", "attention"))
    of_seeds = [row.result["accuracy"] for row in of_drawn_cell(rows, "mamba", 20)]
    apart = f"{100 * (max(of_seeds) - min(of_seeds)):.1f}"
    both = [off_by(mamba, 20), off_by(attention, 60)]
    found = {row.name: [entry.main for entry in row.entries] for row in Comparison.of_rows(both, rows).table().rows}
    assert found["Mamba on Index lookup, N = 20"][:2] == ["20.0", apart]
    assert found["Attention on Index lookup, N = 20"][:2] == ["60.0", "0.02"]
    alone = Comparison.of_rows(both, [mamba, attention]).table().rows
    assert {row.entries[1].main for row in alone} == {"—"}


def test_cells_that_the_demo_leaves_out_are_committed(by_key):
    """Each is the run that the demo would make, at its architecture's best rate and with seed 0."""
    lookup = index_lookup_architectures
    left_out = {lookup.make(name, length, lookup.BEST_RATE[name], 0).key() for name, length in lookup.SLOW}
    assert left_out <= by_key.keys()
    assert not left_out & {run.key() for run in lookup.EXPERIMENT.runs("demo")}
    trained = {(str(run.layers[0]), run.task.length) for run in lookup.EXPERIMENT.runs("demo")}
    assert trained | {*lookup.SLOW} == {*lookup.compared()}


def test_the_demo_compares_like_with_like():
    """At each length all have learned positions, and the same steps, width, scale and batch."""
    runs = index_lookup_architectures.EXPERIMENT.runs("demo")
    assert {SizedModel.of(run).positions for run in runs} == {"learned"}
    assert len({run.layers for run in runs}) == 7
    assert len(runs) == 2 * 7 + 3 - len(index_lookup_architectures.SLOW) == 10
    for length in (20, 50):
        at = [run for run in runs if run.task.length == length]
        assert len({(run.steps, run.width, run.embedding_scale, run.batch, len(run.layers)) for run in at}) == 1

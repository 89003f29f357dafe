"""Committed rows are those of the presets: all of `quick`, complete cells of `paper`, a way through `length-scaling`."""

from dataclasses import replace
from pathlib import Path

import pytest

from seqsep.lab.experiments import BY_NAME, EXPERIMENTS
from seqsep.lab.row import Row, read_rows, write_rows
from seqsep.report.experiment_table import experiment_table, report_tables

RESULTS = Path(__file__).parents[2] / "results"
COMMITTED = [experiment.name for experiment in EXPERIMENTS if experiment.rows_file(RESULTS).exists()]
SEARCHES = [name for name in COMMITTED if BY_NAME[name].search("quick") is not None]
SMALL = [experiment for experiment in EXPERIMENTS if "quick" in experiment.presets]
SEARCHED = [experiment for experiment in SMALL if experiment.search("quick") is not None]
LISTED = [experiment for experiment in SMALL if experiment.search("quick") is None]
OF_REACH = [experiment.name for experiment in SEARCHED if experiment.rows_file(RESULTS, "length-scaling").exists()]
OF_STATES = [experiment.name for experiment in EXPERIMENTS if experiment.rows_file(RESULTS, "state-bits").exists()]
OF_PAPER = [experiment.name for experiment in SEARCHED if experiment.rows_file(RESULTS, "paper").exists()]


def test_every_file_is_an_experiments():
    names = {path.stem for path in RESULTS.glob("*.jsonl")}
    of_presets = {f"{name}-reach" for name in OF_REACH} | {f"{name}-state-bits" for name in OF_STATES}
    listed = [*LISTED, BY_NAME["index-lookup-architectures"], BY_NAME["claims"]]
    of_presets |= {one.rows_file(RESULTS, preset).stem for one in listed for preset in one.presets} & names
    assert names == {"demo", *COMMITTED, *(f"{name}-paper" for name in OF_PAPER), *of_presets}
    assert set(COMMITTED) == set(BY_NAME) - {"claims"}


@pytest.mark.parametrize("name", SEARCHES)
def test_the_rows_are_the_whole_search(name):
    """The rows are exactly what the search asks for: the grid, the rates between, the seeds."""
    rows, search = read_rows(RESULTS / f"{name}.jsonl"), BY_NAME[name].search("quick")
    assert [row.key for row in rows] == sorted(run.key() for run in search.runs(rows))
    assert all(row.experiment == name and row.finished and row.key == row.run.key() for row in rows)
    assert all({"torch", "device", "threads"} <= set(row.environment) for row in rows)
    table = experiment_table(BY_NAME[name], rows)
    assert len(table.cells) == len(search.cells)
    assert min(len(cell.seeds) for cell in table.cells.values()) >= 3
    assert len(table.tasks) == 2


@pytest.mark.parametrize("experiment", LISTED, ids=lambda experiment: experiment.name)
def test_the_rows_of_a_list_are_of_its_preset(experiment):
    """Rows of an experiment without a search: each of a run of its preset, once."""
    for preset in experiment.presets:
        path = experiment.rows_file(RESULTS, preset)
        keys = [row.key for row in read_rows(path)] if path.exists() else []
        named = {run.key() for run in experiment.runs(preset)}
        assert set(keys) <= named
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("name", OF_REACH)
def test_the_rows_of_reach_are_of_its_search(name):
    """Runs that the search names from them on each contender's way, in its order: up to the first that is not there."""
    rows = read_rows(BY_NAME[name].rows_file(RESULTS, "length-scaling"))
    presets = [preset for preset in ("length-scaling", "length-scaling-long") if preset in BY_NAME[name].presets]
    searches = [BY_NAME[name].search(preset) for preset in presets]
    ways = [replace(search, contenders=(one,)) for search in searches for one in search.contenders]
    named = {run.key() for way in ways for run in way.runs(rows)}
    if "length-scaling-demo" in BY_NAME[name].presets:
        named |= {run.key() for run in BY_NAME[name].runs("length-scaling-demo")}
    assert {row.key for row in rows} <= named
    assert all(row.experiment == name and row.has_outcome and row.key == row.run.key() for row in rows)


@pytest.mark.parametrize("name", OF_PAPER)
def test_the_rows_at_the_papers_size_are_whole_cells(name):
    """A cell has every rate and number of heads, pruned or not, and three seeds of the best."""
    rows, search = read_rows(BY_NAME[name].rows_file(RESULTS, "paper")), BY_NAME[name].search("paper")
    keys = {row.key for row in rows}
    part = search.only(lambda run: replace(run, learning_rate=search.rates[0]).key() in keys)
    assert [row.key for row in rows] == sorted(run.key() for run in part.runs(rows))
    assert all(row.experiment == name and row.key == row.run.key() and row.result["curve"] for row in rows)
    assert all({"torch", "device", "threads"} <= set(row.environment) for row in rows)
    table = experiment_table(BY_NAME[name], rows)
    assert len(table.cells) == len(part.cells) > 0
    assert {len(cell.seeds) for cell in table.cells.values()} == {3}
    assert all(cell.paper is not None for cell in table.cells.values())


def test_a_part_of_the_papers_size_stands_on_its_own(tmp_path):
    """Next to `quick` among the figures: the number of its cells, and of its pruned runs."""
    experiment = BY_NAME["equality-next"]
    part = experiment.search("paper").only(lambda run: run.layers == ("lstm", "lstm") and run.task.length == 200)
    here = {"torch": "2", "device": "cpu", "threads": 1}

    def row(run):
        pruned = run.learning_rate < 1e-4
        steps = 31_250 if pruned else 250_000
        result = {"status": "pruned" if pruned else "finished", "steps": steps, "accuracy": 0.25 + run.learning_rate}
        shape = {"best_accuracy": 0.5, "curve": [[steps, 0.5, 1.0]], "state_bits": [8192, 0], "parameters": 9}
        return Row(experiment.name, run.key(), run.configuration(), result | shape, here)

    rows = list(map(row, part.runs()))
    rows += [row(run) for run in part.runs(rows) if run.seed]
    assert len(rows) == 7 + 2
    write_rows(experiment.rows_file(tmp_path, "paper"), rows)
    write_rows(experiment.rows_file(tmp_path), read_rows(experiment.rows_file(RESULTS)))
    tables = {named.name: named for named in report_tables(tmp_path / "demo.jsonl", rows=[])}
    assert list(tables) == ["equality-next", "equality-next-paper"]
    paper = tables["equality-next-paper"]
    assert paper.question == "Which architecture copies, and up to which length? Of the preset paper, 1 of its 30 cells."
    assert paper.table.title == "Copying, every next symbol right (the paper's size): accuracy, %"
    [cell] = paper.table.cells.values()
    assert (cell.paper, len(cell.seeds), len(cell.tried), len(cell.pruned)) == (0.996, 3, 5, 2)
    assert tables["equality-next"].question == "Which architecture copies, and up to which length?"

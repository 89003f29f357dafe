"""Committed rows are the whole of a preset `quick`, and docs/reproduction.md is what they say."""

from dataclasses import replace
from pathlib import Path

import pytest

from pages._reach import reach_section
from pages.reproduction import reproduction_page
from seqsep.experiments import BY_NAME, EXPERIMENTS
from seqsep.experiments.claims.papers import paper_models
from seqsep.lab.row import Row, read_rows, write_rows
from seqsep.report.captions import ceilings_sentence
from seqsep.report.experiment_table import experiment_table, report_tables
from seqsep.report.numerals import listed

QUICK_RATES = (1e-3, 3e-3, 1e-2)
RESULTS = Path(__file__).parents[2] / "results"
COMMITTED = [experiment.name for experiment in EXPERIMENTS if experiment.rows_file(RESULTS).exists()]
SEARCHES = [name for name in COMMITTED if BY_NAME[name].search("quick") is not None]
SMALL = [experiment for experiment in EXPERIMENTS if "quick" in experiment.presets]
SEARCHED = [experiment for experiment in SMALL if experiment.search("quick") is not None]
LISTED = [experiment for experiment in SMALL if experiment.search("quick") is None]
OF_REACH = [experiment.name for experiment in SEARCHED if experiment.rows_file(RESULTS, "reach").exists()]
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
    """Rows of an experiment without a search: each of a run of its preset, once; the page says how many of them there are."""
    for preset in experiment.presets:
        path = experiment.rows_file(RESULTS, preset)
        keys = [row.key for row in read_rows(path)] if path.exists() else []
        named = {run.key() for run in experiment.runs(preset)}
        assert set(keys) <= named
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("name", OF_REACH)
def test_the_rows_of_reach_are_of_its_search(name):
    """Runs that the search names from them on each contender's way, in its order: up to the first that is not there."""
    rows = read_rows(BY_NAME[name].rows_file(RESULTS, "reach"))
    presets = [preset for preset in ("reach", "reach-long") if preset in BY_NAME[name].presets]
    searches = [BY_NAME[name].search(preset) for preset in presets]
    ways = [replace(search, contenders=(one,)) for search in searches for one in search.contenders]
    named = {run.key() for way in ways for run in way.runs(rows)}
    if "reach-demo" in BY_NAME[name].presets:
        named |= {run.key() for run in BY_NAME[name].runs("reach-demo")}
    assert {row.key for row in rows} <= named
    assert all(row.experiment == name and row.has_outcome and row.key == row.run.key() for row in rows)


@pytest.mark.parametrize("name", ["index-lookup-architectures", "dyck-architectures", "mamba-width", "equality-next"])
def test_the_section_of_a_reach_says_what_was_tried(name):
    """Its rates, scales and guessing, and the paper's columns where it prints numbers of the same task.

    It prints none of Dyck, and those of equality are over 1,024 symbols where `reach` has 8.
    """
    experiment = BY_NAME[name]
    search = experiment.search("reach")
    here = {"status": "finished", "steps": 2000, "accuracy": 0.6, "state_bits": [64, 0], "parameters": 9}
    curve = {"best_accuracy": 0.6, "curve": [[1000, 0.5, 1.0], [2000, 0.6, 0.5]]}
    made = [run for run in search.runs() if run.embedding_scale == 0.1]
    section = reach_section(experiment, [Row(name, run.key(), run.configuration(), here | curve, {}) for run in made])
    rates = listed([f"{rate:g}" for rate in search.rates])
    assert f"Rates tried: {rates}; embedding scales tried: 0.1; not every pair everywhere. Guessing has" in section
    assert ("the paper: falls to" in section) == (name in ("index-lookup-architectures", "mamba-width"))
    assert "none of the lengths tried | 60.0 at N = " in section


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
    """Beside `quick`, in the page and among the figures: how many cells there are, and how many runs were pruned."""
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
    page = reproduction_page(tmp_path)
    said = (
        "Ours of the preset `paper`: 1 of its 30 cells, 9 runs; 2 were pruned after 31,250 steps:\n\n| Accuracy, % | N = 200 |"
    )
    assert said in page
    assert "| LSTM (2, 64) | 26.0 (26.0; 3 seeds; 250,000 steps) |" in page
    tables = {named.name: named for named in report_tables(tmp_path / "demo.jsonl", rows=[])}
    assert list(tables) == ["equality-next", "equality-next-paper"]
    paper = tables["equality-next-paper"]
    assert paper.question == "Who copies, up to which length? Of the preset paper, 1 of its 30 cells."
    assert paper.table.title == "Copying, every next symbol right (the paper's size): accuracy, %"
    [cell] = paper.table.cells.values()
    assert (cell.paper, len(cell.seeds), len(cell.tried), len(cell.pruned)) == (0.996, 3, 5, 2)
    assert tables["equality-next"].question == "Who copies, up to which length?"


def test_the_page_is_what_the_rows_say():
    page = reproduction_page(RESULTS)
    names = [line[3:].split(":")[0] for line in page.splitlines() if line.startswith("## ")]
    assert names.pop(0) == "The claims of the papers, one by one"
    assert list(dict.fromkeys(names)) == [experiment.name for experiment in EXPERIMENTS if experiment.name in COMMITTED]
    of_is_tree = [one for one in BY_NAME["is-tree"].presets if BY_NAME["is-tree"].rows_file(RESULTS, one).exists()]
    assert names.count("is-tree") == len(of_is_tree)


def accuracies(name):
    """(architecture, length) -> accuracies of the best setting, one a seed."""
    table = experiment_table(BY_NAME[name], read_rows(RESULTS / f"{name}.jsonl"))
    return {(one.architecture, task.length): cell.seeds for (one, task), cell in table.cells.items()}


def paper(name):
    """architecture -> accuracies by length."""
    return {one.architecture: one.accuracy for one in paper_models(BY_NAME[name].paper_figure)}


def test_what_is_said_of_equality_next():
    ours, theirs = accuracies("equality-next"), paper("equality-next")
    assert all(min(seeds) == 1 for (_, length), seeds in ours.items() if length == 4)
    for architecture in ("attention", "linear-attention"):
        assert min(ours[architecture, 10]) > 0.99
    assert [sum(seed > 0.99 for seed in ours[name, 10]) for name in ("mamba", "retention")] == [2, 1]
    assert round(100 * min(ours["mamba", 10])) == 10
    assert max(ours["dss", 10]) < 0.99
    assert max(ours["lstm", 10]) < 0.601
    assert min(theirs["attention"].values()) > 0.99
    for architecture, fails_from in {"lstm": 400, "linear-attention": 400, "retention": 400, "dss": 600, "mamba": 600}.items():
        assert all((accuracy < 0.01) == (length >= fails_from) for length, accuracy in theirs[architecture].items())


def test_what_is_said_of_equality_random():
    ours, theirs = accuracies("equality-random"), paper("equality-random")
    table = experiment_table(BY_NAME["equality-random"], read_rows(RESULTS / "equality-random.jsonl"))
    best = {one.architecture: cell.best for (one, task), cell in table.cells.items() if task.length == 20}
    assert all(min(seeds) == 1 for (_, length), seeds in ours.items() if length == 6)
    assert all(min(ours[name, 20]) > 0.92 for name in ("lstm", "dss", "mamba"))
    assert all(max(ours[name, 20]) < 0.9 for name in ("attention", "linear-attention", "retention"))
    first_four = 1 - (2**-4 - 2**-10) / 2
    highest = max(run.accuracy for (_, task), cell in table.cells.items() if task.length == 20 for run in cell.runs)
    assert (round(100 * first_four, 1), round(100 * highest, 1)) == (96.9, 96.8)
    assert highest < first_four
    below = [theirs[name][20] - run.accuracy for name, run in best.items()]
    assert (round(100 * min(below)), round(100 * max(below))) == (3, 27)
    cells = {one.architecture: cell for (one, task), cell in table.cells.items() if task.length == 20}
    at_best = {
        name: {run.accuracy == max(accuracy for _, accuracy, _ in run.curve) for run in cell.repeats}
        for name, cell in cells.items()
    }
    assert at_best.pop("attention") == {True}
    assert set(map(frozenset, at_best.values())) == {frozenset((False, True))}
    for name, lowest in (("attention", 0.001), ("retention", 0.00058)):
        assert best[name].learning_rate == min(run.learning_rate for run in cells[name].tried) == lowest
    for name, cell in cells.items():
        assert ({run.learning_rate for run in cell.tried} <= set(QUICK_RATES)) == (name == "attention")
    for name, accuracy in theirs.items():
        for length in (200, 400):
            assert accuracy[length] > 0.99 if name in ("attention", "dss", "mamba") else accuracy[length] < 0.52


def test_what_is_said_of_index_lookup():
    name, slow = "index-lookup-architectures", ("lstm", "retention", "dss", "mamba")
    ours, theirs = accuracies(name), paper(name)
    assert min(max(seeds) for (_, length), seeds in ours.items() if length == 5) > 0.98
    assert min(min(seeds) for (_, length), seeds in ours.items() if length == 5) > 0.97
    assert all(min(ours[one, 20]) > 0.999 for one in ("attention", "linear-attention"))
    assert all(max(ours[one, 20]) < 0.38 for one in slow)
    assert all(accuracy[20] == 1 for accuracy in theirs.values())
    assert theirs["linear-attention"][50] == 0.716
    below = [100 * (1 - max(ours[one, 20])) for one in slow]
    assert [round(end(below)) for end in (min, max)] == [62, 80]
    for (one, _), cell in experiment_table(BY_NAME[name], read_rows(RESULTS / f"{name}.jsonl")).cells.items():
        on_the_grid = max(run.accuracy for run in cell.runs if run.seed == 0 and run.learning_rate in QUICK_RATES)
        assert cell.best.accuracy - on_the_grid < 0.03, one
        assert cell.ceiling == 1


def test_what_is_said_of_attention_at_the_papers_size():
    experiment = BY_NAME["index-lookup-architectures"]
    table = experiment_table(experiment, read_rows(experiment.rows_file(RESULTS, "paper")))
    assert {(one.architecture, one.size) for one in table.models} == {("attention", "(1, 64)")}
    assert len(experiment.search("paper").cells) - len(table.cells) == 28
    cells = {task.length: cell for (_, task), cell in table.cells.items()}
    assert {length: (min(cell.seeds), cell.paper) for length, cell in cells.items()} == {20: (1, 1), 50: (1, 1)}
    assert {run.steps for run in cells[20].repeats} == {500}
    assert {run.steps for run in cells[50].repeats} == {3000, 3250, 3500}
    good = [run for cell in cells.values() for run in cell.tried if 5e-5 <= run.learning_rate <= 1e-3]
    assert len(good) == 2 * 2 * 4
    assert {run.heads for run in good} == {4, 8}
    assert all(run.accuracy == 1 for run in good)
    assert max(run.steps for run in good) == 10_500
    lost = [run for cell in cells.values() for run in cell.pruned]
    assert {run.steps for run in lost} == {31_250}
    for rate, below in ((0.01, 0.61), (1e-6, 0.05)):
        assert len(found := [run.accuracy for run in lost if run.learning_rate == rate]) == 4
        assert max(found) < below
    [one] = [run for cell in cells.values() for run in cell.tried if run.learning_rate == 0.005]
    assert (one.task.length, one.heads, one.accuracy) == (20, 8, 1)


def test_what_is_said_of_equality_one():
    ours = accuracies("equality-one")
    assert min(max(seeds) for (_, length), seeds in ours.items() if length == 4) > 0.999
    assert min(min(seeds) for (_, length), seeds in ours.items() if length == 4) > 0.95
    assert [round(100 * end(ours["lstm", 16])) for end in (min, max)] == [76, 86]
    assert [round(100 * end(ours["mamba", 16])) for end in (min, max)] == [60, 67]
    table = experiment_table(BY_NAME["equality-one"], read_rows(RESULTS / "equality-one.jsonl"))
    cells = {one.architecture: cell for (one, task), cell in table.cells.items() if task.length == 16}
    below = [100 * (1 - cell.best.accuracy) for cell in cells.values()]
    assert (round(min(below)), round(max(below))) == (24, 49)
    for name in ("attention", "linear-attention", "retention", "dss"):
        assert max(run.accuracy for run in cells[name].runs) < 0.58
        assert ({run.learning_rate for run in cells[name].tried} <= set(QUICK_RATES)) == (name == "attention")


def test_what_is_said_of_the_width_of_mamba():
    name = "mamba-width"
    table = experiment_table(BY_NAME[name], read_rows(RESULTS / f"{name}.jsonl"))
    cells = {(one.width, task.length): cell for (one, task), cell in table.cells.items()}
    assert all(min(cells[width, 5].seeds) > 0.998 for width in (16, 32, 64))
    assert [round(100 * sum(cells[width, 20].seeds) / 3) for width in (16, 32, 64)] == [22, 30, 40]
    assert [cells[width, 20].best.learning_rate for width in (16, 32, 64)] == [0.0055, 0.003, 0.003]
    fast = [run.accuracy for width in (32, 64) for run in cells[width, 20].runs if run.learning_rate == 0.01]
    assert [round(1000 * accuracy) for accuracy in fast] == [77, 101]
    assert all(cell.ceiling == 1 for cell in cells.values())
    assert round(100 * max(cells[32, 20].seeds)) == 34
    assert "9,729 (Mamba (2, 16))" in ceilings_sentence(table)
    theirs = {one.width: one.accuracy for one in paper_models(BY_NAME[name].paper_figure)}
    for length in (20, 50, 75, 100, 200, 400):
        assert theirs[32][length] < theirs[64][length] < theirs[256][length] < theirs[1024][length]
    for width in (256, 1024):
        above = [theirs[512][length] > accuracy for length, accuracy in theirs[width].items()]
        assert any(above)
        assert not all(above)
    assert theirs[32][20] == 0.977

"""An experiment's figure: what stands in a cell, what its caption says, and that equal rows give equal files."""

from dataclasses import replace
from itertools import product

import pytest

from seqsep.lab.answers import chance
from seqsep.lab.experiments import EXPERIMENTS, index_lookup_architectures
from seqsep.lab.experiments.claims.papers import printed
from seqsep.report.captions import HEATMAP
from seqsep.report.figures.results import draw_results
from seqsep.report.figures.sheet import write_figure
from seqsep.report.result_table import ResultTable
from seqsep.report.sized_model import MOST_NAMED, SizedModel
from seqsep.report.table_files import record
from seqsep.tasks import BoundedDyck, Equality, IndexLookup


def no_paper(model, task):
    return None


def drawn(table):
    return draw_results(table, HEATMAP)


def test_what_a_cell_shows(measured):
    """The best rate with the first seed, the range over its seeds, the paper's number and the ceiling."""
    runs = [
        measured(IndexLookup(20), "lstm", accuracy, learning_rate=rate, seed=seed, state_bits=(4096, 0))
        for accuracy, rate, seed in ((0.2, 1e-3, 0), (0.5, 3e-3, 0), (0.9, 3e-3, 1), (0.4, 3e-3, 2), (0.99, 1e-2, 1))
    ]
    table = ResultTable.of("title", runs, lambda one, task: 0.498 if task.length == 20 else None)
    [shown] = table.cells.values()
    assert (shown.best.learning_rate, shown.best.seed, shown.best.accuracy) == (3e-3, 0, 0.5)
    assert sorted(shown.seeds) == [0.4, 0.5, 0.9]
    assert shown.lines == ("3 seeds 40.0–90.0", "paper 49.8", "ceiling 100")


def test_runs_that_were_pruned_are_crosses_and_never_the_best(measured):
    task = IndexLookup(20)
    ended = [measured(task, "lstm", accuracy, learning_rate=rate) for accuracy, rate in ((0.6, 1e-3), (0.5, 3e-3))]
    lost = [measured(task, "lstm", 0.9, learning_rate=rate, pruned=True) for rate in (3e-3, 1e-2)]
    table = ResultTable.of("title", [*lost, *ended], no_paper)
    [shown] = table.cells.values()
    assert (shown.best, shown.tried, shown.pruned) == (ended[0], tuple(ended), tuple(lost))
    [chart] = [axes for axes in drawn(table).axes if axes.get_xlabel() == "learning rate"]
    by_marker = {line.get_marker(): (list(line.get_xdata()), list(line.get_ydata())) for line in chart.lines}
    assert by_marker["x"] == ([3e-3, 1e-2], [0.9, 0.9])
    assert ([1e-3, 3e-3], [0.6, 0.5]) in [(list(line.get_xdata()), list(line.get_ydata())) for line in chart.lines]
    assert ResultTable.of("title", lost, no_paper).cells == {}
    assert record(*next((one, asked, cell) for (one, asked), cell in table.cells.items()))["runs"] == 4


def test_chance_is_what_a_state_of_no_bits_gets():
    assert chance(IndexLookup(20)) == pytest.approx(1 / 64)
    assert chance(BoundedDyck(20)) == chance(Equality(20, "one")) == 1 / 2
    assert chance(Equality(20)) == 1 / 2 + 2**-11  # equal halves are a little more frequent
    assert chance(Equality(20, "next", 8)) == 8.0**-10


def test_widths_of_one_architecture_are_told_apart(measured, tmp_path):
    runs = [measured(IndexLookup(20), "mamba", 0.5, model=SizedModel(("mamba", "mamba"), width)) for width in (16, 32)]
    figure = drawn(ResultTable.of("title", runs, no_paper))
    texts = {text.get_text() for axes in figure.axes for text in axes.texts}
    assert {"Mamba (2, 16)", "Mamba (2, 32)"} <= texts
    lines = [line.get_linestyle() for line in figure.axes[1].lines if line.get_label().startswith("Mamba")]
    assert len(set(lines)) == 2


def test_too_many_sizes_become_rows_of_architectures(measured):
    """A cell is then the best size of the architecture at its length."""

    def cell(length, name, depth, width, accuracy):
        size = SizedModel((name,) * depth, width)
        return [measured(IndexLookup(length), "", accuracy + seed / 100, model=size, seed=seed) for seed in (0, 1)]

    sizes = [(depth, width) for depth in (1, 2, 3) for width in (8, 16, 32)]
    best = {20: (2, 16), 50: (3, 8)}
    runs = []
    for length, name, size in product(best, ("lstm", "dss"), sizes):
        is_best = name == "lstm" and size == best[length]
        runs += cell(length, name, *size, accuracy=0.7 if is_best else 0.3)
    assert len({run.model for run in runs}) == 18 > MOST_NAMED
    whole = ResultTable.of("title", runs, lambda one, task: 0.9 if one.size == "(2, 16)" else None)
    table = whole.legible
    assert list(table.models.values()) == ["LSTM", "DSS"]
    shown = {(one.architecture, task.length): cell for (one, task), cell in table.cells.items()}
    assert shown["lstm", 20].lines == ("size (2, 16)", "2 seeds 70.0–71.0", "paper 90.0", "ceiling 100")
    assert shown["lstm", 50].lines == ("size (3, 8)", "2 seeds 70.0–71.0", "ceiling 100")
    assert shown["dss", 20].size == "(1, 8)"  # the smallest of those that are equally accurate
    assert all(cell.runs == replace(cell, size="").runs and cell.best in runs for cell in shown.values())
    texts = {text.get_text() for axes in drawn(whole).axes for text in axes.texts}
    assert {"LSTM", "DSS", "size (2, 16)", "size (3, 8)"} <= texts
    few = ResultTable.of("title", runs[:4], no_paper)
    assert few.legible is few


def test_equal_rows_give_equal_files(measured, tmp_path):
    table = ResultTable.of("title", [measured(IndexLookup(20), "lstm", 0.5)], no_paper)
    first = [path.read_bytes() for path in write_figure(drawn(table), tmp_path / "a", "x")]
    assert first == [path.read_bytes() for path in write_figure(drawn(table), tmp_path / "b", "x")]
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["x.pdf", "x.png", "x.svg"]


@pytest.mark.parametrize(
    ("figure", "size", "length", "expected"),
    [
        ("figure2_index_lookup", ("mamba", 6, 256), 100, 0.902),
        ("figure2_index_lookup", ("mamba", 1, 64), 100, 0.902),
        ("figure3_mamba_width_index_lookup", ("mamba", 2, 512), 75, 0.982),
        ("figure3_mamba_width_index_lookup", ("mamba", 2, 16), 75, None),
        ("figure4_eq_ncp", ("dss", 2, 64), 400, 0.925),
        ("figure4_eq_random", ("retention", 2, 256), 90, None),
        ("figure4_eq_random", ("rwkv7", 2, 256), 100, None),
    ],
)
def test_the_papers_numbers(figure, size, length, expected):
    assert printed(figure, size, length) == pytest.approx(expected)


def test_every_experiment_draws_its_rows():
    by_itself = [
        "is-tree",
        "language-classes",
        "claims",
    ]  # report/is_tree_table.py, pages/_language_classes.py, commands/claims.py
    assert [experiment.name for experiment in EXPERIMENTS if not experiment.title] == by_itself
    run = replace(index_lookup_architectures.quick(5, "lstm"), learning_rate=1e-3)
    assert run.task.alphabet == 16

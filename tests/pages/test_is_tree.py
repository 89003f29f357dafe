"""IsTree: cells from rows, and figures with a panel for each trace."""

import csv
from dataclasses import replace

import pytest

from seqsep.lab.experiments import BY_NAME
from seqsep.lab.experiments.is_tree import PAPER_SIZES, make, quick
from seqsep.lab.row import Row, write_rows
from seqsep.report.figures.is_tree_bars import caption, draw_is_tree
from seqsep.report.figures.is_tree_states import draw_is_tree_states
from seqsep.report.figures.sheet import write_figure
from seqsep.report.is_tree_files import write_is_tree_results
from seqsep.report.is_tree_table import IsTreeCell, is_tree_cells, names
from seqsep.tasks import IsTree

EXPERIMENT = BY_NAME["is-tree"]
HERE = {"torch": "2", "device": "cpu", "threads": 1}


def row(run, live=0.75, written=0.5, curve=((100, 0.2, 1.0), (200, 0.95, 0.1)), unanswered=0.25, state=(4096, 0)):
    result = {
        "status": "finished",
        "steps": 200,
        "accuracy": written,
        "best_accuracy": written,
        "curve": [list(point) for point in curve],
        "state_bits": list(state),
        "parameters": 1234,
        "live_accuracy": live,
        "unanswered": unanswered,
        "answer_accuracy": 0.9,
    }
    return Row(EXPERIMENT.name, run.key(), run.configuration(), result, HERE)


def of_size(name, size):
    return next(one for one in PAPER_SIZES if (one.model, one.size) == (name, size))


def test_a_cell_has_sizes_and_the_papers_number():
    size = of_size("mamba", "0.5M")
    cell = IsTreeCell.of(row(make(size.layers, size.width, 32, "cot"), state=(1000, 3)))
    assert (cell.parameters, cell.state_bits, cell.paper) == (1234, 1000 + 3 * 94, 0.55)
    assert (cell.live, cell.written, cell.answer, cell.unanswered, cell.steps) == (0.75, 0.5, 0.9, 0.25, 200)
    assert IsTreeCell.of(row(make(size.layers, size.width, 32, "peel"))).paper is None
    assert IsTreeCell.of(row(make(size.layers, 32, 32, "cot"))).paper is None
    assert IsTreeCell.of(row(make(size.layers, size.width, 32, "walk"))).ceiling is None


def test_models_that_differ_in_heads_are_different_models():
    """In the preset `state` they have one width and different states."""
    runs = [run for run in EXPERIMENT.runs("state") if run.layers == ("retention",) * 2 and run.width == 64]
    cells = is_tree_cells([row(run, state=(run.heads, 0)) for run in runs])
    assert len(cells) == len(runs) == 5
    assert list(names(model for model, _ in cells).values()) == [
        f"Retention (2, 64), heads {heads}" for heads in (1, 2, 4, 8, 16)
    ]


def test_a_state_that_is_too_small_has_a_ceiling():
    size = of_size("mamba", "0.5M")
    large = IsTreeCell.of(row(make(size.layers, size.width, 32, "cot")))
    assert large.ceiling == 1


def test_the_best_run_stands_for_its_cell():
    run = quick()[0]
    rows = [row(run, live=0.6), row(replace(run, seed=1), live=0.8), row(replace(run, seed=2), live=0.7)]
    (cell,) = is_tree_cells(rows).values()
    assert cell.live == 0.8
    lost = Row(EXPERIMENT.name, "0" * 64, run.configuration(), {"status": "failed: worker died"}, HERE)
    assert is_tree_cells([lost]) == {}


def test_the_files_have_sizes_and_numbers(tmp_path):
    assert write_is_tree_results(tmp_path, tmp_path) == []
    write_rows(tmp_path / "is-tree.jsonl", [row(run) for run in quick()])
    (shown,) = write_is_tree_results(tmp_path, tmp_path)
    assert shown.name == "is-tree"
    assert shown.figures[0].source.startswith("data:image/svg+xml;base64,")
    with (tmp_path / "tables" / "is-tree.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 30
    assert {(line["parameters"], line["state_bits"], line["live_accuracy"]) for line in lines} == {("1234", "4096", "0.75")}


@pytest.mark.parametrize("trace", ["cot", "peel"])
def test_the_figure_has_the_papers_bars_where_it_has_the_trace(tmp_path, trace):
    cells = is_tree_cells([row(run) for run in quick() if run.task.trace == trace])
    figure = draw_is_tree(cells)
    (axes,) = figure.axes
    ours = [bar for bar in axes.patches if bar.get_fill()]
    papers = [bar for bar in axes.patches if not bar.get_fill()]
    assert [bar.get_height() for bar in ours] == [75.0] * 6
    assert len(papers) == (12 if trace == "cot" else 0)
    if papers:
        assert [bar.get_height() for bar in papers[:3]] == pytest.approx([100, 83.8, 99.8])
    assert len(write_figure(figure, tmp_path, "is-tree")) == 3


def test_a_figure_of_one_trace_has_room_for_its_legend():
    few = draw_is_tree(is_tree_cells([row(run) for run in EXPERIMENT.runs("length")]))
    few.canvas.draw()
    texts = [text for legend in few.legends for text in legend.get_texts()]
    assert len(texts) == 4
    bars = [bar for axes in few.axes for bar in axes.patches]
    assert [type(handle).__name__ for legend in few.legends for handle in legend.legend_handles] == ["Rectangle"] * 4
    assert {bar.get_facecolor() for bar in bars} == {handle.get_facecolor() for handle in few.legends[0].legend_handles}
    assert all(text.get_window_extent().x1 <= few.bbox.x1 for text in texts)
    assert "paper" not in caption([IsTree(16, trace="peel")])
    assert "the paper's models" in caption([IsTree(16, trace="peel"), IsTree(16, trace="cot")])


def test_states_are_a_figure_over_bits(tmp_path):
    """Widths of an architecture are joined, other numbers of heads are open marks, and the legend names architectures."""
    runs = EXPERIMENT.runs("state")
    rows = [row(run, live=0.5 + run.width / 1000, state=(run.width * 100 * run.heads, 0)) for run in runs]
    figure = draw_is_tree_states(is_tree_cells(rows))
    written, live = figure.axes
    joined = [line for line in written.lines if len(line.get_xdata()) > 1]
    alone = [line for line in written.lines if len(line.get_xdata()) == 1]
    architectures = {run.layers[0] for run in runs}
    assert len(joined) == len(architectures) == 9
    assert all(len(line.get_xdata()) == 4 for line in joined)
    assert len(alone) == len(runs) - 4 * len(architectures) == 16
    assert {line.get_fillstyle() for line in alone} == {"none"}
    first = next(line for line in live.lines if len(line.get_xdata()) == 4)
    assert list(first.get_ydata()) == pytest.approx([51.6, 53.2, 56.4, 62.8])
    labels = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert len(labels) == 9
    assert all(labels)
    write_rows(tmp_path / "is-tree-state.jsonl", rows)
    (shown,) = write_is_tree_results(tmp_path, tmp_path)
    assert shown.figures[0].title == "accuracy and bits of state"
    assert "52 models" in shown.figures[0].caption

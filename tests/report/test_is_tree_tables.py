"""Tables and figures of the experiment `is-tree`: sizes beside every number, a distribution at a time, ceilings as lines."""

import csv
from dataclasses import replace

import pytest

from seqsep.lab.experiments.is_tree import EXPERIMENT, PAPER_SIZES, make, quick, uniform
from seqsep.lab.row import Row, write_rows
from seqsep.report.figures.is_tree_bars import Panel, caption, draw_is_tree, panels_of
from seqsep.report.figures.is_tree_states import draw_is_tree_states, states_caption
from seqsep.report.is_tree_files import write_is_tree_results
from seqsep.report.is_tree_table import is_tree_cells, sizes_as_built
from seqsep.tasks.ceilings import ceiling

HERE = {"torch": "2", "device": "cpu", "threads": 1}
PRESETS = {preset: EXPERIMENT.runs(preset) for preset in EXPERIMENT.presets}


def row(run, live=0.75, state=4096, parameters=1234, answer=0.875):
    result = {"status": "finished", "steps": 200, "accuracy": 0.5, "best_accuracy": 0.5, "curve": [[200, 0.5, 0.1]]}
    result |= {"state_bits": [state, 0], "parameters": parameters}
    result |= {"live_accuracy": live, "unanswered": 0.25, "answer_accuracy": answer}
    return Row(EXPERIMENT.name, run.key(), run.configuration(), result, HERE)


def cells_of(runs, **result):
    return is_tree_cells([row(run, **result) for run in runs])


def both(**of_uniform):
    """Cells of `quick` and of its part on uniform graphs."""
    return cells_of(quick(), live=0.75) | cells_of(uniform(), **of_uniform)


def texts(figure):
    """Every word of a figure: legend, caption, titles, axes."""
    figure.canvas.draw()
    words = [text.get_text() for text in figure.texts]
    words += [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    return words + [text for axes in figure.axes for text in (axes.get_title(), axes.get_xlabel(), axes.get_ylabel())]


def lines_of(axes):
    """(height, from, to) of each level line; one across the panel goes from 0 to 1."""
    points = [(line.get_xdata(), line.get_ydata()) for line in axes.lines]
    assert all(len(set(y)) == 1 for _, y in points)
    return [(round(float(y[0]), 1), round(float(x[0]), 2), round(float(x[-1]), 2)) for x, y in points]


def across(axes):
    return [height for height, start, end in lines_of(axes) if (start, end) == (0, 1)]


def marks_of(axes):
    """The heights of all marks."""
    return [float(height) for line in axes.lines if line.get_marker() != "None" for height in line.get_ydata()]


def test_the_papers_sizes_are_counted_as_built():
    smallest = [size for size in PAPER_SIZES if size.size == "0.5M"]
    assert [sizes_as_built(size, 16)[0] for size in smallest] == [525_376, 523_328, 458_176]
    transformer = PAPER_SIZES[0]
    run = make(transformer.layers, transformer.width, 32, "cot")
    fixed, per_token = run.model().state_bits()
    assert sizes_as_built(transformer, 32)[1] == fixed + per_token * run.task.prompt_tokens
    assert sizes_as_built(transformer, 32) != sizes_as_built(transformer, 16)


@pytest.mark.parametrize("preset", EXPERIMENT.presets)
def test_every_figure_has_parameters_and_bits_of_state(preset):
    cells = cells_of(PRESETS[preset])
    figure = draw_is_tree_states(cells) if preset == "state" else draw_is_tree(cells)
    labels = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert labels
    assert all("1,234 parameters" in label for label in labels)
    if preset == "state":
        assert {axes.get_xlabel() for axes in figure.axes} == {"state, bits"}
    else:
        assert all("4,096 bits of state at n = " in label for label in labels)
    said = " ".join(texts(figure)).replace("\n", " ")
    assert ("uniform graphs" if preset == "uniform" else "double stars") in said
    hatched = [bar for axes in figure.axes for bar in axes.patches if not bar.get_fill()]
    papers = (
        "525,376 (Transformer), 523,328 (Mamba) and 458,176 (Hybrid) parameters and 1,507,328, 1,245,184 and 1,122,304 bits"
    )
    assert (papers in said) == bool(hatched)


@pytest.mark.slow
def test_the_files_have_sizes_and_distributions(tmp_path):
    for preset, runs in PRESETS.items():
        write_rows(EXPERIMENT.rows_file(tmp_path, preset), [row(run) for run in runs])
    assert len(write_is_tree_results(tmp_path, tmp_path)) == len(PRESETS)
    for preset in PRESETS:
        path = EXPERIMENT.rows_file(tmp_path, preset)
        with (tmp_path / "tables" / f"{path.stem}.csv").open() as file:
            lines = list(csv.DictReader(file))
        assert {(line["parameters"], line["state_bits"]) for line in lines} == {("1234", "4096")}
        assert {line["distribution"] for line in lines} == {"uniform" if preset == "uniform" else "double-star"}
        assert {line["answer_behind_right_thought"] for line in lines} == {"0.875"}


def test_parameters_over_bits_are_from_the_least_to_the_most():
    runs = PRESETS["state"]
    cells = is_tree_cells([row(run, parameters=10 * run.width) for run in runs])
    figure = draw_is_tree_states(cells)
    labels = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert len(labels) == 9
    assert all(label.endswith(": 160 to 1,280 parameters") for label in labels)
    few = draw_is_tree_states(is_tree_cells([row(run, parameters=10 * run.width) for run in runs[:3]]))
    assert [text.get_text().split(": ")[1] for legend in few.legends for text in legend.get_texts()] == ["640 parameters"] * 3
    assert all(text.get_window_extent().x1 <= figure.bbox.x1 for legend in figure.legends for text in legend.get_texts())


def test_a_figure_keeps_distributions_apart():
    """A panel for each, with every bar; the paper's are of double stars."""
    figure = draw_is_tree(both(live=0.625))
    titles = [axes.get_title() for axes in figure.axes]
    of_double_stars = [f"{trace}, double stars" for trace in ("vanilla", "cot", "peel", "walk", "retrieval")]
    assert titles == [*of_double_stars, "vanilla, uniform graphs", "walk, uniform graphs"]
    for axes in figure.axes:
        ours = [bar.get_height() for bar in axes.patches if bar.get_fill()]
        papers = [bar for bar in axes.patches if not bar.get_fill()]
        is_uniform = "uniform" in axes.get_title()
        assert ours == [62.5 if is_uniform else 75.0] * 6
        assert bool(papers) == (axes.get_title().split(",")[0] in ("vanilla", "cot", "retrieval") and not is_uniform)


def test_double_stars_have_a_line_at_two_thirds():
    """Not with a retriever, whose reader needs no state, and not on uniform graphs."""
    figure = draw_is_tree(both(live=0.625))
    for axes in figure.axes:
        trace, graphs = axes.get_title().split(", ")
        is_bounded = graphs == "double stars" and trace in ("vanilla", "cot", "peel")
        assert across(axes) == ([66.7, 50.0] if is_bounded else [50.0])
    (line,) = [line for line in figure.axes[0].lines if round(line.get_ydata()[0], 1) == 66.7]
    assert line.get_linestyle() == "--"
    assert "Dashes: 2/3, what O(log n) bits of state reach on double stars" in caption([quick()[0].task])
    assert "2/3" not in caption([run.task for run in uniform()])


def test_a_ceiling_below_100_is_drawn_above_its_bar():
    vanilla = [run for run in quick() if run.task.trace == "vanilla" and run.task.length == 16]
    (axes,) = draw_is_tree(cells_of(vanilla, state=3)).axes
    height = round(100 * ceiling(vanilla[0].task, 3), 1)
    assert 66.7 < height < 100
    bars = [bar for bar in axes.patches if bar.get_fill()]
    drawn = [(low, high) for at, low, high in lines_of(axes) if at == height]
    assert len(drawn) == len(bars) == 3
    for (low, high), bar in zip(drawn, bars, strict=True):
        assert bar.get_x() < low < high < bar.get_x() + bar.get_width()
    (free,) = draw_is_tree(cells_of(vanilla, state=4096)).axes
    assert [height for height, _, _ in lines_of(free)] == [66.7, 50.0]


def test_rows_of_uniform_graphs_alone_are_a_figure():
    """Two panels: without a thought each n has the ceiling without a state, each bar that of its own; the walk has neither."""
    figure = draw_is_tree(cells_of(uniform(), state=1))
    vanilla, walk = figure.axes
    assert [len(axes.patches) for axes in figure.axes] == [6, 6]
    without = [round(100 * ceiling(Panel("vanilla", "uniform").task(length), 0), 1) for length in (8, 16)]
    own = [round(100 * ceiling(Panel("vanilla", "uniform").task(length), 1), 1) for length in (8, 16)]
    heights = [height for height, start, end in lines_of(vanilla) if (start, end) != (0, 1)]
    assert heights == [own[0]] * 3 + [without[0]] + [own[1]] * 3 + [without[1]]
    assert without == [78.8, 77.1]
    assert own[1] < own[0] == 100
    assert [height for height, _, _ in lines_of(walk)] == [50.0]


def test_every_task_has_its_panel():
    tasks = {run.task for runs in PRESETS.values() for run in runs}
    panels = panels_of(tasks)
    assert {(panel.trace, panel.distribution) for panel in panels} == {(task.trace, task.distribution) for task in tasks}
    assert len(set(panels)) == len(panels) == 7


def test_states_of_two_tasks_are_two_lines_of_panels():
    runs = PRESETS["state"][:4]
    others = [replace(run, task=replace(run.task, trace="vanilla", distribution="uniform")) for run in runs]
    cells = cells_of(runs, live=0.75) | cells_of(others, live=0.625, state=1)
    figure = draw_is_tree_states(cells)
    assert len(figure.axes) == 4
    assert [axes.get_title() for axes in figure.axes[1::2]] == [
        "live accuracy, % (double stars of n = 8, thought peel)",
        "live accuracy, % (uniform graphs of n = 8, thought vanilla)",
    ]
    double_star, of_uniform = figure.axes[1::2]
    assert [marks_of(axes) for axes in (double_star, of_uniform)] == [[75.0] * 4, [62.5] * 4]
    assert 66.7 in across(double_star)
    assert across(of_uniform) == [50.0]
    assert figure.axes[0].get_position().y0 > figure.axes[2].get_position().y1
    small = [replace(run, task=replace(run.task, trace="vanilla")) for run in runs]
    limited = cells_of(small, state=3)
    live = draw_is_tree_states(limited).axes[1]
    assert round(100 * ceiling(small[0].task, 3), 1) in {round(float(line.get_ydata()[0]), 1) for line in live.lines}
    assert "Black line: the ceiling of each state" in states_caption(limited)
    assert "every ceiling is 100 %" in states_caption(cells_of(runs))

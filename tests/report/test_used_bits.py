"""The figure of the bits of each state that are used: what it draws of rows, the committed ones and those to come."""

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from report.test_panels import overlaps
from seqsep.lab.experiments import BY_NAME
from seqsep.lab.row import read_rows
from seqsep.report.captions import USED_BITS
from seqsep.report.experiment_table import report_tables, states_table
from seqsep.report.figure_files import write_experiment
from seqsep.report.figures.used_bits import FILLS, ROW, draw_used_bits
from seqsep.report.measured import RunSummary
from seqsep.report.result_table import ResultTable
from seqsep.report.styles import STYLES
from seqsep.report.used_bits import UsedAtLength, panel_title, used_in, varied
from seqsep.tasks import IndexLookup
from seqsep.tasks.ceilings import carried_bits

EXPERIMENT = BY_NAME["index-lookup-architectures"]
RESULTS = Path(__file__).parents[2] / "results"


@cache
def rows():
    return read_rows(EXPERIMENT.rows_file(RESULTS, "state-bits"))


@cache
def committed():
    return states_table(EXPERIMENT, rows())


def table_of(runs):
    return ResultTable.of("Index lookup: accuracy, %", runs, lambda model, task: None)


@cache
def whole(*powers):
    """All 135 cells of the preset, with the states at N = 50 and powers of the accuracies there."""
    found = []
    for power, length in zip(powers, (50, 100, 200), strict=True):
        for row in rows():
            if row.run.task == IndexLookup(50) and (row.run.width, length) != (128, 200):
                run = RunSummary.of(row)
                model = run.model.with_heads(run.heads)
                found.append(replace(run, model=model, task=IndexLookup(length), accuracy=run.accuracy**power))
    table = table_of(found)
    assert len(table.cells) == len(EXPERIMENT.runs("state-bits")) == 135
    return table


def drawn(table):
    return draw_used_bits(table, USED_BITS)


def marks(axes):
    """The marks of a panel: bits of state, height and filling."""
    return [
        (line.get_xdata()[0], line.get_ydata()[0], line.get_fillstyle())
        for line in axes.lines
        if len(line.get_xdata()) == 1 and line.get_marker() in {style.marker for style in STYLES.values()}
    ]


@pytest.mark.parametrize(
    "powers",
    [(1.0, 1.0, 1.0), (1.0, 2.0, 4.0), (0.0, 0.0, 0.0), (9.0, 9.0, 9.0)],
    ids=["whole", "falling", "perfect", "guessing"],
)
def test_no_words_collide(powers):
    assert overlaps(drawn(whole(*powers))) == ([], [])


def test_no_words_collide_in_the_committed_or_an_empty_figure():
    for table in (committed(), table_of([])):
        assert overlaps(drawn(table)) == ([], [])


def test_every_model_has_a_mark_at_its_bits():
    """In the strip if it proves less than one bit."""
    panels = drawn(committed()).axes
    assert len(panels) == len(committed().tasks) == len({row.run.task for row in rows()})
    for axes, task in zip(panels, committed().tasks, strict=True):
        of_task = [row for row in rows() if row.run.task == task]
        bits = [(row.result["state_bits"][0], carried_bits(task, row.result["accuracy"])) for row in of_task]
        found = marks(axes)
        assert Counter((state, used) for state, used in bits if used >= 1) == Counter(
            (state, height) for state, height, _ in found if height >= 1
        )
        in_strip = Counter(state for state, height, _ in found if height < 0)
        assert in_strip == Counter(state for state, used in bits if used < 1)
        assert len(found) == len(of_task)


def test_marks_of_the_strip_are_apart():
    for table in (committed(), whole(1.0, 2.0, 4.0), whole(9.0, 9.0, 9.0)):
        figure = drawn(table)
        for axes in figure.axes:
            below = [(state, height) for state, height, _ in marks(axes) if height < 0]
            places = axes.transData.transform(below) / figure.dpi if below else []
            apart = [max(abs(a - b)) for at, a in enumerate(places) for b in places[:at]]
            assert min(apart, default=ROW) > 0.999 * ROW
            assert all(axes.get_ylim()[0] < height for _, height in below)


def test_fillings_say_what_is_varied():
    [axes, *_] = drawn(committed()).axes
    [column, *_] = committed().columns
    expected = Counter((cell.state_bits, FILLS[varied(model)]) for model, cell in column.cells.items())
    assert Counter((state, filling) for state, _, filling in marks(axes)) == expected
    assert Counter(varied(model) for model in column.cells) == {"width": 36, "heads": 8, "size": 4}


def test_lines_join_what_differs_in_one_thing(measured):
    """Widths by a solid line, heads at one width by a dotted one; none between two that prove nothing."""
    runs = []
    for width, heads, accuracy, bits in ((16, 4, 0.01, 10), (32, 4, 0.01, 20), (64, 4, 0.5, 400), (64, 1, 0.9, 1600)):
        run = measured(IndexLookup(50), "retention", accuracy, state_bits=(bits, 0))
        runs.append(replace(run, model=replace(run.model, width=width, heads=heads)))
    [axes] = drawn(table_of(runs)).axes
    used = {accuracy: carried_bits(IndexLookup(50), accuracy) for accuracy in (0.01, 0.5, 0.9)}
    joined = {
        (tuple(line.get_xdata()), tuple(line.get_ydata()), line.get_linestyle())
        for line in axes.lines
        if line.get_color() == STYLES["retention"].light and len(line.get_xdata()) == 2
    }
    assert joined == {((20, 400), (0, used[0.5]), "-"), ((400, 1600), (used[0.5], used[0.9]), "--")}


def test_a_curve_is_a_share_of_the_state():
    [axes, *_] = drawn(committed()).axes
    curves = [line for line in axes.lines if len(line.get_xdata()) > 2]
    shares = [[y / x for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)] for line in curves]
    assert [min(of_one) for of_one in shares] == pytest.approx([1, 0.1, 0.01, 0.001])
    assert [max(of_one) for of_one in shares] == pytest.approx([1, 0.1, 0.01, 0.001])
    assert all(max(line.get_ydata()) == 300 == axes.get_ylim()[1] for line in curves)
    heights = {text.get_text(): text.xy[1] for text in axes.texts if hasattr(text, "xy") and text.xy[0] == 1}
    assert heights == {f"{share} %": carried_bits(IndexLookup(50), share / 100) for share in (25, 50, 75, 90, 100)}


def test_the_legend_has_architectures_and_what_is_varied():
    [legend] = drawn(committed()).legends
    labels = [text.get_text() for text in legend.get_texts()]
    architectures = [style.title for style in STYLES.values() if style.slug != "attention"]
    assert labels[: len(architectures)] == architectures
    assert labels[len(architectures) :] == [
        "width 16, 32, 64 and 128",
        "width 64, heads 1 and 16",
        "width 64, other state sizes",
    ]


def test_words_follow_the_numbers(measured):
    runs = [
        measured(IndexLookup(50), "lstm", 0.9, state_bits=(1000, 0)),
        measured(IndexLookup(50), "mamba", 0.95, state_bits=(100_000, 0)),
        measured(IndexLookup(200), "lstm", 0.01, state_bits=(1000, 0)),
    ]
    shorter, longer = table_of(runs).columns
    assert [round(point.used) for point in used_in(shorter)] == [247, 271]
    found = UsedAtLength.of(shorter)
    assert (found.length, found.models, found.asked, found.none) == (50, 2, 300, 0)
    assert (found.most.model.architecture, found.greatest.model.architecture) == ("mamba", "lstm")
    assert UsedAtLength.of(longer).none == 1
    assert panel_title(shorter) == "N = 50, 2 models, 300 bits asked"


def test_the_report_shows_this_figure_alone(tmp_path):
    """For the preset `state-bits`; its table is written as those of others."""
    [named] = [one for one in report_tables(RESULTS / "demo.jsonl", []) if one.is_of_states]
    shown = write_experiment(named, tmp_path)
    assert [figure.title for figure in shown.figures] == ["bits of state that are used"]
    assert shown.figures[0].caption == USED_BITS
    name = "index-lookup-architectures-state-bits"
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        f"{name}-state.{kind}" for kind in ("pdf", "png", "svg")
    }
    assert {path.name for path in (tmp_path / "tables").iterdir()} == {f"{name}.csv", f"{name}.tex"}

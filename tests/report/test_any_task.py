"""The report of any task and any layers: nothing that was run is missing, and no row of the reader is called committed."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from seqsep.lab.row import Row, write_rows
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.task import own_task
from seqsep.report.any_task import plain_table, positions_table, runs_by_task, sentence
from seqsep.report.figures.results import draw_results
from seqsep.report.figures.swept_picture import draw_grid, draw_line
from seqsep.report.result_table import ResultTable
from seqsep.report.swept import grid_of, line_of, over, swept_settings
from seqsep.report.write import write_report
from seqsep.tasks import IndexLookup, MultiQueryRecall

RATES = (0.001, 0.003)


def row(task, layers, accuracy, **changes):
    """A finished row; an own task and recall have the scores of single answers."""
    run = Run(task, layers, **{"width": 16, "steps": 100, "evaluation": 1000} | changes)
    result = {"status": "finished", "accuracy": accuracy, "best_accuracy": accuracy, "steps": 100, "parameters": 99}
    result |= {"curve": [[50, accuracy / 2, 2.0], [100, accuracy, 1.25]], "state_bits": [512, 0]}
    if not isinstance(task, IndexLookup):
        result |= {"accuracy_per_answer": (1 + accuracy) / 2, "chance_per_answer": 0.25, "chance": 0.0625}
    return Row("trial", run.key(), run.configuration(), result, {"torch": "2", "device": "cpu", "threads": 1})


@pytest.fixture(name="own")
def own_fixture(tmp_path):
    """A layer and a task of a file that is gone when the report is written, as it may be for rows of another machine."""
    path = tmp_path / "mine.py"
    path.write_text("class Layer: pass\nclass Puzzle: pass\n")
    run = Run(own_task(PlugIn.parse(f"{path}:Puzzle"), {"length": 4}), (f"{path}:Layer",), 16)
    path.unlink()
    restored = Run.from_configuration(run.configuration())
    return restored.task, restored.layers


@pytest.fixture(name="rows")
def rows_fixture(own):
    """Recall over pairs, rates and seeds for two models; an own task; and index lookup."""
    task, layers = own
    found = [row(task, layers, 0.5), row(IndexLookup(5), ("lstm",), 0.4, seed=1)]
    for pairs in (2, 4):
        for place, rate in enumerate(RATES):
            for seed in (0, 1):
                recall = MultiQueryRecall(16, form="zoology", pairs=pairs)
                found.append(
                    row(recall, ("attention",), 0.9 - 0.1 * pairs + 0.04 * place + 0.02 * seed, learning_rate=rate, seed=seed)
                )
                found.append(row(recall, layers, 0.5 - 0.1 * pairs - 0.04 * place, learning_rate=rate, seed=seed))
    return found


def test_every_task_has_its_table(rows):
    shown = {one.title: one for one in runs_by_task("mine", [*rows, rows[0]])}
    assert {title: len(one.runs) for title, one in shown.items()} == {"Puzzle": 1, "index-lookup": 1, "multi-query-recall": 16}
    assert [one.has_own_sections for one in shown.values()] == [False, True, False]
    assert shown["Puzzle"].name == "mine-Puzzle"


def test_the_table_has_mean_range_chance_loss_and_setting(rows):
    (recall,) = [one for one in runs_by_task("mine", rows) if one.title == "multi-query-recall"]
    table = plain_table(recall)
    (entry,) = [one for one in table.rows if one.name == "N = 16, pairs 2: Attention (1, 16)"]
    assert [part.main for part in entry.entries] == [
        "75.0",
        "74.0–76.0, 2 seeds",
        "87.5",
        "6.2",
        "100",
        "1.25",
        "512",
        "learning rate 0.003",
    ]
    assert sentence(recall).startswith("multi-query-recall, N = 16, pairs 4: Attention 55.0 %, Layer@")


def test_an_own_task_without_its_file_has_no_bound(rows):
    (own,) = [one for one in runs_by_task("mine", rows) if one.title == "Puzzle"]
    (entry,) = plain_table(own).rows
    words = [part.main for part in entry.entries]
    assert words[:5] == ["50.0", "1 seed, 95 %: 46.9–53.1", "75.0", "6.2", "no bound known"]
    enough = replace(rows[0], result=rows[0].result | {"answer_bits": 9})
    assert plain_table(runs_by_task("mine", [enough])[0]).rows[0].entries[4].main == "100"


def test_positions_are_a_table_of_their_own(rows):
    """Tenths without an answer are a dash."""
    tenths = [None] * 8 + [0.25, 0.75]
    changed = replace(rows[0], result=rows[0].result | {"accuracy_by_tenth": tenths})
    (shown,) = runs_by_task("mine", [changed])
    (entry,) = positions_table(shown).rows
    assert [part.main for part in entry.entries] == ["—"] * 8 + ["25.0", "75.0"]
    assert positions_table(runs_by_task("mine", rows[:1])[0]) is None


def test_what_was_swept_is_found(rows):
    (recall,) = [one for one in runs_by_task("mine", rows) if one.title == "multi-query-recall"]
    assert swept_settings(recall.runs) == ["pairs", "learning rate"]
    line = line_of(recall.runs)
    assert (line.settings, line.values(0)) == (("pairs",), [2, 4])
    (attention,) = [model for model in line.of if model.layers == ("attention",)]
    assert line.places[attention, (2,)].accuracies == pytest.approx((0.74, 0.76))
    assert line.places[attention, (2,)].per_answer == pytest.approx((0.87, 0.88))
    grid = grid_of(recall.runs)
    assert grid.settings == ("pairs", "learning rate")
    assert grid.places[attention, (4, 0.001)].accuracy == pytest.approx(0.51)


def test_a_width_that_follows_from_the_length_is_no_grid():
    """As in a comparison of equal states."""
    runs = [row(IndexLookup(length), ("attention",), 0.5, width=width) for length, width in ((4, 16), (8, 8), (16, 4))]
    (shown,) = runs_by_task("mine", runs)
    assert swept_settings(shown.runs) == ["length", "width"]
    assert grid_of(shown.runs) is None
    assert len(over(shown.runs, ["length"]).places) == 3


def test_settings_of_training_are_not_taken_for_seeds():
    """The same run with another decay is another setting: the best has one seed."""
    runs = [row(IndexLookup(5), ("lstm",), 0.4), row(IndexLookup(5), ("lstm",), 0.6, decay="cosine")]
    (shown,) = runs_by_task("mine", runs)
    (cell,) = shown.table.cells.values()
    assert (cell.best.further, cell.seeds) == ((("decay", "cosine"),), (0.6,))
    assert plain_table(shown).rows[0].entries[-1].main == "decay cosine"


def test_figures_show_every_model_and_chance(rows):
    (recall,) = [one for one in runs_by_task("mine", rows) if one.title == "multi-query-recall"]
    line = draw_line(line_of(recall.runs), "recall", "caption")
    words = [text.get_text() for text in line.axes[0].texts]
    assert {"All answers right", "Each answer", "55.0 Attention", "77.5 Attention", "6.2 chance", "25.0 chance"} <= set(words)
    grid = draw_grid(grid_of(recall.runs), "recall", "caption")
    assert [axes.get_title(loc="left").partition("@")[0] for axes in grid.axes] == ["Attention", "Layer"]
    assert {"75.0", "74.0–76.0", "71.0", "pairs 2", "learning rate 0.003"} <= {text.get_text() for text in grid.axes[0].texts}


def test_open_marks_are_seeds_of_the_best_rate_only():
    """The figure put the other seeds of every rate at the best rate."""
    runs = [
        row(IndexLookup(5), ("lstm",), 0.3 + 0.1 * seed + 20 * rate, learning_rate=rate, seed=seed)
        for rate in (0.01, 0.02)
        for seed in (0, 1)
    ]
    (shown,) = runs_by_task("mine", runs)
    lines = draw_results(shown.table, "caption").axes[1].lines
    (open_marks,) = [line for line in lines if line.get_fillstyle() == "none"]
    assert open_marks.get_xydata().tolist() == [[0.02, pytest.approx(0.8)]]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_report_of_a_store_shows_all_that_was_run(rows, tmp_path):
    few = [one for one in rows if not isinstance(one.run.task, MultiQueryRecall)]
    with Store(tmp_path / "runs.sqlite") as store, store.driving():
        for one in few:
            store.record(one, seconds=1.0, attempts=1)
    page = write_report(tmp_path / "runs.sqlite", tmp_path / "page", check=list, is_own=True)
    text = page.read_text().replace("\u00a0", " ")
    assert "Puzzle, N = 4: Layer@" in text
    assert "Index lookup, N = 5: LSTM 40.0 %" in text
    shown = re.sub(r"data:image/svg[^\"]*", "", text)
    assert not re.search(r"\bcommitted\b|No run (was|compares)", shown)
    assert {"runs-Puzzle.csv", "runs-Puzzle.tex", "runs-index-lookup.csv"} <= {
        path.name for path in Path(tmp_path / "page" / "tables").iterdir()
    }
    assert (tmp_path / "page" / "figures" / "runs-Puzzle.pdf").exists()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_rows_of_other_tasks_check_no_theorem(rows, tmp_path):
    """All theorems took most of the time of a report, also of rows that none of them is about."""
    asked = []

    def check():
        asked.append(1)
        return [{"theorem": "index-lookup-state", "holds": True, "side": "lower"}]

    words = "so this page checks no theorem. The command <code>seqsep check</code> checks all."
    for some, is_own, checks in ((rows[:1], True, False), (rows[1:2], True, True), (rows[:1], False, True)):
        write_rows(tmp_path / "rows.jsonl", some)
        page = write_report(tmp_path / "rows.jsonl", tmp_path / "page", check=check, is_own=is_own)
        text = page.read_text().replace("\u00a0", " ")
        assert (bool(asked), words in text, "theorem checks without" in text) == (checks, not checks, checks)
        asked.clear()


def test_a_file_of_rows_gives_the_same_table(rows, tmp_path):
    from seqsep.lab.rows_of import read_rows

    write_rows(tmp_path / "rows.jsonl", rows[:1])
    again = list(runs_by_task("mine", read_rows(tmp_path / "rows.jsonl")))
    assert [plain_table(one) for one in again] == [plain_table(one) for one in runs_by_task("mine", rows[:1])]
    assert isinstance(again[0].table, ResultTable)

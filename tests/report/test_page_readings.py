"""The page says which reading of H.1 its models were trained on, and how accurate they are by queried position."""

from dataclasses import replace
from pathlib import Path

from seqsep.report.demo_runs import DemoRuns
from seqsep.report.formatting import DASH
from seqsep.report.measured import RunSummary
from seqsep.report.page.page import write_page
from seqsep.report.page.positions import positions_table
from seqsep.tasks import IndexLookup
from support.html_reader import Reader

TENTHS = (1.0, 0.95, None, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)


def trained_on(runs: list[RunSummary], training: str, mixed_steps: int = 0) -> DemoRuns:
    """The runs of index lookup, trained under a reading, with tenths of the positions."""
    chosen = [run for run in runs if isinstance(run.task, IndexLookup)]
    tasks = {run.task.length: IndexLookup(run.task.length, training_inputs=training) for run in chosen}
    changes = {"accuracy_by_tenth": TENTHS, "mixed_steps": mixed_steps}
    return DemoRuns(tuple(replace(run, task=tasks[run.task.length], **changes) for run in chosen))


def text_of(folder: Path, runs: DemoRuns) -> str:
    return Reader(write_page(folder, runs, ()).read_text(encoding="utf-8").replace("\u00a0", " ")).text


def test_the_page_says_which_inputs_models_were_trained_on(tmp_path: Path, fresh: list[RunSummary]) -> None:
    said = text_of(tmp_path, trained_on(fresh, "full-length", mixed_steps=2000))
    assert "training: inputs have N symbols and a uniform position (long ones after 2,000 steps of mixed lengths)." in said
    said = text_of(tmp_path, trained_on(fresh, "drawn-length"))
    assert "training: inputs have k symbols and a position up to k, where k is drawn up to N. ceiling" in said


def test_accuracy_by_position_is_that_of_the_longest_input(tmp_path: Path, fresh: list[RunSummary]) -> None:
    runs = trained_on(fresh, "full-length")
    table = positions_table(runs)
    assert table is not None
    assert len(table.columns) == 10
    assert {row.name.rpartition(", ")[2] for row in table.rows} == {"N = 50"}
    assert [entry.main for entry in table.rows[0].entries] == [
        "100.0", "95.0", DASH, "80.0", "70.0", "60.0", "50.0", "40.0", "30.0", "20.0",
    ]  # fmt: skip
    assert "Accuracy by queried position" in text_of(tmp_path, runs)


def test_without_tenths_there_is_no_table(tmp_path: Path, fresh: list[RunSummary]) -> None:
    assert positions_table(DemoRuns(tuple(fresh))) is None
    assert "Accuracy by queried position" not in text_of(tmp_path, DemoRuns(tuple(fresh)))

"""The picture of a state that is too small: committed audits, never above the proved ceiling, and its caption."""

import json
from pathlib import Path

import pytest

from seqsep.lab.row import read_rows
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.formatting import percent
from seqsep.report.limited_state import AUDITS, STATE_BITS, audited, limited_state
from seqsep.report.page.page import write_page
from seqsep.tasks.ceilings import ceiling

RESULTS = Path(__file__).parents[2] / "results"
pytestmark = pytest.mark.unchecked


def test_no_model_is_above_the_ceiling_and_every_one_is_limited():
    """Below the bits of the symbols the ceiling is under 100 %, and each model falls there."""
    task, models = audited((RESULTS / AUDITS).read_text(encoding="utf-8").splitlines())
    needed = task.answer_bits()
    assert len(models) > 1
    for model in models:
        below = {bits: accuracy for bits, accuracy in model.points if 0 < bits < needed}
        assert below
        assert all(accuracy <= ceiling(task, bits) + 0.02 for bits, accuracy in below.items())
        assert max(below.values()) < max(accuracy for _, accuracy in model.points) - 0.2


def test_the_chart_has_the_ceiling_the_bits_and_each_model():
    limited = limited_state(RESULTS)
    _, models = audited((RESULTS / AUDITS).read_text(encoding="utf-8").splitlines())
    names = [line.name for line in limited.chart.lines]
    assert names[:2] == ["proved ceiling", "bits of the symbols"]
    assert len(names) == 2 + len(models)
    assert limited.settings == (
        ("task", "index lookup, N = 20, 16 symbols"),
        ("bits of the symbols", "80"),
        ("models", "one layer of width 64"),
        ("steps, at most", "4,000"),
    )
    assert "at 40 bits" in limited.chart.summary


def test_a_model_with_too_small_a_state_has_a_row():
    """The LSTM of width 16 has 1,024 bits for 1,200."""
    small = [row for row in read_rows(RESULTS / STATE_BITS) if row.finished and row.run.layers == ("lstm",)]
    [below] = [row for row in small if ceiling(row.run.task, row.result["state_bits"][0]) < 1]
    [shown] = limited_state(RESULTS).table.rows
    assert shown.name == "LSTM (1, 16)"
    assert [entry.main for entry in shown.entries] == [
        "200", "1,024", "1,200", "92.1", percent(below.result["accuracy"]), "2,000",
    ]  # fmt: skip


def test_without_audits_there_is_no_picture(tmp_path):
    assert limited_state(tmp_path) is None
    (tmp_path / "audit").mkdir()
    first = (RESULTS / AUDITS).read_text(encoding="utf-8").splitlines()[0]
    (tmp_path / AUDITS).write_text(json.dumps(json.loads(first)) + "\n", encoding="utf-8")
    assert limited_state(tmp_path) is None


def test_the_page_has_the_section_only_with_the_picture(tmp_path):
    limited = limited_state(RESULTS)
    text = write_page(tmp_path, DemoRuns(), limited=limited).read_text(encoding="utf-8")
    assert '<section id="limited">' in text
    assert "index lookup, N = 20, 16 symbols" in text.replace("\u00a0", " ")
    assert '<section id="limited">' not in write_page(tmp_path, DemoRuns()).read_text(encoding="utf-8")

"""The gain of a curriculum on index lookup: the table of docs/how-to/sweeps.md, from results/curriculum/rows.jsonl."""

from collections.abc import Sequence
from pathlib import Path

from pages._markdown import table
from seqsep.lab.answers import limits
from seqsep.lab.experiments._curriculum import LENGTHS
from seqsep.lab.row import Row, read_rows
from seqsep.report.formatting import count

FILE = "curriculum/rows.jsonl"
ENOUGH = 0.99
"""The accuracy whose first evaluation the table shows."""
HEAD = ["N", "first 2,000 steps", "seeds", "first evaluation with 99 %, by seed", "accuracy at the end, by seed"]


def curriculum_table(results: Path) -> str:
    """Return a line for each length of attention, with and without a curriculum."""
    rows = [row for row in read_rows(results / FILE) if row.run.layers == ("attention",) and row.has_outcome]
    lines = [HEAD]
    for length in LENGTHS:
        for mixed in (True, False):
            cell = [row for row in rows if row.run.task.length == length and bool(row.run.mixed_steps) == mixed]
            if cell:
                lines.append(_line(length, mixed, sorted(cell, key=lambda row: row.run.seed)))
    return table(lines)


def _line(length: int, mixed: bool, rows: Sequence[Row]) -> list[str]:
    reached = [next((step for step, accuracy, _ in row.result["curve"] if accuracy >= ENOUGH), None) for row in rows]
    steps = ["never" if step is None else f"step {count(step)}" for step in reached]
    accuracies = [_accuracy(row) for row in rows]
    return [str(length), "mixed lengths" if mixed else "N symbols", str(len(rows)), ", ".join(steps), ", ".join(accuracies)]


def _accuracy(row: Row) -> str:
    """Return the last accuracy of a run, and a 95 % confidence interval."""
    low, high = limits(row.result["accuracy"], row.run.evaluation)
    return f"{100 * row.result['accuracy']:.2f} % ({100 * low:.2f} to {100 * high:.2f})"

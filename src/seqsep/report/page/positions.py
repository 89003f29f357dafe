"""Accuracy by tenth of the queried positions: where in its input a model that is not perfect answers wrongly."""

from seqsep.report.demo_runs import DemoRuns
from seqsep.report.formatting import DASH, percent
from seqsep.report.plain_table import Entry, PlainTable, TableRow
from seqsep.report.sized_model import model_names
from seqsep.tasks import IndexLookup


def positions_table(runs: DemoRuns) -> PlainTable | None:
    """Return a row for each model at the longest input that it was trained on; None if no run counted its tenths."""
    tasks = runs.tasks(IndexLookup)
    rows = []
    for model, name in model_names(runs.models(tasks)).items():
        counted = [run for task in tasks if (run := runs.best(task, model)) is not None and run.accuracy_by_tenth]
        if counted:
            longest = counted[-1]
            entries = [DASH if share is None else percent(share) for share in longest.accuracy_by_tenth or ()]
            rows.append(TableRow(f"{name}, N = {longest.task.length}", model.slug, tuple(map(Entry, entries))))
    columns = tuple(f"{10 * tenth}-{10 * tenth + 10} %" for tenth in range(10))
    title = "Index lookup by queried position, first to last tenth"
    return PlainTable(title, "model", columns, tuple(rows)) if rows else None

"""The rows of a store by experiment: counts, the accuracies of each model and task, and every failure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seqsep.core.names import printable
from seqsep.lab.row import PRUNED, Row
from seqsep.lab.run import canonical_json
from seqsep.models.plugins.name import shown

MOST_LINES = 20


@dataclass
class StoredExperiment:
    """The rows of one experiment, counted; `accuracies` are those of finished runs by model, task and length.

    A failure is (key, the run in words, its status). A run that diverged counts as failed only. What is
    kept is (key, the run in words): its weights are in a file, for `seqsep ask STORE KEY`.
    """

    counts: dict[str, int] = field(default_factory=lambda: {"finished": 0, "pruned": 0, "failed": 0})
    accuracies: dict[str, list[float]] = field(default_factory=dict)
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)

    def add(self, row: Row, cell: str, is_kept: bool = False) -> None:
        """Count a row, which is of this cell."""
        if is_kept:
            self.kept.append((row.key, _run(row, cell)))
        outcome = "finished" if row.finished else PRUNED
        self.counts["failed" if row.failed else outcome] += 1
        accuracy = row.result.get("accuracy")
        if row.finished and not row.failed and isinstance(accuracy, int | float):
            self.accuracies.setdefault(cell, []).append(accuracy)
        if row.failed:
            self.failures.append((row.key, _run(row, cell), row.status))

    def lines(self, name: str) -> list[str]:
        """Return the experiment for a person: its counts, then a line for each cell, failure and kept weights. Long lists are
        cut.
        """
        parts = [f"{number} {word}" for word, number in self.counts.items() if number or word != "pruned"]
        cells = [f"    {cell}: accuracy {_span(found)}" for cell, found in sorted(self.accuracies.items())]
        failed = [f"    {key[:12]} {run}: {status}" for key, run, status in self.failures]
        kept = [f"    {key[:12]} {run}: weights kept" for key, run in self.kept]
        lines = [f"  {name}: {', '.join(parts)}", *_cut(cells), *_cut(failed), *_cut(kept)]
        return [printable(line, kept="") for line in lines]

    def record(self) -> dict[str, Any]:
        """Return the experiment as JSON."""
        spans = {cell: {"runs": len(of), "least": min(of), "greatest": max(of)} for cell, of in sorted(self.accuracies.items())}
        failures = [{"key": key, "run": run, "status": status} for key, run, status in self.failures]
        kept = [{"key": key, "run": run} for key, run in self.kept]
        return self.counts | {"accuracies": spans, "failures": failures, "kept": kept}


def by_experiment(
    rows: Sequence[Row], labels: Mapping[str, str], kept: Collection[str] = frozenset()
) -> dict[str, StoredExperiment]:
    """Return the rows of each experiment in their order in the store. A label precedes the cell that it belongs to.

    `kept` are the keys of runs whose weights are kept.

    >>> row = Row("trial", "0" * 64, {}, {"status": "failed: worker died"}, {})
    >>> print("\\n".join(by_experiment([row], {})["trial"].lines("trial")))
      trial: 0 finished, 1 failed
        000000000000 a run of another version: failed: worker died
    """
    experiments: dict[str, StoredExperiment] = {}
    cells: dict[str, str] = {}
    for row in rows:
        label = labels.get(row.key, "")
        parts = {name: row.configuration.get(name) for name in ("layers", "width", "task")}
        place = canonical_json(parts | _reply(row) | {"label": label, "is_current": row.is_current})
        if place not in cells:
            cells[place] = f"{label}: {_cell(row)}" if label else _cell(row)
        experiments.setdefault(row.experiment, StoredExperiment()).add(row, cells[place], row.key in kept)
    return experiments


def _reply(row: Row) -> dict[str, Any]:
    """Return the query to a language model; empty if the row is not a reply."""
    question = row.configuration.get("question")
    model = row.configuration.get("model")
    if not isinstance(question, dict) or not isinstance(model, dict):
        return {}
    return {"model": model.get("name"), "length": question.get("length")}


def _cell(row: Row) -> str:
    """Return model, task and length in words."""
    reply = _reply(row)
    if reply:
        return f"{reply['model']}, n = {reply['length']}"
    if not row.is_current:
        return "a run of another version"
    run = row.run
    return f"{'+'.join(map(shown, run.layers))} ({len(run.layers)}, {run.width}), {run.task.label()} N={run.task.length}"


def _run(row: Row, cell: str) -> str:
    """Return the run in words, with rate and seed; its cell if the row is of another kind."""
    return cell if row.is_reply or not row.is_current else row.run.label()


def _span(found: Sequence[float]) -> str:
    """Return the words for the least to the greatest accuracy, and the number of runs."""
    least = f"{min(found):.4f}"
    greatest = f"{max(found):.4f}"
    of_runs = f"of {len(found)} runs" if len(found) > 1 else "of 1 run"
    return f"{least if least == greatest else f'{least} to {greatest}'} {of_runs}"


def _cut(lines: list[str]) -> list[str]:
    """Return the first lines, and how many more there are."""
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], f"    and {more} more, which --json has"]

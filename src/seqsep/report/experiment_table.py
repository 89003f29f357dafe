"""From rows to tables: which experiments have rows, and the table of each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from seqsep.lab.experiments import EXPERIMENTS, Experiment, dyck_architectures, index_lookup_architectures
from seqsep.lab.experiments.claims.papers import printed
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run_labels import NO_LABELS, Labels, read_labels
from seqsep.report.measured import RunSummary
from seqsep.report.reach import is_alike
from seqsep.report.result_table import ResultTable
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import BoundedDyck, IndexLookup, Task

DEMO_EXPERIMENTS: dict[type[Task], Experiment] = {
    IndexLookup: index_lookup_architectures.EXPERIMENT,
    BoundedDyck: dyck_architectures.EXPERIMENT,
}
"""The experiments of the demo, by the task that they train on."""


@dataclass(frozen=True)
class NamedTable:
    """A table with the name of its files and the question that it answers.

    `is_demo`: the page shows these runs in its own sections, not among the experiments. `is_of_states`: its models differ in
    their states alone, and its one figure is that of the bits that are used.
    """

    name: str
    question: str
    table: ResultTable
    is_demo: bool = False
    is_of_states: bool = False


def experiment_table(experiment: Experiment, rows: Iterable[Row], labels: Labels = NO_LABELS) -> ResultTable:
    """Return the table of the rows that have an outcome, under the reader's labels.

    The paper's numbers are next to runs on exactly the paper's task: at another alphabet, say, there is nothing to compare.
    """

    def paper(model: SizedModel, task: Task) -> float | None:
        if experiment.paper_figure is None or experiment.paper_task is None or task != experiment.paper_task(task.length):
            return None
        return printed(experiment.paper_figure, (model.architecture, len(model.layers), model.width), task.length)

    return ResultTable.of(experiment.title, [RunSummary.of(row, labels) for row in rows if row.has_outcome], paper)


def report_tables(path: Path, rows: Sequence[Row], labels: Labels = NO_LABELS) -> list[NamedTable]:
    """Return every table of a report: those of the demo's `rows`, and of the experiments that have files next to `path`.

    Runs whose keys are among `labels` are named by these.
    """
    tables = []
    for kind, experiment in DEMO_EXPERIMENTS.items():
        chosen = [row for row in rows if isinstance(row.run.task, kind)]
        if chosen:
            name = f"{path.stem}-{experiment.name}"
            tables.append(NamedTable(name, experiment.question, experiment_table(experiment, chosen, labels), is_demo=True))
    for experiment in EXPERIMENTS:
        for preset in ("quick", "paper"):
            beside = experiment.rows_file(path.parent, preset)
            if experiment.title and beside.exists():
                tables.append(_of_preset(experiment, preset, beside, labels))
        reach = experiment.rows_file(path.parent, "length-scaling")
        if experiment.title and reach.exists():
            tables += _of_reach(experiment, read_rows(reach))
        states = experiment.rows_file(path.parent, "state-bits")
        if experiment.title and states.exists():
            tables.append(_of_states(experiment, read_rows(states)))
    return tables


def _of_states(experiment: Experiment, rows: Sequence[Row]) -> NamedTable:
    """Return the table of a preset `state-bits`. Models that differ in heads are distinguished, since their states differ."""
    table = states_table(experiment, rows)
    question = f"How many bits of its state does each architecture use? Of the preset state-bits, {len(rows)} runs."
    return NamedTable(f"{experiment.name}-state-bits", question, table, is_of_states=True)


def states_table(experiment: Experiment, rows: Iterable[Row]) -> ResultTable:
    """Return the table of rows in which models that differ in heads are different models."""
    runs = [RunSummary.of(row) for row in rows if row.has_outcome]
    distinguishing_suffix = [replace(run, model=run.model.with_heads(run.heads)) for run in runs]
    subject, measure = experiment.title.rsplit(":", 1)
    return ResultTable.of(f"{subject} at fixed steps:{measure}", distinguishing_suffix, lambda model, task: None)


def _of_reach(experiment: Experiment, rows: Sequence[Row]) -> list[NamedTable]:
    """Return the tables of a preset `length-scaling`: all architectures with learned positions, and each with those of its
    paper.
    """
    tables = []
    for positions, words in (("learned", "all with learned positions"), ("default", "positions as in each paper")):
        models = {SizedModel.of(row.run) for row in rows}
        alike = {model for model in models if is_alike(model, positions)}
        table = experiment_table(experiment, [row for row in rows if SizedModel.of(row.run) in alike])
        if not table.cells:
            continue
        subject, measure = table.title.rsplit(":", 1)
        question = f"{experiment.question} Of the preset length-scaling, {words}; {len(rows)} runs so far."
        table = replace(table, title=f"{subject} ({words}):{measure}")
        tables.append(NamedTable(f"{experiment.name}-reach-{positions}", question, table))
    return tables


def _of_preset(experiment: Experiment, preset: str, path: Path, labels: Labels) -> NamedTable:
    """Return the table of a preset's rows. At the paper's size, question and title say so."""
    table = experiment_table(experiment, read_rows(path), {**read_labels(path), **labels})
    if preset == "quick":
        return NamedTable(path.stem, experiment.question, table)
    subject, measure = table.title.rsplit(":", 1)
    return NamedTable(
        path.stem,
        f"{experiment.question} Of the preset paper, {part_of_preset(experiment, table, preset)}.",
        replace(table, title=f"{subject} (the paper's size):{measure}"),
    )


def part_of_preset(experiment: Experiment, table: ResultTable, preset: str) -> str:
    """Return the part of a preset that a table has; empty if the preset is not a search."""
    cells = experiment.cells(preset)
    return "" if cells is None else f"{len(table.cells)} of its {cells} cells"

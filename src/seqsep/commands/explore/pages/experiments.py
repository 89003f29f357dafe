"""Experiments: committed rows as a heat map with ceilings, the curves of a cell, and one run with all its fields.

A preset is one whose rows come with seqsep, so a page opens no file that a reader names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from seqsep.commands.explore.forms import whole_between
from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.commands.shipped import shipped
from seqsep.core.names import BadInput, choose, text_of
from seqsep.lab.experiments import BY_NAME
from seqsep.lab.experiments.base import Experiment
from seqsep.lab.rows_of import read_rows
from seqsep.report.experiment_table import experiment_table
from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.formatting import percent
from seqsep.report.measured import RunSummary
from seqsep.report.result_table import Cell, ResultTable
from seqsep.report.styles import spare_style
from seqsep.report.ticks import round_ticks

LEFT_OUT = ("claims", "language-classes")
"""Experiments whose rows are of many tasks: `seqsep claims` and docs/reference/languages.md show them."""
MOST_LINES = 8
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class HeatCell:
    """A cell of the heat map: its accuracy, its lines, its colour step from 0 to 20, and its place as a link has it."""

    place: str
    number: str
    lines: tuple[str, ...]
    heat: int
    bites: bool


@dataclass(frozen=True)
class ShownCell:
    """A cell that is chosen: the curves of its runs, a row for each run, and the fields of one run."""

    title: str
    place: str
    chart: Chart
    runs: tuple[tuple[str, ...], ...]
    best: int
    chosen: int | None
    fields: tuple[tuple[str, str], ...]
    ceiling: str


def presets_of(experiment: Experiment) -> list[str]:
    """Return the presets of an experiment whose rows come with seqsep."""
    return [preset for preset in experiment.presets if _rows_file(experiment, preset).is_file()]


def _rows_file(experiment: Experiment, preset: str) -> Path:
    return experiment.rows_file(shipped("results"), preset)


def known_experiments() -> list[Experiment]:
    """Return the experiments that the page shows."""
    return [one for name, one in BY_NAME.items() if name not in LEFT_OUT and presets_of(one)]


def content(visit: Visit) -> PageContent:
    """Return the list of experiments, or the page of one. Raises BadInput for an unknown one."""
    experiments = known_experiments()
    if not visit.name:
        return PageContent("Experiments", "experiments.html", {"experiments": experiments}, command="seqsep list experiments")
    name = choose("experiment", visit.name, [one.name for one in experiments])
    experiment = BY_NAME[name]
    presets = presets_of(experiment)
    preset = visit.asked("preset", presets[0])
    if preset not in presets:
        raise BadInput(f"preset: expected one of {', '.join(presets)}, found {text_of(ValueError(preset))}")
    table = experiment_table(experiment, read_rows(_rows_file(experiment, preset))).legible
    error = ""
    shown = None
    try:
        shown = shown_cell(table, visit.asked("cell"), visit.asked("run")) if visit.asked("cell") else None
    except BadInput as wrong:
        error = text_of(wrong)
    values = {"experiment": experiment, "presets": presets, "preset": preset, "rows": heat_rows(table), "shown": shown}
    titles = {"columns": [column.title.replace("\n", ", ") for column in table.columns], "title": table.title}
    command = f"seqsep run {name} --preset {preset}"
    return PageContent(f"Experiment {name}", "experiment.html", {**values, **titles}, error=error, command=command)


def heat_rows(table: ResultTable) -> list[tuple[str, list[HeatCell | None]]]:
    """Return the rows of the heat map: a model's name, and a cell for each task that it was trained on."""
    return [
        (
            name,
            [
                None if (model, task) not in table.cells else _heat(table.cells[model, task], f"{row}.{column}")
                for column, task in enumerate(table.tasks)
            ],
        )
        for row, (model, name) in enumerate(table.models.items())
    ]


def _heat(cell: Cell, place: str) -> HeatCell:
    bites = cell.ceiling is not None and cell.ceiling < 1
    return HeatCell(place, cell.number, cell.lines, heat=round(20 * cell.best.shown_accuracy), bites=bites)


def shown_cell(table: ResultTable, place: str, number: str) -> ShownCell:
    """Return the cell at a place, as ROW.COLUMN, and one of its runs. Raises BadInput for a place without runs."""
    row, _, column = place.partition(".")
    models = list(table.models)
    model = models[whole_between("row", row, 0, len(models) - 1)]
    task = table.tasks[whole_between("column", column, 0, len(table.tasks) - 1)]
    cell = table.cells.get((model, task))
    if cell is None:
        raise BadInput(f"cell {place}: expected a model that was trained on this task, found none")
    runs = [*cell.runs, *cell.pruned]
    best = runs.index(cell.best)
    chosen = whole_between("run", number, 0, len(runs) - 1) if number else None
    return ShownCell(
        title=f"{table.models[model]}, N = {task.length}",
        place=place,
        chart=_curves(table.models[model], cell, runs),
        runs=tuple(map(_row, runs)),
        best=best,
        chosen=chosen,
        fields=() if chosen is None else _fields(runs[chosen]),
        ceiling="no bound known" if cell.ceiling is None else f"{percent(cell.ceiling)} %",
    )


def _row(run: RunSummary) -> tuple[str, ...]:
    low, high = run.interval
    interval = f"{percent(low)} to {percent(high)}"
    state = "stopped early" if run.pruned else "diverged" if run.failed else "ended"
    return (f"{run.learning_rate:g}", str(run.seed), f"{run.steps:,}", percent(run.accuracy), interval, state)


def _fields(run: RunSummary) -> tuple[tuple[str, str], ...]:
    """Return all fields of a run, as texts."""
    fixed, per_token = run.state_bits
    loss = "–" if run.loss_nats is None else f"{run.loss_nats:.4g} nats"
    needed = run.answer_bits if run.answer_bits is not None else run.task.answer_bits()
    return (
        ("task", str(run.task)),
        ("layers", f"{', '.join(map(str, run.model.layers))}, width {run.model.width}"),
        ("learning rate and seed", f"{run.learning_rate:g}, seed {run.seed}"),
        ("steps", f"{run.steps:,} of at most {run.steps_allowed:,}, batches of {run.batch}"),
        ("accuracy", f"{percent(run.accuracy)} % of {run.evaluation:,} evaluation examples"),
        ("loss", loss),
        ("parameters", f"{run.parameters:,}"),
        ("state stored", f"{fixed:,} bits and {per_token:,} bits a token; {run.bits_before_the_question:,} before the query"),
        ("state needed to be always right", "–" if needed is None else f"{needed:,} bits"),
        *(("environment: " + name, str(value)[:80]) for name, value in sorted(run.environment.items())),
        *run.further,
    )


def _curves(name: str, cell: Cell, runs: Sequence[RunSummary]) -> Chart:
    """Draw accuracy over steps: the best run and up to seven others; a dotted line is the ceiling, another is chance."""
    ordered = sorted(runs, key=lambda run: run is not cell.best)[:MOST_LINES]
    last = max([run.points[-1][0] for run in ordered if run.points] or [1.0])
    lines = tuple(
        LineData(spare_style(number), percent(run.accuracy), f"rate {run.learning_rate:g}, seed {run.seed}", run.points)
        for number, run in enumerate(ordered)
        if run.points
    )
    guides = tuple(value for value in (cell.ceiling, cell.best.chance) if value is not None)
    ticks = tuple((tick, f"{tick:,.0f}") for tick in round_ticks(last, 4))
    ends = "; ".join(f"{line.name}: {line.value} %" for line in lines)
    return Chart(
        f"Accuracy over steps, {name}",
        f"Accuracy at the end: {ends}.",
        lines=lines,
        x=Axis(0.0, last, ticks, "steps"),
        y=Axis(0.0, 1.0, tuple((share, f"{100 * share:.0f} %") for share in SHARES)),
        guides=guides,
    )

"""A table of runs as a heat map with ceilings, the curves of a cell, and one run with all its fields."""

from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.commands.explore.forms import whole_between
from seqsep.commands.explore.visit import Visit
from seqsep.core.names import BadInput, excerpt, text_of
from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.formatting import percent
from seqsep.report.measured import RunSummary
from seqsep.report.result_table import Cell, Column, ResultTable
from seqsep.report.styles import spare_style
from seqsep.report.ticks import round_ticks

MOST_LINES = 8
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class HeatCell:
    """A cell of the heat map: its accuracy, its lines, its colour step from 0 to 20, and its place as a link has it.

    The place is in words, since new rows of a store may move every row and column.
    """

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


@dataclass(frozen=True)
class HeatMap:
    """A heat map: its title, its columns and rows, and the cell that is chosen, or None."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, list[HeatCell | None]]]
    shown: ShownCell | None


def heat_map(table: ResultTable, visit: Visit) -> tuple[HeatMap, str]:
    """Return the heat map of a table with the cell and the run that a visit asks for, and why it has none; empty if it has."""
    error = ""
    shown = None
    try:
        shown = shown_cell(table, visit.asked("cell"), visit.asked("run")) if visit.asked("cell") else None
    except BadInput as wrong:
        error = text_of(wrong)
    return HeatMap(table.title, tuple(map(_title, table.columns)), heat_rows(table), shown), error


def heat_rows(table: ResultTable) -> list[tuple[str, list[HeatCell | None]]]:
    """Return the rows of the heat map: a model's name, and a cell for each task that it was trained on."""
    return [
        (
            name,
            [_heat(column.cells[model], _place(name, column)) if model in column.cells else None for column in table.columns],
        )
        for model, name in table.models.items()
    ]


def _title(column: Column) -> str:
    return column.title.replace("\n", ", ")


def _place(model: str, column: Column) -> str:
    return f"{model}, {_title(column)}"


def _heat(cell: Cell, place: str) -> HeatCell:
    bites = cell.ceiling is not None and cell.ceiling < 1
    return HeatCell(place, cell.number, cell.lines, heat=round(20 * cell.best.shown_accuracy), bites=bites)


def shown_cell(table: ResultTable, place: str, number: str) -> ShownCell:
    """Return the cell at a place, such as "lstm, N = 20", and one of its runs. Raises BadInput for a place without runs."""
    cells = {
        _place(table.models[model], column): (model, cell) for column in table.columns for model, cell in column.cells.items()
    }
    if place not in cells:
        raise BadInput(
            f"cell: expected a model and a task of the table, such as {next(iter(cells), 'none')!r}, found {excerpt(place)!r}"
        )
    model, cell = cells[place]
    runs = [*cell.runs, *cell.pruned]
    best = runs.index(cell.best)
    chosen = whole_between("run", number, 0, len(runs) - 1) if number else None
    return ShownCell(
        title=place,
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

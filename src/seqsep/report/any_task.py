"""The part of a report that shows the runs of any task and any layers: a table, a curve and a heat map for each task."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from seqsep.lab.answers import TENTHS
from seqsep.lab.row import Row
from seqsep.lab.run_labels import NO_LABELS, Labels
from seqsep.models.plugins.task import UserTask
from seqsep.report.captions import GRID, SWEPT
from seqsep.report.experiment_table import DEMO_EXPERIMENTS, NamedTable
from seqsep.report.figure_files import ShownExperiment, ShownFigure, shown_figures, write_as_data
from seqsep.report.figures.swept_picture import draw_grid, draw_line
from seqsep.report.formatting import DASH, count, listed, percent, percent_at_most
from seqsep.report.headline import task_title
from seqsep.report.measured import RunSummary
from seqsep.report.plain_table import Entry, PlainTable, TableRow
from seqsep.report.result_table import Cell, Column, ResultTable
from seqsep.report.sized_model import SizedModel
from seqsep.report.swept import grid_of, line_of, settings_of, swept_settings
from seqsep.report.table_files import write_tables
from seqsep.tasks import Task

MOST_IN_A_SENTENCE = 3
COLUMNS = ("mean, %", "least to greatest", "each answer", "chance", "ceiling", "loss, nats", "state, bits", "best setting")


@dataclass(frozen=True)
class TaskRuns:
    """The runs of one task: all its lengths and other fields. `name` is that of its files and `title` that of its figures."""

    name: str
    title: str
    runs: tuple[RunSummary, ...]
    table: ResultTable

    @property
    def has_own_sections(self) -> bool:
        """True for a task that the page shows in sections of its own."""
        return isinstance(self.runs[0].task, tuple(DEMO_EXPERIMENTS))


def runs_by_task(stem: str, rows: Iterable[Row], labels: Labels = NO_LABELS) -> list[TaskRuns]:
    """Return the runs that have an outcome by their task, those of equal keys once. `stem` begins the names of files.

    >>> runs_by_task("mine", [])
    []
    """
    kept = {row.key: row for row in rows if row.has_outcome and not row.is_reply}
    groups: dict[str, list[RunSummary]] = {}
    for row in kept.values():
        run = RunSummary.of(row, labels)
        groups.setdefault(str(run.task.configuration()["name"]), []).append(run)
    found = []
    words = [_words(group[0].task) for group in groups.values()]
    for name, group in groups.items():
        title = _words(group[0].task)
        digest = name.partition("@")[2][:8]
        distinct = f"{title} {digest}" if words.count(title) > 1 and digest else title
        table = ResultTable.of(f"{distinct}: accuracy, %", group, lambda model, task: None)
        if table.cells:
            found.append(TaskRuns(f"{stem}-{distinct.replace(' ', '-')}", distinct, tuple(group), table))
    return found


def _words(task: Task) -> str:
    """Return the name of a task without its fields; of your own task, its class."""
    return task.source.class_name if isinstance(task, UserTask) else task.name


def write_task(shown: TaskRuns, folder: Path) -> ShownExperiment:
    """Write the figures and tables of a task's runs; return what the page shows of them."""
    figures: list[ShownFigure] = []
    line = line_of(shown.runs)
    if line is not None:
        source = write_as_data(draw_line(line, shown.title, SWEPT), folder, f"{shown.name}-over-{_file(line.settings)}")
        figures.append(ShownFigure(source, f"accuracy by {line.settings[0]}", SWEPT))
    grid = grid_of(shown.runs)
    if grid is not None:
        source = write_as_data(draw_grid(grid, shown.title, GRID), folder, f"{shown.name}-over-{_file(grid.settings)}")
        figures.append(ShownFigure(source, f"accuracy by {listed(grid.settings)}", GRID))
    if not shown.has_own_sections:
        figures += shown_figures(NamedTable(shown.name, sentence(shown), shown.table), folder)
    write_tables(shown.table, folder / "tables", shown.name)
    return ShownExperiment(
        shown.name, sentence(shown), tuple(figures), table=plain_table(shown), positions=positions_table(shown)
    )


def _file(settings: Sequence[str]) -> str:
    """Return the settings as a part of a file's name."""
    return "-and-".join(setting.replace(" ", "-").replace("_", "-") for setting in settings)


def sentence(shown: TaskRuns) -> str:
    """Return the accuracies on the longest of the task's inputs, the best models first, in one line."""
    column = shown.table.columns[-1]
    ranked = sorted(column.cells.items(), key=lambda place: -mean(place[1].seeds))
    some = [f"{shown.table.models[model]} {percent(mean(cell.seeds))} %" for model, cell in ranked[:MOST_IN_A_SENTENCE]]
    more = f", and {len(ranked) - len(some)} more" if len(ranked) > len(some) else ""
    title = f"{shown.title}, {column.title.replace(chr(10), ', ')}" if not shown.has_own_sections else task_title(column.task)
    return f"{title}: {', '.join(some)}{more}"


def plain_table(shown: TaskRuns) -> PlainTable:
    """Return the table of the page: a row for each model at each value of the task's fields."""
    swept = [name for name in swept_settings(shown.runs) if name not in shown.runs[0].task.configuration() and name != "width"]
    rows = []
    for column in shown.table.columns:
        for model, cell in column.cells.items():
            rows.append(TableRow(_row_title(shown, column, model), model.slug, tuple(map(Entry, _entries(cell, swept)))))
    return PlainTable(f"{shown.title}: {count(len(shown.runs))} runs", "task: model (depth, width)", COLUMNS, tuple(rows))


def positions_table(shown: TaskRuns) -> PlainTable | None:
    """Return the accuracy of each best run by tenth of the positions; None if no run has it.

    These are the queried positions of a task that queries one, and else the tokens that have answers.
    """
    rows = []
    for column in shown.table.columns:
        for model, cell in column.cells.items():
            if cell.best.accuracy_by_tenth is not None:
                entries = tuple(Entry(percent(share)) for share in cell.best.accuracy_by_tenth)
                rows.append(TableRow(_row_title(shown, column, model), model.slug, entries))
    tenths = tuple(f"{10 * tenth}–{10 * (tenth + 1)} %" for tenth in range(TENTHS))
    title = f"{shown.title}: accuracy by tenth of the positions"
    return PlainTable(title, "task: model (depth, width)", tenths, tuple(rows)) if rows else None


def _row_title(shown: TaskRuns, column: Column, model: SizedModel) -> str:
    """Return the name of a row: the fields of the task, and the model with its size."""
    name = shown.table.models[model]
    size = "" if model.size in name else f" {model.size}"
    return f"{column.title.replace(chr(10), ', ')}: {name}{size}"


def _entries(cell: Cell, swept: Sequence[str]) -> tuple[str, ...]:
    best = cell.best
    settings = settings_of(best)
    chosen = [f"{name} {settings[name]}" for name in swept if name in settings]
    answers = [run.accuracy_per_answer for run in cell.repeats if run.accuracy_per_answer is not None]
    seeds = len(cell.seeds)
    span = f"{cell.spread}, {seeds} seeds" if seeds > 1 else f"1 seed, {_interval(best)}"
    return (
        percent(mean(cell.seeds)),
        span,
        percent(mean(answers)) if answers else DASH,
        percent(best.chance),
        percent_at_most(cell.ceiling) if cell.ceiling is not None else "no bound known",
        DASH if best.loss_nats is None else f"{best.loss_nats:.3g}",
        count(best.bits_before_the_question),
        ", ".join(chosen) or f"learning rate {best.learning_rate:g}",
    )


def _interval(run: RunSummary) -> str:
    """Return the 95 % confidence interval of a run's accuracy over all examples."""
    return f"95 %: {percent(run.interval[0])}–{percent(run.interval[1])}"

"""The lengths up to which each architecture has 99 %, and the accuracy at the first length at which it has less.

All numbers are read off rows of a preset `length-scaling`. A line is an architecture with one choice of positions. At each
length it has the best of its sizes, rates, embedding scales and steps. This does not show anything about runs that were not
made.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from seqsep.lab.experiments import Experiment
from seqsep.lab.experiments.claims.papers import paper_models
from seqsep.lab.row import Row
from seqsep.models.mixers.settings import mixer_named
from seqsep.report.formatting import DASH, count, known, percent
from seqsep.report.measured import GOAL, RunSummary, by_accuracy
from seqsep.report.plain_table import Entry, PlainTable, TableRow
from seqsep.report.result_table import Cell
from seqsep.report.sized_model import SizedModel, model_names
from seqsep.tasks import Task


@dataclass(frozen=True)
class ReachLine:
    """One architecture under one choice of positions: a cell for each of its sizes at each length.

    Lengths are in order, the shortest first, and so are sizes. `title` is its name without the positions. `paper` has the
    accuracies that the paper prints for the architecture, by length.
    """

    name: str
    title: str
    model: SizedModel
    sizes: dict[Task, tuple[Cell, ...]]
    paper: dict[int, float]

    @cached_property
    def cells(self) -> dict[Task, Cell]:
        """The best cell at each length."""
        return {task: max(cells, key=lambda cell: by_accuracy(cell.best)) for task, cells in self.sizes.items()}

    @property
    def passed(self) -> int | None:
        """The greatest length up to which the best run at every length that was trained has 99 %; None if the first has not."""
        passed = None
        for task, cell in self.cells.items():
            if not _is_learned(cell.best):
                break
            passed = task.length
        return passed

    @property
    def fall(self) -> tuple[Task, Cell] | None:
        """The first length at which the best run has less than 99 %, and its cell; None if there is none."""
        return next(((task, cell) for task, cell in self.cells.items() if not _is_learned(cell.best)), None)


def experiment_reach(experiment: Experiment, rows: Iterable[Row]) -> list[ReachLine]:
    """Return the lines of an experiment's rows that have an outcome.

    The paper's numbers are next to runs on exactly the paper's task: at another alphabet, say, there is nothing to compare.
    """
    runs = [RunSummary.of(row) for row in rows if row.has_outcome]
    paper_task = experiment.paper_task
    are_alike = paper_task is not None and all(run.task == paper_task(run.task.length) for run in runs)
    return reach_lines(runs, experiment.paper_figure if are_alike else None)


def reach_lines(runs: Iterable[RunSummary], figure: str | None = None) -> list[ReachLine]:
    """Return the lines of all runs, in the order of every table. `figure` is the paper's figure in papers.json.

    If there is one architecture only, each of its sizes has a line.
    """
    runs = list(runs)
    by_size = len({run.model.architecture for run in runs}) == 1
    groups: dict[SizedModel, list[RunSummary]] = {}
    for run in sorted(runs, key=lambda run: run.model.rank):
        shared = run.model if by_size else replace(run.model, layers=run.model.distinct_layers, width=1)
        groups.setdefault(shared, []).append(run)
    names = model_names(groups)
    printed = {} if figure is None else {(one.architecture, one.width): one.accuracy for one in paper_models(figure)}
    lines = []
    for model in names:
        same = [accuracy for (name, width), accuracy in printed.items() if name == model.architecture and width == model.width]
        any_size = [accuracy for (name, _), accuracy in printed.items() if name == model.architecture and not by_size]
        paper = (same or any_size or [{}])[0]
        title = f"{model.title} {model.size}" if by_size and len({group.size for group in groups}) > 1 else model.title
        lines.append(ReachLine(names[model], title, model, _sizes(groups[model]), paper=paper))
    return lines


def _sizes(runs: Sequence[RunSummary]) -> dict[Task, tuple[Cell, ...]]:
    tasks = sorted({run.task for run in runs}, key=lambda task: task.length)
    sizes = {}
    for task in tasks:
        models: dict[SizedModel, list[RunSummary]] = {}
        for run in sorted(runs, key=lambda run: depth_and_width(run.model)):
            if run.task == task:
                models.setdefault(run.model, []).append(run)
        ended = [Cell.of(same, None) for same in models.values() if not all(run.pruned for run in same)]
        if ended:
            sizes[task] = tuple(ended)
    return sizes


def depth_and_width(model: SizedModel) -> tuple[int, int]:
    """Return depth and width, by which sizes are ordered.

    >>> depth_and_width(SizedModel(("lstm", "lstm"), 64))
    (2, 64)
    """
    return len(model.layers), model.width


def is_alike(model: SizedModel, positions: str) -> bool:
    """Return True if a model has `learned` positions or, for `default`, those that its own paper has."""
    own = all(isinstance(layer, str) and mixer_named(layer).block.positions == "learned" for layer in model.layers)
    return model.positions == ("learned" if own or positions == "learned" else "none")


COLUMNS = (
    "accuracy at the shortest N, %",
    "99 % up to N",
    "seeds with 99 % there",
    "first below 99 % at N",
    "accuracy there, %",
    "size there",
    "steps there, at most",
    "paper there, %",
)


def reach_table(lines: Sequence[ReachLine]) -> PlainTable | None:
    """Return a row for each line; None if there is none."""
    rows = [TableRow(line.name, line.model.slug, tuple(map(Entry, _entries(line)))) for line in lines if line.cells]
    return PlainTable("Up to which length each architecture learns", "model", COLUMNS, tuple(rows)) if rows else None


def _entries(line: ReachLine) -> list[str]:
    shortest = next(iter(line.cells.values()))
    last = next((cell for task, cell in line.cells.items() if task.length == line.passed), None)
    passing = DASH if last is None else f"{sum(accuracy >= GOAL for accuracy in last.seeds)} of {len(last.seeds)}"
    start = [percent(shortest.best.accuracy), DASH if line.passed is None else count(line.passed), passing]
    if line.fall is None:
        return [*start, *[DASH] * 5]
    task, cell = line.fall
    best = cell.best
    return [
        *start,
        count(task.length),
        percent(best.accuracy),
        best.model.size,
        count(best.steps_allowed),
        percent(line.paper.get(task.length)),
    ]


def _is_learned(run: RunSummary) -> bool:
    return not run.failed and known(run.accuracy) and run.accuracy >= GOAL

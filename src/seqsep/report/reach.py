"""The lengths up to which each architecture has 99 %, and the accuracy where it first has less.

All of it is read off rows of a preset `reach`. A line is an architecture under one choice of positions; at each length it
stands with the best of its sizes, rates, embedding scales and steps. Nothing is said of runs that were not made.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from seqsep.lab.experiments import Experiment
from seqsep.lab.experiments.claims.papers import paper_models
from seqsep.lab.row import Row
from seqsep.models.mixers.settings import mixer_named
from seqsep.report.formatting import count, known, listed, percent
from seqsep.report.measured import GOAL, RunSummary, by_accuracy
from seqsep.report.result_table import Cell
from seqsep.report.sized_model import SizedModel, model_names
from seqsep.tasks import Task

PAPER_SETTINGS = "of its sizes, up to 250,000 steps, positions named for its Transformers alone"
"""What the paper's numbers beside ours are of."""


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
    def runs(self) -> list[RunSummary]:
        """Every run that came to its end."""
        return [run for cells in self.sizes.values() for cell in cells for run in cell.runs]

    def size_words(self, run: RunSummary) -> str:
        """Its depth and width with "of" before it, if it is not the smallest that was tried; else nothing."""
        smallest = min((cells[0].best.model for cells in self.sizes.values()), key=depth_and_width)
        return "" if depth_and_width(run.model) == depth_and_width(smallest) else f" of {run.model.size}"

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
    def passing(self) -> str:
        """Of how many seeds the best setting has 99 % at the length up to which it passes; empty if it passes nowhere."""
        return "".join(passing_seeds(cell) for task, cell in self.cells.items() if task.length == self.passed)

    @property
    def some_seeds(self) -> str:
        """The same, if some of the seeds stay below; empty if all pass."""
        is_part = any(min(cell.seeds) < GOAL for task, cell in self.cells.items() if task.length == self.passed)
        return self.passing if is_part else ""

    @property
    def fall(self) -> tuple[Task, Cell] | None:
        """The first length at which the best run has less than 99 %, and its cell; None if there is none."""
        return next(((task, cell) for task, cell in self.cells.items() if not _is_learned(cell.best)), None)

    @property
    def paper_passed(self) -> int | None:
        """The greatest length up to which the paper's accuracies are at least 99 %."""
        passed = None
        for length, accuracy in sorted(self.paper.items()):
            if accuracy < GOAL:
                break
            passed = length
        return passed


def experiment_reach(experiment: Experiment, rows: Iterable[Row]) -> list[ReachLine]:
    """The lines of an experiment's rows that have an outcome.

    The paper's numbers stand beside runs on exactly the paper's task: at another alphabet, say, there is nothing to compare.
    """
    runs = [RunSummary.of(row) for row in rows if row.has_outcome]
    paper_task = experiment.paper_task
    are_alike = paper_task is not None and all(run.task == paper_task(run.task.length) for run in runs)
    return reach_lines(runs, experiment.paper_figure if are_alike else None)


def reach_lines(runs: Iterable[RunSummary], figure: str | None = None) -> list[ReachLine]:
    """The lines of all runs, in the order of every table; `figure` names the paper's in papers.json.

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
    """The order of sizes.

    >>> depth_and_width(SizedModel(("lstm", "lstm"), 64))
    (2, 64)
    """
    return len(model.layers), model.width


def passing_seeds(cell: Cell) -> str:
    """Of how many seeds the best setting has 99 %, which a range of rounded numbers does not say."""
    passing = sum(accuracy >= GOAL for accuracy in cell.seeds)
    return seeds_of(cell) if passing == len(cell.seeds) else f"{passing} of {seeds_of(cell)}"


def seeds_of(cell: Cell) -> str:
    """How many seeds the best setting has."""
    return f"{len(cell.seeds)} seed{'s' * (len(cell.seeds) > 1)}"


def with_learned_positions(lines: Sequence[ReachLine]) -> list[ReachLine]:
    """The lines of models with learned positions, which are compared with each other."""
    return [line for line in lines if is_alike(line.model, "learned")]


def is_alike(model: SizedModel, positions: str) -> bool:
    """Whether a model has `learned` positions or, for `default`, those that its own paper has."""
    own = all(isinstance(layer, str) and mixer_named(layer).block.positions == "learned" for layer in model.layers)
    return model.positions == ("learned" if own or positions == "learned" else "none")


def headline(lines: Sequence[ReachLine]) -> str:
    """Up to which length architectures with learned positions have 99 %, and what they have where they first have less.

    Seeds are named where the best setting passes under some of them alone, and sizes where a larger model is the best. Beside
    the accuracies stands the paper's at the same length, if it prints one.
    """
    alike = with_learned_positions(lines)
    trained = [task.length for line in alike for task in line.cells]
    if not trained:
        return ""
    by_length: dict[int, list[str]] = {}
    for line in alike:
        if line.passed is not None:
            some = f" ({line.some_seeds})" if line.some_seeds else ""
            by_length.setdefault(line.passed, []).append(f"{line.title}{some}")
    words = [f"N = {length} for {listed(who)}" for length, who in sorted(by_length.items(), reverse=True)]
    passed = f"has at least 99 % up to {'; '.join(words)}" if words else "has 99 % nowhere"
    sentences = [
        f"With learned positions for all, the best run {passed}",
        *_falls(alike),
        f"No input is longer than N = {max(trained)} so far",
    ]
    return ". ".join(sentences)


def _falls(lines: Sequence[ReachLine]) -> list[str]:
    """A sentence with the accuracy of each line where it is first below 99 %, the longest length first; none if none falls."""
    by_length: dict[int, list[tuple[ReachLine, RunSummary]]] = {}
    for line in lines:
        if line.fall is not None:
            task, cell = line.fall
            by_length.setdefault(task.length, []).append((line, cell.best))
    if not by_length:
        return []
    parts = []
    is_beside = False
    for length, fallen in sorted(by_length.items(), reverse=True):
        most = max(run.steps_allowed for _, run in fallen)
        names = []
        for line, run in fallen:
            paper = line.paper.get(length)
            beside = "" if paper is None else f" ({percent(paper)} %)"
            is_beside = is_beside or paper is not None
            fewer = "" if run.steps_allowed == most else f" within {count(run.steps_allowed)}"
            names.append(f"{line.title} {percent(run.accuracy)} %{line.size_words(run)}{beside}{fewer}")
        parts.append(f"at N = {length} within {count(most)} steps, {listed(names)}")
    theirs = f" (in brackets the paper's: {PAPER_SETTINGS})" if is_beside else ""
    return [f"Where each first has less than 99 %{theirs}: {'; '.join(parts)}"]


def positions_sentence(lines: Sequence[ReachLine]) -> str:
    """What positions do: the accuracy at the shortest length with learned ones and without, at the greatest size that has both.

    It is named if it is not the smallest.
    """
    by_choice = {(line.model.architecture, line.model.width, line.model.positions): line for line in lines}
    pairs = []
    for (name, width, positions), without in by_choice.items():
        learned = by_choice.get((name, width, "learned"))
        if positions != "none" or learned is None:
            continue
        for task in [task for task in learned.sizes if task in without.sizes][:1]:
            by_size = [
                {depth_and_width(cell.best.model): cell.best for cell in line.sizes[task]} for line in (learned, without)
            ]
            for size in sorted(by_size[0].keys() & by_size[1].keys())[-1:]:
                best = [found[size] for found in by_size]
                with_them, without_them = (f"{percent(run.accuracy)} %" for run in best)
                of_size = without.size_words(best[1])
                pairs.append(
                    (task.length, f"{without.title}{of_size} {with_them} with learned positions, {without_them} without")
                )
    if not pairs:
        return ""
    return f"At N = {pairs[0][0]}: {'; '.join(said for _, said in pairs)}"


def _is_learned(run: RunSummary) -> bool:
    return not run.failed and known(run.accuracy) and run.accuracy >= GOAL

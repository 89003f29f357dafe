"""The results of an experiment, a cell for each model and task; every figure and table is made from them.

A cell holds the best run of its search, the same run under other seeds, the paper's number, and the ceiling that the state's
bits set.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from seqsep.lab.answers import chance
from seqsep.models.plugins.task import UserTask
from seqsep.report.formatting import DASH, percent, percent_at_most
from seqsep.report.measured import RunSummary, by_accuracy
from seqsep.report.sized_model import MOST_NAMED, SizedModel, model_names
from seqsep.tasks import Task
from seqsep.tasks.ceilings import ceiling

POINTS = 200
"""The number of steps of a line of ceilings."""

PaperNumber = Callable[[SizedModel, Task], float | None]
"""The accuracy that the paper prints for a model on a task, a fraction; None if it prints none."""


def limit_of(task: Task, bits: int, answer_bits: int | None) -> float | None:
    """Return the ceiling of a task for a state; of a user's own task, whose file is not read, 1 if `answer_bits` suffice."""
    if isinstance(task, UserTask):
        return 1.0 if answer_bits is not None and bits >= answer_bits else None
    return ceiling(task, bits)


@dataclass(frozen=True)
class Cell:
    """One model on one task.

    `best` is the best run with the first seed and `repeats` are the same run under every seed, itself included. `paper` is the
    paper's accuracy, and `ceiling` the highest one that the state allows (None: no bound known). `runs` came to their end,
    `pruned` did not. `size` is (depth, width), unless its row says it, and `scale` the embedding scale of the best run if
    several were tried anywhere in the table.
    """

    best: RunSummary
    repeats: tuple[RunSummary, ...]
    paper: float | None
    ceiling: float | None
    runs: tuple[RunSummary, ...]
    pruned: tuple[RunSummary, ...] = ()
    size: str = ""
    scale: str = ""

    @classmethod
    def of(cls, runs: Sequence[RunSummary], paper: float | None, with_scale: bool = False) -> "Cell":
        """Return the cell of all runs of a model on a task. At least one of them must have ended."""
        ended = [run for run in runs if not run.pruned]
        first_seed = min(run.seed for run in ended)
        tried = [run for run in ended if run.seed == first_seed]
        best = max(tried, key=by_accuracy)
        return cls(
            best=best,
            repeats=tuple(run for run in ended if run.setting == best.setting),
            paper=paper,
            ceiling=limit_of(best.task, best.bits_before_the_question, best.answer_bits),
            runs=tuple(ended),
            pruned=tuple(run for run in runs if run.pruned),
            scale=f"{best.embedding_scale:g}" if with_scale else "",
        )

    @property
    def seeds(self) -> tuple[float, ...]:
        """The accuracy of each repeat, 0 if it is not a number."""
        return tuple(run.shown_accuracy for run in self.repeats)

    @property
    def tried(self) -> tuple[RunSummary, ...]:
        """The runs that the best one was chosen from: those with its seed."""
        return tuple(run for run in self.runs if run.seed == self.best.seed)

    @property
    def state_bits(self) -> int:
        """Bits of the best run's state once the whole input is read, at least 1."""
        return max(1, self.best.bits_before_the_question)

    @property
    def spread(self) -> str:
        """Least and greatest accuracy over seeds, in percent."""
        if not self.seeds:
            return DASH
        least = percent(min(self.seeds))
        greatest = percent(max(self.seeds))
        return least if least == greatest else f"{least}–{greatest}"

    @property
    def number(self) -> str:
        """The best accuracy in percent."""
        return percent(self.best.accuracy)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines under the best accuracy."""
        lines = []
        if self.size:
            lines.append(f"size {self.size}")
        if self.scale:
            lines.append(f"scale {self.scale}")
        if len(self.seeds) > 1:
            lines.append(f"{len(self.seeds)} seeds {self.spread}")
        per_answer = self.best.accuracy_per_answer
        if per_answer is not None and per_answer != self.best.accuracy:
            lines.append(f"each answer {percent(per_answer)}")
        if self.paper is not None:
            lines.append(f"paper {percent(self.paper)}")
        lines.append("no bound known" if self.ceiling is None else f"ceiling {percent_at_most(self.ceiling)}")
        return tuple(lines)


@dataclass(frozen=True)
class Column:
    """One task of a table: its title and its cells that are not empty."""

    task: Task
    title: str
    cells: dict[SizedModel, Cell]

    @property
    def chance(self) -> float | None:
        """Accuracy of guessing; None if it is not known."""
        known = [cell.best.chance for cell in self.cells.values() if cell.best.chance is not None]
        if known or isinstance(self.task, UserTask):
            return known[0] if known else None
        return chance(self.task)

    @property
    def answer_bits(self) -> int | None:
        """Bits of state with which all answers can be right; of a user's own task, as its rows say."""
        if isinstance(self.task, UserTask):
            return next((cell.best.answer_bits for cell in self.cells.values() if cell.best.answer_bits is not None), None)
        return self.task.answer_bits()

    @property
    def is_binary(self) -> bool:
        """True if there are two answers, so that guessing is right in half of the examples."""
        return not isinstance(self.task, UserTask) and self.task.classes == 2

    @property
    def bits_span(self) -> tuple[float, float]:
        """The bits from which and to which its states are drawn, including the bits that the task needs."""
        asked = self.answer_bits
        bits = [cell.state_bits for cell in self.cells.values()] or [1]
        bits += [asked] if asked else []
        return max(1.0, min(bits) / 5), 3.0 * max(bits)

    @property
    def ceiling_line(self) -> dict[int, float]:
        """The ceiling at many numbers of bits between the ends of the span; empty if no bound is known."""
        low, high = self.bits_span
        ratio = high / low
        bits = sorted({round(low * ratio ** (place / POINTS)) for place in range(POINTS + 1)})
        heights = {number: limit_of(self.task, number, self.answer_bits) for number in bits}
        return {number: height for number, height in heights.items() if height is not None}


@dataclass(frozen=True)
class ResultTable:
    """The cells of an experiment by model and task, with the name of each model; some cells may be empty.

    >>> from pathlib import Path
    >>> from seqsep.report.experiment_table import experiment_table
    >>> from seqsep.lab.experiments import BY_NAME
    >>> empty = experiment_table(BY_NAME["mamba-width"], rows=[])
    >>> empty.title, empty.cells
    ('Index lookup by width of Mamba: accuracy, %', {})
    """

    title: str
    models: dict[SizedModel, str]
    tasks: tuple[Task, ...]
    cells: dict[tuple[SizedModel, Task], Cell]

    @classmethod
    def of(cls, title: str, runs: Sequence[RunSummary], paper: PaperNumber) -> "ResultTable":
        """Return the table of these runs. A cell without a run that ended stays empty."""
        groups: dict[tuple[SizedModel, Task], list[RunSummary]] = {}
        for run in runs:
            groups.setdefault((run.model, run.task), []).append(run)
        ended = {place: group for place, group in groups.items() if not all(run.pruned for run in group)}
        several = len({run.embedding_scale for run in runs}) > 1
        tasks = sorted({task for _, task in ended}, key=lambda task: (task.length, repr(task)))
        return cls(
            title=title,
            models=model_names(model for model, _ in ended),
            tasks=tuple(tasks),
            cells={place: Cell.of(group, paper(*place), several) for place, group in ended.items()},
        )

    @property
    def legible(self) -> "ResultTable":
        """This table or, if it has too many rows to draw, one with a row for each architecture.

        The cells of such a row are the most accurate size of the architecture at each length. Architectures with learned
        positions and without are different rows.
        """
        if len(self.models) <= MOST_NAMED:
            return self
        rows = dict[tuple[str, str, str], SizedModel]()
        best_cells = dict[tuple[SizedModel, Task], Cell]()
        for model in self.models:
            row = rows.setdefault((model.architecture, model.label, model.positions), model)
            for task, cell in self.row(model).items():
                known_best = best_cells.get((row, task))
                if known_best is None or by_accuracy(cell.best) > by_accuracy(known_best.best):
                    best_cells[row, task] = replace(cell, size=model.size)
        one_size = {row: replace(row, layers=row.distinct_layers, width=1) for row in rows.values()}
        names = model_names(one_size.values())
        return replace(self, models={row: names[one] for row, one in one_size.items()}, cells=best_cells)

    def row(self, model: SizedModel) -> dict[Task, Cell]:
        """Return the cells of a model that are not empty."""
        return {task: self.cells[model, task] for task in self.tasks if (model, task) in self.cells}

    @property
    def columns(self) -> tuple[Column, ...]:
        """A column for each task."""
        columns = []
        for task in self.tasks:
            cells = {model: self.cells[model, task] for model in self.models if (model, task) in self.cells}
            columns.append(Column(task, self._title(task), cells))
        return tuple(columns)

    def _title(self, task: Task) -> str:
        """Return the length of a task and, on a second line, the fields that distinguish it from others of this length."""
        same_length = [other.configuration() for other in self.tasks if other.length == task.length]
        fields = sorted({name for one in same_length for name in one})
        differing = [name for name in fields if any(one.get(name) != same_length[0].get(name) for one in same_length)]
        words = ", ".join(f"{name} {getattr(task, name, '')}" for name in differing)
        return f"N = {task.length}\n{words}" if differing else f"N = {task.length}"

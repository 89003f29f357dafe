"""The experiment `is-tree` as tables: what a model writes by itself, with its parameters, its state and the paper's number.

The number of a cell is live accuracy: the model writes the thought, and an answer that never comes counts 1/2. Beside it stand
two that are teacher-forced, behind the right tokens: how often the whole thought and the answer are right, and how often the
answer is. Rows are of one distribution of graphs each.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from seqsep.ceilings import ceiling
from seqsep.experiments.claims.papers import is_tree_accuracy
from seqsep.experiments.is_tree import PAPER_SIZES, TRACES, Size, make
from seqsep.lab.row import Row
from seqsep.names import narrowed
from seqsep.report.numerals import DASH, count, percent
from seqsep.report.sized_model import SizedModel, model_names
from seqsep.tasks import IsTree

WITHOUT_STATE = 2 / 3
"""The accuracy on double stars that a state of O(log n) bits reaches, whatever n."""
WRITTEN = 0.9
"""A thought counts as learned once so many are written without an error."""

GRAPHS = {"double-star": "double stars", "uniform": "uniform graphs"}
"""What each distribution is called."""

TITLES = {("attention",): "Transformer", ("mamba", "attention"): "Hybrid"}


@dataclass(frozen=True)
class IsTreeCell:
    """The best run of a model on a task, by live accuracy, then by speed.

    `live`, `unanswered` and `answer` are those of `LiveScore`, `written` the teacher-forced accuracy of thought and answer;
    `state_bits` are counted once the prompt is read; `curve` has (step, accuracy of thought and answer).
    """

    task: IsTree
    model: SizedModel
    live: float
    unanswered: float
    answer: float
    written: float
    parameters: int
    state_bits: int
    learning_rate: float
    steps: int
    batch: int
    curve: tuple[tuple[int, float], ...]

    @classmethod
    def of(cls, row: Row) -> "IsTreeCell":
        """The cell of one row that has come to its end."""
        run = row.run
        task = narrowed(run.task, IsTree)
        result = row.result
        fixed, per_token = result["state_bits"]
        return cls(
            task=task,
            model=SizedModel.of(run).with_heads(run.heads),
            live=result["live_accuracy"],
            unanswered=result["unanswered"],
            answer=result["answer_accuracy"],
            written=result["accuracy"],
            parameters=result["parameters"],
            state_bits=fixed + per_token * task.prompt_tokens,
            learning_rate=run.learning_rate,
            steps=result["steps"],
            batch=run.batch,
            curve=tuple((step, accuracy) for step, accuracy, _ in result["curve"]),
        )

    @property
    def paper(self) -> float | None:
        """The paper's accuracy, if the model has one of its sizes and the task is one of its."""
        if self.task.distribution != "double-star":
            return None
        names = {(size.layers, size.width): f"{size.model}-{size.size}" for size in PAPER_SIZES}
        name = names.get((tuple(map(str, self.model.layers)), self.model.width))
        return None if name is None else is_tree_accuracy(self.task.trace, name, self.task.length)

    @property
    def ceiling(self) -> float | None:
        """The highest accuracy that the state allows; None if no bound is known, as with a retriever."""
        return None if self.task.retriever() is not None else ceiling(self.task, self.state_bits)

    @property
    def first_written(self) -> int | None:
        """The first evaluation at which `WRITTEN` of the thoughts are right."""
        return next((step for step, accuracy in self.curve if accuracy >= WRITTEN), None)

    @property
    def text(self) -> str:
        """Live accuracy, in brackets those that are teacher-forced, how many answers never came, and the paper's."""
        facts = [f"all right {percent(self.written)}", f"forced {percent(self.answer)}"]
        if self.unanswered:
            facts.append(f"no answer {percent(self.unanswered)}")
        facts.append(f"{count(self.steps)} steps")
        if self.paper is not None:
            facts.append(f"paper {percent(self.paper)}")
        return f"{percent(self.live)} ({'; '.join(facts)})"


Cells: TypeAlias = Mapping[tuple[SizedModel, IsTree], IsTreeCell]


def is_tree_cells(rows: Iterable[Row]) -> dict[tuple[SizedModel, IsTree], IsTreeCell]:
    """The best cell of each model and task, of the rows that came to their end."""
    best: dict[tuple[SizedModel, IsTree], IsTreeCell] = {}
    for row in rows:
        if "live_accuracy" not in row.result:
            continue
        cell = IsTreeCell.of(row)
        place = (cell.model, cell.task)
        if place not in best or (cell.live, -cell.steps) > (best[place].live, -best[place].steps):
            best[place] = cell
    return best


def names(models: Iterable[SizedModel]) -> dict[SizedModel, str]:
    """The names of models as the paper has them: a Transformer, Mamba, a hybrid; others as everywhere, with their size.

    Heads are named where models of one architecture differ in them.

    >>> list(names([SizedModel(("mamba", "mamba", "attention"), 64), SizedModel(("attention",) * 2, 64)]).values())
    ['Transformer (2, 64)', 'Hybrid (3, 64)']
    """
    chosen = {}
    known = list(models)
    for model in model_names(known):
        kinds = tuple(dict.fromkeys(map(str, model.layers)))
        heads = {other.heads for other in known if other.architecture == model.architecture}
        chosen[model] = f"{TITLES.get(kinds, model.title)} {model.size}{f', heads {model.heads}' if len(heads) > 1 else ''}"
    return chosen


def table_of_length(cells: Cells, length: int) -> list[list[str]]:
    """The rows of a table at one length, the header first: a row a model and distribution with its sizes, a column a trace."""
    at = {place: cell for place, cell in cells.items() if place[1].length == length}
    traces = [trace for trace in TRACES if any(task.trace == trace for _, task in at)]
    lines = [[f"n = {length}", *SIZES, *traces]]
    for row in _rows(at):
        mine = {cell.task.trace: cell for cell in row.cells}
        lines.append([row.name, *row.sizes, *(mine[trace].text if trace in mine else "not run" for trace in traces)])
    return lines


def table_of_trace(cells: Cells) -> list[list[str]]:
    """The rows of a table of one trace, the header first: a row a model and distribution with its state at each end, a column
    a length."""
    lengths = sorted({task.length for _, task in cells})
    lines = [["", *SIZES, *(f"n = {length}" for length in lengths)]]
    for row in _rows(cells):
        mine = {cell.task.length: cell for cell in row.cells}
        lines.append([row.name, *row.sizes, *(mine[length].text if length in mine else "not run" for length in lengths)])
    return lines


def table_of_speed(cells: Cells) -> list[list[str]]:
    """How many graphs were seen when WRITTEN of the thoughts were first right: a row a model, length and distribution, a
    column a trace."""
    traces = [trace for trace in TRACES if trace != "vanilla" and any(task.trace == trace for _, task in cells)]
    lines = [["Graphs seen", "n", *SIZES, *traces]]
    for length in sorted({task.length for _, task in cells}):
        for row in _rows({place: cell for place, cell in cells.items() if place[1].length == length}):
            mine = {cell.task.trace: cell for cell in row.cells}
            lines.append([row.name, str(length), *row.sizes, *(_speed(mine.get(trace)) for trace in traces)])
    return lines


SIZES = ("Distribution", "Parameters", "State bits")
"""Columns of every table, behind a model's name."""


@dataclass(frozen=True)
class _TableRow:
    """A model on one distribution, with its cells."""

    name: str
    distribution: str
    cells: tuple[IsTreeCell, ...]

    @property
    def sizes(self) -> tuple[str, str, str]:
        """What stands under `SIZES`; bits of state at the shortest length and at the longest, if they differ."""
        in_order = sorted(self.cells, key=lambda cell: cell.task.length)
        bits = list(dict.fromkeys(count(cell.state_bits) for cell in in_order))
        state = bits[0] if len(bits) == 1 else f"{bits[0]} to {bits[-1]}"
        return GRAPHS[self.distribution], count(in_order[0].parameters), state


def _rows(cells: Cells) -> Iterator[_TableRow]:
    """A row for each model and distribution, double stars first."""
    for distribution in GRAPHS:
        of_it = {place: cell for place, cell in cells.items() if place[1].distribution == distribution}
        for model, name in names(model for model, _ in of_it).items():
            yield _TableRow(name, distribution, tuple(cell for (other, _), cell in of_it.items() if other == model))


def _speed(cell: IsTreeCell | None) -> str:
    if cell is None:
        return DASH
    if cell.first_written is None:
        return f"not in {count(cell.steps * cell.batch)}"
    return count(cell.first_written * cell.batch)


SMALLEST = tuple(size for size in PAPER_SIZES if size.size == PAPER_SIZES[0].size)
"""The paper's smallest models."""


def table_of_paper(lengths: Iterable[int]) -> list[list[str]]:
    """The accuracies of the paper's smallest models in percent at those lengths that it has, a row a model and length.

    Their sizes are those of the models as they are built here.
    """
    traces = [trace for trace in TRACES if any(is_tree_accuracy(trace, f"{size.model}-{size.size}", 16) for size in SMALLEST)]
    lines = [["The paper's, %", "n", *SIZES, *traces]]
    for length in lengths:
        for size in SMALLEST:
            accuracies = [is_tree_accuracy(trace, f"{size.model}-{size.size}", length) for trace in traces]
            if any(accuracies):
                name = f"{size.model.capitalize()} ({len(size.layers)}, {size.width})"
                sizes = [GRAPHS["double-star"], *map(count, sizes_as_built(size, length))]
                lines.append([name, str(length), *sizes, *map(percent, accuracies)])
    return lines


@cache
def sizes_as_built(size: Size, length: int) -> tuple[int, int]:
    """Parameters of a model of the paper as it is built here, and its bits of state once the prompt is read.

    >>> sizes_as_built(PAPER_SIZES[0], length=16)
    (525376, 1507328)
    """
    model = make(size.layers, size.width, length, "vanilla").model()
    fixed, per_token = model.state_bits()
    parameters = sum(weight.numel() for weight in model.parameters() if weight.requires_grad)
    return parameters, fixed + per_token * IsTree(length).prompt_tokens

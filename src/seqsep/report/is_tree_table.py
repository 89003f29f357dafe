"""The experiment `is-tree` as tables: what a model writes by itself, with its parameters, its state and the paper's number.

The number of a cell is live accuracy: the model writes the thought, and an answer that never comes counts 1/2. Beside it stands
how often the whole thought and the answer are right token by token, behind the right tokens (teacher-forced).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seqsep.ceilings import ceiling
from seqsep.experiments.is_tree import PAPER_SIZES, TRACES
from seqsep.lab.row import Row
from seqsep.report.numerals import DASH, count, percent
from seqsep.report.papers import is_tree_accuracy
from seqsep.report.sized_model import SizedModel, model_names
from seqsep.tasks import IsTree

WITHOUT_STATE = 2 / 3
"""The accuracy on double stars that a state of O(log n) bits reaches, whatever n."""
WRITTEN = 0.9
"""A thought counts as learned once so many are written without an error."""

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
        result = row.result
        assert isinstance(run.task, IsTree)
        fixed, per_token = result["state_bits"]
        return cls(
            task=run.task,
            model=SizedModel.of(run).with_heads(run.heads),
            live=result["live_accuracy"],
            unanswered=result["unanswered"],
            answer=result["answer_accuracy"],
            written=result["accuracy"],
            parameters=result["parameters"],
            state_bits=fixed + per_token * run.task.prompt_tokens,
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
        """Live accuracy, in brackets the teacher-forced one and how many answers never came, and the paper's."""
        facts = [f"all right {percent(self.written)}"]
        if self.unanswered:
            facts.append(f"no answer {percent(self.unanswered)}")
        facts.append(f"{count(self.steps)} steps")
        if self.paper is not None:
            facts.append(f"paper {percent(self.paper)}")
        return f"{percent(self.live)} ({'; '.join(facts)})"


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


def table_of_length(cells: dict[tuple[SizedModel, IsTree], IsTreeCell], length: int) -> list[list[str]]:
    """The rows of a table at one length, the header first: a row a model with its parameters and state, a column a trace."""
    at = {place: cell for place, cell in cells.items() if place[1].length == length}
    traces = [trace for trace in TRACES if any(task.trace == trace for _, task in at)]
    lines = [[f"n = {length}", "Parameters", "State bits", *traces]]
    for model, name in names(model for model, _ in at).items():
        mine = {task.trace: cell for (other, task), cell in at.items() if other == model}
        first = next(iter(mine.values()))
        entries = [mine[trace].text if trace in mine else "not run" for trace in traces]
        lines.append([name, count(first.parameters), count(first.state_bits), *entries])
    return lines


def table_of_trace(cells: dict[tuple[SizedModel, IsTree], IsTreeCell]) -> list[list[str]]:
    """The rows of a table of one trace, the header first: a row a model with its state at each end, a column a length."""
    lengths = sorted({task.length for _, task in cells})
    lines = [["", "Parameters", "State bits", *(f"n = {length}" for length in lengths)]]
    for model, name in names(model for model, _ in cells).items():
        mine = {task.length: cell for (other, task), cell in cells.items() if other == model}
        bits = list(dict.fromkeys(count(mine[length].state_bits) for length in sorted(mine)))
        state = bits[0] if len(bits) == 1 else f"{bits[0]} to {bits[-1]}"
        entries = [mine[length].text if length in mine else "not run" for length in lengths]
        lines.append([name, count(next(iter(mine.values())).parameters), state, *entries])
    return lines


def table_of_speed(cells: dict[tuple[SizedModel, IsTree], IsTreeCell]) -> list[list[str]]:
    """How many graphs were seen when WRITTEN of the thoughts were first right, a row a model and length, a column a trace."""
    traces = [trace for trace in TRACES if trace != "vanilla" and any(task.trace == trace for _, task in cells)]
    lines = [["Graphs", "n", *traces]]
    places = sorted({(task.length, name) for (model, task), name in _named(cells)})
    for length, name in places:
        mine = {
            task.trace: cells[model, task] for (model, task), other in _named(cells) if (task.length, other) == (length, name)
        }
        lines.append([name, str(length), *(_speed(mine.get(trace)) for trace in traces)])
    return lines


def _named(cells: dict[tuple[SizedModel, IsTree], IsTreeCell]) -> Sequence[tuple[tuple[SizedModel, IsTree], str]]:
    named = names(model for model, _ in cells)
    return [(place, named[place[0]]) for place in cells]


def _speed(cell: IsTreeCell | None) -> str:
    if cell is None:
        return DASH
    if cell.first_written is None:
        return f"not in {count(cell.steps * cell.batch)}"
    return count(cell.first_written * cell.batch)


def table_of_paper(lengths: Iterable[int]) -> list[list[str]]:
    """The accuracies of the paper's smallest models in percent at those lengths that it has, a row a model and length."""
    smallest = [size for size in PAPER_SIZES if size.size == PAPER_SIZES[0].size]
    traces = [trace for trace in TRACES if any(is_tree_accuracy(trace, f"{size.model}-{size.size}", 16) for size in smallest)]
    lines = [["The paper's, %", "n", *traces]]
    for length in lengths:
        for size in smallest:
            accuracies = [is_tree_accuracy(trace, f"{size.model}-{size.size}", length) for trace in traces]
            if any(accuracies):
                name = f"{size.model.capitalize()} ({len(size.layers)}, {size.width})"
                lines.append([name, str(length), *map(percent, accuracies)])
    return lines

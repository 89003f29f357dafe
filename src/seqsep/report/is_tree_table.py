"""The cells of the experiment `is-tree`: accuracy, parameters, bits of state and the paper's number.

The number of a cell is live accuracy: the model writes the chain of thought, and an answer that never comes counts 1/2. Next to
it are two that are teacher-forced, after the right tokens: how often the whole thought and the answer are right, and how often
the answer is. Rows are of one distribution of graphs each.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from seqsep.core.names import narrowed
from seqsep.lab.experiments.claims.papers import is_tree_accuracy
from seqsep.lab.experiments.is_tree import PAPER_SIZES, Size, make
from seqsep.lab.row import Row
from seqsep.report.sized_model import SizedModel, model_names
from seqsep.tasks import IsTree
from seqsep.tasks.ceilings import ceiling

WITHOUT_STATE = 2 / 3
"""The accuracy on double stars that a state of O(log n) bits reaches, whatever n."""

GRAPHS = {"double-star": "double stars", "uniform": "uniform graphs"}
"""The name of each distribution."""

TITLES = {("attention",): "Transformer", ("mamba", "attention"): "Hybrid"}


@dataclass(frozen=True)
class IsTreeCell:
    """The best run of a model on a task, by live accuracy, then by speed.

    `live`, `unanswered` and `answer` are those of `LiveScore`, `written` the teacher-forced accuracy of thought and answer;
    `state_bits` are counted once the prompt is read.
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

    @classmethod
    def of(cls, row: Row) -> "IsTreeCell":
        """Return the cell of one row that has ended."""
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


Cells: TypeAlias = Mapping[tuple[SizedModel, IsTree], IsTreeCell]


def is_tree_cells(rows: Iterable[Row]) -> dict[tuple[SizedModel, IsTree], IsTreeCell]:
    """Return the best cell of each model and task, of the rows that ended."""
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
    """Return the names of models as in the paper: a Transformer, Mamba, a hybrid. Others have their usual names, with their
    size.

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


SMALLEST = tuple(size for size in PAPER_SIZES if size.size == PAPER_SIZES[0].size)
"""The paper's smallest models."""


@cache
def sizes_as_built(size: Size, length: int) -> tuple[int, int]:
    """Return the parameters of a model of the paper in our construction, and its bits of state once the prompt is read.

    >>> sizes_as_built(PAPER_SIZES[0], length=16)
    (525376, 1507328)
    """
    model = make(size.layers, size.width, length, "vanilla").model()
    fixed, per_token = model.state_bits()
    parameters = sum(weight.numel() for weight in model.parameters() if weight.requires_grad)
    return parameters, fixed + per_token * IsTree(length).prompt_tokens

"""The demo's heatmap, architecture x length on index lookup.

Each cell keeps five numbers apart: our accuracy, the steps after which it was measured, its range over seeds, the paper's
accuracy, and the ceiling that the state's bits set.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.lab.experiments.claims.papers import PaperModel, figure2_index_lookup
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.formatting import DASH, count, known, percent, percent_at_most
from seqsep.report.measured import RunSummary
from seqsep.report.result_table import Cell
from seqsep.report.sized_model import SizedModel, model_names
from seqsep.tasks import IndexLookup, Task
from seqsep.tasks.ceilings import ceiling, length_where_it_bites

PAPER_ALPHABET = 64
TRAINING_INPUTS = {
    "drawn-length": "inputs have k symbols and a position up to k, where k is drawn up to N",
    "full-length": "inputs have N symbols and a uniform position",
    "drawn-position": "inputs have N symbols and a position up to k, where k is drawn up to N",
}
"""The readings of appendix H.1 in words (`IndexLookup.training_inputs`)."""


@dataclass(frozen=True)
class HeatmapCell:
    """A place of the heatmap. A place without a run has only the paper's number and the ceiling.

    `committed`: a committed run replaces one of this demo.
    """

    result: Cell | None
    paper: float | None
    ceiling: float | None
    committed: bool

    @property
    def run(self) -> RunSummary | None:
        """The run that represents the model."""
        return self.result.best if self.result else None

    @property
    def here(self) -> str:
        """Its accuracy in percent."""
        return percent(self.run.accuracy if self.run else None)

    @property
    def steps(self) -> str:
        """The steps after which it has this accuracy."""
        return count(self.run.steps if self.run else None)

    @property
    def heat(self) -> float:
        """Its accuracy for the colour."""
        return round(self.run.shown_accuracy, 4) if self.run else 0.0

    @property
    def seeds(self) -> str:
        """The range over the committed seeds."""
        return self.result.spread if self.result else DASH

    @property
    def printed(self) -> str:
        """The paper's accuracy in percent."""
        return percent(self.paper)

    @property
    def limit(self) -> str:
        """The ceiling in percent."""
        return percent_at_most(self.ceiling)

    @property
    def bites(self) -> bool:
        """True if the state is too small for the length."""
        return self.ceiling is not None and self.ceiling < 1


@dataclass(frozen=True)
class HeatmapRow:
    """One model. `longest` is its run at the greatest length; `bites`: from which length its ceiling is below 100 %."""

    model: SizedModel
    name: str
    paper_label: str
    cells: tuple[HeatmapCell, ...]
    longest: RunSummary
    bites: int | None

    @property
    def state(self) -> str:
        """The bits of its state."""
        fixed, per_token = self.longest.state_bits
        if self.longest.recurrent:
            return count(fixed)
        return f"{count(fixed)} + {count(per_token)} a token" if fixed > 0 else f"{count(per_token)} a token"

    @property
    def bites_at(self) -> str:
        """The length from which its ceiling is below 100 %, in words."""
        return "never" if self.bites is None else f"N = {count(self.bites)}"

    @property
    def parameters(self) -> str:
        """The number of its parameters."""
        return count(self.longest.parameters)


@dataclass(frozen=True)
class Heatmap:
    """The table, its columns, and the number of committed seeds."""

    tasks: tuple[Task, ...]
    rows: tuple[HeatmapRow, ...]
    seeds: int

    @property
    def reading(self) -> str:
        """The reading of appendix H.1 under which the models were trained, in words."""
        readings = dict.fromkeys(task.training_inputs for task in self.tasks if isinstance(task, IndexLookup))
        curriculum = max((cell.run.mixed_steps for row in self.rows for cell in row.cells if cell.run is not None), default=0)
        mixed = f" (long ones after {count(curriculum)} steps of mixed lengths)" if curriculum else ""
        return f"{'; or '.join(TRAINING_INPUTS[reading] for reading in readings)}{mixed}."

    @property
    def any_committed(self) -> bool:
        """True if a committed run is shown in place of a missing one."""
        return any(cell.committed for row in self.rows for cell in row.cells)

    @property
    def bites(self) -> bool:
        """True if any state shown is too small for a length."""
        return any(cell.bites for row in self.rows for cell in row.cells)


def heatmap(runs: DemoRuns) -> Heatmap:
    """Return every model on every length of index lookup. A cell without a run is a dash."""
    tasks = [task for task in runs.tasks(IndexLookup) if isinstance(task, IndexLookup)]
    rows = tuple(_row(runs, tasks, model, name) for model, name in model_names(runs.models(tasks)).items())
    return Heatmap(
        tasks=tuple(tasks),
        rows=rows,
        seeds=len({run.seed for run in runs.committed if run.task in tasks}),
    )


def _row(runs: DemoRuns, tasks: Sequence[IndexLookup], model: SizedModel, name: str) -> HeatmapRow:
    paper = figure2_index_lookup().get(model.architecture)
    trained = [run for task in tasks if (run := runs.best(task, model)) is not None]
    longest = trained[-1]
    fixed, per_token = longest.state_bits
    ceilings = {task: ceiling(task, fixed + per_token * task.length) for task in tasks}
    return HeatmapRow(
        model=model,
        name=name,
        paper_label=paper.label if paper else "",
        cells=tuple(_cell(runs, task, model, paper=paper, highest=ceilings[task]) for task in tasks),
        longest=longest,
        bites=length_where_it_bites(tasks[-1].alphabet, fixed, per_token),
    )


def _cell(
    runs: DemoRuns, task: IndexLookup, model: SizedModel, *, paper: PaperModel | None, highest: float | None
) -> HeatmapCell:
    """Return the cell of a model at a length; `highest` is the ceiling that its state bits set there."""
    printed = paper.accuracy.get(task.length) if paper and task.alphabet == PAPER_ALPHABET else None
    best = runs.best(task, model)
    seeds = [run for run in runs.each_seed(task, model) if known(run.accuracy)]
    if best is None:
        return HeatmapCell(None, printed, highest, committed=False)
    tried = tuple(runs.candidates(task, model))
    cell = Cell(best=best, repeats=tuple(seeds), paper=printed, ceiling=highest, runs=tried)
    return HeatmapCell(cell, printed, highest, committed=not runs.own and best not in runs.fresh)

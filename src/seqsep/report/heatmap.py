"""The heatmap architecture x length on index lookup, and what it does and does not show.

Each cell keeps four numbers apart: our accuracy, its range over seeds, the paper's, and the ceiling that the state's bits set.
"""

from dataclasses import dataclass

from seqsep.ceilings import ceiling, length_where_it_bites
from seqsep.report.contender import Contender, names
from seqsep.report.measured import GOAL, Evidence, Measured
from seqsep.report.numerals import DASH, count, known, listed, percent, percent_at_most
from seqsep.report.papers import figure2_index_lookup
from seqsep.tasks import IndexLookup, Task


@dataclass(frozen=True)
class Cell:
    """What is known of a contender at a length; `heat` is its accuracy for the colour, `bites` a ceiling below 1."""

    run: Measured | None
    here: str
    committed: bool
    seeds: str
    paper: str
    ceiling: float | None
    limit: str
    heat: float

    @property
    def bites(self) -> bool:
        """Whether the state is too small for the length."""
        return self.ceiling is not None and self.ceiling < 1

    @property
    def fails(self) -> bool:
        """Whether it was trained and stayed below 99 %."""
        return self.run is not None and known(self.run.accuracy) and self.run.accuracy < GOAL


@dataclass(frozen=True)
class Row:
    """One contender; `state` counts its bits, `bites_at` says from which length its ceiling is below 100 %."""

    contender: Contender
    name: str
    paper_label: str
    cells: tuple[Cell, ...]
    state: str
    bites: int | None
    bites_at: str
    parameters: str


@dataclass(frozen=True)
class Heatmap:
    """The table, its columns, and its caption in two halves: what was not learned, what could not be held."""

    tasks: tuple[Task, ...]
    rows: tuple[Row, ...]
    learned: str
    held: str
    seeds: int

    @property
    def any_committed(self) -> bool:
        """Whether a committed run stands in for a missing one."""
        return any(cell.committed for row in self.rows for cell in row.cells)

    @property
    def bites(self) -> bool:
        """Whether any state shown is too small for a length."""
        return any(cell.bites for row in self.rows for cell in row.cells)


def heatmap(runs: Evidence) -> Heatmap:
    """Every contender on every length of index lookup; a cell without a run is a dash."""
    tasks = [task for task in runs.tasks(IndexLookup) if isinstance(task, IndexLookup)]
    titles = names(runs.contenders(tasks))
    rows = tuple(_row(runs, tasks, contender, name) for contender, name in titles.items())
    return Heatmap(
        tasks=tuple(tasks),
        rows=rows,
        learned=learned(rows),
        held=held(rows),
        seeds=len({run.seed for run in runs.committed if run.task in tasks}),
    )


def _row(runs: Evidence, tasks: list[IndexLookup], contender: Contender, name: str) -> Row:
    paper = figure2_index_lookup().get(contender.architecture)
    measured = next(run for task in reversed(tasks) if (run := runs.best(task, contender)) is not None)
    fixed, per_token = measured.state_bits
    cells = []
    for task in tasks:
        run = runs.best(task, contender)
        accuracies = [other.accuracy for other in runs.each_seed(task, contender) if known(other.accuracy)]
        highest = ceiling(task, fixed + per_token * task.length)
        cells.append(
            Cell(
                run=run,
                here=percent(run.accuracy if run else None),
                committed=run is not None and run not in runs.fresh,
                seeds=_range(accuracies),
                paper=percent(paper.accuracy.get(task.length) if paper and task.alphabet == 64 else None),
                ceiling=highest,
                limit=percent_at_most(highest),
                heat=round(run.accuracy, 4) if run and known(run.accuracy) else 0.0,
            )
        )
    bites = length_where_it_bites(tasks[-1].alphabet, fixed, per_token)
    grows = f"{count(fixed)} + " * (fixed > 0) + f"{count(per_token)} a token"
    return Row(
        contender=contender,
        name=name,
        paper_label=paper.label if paper else "",
        cells=tuple(cells),
        state=count(fixed) if measured.recurrent else grows,
        bites=bites,
        bites_at="never" if bites is None else f"N = {count(bites)}",
        parameters=count(measured.parameters),
    )


def _range(accuracies: list[float]) -> str:
    if not accuracies:
        return DASH
    least, greatest = percent(min(accuracies)), percent(max(accuracies))
    return least if least == greatest else f"{least}–{greatest}"


def learned(rows: tuple[Row, ...]) -> str:
    """Of the cells below 99 %, those whose state could have held every symbol."""
    failing = [cell for row in rows for cell in row.cells if cell.fails]
    trained = sum(cell.run is not None for row in rows for cell in row.cells)
    slow = [cell for cell in failing if not cell.bites]
    if not failing:
        return f"Nothing: all {trained} models shown reach 99 % in the steps they had." if trained else ""
    if not slow:
        return "In every cell below 99 % the state itself was too small, so these runs do not tell how well they learn."
    steps = max(cell.run.steps_allowed for cell in slow if cell.run)
    if len(failing) == 1:
        which = "The one cell below 99 % is a failure"
    elif len(slow) == len(failing):
        which = f"All {len(failing)} cells below 99 % are failures"
    else:
        which = f"Of the {len(failing)} cells below 99 %, {len(slow)} {'is a failure' if len(slow) == 1 else 'are failures'}"
    return (
        f"{which} to learn in at most {count(steps)} steps: the ceiling there is 100 %, the state has room for every symbol. "
        "More steps, other rates or a larger model may close the gap."
    )


def held(rows: tuple[Row, ...]) -> str:
    """The cells whose ceiling is below 100 % or, where there is none, how far away the nearest is."""
    bitten = [(row, cell.run, cell.limit) for row in rows for cell in row.cells if cell.bites and cell.run is not None]
    if bitten:
        words = [
            f"{row.name} at N = {run.task.length} has {count(run.bits_before_the_question)} bits for the {_asked(run.task)} "
            f"that the symbols take, hence at most {limit} %"
            for row, run, limit in bitten
        ]
        return f"{listed(words)}. No training can exceed this; what is lost below the ceiling was not learned."
    nearest = min((row for row in rows if row.bites is not None), key=lambda row: row.bites or 0, default=None)
    if nearest is None:
        return ""
    run = next(cell.run for cell in reversed(nearest.cells) if cell.run is not None)
    return (
        f"Nothing here is a lack of state: every ceiling is 100 %. The smallest state, {nearest.name}'s "
        f"{count(run.state_bits[0])} bits, has room for the {_asked(run.task)} that {run.task.length} symbols take; "
        f"its ceiling first falls below 100 % at N = {count(nearest.bites)}."
    )


def _asked(task: Task) -> str:
    bits = task.answer_bits()
    return DASH if bits is None else count(bits)

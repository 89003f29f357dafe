"""The captions of an experiment's three figures, and what they say of the ceilings; every clause changes with the numbers."""

from dataclasses import dataclass

from seqsep.report.formatting import count, listed
from seqsep.report.measured import GOAL, by_accuracy
from seqsep.report.reachable import known_weights
from seqsep.report.result_table import ResultTable
from seqsep.report.sized_model import MOST_NAMED
from seqsep.report.starts import starts
from seqsep.tasks.ceilings import first_bitten_length


@dataclass(frozen=True)
class Captions:
    """The captions of the heatmap, of the curves, and of accuracy over bits of state."""

    heatmap: str
    curves: str
    states: str

    @classmethod
    def of(cls, table: ResultTable) -> "Captions":
        """The captions of a table's figures."""
        return cls(heatmap_caption(table), curves_caption(table), states_caption(table))


def heatmap_caption(table: ResultTable) -> str:
    """What the heatmap and the charts of learning rates show, and what the ceilings say."""
    table = table.legible
    cells = table.cells.values()
    steps = max((run.steps_allowed for cell in cells for run in cell.runs), default=0)
    sizes = "sizes (depth, width) and " if any(cell.size for cell in cells) else ""
    pruned = "crosses were pruned, " if any(cell.pruned for cell in cells) else ""
    printed = any(cell.paper is not None for cell in cells)
    theirs = "The paper's numbers are of the size that it prints. " if printed else ""
    return (
        f"Best of each cell's {sizes}learning rates, at most {count(steps)} steps a run; open marks are other seeds of the "
        f"best, {pruned}dots are chance. {theirs}{starts_sentence(table)}{ceilings_sentence(table)}"
    )


def curves_caption(table: ResultTable) -> str:
    """What the curves are, how models start, and what the ceilings say."""
    which = "the best size of each architecture, " if len(table.models) > MOST_NAMED else ""
    return (
        f"Accuracy on the evaluation examples at the best learning rate of each cell ({which}{_seeds(table)}): line, median; "
        "band, least to greatest. A run that stopped, having converged, keeps its last accuracy; dots are chance. "
        f"{starts_sentence(table)}{ceilings_sentence(table)}"
    )


def states_caption(table: ResultTable) -> str:
    """What the marks over bits of state are, and what the ceiling says."""
    heights = [height for column in table.columns for height in column.ceiling_line.values()]
    grey = "; no training reaches the grey" if any(height < 1 for height in heights) else ""
    line = f"Black line: the provable ceiling for that many bits{grey}. " if heights else ""
    return (
        f"Bits of state once all N symbols are read. Mark: best of each cell's learning rates; bar: least to greatest "
        f"({_seeds(table)}). {line}{ceilings_sentence(table)}"
    )


def starts_sentence(table: ResultTable) -> str:
    """Which models have which positions, and with which deviation embeddings start; a space behind it."""
    said = starts(table.models, [run.embedding_scale for cell in table.cells.values() for run in cell.runs])
    return f"{said} " if said else ""


def ceilings_sentence(table: ResultTable) -> str:
    """Which cells a bound limits; if none is limited, whether any bound is known."""
    bounded = {place: cell for place, cell in table.cells.items() if cell.ceiling is not None}
    if not bounded:
        return "No bound on accuracy is known here: whether the state forbids what is missing is open."
    limited = [place for place, cell in bounded.items() if cell.ceiling is not None and cell.ceiling < 1]
    if not limited:
        room = "each state has room for all that is asked"
        short = [
            (f"{table.models[model]} {cell.size}".strip(), task, cell.best.model)
            for (model, task), cell in table.cells.items()
            if by_accuracy(cell.best)[0] < GOAL
        ]
        said = f", {room}, and no state forbids what is missing. {known_weights(short)}" if short else f", and {room}."
        return f"Every ceiling is 100 %: the bound is vacuous at these lengths{said}{_first_limited_lengths(table)}"
    if len(limited) > MOST_NAMED:
        where = f"{len(limited)} of {len(table.cells)} cells"
    else:
        titles = {column.task: column.title.replace("\n", ", ") for column in table.columns}
        limited.sort(key=lambda place: (place[0].rank, place[1].length))
        where = ", ".join(f"{table.models[model]} at {titles[task]}" for model, task in limited)
    return f"The state is too small for {where}: no weights exceed the ceiling there, and the best may stay below it."


def _first_limited_lengths(table: ResultTable) -> str:
    """The length from which each state's ceiling is below 100 %, if any is known."""
    first: dict[str, int | None] = {}
    for model, name in table.models.items():
        longest = list(table.row(model).values())[-1]
        label = f"{name} {longest.size}".strip()
        first[label] = first_bitten_length(longest.best.task, *longest.best.state_bits)
    limited = {label: length for label, length in first.items() if length is not None}
    never = [label for label in first if label not in limited]
    if not limited:
        return ""
    if len(first) > MOST_NAMED:
        label = min(limited, key=lambda name: limited[name])
        return f" The first state to be too small would be that of {label}, from N = {count(limited[label])} on."
    lengths = listed([f"{count(length)} ({label})" for label, length in limited.items()])
    return f" The state is too small from N = {lengths} on" + (f", and never for {listed(never)}." if never else ".")


def _seeds(table: ResultTable) -> str:
    numbers = sorted({len(cell.repeats) for cell in table.cells.values()})
    if not numbers:
        return "no seeds"
    least = numbers[0]
    most = numbers[-1]
    return f"{most} seed{'s' * (most > 1)}" if least == most else f"{least} to {most} seeds"

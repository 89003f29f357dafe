"""The bits of its state that a model is shown to use: those that its accuracy on index lookup proves.

The bits are those about the symbols that the state carries at least (`tasks.ceilings.carried_bits`, Fano's inequality). A state
may hold more that its model does not read. `figures.used_bits` draws them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from seqsep.core.names import narrowed
from seqsep.lab.run import Run
from seqsep.report.formatting import count
from seqsep.report.result_table import Cell, Column
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import IndexLookup
from seqsep.tasks.ceilings import carried_bits

Varied = Literal["width", "heads", "size"]
USUAL_HEADS = Run.heads


@dataclass(frozen=True)
class UsedBits:
    """One model at one length: the bits of its state, and those of them that its accuracy proves to be used."""

    model: SizedModel
    state_bits: int
    used: float

    @classmethod
    def of(cls, model: SizedModel, cell: Cell) -> "UsedBits":
        """Return what the best run of a cell proves. A run whose accuracy is not a number proves nothing."""
        return cls(model, cell.state_bits, used_bits(cell))

    @property
    def share(self) -> float:
        """The bits that are used as a part of the state's."""
        return self.used / self.state_bits

    @property
    def is_none(self) -> bool:
        """True if less than one bit is shown to be used, as at an accuracy near guessing."""
        return self.used < 1


@dataclass(frozen=True)
class Chain:
    """Models of one mixer that differ in one thing, the smallest state first."""

    varied: Varied
    points: tuple[UsedBits, ...]


def used_bits(cell: Cell) -> float:
    """Return the bits about the symbols that a cell's best accuracy proves to be in the state."""
    return carried_bits(narrowed(cell.best.task, IndexLookup), cell.best.shown_accuracy)


def used_in(column: Column) -> list[UsedBits]:
    """Return every model of a length, in the order of every table."""
    return [UsedBits.of(model, cell) for model, cell in column.cells.items()]


def varied(model: SizedModel) -> Varied:
    """Return what distinguishes a model from those of its mixer that differ in width only; "width" for these.

    >>> varied(SizedModel(("mamba2(states=16)",), 64, heads=4)), varied(SizedModel(("retention",), 64, heads=1))
    ('size', 'heads')
    """
    if model.architecture != model.family:
        return "size"
    return "width" if model.heads in (0, USUAL_HEADS) else "heads"


def chains(points: Iterable[UsedBits]) -> list[Chain]:
    """Return widths that have the usual heads and size of state and, at a width, other heads or sizes with the usual one.

    >>> wide, narrow, split = (SizedModel(("retention",), width, heads=heads) for width, heads in ((64, 4), (16, 4), (64, 16)))
    >>> found = chains(UsedBits(model, model.width**2 // model.heads, 0.0) for model in (wide, narrow, split))
    >>> [(chain.varied, [point.state_bits for point in chain.points]) for chain in found]
    [('width', [64, 1024]), ('heads', [256, 1024])]
    """
    ordered = sorted(points, key=lambda point: (point.state_bits, point.model.rank))
    grouped: dict[tuple[str, Varied, int], list[UsedBits]] = {}
    for point in ordered:
        kind = varied(point.model)
        grouped.setdefault((point.model.family, kind, 0 if kind == "width" else point.model.width), []).append(point)
    found = []
    for (family, kind, width), group in grouped.items():
        usual = grouped.get((family, "width", 0), []) if kind != "width" else []
        same = [point for point in usual if point.model.width == width]
        found.append(Chain(kind, tuple(sorted([*group, *same], key=lambda point: point.state_bits))))
    return found


def model_words(model: SizedModel) -> str:
    """Return a model with all that distinguishes it.

    >>> model_words(SizedModel(("retention",), 64, heads=4)), model_words(SizedModel(("lstm",), 64))
    ('Retention, width 64, heads 4', 'LSTM, width 64')
    """
    return f"{model.title}, width {model.width}{f', heads {model.heads}' if model.heads else ''}"


def share_in_percent(share: float) -> str:
    """Return a share of a state to two digits.

    >>> share_in_percent(246 / 34_816), share_in_percent(1.0)
    ('0.71 %', '100 %')
    """
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


@dataclass(frozen=True)
class UsedAtLength:
    """The models of one length: the bits of all symbols, and the model with most used bits and that with the greatest share."""

    length: int
    models: int
    asked: int
    most: UsedBits
    greatest: UsedBits
    none: int

    @classmethod
    def of(cls, column: Column) -> "UsedAtLength":
        """Find them in a column with cells."""
        points = used_in(column)
        return cls(
            length=column.task.length,
            models=len(points),
            asked=column.task.answer_bits() or 0,
            most=max(points, key=lambda point: point.used),
            greatest=max(points, key=lambda point: point.share),
            none=sum(point.is_none for point in points),
        )


def panel_title(column: Column) -> str:
    """Return the length, the models, and the bits that the answers need."""
    return f"N = {column.task.length}, {len(column.cells)} models, {count(column.task.answer_bits())} bits asked"

"""How many bits of its state a model is shown to use: what its accuracy on index lookup proves, beside what its state has.

The bits are those about the symbols that the state carries at least (`tasks.ceilings.carried_bits`, Fano's inequality); a state
may hold more that its model does not read. `figures.used_bits` draws them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from seqsep.core.names import narrowed
from seqsep.lab.experiments import Experiment
from seqsep.lab.run import Run
from seqsep.report.captions import starts_sentence
from seqsep.report.formatting import count, counts, listed, percent
from seqsep.report.result_table import Cell, Column, ResultTable
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
        """What the best run of a cell proves. A run whose accuracy is not a number proves nothing."""
        return cls(model, cell.state_bits, used_bits(cell))

    @property
    def share(self) -> float:
        """The bits that are used as a part of the state's."""
        return self.used / self.state_bits

    @property
    def is_none(self) -> bool:
        """Whether less than one bit is shown to be used, as at an accuracy near guessing."""
        return self.used < 1


@dataclass(frozen=True)
class Chain:
    """Models of one mixer that differ in one thing, the smallest state first."""

    varied: Varied
    points: tuple[UsedBits, ...]


def used_bits(cell: Cell) -> float:
    """The bits about the symbols that a cell's best accuracy proves to be in the state."""
    return carried_bits(narrowed(cell.best.task, IndexLookup), cell.best.shown_accuracy)


def used_in(column: Column) -> list[UsedBits]:
    """Every model of a length, in the order of every table."""
    return [UsedBits.of(model, cell) for model, cell in column.cells.items()]


def varied(model: SizedModel) -> Varied:
    """What tells a model apart from those of its mixer that differ in width alone; "width" for these.

    >>> varied(SizedModel(("mamba2(states=16)",), 64, heads=4)), varied(SizedModel(("retention",), 64, heads=1))
    ('size', 'heads')
    """
    if model.architecture != model.family:
        return "size"
    return "width" if model.heads in (0, USUAL_HEADS) else "heads"


def chains(points: Iterable[UsedBits]) -> list[Chain]:
    """Widths that have the usual heads and size of state; and, at a width, other heads or sizes with the usual one.

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
    """A model with all that tells it apart.

    >>> model_words(SizedModel(("retention",), 64, heads=4)), model_words(SizedModel(("lstm",), 64))
    ('Retention, width 64, heads 4', 'LSTM, width 64')
    """
    return f"{model.title}, width {model.width}{f', heads {model.heads}' if model.heads else ''}"


def share_in_percent(share: float) -> str:
    """A share of a state to two digits.

    >>> share_in_percent(246 / 34_816), share_in_percent(1.0)
    ('0.71 %', '100 %')
    """
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


def found_at(column: Column) -> str:
    """The most bits and the greatest share of a state that are shown to be used at a length."""
    points = used_in(column)
    asked = column.task.answer_bits()
    most = max(points, key=lambda point: point.used)
    greatest = max(points, key=lambda point: point.share)
    none = sum(point.is_none for point in points)
    if most.is_none:
        return f"At N = {column.task.length}, {_models(len(points))} so far, none proves a bit of the {count(asked)} asked."
    of_bits = f"{count(round(most.used))} of the {count(asked)} bits asked ({model_words(most.model)})"
    of_state = f"{model_words(greatest.model)}: {count(round(greatest.used))} of {count(greatest.state_bits)} bits"
    return (
        f"At N = {column.task.length}, {_models(len(points))}: at most {of_bits}. The greatest share of a state is "
        f"{share_in_percent(greatest.share)} ({of_state}). Less than one bit is proved for {none} of them."
    )


def panel_title(column: Column) -> str:
    """The same in a line."""
    points = used_in(column)
    asked = column.task.answer_bits()
    head = f"N = {column.task.length}, {_models(len(points))}"
    most = max(point.used for point in points)
    share = share_in_percent(max(point.share for point in points))
    if most < 1:
        return f"{head}: none proves 1 of the {count(asked)} bits asked"
    return f"{head}: at most {count(round(most))} of the {count(asked)} bits asked, and {share} of a state"


def settings_sentence(table: ResultTable) -> str:
    """What all runs have in common, or what they differ in; a space behind it."""
    runs = [run for cell in table.cells.values() for run in cell.runs]
    rates = listed([f"{rate:g}" for rate in sorted({run.learning_rate for run in runs})])
    layers = counts([len(model.layers) for model in table.models])
    steps = counts([run.steps_allowed for run in runs])
    return (
        f"{layers} layer{'s' * (layers != '1')} each, at most {steps} steps at the rate {rates}, seed "
        f"{counts([run.seed for run in runs])}; nothing is searched. {starts_sentence(table)}"
    )


def left_out(experiment: Experiment, preset: str) -> str:
    """The widths that a preset trains at some lengths and leaves out at others; empty if there are none.

    >>> from seqsep.lab.experiments import BY_NAME
    >>> left_out(BY_NAME["index-lookup-architectures"], "state-bits")
    'width 128 at N = 200'
    """
    planned = {(run.width, run.task.length) for run in experiment.runs(preset)}
    widths = sorted({width for width, _ in planned})
    lengths = sorted({length for _, length in planned})
    missing = {width: [length for length in lengths if (width, length) not in planned] for width in widths}
    return listed([f"width {width} at N = {counts(absent)}" for width, absent in missing.items() if absent])


def part_of_states(experiment: Experiment, runs: int, preset: str = "state-bits") -> str:
    """How many runs of a preset there are, and what it leaves out."""
    without = left_out(experiment, preset)
    leaves = f", which leaves out {without}" if without else ""
    planned = len(experiment.runs(preset))
    return f"of the preset `{preset}`{leaves}: {'all' if runs == planned else f'{runs} of'} its {planned} runs"


def used_bits_caption(table: ResultTable, part: str) -> str:
    """What is drawn and how to read it; `part` says which runs these are."""
    guessing = ", ".join(dict.fromkeys(percent(column.chance) for column in table.columns))
    sized = [model.title for model in table.models if varied(model) == "size"]
    sizes = f"Other sizes of state: {listed(list(dict.fromkeys(sized)))}. " if sized else ""
    return (
        "Mark: the bits about the symbols that a model's accuracy proves to be in its state (Fano), over the bits of its state "
        "once all symbols are read; it may hold more. Top: all bits that the answers need; strip: under 1 bit. A wider model "
        "has a larger mark. Curves: shares of the state; grey: more than it has. Right: the accuracy that proves so many bits; "
        f"guessing has {guessing} %. {sizes}{settings_sentence(table)}Runs {part.replace('`', '')}."
    )


def _models(number: int) -> str:
    return f"{number} model{'s' * (number != 1)}"

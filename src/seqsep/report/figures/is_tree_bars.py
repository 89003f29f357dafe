"""The experiment `is-tree` as bars: a panel a trace, ours at each n, and beside them the paper's smallest models.

Bars begin at 0; a line at 2/3 is what a state of O(log n) bits reaches on double stars, and no accuracy below says anything of
state; with a retriever no state is a bound. The legend has each model's parameters and bits of state.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seqsep.experiments.is_tree import PAPER_LENGTHS, PAPER_TRACES, TRACES
from seqsep.report.figures.looks import INK, LINE, SOFT, Look, looks
from seqsep.report.figures.sheet import Place, Sheet, SheetStyle, draw_sheet, width_of
from seqsep.report.is_tree_table import WITHOUT_STATE, IsTreeCell, names
from seqsep.report.numerals import count
from seqsep.report.papers import is_tree_accuracy
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import IsTree

Cells = Mapping[tuple[SizedModel, IsTree], IsTreeCell]
STYLE = SheetStyle(
    title_size=14.0,
    title_below_top=0.14,
    caption_size=8.5,
    caption_line=0.17,
    most_legend_columns=2,
)
TITLE = "IsTree: live accuracy by trace, %"
PANEL_WIDTH = 2.75
PANEL_HEIGHT = 2.1
GAP = 0.35
PAPER_SIZE = "0.5M"
PAPER_MODELS = {"transformer": ("attention",), "mamba": ("mamba",), "hybrid": ("mamba", "attention")}


def draw_is_tree(cells: Cells) -> Figure:
    """A panel a trace that has cells."""
    tasks = {task for _, task in cells}
    traces = [trace for trace in TRACES if any(task.trace == trace for task in tasks)]
    named = names(model for model, _ in cells)
    shown = {model: _labelled(look, _sizes(cells, model)) for model, look in looks(named).items()}
    columns = min(3, len(traces))
    lines = -(-len(traces) // columns)
    least_width = width_of(TITLE, shown.values(), STYLE)
    panel_width = max(PANEL_WIDTH, (least_width - 0.8) / columns - GAP)
    places = [
        Place(0.6 + column * (panel_width + GAP), 0.55 + (lines - 1 - line) * (PANEL_HEIGHT + 0.75), panel_width, PANEL_HEIGHT)
        for line in range(lines)
        for column in range(columns)
    ]
    sheet = Sheet(
        title=TITLE,
        caption=caption(traces),
        looks=list(shown.values()),
        width=0.8 + columns * (panel_width + GAP),
        height=0.55 + lines * (PANEL_HEIGHT + 0.75) + 0.1,
        places=places[: len(traces)],
        style=STYLE,
        shows="bars",
    )
    figure, panels = draw_sheet(sheet)
    for axes, trace in zip(panels, traces, strict=True):
        _draw_panel(axes, trace, cells, shown)
    return figure


def caption(traces: Collection[str]) -> str:
    """What the bars are; the paper's are there if it has one of these traces."""
    papers = f"Hatched (*): the paper's models of {PAPER_SIZE} parameters, read off its bars. "
    return (
        "Filled: ours, the model writes its thought, a retriever answers its queries, an answer that never comes counts 1/2. "
        f"{papers if set(traces) & set(PAPER_TRACES) else ''}Dashes: 2/3, what O(log n) bits of state reach on double stars "
        "whatever n; dots: guessing. State bits: once the prompt of the longest n is read."
    )


def _sizes(cells: Cells, model: SizedModel) -> str:
    mine = [cell for (other, _), cell in cells.items() if other == model]
    longest = max(mine, key=lambda cell: cell.task.length)
    return f"{count(longest.parameters)} parameters, {count(longest.state_bits)} bits of state at n = {longest.task.length}"


def _labelled(look: Look, sizes: str) -> Look:
    return replace(look, label=f"{look.label}: {sizes}")


def _draw_panel(axes: Axes, trace: str, cells: Cells, shown: Mapping[SizedModel, Look]) -> None:
    """Ours by n, then the paper's by n. Models without a run of this trace take no room."""
    lengths = sorted({task.length for _, task in cells if task.trace == trace})
    drawn = [model for model in shown if any((model, IsTree(length, trace=trace)) in cells for length in lengths)]
    width = 0.8 / len(drawn)
    ticks: list[str] = []
    for length in lengths:
        for offset, model in enumerate(drawn):
            cell = cells.get((model, IsTree(length, trace=trace)))
            if cell is not None:
                at = len(ticks) + (offset + 0.5) * width - 0.4
                axes.bar(at, 100 * cell.live, width, color=shown[model].tint, edgecolor=shown[model].colour)
        ticks.append(str(length))
    ticks += _draw_papers(axes, trace, start=len(ticks), shown=shown)
    if IsTree(lengths[0], trace=trace).retriever() is None:
        axes.axhline(100 * WITHOUT_STATE, color=INK, linewidth=0.9, linestyle="--")
    axes.axhline(50, color=SOFT, linewidth=0.9, linestyle=":")
    axes.set(ylim=(0, 104), xlim=(-0.6, len(ticks) - 0.4), title=trace)
    axes.set_xticks(range(len(ticks)), [f"n = {tick}" if place == 0 else tick for place, tick in enumerate(ticks)], fontsize=8)
    axes.tick_params(colors=SOFT, labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(LINE)


def _draw_papers(axes: Axes, trace: str, start: int, shown: Mapping[SizedModel, Look]) -> Sequence[str]:
    """The paper's bars behind ours, and their ticks; none if the paper has no such trace."""
    ticks: list[str] = []
    for length in PAPER_LENGTHS:
        heights = {model: is_tree_accuracy(trace, f"{model}-{PAPER_SIZE}", length) for model in PAPER_MODELS}
        for offset, (model, height) in enumerate(heights.items()):
            if height is not None:
                at = start + len(ticks) + (offset + 0.5) * 0.8 / 3 - 0.4
                edge = _colour(PAPER_MODELS[model], shown)
                axes.bar(at, 100 * height, 0.8 / 3, fill=False, edgecolor=edge, hatch="////", linewidth=0.8)
        if any(height is not None for height in heights.values()):
            ticks.append(f"{length}*")
    return ticks


def _colour(kinds: tuple[str, ...], shown: Mapping[SizedModel, Look]) -> str:
    """The colour of our model of the same kind."""
    return next((look.colour for model, look in shown.items() if model.mixers_in_order == kinds), INK)

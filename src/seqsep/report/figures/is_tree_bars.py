"""The experiment `is-tree` as bars: a panel a trace and distribution, ours at each n, then the paper's smallest models.

Bars begin at 0. A line at 2/3 is what a state of O(log n) bits reaches on double stars, and no accuracy below says anything of
state; uniform graphs have a line at each n, the ceiling without a state. A bar's own ceiling is drawn above it, on double
stars where it is below 100 %. With a retriever no state is a bound. The legend has each model's parameters and bits of state,
the caption those of the paper's.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seqsep.lab.experiments.claims.papers import is_tree_accuracy
from seqsep.lab.experiments.is_tree import PAPER_LENGTHS, PAPER_TRACES, TRACES
from seqsep.report.figures.line_styles import INK, LINE, SOFT, LineStyle, line_styles
from seqsep.report.figures.sheet import FigureLayout, PanelPlace, SheetStyle, draw_sheet, width_of
from seqsep.report.formatting import count, listed
from seqsep.report.is_tree_table import GRAPHS, SMALLEST, WITHOUT_STATE, Cells, names, sizes_as_built
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import IsTree
from seqsep.tasks.ceilings import ceiling

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


@dataclass(frozen=True)
class Panel:
    """A trace on one distribution."""

    trace: str
    distribution: str

    @property
    def title(self) -> str:
        """The words above it."""
        return f"{self.trace}, {GRAPHS[self.distribution]}"

    def task(self, length: int) -> IsTree:
        """Return its task at one length."""
        return IsTree(length, trace=self.trace, distribution=self.distribution)


def panels_of(tasks: Collection[IsTree]) -> list[Panel]:
    """Return the panels in which these tasks are drawn, double stars first."""
    every = [Panel(trace, distribution) for distribution in GRAPHS for trace in TRACES]
    return [panel for panel in every if any(panel.task(task.length) == task for task in tasks)]


def draw_is_tree(cells: Cells) -> Figure:
    """Return a figure with a panel for each trace and distribution that have cells."""
    tasks = {task for _, task in cells}
    chosen = panels_of(tasks)
    named = names(model for model, _ in cells)
    shown = {model: _labelled(look, _sizes(cells, model)) for model, look in line_styles(named).items()}
    columns = min(3, len(chosen))
    lines = -(-len(chosen) // columns)
    least_width = width_of(TITLE, shown.values(), STYLE)
    panel_width = max(PANEL_WIDTH, (least_width - 0.8) / columns - GAP)
    places = [
        PanelPlace(
            0.6 + column * (panel_width + GAP), 0.55 + (lines - 1 - line) * (PANEL_HEIGHT + 0.75), panel_width, PANEL_HEIGHT
        )
        for line in range(lines)
        for column in range(columns)
    ]
    sheet = FigureLayout(
        title=TITLE,
        caption=caption(tasks),
        looks=list(shown.values()),
        width=0.8 + columns * (panel_width + GAP),
        height=0.55 + lines * (PANEL_HEIGHT + 0.75) + 0.1,
        places=places[: len(chosen)],
        style=STYLE,
        shows="bars",
    )
    figure, drawn = draw_sheet(sheet)
    for axes, panel in zip(drawn, chosen, strict=True):
        _draw_panel(axes, panel, cells, shown)
    return figure


def caption(tasks: Collection[IsTree]) -> str:
    """Return the meaning of bars and lines. The paper's bars are there if it has one of these tasks."""
    panels = panels_of(tasks)
    distributions = {panel.distribution for panel in panels}
    has_retriever = any(task.retriever() is not None for task in tasks)
    no_bound = "With a retriever no state is a bound. " if has_retriever else ""
    lines = {
        "double-star": "Dashes: 2/3, what O(log n) bits of state reach on double stars whatever n; black above a bar: the "
        "ceiling of its state, where it is below 100 %. ",
        "uniform": "On uniform graphs dashes are the ceiling without any state, black above a bar is that of its state. ",
    }
    return (
        "Filled: ours, the model writes its thought, a retriever answers its queries, an answer that never comes counts 1/2. "
        f"{_papers_sentence() if any(_has_papers(panel) for panel in panels) else ''}"
        f"{''.join(words for distribution, words in lines.items() if distribution in distributions)}"
        f"{no_bound}Dots: guessing. State bits: once the prompt of the longest n is read."
    )


def _has_papers(panel: Panel) -> bool:
    return panel.trace in PAPER_TRACES and panel.distribution == "double-star"


def _papers_sentence() -> str:
    """Return the models of the hatched bars, with parameters and bits of state."""
    length = PAPER_LENGTHS[0]
    sizes = {size.model.capitalize(): sizes_as_built(size, length) for size in SMALLEST}
    parameters = listed([f"{count(number)} ({model})" for model, (number, _) in sizes.items()])
    bits = listed([count(number) for _, number in sizes.values()])
    return (
        f"Hatched (*): the paper's models of {PAPER_SIZE} parameters on double stars, read off its bars; as built here "
        f"{parameters} parameters and {bits} bits of state at n = {length}. "
    )


def _sizes(cells: Cells, model: SizedModel) -> str:
    mine = [cell for (other, _), cell in cells.items() if other == model]
    longest = max(mine, key=lambda cell: cell.task.length)
    return f"{count(longest.parameters)} parameters, {count(longest.state_bits)} bits of state at n = {longest.task.length}"


def _labelled(look: LineStyle, sizes: str) -> LineStyle:
    return replace(look, label=f"{look.label}: {sizes}")


def _draw_panel(axes: Axes, panel: Panel, cells: Cells, shown: Mapping[SizedModel, LineStyle]) -> None:
    """Draw our bars by n, then the paper's by n. Models without a run in this panel take no room."""
    lengths = sorted({task.length for _, task in cells if panel.task(task.length) == task})
    drawn = [model for model in shown if any((model, panel.task(length)) in cells for length in lengths)]
    is_bounded = panel.task(lengths[0]).retriever() is None
    is_uniform = panel.distribution == "uniform"
    width = 0.8 / len(drawn)
    ticks: list[str] = []
    for length in lengths:
        for offset, model in enumerate(drawn):
            cell = cells.get((model, panel.task(length)))
            if cell is not None:
                at = len(ticks) + (offset + 0.5) * width - 0.4
                axes.bar(at, 100 * cell.live, width, color=shown[model].tint, edgecolor=shown[model].colour)
                if cell.ceiling is not None and (is_uniform or cell.ceiling < 1):
                    _draw_height(axes, cell.ceiling, middle=at, width=0.9 * width, linestyle="-")
        if is_bounded and is_uniform:
            least = ceiling(replace(panel.task(length), trace="vanilla"), state_bits=0)
            _draw_height(axes, least, middle=float(len(ticks)), width=0.9, linestyle="--")
        ticks.append(str(length))
    if _has_papers(panel):
        ticks += _draw_papers(axes, panel.trace, start=len(ticks), shown=shown)
    if is_bounded and not is_uniform:
        axes.axhline(100 * WITHOUT_STATE, color=INK, linewidth=0.9, linestyle="--")
    axes.axhline(50, color=SOFT, linewidth=0.9, linestyle=":")
    axes.set(ylim=(0, 104), xlim=(-0.6, len(ticks) - 0.4), title=panel.title)
    axes.set_xticks(range(len(ticks)), [f"n = {tick}" if place == 0 else tick for place, tick in enumerate(ticks)], fontsize=8)
    axes.tick_params(colors=SOFT, labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(LINE)


def _draw_height(axes: Axes, share: float | None, *, middle: float, width: float, linestyle: str) -> None:
    """Draw a short line at a share."""
    if share is not None:
        ends = [middle - width / 2, middle + width / 2]
        axes.plot(ends, [100 * share] * 2, color=INK, linewidth=1.3, linestyle=linestyle, solid_capstyle="butt")


def _draw_papers(axes: Axes, trace: str, start: int, shown: Mapping[SizedModel, LineStyle]) -> Sequence[str]:
    """Draw the paper's bars after ours, and return their ticks; none if the paper has no such trace."""
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


def _colour(kinds: tuple[str, ...], shown: Mapping[SizedModel, LineStyle]) -> str:
    """Return the colour of our model of the same kind."""
    return next((look.colour for model, look in shown.items() if model.mixers_in_order == kinds), INK)

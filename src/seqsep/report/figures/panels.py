"""The figures beside an experiment's heatmap, one panel a length: accuracy over steps, and accuracy over bits of state.

Both read the cells of the same `ResultTable`: what they draw of a cell is its best setting under every seed.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from seqsep.report.figures.line_styles import INK, LINE, SOFT, LineStyle, line_styles
from seqsep.report.figures.sheet import FigureLayout, PanelPlace, SheetStyle, Shows, draw_sheet, width_of
from seqsep.report.formatting import count
from seqsep.report.result_table import Cell, Column, ResultTable
from seqsep.report.sized_model import SizedModel
from seqsep.report.ticks import finite, round_ticks

PANEL_WIDTH = 3.7
PANEL_HEIGHT = 2.6
GAP = 0.55
BETWEEN_ROWS = GAP + 0.35
LEFT = 0.7
RIGHT = 0.25
TOP = 1.05
BOTTOM = 0.6
MOST_COLUMNS = 3
SHEET = SheetStyle(
    title_size=15.0,
    title_below_top=0.2,
    caption_size=9.0,
    caption_line=0.17,
    most_legend_columns=6,
)
GREY = "#e3e6ea"
"""Above the ceiling."""

DrawPanel = Callable[[Axes, Column, Mapping[SizedModel, LineStyle]], None]


@dataclass(frozen=True)
class Band:
    """The least, median and greatest accuracy over the seeds at each step."""

    steps: tuple[float, ...]
    least: tuple[float, ...]
    middle: tuple[float, ...]
    greatest: tuple[float, ...]


def draw_curves(table: ResultTable, caption: str) -> Figure:
    """Draw validation accuracy over training steps: the median of the seeds as a line, least to greatest as a band."""
    return _draw(table.legible, "accuracy while training", caption, draw_panel=_draw_curves)


def draw_states(table: ResultTable, caption: str) -> Figure:
    """Draw accuracy over the bits of state at each length, below the provable ceiling."""
    return _draw(table, "accuracy and bits of state", caption, draw_panel=_draw_states, shows="markers")


def _draw(table: ResultTable, what: str, caption: str, draw_panel: DrawPanel, shows: Shows = "lines") -> Figure:
    title = f"{table.title.rsplit(':', 1)[0]}: {what}"
    columns = max(1, min(MOST_COLUMNS, len(table.tasks)))
    least_width = LEFT + columns * PANEL_WIDTH + (columns - 1) * GAP + RIGHT
    model_looks = line_styles(table.models)
    width = max(6.4, least_width, width_of(title, model_looks.values(), SHEET))
    places, height = _places(len(table.tasks), columns, width)
    sheet = FigureLayout(
        title=title,
        caption=caption,
        looks=list(model_looks.values()),
        width=width,
        height=height,
        places=places,
        style=SHEET,
        shows=shows,
    )
    figure, panels = draw_sheet(sheet)
    for number, (axes, column) in enumerate(zip(panels, table.columns, strict=True)):
        axes.set_title(column.title.replace("\n", ", "), fontsize=11.5, color=SOFT)
        draw_panel(axes, column, model_looks)
        _style(axes, column, is_first=number % columns == 0)
    return figure


def _places(panels: int, columns: int, sheet_width: float) -> tuple[list[PanelPlace], float]:
    """Return the place of each panel, row by row from the top, and the height that they take."""
    rows = max(1, math.ceil(panels / columns))
    height = TOP + rows * PANEL_HEIGHT + (rows - 1) * BETWEEN_ROWS + BOTTOM
    width = (sheet_width - LEFT - RIGHT - (columns - 1) * GAP) / columns
    places = []
    for number in range(panels):
        row, column = divmod(number, columns)
        bottom = height - TOP - (row + 1) * PANEL_HEIGHT - row * BETWEEN_ROWS
        places.append(PanelPlace(LEFT + column * (width + GAP), bottom, width, PANEL_HEIGHT))
    return places, height


def _style(axes: Axes, column: Column, is_first: bool) -> None:
    low = 0.4 if column.is_binary and axes.get_ylim()[0] >= 0.4 else 0.0
    axes.set_ylim(low, 1.02)
    ticks = (0.4, 0.6, 0.8, 1.0) if low else (0.0, 0.25, 0.5, 0.75, 1.0)
    labels = [f"{100 * tick:.0f}" for tick in ticks[:-1]] + ["100 %"]
    axes.set_yticks(ticks, labels if is_first else [""] * len(ticks))
    if column.chance is not None:
        axes.axhline(column.chance, color=SOFT, linewidth=0.9, linestyle=":", zorder=1)
    axes.tick_params(labelsize=9, colors=SOFT, length=2)
    axes.grid(axis="y", color=LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_curves(axes: Axes, column: Column, model_looks: Mapping[SizedModel, LineStyle]) -> None:
    bands = {model: band(cell) for model, cell in column.cells.items()}
    longest = max([1.0, *(one.steps[-1] for one in bands.values() if one.steps)])
    lowest = min([1.0, *(accuracy for one in bands.values() for accuracy in one.least)])
    for place, (model, seeds) in enumerate(bands.items()):
        if not seeds.steps:
            continue
        look = model_looks[model]
        axes.fill_between(seeds.steps, seeds.least, seeds.greatest, color=look.colour, alpha=0.16, linewidth=0, zorder=2)
        apart = max(1, len(seeds.steps) // 5)
        first_mark = (place * apart // max(1, len(bands))) % apart
        axes.plot(
            seeds.steps,
            seeds.middle,
            **look.line | look.mark,
            linewidth=1.7,
            markersize=5,
            clip_on=False,
            zorder=3,
            markevery=list(range(first_mark, len(seeds.steps), apart)) or None,
        )
        axes.plot(seeds.steps[-1:], seeds.middle[-1:], **look.mark, markersize=6.5, clip_on=False, zorder=4)
    axes.set_xlim(0, longest)
    axes.set_ylim(min(lowest, 0.5), 1.02)
    ticks = round_ticks(longest, 4)
    axes.set_xticks(ticks, [count(int(tick)) for tick in ticks])
    axes.set_xlabel("training steps", fontsize=9.5, color=SOFT)


def band(cell: Cell) -> Band:
    """Return the spread over seeds from the first step at which every seed was evaluated. It is empty if one never was.

    A run that stopped, having converged, keeps its last accuracy.
    """
    curves = [finite(run.points) for run in cell.repeats]
    if not all(curves):
        return Band((), (), (), ())
    first = max(curve[0][0] for curve in curves)
    steps = tuple(sorted({step for curve in curves for step, _ in curve if step >= first}))
    at_step = [[_accuracy_at(curve, step) for curve in curves] for step in steps]
    return Band(steps, tuple(map(min, at_step)), tuple(map(median, at_step)), tuple(map(max, at_step)))


def _accuracy_at(curve: tuple[tuple[float, float], ...], step: float) -> float:
    """Return the last accuracy of a curve up to a step."""
    return next(accuracy for evaluated, accuracy in reversed(curve) if evaluated <= step)


def _draw_states(axes: Axes, column: Column, model_looks: Mapping[SizedModel, LineStyle]) -> None:
    cells = column.cells
    line = column.ceiling_line
    if line:
        bits = list(line)
        heights = list(line.values())
        axes.fill_between(bits, heights, 1.0, color=GREY, linewidth=0, zorder=1)
        axes.plot(bits, heights, color=INK, linewidth=1.5, zorder=2, clip_on=False)
    for model, cell in cells.items():
        _draw_state(axes, cell, model_looks[model])
    axes.set_xscale("log")
    low, high = column.bits_span
    axes.set_xlim(low, high)
    axes.set_ylim(min([0.5, *(min(cell.seeds) for cell in cells.values())]), 1.02)
    powers = [power for power in range(0, 16) if 2 * low <= 10**power <= high]  # clear of the corner
    axes.set_xticks([10.0**power for power in powers], [f"$10^{{{power}}}$" for power in powers])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("state, bits" if line else "state, bits (no bound on accuracy known)", fontsize=9.5, color=SOFT)


def _draw_state(axes: Axes, cell: Cell, look: LineStyle) -> None:
    """Draw a bar from the least to the greatest seed, and a mark at the best run."""
    bits = cell.state_bits
    spread = [min(cell.seeds), max(cell.seeds)]
    axes.plot([bits, bits], spread, color=look.colour, linewidth=1.6, marker="_", markersize=7, clip_on=False, zorder=3)
    axes.plot(
        [bits],
        [cell.best.shown_accuracy],
        **look.mark,
        linestyle="none",
        markersize=7.5 if look.fill == "full" else 9,
        markeredgewidth=1.1,
        clip_on=False,
        zorder=4,
    )

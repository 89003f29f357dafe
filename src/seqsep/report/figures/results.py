"""An experiment's figure: a heatmap architecture x length in the papers' layout, and accuracy over learning rate beside it.

A cell holds the best accuracy of its search, the range over seeds of that best run, the paper's number, and the ceiling that
the state's bits set; its colour is the best accuracy. Each small chart is one length: accuracy with seed 0 at every rate tried,
and the other seeds of the best rate as open marks. If there are more than `MOST_NAMED` sizes, a row is an architecture, and
each of its cells the best of its sizes there; the tables have them all.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seqsep.report.figures.heatmap import HeatmapBox, HeatmapStyle, draw_heatmap
from seqsep.report.figures.line_styles import INK, LINE, SOFT, LineStyle, line_styles
from seqsep.report.figures.sheet import MARGIN, FigureLayout, PanelPlace, SheetStyle, draw_sheet, width_of
from seqsep.report.formatting import known
from seqsep.report.measured import RunSummary
from seqsep.report.result_table import Cell, Column, ResultTable
from seqsep.report.sized_model import SizedModel

LEFT = 2.1
RIGHT = 0.25
TOP = 1.3
CELL_WIDTH = 1.62
CELL_HEIGHT = 0.92
RATES_WIDTH = 2.35
RATES_HEIGHT = 1.9
TALLEST_RATES = 5.0
GAP = 0.22
BEFORE_RATES = 0.75
UNDER_RATES = 0.62
OVER_RATES = 0.35
LEAST_HEIGHT_BESIDE = 2.4
MOST_COLUMNS_BESIDE = 3
"""Up to so many lengths the charts of rates stand beside the heatmap, else each below its column."""

SHEET = SheetStyle(
    title_size=16.0,
    title_below_top=0.22,
    caption_size=9.5,
    caption_line=0.18,
    most_legend_columns=99,
)
HEATMAP = HeatmapStyle(
    name_size=12.0,
    name_at=-0.05,
    name_width=LEFT - MARGIN - 0.1,
    title_size=12.0,
    title_at=-0.08,
    number_size=14.0,
    number_at=0.27,
    line_size=8.0,
    line_at=0.53,
    line_colour=INK,
)


def draw_results(table: ResultTable, caption: str) -> Figure:
    """Return the figure. Its size follows from its rows and columns."""
    table = table.legible
    columns = table.columns
    is_beside = len(columns) <= MOST_COLUMNS_BESIDE
    places, width, height = _places(len(table.models), len(columns), is_beside)
    row_looks = line_styles(table.models)
    sheet = FigureLayout(
        title=table.title,
        caption=caption,
        looks=list(row_looks.values()),
        width=max(width, width_of(table.title, row_looks.values(), SHEET)),
        height=height,
        places=places,
        style=SHEET,
    )
    figure, panels = draw_sheet(sheet)
    draw_heatmap(
        panels[0],
        names=list(table.models.values()),
        titles=[column.title for column in columns],
        boxes=[[_box(column.cells.get(model)) for column in columns] for model in table.models],
        style=HEATMAP,
    )
    for number, (axes, column) in enumerate(zip(panels[1:], columns, strict=True)):
        if is_beside:
            axes.set_title(column.title, fontsize=12, color=SOFT)
        _draw_rates(axes, column, row_looks, is_first=number == 0)
    return figure


def _places(rows: int, columns: int, is_beside: bool) -> tuple[list[PanelPlace], float, float]:
    """Return the places of the heatmap and of each chart of rates, and the width and height that they take."""
    width = CELL_WIDTH * max(1, columns)
    height = CELL_HEIGHT * max(1, rows)
    if is_beside:
        height = max(height, LEAST_HEIGHT_BESIDE)
        heatmap = PanelPlace(LEFT, UNDER_RATES, width, height)
        up = min(height, TALLEST_RATES)
        first = LEFT + width + BEFORE_RATES
        rates = [
            PanelPlace(first + at * (RATES_WIDTH + GAP), UNDER_RATES + height - up, RATES_WIDTH, up) for at in range(columns)
        ]
        return [heatmap, *rates], first + max(1, columns) * (RATES_WIDTH + GAP) + RIGHT, TOP + height + UNDER_RATES
    low = UNDER_RATES + RATES_HEIGHT + OVER_RATES
    heatmap = PanelPlace(LEFT, low, width, height)
    rates = [PanelPlace(LEFT + CELL_WIDTH * at + 0.04, UNDER_RATES, CELL_WIDTH - 0.08, RATES_HEIGHT) for at in range(columns)]
    return [heatmap, *rates], LEFT + width + RIGHT, TOP + height + low


def _box(cell: Cell | None) -> HeatmapBox:
    return HeatmapBox(accuracy=None) if cell is None else HeatmapBox(cell.best.shown_accuracy, cell.number, cell.lines)


def _draw_rates(axes: Axes, column: Column, row_looks: Mapping[SizedModel, LineStyle], is_first: bool) -> None:
    """Draw accuracy over learning rate, a line a model."""
    rates = set[float]()
    for model, cell in column.cells.items():
        look = row_looks[model]
        highest = _highest_by_rate(cell.tried)
        axes.plot(
            list(highest),
            list(highest.values()),
            **look.line | look.mark,
            markersize=5,
            linewidth=1.6,
            label=look.label,
            clip_on=False,
        )
        other_seeds = [run.accuracy for run in cell.repeats if run.seed != cell.best.seed and known(run.accuracy)]
        best_rate = [cell.best.learning_rate] * len(other_seeds)
        mark: dict[str, Any] = {"color": look.colour, "markersize": 5, "clip_on": False}
        axes.plot(best_rate, other_seeds, look.marker, fillstyle="none", **mark)
        pruned = [run for run in cell.pruned if known(run.accuracy)]
        if pruned:
            axes.plot([run.learning_rate for run in pruned], [run.accuracy for run in pruned], "x", **mark)
        rates |= set(highest) | {run.learning_rate for run in pruned}
    if column.chance is not None:
        axes.axhline(column.chance, color=SOFT, linewidth=0.8, linestyle=":")
    _style_rates(axes, rate_ticks(rates), is_first)


def _highest_by_rate(runs: Iterable[RunSummary]) -> dict[float, float]:
    """Return the highest accuracy at each learning rate, lowest rate first."""
    highest = dict[float, float]()
    for run in sorted(runs, key=lambda run: run.learning_rate):
        highest[run.learning_rate] = max(run.shown_accuracy, highest.get(run.learning_rate, 0.0))
    return highest


def _style_rates(axes: Axes, ticks: list[float], is_first: bool) -> None:
    axes.set_xscale("log")
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"] if is_first else [""] * 5)
    axes.set_xticks(ticks, [f"{tick:.0e}".replace("e-0", "e-") for tick in ticks])
    if len(ticks) > 1:  # the text below one chart stays clear of its neighbours
        first, *_, last = axes.get_xticklabels()
        first.set_horizontalalignment("left")
        last.set_horizontalalignment("right")
    axes.minorticks_off()
    axes.tick_params(labelsize=8.5, colors=SOFT, length=2)
    axes.grid(axis="y", color=LINE, linewidth=0.8)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_xlabel("learning rate", fontsize=9.5, color=SOFT)


def rate_ticks(rates: Iterable[float]) -> list[float]:
    """Return the labelled rates: those with one digit, none too near the one before.

    Over a wide range they are powers of ten.

    >>> rate_ticks([5e-4, 1e-3, 1.7e-3, 3e-3])
    [0.0005, 0.001, 0.003]
    """
    round_rates = sorted(rate for rate in set(rates) if rate == float(f"{rate:.0e}"))
    span = math.log10(round_rates[-1] / round_rates[0]) if round_rates else 0.0
    if span > 2:
        round_rates = [rate for rate in round_rates if f"{rate:.0e}".startswith("1e")]
    kept = list[float]()
    for rate in round_rates:
        if not kept or math.log10(rate / kept[-1]) >= 0.27 * max(span, 0.1):
            kept.append(rate)
    return kept

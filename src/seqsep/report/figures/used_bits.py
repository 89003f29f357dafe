"""The bits of its state that each architecture uses: bits that its accuracy proves over bits of its state, a panel a length.

Heights are linear and widths logarithmic, so that all of a state, 10 % of it and 1 % are one curve, a decade apart. What proves
less than one bit is in a strip below, side by side. A line joins the widths of an architecture; a dotted one its numbers of
heads, or its sizes of state, at one width.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from seqsep.core.names import narrowed
from seqsep.report.figures.line_styles import DASHES, INK, LINE, SOFT, LineStyle
from seqsep.report.figures.panels import GREY
from seqsep.report.figures.sheet import FigureLayout, PanelPlace, SheetStyle, draw_sheet
from seqsep.report.formatting import count, listed
from seqsep.report.result_table import Column, ResultTable
from seqsep.report.sized_model import SizedModel, in_places
from seqsep.report.used_bits import UsedBits, Varied, chains, panel_title, used_in, varied
from seqsep.tasks import IndexLookup
from seqsep.tasks.ceilings import carried_bits

TITLE = "How many bits of its state does each architecture use?"
WIDTH = 8.6
LEFT = 0.85
RIGHT = 0.75
PANEL_WIDTH = WIDTH - LEFT - RIGHT
PANEL_HEIGHT = 3.1
BETWEEN = 0.95
TOP = 1.05
BOTTOM = 0.62
BESIDE_ACCURACY = 0.62
"""The distance of the title of the accuracies from the panel, in inches."""
ROW = 0.13
"""The distance between marks of the strip, in inches."""
SHARES = {1.0: "all of its state", 0.1: "10 % of it", 0.01: "1 % of it", 0.001: "0.1 % of it", 0.0001: "0.01 % of it"}
ACCURACIES = (0.25, 0.5, 0.75, 0.9, 1.0)
FILLS: dict[Varied, str] = {"width": "full", "heads": "none", "size": "left"}
LINES: dict[Varied, Any] = {"width": DASHES[0], "heads": DASHES[2], "size": DASHES[2]}
SMALLEST_MARK = 4.6
LARGEST_MARK = 8.6
POINTS_OF_A_CURVE = 80
LOWEST = 1e-3
"""The start of curves, as a part of the bits that are asked."""
STYLE = SheetStyle(
    title_size=15.0,
    title_below_top=0.2,
    caption_size=9.0,
    caption_line=0.17,
    most_legend_columns=4,
)


@dataclass(frozen=True)
class AxisScales:
    """The scales of all panels: the least and the most bits of state, and the depth of the strip in inches."""

    low: float
    high: float
    depth: float = 0.0

    def across(self, state_bits: int) -> float:
        """Return the distance of a state from the left edge, in inches."""
        return PANEL_WIDTH * math.log(state_bits / self.low) / math.log(self.high / self.low)


def draw_used_bits(table: ResultTable, caption: str) -> Figure:
    """Return the figure. Its panels share one axis of bits of state, so that a model's marks are above each other."""
    columns = table.columns
    scales, rows = _scales(columns)
    height = PANEL_HEIGHT + scales.depth
    places = [
        PanelPlace(LEFT, BOTTOM + (len(columns) - 1 - number) * (height + BETWEEN), PANEL_WIDTH, height)
        for number in range(len(columns))
    ]
    sheet = FigureLayout(
        title=TITLE,
        caption=caption,
        looks=legend(table.models),
        width=WIDTH,
        height=BOTTOM + len(columns) * (height + BETWEEN) - BETWEEN + TOP,
        places=places,
        style=STYLE,
    )
    figure, panels = draw_sheet(sheet)
    sizes = _mark_sizes(table.models)
    for axes, column, row_of in zip(panels, columns, rows, strict=True):
        _style(axes, column, scales)
        _draw_shares(axes, column, scales)
        _draw_models(axes, used_in(column), row_of, sizes)
    if panels:
        panels[-1].set_xlabel("bits of state", fontsize=9.5, color=SOFT)
    return figure


def legend(models: Iterable[SizedModel]) -> list[LineStyle]:
    """Return an entry for each architecture, and one in grey for each thing that is varied."""
    placed = in_places(models)
    looks = dict[str, LineStyle]()
    for model in placed.values():
        title = model.style.title or model.layers_in_words
        style = model.style
        looks.setdefault(title, LineStyle(label=title, colour=style.light, marker=style.marker, dashes=DASHES[0], fill="full"))
    kinds: dict[Varied, list[SizedModel]] = {}
    for model in placed:
        kinds.setdefault(varied(model), []).append(model)
    widths = {kind: listed([str(width) for width in sorted({model.width for model in kinds[kind]})]) for kind in kinds}
    heads = listed([str(number) for number in sorted({model.heads for model in kinds.get("heads", ())})])
    labels = {
        "width": f"width {widths.get('width')}",
        "heads": f"width {widths.get('heads')}, heads {heads}",
        "size": f"width {widths.get('size')}, other state sizes",
    }
    varied_ones = [
        LineStyle(label=labels[kind], colour=SOFT, marker="o", dashes=LINES[kind], fill=fill)
        for kind, fill in FILLS.items()
        if kind in kinds
    ]
    return [*looks.values(), *varied_ones]


def strip_rows(places: Sequence[float], apart: float) -> list[int]:
    """Return the row of each mark, in the order of `places`: the first in which no earlier mark is nearer than `apart`.

    >>> strip_rows([0.0, 0.1, 0.1, 1.0], apart=0.13)
    [0, 1, 2, 0]
    """
    rows: list[int] = []
    for number, place in enumerate(places):
        near = {row for row, other in zip(rows, places[:number], strict=True) if abs(place - other) < apart}
        rows.append(next(row for row in range(number + 1) if row not in near))
    return rows


def _scales(columns: Sequence[Column]) -> tuple[AxisScales, list[dict[SizedModel, int]]]:
    """Return the common scales, and the row of each model in the strip of its panel."""
    states = [cell.state_bits for column in columns for cell in column.cells.values()]
    asked = [column.task.answer_bits() or 1 for column in columns]
    scales = AxisScales(min([*states, *asked], default=1) / 3, 1.6 * max([*states, *asked], default=1))
    rows = []
    for column in columns:
        none = sorted((point for point in used_in(column) if point.is_none), key=lambda point: point.state_bits)
        placed = strip_rows([scales.across(point.state_bits) for point in none], ROW)
        rows.append({point.model: row for point, row in zip(none, placed, strict=True)})
    most = max([1 + row for row_of in rows for row in row_of.values()], default=0)
    return AxisScales(scales.low, scales.high, ROW * (most + 0.9)), rows


def _mark_sizes(models: Iterable[SizedModel]) -> dict[int, float]:
    """Return the size of a mark for each width, the least first."""
    widths = sorted({model.width for model in models})
    step = (LARGEST_MARK - SMALLEST_MARK) / max(1, len(widths) - 1)
    return {width: SMALLEST_MARK + step * place for place, width in enumerate(widths)}


def _style(axes: Axes, column: Column, scales: AxisScales) -> None:
    asked = column.task.answer_bits() or 1
    deepest = -asked * scales.depth / PANEL_HEIGHT
    axes.set_title(panel_title(column), fontsize=10.5, color=SOFT, pad=20)
    axes.set_xscale("log")
    axes.set(xlim=(scales.low, scales.high), ylim=(deepest, asked))
    thirds = [round(asked * part / 3) for part in range(4)]
    axes.set_yticks([deepest / 2, *thirds], ["under 1", "", *(count(bits) for bits in thirds[1:])])
    powers = [power for power in range(16) if scales.low <= 10**power <= scales.high]
    axes.set_xticks([10.0**power for power in powers], [count(10**power) for power in powers])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylabel("bits shown to be used", fontsize=9.5, color=SOFT)
    axes.tick_params(labelsize=9, colors=SOFT, length=2)
    axes.axhspan(deepest, 0, color="#f5f6f8", linewidth=0, zorder=0)
    for bits in thirds:
        axes.axhline(bits, color=LINE, linewidth=0.8, zorder=1)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_shares(axes: Axes, column: Column, scales: AxisScales) -> None:
    """Draw the curve of each share of a state with its name on top, and at the right the accuracies."""
    task = narrowed(column.task, IndexLookup)
    asked = task.answer_bits()
    heights = [asked * LOWEST ** (1 - part / POINTS_OF_A_CURVE) for part in range(POINTS_OF_A_CURVE + 1)]
    for share, name in SHARES.items():
        if asked / share > scales.high:
            continue
        whole = share == 1
        line: dict[str, Any] = {"color": INK if whole else SOFT, "linewidth": 1.5 if whole else 0.8}
        axes.plot([bits / share for bits in heights], heights, **line, linestyle="-" if whole else DASHES[1], zorder=2)
        if whole:
            axes.fill_betweenx(heights, scales.low, heights, color=GREY, linewidth=0, zorder=1)
        above: dict[str, Any] = {"xytext": (0, 4), "textcoords": "offset points", "ha": "center", "va": "bottom"}
        axes.annotate(name, (asked / share, asked), **above, fontsize=8.5, color=INK if whole else SOFT)
    beside: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "fontsize": 8.5}
    for accuracy in ACCURACIES:
        bits = carried_bits(task, accuracy)
        axes.annotate(f"{100 * accuracy:.0f} %", (1, bits), **beside, xytext=(5, 0), va="center", color=SOFT)
    turned: dict[str, Any] = {"rotation": 90, "ha": "center", "va": "center", "fontsize": 9.5}
    axes.text(
        1 + BESIDE_ACCURACY / PANEL_WIDTH, asked / 2, "accuracy", **turned, color=SOFT, transform=axes.get_yaxis_transform()
    )


def _draw_models(axes: Axes, points: Sequence[UsedBits], row_of: Mapping[SizedModel, int], sizes: Mapping[int, float]) -> None:
    """Draw the lines between models and a mark for each, in the strip below for those that prove nothing."""
    styles = {model: placed.style for model, placed in in_places(point.model for point in points).items()}
    for chain in chains(points):
        for before, after in zip(chain.points, chain.points[1:], strict=False):
            if before.is_none and after.is_none:
                continue
            bits = [before.state_bits, after.state_bits]
            look: dict[str, Any] = {"color": styles[after.model].light, "linestyle": LINES[chain.varied]}
            axes.plot(bits, [before.used, after.used], **look, linewidth=1.3, zorder=3)
    bits_of_an_inch = axes.get_ylim()[1] / PANEL_HEIGHT
    for point in points:
        row = row_of.get(point.model)
        style = styles[point.model]
        axes.plot(
            [point.state_bits],
            [point.used if row is None else -(row + 0.9) * ROW * bits_of_an_inch],
            color=style.light,
            marker=style.marker,
            fillstyle=FILLS[varied(point.model)],
            markerfacecoloralt="white",
            markersize=sizes[point.model.width],
            markeredgewidth=1.1,
            linestyle="none",
            clip_on=False,
            zorder=4,
        )

"""A curve over one swept setting, and a heat map over two, of the runs of any task."""

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.figures.chart_picture import ChartPicture, PicturePanel, draw_picture
from seqsep.report.figures.heatmap import HeatmapBox, HeatmapStyle, draw_heatmap
from seqsep.report.figures.line_styles import INK
from seqsep.report.figures.sheet import MARGIN, FigureLayout, PanelPlace, SheetStyle, draw_sheet, width_of
from seqsep.report.figures.text_width import text_width
from seqsep.report.formatting import count, percent
from seqsep.report.sized_model import in_places
from seqsep.report.styles import Style
from seqsep.report.swept import SettingGrid, SettingPlace

PERCENT = ((0.0, "0"), (0.25, "25"), (0.5, "50"), (0.75, "75"), (1.0, "100 %"))
CHANCE = Style("chance", "chance", light="#566270", dark="#aab4bf", marker=".")
LOGARITHMIC = 8
"""The least ratio of the ends of an axis that is logarithmic."""
MOST_TICKS = 7
MOST_MODELS = 6
"""The most architectures of a heat map; the table has them all."""
CELL_WIDTH = 1.0
CELL_HEIGHT = 0.62
TOP = 1.35
BETWEEN = 0.95
RIGHT = 0.3
SHEET = SheetStyle(title_size=15.0, title_below_top=0.22, caption_size=9.0, caption_line=0.17, most_legend_columns=6)


def draw_line(sweep: SettingGrid, title: str, caption: str) -> Figure:
    """Draw accuracy over a setting: the mean over the seeds as a line, least to greatest as a band."""
    panels = [PicturePanel("", "", _chart(sweep, title))]
    if _has_answers(sweep):
        panels = [
            PicturePanel("All answers right", "share of the examples", _chart(sweep, title)),
            PicturePanel("Each answer", "share of the answers", _chart(sweep, title, per_answer=True)),
        ]
    return draw_picture(ChartPicture(f"{title}: accuracy by {sweep.settings[0]}", "", tuple(panels), caption), columns=2)


def _has_answers(sweep: SettingGrid) -> bool:
    """Return True if single answers are scored, and not the same as complete examples."""
    runs = [run for place in sweep.places.values() for run in place.runs]
    return any(run.accuracy_per_answer not in (None, run.accuracy) for run in runs)


def _chart(sweep: SettingGrid, title: str, per_answer: bool = False) -> Chart:
    name = sweep.settings[0]
    values = [float(value) for value in sweep.values(0)]
    low = min(values)
    high = max(values)
    is_log = low > 0 and high / low >= LOGARITHMIC
    ticks = values if len(values) <= MOST_TICKS else values[:: math.ceil(len(values) / MOST_TICKS)]
    lines = []
    chances: dict[float, float] = {}
    for model, placed in in_places(sweep.of).items():
        points = []
        least = []
        greatest = []
        for value in sweep.values(0):
            place = sweep.places.get((model, (value,)))
            if place is None:
                continue
            accuracies = place.per_answer if per_answer else place.accuracies
            points.append((float(value), sum(accuracies) / len(accuracies)))
            least.append((float(value), min(accuracies)))
            greatest.append((float(value), max(accuracies)))
            guess = place.chance_per_answer if per_answer else place.chance
            if guess is not None:
                chances[float(value)] = guess
        lines.append(
            LineData(
                placed.style,
                percent(points[-1][1]),
                sweep.of[model],
                tuple(points),
                dots=tuple(points),
                band=(tuple(least), tuple(greatest)),
            )
        )
    if len(chances) > 1:
        ordered = sorted(chances.items())
        lines.append(LineData(CHANCE, percent(ordered[-1][1]), "chance", tuple(ordered)))
    ends = "; ".join(f"{line.name} ends at {line.value} %" for line in lines)
    return Chart(
        title,
        f"Accuracy by {name} on {title}: {ends}",
        lines=tuple(lines),
        x=Axis(
            low,
            high,
            ticks=tuple((tick, _words(tick)) for tick in ticks),
            title=f"{name}{' (logarithmic)' if is_log else ''}",
            log=is_log,
        ),
        y=Axis(0.0, 1.0, PERCENT),
    )


def _words(value: Any) -> str:
    """Return a value as a tick has it.

    >>> _words(1000.0), _words(0.001), _words("cosine")
    ('1,000', '0.001', 'cosine')
    """
    if isinstance(value, str):
        return value
    return count(int(value)) if value == int(value) else f"{value:g}"


def draw_grid(sweep: SettingGrid, title: str, caption: str) -> Figure:
    """Draw accuracy over two settings, a heat map for each architecture: the first setting across, the second down."""
    across = sweep.values(0)
    down = sweep.values(1)
    models = list(in_places(sweep.of))[:MOST_MODELS]
    names = [f"{sweep.settings[1]} {_words(value)}" for value in reversed(down)]
    left = max(text_width(name, 10.0) for name in names) + MARGIN + 0.2
    height = CELL_HEIGHT * len(down)
    width = max(CELL_WIDTH * len(across), max(text_width(name, 11.0) for name in sweep.of.values()) + 0.2)
    total = left + width + RIGHT
    places = [PanelPlace(left, 0.2 + (height + BETWEEN) * number, width, height) for number in reversed(range(len(models)))]
    heading = f"{title}: accuracy by {sweep.settings[0]} and {sweep.settings[1]}"
    figure, panels = draw_sheet(
        FigureLayout(
            title=heading,
            caption=caption,
            looks=[],
            width=max(total, width_of(heading, [], SHEET)),
            height=TOP + len(models) * (height + BETWEEN) - BETWEEN + 0.2,
            places=places,
            style=SHEET,
        )
    )
    style = HeatmapStyle(
        name_size=10.0,
        name_at=-0.05,
        name_width=left - MARGIN,
        title_size=10.0,
        title_at=-0.08,
        number_size=12.0,
        number_at=0.36,
        line_size=8.0,
        line_at=0.74,
        line_colour=INK,
    )
    for axes, model in zip(panels, models, strict=True):
        boxes = [[_box(sweep.places.get((model, (value, other)))) for value in across] for other in reversed(down)]
        titles = [f"{sweep.settings[0]} {_words(value)}" for value in across]
        draw_heatmap(axes, names, titles, boxes=boxes, style=style)
        axes.set_title(sweep.of[model], fontsize=11.0, weight="bold", color=INK, loc="left", pad=22)
    return figure


def _box(place: SettingPlace | None) -> HeatmapBox:
    """Return the cell of a place: the mean in percent, and the range over seeds if there are several."""
    if place is None:
        return HeatmapBox(accuracy=None)
    return HeatmapBox(place.accuracy, percent(place.accuracy), _seeds(place.accuracies))


def _seeds(accuracies: Sequence[float]) -> tuple[str, ...]:
    if len(accuracies) < 2:
        return ()
    least = percent(min(accuracies))
    greatest = percent(max(accuracies))
    return (least if least == greatest else f"{least}–{greatest}",)

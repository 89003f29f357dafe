"""One picture for a README: the heatmap of index lookup on the left, validation curves of Dyck on the right."""

import math
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from seqsep.report.demo_heatmap import Heatmap, HeatmapCell, heatmap
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.figures.heatmap import HeatmapBox, HeatmapStyle, draw_heatmap
from seqsep.report.figures.line_styles import INK, LINE, SOFT, line_styles
from seqsep.report.figures.picture_file import save_figure
from seqsep.report.formatting import count, listed, percent
from seqsep.report.headline import separation, task_title
from seqsep.report.measured import GOAL
from seqsep.report.sized_model import SizedModel, model_names
from seqsep.report.ticks import finite, round_ticks, spread_apart
from seqsep.tasks import BoundedDyck, Task

DOTS_PER_INCH = 100
CHARACTERS = 76
HEATMAP = HeatmapStyle(
    name_size=19.0,
    name_at=-0.04,
    name_width=2.15,
    title_size=17.0,
    title_at=-0.12,
    number_size=25.0,
    number_at=0.42,
    line_size=14.0,
    line_at=0.79,
    line_colour=SOFT,
)


ROOMY_COLUMNS = 3.9
"""Columns in which numbers have their full size."""
TALLEST_ROW = 0.121
"""Of the heatmap, as a part of the picture's height."""


def draw_picture(path: Path, runs: DemoRuns, width: int = 1600, height: int = 900) -> Path:
    """Write a PNG of width x height pixels and return its path. Its title is the finding, computed from the runs."""
    figure = Figure(figsize=(width / DOTS_PER_INCH, height / DOTS_PER_INCH), dpi=DOTS_PER_INCH, facecolor="white")
    FigureCanvasAgg(figure)
    figure.text(0.035, 0.955, _title(runs), fontsize=24, weight="bold", color=INK, va="top", linespacing=1.25)
    shown = like_with_like(heatmap(runs))
    learned = "learned positions, " if {row.model.positions for row in shown.rows} == {"learned"} else ""
    figure.text(0.035, 0.762, f"Index lookup, {learned}accuracy, %", fontsize=19, weight="bold", color=INK)
    tall = min(0.605, TALLEST_ROW * max(1, len(shown.rows)))
    draw_heatmap(
        figure.add_axes((0.175, 0.7 - tall, 0.36, tall)),
        names=[row.name for row in shown.rows],
        titles=[f"N = {task.length}" for task in shown.tasks],
        boxes=[[_box(cell) for cell in row.cells] for row in shown.rows],
        style=_style(len(shown.tasks)),
    )
    lines = footnote(shown)
    for task in runs.tasks(BoundedDyck)[:1]:
        figure.text(0.575, 0.762, f"{task_title(task)}: accuracy, %", fontsize=19, weight="bold", color=INK)
        _draw_curves(figure.add_axes((0.605, 0.165, 0.185, 0.545)), runs, task)
        lines += who_has_positions(model_names(runs.models([task])), task_title(task))
    figure.text(0.035, 0.065, lines, fontsize=14, color=SOFT, va="top", linespacing=1.3)
    save_figure(figure, path, DOTS_PER_INCH)
    return path


def _style(columns: int) -> HeatmapStyle:
    """Return the looks of the heatmap: with more than three columns, numbers are smaller and fit their cells."""
    part = min(1.0, ROOMY_COLUMNS / max(1, columns))
    return replace(HEATMAP, number_size=HEATMAP.number_size * part, line_size=HEATMAP.line_size * part)


def like_with_like(shown: Heatmap) -> Heatmap:
    """Return the models with learned positions, if there are three or more, by the names of their architectures; else all."""
    alike = [row for row in shown.rows if row.model.positions == "learned"]
    if len(alike) < 3 or len(alike) == len(shown.rows):
        return shown
    names = model_names(row.model for row in alike)
    return replace(shown, rows=tuple(replace(row, name=names[row.model]) for row in alike))


def _title(runs: DemoRuns) -> str:
    """Return the finding in lines of about equal length."""
    gap = separation(runs)
    title = f"{gap.sentence()}." if gap else "No run compares attention with a recurrent model yet."
    lines = math.ceil(len(title) / CHARACTERS)
    return textwrap.fill(title, min(CHARACTERS, len(title) // lines + 6))


def footnote(shown: Heatmap) -> str:
    """Return if the states forbid what is missing, and the models with positions if not all have the same."""
    if not shown.rows:
        return ""
    who = who_has_positions({row.model: row.name for row in shown.rows})
    if shown.bites:
        return f"Some of these states are too small for a length shown: the report says where.{who}"
    return f"All these states are large enough for all N symbols, so they do not explain accuracies below 100 %.{who}"


def who_has_positions(names: Mapping[SizedModel, str], where: str = "") -> str:
    """Return a line that says which models have learned positions; empty if all models have the same positions.

    >>> who_has_positions({SizedModel(("lstm",), 64): "LSTM", SizedModel(("attention",), 64, "learned"): "Attention"})
    '\\nLearned positions: Attention; none: the others.'
    """
    if len({model.positions for model in names}) <= 1:
        return ""
    learned = listed([name for model, name in names.items() if model.positions == "learned"])
    begin = f"{where}: learned" if where else "Learned"
    return f"\n{begin} positions: {learned}; none: the others."


def _box(cell: HeatmapCell) -> HeatmapBox:
    return HeatmapBox(cell.heat if cell.run else None, cell.here, (f"paper {cell.printed}",))


def _draw_curves(axes: Axes, runs: DemoRuns, task: Task) -> None:
    fastest = {model: run for model in runs.models([task]) if (run := runs.fastest(task, model)) is not None}
    steps = max((run.steps_allowed for run in fastest.values()), default=1)
    _style_curves(axes, steps)
    lines = {model: points for model, run in fastest.items() if (points := finite(run.points))}
    heights = spread_apart([points[-1][1] for points in lines.values()], gap=0.036, low=0.46, high=1.0)
    titles = model_names(list(fastest))
    found = line_styles(titles)
    for (model, points), height in zip(lines.items(), heights, strict=True):
        strong = model.architecture in ("attention", "lstm")
        look = found[model]
        mark: dict[str, Any] = look.mark | {"linestyle": "none", "clip_on": False}
        x, y = zip(*points, strict=True)
        axes.plot(x, y, **look.line, linewidth=4 if strong else 2.4, zorder=3 if strong else 2)
        edge = {"markeredgecolor": "white"} if look.fill == "full" else {}
        axes.plot(x[-1:], y[-1:], markersize=10, zorder=4, **mark | edge)
        axes.plot(
            [x[-1], steps, steps * 1.06], [y[-1], y[-1], height], ":", color=look.colour, linewidth=1.5, zorder=1, clip_on=False
        )
        axes.plot([steps * 1.09], [height], markersize=9, **mark)
        label = f"{percent(y[-1])}  {titles[model]}"
        axes.text(steps * 1.14, height, label, fontsize=15, color=INK, va="center", weight="bold" if strong else "normal")


def _style_curves(axes: Axes, steps: int) -> None:
    axes.set(xlim=(0, steps), ylim=(0.45, 1.01))
    axes.set_xticks(round_ticks(float(steps), 3))
    axes.set_xticklabels([count(int(tick)) for tick in axes.get_xticks()])
    axes.set_yticks([0.5, 0.75, GOAL], ["50", "75", "99"])
    axes.tick_params(labelsize=15, colors=SOFT, length=0, pad=8)
    axes.grid(axis="y", color=LINE, linewidth=1)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("training steps", fontsize=16, color=SOFT, labelpad=8)

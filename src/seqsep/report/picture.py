"""One picture for a README: the heatmap of index lookup on the left, validation curves of Dyck on the right."""

import math
import textwrap
from collections.abc import Iterable
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from seqsep.report.contender import names
from seqsep.report.headline import separation, task_title
from seqsep.report.heatmap import Heatmap, heatmap
from seqsep.report.looks import DASHES, INK, LINE, SOFT
from seqsep.report.measured import GOAL, Evidence, Measured
from seqsep.report.numerals import count, percent
from seqsep.report.svg_chart import finite, round_ticks, spread_apart
from seqsep.tasks import BoundedDyck, Task

HEAT = LinearSegmentedColormap.from_list("heat", ["#f6f9fc", "#85b5e6"])
DOTS_PER_INCH = 100
CHARACTERS = 76


def draw_picture(
    path: Path, fresh: Iterable[Measured], committed: Iterable[Measured] = (), width: int = 1600, height: int = 900
) -> Path:
    """Write a PNG of width x height pixels and return its path; its title is the finding, computed from the runs."""
    runs = Evidence(tuple(fresh), tuple(committed))
    figure = Figure(figsize=(width / DOTS_PER_INCH, height / DOTS_PER_INCH), dpi=DOTS_PER_INCH, facecolor="white")
    FigureCanvasAgg(figure)
    found = separation(runs)
    title = f"{found.sentence()}." if found else "No run compares attention with a recurrent model yet."
    lines = math.ceil(len(title) / CHARACTERS)
    title = textwrap.fill(title, min(CHARACTERS, len(title) // lines + 6))
    figure.text(0.035, 0.955, title, fontsize=24, weight="bold", color=INK, va="top", linespacing=1.25)
    grid = heatmap(runs)
    figure.text(0.175, 0.762, "Index lookup: accuracy, %", fontsize=19, weight="bold", color=INK)
    _heat(figure.add_axes((0.175, 0.095, 0.36, 0.605)), grid)
    for task in runs.tasks(BoundedDyck)[:1]:
        figure.text(0.575, 0.762, f"{task_title(task)}: accuracy, %", fontsize=19, weight="bold", color=INK)
        _curves(figure.add_axes((0.605, 0.165, 0.185, 0.545)), runs, task)
    figure.text(0.175, 0.04, footnote(grid), fontsize=14, color=SOFT)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=DOTS_PER_INCH, metadata={"Software": None})
    return path


def footnote(grid: Heatmap) -> str:
    """Whether what is missing was not learned, or could not be held."""
    if grid.bites:
        return "Some of these states are too small for a length shown: the report keeps what they could not hold apart."
    if grid.rows:
        return "Every one of these states has room for all N symbols: what is missing was not learned in these steps."
    return ""


def _heat(axes: Axes, grid: Heatmap) -> None:
    axes.set(xlim=(0, max(1, len(grid.tasks))), ylim=(max(1, len(grid.rows)), 0))
    axes.axis("off")
    for down, row in enumerate(grid.rows):
        axes.text(-0.04, down + 0.5, row.name, fontsize=19, color=INK, ha="right", va="center")
        for across, cell in enumerate(row.cells):
            colour = HEAT(cell.heat) if cell.run else "white"
            box = Rectangle((across + 0.015, down + 0.03), 0.97, 0.94, facecolor=colour, edgecolor=LINE, linewidth=1)
            axes.add_patch(box)
            axes.text(across + 0.5, down + 0.42, cell.here, fontsize=25, weight="bold", color=INK, ha="center", va="center")
            axes.text(across + 0.5, down + 0.79, f"paper {cell.paper}", fontsize=14, color=SOFT, ha="center", va="center")
    for across, task in enumerate(grid.tasks):
        axes.text(across + 0.5, -0.12, f"N = {task.length}", fontsize=17, color=SOFT, ha="center", va="bottom")


def _curves(axes: Axes, runs: Evidence, task: Task) -> None:
    found = {one: run for one in runs.contenders([task]) if (run := runs.fastest(task, one)) is not None}
    steps = max((run.steps_allowed for run in found.values()), default=1)
    axes.set(xlim=(0, steps), ylim=(0.45, 1.01))
    axes.set_xticks(round_ticks(float(steps), 3))
    axes.set_xticklabels([count(int(tick)) for tick in axes.get_xticks()])
    axes.set_yticks([0.5, 0.75, GOAL], ["50", "75", "99"])
    axes.tick_params(labelsize=15, colors=SOFT, length=0, pad=8)
    axes.grid(axis="y", color=LINE, linewidth=1)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("training steps", fontsize=16, color=SOFT, labelpad=8)
    lines = {one: points for one, run in found.items() if (points := finite(run.points))}
    heights = spread_apart([points[-1][1] for points in lines.values()], 0.036, 0.46, 1.0)
    titles, drawn = names(found), list[str]()
    for (one, points), height in zip(lines.items(), heights, strict=True):
        strong = one.architecture in ("attention", "lstm")
        colour, (x, y) = one.style.light, zip(*points, strict=True)
        dashes = DASHES[min(drawn.count(one.slug), len(DASHES) - 1)]
        drawn.append(one.slug)
        axes.plot(x, y, color=colour, linewidth=4 if strong else 2.4, linestyle=dashes, zorder=3 if strong else 2)
        axes.plot(
            x[-1:], y[-1:], one.style.marker, color=colour, markersize=10, markeredgecolor="white", zorder=4, clip_on=False
        )
        leader = ([x[-1], steps, steps * 1.06], [y[-1], y[-1], height])
        axes.plot(*leader, ":", color=colour, linewidth=1.5, clip_on=False, zorder=1)
        axes.plot([steps * 1.09], [height], one.style.marker, color=colour, markersize=9, clip_on=False)
        label = f"{percent(y[-1])}  {titles[one]}"
        axes.text(steps * 1.14, height, label, fontsize=15, color=INK, va="center", weight="bold" if strong else "normal")

"""The figures beside an experiment's heatmap, one panel a length: accuracy over steps, and accuracy over bits of state.

Both read the cells of the same `Grid`: what they draw of a cell is its best setting under every seed.
"""

import math
import textwrap
from collections.abc import Callable
from statistics import median

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from seqsep.ceilings import ceiling
from seqsep.report.cells import Grid, Shown
from seqsep.report.contender import Contender
from seqsep.report.looks import INK, LINE, MOST_NAMED, SOFT, Look, legend, looks
from seqsep.report.measured import Measured, chance
from seqsep.report.numerals import count, known
from seqsep.report.svg_chart import finite, round_ticks
from seqsep.tasks import Task

PANEL_WIDTH, PANEL_HEIGHT, GAP = 3.7, 2.6, 0.55
LEFT, RIGHT, TOP, BOTTOM = 0.7, 0.25, 1.05, 0.6
LINE_OF_LEGEND, LINE_OF_CAPTION = 0.21, 0.17
COLUMNS = 3
LETTERS_AN_INCH, TITLE_LETTER = 14.2, 0.127
POINTS = 200

Panel = Callable[[Axes, Task, dict[Contender, Shown], dict[Contender, Look]], None]
Band = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...], tuple[float, ...]]


def draw_curves(grid: Grid) -> Figure:
    """Validation accuracy over training steps: the median of the seeds as a line, least to greatest as a band."""
    return _figure(grid.legible, "accuracy while training", curves_caption(grid), _curves, with_lines=True)


def draw_states(grid: Grid) -> Figure:
    """Accuracy over the bits of state at each length, below the provable ceiling."""
    return _figure(grid, "accuracy and bits of state", states_caption(grid), _states, with_lines=False)


def curves_caption(grid: Grid) -> str:
    """What the curves are."""
    which = "the best size of each architecture, " if len(grid.contenders) > MOST_NAMED else ""
    return (
        f"Accuracy on the evaluation examples at the best learning rate of each cell ({which}{_seeds(grid)}): line, median; "
        "band, least to greatest. A run that stopped, having converged, keeps its last accuracy; dots are chance. "
        + grid.ceilings()
    )


def states_caption(grid: Grid) -> str:
    """What the marks are, and what the ceiling says."""
    heights = [height for task in grid.tasks for _, height in ceiling_line(task, *_span(task, _column(grid, task)))]
    grey = "; no training reaches the grey" if any(height < 1 for height in heights) else ""
    line = f"Black line: the provable ceiling for that many bits{grey}. " if heights else ""
    return (
        f"Bits of state once all N symbols are read. Mark: best of each cell's learning rates; bar: least to greatest "
        f"({_seeds(grid)}). {line}{grid.ceilings()}"
    )


def band(shown: Shown) -> Band:
    """Steps, and the least, median and greatest accuracy over the seeds at each; a run that stopped keeps its last accuracy.

    Starts where every seed has been evaluated, and is empty where one never was.
    """
    curves = [finite(run.points) for run in shown.repeats]
    if not all(curves):
        return (), (), (), ()
    first = max(curve[0][0] for curve in curves)
    steps = tuple(sorted({step for curve in curves for step, _ in curve if step >= first}))
    at = [[next(accuracy for step, accuracy in reversed(curve) if step <= now) for curve in curves] for now in steps]
    return steps, tuple(map(min, at)), tuple(map(median, at)), tuple(map(max, at))


def ceiling_line(task: Task, low: float, high: float) -> tuple[tuple[int, float], ...]:
    """(bits, ceiling) between two numbers of bits; without those for which no bound is known."""
    bits = sorted({round(low * (high / low) ** (place / POINTS)) for place in range(POINTS + 1)})
    return tuple((each, found) for each in bits if (found := ceiling(task, each)) is not None)


def _seeds(grid: Grid) -> str:
    numbers = sorted({len(shown.repeats) for shown in grid.cells.values()})
    if not numbers:
        return "no seeds"
    least, most = numbers[0], numbers[-1]
    return f"{most} seed{'s' * (most > 1)}" if least == most else f"{least} to {most} seeds"


def _figure(grid: Grid, what: str, caption: str, panel: Panel, with_lines: bool) -> Figure:
    shown_looks, titles = looks(grid.contenders), grid.column_titles()
    named = [look for look in shown_looks.values() if look.label]
    columns = max(1, min(COLUMNS, len(grid.tasks)))
    rows = max(1, math.ceil(len(grid.tasks) / columns))
    title = f"{grid.title.rsplit(':', 1)[0]}: {what}"
    width = max(6.4, 0.4 + TITLE_LETTER * len(title), LEFT + columns * PANEL_WIDTH + (columns - 1) * GAP + RIGHT)
    letters = max([len(look.label) for look in named], default=1)
    entries = max(1, min(6, int((width - 0.4) / (0.75 + 0.085 * letters))))
    lines = textwrap.wrap(caption, int(LETTERS_AN_INCH * (width - 0.4)))
    under = 0.15 + LINE_OF_CAPTION * len(lines)
    below = under + 0.12 + LINE_OF_LEGEND * math.ceil(len(named) / entries)
    height = TOP + rows * PANEL_HEIGHT + (rows - 1) * (GAP + 0.35) + BOTTOM + below
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    figure.text(0.2 / width, 1 - 0.2 / height, title, fontsize=15, weight="bold", color=INK, va="top")
    figure.text(0.2 / width, 0.1 / height, "\n".join(lines), fontsize=9, color=SOFT, va="bottom", linespacing=1.25)
    legend(figure, named, under / height, entries, with_lines)
    across = (width - LEFT - RIGHT - (columns - 1) * GAP) / columns
    for place, task in enumerate(grid.tasks):
        column, row = place % columns, place // columns
        bottom = height - TOP - (row + 1) * PANEL_HEIGHT - row * (GAP + 0.35)
        left = LEFT + column * (across + GAP)
        axes = figure.add_axes((left / width, bottom / height, across / width, PANEL_HEIGHT / height))
        axes.set_title(titles[task].replace("\n", ", "), fontsize=11.5, color=SOFT)
        panel(axes, task, _column(grid, task), shown_looks)
        _style(axes, task, is_first=column == 0)
    return figure


def _style(axes: Axes, task: Task, is_first: bool) -> None:
    low = 0.4 if task.classes == 2 and axes.get_ylim()[0] >= 0.4 else 0.0
    axes.set_ylim(low, 1.02)
    ticks = (0.4, 0.6, 0.8, 1.0) if low else (0.0, 0.25, 0.5, 0.75, 1.0)
    axes.set_yticks(ticks, [f"{100 * tick:.0f}{' %' * (tick == 1)}" if is_first else "" for tick in ticks])
    axes.axhline(chance(task), color=SOFT, linewidth=0.9, linestyle=":", zorder=1)
    axes.tick_params(labelsize=9, colors=SOFT, length=2)
    axes.grid(axis="y", color=LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _curves(axes: Axes, task: Task, cells: dict[Contender, Shown], shown_looks: dict[Contender, Look]) -> None:
    longest, lowest = 1.0, 1.0
    for place, (one, shown) in enumerate(cells.items()):
        look = shown_looks[one]
        steps, least, middle, greatest = band(shown)
        if not steps:
            continue
        longest, lowest = max(longest, steps[-1]), min(lowest, *least)
        axes.fill_between(steps, least, greatest, color=look.colour, alpha=0.16, linewidth=0, zorder=2)
        often = max(1, len(steps) // 5)
        axes.plot(steps, middle, **look.line() | look.mark(), linewidth=1.7, markersize=5, clip_on=False, zorder=3,
                  markevery=list(range((place * often // max(1, len(cells))) % often, len(steps), often)) or None)  # fmt: skip
        axes.plot(steps[-1:], middle[-1:], **look.mark(), markersize=6.5, clip_on=False, zorder=4)
    axes.set_xlim(0, longest)
    axes.set_ylim(min(lowest, 0.5), 1.02)
    ticks = round_ticks(longest, 4)
    axes.set_xticks(ticks, [count(int(tick)) for tick in ticks])
    axes.set_xlabel("training steps", fontsize=9.5, color=SOFT)


def _states(axes: Axes, task: Task, cells: dict[Contender, Shown], shown_looks: dict[Contender, Look]) -> None:
    low, high = _span(task, cells)
    line = ceiling_line(task, low, high)
    if line:
        x, y = zip(*line, strict=True)
        axes.fill_between(x, y, 1.0, color="#e3e6ea", linewidth=0, zorder=1)
        axes.plot(x, y, color=INK, linewidth=1.5, zorder=2, clip_on=False)
    for one, shown in cells.items():
        look, at = shown_looks[one], _bits(shown.best)
        best = shown.best.accuracy if known(shown.best.accuracy) else 0.0
        axes.plot([at, at], [min(shown.seeds), max(shown.seeds)], color=look.colour, linewidth=1.6, marker="_", markersize=7,
                  clip_on=False, zorder=3)  # fmt: skip
        axes.plot(
            [at],
            [best],
            **look.mark(),
            linestyle="none",
            markersize=7.5 if look.fill == "full" else 9,
            markeredgewidth=1.1,
            clip_on=False,
            zorder=4,
        )
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(min([0.5, *(min(shown.seeds) for shown in cells.values())]), 1.02)
    powers = [power for power in range(0, 16) if 2 * low <= 10**power <= high]  # clear of the corner
    axes.set_xticks([10.0**power for power in powers], [f"$10^{{{power}}}$" for power in powers])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("state, bits" if line else "state, bits (no bound on accuracy known)", fontsize=9.5, color=SOFT)


def _span(task: Task, cells: dict[Contender, Shown]) -> tuple[float, float]:
    """The bits from which and to which the states of a length are drawn, what the task asks for among them."""
    bits = [_bits(shown.best) for shown in cells.values()] or [1]
    asked = task.answer_bits()
    return max(1.0, min([*bits, *([asked] if asked else [])]) / 5), 3.0 * max([*bits, asked or 1])


def _column(grid: Grid, task: Task) -> dict[Contender, Shown]:
    return {one: grid.cells[one, task] for one in grid.contenders if (one, task) in grid.cells}


def _bits(run: Measured) -> int:
    return max(1, run.bits_before_the_question)

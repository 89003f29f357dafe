"""A picture of `analyze`: the least state against the length, one line a function."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from seqsep.report.figures.line_styles import INK, LINE, SOFT
from seqsep.report.figures.picture_file import require_format, save_figure
from seqsep.report.ticks import spread_apart
from seqsep.theorems.analysis import Analysis

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#c05d93", "#c48600", "#7a5cc9", "#4d4d4d")  # Okabe and Ito's, as in `sized_model`
MARKERS = ("o", "s", "^", "D", "v", "X", "P")
NAME = 34
DOTS_PER_INCH = 160


def draw_least_state(path: Path, analyses: Sequence[Analysis]) -> Path:
    """Write the picture and return its path. Bounds that do not meet are drawn as a band with its lower edge as the line.

    The same analyses give the same bytes. Raises ValueError as `require_format` does.
    """
    require_format(path)
    figure = Figure(figsize=(10, 5.6), dpi=DOTS_PER_INCH, facecolor="white")
    figure.text(0.06, 0.94, "Least state of any recurrent model, in bits", fontsize=17, weight="bold", color=INK, va="top")
    note = "Exact, for all inputs of each length; transitions may differ by time step."
    if any(one.least is None for analysis in analyses for one in analysis.lengths):
        note += "\nDashed: inputs outside the domain; a lower bound, and a band up to the upper bound."
    figure.text(0.06, 0.872, note, fontsize=11, color=SOFT, va="top", linespacing=1.35)
    _draw_lines(figure.add_axes((0.06, 0.12, 0.62, 0.65)), analyses)
    save_figure(figure, path, DOTS_PER_INCH)
    return path


def _draw_lines(axes: Axes, analyses: Sequence[Analysis]) -> None:
    lengths = [one.length for analysis in analyses for one in analysis.lengths]
    most = max(1, *(one.bits[1] for analysis in analyses for one in analysis.lengths))
    right = max(lengths)
    axes.set(xlim=(min(lengths) - 0.5, right + 0.5), ylim=(0, most * 1.08))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=9))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=7))
    axes.grid(axis="y", color=LINE, linewidth=1)
    axes.spines[:].set_visible(False)
    axes.tick_params(labelsize=12, colors=SOFT, length=0, pad=6)
    axes.set_xlabel("length N, tokens" if _tokens(analyses) else "length N", fontsize=12, color=SOFT, labelpad=6)
    ends = [float(analysis.lengths[-1].bits[0]) for analysis in analyses]
    heights = spread_apart(ends, gap=most * 0.075, low=most * 0.02, high=most * 1.04)
    for number, (analysis, height) in enumerate(zip(analyses, heights, strict=True)):
        below = len(analyses) - 1 - number
        _draw_line(axes, analysis, COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)], below=below)
        _draw_label(axes, analysis, COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)], height=height)


def _draw_line(axes: Axes, analysis: Analysis, colour: str, marker: str, below: int) -> None:
    """Draw one function; the more lines are below it, the wider it is, so that all show if they coincide."""
    lengths = [one.length for one in analysis.lengths]
    low = [one.bits[0] for one in analysis.lengths]
    high = [one.bits[1] for one in analysis.lengths]
    inexact = any(one.least is None for one in analysis.lengths)
    if low != high:
        axes.fill_between(lengths, low, high, color=colour, alpha=0.15, linewidth=0, zorder=1)
    line = "--" if inexact else "-"
    axes.plot(lengths, low, line, color=colour, linewidth=1.8 + 0.7 * min(4, below), zorder=3, clip_on=False)
    axes.plot(lengths, low, marker, color=colour, markersize=7, markeredgecolor="white", zorder=4, clip_on=False)


def _draw_label(axes: Axes, analysis: Analysis, colour: str, marker: str, height: float) -> None:
    """Draw a leader from the end of a line to its label at a height."""
    left, right_edge = axes.get_xlim()
    reach = right_edge - left
    right = right_edge - 0.5
    low, high = analysis.lengths[-1].bits
    bend = right + 0.02 * reach
    end = right + 0.055 * reach
    leader = [analysis.lengths[-1].length, bend, end]
    axes.plot(leader, [low, low, height], ":", color=colour, linewidth=1.2, clip_on=False, zorder=2)
    axes.plot([end + 0.012 * reach], [height], marker, color=colour, markersize=7, clip_on=False)
    value = f"{low}" if low == high else f"{low} to {high}"
    label = f"{value}  {_short(analysis.name)}"
    axes.text(end + 0.035 * reach, height, label, fontsize=12, color=INK, va="center")


def _tokens(analyses: Sequence[Analysis]) -> bool:
    """Return True if N counts the tokens of every function. That of index lookup does not count its question."""
    return all(len(one.symbols) == one.length for analysis in analyses for one in analysis.lengths)


def _short(name: str) -> str:
    """Return a function without its file. A long expression is cut."""
    path, colon, function = name.rpartition(":")
    name = function if colon and path.endswith(".py") else name
    return name if len(name) <= NAME else f"{name[: NAME - 2]}.."

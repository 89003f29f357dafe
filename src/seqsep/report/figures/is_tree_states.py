"""The experiment `is-tree` over states: what is written and answered over the bits of state, two panels a task.

A line joins the widths of an architecture at equal heads; an open mark is a model that shares its width with others and has
another number of heads, so other bits of state with about as many parameters, which the legend has.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from seqsep.report.figures.is_tree_bars import STYLE
from seqsep.report.figures.line_styles import INK, LINE, SOFT, LineStyle, line_styles
from seqsep.report.figures.sheet import FigureLayout, PanelPlace, draw_sheet
from seqsep.report.formatting import count
from seqsep.report.is_tree_table import GRAPHS, WITHOUT_STATE, Cells, IsTreeCell, names
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import IsTree

PANEL = (4.2, 2.7)
LEFT = 0.65
GAP = 0.55
BELOW = 0.6
ABOVE = 0.75


def draw_is_tree_states(cells: Cells) -> Figure:
    """Return two panels a task, over bits of state: chains of thought written without an error, and live accuracy."""
    shown = _with_parameters(line_styles(names(model for model, _ in cells)), cells)
    width, height = PANEL
    tasks = sorted({task for _, task in cells}, key=lambda task: (task.distribution, task.length, task.trace))
    places = [
        PanelPlace(LEFT + at * (width + GAP), BELOW + line * (height + ABOVE), width, height)
        for line in reversed(range(len(tasks)))
        for at in range(2)
    ]
    sheet = FigureLayout(
        title=f"IsTree over bits of state ({'; '.join(map(_in_words, tasks))})",
        caption=states_caption(cells),
        looks=list(shown.values()),
        width=LEFT + 2 * width + GAP + 0.25,
        height=BELOW + len(tasks) * (height + ABOVE),
        places=places,
        style=replace(STYLE, most_legend_columns=5),
    )
    figure, panels = draw_sheet(sheet)
    for task, written, live in zip(tasks, panels[::2], panels[1::2], strict=True):
        of_it = {model: cell for (model, other), cell in cells.items() if other == task}
        where = f" ({_in_words(task)})" if len(tasks) > 1 else ""
        _draw(written, shown, {model: (cell.state_bits, cell.written) for model, cell in of_it.items()})
        written.set_title(f"thought and answer without an error, %{where}", fontsize=10.5, color=SOFT)
        _draw(live, shown, {model: (cell.state_bits, cell.live) for model, cell in of_it.items()})
        live.set_title(f"live accuracy, %{where}", fontsize=10.5, color=SOFT)
        _draw_ceilings(live, list(of_it.values()))
        if task.distribution == "double-star" and task.retriever() is None:
            live.axhline(100 * WITHOUT_STATE, color=INK, linewidth=0.9, linestyle="--")
        live.axhline(50, color=SOFT, linewidth=0.9, linestyle=":")
    return figure


def _in_words(task: IsTree) -> str:
    return f"{GRAPHS[task.distribution]} of n = {task.length}, thought {task.trace}"


def _with_parameters(shown: Mapping[SizedModel, LineStyle], cells: Cells) -> dict[SizedModel, LineStyle]:
    """Return the looks. In the legend each has the parameters of its models, from the least to the most."""
    parameters = {model: cell.parameters for (model, _), cell in cells.items()}
    labelled = {}
    for model, look in shown.items():
        same = [parameters[other] for other, its in shown.items() if replace(its, label=look.label) == look]
        ends = list(dict.fromkeys(count(number) for number in (min(same), max(same))))
        words = f"{look.label}: {' to '.join(ends)} parameters"
        labelled[model] = replace(look, label=words) if look.label else look
    return labelled


def _draw_ceilings(axes: Axes, cells: Sequence[IsTreeCell]) -> None:
    """Draw a line through the ceilings of the states, if one of them is below 100 %."""
    points = sorted((cell.state_bits, 100 * cell.ceiling) for cell in cells if cell.ceiling is not None)
    if points and points[0][1] < 100:
        axes.plot([bits for bits, _ in points], [share for _, share in points], color=INK, linewidth=1.3)


def states_caption(cells: Cells) -> str:
    """Return the caption: the marks, the number of runs and of their steps, and what the states forbid."""
    steps = max(cell.steps for cell in cells.values())
    bounds = [cell.ceiling for cell in cells.values() if cell.ceiling is not None]
    limit = "No state here is too small: every ceiling is 100 %. " if bounds and min(bounds) == 1 else ""
    if bounds and min(bounds) < 1:
        limit = "Black line: the ceiling of each state. "
    is_double_star = any(task.distribution == "double-star" for _, task in cells)
    dashes = "Dashes: 2/3, what O(log n) bits of state reach on double stars whatever n. " if is_double_star else ""
    return (
        f"{len(cells)} models, one run of up to {count(steps)} steps each; the legend has their parameters. Lines join widths "
        "at equal heads, open marks have another number of heads. Left: token by token after the right tokens. Right: the "
        f"model writes by itself, an answer that never comes counts 1/2. {limit}{dashes}Dots: guessing. State bits: once the "
        "prompt is read."
    )


def widths_and_others(models: Iterable[SizedModel]) -> tuple[list[list[SizedModel]], list[SizedModel]]:
    """Return the models to be joined, of one architecture, depth and number of heads and several widths, and those left over.

    >>> small, large, split = (SizedModel(("retention",), width, heads=heads) for width, heads in ((16, 4), (64, 4), (64, 8)))
    >>> joined, others = widths_and_others([split, large, small])
    >>> [model.width for model in joined[0]], [model.heads for model in others]
    ([16, 64], [8])
    """
    groups: dict[tuple[object, ...], list[SizedModel]] = defaultdict(list)
    for model in sorted(models, key=lambda model: model.rank):
        groups[model.architecture, len(model.layers), model.positions, model.heads].append(model)
    joined = [group for group in groups.values() if len(group) > 1]
    return joined, [group[0] for group in groups.values() if len(group) == 1]


def _draw(axes: Axes, shown: Mapping[SizedModel, LineStyle], points: Mapping[SizedModel, tuple[int, float]]) -> None:
    """Draw each model at its bits and its share, in percent."""
    joined, others = widths_and_others(points)
    for group in joined:
        look = shown[group[0]]
        bits = [points[model][0] for model in group]
        shares = [100 * points[model][1] for model in group]
        axes.plot(bits, shares, **look.line | look.mark, linewidth=1.4, markersize=6, clip_on=False, zorder=3)
    for model in others:
        look = shown[model]
        bits_of_it, share = points[model]
        mark = look.mark | {"fillstyle": "none"}
        axes.plot([bits_of_it], [100 * share], **mark, linestyle="none", markersize=6, clip_on=False, zorder=2)
    every = [bits for bits, _ in points.values()]
    axes.set_xscale("log")
    axes.set(xlim=(min(every) / 1.5, max(every) * 1.5), ylim=(0, 104))
    powers = [power for power in range(12) if min(every) / 1.5 <= 10**power <= max(every) * 1.5]
    axes.set_xticks([10.0**power for power in powers], [f"$10^{{{power}}}$" for power in powers])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("state, bits", fontsize=9.5, color=SOFT)
    axes.tick_params(colors=SOFT, labelsize=8.5, length=2)
    axes.grid(axis="y", color=LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)

"""A picture of a finite automaton, as DOT text, in a file, or on a page.

A state's column is its distance from the start, and an accepting state has two rings. The sink is not drawn:
a letter without an arrow leads to it.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch
from matplotlib.path import Path as Outline

from seqsep.core.files import write_file
from seqsep.core.names import BadInput, printable
from seqsep.report.figures.line_styles import INK, SOFT
from seqsep.report.figures.picture_file import plain_svg, require_format, save_figure
from seqsep.theorems.analysis.every_length import AutomatonAnalysis

DOT = (".dot", ".gv")
MOST_DRAWN = 60
RADIUS = 0.24
ACROSS = 1.55
DOWN = 1.25
EDGE = 0.7
DOTS_PER_INCH = 160
PIXELS_PER_INCH = 96
SWEEPS = 6
FEWEST_LETTERS_OF_RANGE = 3
NAME = 60
Place = tuple[float, float]


def require_automaton_format(path: Path) -> None:
    """Raise ValueError unless a picture's name ends in .dot, .gv, .svg, .png or .pdf."""
    if path.suffix.lower() not in DOT:
        require_format(path)


def draw_automaton(path: Path, analysis: AutomatonAnalysis) -> None:
    """Write the picture of an automaton. Raises BadInput for one with more than 60 states, except as DOT text."""
    require_automaton_format(path)
    if path.suffix.lower() in DOT:
        write_file(path, dot_text(analysis))
        return
    if analysis.states_without_sink > MOST_DRAWN:
        raise BadInput(
            f"{path}: expected at most {MOST_DRAWN} states to draw, found {analysis.states_without_sink:,}; a file that ends "
            "in .dot can have more"
        )
    save_figure(_figure(analysis), path, DOTS_PER_INCH)


def automaton_svg(analysis: AutomatonAnalysis, name: str) -> str:
    """Return the picture for a page, in its own size: its colours are CSS variables, and its ids begin with `name`.

    >>> automaton_svg(AutomatonAnalysis.of("(01)*"), "one").count("<path") > 4
    True
    """
    figure = _figure(analysis, is_titled=False)
    moves = "; ".join(f"{source} to {target} by {letters}" for (source, target), letters in arrows(analysis).items())
    accepting = ", ".join(map(str, np.flatnonzero(analysis.automaton.accepting).tolist())) or "none"
    summary = f"{_note(analysis)}. Start: {analysis.automaton.start}. Accepting: {accepting}. Arrows: {moves or 'none'}."
    width, height = (PIXELS_PER_INCH * size for size in figure.get_size_inches())
    svg = plain_svg(figure, "Minimal automaton", summary, name, for_page=True)
    return svg.replace("<svg ", f'<svg width="{width:.0f}" height="{height:.0f}" ', 1)


def dot_text(analysis: AutomatonAnalysis) -> str:
    """Return the automaton in the language of Graphviz.

    >>> print(dot_text(AutomatonAnalysis.of("(01)*")))
    // (01)*: the sink is not drawn; a letter without an arrow leads to it
    digraph automaton {
      rankdir=LR;
      node [shape=circle];
      start [shape=point];
      start -> 0;
      0 [shape=doublecircle];
      0 -> 1 [label="0"];
      1 -> 0 [label="1"];
    }
    <BLANKLINE>
    """
    name = printable(analysis.name, kept="")
    note = f"// {name}" + ("" if analysis.sink is None else ": the sink is not drawn; a letter without an arrow leads to it")
    lines = [note, "digraph automaton {", "  rankdir=LR;", "  node [shape=circle];", "  start [shape=point];"]
    lines.append(f"  start -> {analysis.automaton.start};")
    lines += [f"  {state} [shape=doublecircle];" for state in np.flatnonzero(analysis.automaton.accepting).tolist()]
    for (source, target), label in arrows(analysis).items():
        escaped = label.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  {source} -> {target} [label="{escaped}"];')
    return "\n".join([*lines, "}", ""])


def arrows(analysis: AutomatonAnalysis) -> dict[tuple[int, int], str]:
    """Return the letters of each pair of states, without those into the sink.

    >>> arrows(AutomatonAnalysis.of("[0-2]*3", [5]))
    {(0, 0): '0-2', (0, 1): '3'}
    """
    between: dict[tuple[int, int], list[int]] = defaultdict(list)
    for state, row in enumerate(analysis.automaton.table.tolist()):
        for symbol, target in enumerate(row):
            if analysis.sink not in (state, target):
                between[state, target].append(symbol)
    return {pair: _label(symbols, analysis.letters) for pair, symbols in between.items()}


def _label(symbols: Sequence[int], letters: Sequence[str]) -> str:
    """Return the letters of an arrow: all, all but a few, or runs of them."""
    missing = [place for place in range(len(letters)) if place not in set(symbols)]
    if len(letters) > 2 * FEWEST_LETTERS_OF_RANGE and len(missing) <= FEWEST_LETTERS_OF_RANGE:
        return "any" if not missing else f"not {_runs(missing, letters)}"
    return _runs(symbols, letters)


def _runs(symbols: Sequence[int], letters: Sequence[str]) -> str:
    runs: list[list[int]] = []
    for symbol in symbols:
        if runs and symbol == runs[-1][-1] + 1:
            runs[-1].append(symbol)
        else:
            runs.append([symbol])
    parts = [
        f"{letters[run[0]]}-{letters[run[-1]]}"
        if len(run) >= FEWEST_LETTERS_OF_RANGE
        else ",".join(letters[symbol] for symbol in run)
        for run in runs
    ]
    return ",".join(parts)


def _figure(analysis: AutomatonAnalysis, is_titled: bool = True) -> Figure:
    between = arrows(analysis)
    places = _places(analysis, list(between))
    width = max(4.5, max(x for x, _ in places.values()) + 2 * EDGE)
    is_flat = all(places[source][0] < places[target][0] for source, target in between)
    top = max(y for _, y in places.values()) + (0.5 if is_flat else 1.0)
    low = min(y for _, y in places.values()) - (0.5 if is_flat else 1.0)
    height = top - low + (0.9 if is_titled else 0.0)
    figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, facecolor="white")
    if is_titled:
        _write_title(figure, analysis)
    axes = figure.add_axes((0, 0, 1, (top - low) / height))
    axes.set(xlim=(-EDGE, width - EDGE), ylim=(low, top), aspect="equal")
    axes.axis("off")
    for (source, target), label in between.items():
        if source == target:
            _draw_loop(axes, places[source], label)
        else:
            _draw_arrow(axes, places[source], places[target], label, is_paired=(target, source) in between)
    for state, place in places.items():
        _draw_state(axes, place, state, is_accepting=bool(analysis.automaton.accepting[state]))
    x, y = places[analysis.automaton.start]
    axes.add_patch(FancyArrowPatch((x - 0.62, y), (x - RADIUS, y), arrowstyle="-|>", mutation_scale=11, color=INK, shrinkB=0))
    return figure


def _write_title(figure: Figure, analysis: AutomatonAnalysis) -> None:
    """Write the name and the number of states at the top."""
    width, height = figure.get_size_inches()
    name = printable(analysis.name, kept="")
    figure.text(
        0.25 / width,
        1 - 0.2 / height,
        name if len(name) <= NAME else f"{name[: NAME - 2]}..",
        fontsize=12,
        weight="bold",
        color=INK,
        va="top",
        parse_math=False,
    )
    figure.text(0.25 / width, 1 - 0.48 / height, _note(analysis), fontsize=9, color=SOFT, va="top")


def _note(analysis: AutomatonAnalysis) -> str:
    states = "1 state" if analysis.states_without_sink == 1 else f"{analysis.states_without_sink} states"
    return states if analysis.sink is None else f"{states}, and the sink, to which a letter without an arrow leads"


def _places(analysis: AutomatonAnalysis, pairs: Sequence[tuple[int, int]]) -> dict[int, Place]:
    """Return the place of each state: its column is its distance from the start; neighbours are close in the columns."""
    after: dict[int, list[int]] = defaultdict(list)
    near: dict[int, list[int]] = defaultdict(list)
    for source, target in pairs:
        after[source].append(target)
        near[source].append(target)
        near[target].append(source)
    columns = [[analysis.automaton.start]]
    reached = {analysis.automaton.start}
    while columns[-1]:
        new = list(dict.fromkeys(target for state in columns[-1] for target in after[state] if target not in reached))
        reached |= set(new)
        columns.append(new)
    height = {state: place - (len(column) - 1) / 2 for column in columns for place, state in enumerate(column)}
    for _ in range(SWEEPS):
        for column in columns:
            means = {state: float(np.mean([height[other] for other in near[state] or [state]])) for state in column}
            ordered = sorted(column, key=lambda state: (means[state], state))
            height |= {state: place - (len(column) - 1) / 2 for place, state in enumerate(ordered)}
    return {state: (number * ACROSS, -height[state] * DOWN) for number, column in enumerate(columns) for state in column}


def _draw_state(axes: Axes, place: Place, state: int, *, is_accepting: bool) -> None:
    axes.add_patch(Circle(place, RADIUS, facecolor="white", edgecolor=INK, linewidth=1.3, zorder=3))
    if is_accepting:
        axes.add_patch(Circle(place, RADIUS - 0.05, facecolor="none", edgecolor=INK, linewidth=1.1, zorder=4))
    axes.text(*place, str(state), fontsize=10, color=INK, ha="center", va="center_baseline", zorder=5)


def _draw_arrow(axes: Axes, start: Place, end: Place, label: str, *, is_paired: bool) -> None:
    """Draw a straight arrow to the next column, and a curved one elsewhere: forwards above the states, backwards below."""
    across = end[0] - start[0]
    down = end[1] - start[1]
    is_next = 0 < across < 1.5 * ACROSS
    bend = (-0.22 if is_paired else 0.0) if is_next else -0.32
    points = RADIUS * 72
    arrow = FancyArrowPatch(
        start,
        end,
        connectionstyle=f"arc3,rad={bend}",
        arrowstyle="-|>",
        mutation_scale=11,
        color=INK,
        linewidth=1.1,
        shrinkA=points,
        shrinkB=points,
        zorder=2,
    )
    axes.add_patch(arrow)
    middle = ((start[0] + end[0]) / 2 + bend * down / 2, (start[1] + end[1]) / 2 - bend * across / 2)
    _draw_label(axes, middle, label)


def _draw_loop(axes: Axes, place: Place, label: str) -> None:
    x, y = place
    angle = math.radians(62)
    right = (x + RADIUS * math.cos(angle), y + RADIUS * math.sin(angle))
    left = (x - RADIUS * math.cos(angle), right[1])
    outline = Outline([left, (x - 0.38, y + 0.72), (x + 0.38, y + 0.72), right], [1, 4, 4, 4])
    axes.add_patch(FancyArrowPatch(path=outline, arrowstyle="-|>", mutation_scale=11, color=INK, linewidth=1.1, zorder=2))
    _draw_label(axes, (x, y + 0.6), label)


def _draw_label(axes: Axes, place: Place, label: str) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.2}
    axes.text(*place, label, fontsize=9, color=INK, ha="center", va="center", bbox=box, zorder=2.5, parse_math=False)

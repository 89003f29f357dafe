"""An experiment's figure: a heatmap architecture x length in the papers' layout, and accuracy over learning rate beside it.

A cell holds the best accuracy of its search, the range over seeds of that best run, the paper's number, and the ceiling that
the state's bits set; its colour is the best accuracy. Each small chart is one length: accuracy with seed 0 at every rate tried,
and the other seeds of the best rate as open marks. Where there are more than `MOST_NAMED` sizes, a row is an architecture, and
each of its cells the best of its sizes there; the tables have them all.
"""

import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from seqsep.ceilings import ceiling, first_bitten_length
from seqsep.report.contender import Contender, names
from seqsep.report.looks import INK, LINE, MOST_NAMED, SOFT, Look, legend, looks
from seqsep.report.measured import GOAL, Measured, by_accuracy, chance
from seqsep.report.numerals import count, known, listed, percent, percent_at_most
from seqsep.report.picture import HEAT
from seqsep.tasks import Task

LEFT, RIGHT, TOP, CELL_HEIGHT = 2.1, 0.25, 1.3, 0.92
CELL_WIDTH, RATES_WIDTH, RATES_HEIGHT, GAP = 1.62, 2.35, 1.9, 0.22
BESIDE = 3
LETTERS_AN_INCH, TITLE_LETTER = 13.6, 0.135
TALLEST, LONGEST_NAME = 5.0, 16
Paper = Callable[[Contender, Task], float | None]


@dataclass(frozen=True)
class Shown:
    """What a cell shows: the best run with seed 0, the same run under every seed (itself included), the paper's number as a
    fraction, the ceiling (None: no bound known), every run of the cell that came to its end, and those that were pruned.
    `size`: (depth, width), unless its row says it."""

    best: Measured
    repeats: tuple[Measured, ...]
    paper: float | None
    ceiling: float | None
    runs: tuple[Measured, ...]
    pruned: tuple[Measured, ...] = ()
    size: str = ""

    @property
    def seeds(self) -> tuple[float, ...]:
        """The accuracy of each repeat, 0 where it is not a number."""
        return tuple(run.accuracy if known(run.accuracy) else 0.0 for run in self.repeats)

    @property
    def tried(self) -> tuple[Measured, ...]:
        """The runs that the best one was chosen from: those with its seed."""
        return tuple(run for run in self.runs if run.seed == self.best.seed)

    @property
    def spread(self) -> str:
        """Least and greatest accuracy over seeds, in percent."""
        least, greatest = percent(min(self.seeds)), percent(max(self.seeds))
        return least if least == greatest else f"{least}–{greatest}"

    def lines(self) -> tuple[str, ...]:
        """What is printed under the best accuracy."""
        found = [f"{len(self.seeds)} seeds {self.spread}"] if len(self.seeds) > 1 else []
        found += [f"paper {percent(self.paper)}"] if self.paper is not None else []
        found = [f"size {self.size}", *found] if self.size else found
        return (*found, f"ceiling {percent_at_most(self.ceiling)}" if self.ceiling is not None else "no bound known")


@dataclass(frozen=True)
class Grid:
    """The cells of an experiment, by contender and task."""

    title: str
    contenders: dict[Contender, str]
    tasks: tuple[Task, ...]
    cells: dict[tuple[Contender, Task], Shown]

    @classmethod
    def of(cls, title: str, runs: Sequence[Measured], paper: Paper) -> "Grid":
        """The grid of these runs; a contender and a length without a run that came to its end leave an empty cell."""
        groups: dict[tuple[Contender, Task], list[Measured]] = {}
        for run in runs:
            groups.setdefault((run.contender, run.task), []).append(run)
        groups = {place: found for place, found in groups.items() if not all(run.pruned for run in found)}
        contenders = sorted({one for one, _ in groups}, key=lambda one: one.rank)
        tasks = sorted({task for _, task in groups}, key=lambda task: (task.length, repr(task)))
        cells = {place: _shown(found, paper(*place)) for place, found in groups.items()}
        return cls(title, names(contenders), tuple(tasks), cells)

    @property
    def legible(self) -> "Grid":
        """This grid or, where it has too many rows to draw, one with a row for each architecture: its most accurate size at
        each length."""
        if len(self.contenders) <= MOST_NAMED:
            return self
        rows = dict[str, Contender]()
        cells = dict[tuple[Contender, Task], Shown]()
        for one in self.contenders:
            row = rows.setdefault(one.architecture, one)
            for task in self.tasks:
                shown, known_best = self.cells.get((one, task)), cells.get((row, task))
                if shown and (known_best is None or by_accuracy(shown.best) > by_accuracy(known_best.best)):
                    cells[row, task] = replace(shown, size=one.size)
        return replace(self, contenders={row: row.title for row in rows.values()}, cells=cells)

    def column_titles(self) -> dict[Task, str]:
        """The length of each task and, on a second line, what tells apart those of one length."""
        found = {}
        for task in self.tasks:
            same = [other.configuration() for other in self.tasks if other.length == task.length]
            fields = sorted({name for one in same for name in one if any(one.get(name) != other.get(name) for other in same)})
            words = [f"{name} {getattr(task, name, '')}" for name in fields]
            found[task] = f"N = {task.length}" + ("\n" + ", ".join(words)) * bool(words)
        return found

    def caption(self) -> str:
        """What `draw_grid` draws of it, and what the ceilings say."""
        grid = self.legible
        cells = grid.cells.values()
        steps = max((run.steps_allowed for shown in cells for run in shown.runs), default=0)
        sizes = "sizes (depth, width) and " if any(shown.size for shown in cells) else ""
        lost = "crosses were pruned, " if any(shown.pruned for shown in cells) else ""
        theirs = (
            "The paper's numbers are of the size that it prints. " if any(shown.paper is not None for shown in cells) else ""
        )
        return (
            f"Best of each cell's {sizes}learning rates, at most {count(steps)} steps a run; open marks are other seeds of the "
            f"best, {lost}dots are chance. {theirs}"
        ) + grid.ceilings()

    def ceilings(self) -> str:
        """What the ceilings say: which cells a bound limits, and where none does, that none does."""
        known_bounds = [shown for shown in self.cells.values() if shown.ceiling is not None]
        bitten = [place for place, shown in self.cells.items() if shown.ceiling is not None and shown.ceiling < 1]
        if not known_bounds:
            return "No bound on accuracy is known here: what is missing may be learning or state."
        if not bitten:
            short = any(by_accuracy(shown.best)[0] < GOAL for shown in self.cells.values())
            room = "each state has room for all that is asked"
            said = f", {room}, and what is missing was not learned." if short else f", and {room}."
            return f"Every ceiling is 100 %: the bound is vacuous at these lengths{said}{self._would_bite()}"
        titles = {task: title.replace("\n", ", ") for task, title in self.column_titles().items()}
        where = ", ".join(f"{self.contenders[one]} at {titles[task]}" for one, task in sorted(
            bitten, key=lambda place: (place[0].rank, place[1].length)))  # fmt: skip
        where = where if len(bitten) <= MOST_NAMED else f"{len(bitten)} of {len(self.cells)} cells"
        return f"The state is too small for {where}: no training exceeds the ceiling there."

    def _would_bite(self) -> str:
        """The length from which each state's ceiling is below 100 %, where any is known."""
        first = {}
        for one, name in self.contenders.items():
            *_, last = (shown for task in self.tasks if (shown := self.cells.get((one, task))) is not None)
            label = f"{name} {last.size}".strip()
            first[label] = first_bitten_length(last.best.task, *last.best.state_bits)
        bitten = [f"{count(length)} ({name})" for name, length in first.items() if length is not None]
        never = [name for name, length in first.items() if length is None]
        if not bitten:
            return ""
        if len(first) > MOST_NAMED:
            length, label = min(
                ((length, label) for label, length in first.items() if length is not None), key=lambda one: one[0]
            )
            return f" The first to be bitten would be {label}, from N = {count(length)} on."
        return f" It would bite from N = {listed(bitten)} on" + (f", and never for {listed(never)}." if never else ".")


def _shown(every: Sequence[Measured], paper: float | None) -> Shown:
    runs = [run for run in every if not run.pruned]
    first = [run for run in runs if run.seed == min(run.seed for run in runs)]
    best = max(first, key=lambda run: (by_accuracy(run), -run.learning_rate))  # as the search that made them chose it
    repeats = tuple(run for run in runs if (run.learning_rate, run.heads) == (best.learning_rate, best.heads))
    return Shown(best, repeats, paper, ceiling(best.task, best.bits_before_the_question), tuple(runs),
                 tuple(run for run in every if run.pruned))  # fmt: skip


def draw_grid(grid: Grid) -> Figure:
    """The figure; its size follows from its rows and columns. Up to three lengths the charts stand beside the heatmap, else
    each below its column."""
    grid = grid.legible
    rows, columns = max(1, len(grid.contenders)), max(1, len(grid.tasks))
    beside = columns <= BESIDE
    shown_looks = looks(grid.contenders)
    named = [look for look in shown_looks.values() if look.label]
    heat_width, heat_height = CELL_WIDTH * columns, max(CELL_HEIGHT * rows, 2.4 if beside else 0.0)
    width = LEFT + heat_width + RIGHT + (0.75 + columns * (RATES_WIDTH + GAP) if beside else 0.0)
    width = max(width, 0.4 + TITLE_LETTER * len(grid.title))
    letters = max([len(look.label) for look in named], default=1)
    entries = max(1, int((width - 0.4) / (0.75 + 0.085 * letters)))
    lines = textwrap.wrap(grid.caption(), int(LETTERS_AN_INCH * (width - 0.4)))
    under = 0.15 + 0.18 * len(lines)
    bottom = under + 0.12 + 0.21 * math.ceil(len(named) / entries) + 0.12
    charts = 0.5 if beside else 0.5 + RATES_HEIGHT + 0.35
    height = TOP + heat_height + charts + bottom
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    figure.text(0.2 / width, 1 - 0.22 / height, grid.title, fontsize=16, weight="bold", color=INK, va="top")
    figure.text(0.2 / width, 0.1 / height, "\n".join(lines), fontsize=9.5, color=SOFT, va="bottom", linespacing=1.25)
    legend(figure, named, under / height, entries)

    def place(left: float, low: float, across: float, up: float) -> Axes:
        return figure.add_axes((left / width, low / height, across / width, up / height))

    low = bottom + charts
    _heat(place(LEFT, low, heat_width, heat_height), grid)
    for column, task in enumerate(grid.tasks):
        if beside:
            start = LEFT + heat_width + 0.75 + column * (RATES_WIDTH + GAP)
            up = min(heat_height, TALLEST)
            axes = place(start, low + heat_height - up, RATES_WIDTH, up)
            axes.set_title(grid.column_titles()[task], fontsize=12, color=SOFT)
        else:
            axes = place(LEFT + CELL_WIDTH * column + 0.04, bottom + 0.5, CELL_WIDTH - 0.08, RATES_HEIGHT)
        _rates(axes, grid, task, shown_looks, is_first=column == 0)
    return figure


def _heat(axes: Axes, grid: Grid) -> None:
    axes.set(xlim=(0, len(grid.tasks)), ylim=(len(grid.contenders), 0))
    axes.axis("off")
    for across, task in enumerate(grid.tasks):
        axes.text(across + 0.5, -0.08, grid.column_titles()[task], fontsize=12, color=SOFT, ha="center", va="bottom")
    for down, (one, name) in enumerate(grid.contenders.items()):
        size = 12 * min(1.0, LONGEST_NAME / len(name))
        axes.text(-0.05, down + 0.5, name, fontsize=size, color=INK, ha="right", va="center")
        for across, task in enumerate(grid.tasks):
            shown = grid.cells.get((one, task))
            heat = shown.best.accuracy if shown and known(shown.best.accuracy) else 0.0
            box = Rectangle(
                (across + 0.015, down + 0.03), 0.97, 0.94, facecolor=HEAT(heat) if shown else "white", edgecolor=LINE
            )
            axes.add_patch(box)
            if shown is None:
                continue
            text = percent(shown.best.accuracy)
            axes.text(across + 0.5, down + 0.27, text, fontsize=14, weight="bold", color=INK, ha="center", va="center")
            under = shown.lines()
            apart = 0.17 if len(under) < 4 else 0.135
            for line, words in enumerate(under):
                axes.text(across + 0.5, down + 0.53 + apart * line, words, fontsize=8, color=INK, ha="center", va="center")


def _rates(axes: Axes, grid: Grid, task: Task, shown_looks: dict[Contender, Look], is_first: bool) -> None:
    """Accuracy over learning rate, a line an architecture."""
    rates = set[float]()
    for one, look in shown_looks.items():
        shown = grid.cells.get((one, task))
        if shown is None:
            continue
        tried = sorted({run.learning_rate for run in shown.tried})
        accuracy = [
            max(run.accuracy if known(run.accuracy) else 0.0 for run in shown.tried if run.learning_rate == rate)
            for rate in tried
        ]
        rates |= set(tried)
        axes.plot(tried, accuracy, **look.line() | look.mark(), markersize=5, linewidth=1.6, label=look.label, clip_on=False)
        others = [run.accuracy for run in shown.runs if run.seed != shown.best.seed and known(run.accuracy)]
        again = [shown.best.learning_rate] * len(others)
        axes.plot(again, others, look.marker, color=look.colour, markersize=5, markerfacecolor="none", clip_on=False)
        lost = [(run.learning_rate, run.accuracy) for run in shown.pruned if known(run.accuracy)]
        if lost:
            axes.plot(*zip(*lost, strict=True), "x", color=look.colour, markersize=5, clip_on=False)
            rates |= {rate for rate, _ in lost}
    axes.axhline(chance(task), color=SOFT, linewidth=0.8, linestyle=":")
    axes.set_xscale("log")
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"] if is_first else [""] * 5)
    ticks = rate_ticks(rates)
    axes.set_xticks(ticks, [f"{tick:.0e}".replace("e-0", "e-") for tick in ticks])
    if len(ticks) > 1:  # what stands below one chart stays clear of its neighbours
        first, *_, last = axes.get_xticklabels()
        first.set_horizontalalignment("left")
        last.set_horizontalalignment("right")
    axes.minorticks_off()
    axes.tick_params(labelsize=8.5, colors=SOFT, length=2)
    axes.grid(axis="y", color=LINE, linewidth=0.8)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_xlabel("learning rate", fontsize=9.5, color=SOFT)


def rate_ticks(rates: Iterable[float]) -> list[float]:
    """The rates with one digit, without those too near the one before to be labelled; powers of ten alone over a wide range."""
    kept = list[float]()
    given = sorted(rate for rate in set(rates) if rate == float(f"{rate:.0e}"))
    span = math.log10(given[-1] / given[0]) if given else 0.0
    if span > 2:
        given = [rate for rate in given if f"{rate:.0e}".startswith("1e")]
    for rate in given:
        if not kept or math.log10(rate / kept[-1]) >= 0.27 * max(span, 0.1):
            kept.append(rate)
    return kept

"""An experiment's figure: a heatmap architecture x length in the papers' layout, and accuracy over learning rate beside it.

A cell holds the best accuracy of its search, the range over seeds of that best run, the paper's number, and the ceiling that
the state's bits set; its colour is the best accuracy. Each small chart is one length: accuracy with seed 0 at every rate tried,
and the other seeds of the best rate as open marks.
"""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from seqsep.ceilings import ceiling
from seqsep.report.contender import Contender, names
from seqsep.report.measured import Measured, by_accuracy
from seqsep.report.numerals import count, known, percent, percent_at_most
from seqsep.report.picture import DASHES, HEAT, INK, LINE, SOFT
from seqsep.tasks import Task

SUFFIXES = (".pdf", ".png", ".svg")
CHARACTERS = 150
Paper = Callable[[Contender, Task], float | None]


@dataclass(frozen=True)
class Shown:
    """What a cell shows: the best run with seed 0, the same run under every seed (itself included), the paper's number as a
    fraction, the ceiling (None: no bound known), and every run of the cell."""

    best: Measured
    repeats: tuple[Measured, ...]
    paper: float | None
    ceiling: float | None
    runs: tuple[Measured, ...]

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
        """The grid of these runs; a contender and a length without a run leave an empty cell."""
        groups: dict[tuple[Contender, Task], list[Measured]] = {}
        for run in runs:
            groups.setdefault((run.contender, run.task), []).append(run)
        contenders = sorted({run.contender for run in runs}, key=lambda one: one.rank)
        tasks = sorted({run.task for run in runs}, key=lambda task: (task.length, repr(task)))
        cells = {place: _shown(found, paper(*place)) for place, found in groups.items()}
        return cls(title, names(contenders), tuple(tasks), cells)

    def caption(self) -> str:
        """What the ceilings say: which cells a bound limits, and where none does, that none does."""
        known_bounds = [shown for shown in self.cells.values() if shown.ceiling is not None]
        bitten = [place for place, shown in self.cells.items() if shown.ceiling is not None and shown.ceiling < 1]
        steps = max((run.steps_allowed for shown in self.cells.values() for run in shown.runs), default=0)
        said = (
            f"Best of each cell's learning rates, at most {count(steps)} steps a run; open marks are other seeds of the best, "
            "dots are chance. "
        )
        if not known_bounds:
            return said + "No bound on accuracy is known here: what is missing may be learning or state."
        if not bitten:
            return said + (
                "Every ceiling is 100 %: the bound is vacuous at these lengths, each state has room for all that is asked, and "
                "what is missing was not learned."
            )
        where = ", ".join(f"{self.contenders[one]} at N = {task.length}" for one, task in sorted(
            bitten, key=lambda place: (place[0].rank, place[1].length)))  # fmt: skip
        return said + f"The state is too small for {where}: no training exceeds the ceiling there."


def _shown(runs: Sequence[Measured], paper: float | None) -> Shown:
    first = [run for run in runs if run.seed == min(run.seed for run in runs)]
    best = max(first, key=lambda run: (by_accuracy(run), -run.learning_rate))  # as the search that made them chose it
    repeats = tuple(run for run in runs if (run.learning_rate, run.heads) == (best.learning_rate, best.heads))
    return Shown(best, repeats, paper, ceiling(best.task, best.bits_before_the_question), tuple(runs))


def draw_grid(grid: Grid, width: float = 14.0) -> Figure:
    """The figure, `width` inches wide; its height follows from the number of contenders."""
    rows, columns = max(1, len(grid.contenders)), max(1, len(grid.tasks))
    height = max(4.2, 0.92 * rows + 2.1)
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    figure.text(0.02, 1 - 0.3 / height, grid.title, fontsize=17, weight="bold", color=INK, va="top")
    figure.text(0.02, 0.12 / height, textwrap.fill(grid.caption(), CHARACTERS), fontsize=9.5, color=SOFT, va="bottom")
    bottom, top = 0.95 / height, 1 - 1.15 / height
    _heat(figure.add_axes((0.15, bottom, 0.115 * columns, top - bottom)), grid)
    left, right = 0.15 + 0.115 * columns + 0.06, 0.985
    panel = (right - left - 0.015 * (columns - 1)) / columns
    for place, task in enumerate(grid.tasks):
        axes = figure.add_axes((left + place * (panel + 0.015), bottom + 0.3 / height, panel, top - bottom - 0.3 / height))
        _rates(axes, grid, task, is_first=place == 0)
    return figure


def write_grid(grid: Grid, folder: Path, name: str) -> list[Path]:
    """`folder`/`name` as PDF, PNG and SVG; returns their paths. Equal grids give equal bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    dates = {".pdf": {"CreationDate": None}, ".png": {"Software": None}, ".svg": {"Date": None}}
    found = []
    for suffix in SUFFIXES:
        with rc_context({"svg.hashsalt": name}):
            draw_grid(grid).savefig(folder / f"{name}{suffix}", dpi=110, metadata=dates[suffix])
        found.append(folder / f"{name}{suffix}")
    return found


def _heat(axes: Axes, grid: Grid) -> None:
    axes.set(xlim=(0, len(grid.tasks)), ylim=(len(grid.contenders), 0))
    axes.axis("off")
    for across, task in enumerate(grid.tasks):
        axes.text(across + 0.5, -0.08, f"N = {task.length}", fontsize=12, color=SOFT, ha="center", va="bottom")
    for down, (one, name) in enumerate(grid.contenders.items()):
        axes.text(-0.05, down + 0.5, name, fontsize=12, color=INK, ha="right", va="center")
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
            for line, words in enumerate(shown.lines()):
                axes.text(across + 0.5, down + 0.53 + 0.17 * line, words, fontsize=8, color=INK, ha="center", va="center")


def _rates(axes: Axes, grid: Grid, task: Task, is_first: bool) -> None:
    """Accuracy over learning rate, a line an architecture."""
    chance, drawn, ticks = 1 / task.classes, list[str](), set[float]()
    for one, name in grid.contenders.items():
        shown = grid.cells.get((one, task))
        if shown is None:
            continue
        style, best = one.style, shown.best
        tried = sorted({run.learning_rate for run in shown.tried})
        accuracy = [
            max(run.accuracy if known(run.accuracy) else 0.0 for run in shown.tried if run.learning_rate == rate)
            for rate in tried
        ]
        dashes = DASHES[min(drawn.count(one.slug), len(DASHES) - 1)]
        drawn.append(one.slug)
        ticks |= {rate for rate in tried if rate == float(f"{rate:.0e}")}
        axes.plot(tried, accuracy, color=style.light, marker=style.marker, markersize=5, linewidth=1.6, linestyle=dashes,
                  label=name, clip_on=False)  # fmt: skip
        others = [run.accuracy for run in shown.runs if run.seed != best.seed and known(run.accuracy)]
        again = [best.learning_rate] * len(others)
        axes.plot(again, others, style.marker, color=style.light, markersize=5, markerfacecolor="none", clip_on=False)
    axes.axhline(chance, color=SOFT, linewidth=0.8, linestyle=":")
    axes.set_xscale("log")
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"] if is_first else [""] * 5)
    axes.set_xticks(sorted(ticks), [f"{tick:.0e}".replace("e-0", "e-") for tick in sorted(ticks)])
    axes.minorticks_off()
    axes.tick_params(labelsize=9, colors=SOFT, length=2)
    axes.grid(axis="y", color=LINE, linewidth=0.8)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_title(f"N = {task.length}", fontsize=12, color=SOFT)
    axes.set_xlabel("learning rate", fontsize=9.5, color=SOFT)
    if is_first:
        axes.legend(fontsize=8, frameon=False, loc="best", labelcolor=INK)

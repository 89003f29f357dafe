"""Validation curves, one chart per task and length; and the ceilings over length, with what was measured below them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.core.names import narrowed
from seqsep.lab.answers import chance
from seqsep.report.demo_heatmap import Heatmap, HeatmapRow
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.formatting import DASH, count, known, percent
from seqsep.report.headline import task_title
from seqsep.report.measured import GOAL, RunSummary, by_speed
from seqsep.report.sized_model import model_names
from seqsep.report.ticks import round_ticks
from seqsep.tasks import BoundedDyck, IndexLookup, Task
from seqsep.tasks.ceilings import index_lookup_ceiling

PERCENT = ((0.0, "0"), (0.25, "25"), (0.5, "50"), (0.75, "75"), (1.0, "100 %"))
UPPER_HALF = ((0.5, "50"), (0.6, "60"), (0.7, "70"), (0.8, "80"), (0.9, "90"), (1.0, "100 %"))
LONGEST_DRAWN = 10**6
POINTS = 28


@dataclass(frozen=True)
class Arrival:
    """When a model reached 99 %: the run that is drawn, and the committed seeds, each at its best rate."""

    name: str
    run: RunSummary
    rate: str
    steps: str
    seeds: str

    @property
    def slug(self) -> str:
        """The class of its colour."""
        return self.run.model.slug


@dataclass(frozen=True)
class CurvesPanel:
    """A chart of validation curves with its table."""

    chart: Chart
    arrivals: tuple[Arrival, ...]


def panels(runs: DemoRuns) -> list[CurvesPanel]:
    """Return the panels of index lookup by length, then of the Dyck languages."""
    return [_panel(runs, task) for kind in (IndexLookup, BoundedDyck) for task in runs.tasks(kind)]


def _panel(runs: DemoRuns, task: Task) -> CurvesPanel:
    lines = []
    arrivals = []
    for model, name in model_names(runs.models([task])).items():
        run = runs.fastest(task, model)
        if run is None:
            continue
        committed = runs.committed_of(task, model)
        same_rate = [other.points for other in committed if other.learning_rate == run.learning_rate and other is not run]
        last = run.curve[-1][1] if run.curve else math.nan
        lines.append(LineData(model.style, percent(last), name, run.points, faint=tuple(same_rate)))
        seeds = _arrivals(runs.each_seed(task, model, by_speed))
        arrivals.append(Arrival(name, run, rate=f"{run.learning_rate:g}", steps=_arrival(run), seeds=seeds))
    steps = float(max((run.steps_allowed for run in runs.all if run.task == task), default=1))
    guessed = chance(task)
    title = task_title(task)
    ends = "; ".join(f"{line.name} ends at {line.value} %" for line in lines)
    chart = Chart(
        title,
        f"Accuracy over training steps on {title}: {ends}",
        lines=tuple(lines),
        x=Axis(0.0, steps, tuple((tick, count(int(tick))) for tick in round_ticks(steps, 4)), "training steps"),
        y=Axis(0.0, 1.0, PERCENT) if guessed < 0.3 else Axis(0.45, 1.0, UPPER_HALF),
        guides=(GOAL, guessed),
    )
    return CurvesPanel(chart, tuple(arrivals))


def _arrival(run: RunSummary) -> str:
    if run.steps_to_goal is not None:
        return count(run.steps_to_goal)
    return f"not in {count(run.steps_allowed)}"


def _arrivals(runs: Sequence[RunSummary]) -> str:
    reached = [run.steps_to_goal for run in runs if run.steps_to_goal is not None]
    if not runs:
        return DASH
    if not reached:
        return f"0 of {len(runs)}"
    between = count(min(reached)) if min(reached) == max(reached) else f"{count(min(reached))}–{count(max(reached))}"
    return f"{between} ({len(reached)} of {len(runs)})"


def ceilings(heatmap: Heatmap) -> Chart | None:
    """Return each state's ceiling over length, with the measured accuracies as dots; None without an index lookup task."""
    if not heatmap.rows:
        return None
    lengths = [task.length for task in heatmap.tasks]
    farthest = max((row.bites for row in heatmap.rows if row.bites is not None), default=max(lengths))
    longest = min(LONGEST_DRAWN, max(10 * max(lengths), 4 * farthest))
    shortest = max(1, min(10, *lengths))
    powers = [10.0**power for power in range(7) if shortest <= 10**power <= longest]
    ticks = tuple((power, count(int(power))) for power in powers)
    limits = "; ".join(f"{row.name}: below 100 % from {row.bites_at}" for row in heatmap.rows)
    ranked = sorted(heatmap.rows, key=lambda row: -(row.bites or math.inf))
    return Chart(
        "Ceilings: the highest accuracy that a state allows",
        f"Ceiling on accuracy over length: {limits}",
        lines=tuple(_ceiling(row, shortest, longest) for row in ranked),
        x=Axis(float(shortest), float(longest), ticks, "N, symbols to remember (logarithmic)", log=True),
        y=Axis(0.0, 1.0, PERCENT),
        band=(float(min(lengths)), float(max(lengths))),
    )


def _ceiling(row: HeatmapRow, shortest: int, longest: int) -> LineData:
    """Return the ceiling of one model's state: 100 % up to where it bites, then the upper limit."""
    alphabet = narrowed(row.longest.task, IndexLookup).alphabet
    fixed, per_token = row.longest.state_bits
    start = min(row.bites or longest, longest)
    ratio = longest / start
    points = [(float(shortest), 1.0)] if start > shortest else []
    for length in sorted({round(start * ratio ** (index / POINTS)) for index in range(POINTS + 1)}):
        points.append((float(length), index_lookup_ceiling(length, alphabet, fixed + per_token * length)))
    trained = [cell.run for cell in row.cells if cell.run is not None and known(cell.run.accuracy)]
    dots = tuple((float(run.task.length), run.accuracy) for run in trained)
    return LineData(row.model.style, "", row.name, tuple(points), dots=dots)

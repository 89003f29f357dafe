"""Validation curves, one chart per task and length; and the ceilings over length, with what was measured below them."""

import math
from dataclasses import dataclass

from seqsep.ceilings import index_lookup_ceiling
from seqsep.report.contender import names
from seqsep.report.headline import task_title
from seqsep.report.heatmap import Heatmap
from seqsep.report.measured import GOAL, Evidence, Measured, by_speed, chance
from seqsep.report.numerals import DASH, count, known, percent
from seqsep.report.svg_chart import Axis, Chart, Data, draw, round_ticks
from seqsep.tasks import BoundedDyck, IndexLookup, Task

PERCENT = ((0.0, "0"), (0.25, "25"), (0.5, "50"), (0.75, "75"), (1.0, "100 %"))
UPPER_HALF = ((0.5, "50"), (0.6, "60"), (0.7, "70"), (0.8, "80"), (0.9, "90"), (1.0, "100 %"))
LONGEST_DRAWN = 10**6
POINTS = 28


@dataclass(frozen=True)
class Arrival:
    """When a contender reached 99 %: the run that is drawn, and the committed seeds at the best rate of each."""

    name: str
    slug: str
    rate: str
    steps: str
    seeds: str


@dataclass(frozen=True)
class Panel:
    """A chart of validation curves with its table."""

    chart: Chart
    arrivals: tuple[Arrival, ...]


def panels(runs: Evidence) -> list[Panel]:
    """Index lookup by length, then the Dyck languages."""
    return [_panel(runs, task) for kind in (IndexLookup, BoundedDyck) for task in runs.tasks(kind)]


def _panel(runs: Evidence, task: Task) -> Panel:
    data, arrivals = [], []
    for contender, name in names(runs.contenders([task])).items():
        run = runs.fastest(task, contender)
        if run is None:
            continue
        seeds = [other for other in runs.committed if (other.task, other.contender) == (task, contender)]
        same_rate = [other for other in seeds if other.learning_rate == run.learning_rate and other is not run]
        last = run.curve[-1][1] if run.curve else math.nan
        data.append(Data(contender, percent(last), name, run.points, tuple(other.points for other in same_rate)))
        each = runs.each_seed(task, contender, by_speed)
        arrivals.append(Arrival(name, contender.slug, f"{run.learning_rate:g}", _arrival(run), _arrivals(each)))
    steps = max((run.steps_allowed for run in runs.all if run.task == task), default=1)
    guessed = chance(task)
    y = Axis(0.0, 1.0, PERCENT) if guessed < 0.3 else Axis(0.45, 1.0, UPPER_HALF)
    x = Axis(0.0, float(steps), tuple((tick, count(int(tick))) for tick in round_ticks(float(steps), 4)), "training steps")
    title = task_title(task)
    summary = f"Accuracy over training steps on {title}: " + "; ".join(f"{one.name} ends at {one.value} %" for one in data)
    return Panel(draw(title, summary, data, x, y, (GOAL, guessed)), tuple(arrivals))


def _arrival(run: Measured) -> str:
    if run.steps_to_goal is not None:
        return count(run.steps_to_goal)
    return f"not in {count(run.steps_allowed)}"


def _arrivals(runs: list[Measured]) -> str:
    reached = [run.steps_to_goal for run in runs if run.steps_to_goal is not None]
    if not runs:
        return DASH
    if not reached:
        return f"0 of {len(runs)}"
    between = count(min(reached)) if min(reached) == max(reached) else f"{count(min(reached))}–{count(max(reached))}"
    return f"{between} ({len(reached)} of {len(runs)})"


def ceilings(heatmap: Heatmap) -> Chart | None:
    """Each state's ceiling over length, with the measured accuracies as dots; None without an index lookup task."""
    if not heatmap.rows:
        return None
    lengths = [task.length for task in heatmap.tasks]
    farthest = max((row.bites for row in heatmap.rows if row.bites is not None), default=max(lengths))
    longest = min(LONGEST_DRAWN, max(10 * max(lengths), 4 * farthest))
    shortest = max(1, min(10, *lengths))
    data = []
    for row in sorted(heatmap.rows, key=lambda row: -(row.bites or math.inf)):
        run = next(cell.run for cell in reversed(row.cells) if cell.run is not None)
        assert isinstance(run.task, IndexLookup)
        alphabet, (fixed, per_token) = run.task.alphabet, run.state_bits
        start = min(row.bites or longest, longest)
        ratio = longest / start
        tail = sorted({round(start * ratio ** (index / POINTS)) for index in range(POINTS + 1)})
        points = [(float(shortest), 1.0)] * (start > shortest)
        points += [(float(at), index_lookup_ceiling(at, alphabet, fixed + per_token * at)) for at in tail]
        trained = [cell.run for cell in row.cells if cell.run is not None and known(cell.run.accuracy)]
        dots = tuple((float(other.task.length), other.accuracy) for other in trained)
        data.append(Data(row.contender, "", row.name, tuple(points), dots=dots))
    powers = [10.0**power for power in range(7) if shortest <= 10**power <= longest]
    ticks = tuple((power, count(int(power))) for power in powers)
    x = Axis(float(shortest), float(longest), ticks, "N, symbols to remember (logarithmic)", log=True)
    summary = "Ceiling on accuracy over length: " + "; ".join(
        f"{row.name}: below 100 % from {row.bites_at}" for row in heatmap.rows
    )
    y = Axis(0.0, 1.0, PERCENT)
    return draw("What each state could hold", summary, data, x, y, band=(float(min(lengths)), float(max(lengths))))

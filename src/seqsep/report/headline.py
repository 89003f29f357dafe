"""The numbers at the head of the page: attention and the best recurrent model, and steps to 99 %."""

from dataclasses import dataclass

from seqsep.report.demo_runs import DemoRuns
from seqsep.report.formatting import count, known, percent
from seqsep.report.measured import RunSummary, by_speed
from seqsep.tasks import BoundedDyck, IndexLookup, Task


@dataclass(frozen=True)
class Tile:
    """One number of the headline, with what it is; `strong` marks the one to look at first."""

    number: str
    unit: str
    text: str
    strong: bool = False


@dataclass(frozen=True)
class Separation:
    """Attention and the best recurrent model, with the same positions if there is one, at the longest length with both."""

    task: Task
    attention: RunSummary
    recurrent: RunSummary

    def sentence(self) -> str:
        """Return the sentence with the accuracies of both, each with the size of its model and its steps."""
        runs = []
        for run in (self.attention, self.recurrent):
            layers = len(run.model.layers)
            size = f"{layers} layer{'' if layers == 1 else 's'}, width {run.model.width}"
            runs.append(f"{run.model.title} ({size}) {percent(run.accuracy)} % after {count(run.steps)} steps")
        return f"Index lookup at N = {self.task.length}: {', '.join(runs)}"


def separation(runs: DemoRuns) -> Separation | None:
    """Return the separation that the runs show; None if no length has both attention and a recurrent model."""
    for task in reversed(runs.tasks(IndexLookup)):
        best_runs = [runs.best(task, model) for model in runs.models([task])]
        trained = [run for run in best_runs if run is not None and known(run.accuracy)]
        attention = [run for run in trained if run.model.architecture == "attention"]
        recurrent = [run for run in trained if run.recurrent]
        alike = [run for run in recurrent if run.model.positions in {one.model.positions for one in attention}]
        recurrent = alike or recurrent  # like with like where there is such a run
        if attention and recurrent:
            return Separation(
                task=task,
                attention=max(attention, key=lambda run: run.accuracy),
                recurrent=max(recurrent, key=lambda run: run.accuracy),
            )
    return None


def _lstm_and_attention(runs: DemoRuns, task: Task) -> list[RunSummary]:
    """Return the fastest run of each of the two that was trained."""
    fastest = [run for model in runs.models([task]) if (run := runs.fastest(task, model)) is not None]
    groups = [[run for run in fastest if run.model.architecture == name] for name in ("lstm", "attention")]
    return [max(group, key=by_speed) for group in groups if group]


def task_title(task: Task) -> str:
    """Return a task in a reader's words.

    >>> task_title(BoundedDyck(30))
    'Dyck-(2,2), N = 30'
    """
    if isinstance(task, IndexLookup):
        return f"Index lookup, N = {task.length}"
    if isinstance(task, BoundedDyck):
        return f"Dyck-({task.kinds},{task.depth}), N = {task.length}"
    return f"{task.name}, N = {task.length}"


def tiles(runs: DemoRuns, holds: int, theorems: int) -> list[Tile]:
    """Return the numbers at the top of the page; `holds` of `theorems` theorem checks found no counterexample."""
    shown = []
    gap = separation(runs)
    if gap is not None:
        where = f"at N = {gap.task.length}"
        attention = gap.attention.model
        recurrent = gap.recurrent.model
        shown.append(
            Tile(
                percent(gap.attention.accuracy),
                "%",
                f"{attention.size_and_positions} {where}, {count(gap.attention.steps)} steps",
                strong=True,
            )
        )
        text = f"{recurrent.size_and_positions} {where}, {count(gap.recurrent.steps)} steps"
        shown.append(Tile(percent(gap.recurrent.accuracy), "%", text))
    for task in runs.tasks(BoundedDyck)[:1]:
        for run in _lstm_and_attention(runs, task):
            number = count(run.steps_to_goal) if run.steps_to_goal is not None else f"> {count(run.steps_allowed)}"
            shown.append(Tile(number, "steps", f"{run.model.size_and_positions} to 99 % on {task_title(task)}"))
    if theorems:
        shown.append(Tile(f"{holds} of {theorems}", "", "theorem checks without a counterexample"))
    return shown

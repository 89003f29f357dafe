"""The findings in one sentence each, computed from the runs; every clause changes with the numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.report.demo_runs import DemoRuns
from seqsep.report.formatting import count, known, listed, percent
from seqsep.report.measured import GOAL, RunSummary, by_speed
from seqsep.report.sized_model import model_names
from seqsep.report.styles import STYLES
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
    """Attention against the best recurrent model, with the same positions if there is one, at the longest length with both.

    `rivals` counts the recurrent models there; `absent` says which ones were not trained at this length.
    """

    task: Task
    attention: RunSummary
    recurrent: RunSummary
    rivals: int
    absent: str

    @property
    def visible(self) -> bool:
        """Whether attention is above 99 % where the recurrent model is not."""
        return self.attention.accuracy >= GOAL > self.recurrent.accuracy

    @property
    def standing(self) -> str:
        """What the recurrent model is the best of; with a single rival it is the best of nothing."""
        return f"the best of {self.rivals} recurrent models" if self.rivals > 1 else "a recurrent model"

    def steps(self) -> str:
        """What both were given."""
        attention = self.attention.steps_allowed
        recurrent = self.recurrent.steps_allowed
        if attention == recurrent:
            return f"the same {count(attention)} steps"
        return f"{count(recurrent)} steps against {count(attention)}"

    def sentence(self) -> str:
        """The finding on index lookup, as measured."""
        title = self.recurrent.model.title
        is_a_word = self.recurrent.model.family in STYLES and not self.recurrent.model.label and not title.isupper()
        rival = title[0].lower() + title[1:] if is_a_word else title
        ours = percent(self.attention.accuracy)
        theirs = percent(self.recurrent.accuracy)
        length = self.task.length
        if not self.visible and self.attention.accuracy <= self.recurrent.accuracy:
            return f"No separation at these settings: among {length} symbols attention looks up {ours} %, {rival} {theirs} %"
        depth = len(self.attention.model.layers)
        who = "One attention layer" if depth == 1 else f"Attention with {depth} layers"
        whom = f"the best of {self.rivals} recurrent models ({rival})" if self.rivals > 1 else f"{rival}, a recurrent model,"
        return (
            f"{who} looks up a symbol among {length} with {ours} % accuracy; in {self.steps()} {whom} reaches {theirs} %"
            f"{self.positions()}"
        )

    def positions(self) -> str:
        """Which positions both had, if that is known."""
        attention = self.attention.model
        recurrent = self.recurrent.model
        if not attention.positions or not recurrent.positions:
            return ""
        if attention.positions == recurrent.positions:
            return f", both with {attention.position_words}"
        return f", with {recurrent.position_words} where attention has {attention.position_words}"


def separation(runs: DemoRuns) -> Separation | None:
    """The separation that the runs show; None if no length has both attention and a recurrent model."""
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
                rivals=len(recurrent),
                absent=_absent(runs, task, recurrent),
            )
    return None


def _absent(runs: DemoRuns, task: Task, present: Sequence[RunSummary]) -> str:
    """Recurrent models that were not trained at this length, with what they reached at their longest."""
    named = {run.model for run in present}
    words = []
    tasks = runs.tasks(IndexLookup)
    titles = model_names(runs.models(tasks))
    for shorter in reversed([other for other in tasks if other.length < task.length]):
        best_runs = [runs.best(shorter, model) for model in runs.models([shorter]) if model not in named]
        missed = [run for run in best_runs if run is not None and run.recurrent and known(run.accuracy)]
        if missed:
            named |= {run.model for run in missed}
            most = percent(max(run.accuracy for run in missed))
            who = listed([titles[run.model] for run in missed])
            words.append(f"{who}, not trained at N = {task.length}, reached at most {most} % at N = {shorter.length}")
    return "; ".join(words)


def dyck_sentence(runs: DemoRuns, task: Task) -> str:
    """After how many steps the LSTM and attention reach 99 % on a Dyck language, each at its fastest size and rate.

    It says of how many architectures these are two, which positions they had, and what each was given if they were given
    different numbers of steps.
    """
    pair = _lstm_and_attention(runs, task)
    if len(pair) < 2:
        return ""
    lstm, attention = pair
    start = f"On {task_title(task)}, "
    if lstm.steps_to_goal is None and attention.steps_to_goal is None:
        accuracies = ", ".join(f"{_who(run)} {run.model.size} {percent(run.accuracy)} %" for run in (lstm, attention))
        return f"{start}neither reaches 99 %: {accuracies}{_how_compared(runs, lstm, attention)}"
    first, second = sorted(pair, key=by_speed, reverse=True)
    return f"{start}{_reached(first)}, {_reached(second).replace('reaches 99 % ', '')}{_how_compared(runs, first, second)}"


def _how_compared(runs: DemoRuns, first: RunSummary, second: RunSummary) -> str:
    """Of how many architectures two are compared, with which positions, and their steps if they were given different ones."""
    words = []
    architectures = {model.architecture for model in runs.models([first.task])}
    if len(architectures) > 2:
        words.append(f"two of {len(architectures)} architectures")
    if positions := _positions_of_both(first, second):
        words.append(positions)
    if first.steps_allowed != second.steps_allowed:
        words.append(f"given {count(first.steps_allowed)} and {count(second.steps_allowed)} steps")
    return f" ({', '.join(words)})" if words else ""


def _positions_of_both(first: RunSummary, second: RunSummary) -> str:
    """Which positions two runs had; empty if that is not known of both."""
    if not first.model.positions or not second.model.positions:
        return ""
    if first.model.positions == second.model.positions:
        return f"both with {first.model.position_words}"
    return ", ".join(f"{_who(run)} with {run.model.position_words}" for run in (first, second))


def _who(run: RunSummary) -> str:
    """The LSTM or attention, as a sentence names it."""
    return "the LSTM" if run.model.architecture == "lstm" else "attention"


def _lstm_and_attention(runs: DemoRuns, task: Task) -> list[RunSummary]:
    """The fastest run of each of the two that was trained."""
    fastest = [run for model in runs.models([task]) if (run := runs.fastest(task, model)) is not None]
    groups = [[run for run in fastest if run.model.architecture == name] for name in ("lstm", "attention")]
    return [max(group, key=by_speed) for group in groups if group]


def _reached(run: RunSummary) -> str:
    who = f"{_who(run)} {run.model.size}"
    if run.steps_to_goal is None:
        return f"{who} not within {count(run.steps_allowed)} ({percent(run.accuracy)} %)"
    return f"{who} reaches 99 % after {count(run.steps_to_goal)} steps"


def task_title(task: Task) -> str:
    """A task in a reader's words.

    >>> task_title(BoundedDyck(30))
    'Dyck-(2,2), N = 30'
    """
    if isinstance(task, IndexLookup):
        return f"Index lookup, N = {task.length}"
    if isinstance(task, BoundedDyck):
        return f"Dyck-({task.kinds},{task.depth}), N = {task.length}"
    return f"{task.name}, N = {task.length}"


def tiles(runs: DemoRuns, holds: int, theorems: int) -> list[Tile]:
    """The numbers at the top of the page; `holds` of so many theorem checks found no counterexample."""
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
        text = f"{recurrent.size_and_positions} {where}, {count(gap.recurrent.steps)} steps, {gap.standing}"
        shown.append(Tile(percent(gap.recurrent.accuracy), "%", text))
    for task in runs.tasks(BoundedDyck)[:1]:
        for run in _lstm_and_attention(runs, task):
            number = count(run.steps_to_goal) if run.steps_to_goal is not None else f"> {count(run.steps_allowed)}"
            shown.append(Tile(number, "steps", f"{run.model.size_and_positions} to 99 % on {task_title(task)}"))
    if theorems:
        shown.append(Tile(f"{holds} of {theorems}", "", "theorem checks without a counterexample"))
    return shown

"""The findings in one sentence each, computed from the runs; every clause changes with the numbers."""

from dataclasses import dataclass

from seqsep.report.contender import names
from seqsep.report.measured import GOAL, Evidence, Measured, by_speed
from seqsep.report.numerals import count, known, listed, percent
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
    """Attention against the best recurrent model at the longest length where both were trained."""

    task: Task
    attention: Measured
    recurrent: Measured
    rivals: int
    absent: str

    @property
    def visible(self) -> bool:
        """Whether attention is above 99 % where the recurrent model is not."""
        return self.attention.accuracy >= GOAL > self.recurrent.accuracy

    def steps(self) -> str:
        """What both were given."""
        one, other = self.attention.steps_allowed, self.recurrent.steps_allowed
        return f"the same {count(one)} steps" if one == other else f"{count(other)} steps against {count(one)}"

    def sentence(self) -> str:
        """The finding on index lookup, as measured."""
        length, rival = self.task.length, self.recurrent.contender.title
        rival = rival if rival.isupper() else rival[0].lower() + rival[1:]
        ours, theirs = percent(self.attention.accuracy), percent(self.recurrent.accuracy)
        depth = len(self.attention.contender.layers)
        who = "One attention layer" if depth == 1 else f"Attention with {depth} layers"
        what = f"a symbol among {length}"
        if self.visible or self.attention.accuracy > self.recurrent.accuracy:
            whom = (
                f"the best of {self.rivals} recurrent models ({rival})" if self.rivals > 1 else f"{rival}, a recurrent model,"
            )
            return f"{who} looks up {what} with {ours} % accuracy; in {self.steps()} {whom} reaches {theirs} %"
        return f"No separation at these settings: among {length} symbols attention looks up {ours} %, {rival} {theirs} %"


def separation(runs: Evidence) -> Separation | None:
    """None where no length has both an attention and a recurrent model."""
    for task in reversed(runs.tasks(IndexLookup)):
        found = [run for one in runs.contenders([task]) if (run := runs.best(task, one)) is not None and known(run.accuracy)]
        attention = [run for run in found if run.contender.architecture == "attention"]
        recurrent = [run for run in found if run.recurrent]
        if attention and recurrent:
            best, rival = (max(group, key=lambda run: run.accuracy) for group in (attention, recurrent))
            return Separation(task, best, rival, len(recurrent), _absent(runs, task, recurrent))
    return None


def _absent(runs: Evidence, task: Task, present: list[Measured]) -> str:
    """Recurrent models that were not trained at this length, with what they reached at their longest."""
    here, words = {run.contender for run in present}, []
    tasks = runs.tasks(IndexLookup)
    titles = names(runs.contenders(tasks))
    for shorter in reversed([other for other in tasks if other.length < task.length]):
        missed = {
            one: run
            for one in runs.contenders([shorter])
            if one not in here and (run := runs.best(shorter, one)) is not None and run.recurrent and known(run.accuracy)
        }
        here |= set(missed)
        if missed:
            most = max(run.accuracy for run in missed.values())
            who = listed([titles[one] for one in missed])
            words.append(f"{who}, not trained at N = {task.length}, reached at most {percent(most)} % at N = {shorter.length}")
    return "; ".join(words)


def dyck_sentence(runs: Evidence, task: Task) -> str:
    """Who reached 99 % first on a Dyck language, the LSTM or attention; each at its fastest size and rate."""
    pair = _lstm_and_attention(runs, task)
    if len(pair) < 2:
        return ""
    lstm, attention = pair
    start = f"On {task_title(task)}, "
    if lstm.steps_to_goal is None and attention.steps_to_goal is None:
        return start + f"neither reaches 99 %: the LSTM {percent(lstm.accuracy)} %, attention {percent(attention.accuracy)} %"
    turned = by_speed(lstm) > by_speed(attention)
    first, second = (lstm, attention) if turned else (attention, lstm)
    ahead = "the order is reversed: " if turned else ""
    return f"{start}{ahead}{_reached(first)}, {_reached(second).replace('reaches 99 % ', '')}"


def _lstm_and_attention(runs: Evidence, task: Task) -> list[Measured]:
    found = [run for one in runs.contenders([task]) if (run := runs.fastest(task, one)) is not None]
    groups = [[run for run in found if run.contender.architecture == name] for name in ("lstm", "attention")]
    return [max(group, key=by_speed) for group in groups if group]


def _reached(run: Measured) -> str:
    depth = len(run.contender.layers)
    who = "the LSTM" if run.contender.architecture == "lstm" else "attention"
    who += f" with {depth} layers" if depth > 1 else ""
    if run.steps_to_goal is None:
        return f"{who} not within {count(run.steps_allowed)} ({percent(run.accuracy)} %)"
    return f"{who} reaches 99 % after {count(run.steps_to_goal)} steps"


def task_title(task: Task) -> str:
    """A task in a reader's words."""
    if isinstance(task, IndexLookup):
        return f"Index lookup, N = {task.length}"
    if isinstance(task, BoundedDyck):
        return f"Dyck-({task.kinds},{task.depth}), N = {task.length}"
    return f"{task.name}, N = {task.length}"


def tiles(runs: Evidence, holds: int, theorems: int) -> list[Tile]:
    """The numbers at the top of the page."""
    found = []
    gap = separation(runs)
    if gap is not None:
        where = f"at N = {gap.task.length}"
        found.append(
            Tile(percent(gap.attention.accuracy), "%", f"Attention {gap.attention.contender.size} {where}", strong=True)
        )
        title = gap.recurrent.contender.title
        found.append(
            Tile(percent(gap.recurrent.accuracy), "%", f"best recurrent model {where}: {title} {gap.recurrent.contender.size}")
        )
    for task in runs.tasks(BoundedDyck)[:1]:
        for run in _lstm_and_attention(runs, task):
            reached, one = run.steps_to_goal, run.contender
            number = count(reached) if reached is not None else f"> {count(run.steps_allowed)}"
            found.append(Tile(number, "steps", f"{one.title} {one.size} to 99 % on {task_title(task)}"))
    if theorems:
        found.append(Tile(f"{holds} of {theorems}", "", "theorem checks hold"))
    return found

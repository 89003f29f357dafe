"""Successive halving: at fixed steps the better half of the runs that compete continues; the others are pruned.

The runs of a bracket compete at its rungs: 1/64, 1/8, 1/4 and 1/2 of their steps, each rounded up to an evaluation. The first
is left out if that makes it more than 1/32 of the steps: it is for long runs, where most rates of a cell may not learn at all.
In two cells of attention at the paper's size, index lookup at N = 20 and 50 with 14 runs each, it takes the steps spent from
189,250 to 36,750 and from 237,500 to 67,500, and the same run wins (results/index-lookup-architectures-paper.jsonl); who starts
slowly and ends first would be lost, and no cell of another mixer has been measured. At a rung the bracket waits until every
live run has been evaluated there; of n that have not diverged the best ceil(n/2) continue, and so do all that have converged. A
rung is decided only from the accuracies at its step, so the choice does not depend on timing, on workers, or on how often the
sweep was killed; a run that continues does so from a checkpoint, bit for bit.

A run that was pruned leaves a row with the status `pruned`, the step, and its curve up to there; its checkpoint is gone. A row
that the store holds of an earlier sweep without pruning takes part with its curve, and stays as it is whatever its place.

Source: Jamieson and Talwalkar 2016 (arXiv:1502.07943). We differ: the rungs are fixed parts of a run's steps.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from seqsep.lab.row import PRUNED, Row, diverged, rank_of
from seqsep.lab.run import Run
from seqsep.lab.sweep import Sweep
from seqsep.lab.train import AT_THE_END
from seqsep.models.plugins.name import shown

PARTS = (64, 8, 4, 2)
"""A rung stands at the steps divided by each of these."""
EARLY = 32
"""The rung of the first part is left out if rounding moves it beyond the steps divided by this."""

Result = Mapping[str, Any]


def rungs(run: Run) -> tuple[int, ...]:
    """Return the steps at which a run's bracket is halved: those before its last step, each once.

    >>> from seqsep.tasks import IndexLookup
    >>> rungs(Run(IndexLookup(length=5), ("lstm",), width=8, steps=2000, evaluate_every=200))
    (400, 600, 1000)
    >>> rungs(Run(IndexLookup(length=5), ("lstm",), width=8, steps=250_000))
    (4000, 31250, 62500, 125000)
    """
    every = run.evaluate_every
    first, *later = [-(-run.steps // (part * every)) * every for part in PARTS]
    early = [first] if EARLY * first <= run.steps else []
    return tuple(sorted({step for step in (*early, *later) if step < run.steps}))


def siblings(runs: Iterable[Run]) -> list[list[Run]]:
    """Return the runs in groups that differ only in learning rate and heads."""
    groups: dict[Run, list[Run]] = {}
    for run in runs:
        shared = replace(run, learning_rate=1.0, heads=1)
        groups.setdefault(shared, []).append(run)
    return list(groups.values())


def steps_at_most(groups: Iterable[Sequence[Run]]) -> dict[Run, float]:
    """Return the steps of each run of the groups, on average over its bracket, if none converges early and none diverges."""
    steps: dict[Run, float] = {}
    for bracket in brackets(groups):
        total = 0
        before = 0
        live = len(bracket.live)
        for step in (*rungs(bracket.live[0]), bracket.live[0].steps):
            total += live * (step - before)
            before = step
            live = -(-live // 2)
        for run in bracket.live:
            steps[run] = max(total / len(bracket.live), steps.get(run, 0.0))
    return steps


@dataclass(eq=False)
class Bracket:
    """Runs with equal rungs that compete; `live` in the order given."""

    live: list[Run]

    def waits(self, results: Mapping[Run, Result]) -> bool:
        """Return True if one of them has no outcome, so that nothing can be decided."""
        return any(run not in results for run in self.live)

    def halve(self, step: int, results: Mapping[Run, Result]) -> tuple[list[Run], list[Run]]:
        """Decide the rung at `step`. Return the runs that continue, and the pruned ones, the best first. A run that has
        diverged is in neither.
        """
        at = {run: cut(results[run], step) for run in self.live}
        sound = [run for run in self.live if not diverged(at[run])]
        converged = {run for run in sound if at[run]["status"] == "converged"}
        # In a stable order: of equal runs the first is the best, as `best_run` of a search takes it.
        ranked = sorted(sound, key=lambda run: (run in converged, rank_of(run, at[run])), reverse=True)
        places = -(-len(ranked) // 2)
        on = [run for place, run in enumerate(ranked) if place < places or run in converged]
        self.live = [run for run in self.live if run in on]
        return on, [run for run in ranked if run not in on]


def brackets(groups: Iterable[Sequence[Run]]) -> list[Bracket]:
    """Return for each group the runs with equal rungs and steps, in order. A single run has no bracket."""
    made = []
    for group in groups:
        alike: dict[tuple[int, ...], list[Run]] = {}
        for run in dict.fromkeys(group):
            alike.setdefault((*rungs(run), run.steps), []).append(run)
        made += [Bracket(runs) for runs in alike.values() if len(runs) > 1]
    return made


def cut(result: Result, step: int) -> dict[str, Any]:
    """Return the run's results up to `step`.

    It is the run's result if the run had ended by then, else its curve up to there, with the status `pruned`.
    """
    if result["steps"] <= step and result["status"] not in (PRUNED, "paused"):
        return dict(result)
    curve = [point for point in result["curve"] if point[0] <= step]
    accuracies = [accuracy for _, accuracy, _ in curve]
    parts = {"status": PRUNED, "steps": step, "accuracy": accuracies[-1], "best_accuracy": max(accuracies), "curve": curve}
    return {name: value for name, value in result.items() if name not in AT_THE_END} | parts


@dataclass
class HalvingResult:
    """The end of the brackets: the rows of runs that were pruned, and of those that failed without an outcome.

    `waiting` are the siblings of those that failed, with the step at which they wait.
    """

    pruned: dict[Run, Row] = field(default_factory=dict)
    failed: dict[Run, Row] = field(default_factory=dict)
    waiting: dict[Run, int] = field(default_factory=dict)

    def goes_on(self, run: Run) -> bool:
        """Return True if the run may be trained to its end."""
        return not any(run in part for part in (self.pruned, self.failed, self.waiting))


def successive_halving(groups: Iterable[Sequence[Run]], sweep: Sweep, say: Callable[[str], None]) -> HalvingResult:
    """Train the runs of each group up to where their bracket is decided, and record those that are pruned.

    `say` is called with a line for each bracket and rung. If a run fails without an outcome (its workers died, it raised), its
    bracket waits for it: none of its runs is pruned or continues until a later sweep has trained it that far. Raises what
    `Sweep.train` raises.
    """
    open_brackets = brackets(groups)
    survival = HalvingResult()
    results: dict[Run, Result] = {}
    for rung in range(len(PARTS)):
        competing = [bracket for bracket in open_brackets if len(bracket.live) > 1 and rung < len(rungs(bracket.live[0]))]
        at = {run: rungs(run)[rung] for bracket in competing for run in bracket.live}
        rows = _trained_to(at, sweep)
        results |= {run: row.result for run, row in rows.items() if row.result.keys() != {"status"}}
        survival.failed |= {run: row for run, row in rows.items() if run not in results}
        lost: list[Run] = []
        for bracket in competing:
            step = at[bracket.live[0]]
            if bracket.waits(results):
                survival.waiting |= {run: step for run in bracket.live if run not in survival.failed}
                open_brackets.remove(bracket)
                say(_undecided(step, bracket.live, survival.failed))
                continue
            whole = list(bracket.live)
            on, out = bracket.halve(step, results)
            lost += out
            accuracies = {run: cut(results[run], step)["accuracy"] for run in out}
            say(_decided(step, whole, on, accuracies))
        live = {run for bracket in open_brackets for run in bracket.live} | survival.waiting.keys()
        survival.pruned |= _record(sweep, {run: rows[run] for run in lost if run not in live}, at)
    return survival


def _trained_to(at: Mapping[Run, int], sweep: Sweep) -> dict[Run, Row]:
    """Return the row of each run at its step: that of an earlier sweep that pruned it there or later, else a new one."""
    pruned = {run: _pruned_row(sweep, run, step) for run, step in at.items()}
    known = {run: row for run, row in pruned.items() if row is not None}
    rest = {run: step for run, step in at.items() if run not in known}
    trained = sweep.train(list(rest), rest) if rest else []
    return dict(zip(rest, trained, strict=True)) | known


def _pruned_row(sweep: Sweep, run: Run, step: int) -> Row | None:
    """Return the row of a run that was pruned at `step` or later, in this environment. Its curve reaches far enough."""
    rows = [row for row in sweep.store.get(run.key()) if row.environment == sweep.environment and row.has_outcome]
    if any(row.finished for row in rows):
        return None
    return next((row for row in rows if row.result["steps"] >= step), None)


def _record(sweep: Sweep, rows: Mapping[Run, Row], at: Mapping[Run, int]) -> dict[Run, Row]:
    """Record runs as pruned at their step; returns their rows. Those that had ended before keep their rows."""
    recorded = {}
    for run, row in rows.items():
        if row.finished:
            continue
        recorded[run] = replace(row, experiment=sweep.experiment, result=cut(row.result, at[run]))
        if recorded[run] != row:
            sweep.store.record(recorded[run], seconds=0.0, attempts=0)
    return recorded


def _undecided(step: int, runs: Sequence[Run], failed: Collection[Run]) -> str:
    """Return the line of a bracket that waits."""
    missing = ", ".join(_name(run, runs) for run in runs if run in failed)
    return f"step {step}, {_shared(runs)}: nothing is decided without {missing}; start again, or without --prune"


def _decided(step: int, runs: Sequence[Run], on: Sequence[Run], pruned: Mapping[Run, float]) -> str:
    """Return the line of a bracket at a rung, with the accuracies of those that are pruned."""
    names = [f"{_name(run, runs)} (accuracy {accuracy:.4f})" for run, accuracy in pruned.items()]
    lost = len(runs) - len(on) - len(pruned)
    outcome = f"{len(on)} of {len(runs)} continue" + (f", {lost} diverged" if lost else "")
    return f"step {step}, {_shared(runs)}: {outcome}; pruned: {', '.join(names) or 'none'}"


def _shared(runs: Sequence[Run]) -> str:
    """Return the settings that the runs of a bracket have in common, in a few words."""
    names = dict.fromkeys(shown(layer) for run in runs for layer in run.layers)
    return f"{'+'.join(names)} {runs[0].task.name} N={runs[0].task.length}"


def _name(run: Run, among: Collection[Run]) -> str:
    """Return a run's name: the fields that differ from the others."""
    parts = {"heads": lambda one: one.heads, "layers": lambda one: len(one.layers), "width": lambda one: one.width}
    differing = [f"{name} {part(run)}" for name, part in parts.items() if len({part(one) for one in among}) > 1]
    return " ".join([f"rate {run.learning_rate:g}", *differing])

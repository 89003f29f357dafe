"""Pruning: of runs that compete with each other, the better half goes on at fixed steps (successive halving).

The steps (`rungs`) are 1/8, 1/4 and 1/2 of a run's steps, each rounded up to an evaluation. At each of them a race waits until
every live run has been evaluated there; of n that have not diverged the best ceil(n/2) go on, and whoever has converged. A race
is decided from the accuracies at its rungs alone, so who is pruned does not depend on timing, on workers, or on how often the
sweep was killed; who goes on continues from a checkpoint, bit for bit.

A run that was pruned leaves a row with the status `pruned`, the step, and its curve up to there; its checkpoint is gone. A row
that the store holds of an earlier sweep without pruning takes part with its curve, and stays as it is whatever its place.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seqsep.lab.row import PRUNED, Row
from seqsep.lab.run import Run, canonical_json
from seqsep.lab.store.store import Store
from seqsep.plugins.name import shown

PARTS = (8, 4, 2)

Result = Mapping[str, Any]
Train = Callable[[Sequence[Run], Mapping[Run, int]], list[Row]]
"""`sweep` of runs with their pauses."""


def rungs(run: Run) -> tuple[int, ...]:
    """Where its race halves: those before its last step, each once."""
    every = run.evaluate_every
    steps = {-(-run.steps // (part * every)) * every for part in PARTS}
    return tuple(sorted(step for step in steps if step < run.steps))


def siblings(runs: Iterable[Run]) -> list[list[Run]]:
    """Runs that differ in nothing but learning rate and heads, together."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        shared = {name: value for name, value in run.configuration().items() if name not in ("learning_rate", "heads")}
        found.setdefault(canonical_json(shared), []).append(run)
    return list(found.values())


def steps_at_most(groups: Iterable[Sequence[Run]]) -> dict[Run, float]:
    """Steps of each run of the groups, on average over its race, where none converges early and none diverges."""
    found: dict[Run, float] = {}
    for race in races(groups):
        total, before, live = 0, 0, len(race.live)
        for step in (*rungs(race.live[0]), race.live[0].steps):
            total, before, live = total + live * (step - before), step, -(-live // 2)
        for run in race.live:
            found[run] = max(total / len(race.live), found.get(run, 0.0))
    return found


@dataclass(eq=False)
class Race:
    """Runs with equal rungs that compete; `live` in the order given."""

    live: list[Run]

    def waits(self, results: Mapping[Run, Result]) -> bool:
        """Whether one of them has no outcome: it cannot be decided then."""
        return any(run not in results for run in self.live)

    def halve(self, step: int, results: Mapping[Run, Result]) -> tuple[list[Run], list[Run]]:
        """Decide at `step`: who goes on, and who is pruned, the best first. A run that has diverged is neither."""
        at = {run: cut(results[run], step) for run in self.live}
        sound = [run for run in self.live if not at[run]["status"].startswith("failed")]

        def rank(run: Run) -> tuple[bool, float, int, float]:
            return at[run]["status"] == "converged", at[run]["accuracy"], -at[run]["steps"], -run.learning_rate

        ranked = sorted(sound, key=rank, reverse=True)  # equal ones stay in order, as `best_run` of a search takes the first
        places = -(-len(ranked) // 2)
        on = [run for place, run in enumerate(ranked) if place < places or at[run]["status"] == "converged"]
        self.live = [run for run in self.live if run in on]
        return on, [run for run in ranked if run not in on]


def races(groups: Iterable[Sequence[Run]]) -> list[Race]:
    """Of each group those with equal rungs and steps, in order; a run alone has no race."""
    found = []
    for group in groups:
        parts: dict[tuple[int, ...], list[Run]] = {}
        for run in dict.fromkeys(group):
            parts.setdefault((*rungs(run), run.steps), []).append(run)
        found += [Race(part) for part in parts.values() if len(part) > 1]
    return found


def cut(result: Result, step: int) -> dict[str, Any]:
    """What a run had come to by `step`: its end where that came before, else its curve up to there, as `pruned`."""
    if result["steps"] <= step and result["status"] not in (PRUNED, "paused"):
        return dict(result)
    curve = [point for point in result["curve"] if point[0] <= step]
    accuracies = [accuracy for _, accuracy, _ in curve]
    parts = {"status": PRUNED, "steps": step, "accuracy": accuracies[-1], "best_accuracy": max(accuracies), "curve": curve}
    return {**result, **parts}


@dataclass
class Halved:
    """How the races ended: rows of those pruned; rows of those that failed without an outcome; at which step siblings of
    those wait."""

    pruned: dict[Run, Row] = field(default_factory=dict)
    failed: dict[Run, Row] = field(default_factory=dict)
    waiting: dict[Run, int] = field(default_factory=dict)

    def goes_on(self, run: Run) -> bool:
        """Whether it may be trained to its end."""
        return not any(run in part for part in (self.pruned, self.failed, self.waiting))


def halve(groups: Iterable[Sequence[Run]], store: Store, experiment: str, train: Train, say: Callable[[str], None],
          here: Mapping[str, Any]) -> Halved:  # fmt: skip
    """Train the runs of each group up to where their race is decided, and record those that are pruned; `say` is called with
    a line for each race and rung. `here`: the environment that `train` trains in.

    Where a run fails without an outcome (its workers died, it raised), its race waits for it: nothing of it is pruned or goes
    on until a later sweep has trained it that far. Raises what `train` raises.
    """
    open_races, halved = races(groups), Halved()
    results: dict[Run, Result] = {}
    for index in range(len(PARTS)):
        racing = [race for race in open_races if len(race.live) > 1 and index < len(rungs(race.live[0]))]
        wanted = dict.fromkeys(run for race in racing for run in race.live)
        at = {run: rungs(run)[index] for run in wanted}
        known = {run: row for run, step in at.items() if (row := _pruned_row(store, run, step, here)) is not None}
        rest = [run for run in wanted if run not in known]
        trained = train(rest, {run: at[run] for run in rest}) if rest else []
        rows = dict(zip(rest, trained, strict=True)) | known
        results |= {run: row.result for run, row in rows.items() if row.result.keys() != {"status"}}
        halved.failed |= {run: row for run, row in rows.items() if run not in results}
        out: list[Run] = []
        for race in racing:
            step, whole = at[race.live[0]], list(race.live)
            if race.waits(results):
                halved.waiting |= {run: step for run in race.live if run not in halved.failed}
                open_races.remove(race)
                missing = ", ".join(_name(run, whole) for run in whole if run in halved.failed)
                say(f"step {step}, {_shared(whole)}: nothing is decided without {missing}; start again, or without --prune")
                continue
            on, lost = race.halve(step, results)
            out += lost
            names = [f"{_name(run, whole)} (accuracy {cut(results[run], step)['accuracy']:.4f})" for run in lost]
            diverged = len(whole) - len(on) - len(lost)
            said = f"{len(on)} of {len(whole)} go on{f', {diverged} diverged' if diverged else ''}"
            say(f"step {step}, {_shared(whole)}: {said}; pruned: {', '.join(names) or 'none'}")
        live = {run for race in open_races for run in race.live} | halved.waiting.keys()
        halved.pruned |= _record(store, experiment, {run: rows[run] for run in out if run not in live}, at, here)
    return halved


def _pruned_row(store: Store, run: Run, step: int, here: Mapping[str, Any]) -> Row | None:
    """The row of a run that was pruned at `step` or later, in this environment: its curve reaches far enough."""
    rows = [row for row in store.get(run.key()) if row.environment == here and row.has_outcome]
    if any(row.finished for row in rows):
        return None
    return next((row for row in rows if row.result["steps"] >= step), None)


def _record(
    store: Store, experiment: str, rows: Mapping[Run, Row], at: Mapping[Run, int], here: Mapping[str, Any]
) -> dict[Run, Row]:
    """Record runs as pruned where they stand; those that had come to an end before keep their rows and are not returned."""
    found = {}
    with store.driving():
        for run, row in rows.items():
            if row.finished:
                continue
            found[run] = Row(experiment, run.key(), run.configuration(), cut(row.result, at[run]), dict(here))
            if found[run] != row:
                store.record(found[run], seconds=0.0, attempts=0)
    return found


def say_on_stderr(line: str) -> None:
    """A plain line, beside those of progress."""
    print(line, file=sys.stderr, flush=True)


def _shared(runs: Sequence[Run]) -> str:
    """What the runs of a race have in common, in a few words."""
    names = dict.fromkeys(shown(layer) for run in runs for layer in run.layers)
    return f"{'+'.join(names)} {runs[0].task.name} N={runs[0].task.length}"


def _name(run: Run, among: Collection[Run]) -> str:
    """A run by what differs."""
    parts = {"heads": lambda one: one.heads, "layers": lambda one: len(one.layers), "width": lambda one: one.width}
    differing = [f"{name} {part(run)}" for name, part in parts.items() if len({part(one) for one in among}) > 1]
    return " ".join([f"rate {run.learning_rate:g}", *differing])

"""The steps that the stages after this one may add to a sweep, by run, if no run learns: for the time left of all."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from seqsep.commands.chosen_runs import ChosenRuns
from seqsep.lab.pruning import brackets, rungs
from seqsep.lab.row import Row
from seqsep.lab.run import Run


def later_steps(
    chosen: ChosenRuns,
    competing: Iterable[Sequence[Run]],
    rows: Sequence[Row],
    pauses: Mapping[Run, int],
) -> dict[Run, float]:
    """Return the runs after the stage that follows from `rows`, with their steps. With `pauses`, include the steps after the
    rung at which runs pause.

    Of runs that compete they are the average over the bracket.
    """
    here = set(chosen.after(rows))
    steps = {run: float(run.steps) for run in _to_the_end(chosen, rows) if pauses or run not in here}
    return steps | _behind_the_rung(competing, pauses) if pauses else steps


def _behind_the_rung(competing: Iterable[Sequence[Run]], pauses: Mapping[Run, int]) -> dict[Run, float]:
    steps: dict[Run, float] = {}
    rung = max(rungs(run).index(step) for run, step in pauses.items())
    for bracket in brackets(competing):
        live = len(bracket.live)
        together = 0
        ends = (0, *rungs(bracket.live[0]), bracket.live[0].steps)
        for number, (before, step) in enumerate(pairwise(ends)):
            together += live * (step - before) * (number > rung)
            live = -(-live // 2)
        steps |= dict.fromkeys(bracket.live, together / len(bracket.live))
    return steps


def _to_the_end(chosen: ChosenRuns, rows: Sequence[Row]) -> list[Run]:
    """Return the runs of all stages, if those without a row learn nothing."""
    known = list(rows)
    keys = {row.key for row in rows}
    while True:
        named = {run.key(): run for run in chosen.after(known)}
        if named.keys() <= keys:
            return list(named.values())
        for key in named.keys() - keys:
            learned_nothing = {"status": "finished", "accuracy": 0.0, "steps": named[key].steps}
            known.append(Row(experiment="", key=key, configuration={}, result=learned_nothing, environment={}))
        keys |= named.keys()

"""Common parts of the checks of several theorems: test cases until there are enough inputs, and the search of `--tightness`."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from seqsep.maths.arithmetic.grid import Grid
from seqsep.theorems.base import Outcome, TheoremFails

Built = TypeVar("Built")


def until_tried(inputs: int, cases: Iterator[Outcome]) -> list[Outcome]:
    """Take the outcomes of cases, each of which is checked when it is taken, until `inputs` inputs are tested."""
    outcomes: list[Outcome] = []
    while sum(outcome.inputs for outcome in outcomes) < inputs:
        outcomes.append(next(cases))
    return outcomes


def passes(check: Callable[[], object]) -> bool:
    """Return True if a check meets no counterexample."""
    try:
        check()
    except TheoremFails:
        return False
    return True


def tighten(
    outcome: Outcome, *, grid: Grid, eta: int, build: Callable[[int, int], Built], answers: Callable[[Built], bool]
) -> Outcome:
    """The outcome of `--tightness`: the least scale eta at the grid's L, and the least L at `eta`, that a search finds to work.

    They work if `answers(build(L, eta))`; a network whose entries are not on the grid (ValueError of `build`) does not.
    eta goes down by 1 until it fails; L is halved until it fails, then bisected between the last two. Smaller values that work
    again beyond a failure are not found.
    Raises TheoremFails if L and eta as they are built do not work.
    """

    def works(steps: int, scale: int) -> bool:
        try:
            built = build(steps, scale)
        except ValueError:
            return False
        return answers(built)

    if not works(grid.steps, eta):
        raise TheoremFails(outcome.theorem, {"steps": grid.steps, "eta": eta})
    least_eta = eta
    while least_eta > 0 and works(grid.steps, least_eta - 1):
        least_eta -= 1
    least_steps = _least_steps(grid.steps, lambda steps: works(steps, eta))
    return replace(
        outcome,
        measured={"eta": least_eta, "steps": least_steps, "precision": Grid(least_steps).precision},
        bound={"eta": eta, "steps": grid.steps, "precision": grid.precision},
        variant="tightness" if outcome.variant is None else f"tightness, {outcome.variant}",
        margin=None,
    )


def _least_steps(steps: int, works: Callable[[int], bool]) -> int:
    """Halve until it fails, then bisect; `steps` themselves work."""
    fails = steps
    while fails > 2:
        fails //= 2
        if not works(fails):
            break
        steps = fails
    while steps - fails > 1:
        middle = (steps + fails) // 2
        if works(middle):
            steps = middle
        else:
            fails = middle
    return steps

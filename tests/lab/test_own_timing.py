"""The time of a step of a user's own layer leaves out what comes before the second step."""

import pytest

from seqsep.lab.own_timing import STEPS, _Clock, timed_by_a_worker
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup
from support.plug_ins import GOOD, run_of

RUN = Run(IndexLookup(4), ("lstm",), 8, steps=STEPS)


def seconds_of(*moves: tuple[int, float]) -> tuple[float, int]:
    """Seconds of a step, after these moves and a finish 50 s after the hand-over, and how often it was told of."""
    times = iter(at for _, at in moves)
    told: list[int] = []
    clock = _Clock(lambda: told.append(1), lambda: next(times))
    for step, _ in moves:
        clock.update(0, RUN, step, None)
    clock.finish(RUN, {}, 50.0)
    return clock.seconds[RUN], len(told)


def test_laws_and_the_first_step_are_not_counted() -> None:
    assert seconds_of((0, 1.0), (1, 20.0), (21, 22.0), (41, 24.0)) == (0.1, 1)


def test_a_run_that_ends_at_its_first_step_has_its_own_seconds() -> None:
    assert seconds_of((0, 1.0), (1, 20.0)) == (50.0, 1)
    assert seconds_of((0, 1.0)) == (50.0, 1)


@pytest.mark.slow
def test_a_worker_times_each_shape_once() -> None:
    """The laws alone take a hundred times as long as a step of this size."""
    told: list[int] = []
    run = run_of(f"{GOOD}:Sum")
    seconds = timed_by_a_worker([run], "cpu", lambda: told.append(1))
    assert told == [1]
    assert 0 < seconds[run] < 0.1

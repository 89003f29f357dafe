"""The shared parts of checks of theorems: the least eta and L of a search, and cases until there are enough inputs."""

import itertools

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Grid
from seqsep.theorems.base import Claim, TheoremFails
from seqsep.theorems.checking import passes, tighten, until_tried
from seqsep.theorems.evidence import tabulated

CLAIM = Claim("some-theorem", "nowhere", "It holds")


def outcome_of(inputs):
    return CLAIM.upper(length=4, inputs=inputs, measured={}, bound={})


@pytest.mark.parametrize("least_steps", [2, 3, 4, 7, 17, 33, 63, 64])
def test_the_least_of_both_is_found(least_steps):
    """A network answers from eta = 3 and L = `least_steps` on; one that cannot be built does not; L = 1 is not tried."""

    def build(steps, eta):
        if eta == 2:
            raise ValueError("not on the grid")
        return steps, eta

    found = tighten(
        outcome_of(1),
        grid=Grid(64),
        eta=5,
        build=build,
        answers=lambda built: built[0] >= least_steps,
    )
    assert found.measured == {"eta": 3, "steps": least_steps, "precision": Grid(least_steps).precision}
    assert found.bound == {"eta": 5, "steps": 64, "precision": Grid(64).precision}
    assert found.variant == "tightness"


def test_what_does_not_work_as_built_fails():
    with pytest.raises(TheoremFails, match="eta = 5"):
        tighten(outcome_of(1), grid=Grid(8), eta=5, build=lambda steps, eta: 0, answers=lambda built: False)
    assert tighten(outcome_of(1), grid=Grid(8), eta=2, build=lambda *of: 0, answers=lambda _: True).measured["eta"] == 0


def test_cases_are_checked_until_there_are_enough_inputs():
    checked = []

    def cases():
        for case in itertools.count():
            checked.append(case)
            yield outcome_of(4)

    assert [outcome.inputs for outcome in until_tried(10, cases())] == [4, 4, 4]
    assert checked == [0, 1, 2]
    assert until_tried(0, cases()) == []
    assert checked == [0, 1, 2]


def test_a_check_passes_unless_it_meets_a_counterexample():
    def fails():
        raise TheoremFails("some-theorem", {})

    assert passes(lambda: None)
    assert not passes(fails)


def test_a_table_has_an_axis_for_each_position():
    """Its sizes are those of the symbols at each position, which differ."""
    table = tabulated(np.array([[2, 0], [1, 1], [0, 0]]), values=[7, 8, 9])
    assert table == {"alphabets": [3, 2], "values": [9, -1, -1, 8, 7, -1]}

"""Symmetric positive steps have no cycle; a negative eigenvalue and two delta steps have one."""

from fractions import Fraction

import numpy as np
import pytest

from seqsep.theorems.base import TheoremFails
from seqsep.theorems.state_tracking import symmetric_steps
from seqsep.theorems.state_tracking._recurrences import ending


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_no_cycle(rounding, size):
    (outcome,) = symmetric_steps.check(2, size, 40, rounding)
    assert outcome.measured == {"period": 1, "states": outcome.length}


LONG_RUNS = {
    2: ([[85, 83], [83, 89]], 92, (-4, 3), (4, 4), "floor", 16),
    3: ([[80, 72], [72, 81]], 80, (-7, 9), (-9, -9), "nearest", 36),
    4: ([[98, 91], [91, 97]], 97, (14, -16), (16, 16), "nearest", 64),
}
"""By L: a symmetric matrix and its divisor, a summand, a start, a rounding and the steps until the state stands still."""


@pytest.mark.parametrize("end", LONG_RUNS)
def test_long_runs_of_two_coordinates(end):
    """A search found these. A run of one coordinate has at most G - 1 = 8, 18 and 32 steps."""
    entries, divisor, summand, start, rounding, steps = LONG_RUNS[end]
    matrix = [[Fraction(entry, divisor) for entry in row] for row in entries]
    assert matrix[0][1] == matrix[1][0]
    assert matrix[0][0] * matrix[1][1] > matrix[0][1] ** 2
    found = ending(symmetric_steps.matrix_step(matrix, summand, end, rounding), start)
    assert found == (steps, 1)
    assert symmetric_steps.bound(end, 2)["states"] > steps


def test_two_delta_steps_of_other_keys_have_a_cycle():
    """The key at 26 pi / 32 and then that at 2 pi / 32, rounding to quarters: (1/2, 3/4) and (3/4, 3/4) follow each other."""
    first, second = (np.array([np.cos(turn), np.sin(turn)]) for turn in (26 * np.pi / 32, 2 * np.pi / 32))
    step = (np.eye(2) - np.outer(second, second)) @ (np.eye(2) - np.outer(first, first))
    assert np.allclose(np.linalg.eigvals(step), [0, 0.5])
    state = np.array([0.5, 0.75])
    run = []
    for _ in range(4):
        exact = 4 * (step @ state + [0.75, 0])
        assert np.abs(exact - np.floor(exact) - 0.5).min() > 1e-4
        state = np.round(exact) / 4
        run.append(state.tolist())
    assert run == [[0.75, 0.75], [0.5, 0.75]] * 2


def test_two_delta_steps_have_a_cycle():
    """The product has the eigenvalues 0 and 49/625: its determinant is 0, and its trace is 49/625."""
    matrix = symmetric_steps.two_delta_steps(symmetric_steps.CYCLE[0])
    assert matrix[0][0] * matrix[1][1] == matrix[0][1] * matrix[1][0]
    assert matrix[0][0] + matrix[1][1] == Fraction(49, 625)
    assert symmetric_steps.run_of_two_delta_steps().period == 2


def test_a_negative_eigenvalue_is_refused(monkeypatch):
    monkeypatch.setattr(symmetric_steps, "drawn", lambda *_: [[0, 1], [1, 0]])
    with pytest.raises(TheoremFails, match="period=2"):
        symmetric_steps.check(2, 2, 20)

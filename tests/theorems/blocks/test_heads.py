"""Heads from pieces do what their definitions say, on both grids and in floats; scales that are too small are found out."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from seqsep.maths.arithmetic.grid import Grid, Tally
from seqsep.maths.arithmetic.softmax import attend
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network, whole
from seqsep.models.model import Model
from seqsep.theorems.blocks import (
    ROUNDINGS,
    Scores,
    Spaces,
    count,
    first,
    gated,
    hard_scale,
    head,
    last,
    least_grid,
    match,
    match_needs,
    number,
    offset,
    peaks,
    side_by_side,
    uniform_weight,
    with_squares,
)

SPACES = Spaces(asked=2, own=2, time=2, one=1, sink=1, gate=1, found=1, weight=1)
LENGTH = 20
LARGEST = LENGTH - 1


def drawn(seed: int, batch: int = 30) -> np.ndarray:
    """Vectors with random numbers 1 .. 5 at the places `asked` and `own`; the first is a sink, with the numbers 0."""
    random = np.random.default_rng(seed)
    inputs = np.zeros((batch, LENGTH, SPACES.width), dtype=np.int64)
    for name in ("asked", "own"):
        values = random.integers(1, 6, (batch, LENGTH))
        values[:, 0] = 0
        inputs[..., SPACES.slices[name]] = np.stack([values, values**2], axis=-1)
    inputs[..., SPACES.slices["time"]] = with_squares(np.arange(LENGTH))
    inputs[..., SPACES.slices["one"]] = 1
    inputs[:, 0, SPACES.slices["sink"]] = 1
    inputs[..., SPACES.slices["gate"]] = random.integers(0, 2, (batch, LENGTH, 1))
    return inputs


def column(inputs: np.ndarray, name: str) -> np.ndarray:
    """The first coordinate of a space."""
    return inputs[..., SPACES.slices[name].start]


def needed(eta: int) -> int:
    return max(match_needs(LARGEST, (2 * eta, LENGTH + 1)), 2 * eta * LENGTH)


def written(grid: Grid, heads: list, inputs: np.ndarray, in_floats: bool = False) -> np.ndarray:
    """The numbers that one layer of these heads writes to `found` and `weight` at every position: (batch, time, 2)."""
    network = Network(
        name="alone",
        grid=grid,
        spaces=SPACES.slices,
        symbols=None,
        vectors=whole(np.eye(SPACES.width, dtype=np.int64)),
        layers=((side_by_side(*heads), None),),
        readout=whole(np.concatenate([SPACES["found"], SPACES["weight"]])),
        readout_bias=whole([0, 0]),
    )
    result = run(network, inputs * grid.steps)
    assert not {place for place, many in result.tally.saturated.items() if many and "score" not in place and "max" not in place}
    if in_floats:
        return Model.load(network)(torch.from_numpy(inputs).double()).detach().numpy()
    return result.logits.floats()


@pytest.fixture(params=ROUNDINGS)
def grid(request) -> Grid:
    return least_grid(LENGTH, needed, request.param)


def eta_of(grid: Grid) -> int:
    return hard_scale(grid.steps)


def matched(grid: Grid, breaks) -> Scores:
    """A match of `own` with `asked` with a tie-break, and the sink above every mismatch, below every match."""
    eta = eta_of(grid)
    one = SPACES["one"]
    same = match(
        number(SPACES, "asked"),
        number(SPACES, "own"),
        one,
        factors=(2 * eta, LENGTH + 1),
        present=one - SPACES["sink"],
    )
    return same + breaks(SPACES["time"][:1], one, 2 * eta)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("back", [0, 1, 2, 5])
def test_an_offset_copies_so_many_places_back(grid, back, seed):
    inputs = drawn(seed)
    copied = head(offset(number(SPACES, "time"), SPACES["one"], back, eta_of(grid)), SPACES["own"][:1], SPACES["found"])
    expected = column(inputs, "own")[:, np.maximum(np.arange(LENGTH) - back, 0)]
    assert np.array_equal(written(grid, [copied], inputs)[..., 0], expected)
    assert np.abs(written(grid, [copied], inputs, in_floats=True)[..., 0] - expected).max() < 1e-2


@pytest.mark.parametrize("seed", range(3))
def test_the_last_match_is_found(grid, seed):
    inputs = drawn(seed)
    found = head(matched(grid, last), SPACES["time"][:1], SPACES["found"])
    values = written(grid, [found], inputs)[..., 0]
    own = column(inputs, "own")
    asked = column(inputs, "asked")
    compared = 0
    for example, place in np.ndindex(asked.shape):
        times = np.flatnonzero(own[example, : place + 1] == asked[example, place])
        if len(times):
            assert values[example, place] == times[-1]
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("seed", range(3))
def test_a_lowered_sink_is_the_answer_if_there_is_no_match(grid, seed):
    """The first match, and the sink at time 0 if there is none: below every match and above every mismatch by eta."""
    inputs = drawn(seed)
    eta = eta_of(grid)
    lowered = Scores(-2 * eta * LENGTH * SPACES["one"] + eta * SPACES["one"], SPACES["sink"])
    found = head(matched(grid, first) + lowered, SPACES["time"][:1], SPACES["found"])
    own = column(inputs, "own")
    asked = column(inputs, "asked")
    for in_floats in (False, True):
        values = written(grid, [found], inputs, in_floats)[..., 0]
        for example, place in np.ndindex(asked.shape):
            times = np.flatnonzero(own[example, : place + 1] == asked[example, place])
            assert abs(values[example, place] - (times[0] if len(times) else 0)) < 1e-2


@pytest.mark.parametrize("seed", range(3))
def test_a_count_is_the_weight_of_the_sink(grid, seed):
    """COUNT: 1 / (matches + 1), rounded to the grid; a sum over the matches is an exact multiple of it."""
    inputs = drawn(seed)
    one = SPACES["one"]
    same = match(number(SPACES, "asked"), number(SPACES, "own"), one, factors=(eta_of(grid), 1), present=one - SPACES["sink"])
    counted = count(same, SPACES["sink"], unit=SPACES["weight"], values=SPACES["time"][:1], totals=SPACES["found"])
    result = written(grid, [counted], inputs)
    own = column(inputs, "own")
    asked = column(inputs, "asked")
    for example, place in np.ndindex(asked.shape):
        times = np.flatnonzero(own[example, : place + 1] == asked[example, place])
        keys = len(times) + (asked[example, place] != 0)  # asked for the sink's own number, the sink is the match
        share = uniform_weight(grid, int(keys))
        assert Fraction(result[example, place, 1]).limit_denominator(grid.steps) == share
        assert Fraction(result[example, place, 0]).limit_denominator(grid.steps) == share * int(times.sum())
        assert abs(share - Fraction(1, int(keys))) < grid.step


def test_a_gate_hides_keys(grid):
    inputs = drawn(0)
    inputs[:, 0, SPACES.slices["gate"]] = 0
    hidden = gated(SPACES["one"], -2 * eta_of(grid) * LENGTH * SPACES["gate"])
    latest = head(hidden + last(SPACES["time"][:1], SPACES["one"], eta_of(grid)), SPACES["time"][:1], SPACES["found"])
    values = written(grid, [latest], inputs)[..., 0]
    for example, place in np.ndindex(values.shape):
        assert values[example, place] == np.flatnonzero(column(inputs, "gate")[example, : place + 1] == 0)[-1]


def test_scores_of_a_match_are_the_squared_differences():
    """Every pair of numbers, a sink without a number, and factors that keep every entry small."""
    same = match(number(SPACES, "asked"), number(SPACES, "own"), SPACES["one"], factors=(7, 5), present=SPACES["gate"])
    asking = np.zeros(SPACES.width, dtype=np.int64)
    asked = np.zeros(SPACES.width, dtype=np.int64)
    for q in range(-9, 10):
        asking[SPACES.slices["asked"]] = q, q * q
        asking[SPACES.slices["one"]] = 1
        for v in range(-9, 10):
            asked[SPACES.slices["own"]] = v, v * v
            asked[SPACES.slices["gate"]] = 1
            assert same.between(asking, asked) == -35 * (v - q) ** 2
            largest = max(np.abs(same.query @ asking).max(), np.abs(same.key @ asked).max())
            assert largest <= match_needs(9, (7, 5))
        assert same.between(asking, np.zeros_like(asked)) == 0


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_the_hard_scale_is_enough_for_every_number_of_keys(rounding):
    """M keys that tie and n - M that score eta less: the weights are `uniform_weight` and 0."""
    for steps in (16, 64, 1024):
        grid = Grid(steps) if rounding == "floor" else Grid(steps, "nearest", "once")
        keys = min(steps, 60)
        scores = np.where(np.arange(keys) < np.arange(1, keys + 1)[:, None], 0, -hard_scale(steps))
        weights = attend(grid, whole(scores), None, Tally(), "layer")
        dense = np.zeros_like(scores)
        dense[weights.row, weights.key] = weights.steps
        for row in range(keys):
            share = uniform_weight(grid, row + 1) / grid.step
            assert (dense[row, : row + 1] == share).all()
            assert not dense[row, row + 1 :].any()


def test_a_smaller_scale_is_not_enough():
    """Two keys that score eta' < eta below the greatest take a step of weight from it, on the grid rounded down too."""
    grid = Grid(1024)
    scores = whole([[0, -6, -6]])
    weights = attend(grid, scores, None, Tally(), "layer")
    assert hard_scale(1024) == 15
    assert weights.steps.tolist() != [1024]
    assert attend(grid, whole([[0, -15, -15]]), None, Tally(), "layer").steps.tolist() == [1024]


def test_a_copy_with_too_small_a_scale_is_not_exact(grid):
    inputs = drawn(1)
    copied = head(offset(number(SPACES, "time"), SPACES["one"], 1, eta=2), SPACES["own"][:1], SPACES["found"])
    expected = column(inputs, "own")[:, np.maximum(np.arange(LENGTH) - 1, 0)]
    assert not np.array_equal(written(grid, [copied], inputs)[..., 0], expected)


@pytest.mark.parametrize("unit", [1, 3])
def test_the_read_out_peaks_at_the_number(unit):
    rows = peaks(np.arange(12), total=np.array([[1, 0]]), unit=np.array([[0, 1]]))
    for v in range(12):
        logits = rows @ np.array([v * unit, unit])
        assert logits.argmax() == v
        assert np.sort(logits)[-1] - np.sort(logits)[-2] == unit


def test_the_least_grid_is_least():
    for rounding in ROUNDINGS:
        for tokens in (4, 20, 67, 515):
            found = least_grid(tokens, lambda eta, tokens=tokens: 2 * eta * tokens, rounding)
            assert found.steps >= 2 * hard_scale(found.steps) * tokens
            smaller = found.steps // (tokens if rounding == "floor" else 2)
            assert smaller < 2 * hard_scale(smaller) * tokens
    assert least_grid(514, lambda eta: match_needs(513, (2 * eta, 515))).precision == 38
    with pytest.raises(ValueError, match="rounding is one of floor, nearest"):
        least_grid(4, lambda eta: 1, "up")


def test_mismatched_rows_are_refused():
    with pytest.raises(ValueError, match="as many are required"):
        Scores(SPACES["own"], SPACES["one"])
    with pytest.raises(ValueError, match="as many are required"):
        head(Scores(SPACES["one"], SPACES["one"]), SPACES["own"], SPACES["one"])
    with pytest.raises(ValueError, match="a number has 2 coordinates, the space has 1"):
        number(SPACES, "one")

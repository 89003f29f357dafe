"""Linear recurrences and gated products on both papers' grids, against fractions; the range of every number remembered."""

import dataclasses
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Array, Grid, Tally
from seqsep.maths.networks import recurrent
from seqsep.maths.networks.executor import ask, run
from seqsep.maths.networks.generation import follow
from seqsep.maths.networks.network import ElmanLayer, GatedFeedForward, LinearLayer, Network, whole
from seqsep.maths.networks.recurrent import StateRange, ranges
from support import grid_reference as reference
from support.random_networks import TIME, TOKENS, WIDTH, fractions, random_network

REMEMBERED = 3
FIRST = [Grid(steps) for steps in (2, 3, 8)]  # p = 4, 5, 8: rounded down, softmax in steps
SECOND = [Grid(2**b, "nearest", "once") for b in (1, 2, 3)]  # of 2^p numbers, but for one end point


def name(grid: Grid) -> str:
    return f"{grid.steps}-{grid.rounding}-{grid.softmax}"


def mixed_network(seed: int, grid: Grid) -> Network:
    """A linear layer with products after it, then attention, then a linear layer again, of numbers on and off the whole."""
    random = np.random.default_rng(seed)

    def some(*shape: int) -> Array:
        unit = (Fraction(1), grid.step)[random.integers(2)]
        most = 2 if unit == 1 else 2 * grid.steps
        return Array(random.integers(-most, most + 1, shape), unit)

    def linear() -> LinearLayer:
        recurrent = Array(random.integers(-2 * grid.steps, 2 * grid.steps + 1, (REMEMBERED, REMEMBERED)), grid.step)
        return LinearLayer(recurrent, some(REMEMBERED, WIDTH), some(WIDTH, REMEMBERED))

    attention = random_network(seed, grid)
    gated = GatedFeedForward(some(4, WIDTH), some(4), some(4, WIDTH), some(4), some(WIDTH, 4), some(WIDTH))
    return dataclasses.replace(attention, layers=((linear(), gated), *attention.layers[:1], (linear(), gated)))


@pytest.mark.parametrize("seed", range(12))
def test_random_networks_against_fractions(seed):
    grid = (Grid(6), Grid(16, "nearest", "once"), Grid(100), Grid(1 << 10, "nearest", "once"))[seed % 4]
    network = mixed_network(seed, grid)
    inputs = np.random.default_rng(seed).integers(0, TOKENS, (3, TIME))
    result = run(network, inputs)
    for row, tokens in enumerate(inputs.tolist()):
        assert fractions(result.logits[row]) == reference.run(network, tokens)
    assert fractions(run(network, inputs, at=-1).logits[:, 0]) == fractions(result.logits[:, -1])
    some = run(network, inputs, at=np.array([[2, 0], [5, 5], [1, 3]]))
    assert fractions(some.logits[0]) == [fractions(result.logits[0])[2], fractions(result.logits[0])[0]]
    assert some.state_ranges == result.state_ranges
    assert len(result.state_ranges) == 2 * REMEMBERED
    assert result.tally.rounded["layer 0 state"] + result.tally.rounded["layer 2 state"] > 0
    assert result.tally.rounded["layer 0 product"] + result.tally.rounded["layer 2 product"] > 0


WIDE = [Grid(1 << 16), Grid(1 << 18, "nearest", "once"), Grid(1 << 24), Grid(10**9, "nearest", "once")]


@pytest.mark.parametrize("grid", WIDE, ids=name)
def test_wide_integers_against_fractions(grid):
    """Sums of 2^51, 2^57, 2^75 and more: in float64, int64 and Python's integers."""
    for seed in range(3):
        network = mixed_network(seed, grid)
        network = dataclasses.replace(network, layers=network.layers[::2])  # the two that are linear
        tokens = np.random.default_rng(seed).integers(0, TOKENS, (1, TIME))
        assert fractions(run(network, tokens).logits[0]) == reference.run(network, tokens[0].tolist())


def test_sums_beyond_float64_are_exact():
    """2^54 + 1 is no float64; beyond 2^61 the bound of the sums passes int64."""
    total = LinearLayer(whole([[1]]), whole([[1]]), whole([[0]]))
    for steps, given in ((1 << 60, [2**54 + 1, 2, -(2**54)]), (1 << 62, [2**61, 2**61 - 1, 2 - 2**62])):
        met = recurrent.states(Grid(steps), total, whole([[[number] for number in given]]), tally=Tally(), where="here")
        assert [int(number) * met.unit for number in met.integers[0, :, 0]] == [sum(given[:t]) for t in range(4)]


def some_layer(random: np.random.Generator, grid: Grid, is_linear: bool) -> LinearLayer | ElmanLayer:
    """Shifts and sums, or any numbers; entries off the whole ones in every other array."""

    def some(*shape: int) -> Array:
        unit = (Fraction(1), grid.step)[random.integers(2)]
        return Array(random.integers(-2, 3, shape) * (1 if unit == 1 else grid.steps // 2), unit)

    shifts = whole(np.eye(REMEMBERED, k=-1) + np.diag(random.integers(0, 2, REMEMBERED)))
    recurrent = (shifts, some(REMEMBERED, REMEMBERED))[random.integers(2)]
    if is_linear:
        return LinearLayer(recurrent, some(REMEMBERED, WIDTH), some(WIDTH, REMEMBERED))
    start = Array(np.abs(some(REMEMBERED).integers), grid.step)
    return ElmanLayer(recurrent, some(REMEMBERED, REMEMBERED), some(REMEMBERED), start)


@pytest.mark.parametrize("is_linear", [True, False])
@pytest.mark.parametrize("grid", [Grid(6), Grid(100, "nearest", "once"), Grid(1 << 18)], ids=name)
def test_one_unit_gives_what_single_steps_give(grid, is_linear, monkeypatch):
    """The same states, and the same numbers moved and cut off, with the step of `ask` in place of integers of one unit."""
    random = np.random.default_rng(grid.steps)
    kinds = Counter()
    for _ in range(60):
        layer = some_layer(random, grid, is_linear)
        vectors = random.integers(-3 * grid.steps, 3 * grid.steps + 1, (2, TIME, layer.input.integers.shape[1]))
        x = Array(vectors, (Fraction(1), grid.step)[random.integers(2)]) if grid.steps > 6 else Array(vectors, grid.step)
        both = []
        for scaled in (recurrent._scaled, lambda *given: None):
            monkeypatch.setattr(recurrent, "_scaled", scaled)
            tally = Tally()
            met = recurrent.states(grid, layer, x, tally=tally, where="here")
            both.append((fractions(Array(met.integers.reshape(-1, REMEMBERED), met.unit)), tally.rounded["here"]))
            both[-1] += (tally.saturated["here"],)
            monkeypatch.undo()
        assert both[0] == both[1]
        kinds["rounded"] += both[0][1] > 0
        kinds["saturated"] += both[0][2] > 0
    assert min(kinds["rounded"], kinds["saturated"]) > 0, kinds


@pytest.mark.parametrize("seed", range(4))
def test_asking_many_questions_is_running_each(seed):
    network = mixed_network(seed, (Grid(50), Grid(64, "nearest", "once"))[seed % 2])
    prefix = np.random.default_rng(seed).integers(0, TOKENS, TIME - 1)
    questions = np.arange(TOKENS)
    asked = ask(network, prefix, questions)
    each = run(network, np.concatenate([np.tile(prefix, (TOKENS, 1)), questions[:, None]], axis=1), at=-1)
    assert fractions(asked.logits) == fractions(each.logits[:, 0])
    assert asked.state_ranges == each.state_ranges
    last = dataclasses.replace(network, layers=network.layers[:1])
    each = run(last, np.concatenate([np.tile(prefix, (TOKENS, 1)), questions[:, None]], axis=1), at=-1)
    assert fractions(ask(last, prefix, questions).logits) == fractions(each.logits[:, 0])


def one_product(grid: Grid) -> Network:
    """relu(x_1) x_2 is added to 0 and read out: the token's number on the grid times that of the one before it."""
    every = np.arange(-(grid.steps**2), grid.steps**2 + 1)
    symbols = np.zeros((len(every), 3), dtype=np.int64)
    symbols[:, 0] = every
    product = GatedFeedForward(whole([[0, 1, 0]]), whole([0]), whole([[1, 0, 0]]), whole([0]), whole([[0]] * 2 + [[1]]), NONE)
    shift = LinearLayer(whole([[0]]), whole([[1, 0, 0]]), whole([[0], [1], [0]]))
    readout = whole([[0, 0, 1], [0, 1, 0]])
    return Network("product", grid, {}, Array(symbols, grid.step), ((shift, product),), readout, whole([0, 0]))


NONE = whole([0, 0, 0])


@pytest.mark.parametrize("grid", FIRST + SECOND, ids=name)
def test_every_pair_of_factors(grid):
    """After every number of the grid every other: the shift remembers the first, and the gate adds their product."""
    network = one_product(grid)
    every = np.arange(2 * grid.steps**2 + 1)
    pairs = np.stack([part.ravel() for part in np.meshgrid(every, every)], axis=1)
    result = run(network, pairs, at=-1)
    values = [(Fraction(int(a), grid.steps), Fraction(int(b), grid.steps)) for a, b in pairs - grid.steps**2]
    expected = [[reference.place(grid, max(first, Fraction(0)) * second), first] for first, second in values]
    assert fractions(result.logits[:, 0]) == expected
    moved = sum((max(first, 0) * second * grid.steps).denominator != 1 for first, second in values)
    assert result.tally.rounded["layer 0 product"] == moved > 0
    assert result.tally.saturated["layer 0 product"] > 0


@pytest.mark.parametrize("grid", FIRST + SECOND, ids=name)
def test_every_sum_of_two_in_the_state(grid):
    """A counter that adds: 0, then the first number, then the first and the second, saturated at the ends."""
    network = one_product(grid)
    adder = LinearLayer(whole([[1]]), whole([[1, 0, 0]]), whole([[0], [1], [0]]))
    network = dataclasses.replace(network, layers=((adder, None),))
    every = np.arange(2 * grid.steps**2 + 1)
    pairs = np.stack([part.ravel() for part in np.meshgrid(every, every)], axis=1)
    result = run(network, np.concatenate([pairs, pairs[:, :1]], axis=1), at=-1)
    values = [(Fraction(int(a), grid.steps), Fraction(int(b), grid.steps)) for a, b in pairs - grid.steps**2]
    sums = [reference.place(grid, first + second) for first, second in values]
    assert [row[1] for row in fractions(result.logits[:, 0])] == sums
    assert result.tally.saturated["layer 0 state"] > 0
    (met,) = result.state_ranges
    assert (met.least, met.greatest, met.unit) == (-grid.steps, grid.steps, grid.step)
    assert met.bits == network.state_bits == grid.precision


def test_halves_are_rounded_as_each_grid_says():
    """h/2 of h = 1/L: down to 0 on the first grid, up to 1/L on the second; of -1/L: to -1/L and to 0."""
    for grid, expected in ((Grid(4), (0, -1)), (Grid(4, "nearest", "once"), (1, 0))):
        halving = LinearLayer(Array(np.array([[1]]), Fraction(1, 2)), whole([[1]]), whole([[1]]))
        symbols = Array(np.array([[1], [-1], [0]]), grid.step)
        network = Network("half", grid, {}, symbols, ((halving, None),), whole([[1]]), whole([0]))
        result = run(network, np.array([[0, 2, 2], [1, 2, 2]]), at=-1)
        assert fractions(result.logits[:, 0]) == [[Fraction(number, 4)] for number in expected]


def test_a_broken_recurrence_is_found_out(monkeypatch):
    """One that reads the state after its token, forgets, or never leaves the first state."""
    network = mixed_network(2, Grid(100))
    inputs = np.random.default_rng(2).integers(0, TOKENS, (1, TIME))
    expected = reference.run(network, inputs[0].tolist())
    assert fractions(run(network, inputs).logits[0]) == expected
    honest = recurrent.states
    spoiled = {
        "reads too late": lambda states: np.roll(states, -1, axis=1),
        "forgets": lambda states: np.where(np.arange(states.shape[1])[None, :, None] == 3, 0, states),
        "stands still": lambda states: np.zeros_like(states),
    }
    for spoil in spoiled.values():

        def broken(*given, spoil=spoil, **named):
            met = honest(*given, **named)
            return Array(spoil(met.integers), met.unit)

        monkeypatch.setattr("seqsep.maths.networks.recurrent.states", broken)
        assert fractions(run(network, inputs).logits[0]) != expected


def test_ranges_are_of_all_that_was_met():
    """A shift register of two and a counter, by hand; what is remembered after the last token counts."""
    layer = LinearLayer(whole([[0, 0, 0], [1, 0, 0], [0, 0, 1]]), whole([[1, 0], [0, 0], [0, 1]]), whole(np.zeros((2, 3))))
    symbols = whole([[0, 1], [5, 1], [2, -1]])
    network = Network("shift", Grid(16), {}, symbols, ((layer, None),), whole([[1, 0]]), whole([0]))
    result = run(network, np.array([[0, 1, 2], [2, 2, 0]]))
    one = Fraction(1)
    assert result.state_ranges == (
        StateRange(0 * one, 5 * one, one),
        StateRange(0 * one, 5 * one, one),
        StateRange(-2 * one, 2 * one, one),
    )
    assert [met.bits for met in result.state_ranges] == [3, 3, 3]
    assert network.state_bits == 3 * network.precision == 3 * Grid(16).precision
    alone = ranges(Array(np.array([[[0, -3], [2, 1]]]), Fraction(1, 2)))
    assert [(met.least, met.greatest, met.unit, met.bits) for met in alone] == [
        (0, 1, 1, 1),
        (Fraction(-3, 2), Fraction(1, 2), Fraction(1, 2), 3),
    ]
    (away_from_zero,) = ranges(Array(np.array([[[5], [7], [6]]])))
    assert (away_from_zero.least, away_from_zero.greatest, away_from_zero.bits) == (5, 7, 2)
    both = alone[0].joined(StateRange(Fraction(-1, 3), Fraction(0), Fraction(1, 3)))
    assert (both.least, both.greatest, both.unit, both.bits) == (Fraction(-1, 3), 1, Fraction(1, 3), 3)


def test_sizes_are_counted_from_the_arrays():
    network = mixed_network(0, Grid(9))
    entries = sum(array.integers.size for _, array in network.arrays())
    linear = REMEMBERED * (REMEMBERED + 2 * WIDTH)
    gated = 3 * 4 * WIDTH + 2 * 4 + WIDTH
    attention = sum(array.integers.size for array_name, array in network.arrays() if ".heads." in array_name)
    outside = (TOKENS + TIME + 3) * WIDTH + 3
    ffn = sum(array.integers.size for array_name, array in network.arrays() if ".1.feed_forward" in array_name)
    assert entries == 2 * (linear + gated) + attention + outside + ffn
    assert network.ledger().tables == entries * network.precision
    assert network.state_bits == 2 * REMEMBERED * network.precision
    names = [array_name for array_name, _ in network.arrays()]
    assert {"layers.0.linear.output", "layers.2.gated_feed_forward.gate_bias"} <= set(names)
    elman = ElmanLayer(whole(np.eye(2)), whole(np.eye(2)), whole([0, 0]), whole([0, 1]))
    network = Network("elman", Grid(4), {}, whole(np.eye(2)), ((elman, None),), whole(np.eye(2)), whole([0, 0]))
    assert network.state_bits == 2 * 6
    assert [met.greatest for met in run(network, np.array([[0, 0, 1]])).state_ranges] == [2, 2]


def test_what_is_no_network_is_refused():
    with pytest.raises(ValueError, match="recurrent is r x r, input r x d and output d x r, found 1 x 2, 1 x 3, 3 x 1"):
        LinearLayer(whole([[0, 0]]), whole([[0, 0, 0]]), whole([[0]] * 3))
    layer = LinearLayer(whole([[1]]), whole([[1]]), whole([[5]]))
    with pytest.raises(ValueError, match=r"layers\.0\.linear\.output has entries up to 5"):
        Network("large", Grid(4), {}, whole([[1]]), ((layer, None),), whole([[1]]), whole([0]))
    elman = ElmanLayer(whole([[1]]), whole([[1]]), whole([0]), whole([0]))
    network = Network("elman", Grid(4), {}, whole([[1]]), ((elman, None),), whole([[1]]), whole([0]))
    with pytest.raises(ValueError, match="layer 0 is neither attention nor linear"):
        ask(network, np.array([0]), np.array([0]))


def test_ranges_of_generated_sequences_are_joined():
    """Two lengths are two runs; the last token is never read. A token's answer is itself, and what it adds is its number."""
    layer = LinearLayer(whole([[1]]), whole([[1, 0]]), whole([[0], [0]]))
    symbols = whole([[-1, 0], [2, 1]])
    network = Network("sum", Grid(16), {}, symbols, ((layer, None),), whole([[0, 0], [0, 2]]), whole([1, 0]))
    (met,) = follow(network, [[0, 0, 0], [1, 1, 1, 1]], starts=[1, 1]).state_ranges
    assert (met.least, met.greatest, met.bits) == (-2, 6, 4)

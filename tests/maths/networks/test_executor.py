"""The executor agrees with one that computes number by number in fractions, and reports what it rounded."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
import torch

from seqsep.maths.arithmetic.grid import Array, Grid, Tally
from seqsep.maths.arithmetic.softmax import attend
from seqsep.maths.networks.executor import ask, run
from seqsep.maths.networks.network import AutomatonLayer, whole
from seqsep.models.model import Model
from support import grid_reference as reference
from support.random_networks import TIME, TOKENS, WIDTH, fractions, random_network


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("softmax", ["stepwise", "once"])
def test_random_networks_against_fractions(seed, softmax):
    grid = Grid([6, 16, 100, 1000][seed % 4], ("floor", "nearest")[seed % 2], softmax)
    network = random_network(seed, grid, causal=seed % 3 > 0, heads=1 + seed % 2)
    inputs = np.random.default_rng(seed).integers(0, TOKENS, (3, TIME))
    result = run(network, inputs)
    for row, tokens in enumerate(inputs.tolist()):
        assert fractions(result.logits[row]) == reference.run(network, tokens)
    last = run(network, inputs, at=-1)
    assert fractions(last.logits[:, 0]) == fractions(result.logits[:, -1])
    some = run(network, inputs, at=np.array([[2, 0], [5, 5], [1, 3]]))
    assert fractions(some.logits[0]) == [fractions(result.logits[0])[2], fractions(result.logits[0])[0]]
    assert sum(result.tally.rounded.values()) > 0


@pytest.mark.parametrize("seed", range(6))
def test_asking_many_questions_is_running_each(seed):
    network = random_network(seed, Grid(50), heads=1 + seed % 2, layers=1 + seed % 2)
    prefix = np.random.default_rng(seed).integers(0, TOKENS, TIME - 1)
    questions = np.arange(TOKENS)
    asked = ask(network, prefix, questions)
    each = run(network, np.concatenate([np.tile(prefix, (TOKENS, 1)), questions[:, None]], axis=1), at=-1)
    assert fractions(asked.logits) == fractions(each.logits[:, 0])
    assert asked.answers.tolist() == each.answers[:, 0].tolist()


def test_chunks_change_nothing(monkeypatch):
    network = random_network(3, Grid(30))
    inputs = np.random.default_rng(0).integers(0, TOKENS, (7, TIME))
    whole_run, asked = run(network, inputs), ask(network, inputs[0, :-1], np.arange(TOKENS))
    monkeypatch.setattr("seqsep.maths.networks.executor.ENTRIES_AT_ONCE", 11)
    assert fractions(run(network, inputs).logits[4]) == fractions(whole_run.logits[4])
    assert run(network, inputs).tally == whole_run.tally
    assert fractions(ask(network, inputs[0, :-1], np.arange(TOKENS)).logits) == fractions(asked.logits)


def test_vectors_are_inputs_too():
    grid = Grid(10)
    network = dataclasses.replace(
        random_network(1, grid), symbols=None, indices=None, vectors=whole(np.random.default_rng(0).integers(-2, 3, (2, WIDTH)))
    )
    given = np.random.default_rng(2).integers(-100, 101, (3, TIME, 2))
    from_vectors = run(network, given)
    embedded = given @ network.vectors.integers
    tokens = dataclasses.replace(
        network,
        vectors=None,
        symbols=Array(np.clip(embedded.reshape(-1, WIDTH), -100, 100), grid.step),
    )
    ids = np.arange(3 * TIME).reshape(3, TIME)
    assert fractions(from_vectors.logits[1]) == fractions(run(tokens, ids).logits[1])
    with pytest.raises(ValueError, match="2 coordinates of magnitude at most 10"):
        run(network, given + 200)


@pytest.mark.parametrize("causal", [True, False])
@torch.no_grad()
def test_a_network_loads_into_the_model(causal):
    """On a fine grid the exact logits are the float64 ones up to a few steps: heads, masks, tokens and vectors alike."""
    network = dataclasses.replace(random_network(7, Grid(4), causal), grid=Grid(10**9))
    inputs = np.random.default_rng(0).integers(0, TOKENS, (5, TIME))
    exact, floats = run(network, inputs).logits.floats(), Model.load(network)(torch.from_numpy(inputs)).numpy()
    assert np.abs(floats - exact).max() < 1e-7 * np.abs(exact).max()
    vectors = whole(np.random.default_rng(0).integers(-2, 3, (2, WIDTH)))
    network = dataclasses.replace(network, symbols=None, indices=None, vectors=vectors)
    given = np.random.default_rng(2).integers(-(10**9), 10**9, (3, TIME, 2))
    exact, floats = run(network, given).logits.floats(), Model.load(network)(torch.from_numpy(given / 1e9)).numpy()
    assert np.abs(floats - exact).max() < 1e-7 * np.abs(exact).max()


def test_bad_calls_are_named():
    network = random_network(0, Grid(9))
    with pytest.raises(ValueError, match="tokens are 0 to 3, found 0 to 9"):
        run(network, np.array([[0, 9]]))
    with pytest.raises(ValueError, match="7 tokens, positions for 6"):
        run(network, np.zeros((1, 7), dtype=np.int64))
    with pytest.raises(ValueError, match="without a causal mask"):
        ask(random_network(0, Grid(9), causal=False), np.zeros(2, dtype=np.int64), np.arange(2))
    with pytest.raises(ValueError, match="readout has entries up to 10"):
        dataclasses.replace(network, readout=whole([[10] * WIDTH] * 3))
    with pytest.raises(ValueError, match="not all on the grid"):
        dataclasses.replace(network, readout=Array(np.ones((3, WIDTH), dtype=np.int64), Fraction(1, 2)))
    with pytest.raises(ValueError, match="one of the two"):
        dataclasses.replace(network, vectors=whole([[1] * WIDTH]))
    table = AutomatonLayer(whole(np.zeros((1, 2, 2))), 0)
    with pytest.raises(ValueError, match="layer 0 is an automaton"):
        run(dataclasses.replace(network, layers=((table, None),)), np.zeros((1, 2), dtype=np.int64))


def test_the_answer_is_sure_only_without_a_tie():
    network = dataclasses.replace(
        random_network(0, Grid(9)), readout=whole(np.zeros((3, WIDTH))), readout_bias=whole([1, 1, 0])
    )
    result = run(network, np.zeros((1, 2), dtype=np.int64))
    assert result.answers.tolist() == [[0, 0]]
    assert not result.unique_argmax.any()


def test_the_ledger_counts_every_entry():
    network = random_network(0, Grid(9))
    ledger = network.ledger()
    entries = sum(array.integers.size for _, array in network.arrays())
    assert ledger.tables == entries * network.precision
    assert ledger.program == (entries - TIME * WIDTH) * network.precision
    assert ledger.core == 2 * 2 * 3 * 3 * WIDTH * network.precision
    assert network.heads == 2
    assert network.causal


@pytest.mark.parametrize("steps", [2_200_000_000, 3_000_000_000])
@pytest.mark.parametrize("masked", [False, True])
def test_scores_at_both_ends_of_a_grid_that_fills_64_bits(steps, masked):
    """2^62 < L^2 < 2^63: scores fit int64, the difference of the greatest and the least does not."""
    scores = Array(np.array([[steps**2, -(steps**2), 0], [-(steps**2), -(steps**2), -(steps**2)]]), Fraction(1, steps))
    allowed = np.array([[True, True, True], [True, True, False]]) if masked else None
    share = steps // 2 if masked else steps // 3
    for softmax, whole_weight in (("stepwise", steps), ("once", steps - 1)):
        weights = attend(Grid(steps, softmax=softmax), scores, allowed, Tally(), "here")
        table = np.zeros((2, 3), dtype=object)
        table[weights.row, weights.key] = weights.steps
        assert table.tolist() == [[whole_weight, 0, 0], [share, share, 0 if masked else share]]


@pytest.mark.parametrize(
    ("rounding", "equal", "expected"),
    [
        ("floor", 1, 99),
        ("floor", 3, 33),
        ("floor", 4, 24),
        ("nearest", 1, 100),
        ("nearest", 8, 12),
        ("nearest", 3, 33),
    ],
)
def test_softmax_rounded_once_just_below_a_line(rounding, equal, expected):
    """100 steps: `equal` scores of 0 and one so low that its weight shows in no float: 1/m is not quite reached."""
    scores = Array(np.array([[0] * equal + [-(10**6)]]), Fraction(1))
    weights = attend(Grid(100, rounding, "once"), scores, None, Tally(), "here")
    assert weights.steps.tolist() == [expected] * equal
    near = Array(np.array([[0] * equal + [-60]]), Fraction(1))  # by narrowing intervals
    assert attend(Grid(100, rounding, "once"), near, None, Tally(), "here").steps.tolist() == [expected] * equal

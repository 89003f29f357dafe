"""The exact automaton of causal attention without positions: it agrees with the network, and what it refuses."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.automata.identities import Identities
from seqsep.maths.automata.multiplication import multiplication
from seqsep.maths.networks import word_automaton as module
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import (
    AttentionLayer,
    GatedFeedForward,
    Head,
    LinearLayer,
    Network,
    whole,
)
from seqsep.maths.networks.word_automaton import TooManyStates, word_automaton

pytestmark = pytest.mark.unchecked
HEAD = Head(whole([[0, 0]]), whole([[0, 0]]), whole([[1, 0]]), whole([[0], [1]]))


def average(grid: Grid, threshold: int) -> Network:
    """The share of ones, in steps of the grid, is above a threshold."""
    return Network(
        name="average",
        grid=grid,
        spaces={},
        symbols=whole([[0, 0], [1, 0], [0, 0]]),
        layers=((AttentionLayer((HEAD,)), None),),
        readout=whole([[0, 0], [0, 1]]),
        readout_bias=Array(np.array([threshold, 0]), grid.step),
    )


def drawn(grid: Grid, seed: int) -> Network:
    """Two layers of two heads, the second with a gated part; the last token is an index."""
    generator = np.random.default_rng(seed)

    def some(*shape: int) -> Array:
        return Array(generator.integers(-2 * grid.steps, 2 * grid.steps + 1, size=shape), grid.step)

    layers = [AttentionLayer(tuple(Head(some(1, 2), some(1, 2), some(1, 2), some(2, 1)) for _ in range(2))) for _ in range(2)]
    gated = GatedFeedForward(some(2, 2), some(2), some(2, 2), some(2), some(2, 2), some(2))
    parts = ((layers[0], None), (layers[1], gated))
    return Network("drawn", grid, {}, some(2, 2), parts, readout=some(2, 2), readout_bias=some(2), indices=some(1, 2))


def disagreements(network: Network, longest: int) -> int:
    automaton = word_automaton(network)
    wrong = 0
    for length in range(longest + 1):
        words = np.array(list(product(range(2), repeat=length)), dtype=np.int64).reshape(2**length, length)
        asked = np.concatenate([words, np.full((len(words), 1), 2)], axis=1)
        answers = run(network, asked, at=-1).answers[:, 0] == 1
        wrong += sum(answer != automaton.accepts(word) for answer, word in zip(answers, words.tolist(), strict=True))
    return wrong


@pytest.mark.parametrize("grid", [Grid(2), Grid(2, "nearest"), Grid(3)], ids=str)
def test_the_automaton_agrees_with_the_network(grid):
    assert disagreements(drawn(grid, 1), 6) == 0


def test_a_softmax_that_is_rounded_once_forgets_later():
    network = average(Grid(2, softmax="once"), 0)
    network = replace(network, symbols=whole([[1, 0], [0, 0]]))
    automaton = word_automaton(network)
    assert len(automaton.table) == 111
    answers = [run(network, np.array([[0] * count + [1]]), at=-1).answers.item() == 1 for count in range(6)]
    assert [automaton.accepts([0] * count) for count in range(6)] == answers == [False, True, False, False, False, False]


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
def test_an_average_is_seen_only_in_short_words(rounding):
    network = average(Grid(3, rounding), 0)
    automaton = word_automaton(network).minimal()
    longest = 6 if rounding == "nearest" else 3
    assert [automaton.accepts([1] * count) for count in range(10)] == [0 < count < longest for count in range(10)]
    assert disagreements(network, 7) == 0
    assert Identities(multiplication(automaton)).r_trivial() is None


def test_a_smaller_count_gives_a_wrong_automaton(monkeypatch):
    monkeypatch.setattr(module, "most_counted", lambda grid: 1)
    assert disagreements(average(Grid(3), 0), 5) > 0


def test_networks_that_have_no_such_automaton():
    network = average(Grid(2), 0)
    linear = LinearLayer(whole([[1]]), whole([[1, 0]]), whole([[0], [1]]))
    refused = {
        "without positions": replace(network, positions=whole(np.zeros((9, 2)))),
        "reads tokens": replace(network, symbols=None, vectors=whole([[1, 0]])),
        "causal attention only, found layer 1": replace(network, layers=(*network.layers, (linear, None))),
        "causal attention only, found layer 0": replace(network, layers=((AttentionLayer((HEAD,), causal=False), None),)),
        "only, found no layer": replace(network, layers=()),
        "2 classes, found 1": replace(network, readout=whole([[0, 0]]), readout_bias=whole([0])),
        "1 to 64 letters and an end token, found 0": replace(network, symbols=whole([[0, 0]])),
    }
    for said, other in refused.items():
        with pytest.raises(ValueError, match=said):
            word_automaton(other)
    with pytest.raises(TooManyStates, match="at most 20 states"):
        word_automaton(network, most=20)
    with pytest.raises(TooManyStates, match="at most 20,000 states"):
        word_automaton(average(Grid(5000, softmax="once"), 0))

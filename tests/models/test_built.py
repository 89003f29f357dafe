"""Hand-built networks with linear layers and products: in float64 they are what they are on the grid."""

import numpy as np
import pytest
import torch

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import FeedForward, GatedFeedForward, LinearLayer, Network, whole
from seqsep.models.blocks import GatedMLP
from seqsep.models.mixers import LinearRecurrence
from seqsep.models.model import Model

WIDTH, TOKENS, TIME, REMEMBERED = 5, 4, 7, 3
GRIDS = [Grid(10**9), Grid(2**30, "nearest", "once")]


def integer_network(seed: int, grid: Grid) -> Network:
    """Small whole numbers: a shift register with products after it, a counter with ReLU, a counter."""
    random = np.random.default_rng(seed)

    def some(*shape: int) -> Array:
        return whole(random.integers(-1, 2, shape))

    below = whole(np.tril(random.integers(-1, 2, (REMEMBERED, REMEMBERED)), -1))
    shift = LinearLayer(below, some(REMEMBERED, WIDTH), some(WIDTH, REMEMBERED))
    diagonal = whole(np.diag(random.integers(0, 2, REMEMBERED)))
    counter = LinearLayer(diagonal, some(REMEMBERED, WIDTH), some(WIDTH, REMEMBERED))
    gated = GatedFeedForward(some(4, WIDTH), some(4), some(4, WIDTH), some(4), some(WIDTH, 4), some(WIDTH))
    plain = FeedForward(some(4, WIDTH), some(4), some(WIDTH, 4), some(WIDTH))
    return Network(
        name="whole",
        grid=grid,
        spaces={},
        symbols=some(TOKENS, WIDTH),
        layers=((shift, gated), (counter, plain), (counter, None)),
        readout=some(3, WIDTH),
        readout_bias=some(3),
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("grid", GRIDS, ids=["floor", "nearest"])
@torch.no_grad()
def test_whole_numbers_are_the_same_in_floats(seed, grid):
    network = integer_network(seed, grid)
    inputs = np.random.default_rng(seed).integers(0, TOKENS, (5, TIME))
    exact = run(network, inputs)
    assert not any(exact.tally.rounded.values())
    assert not any(exact.tally.saturated.values())
    assert np.abs(exact.logits.integers).max() > 3
    model = Model.load(network)
    assert np.array_equal(model(torch.from_numpy(inputs)).numpy(), exact.logits.floats())
    state = model.start(5)
    for t in range(TIME):
        logits, state = model.step(torch.from_numpy(inputs[:, t]), state, t)
        assert np.array_equal(logits.numpy(), exact.logits[:, t].floats())


@torch.no_grad()
def test_a_spoiled_weight_is_another_function():
    """Gate and inner layer exchanged, or a recurrence that does not read: the floats are no longer the grid's."""
    network = integer_network(1, GRIDS[0])
    inputs = np.random.default_rng(1).integers(0, TOKENS, (5, TIME))
    exact = run(network, inputs).logits.floats()
    exchanged = Model.load(network)
    mlp = exchanged.residuals()[0].mlp
    assert isinstance(mlp, GatedMLP)
    mlp.gate, mlp.inner = mlp.inner, mlp.gate
    deaf = Model.load(network)
    mixer = deaf.residuals()[0].mixer
    assert isinstance(mixer, LinearRecurrence)
    mixer.output.weight.zero_()
    for spoiled in (exchanged, deaf):
        assert not np.array_equal(spoiled(torch.from_numpy(inputs)).numpy(), exact)

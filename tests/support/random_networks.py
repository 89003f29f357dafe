"""Random networks of attention on a grid, with numbers on and off the whole ones."""

from fractions import Fraction

import numpy as np

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.network import AttentionLayer, FeedForward, Head, Network

WIDTH, TOKENS, TIME = 5, 4, 6


def random_network(seed: int, grid: Grid, causal: bool = True, heads: int = 2, layers: int = 2) -> Network:
    random = np.random.default_rng(seed)

    def some(*shape: int, by_index: bool = False) -> Array:
        unit = [Fraction(1), grid.step, Fraction(1, grid.steps**1)][random.integers(3)]
        most = 2 if unit == 1 else 2 * grid.steps
        return Array(random.integers(-most, most + 1, shape), unit, by_index)

    blocks = []
    for layer in range(layers):
        parts = tuple(Head(some(2, WIDTH), some(2, WIDTH), some(3, WIDTH), some(WIDTH, 3)) for _ in range(heads))
        feed_forward = FeedForward(some(4, WIDTH), some(4), some(WIDTH, 4), some(WIDTH)) if layer == 0 else None
        blocks.append((AttentionLayer(parts, causal), feed_forward))
    return Network(
        name="random",
        grid=grid,
        spaces={},
        symbols=some(TOKENS - 1, WIDTH),
        layers=tuple(blocks),
        readout=some(3, WIDTH),
        readout_bias=some(3),
        indices=some(1, WIDTH),
        positions=some(TIME, WIDTH, by_index=True),
    )


def fractions(array: Array) -> list:
    return [[int(entry) * array.unit for entry in row] for row in array.integers]

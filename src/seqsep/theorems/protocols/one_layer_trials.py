"""Random one-layer attention networks, inputs and partitions on which the protocol of Theorem 4 is run."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Array, Grid, Rounding
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, FeedForward, Head, Network

TOKENS = 5
CLASSES = 3


class LayerSizes(NamedTuple):
    """Sizes of a network of one layer: positions, coordinates of a value and of the residual stream, heads.

    >>> LayerSizes(length=9, width=3, embedding=4, heads=2).embedding
    4
    """

    length: int
    width: int
    embedding: int
    heads: int


def random_sizes(random: np.random.Generator) -> LayerSizes:
    """Up to 16 tokens, m = 8, d = 10 and 3 heads.

    >>> random_sizes(np.random.default_rng(0))
    LayerSizes(length=14, width=6, embedding=6, heads=1)
    """
    length, width, embedding, heads = (int(random.integers(1, most + 1)) for most in (16, 8, 10, 3))
    return LayerSizes(length, width, embedding, heads)


def random_network(
    random: np.random.Generator, sizes: LayerSizes, grid: Grid, vectors: bool = False, harsh: bool | None = None
) -> Network:
    """Weights on the grid: most of them small numbers of steps, and if `harsh` up to its ends, so that sums saturate.

    Causal or not, with or without positions, indices and a feed-forward part, by chance; key and value of equal width.

    >>> random_network(np.random.default_rng(7), LayerSizes(9, 3, 4, 2), Grid(81)).width
    4
    """
    length, width, embedding, heads = sizes
    if harsh is None:
        harsh = bool(random.integers(2))
    steps = grid.steps
    most = grid.steps**2

    def some(*shape: int) -> Array:
        if random.integers(3) == 0:  # whole numbers, of unit 1
            return Array(random.integers(-min(2, steps), min(2, steps) + 1, shape))
        if harsh and random.integers(2):
            return Array(random.integers(-most, most + 1, shape), grid.step)
        return Array(random.integers(-2 * steps, 2 * steps + 1, shape), grid.step)

    layer = AttentionLayer(
        tuple(
            Head(some(width, embedding), some(width, embedding), some(width, embedding), some(embedding, width))
            for _ in range(heads)
        ),
        causal=bool(random.integers(2)),
    )
    hidden = int(random.integers(1, 6))
    feed_forward = FeedForward(some(hidden, embedding), some(hidden), some(embedding, hidden), some(embedding))
    indexed = bool(random.integers(2)) and not vectors
    return Network(
        name="random",
        grid=grid,
        spaces={},
        symbols=None if vectors else some(TOKENS - 2 * indexed, embedding),
        indices=some(2, embedding) if indexed else None,
        vectors=some(3, embedding) if vectors else None,
        positions=some(length, embedding) if random.integers(4) else None,
        layers=((layer, feed_forward if random.integers(2) else None),),
        readout=some(CLASSES, embedding),
        readout_bias=some(CLASSES),
    )


def random_grid(random: np.random.Generator) -> Grid:
    """A grid of 2 to 10^9 steps a unit; at 10^9, p = 61 and value sums have 91 bits."""
    steps = int(random.choice([2, 3, 4, 7, 16, 81, 256, 2500, 10**4, 10**6, 10**9]))
    rounding: Rounding = "nearest" if random.integers(4) == 0 else "floor"
    return Grid(steps, rounding)


def random_input(random: np.random.Generator, network: Network, length: int) -> Int64[np.ndarray, "length *coordinates"]:
    """One input: tokens, or vectors in steps."""
    if network.vectors is None:
        return random.integers(0, TOKENS, length)
    most = 2 * network.grid.steps
    return random.integers(-most, most + 1, (length, len(network.vectors.integers)))


def partition(random: np.random.Generator, length: int, turn: int) -> tuple[int, ...]:
    """Alice's positions, from 0: a prefix, the odd ones, all, none, or (mostly) any subset."""
    match turn % 8:
        case 0:
            return tuple(range(int(random.integers(length + 1))))
        case 1:
            return tuple(range(0, length, 2))
        case 2:
            return tuple(range(length)) if turn % 16 < 8 else ()
        case _:
            return tuple(np.flatnonzero(random.integers(0, 2, length)).tolist())


def last_logits(network: Network, inputs: np.ndarray) -> tuple[int, ...]:
    """Logits of the forward pass at the last position, in steps."""
    logits: Array = run(network, inputs[None], at=-1).logits.of_unit(network.grid.step)
    return tuple(int(entry) for entry in logits.integers[0, 0])

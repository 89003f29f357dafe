"""Random one-layer attention networks, inputs and partitions on which the protocol of Theorem 4 is run."""

from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.exact.executor import run
from seqsep.exact.grid import Array, Grid, Rounding
from seqsep.exact.network import AttentionLayer, FeedForward, Head, Network

TOKENS = 5
CLASSES = 3


def random_network(
    random: np.random.Generator,
    length: int,
    width: int,
    embedding: int,
    heads: int,
    grid: Grid,
    vectors: bool = False,
    harsh: bool | None = None,
) -> Network:
    """Weights on the grid: most of them small numbers of steps, and if `harsh` up to its ends, so that sums saturate.

    Causal or not, with or without positions, indices and a feed-forward part, by chance; key and value of equal width.
    """
    harsh = bool(random.integers(2)) if harsh is None else harsh

    def some(*shape: int) -> Array:
        steps, most = grid.steps, grid.steps**2
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
    """From 2 steps a unit, coarser than any theorem's, to 10^9, where p = 61 and value sums take 91 bits."""
    steps = int(random.choice([2, 3, 4, 7, 16, 81, 256, 2500, 10**4, 10**6, 10**9]))
    rounding: Rounding = "nearest" if random.integers(4) == 0 else "floor"
    return Grid(steps, rounding)


def random_input(random: np.random.Generator, network: Network, length: int) -> Int64[np.ndarray, "length *coordinates"]:
    """Tokens, or vectors in steps."""
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
    """The forward pass: logits at the last position, in steps."""
    found: Any = run(network, inputs[None], at=-1).logits.of_unit(network.grid.step)
    return tuple(int(entry) for entry in found.integers[0, 0])

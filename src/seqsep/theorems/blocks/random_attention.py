"""Causal attention with random weights and without positions, for statements about all networks of a size."""

import numpy as np

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.network import AttentionLayer, FeedForward, Head, Network

GREATEST = 2
"""The greatest random weight."""
HIDDEN = 4


def random_attention(
    name: str,
    grid: Grid,
    generator: np.random.Generator,
    *,
    layers: int,
    tokens: int,
    classes: int,
    width: int,
    head_width: int,
) -> Network:
    """Return a network with one head and four hidden units a layer, and weights from -2 to 2.

    >>> sizes = {"layers": 2, "tokens": 3, "classes": 2, "width": 3, "head_width": 2}
    >>> random_attention("random", Grid(4), np.random.default_rng(0), **sizes).name
    'random, L = 4, 2 layers'
    """

    def drawn(*shape: int) -> Array:
        most = GREATEST * grid.steps
        return Array(generator.integers(-most, most + 1, size=shape), grid.step)

    parts = []
    for _ in range(layers):
        query, key, value = (drawn(head_width, width) for _ in range(3))
        head = Head(query, key, value, output=drawn(width, head_width))
        feed_forward = FeedForward(drawn(HIDDEN, width), drawn(HIDDEN), outer=drawn(width, HIDDEN), outer_bias=drawn(width))
        parts.append((AttentionLayer((head,)), feed_forward))
    return Network(
        name=f"{name}, L = {grid.steps}, {layers} layers",
        grid=grid,
        spaces={},
        symbols=drawn(tokens, width),
        layers=tuple(parts),
        readout=drawn(classes, width),
        readout_bias=drawn(classes),
    )

"""The weights of every attention head of a hand-built network on one input, as its exact run has them."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float64, Int64

from seqsep.maths.arithmetic.grid import Array, Tally
from seqsep.maths.arithmetic.softmax import attend
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, Head, Network, whole


def attention_weights(network: Network, tokens: Int64[np.ndarray, "time"]) -> list[list[Float64[np.ndarray, "time time"]]]:
    """Return for each attention layer and head the weight that each position (row) gives to each other (column), to the nearest
    float.

    What a layer reads is what the network of the layers before it has in its residual stream. Raises ValueError as
    `executor.run` does.

    >>> from seqsep.theorems.is_tree.peeling import build
    >>> layers = attention_weights(build(3), np.array([0, 1, 4, 2]))  # [BOS] 1 ~ 2
    >>> layers[0][0].argmax(axis=1).tolist()  # the token before
    [0, 0, 1, 2]
    """
    found = []
    for number, (mixer, _) in enumerate(network.layers):
        if isinstance(mixer, AttentionLayer):
            stream = _residual_stream(network, number, tokens)
            found.append([_weights(network, head, stream, causal=mixer.causal) for head in mixer.heads])
    return found


def _residual_stream(network: Network, layers: int, tokens: Int64[np.ndarray, "time"]) -> Array:
    """Return the residual stream before a layer, (time, width): the logits of a read-out that changes nothing."""
    unchanged = whole(np.eye(network.width, dtype=np.int64))
    nothing = whole(np.zeros(network.width, dtype=np.int64))
    first = replace(network, layers=network.layers[:layers], readout=unchanged, readout_bias=nothing)
    return run(first, tokens[None]).logits[0]


def _weights(network: Network, head: Head, stream: Array, *, causal: bool) -> Float64[np.ndarray, "time time"]:
    grid = network.grid
    tally = Tally()
    query = grid.product(stream, head.query.transposed(), tally, "query")
    key = grid.product(stream, head.key.transposed(), tally, "key")
    scores = grid.product(query, key.transposed(), tally, "scores")
    time = len(stream.integers)
    allowed = np.tril(np.ones((time, time), dtype=bool)) if causal else None
    weights = attend(grid, scores, allowed, tally, where="weights")
    shown = np.zeros((time, time))
    shown[weights.row, weights.key] = weights.steps.astype(np.float64) / grid.steps
    return shown

"""One attention layer with exact weights, as two parties: the sums that the last position gets from some, as fractions.

The weight of a position is any positive function of its score: here e^score, as the float nearest to it, taken exactly. The
mean of the values is rounded once, to the grid; nothing before it is. So the positions of one party enter through the sum of
their weights and the sums of their weighted values, which do not depend on the other party's tokens.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Int64

from seqsep.core.names import narrowed
from seqsep.maths.arithmetic.grid import Array, Tally
from seqsep.maths.networks.network import AttentionLayer, FeedForward, Head, Network


@dataclass(frozen=True)
class HeadSums:
    """The sum of the weights of some positions, and the sum of weight times value for each coordinate.

    >>> HeadSums(Fraction(1), (Fraction(3),)).plus(HeadSums(Fraction(2), (Fraction(1),)))
    HeadSums(weight=Fraction(3, 1), values=(Fraction(4, 1),))
    """

    weight: Fraction
    values: tuple[Fraction, ...]

    def plus(self, other: "HeadSums") -> "HeadSums":
        """The sums over the positions of both."""
        values = (mine + others for mine, others in zip(self.values, other.values, strict=True))
        return HeadSums(self.weight + other.weight, tuple(values))


Means = tuple[tuple[int, ...], ...]
"""The rounded mean of each coordinate, in steps, head by head: all that the rest of the model sees of the other positions."""


def sums(network: Network, own: Mapping[int, int], last: tuple[int, int]) -> tuple[HeadSums, ...]:
    """The sums that the tokens of `own`, by position, add to each head at the last one; `last` is its (position, token)."""
    [(layer, _)] = network.layers
    asking = _embedded(network, {last[0]: last[1]})
    rows = _embedded(network, own)
    return tuple(_head_sums(network, head, asking, rows) for head in narrowed(layer, AttentionLayer).heads)


def _head_sums(network: Network, head: Head, asking: Array, rows: Array) -> HeadSums:
    query = _product(network, asking, head.query)
    scores = _exactly(network.grid.product(query, _transposed(_product(network, rows, head.key)), Tally(), ""))
    values = _exactly(_product(network, rows, head.value))
    weights = [Fraction(math.exp(score)) for score in scores[0]]
    columns = range(len(head.value.integers))
    weighted = (sum((w * row[c] for w, row in zip(weights, values, strict=True)), Fraction(0)) for c in columns)
    return HeadSums(sum(weights, Fraction(0)), tuple(weighted))


def means(network: Network, heads: tuple[HeadSums, ...]) -> Means:
    """The mean of the values in each head and coordinate, rounded to the grid once, in steps."""
    grid = network.grid
    return tuple(tuple(grid.nearest_step(value / one.weight * grid.steps) for value in one.values) for one in heads)


def answer(network: Network, heads: Means, last: tuple[int, int]) -> int:
    """The rest of the model, from the means and the last token alone: the class of the greatest logit, the first of a tie."""
    [(layer, feed_forward)] = network.layers
    grid = network.grid
    x = _embedded(network, {last[0]: last[1]})
    for head, mean in zip(narrowed(layer, AttentionLayer).heads, heads, strict=True):
        x = x.plus(grid.product(Array(np.array([mean], dtype=np.object_), grid.step), _transposed(head.output), Tally(), ""))
    x = grid.place(x, Tally(), "")
    if isinstance(feed_forward, FeedForward):
        inner = grid.product(x, _transposed(feed_forward.inner), Tally(), "", bias=feed_forward.inner_bias)
        active = Array(np.maximum(inner.integers, 0), inner.unit)
        outer = grid.product(active, _transposed(feed_forward.outer), Tally(), "", bias=feed_forward.outer_bias)
        x = grid.place(x.plus(outer), Tally(), "")
    logits = grid.product(x, _transposed(network.readout), Tally(), "", bias=network.readout_bias)
    return int(np.argmax(logits.integers[0].astype(object)))


def forward(network: Network, tokens: Int64[np.ndarray, "time"]) -> int:
    """The model's answer to a whole input, every position in one sum."""
    places = dict(enumerate(tokens.tolist()))
    last = (len(tokens) - 1, int(tokens[-1]))
    return answer(network, means(network, sums(network, places, last)), last)


def _embedded(network: Network, own: Mapping[int, int]) -> Array:
    places = sorted(own)
    tables = [table.of_unit(network.grid.step) for table in (network.symbols, network.indices) if table is not None]
    table = Array(np.concatenate([one.integers for one in tables]), network.grid.step)
    rows = table[np.array([own[place] for place in places], dtype=np.int64)]
    if network.positions is not None:
        rows = rows.plus(network.positions[places])
    return network.grid.place(rows, Tally(), "")


def _product(network: Network, rows: Array, weight: Array) -> Array:
    return network.grid.product(rows, _transposed(weight), Tally(), "")


def _transposed(weight: Array) -> Array:
    return Array(weight.integers.swapaxes(-1, -2), weight.unit)


def _exactly(array: Array) -> list[list[Fraction]]:
    return [[int(entry) * array.unit for entry in row] for row in array.integers]

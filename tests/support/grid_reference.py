"""The grid and the executor written again with fractions, one number at a time, to compare the fast ones with."""

import decimal
import math
from fractions import Fraction

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.network import AttentionLayer, FeedForward, GatedFeedForward, Head, LinearLayer, Network


def place(grid: Grid, value: Fraction) -> Fraction:
    """R(value): rounded to the grid, then saturated."""
    shift = Fraction(1, 2) if grid.rounding == "nearest" else 0
    rounded = Fraction(math.floor(value * grid.steps + shift), grid.steps)
    return max(min(rounded, Fraction(grid.steps)), Fraction(-grid.steps))


def exponential(value: Fraction, digits: int = 80) -> Fraction:
    """e^value to 80 digits: rounding it is right unless it lies that close to a boundary of rounding."""
    with decimal.localcontext(prec=digits, Emin=-(10**6)):
        return Fraction((decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)).exp())


def softmax(grid: Grid, scores: list[Fraction]) -> list[Fraction]:
    """The weights of one row, rounded at the places that `Grid.softmax` names."""
    top = max(scores)
    below = [max(score - top, Fraction(-grid.steps)) for score in scores]
    if grid.softmax == "stepwise":
        parts = [place(grid, exponential(score)) for score in below]
        return [place(grid, part / sum(parts)) for part in parts]
    if len(set(scores)) == 1:
        return [place(grid, Fraction(1, len(scores)))] * len(scores)
    parts = [exponential(score - top) for score in scores]
    return [place(grid, part / sum(parts)) for part in parts]


def matrix(array) -> list[list[Fraction]]:
    return [[int(entry) * array.unit for entry in row] for row in array.integers]


def dot(x: list[Fraction], y: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))


def times(grid: Grid, weight: list[list[Fraction]], x: list[Fraction], bias=None) -> list[Fraction]:
    """R(W x + b)."""
    sums = [dot(row, x) for row in weight]
    if bias is not None:
        sums = [row + int(entry) * bias.unit for row, entry in zip(sums, bias.integers, strict=True)]
    return [place(grid, number) for number in sums]


def plus(grid: Grid, x: list[Fraction], y: list[Fraction]) -> list[Fraction]:
    """R(x + y)."""
    return [place(grid, a + b) for a, b in zip(x, y, strict=True)]


def attended(grid: Grid, head: Head, x: list[Fraction], seen: list[list[Fraction]]) -> list[Fraction]:
    """R(sum over the tokens seen of weight times value), for one head at one position."""
    query = times(grid, matrix(head.query), x)
    keys = [times(grid, matrix(head.key), other) for other in seen]
    values = [times(grid, matrix(head.value), other) for other in seen]
    weights = softmax(grid, [place(grid, dot(query, key)) for key in keys])
    return [place(grid, dot(weights, list(coordinate))) for coordinate in zip(*values, strict=True)]


def attention(grid: Grid, layer: AttentionLayer, xs: list[list[Fraction]]) -> list[list[Fraction]]:
    heads = [matrix(head.output) for head in layer.heads]
    output = [[entry for row in rows for entry in row] for rows in zip(*heads, strict=True)]
    after = []
    for position, x in enumerate(xs):
        seen = xs[: position + 1] if layer.causal else xs
        joined = [entry for head in layer.heads for entry in attended(grid, head, x, seen)]
        after.append(plus(grid, x, times(grid, output, joined)))
    return after


def feed_forward(grid: Grid, layer: FeedForward, x: list[Fraction]) -> list[Fraction]:
    inner = times(grid, matrix(layer.inner), x, layer.inner_bias)
    active = [max(number, Fraction(0)) for number in inner]
    return plus(grid, x, times(grid, matrix(layer.outer), active, layer.outer_bias))


def gated(grid: Grid, layer: GatedFeedForward, x: list[Fraction]) -> list[Fraction]:
    gate = times(grid, matrix(layer.gate), x, layer.gate_bias)
    inner = times(grid, matrix(layer.inner), x, layer.inner_bias)
    products = [place(grid, max(a, Fraction(0)) * b) for a, b in zip(gate, inner, strict=True)]
    return plus(grid, x, times(grid, matrix(layer.outer), products, layer.outer_bias))


def linear(grid: Grid, layer: LinearLayer, xs: list[list[Fraction]]) -> list[list[Fraction]]:
    state = [Fraction(0)] * len(layer.recurrent.integers)
    weights = [a + b for a, b in zip(matrix(layer.recurrent), matrix(layer.input), strict=True)]
    after = []
    for x in xs:
        after.append(plus(grid, x, times(grid, matrix(layer.output), state)))
        state = times(grid, weights, state + x)
    return after


def run(network: Network, tokens: list[int]) -> list[list[Fraction]]:
    """The logits at every position."""
    grid = network.grid
    table = matrix(network.symbols) + ([] if network.indices is None else matrix(network.indices))
    positions = matrix(network.positions)
    xs = [plus(grid, table[token], positions[position]) for position, token in enumerate(tokens)]
    for mixer, layer in network.layers:
        assert isinstance(mixer, AttentionLayer | LinearLayer)
        xs = linear(grid, mixer, xs) if isinstance(mixer, LinearLayer) else attention(grid, mixer, xs)
        if layer is not None:
            xs = [gated(grid, layer, x) if isinstance(layer, GatedFeedForward) else feed_forward(grid, layer, x) for x in xs]
    return [times(grid, matrix(network.readout), x, network.readout_bias) for x in xs]

"""The grid and the executor once more, in fractions, one number at a time: what the fast ones are compared with."""

import decimal
import math
from fractions import Fraction

from seqsep.exact.grid import Grid
from seqsep.exact.network import AttentionLayer, Network


def place(grid: Grid, value: Fraction) -> Fraction:
    shift = Fraction(1, 2) if grid.rounding == "nearest" else 0
    rounded = Fraction(math.floor(value * grid.steps + shift), grid.steps)
    return max(min(rounded, Fraction(grid.steps)), Fraction(-grid.steps))


def exponential(value: Fraction, digits: int = 80) -> Fraction:
    """To 80 digits: far below any step here, so that rounding it is right unless it lies that close to a grid line."""
    with decimal.localcontext(prec=digits, Emin=-(10**6)):
        return Fraction((decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)).exp())


def softmax(grid: Grid, scores: list[Fraction]) -> list[Fraction]:
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


def times(grid: Grid, weight: list[list[Fraction]], x: list[Fraction], bias=None) -> list[Fraction]:
    rows = [sum((w * v for w, v in zip(row, x, strict=True)), Fraction(0)) for row in weight]
    if bias is not None:
        rows = [row + int(entry) * bias.unit for row, entry in zip(rows, bias.integers, strict=True)]
    return [place(grid, row) for row in rows]


def run(network: Network, tokens: list[int]) -> list[list[Fraction]]:
    """Logits at every position."""
    grid = network.grid
    table = matrix(network.symbols) + ([] if network.indices is None else matrix(network.indices))
    positions = matrix(network.positions)
    xs = [[place(grid, a + b) for a, b in zip(table[t], positions[i], strict=True)] for i, t in enumerate(tokens)]
    for mixer, feed_forward in network.layers:
        assert isinstance(mixer, AttentionLayer)
        after = []
        for i, x in enumerate(xs):
            joined, output = [], None
            for head in mixer.heads:
                seen = xs[: i + 1] if mixer.causal else xs
                query = times(grid, matrix(head.query), x)
                keys = [times(grid, matrix(head.key), other) for other in seen]
                values = [times(grid, matrix(head.value), other) for other in seen]
                scores = [place(grid, sum((a * b for a, b in zip(query, key, strict=True)), Fraction(0))) for key in keys]
                weights = softmax(grid, scores)
                joined += [
                    place(grid, sum((w * value[c] for w, value in zip(weights, values, strict=True)), Fraction(0)))
                    for c in range(len(values[0]))
                ]
                wide = matrix(head.output)
                output = wide if output is None else [a + b for a, b in zip(output, wide, strict=True)]
            added = times(grid, output, joined)
            after.append([place(grid, a + b) for a, b in zip(x, added, strict=True)])
        xs = after
        if feed_forward is not None:
            after = []
            for x in xs:
                inner = [max(v, Fraction(0)) for v in times(grid, matrix(feed_forward.inner), x, feed_forward.inner_bias)]
                added = times(grid, matrix(feed_forward.outer), inner, feed_forward.outer_bias)
                after.append([place(grid, a + b) for a, b in zip(x, added, strict=True)])
            xs = after
    return [times(grid, matrix(network.readout), x, network.readout_bias) for x in xs]

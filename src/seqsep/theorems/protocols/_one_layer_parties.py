"""One party of Theorem 4's protocol: it knows the network and its own tokens, and hears of the rest through its channel alone.

The steps and their widths are in `one_layer_protocol`. Both parties run the same program, `converse`: in each step a
party writes what it has to say and then reads what the other has to say.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Shaped

from seqsep.exact.channel import Channel
from seqsep.exact.grid import Array, Grid, Tally
from seqsep.exact.integers import ceil_log2
from seqsep.exact.network import AttentionLayer, Network
from seqsep.exact.softmax import exponentials
from seqsep.theorems.protocols.one_layer_ledger import Question, Variant, Widths

BITS_AT_ONCE = 1 << 15


class Learned(NamedTuple):
    """What a party knows at the end: the logits in steps of the grid, the class of the greatest one, or neither.

    `bits`: those of each step, in both directions, as this party's end of the channel counts them; `transcript`: all of them.
    """

    logits: tuple[int, ...] | None
    answer: int | None
    bits: dict[str, int]
    transcript: tuple[int, ...]


class Line:
    """One party's end of the channel; it keeps the numbers that it sent and heard."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.numbers: list[int] = []

    def send(self, number: int, width: int) -> None:
        self.channel.send(number, width)
        self.numbers.append(number)

    def receive(self, width: int) -> int:
        self.numbers.append(self.channel.receive(width))
        return self.numbers[-1]

    def exchange(self, numbers: list[int], width: int, offset: int = 0, sends: bool = True, hears: bool = True) -> list[int]:
        """Send these numbers, plus an offset that makes them >= 0, and return as many of the other party's; or one of the two.

        In turns of at most BITS_AT_ONCE: a pipe holds so much, so two parties that both write first do not wait for each other.
        """
        heard = []
        at_once = max(1, BITS_AT_ONCE // max(1, width))
        for first in range(0, len(numbers), at_once):
            part = numbers[first : first + at_once]
            for number in part if sends else ():
                self.send(int(number) + offset, width)
            heard += [self.receive(width) - offset for _ in part if hears]
        return heard


def converse(
    network: Network,
    own: Mapping[int, Any],
    length: int,
    channel: Channel,
    variant: Variant = "both-exchange",
    question: Question = "vector",
) -> Learned:
    """The protocol as one party runs it. `own`: its tokens (or vectors, in steps) by position from 0, of `length` in all.

    The party that owns the last position is the asker; it is the one that learns, where one does. The arguments are right if
    `one_layer_protocol.require` accepts them.
    """
    [(layer, _)] = network.layers
    assert isinstance(layer, AttentionLayer)
    grid, heads, tally, before, line = network.grid, layer.heads, Tally(), channel.bits, Line(channel)
    widths, asks = Widths(grid, length), length - 1 in own
    exchanges, places = variant == "both-exchange", sorted(own)
    mine = embedded(network, [own[place] for place in places], places)
    bits: dict[str, int] = {}

    def count(step: str) -> None:
        bits[step] = channel.bits - before - sum(bits.values())

    if asks:
        _send_question(network, own[length - 1], mine, widths, line, question)
    last = mine[-1:] if asks else _receive_question(network, widths, line, question)
    count("question")

    queries = [grid.product(last, _transposed(head.query), tally, "") for head in heads]
    keys = [_transposed(grid.product(mine, _transposed(head.key), tally, "")) for head in heads]
    scores = [_steps(grid.product(*pair, tally, ""), grid)[0] for pair in zip(queries, keys, strict=True)]
    tops = [int(row.max(initial=-widths.most_number)) for row in scores]
    theirs = line.exchange(tops, widths.number, widths.most_number)
    count("maxima")

    below = [row - max(pair) for row, *pair in zip(scores, tops, theirs, strict=True)]
    shares = [exponentials(grid, Array(row, grid.step)).tolist() for row in below]
    sums = [sum(share) for share in shares]
    totals = [sum(pair) for pair in zip(sums, line.exchange(sums, widths.normaliser), strict=True)]
    count("normalisers")

    parts = []
    for head, share, total in zip(heads, shares, totals, strict=True):
        weights = [grid.nearest_step(Fraction(e * grid.steps, total)) for e in share]
        values = _steps(grid.product(mine, _transposed(head.value), tally, ""), grid)
        parts += (np.array(weights, dtype=np.object_)[:, None] * values).sum(axis=0, initial=0).tolist()
    learns, sends = asks or exchanges, not asks or exchanges
    heard = line.exchange(parts, widths.value_sum, widths.most_value_sum, sends, learns)
    count("value_sums")

    logits = answer = None
    if learns:
        whole = np.array([own_part + part for own_part, part in zip(parts, heard, strict=True)], dtype=np.object_)
        logits = _logits(network, last, whole, tally)
        answer = logits.index(max(logits))
    if variant == "one-learns-and-sends":
        given = line.exchange([answer or 0], ceil_log2(len(network.readout.integers)), sends=asks, hears=not asks)
        answer = answer if asks else given[0]
        count("answer")
    return Learned(logits, answer, bits, tuple(line.numbers))


def embedded(network: Network, tokens: list[Any], places: list[int]) -> Array:
    """The rows of the residual stream for tokens (or vectors, in steps) at these places, as the forward pass has them."""
    grid, tally = network.grid, Tally()
    if network.vectors is not None:
        given = np.array(tokens, dtype=np.int64).reshape(len(tokens), len(network.vectors.integers))
        rows = grid.product(Array(given, grid.step), network.vectors, tally, "")
    else:
        tables = [_steps(table, grid) for table in (network.symbols, network.indices) if table is not None]
        rows = Array(np.concatenate(tables)[np.array(tokens, dtype=np.int64)], grid.step)
    if network.positions is not None:
        rows = rows.plus(network.positions[places])
    return grid.place(rows, tally, "")


def vocabulary(network: Network) -> int:
    """Tokens that a network knows."""
    return sum(len(table.integers) for table in (network.symbols, network.indices) if table is not None)


def _send_question(network: Network, token: Any, mine: Array, widths: Widths, line: Line, question: Question) -> None:
    """x_N, d numbers; or the token (or vector) that x_N is computed from: both know the position and the embeddings."""
    if question == "vector":
        for entry in _steps(mine[-1], network.grid).tolist():
            line.send(entry + widths.most_number, widths.number)
    elif network.vectors is None:
        line.send(int(token), ceil_log2(vocabulary(network)))
    else:
        for entry in token:
            line.send(int(entry) + widths.most_number, widths.number)


def _receive_question(network: Network, widths: Widths, line: Line, question: Question) -> Array:
    if question == "token" and network.vectors is None:
        return embedded(network, [line.receive(ceil_log2(vocabulary(network)))], [widths.length - 1])
    count = network.width if network.vectors is None or question == "vector" else len(network.vectors.integers)
    found = [line.receive(widths.number) - widths.most_number for _ in range(count)]
    if question == "token":
        return embedded(network, [found], [widths.length - 1])
    return Array(np.array([found], dtype=np.object_), network.grid.step)


def _logits(network: Network, last: Array, sums: Shaped[np.ndarray, "coordinates"], tally: Tally) -> tuple[int, ...]:
    """The rest of the forward pass at the last position, from the whole value sums in units of step^2."""
    [(layer, feed_forward)] = network.layers
    assert isinstance(layer, AttentionLayer)
    grid = network.grid
    mixed = _steps(grid.place(Array(sums[None], grid.step**2), tally, ""), grid)
    ends = np.cumsum([len(head.value.integers) for head in layer.heads])[:-1]
    written = Array(np.zeros((1, network.width), dtype=np.int64))
    for head, part in zip(layer.heads, np.split(mixed, ends, axis=1), strict=True):
        written = written.plus(Array(part @ _transposed(head.output).integers, grid.step * head.output.unit))
    x = grid.place(last.plus(grid.place(written, tally, "")), tally, "")
    if feed_forward is not None:
        inner = grid.product(x, _transposed(feed_forward.inner), tally, "", feed_forward.inner_bias)
        active = Array(np.maximum(inner.integers, 0), inner.unit)
        outer = grid.product(active, _transposed(feed_forward.outer), tally, "", feed_forward.outer_bias)
        x = grid.place(x.plus(outer), tally, "")
    logits = grid.product(x, _transposed(network.readout), tally, "", network.readout_bias)
    return tuple(_steps(logits, grid)[0].tolist())


def _steps(array: Array, grid: Grid) -> Shaped[np.ndarray, "..."]:
    """The numbers of an array in steps, as Python integers, which do not wrap."""
    return array.of_unit(grid.step).integers.astype(np.object_)


def _transposed(weight: Array) -> Array:
    return Array(weight.integers.swapaxes(-1, -2), weight.unit)

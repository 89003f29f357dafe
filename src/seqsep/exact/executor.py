"""Runs a hand-built network on its grid Q_p: exact sums, rounded once at each place, saturated, and tallied.

Places, in order, for each layer: query, key, value, scores, softmax (two places or one: `Grid.softmax`), mixed, output,
residual; then inner and outer of the feed-forward part and its residual; at the end the read-out. A number is rounded only
where it is not on the grid already.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.exact.grid import Array, Grid, Tally, common_unit
from seqsep.exact.network import AttentionLayer, ElmanLayer, FeedForward, Network
from seqsep.exact.softmax import attend, mix

ENTRIES_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Execution:
    """Logits at the asked positions, and the residual stream after each attention layer, before its feed-forward part.

    `attended[l]` holds every position for all layers but the last, which has the asked ones only.
    """

    logits: Array
    attended: tuple[Array, ...]
    tally: Tally = field(default_factory=Tally)

    @property
    def answers(self) -> Int64[np.ndarray, "*shape"]:
        """The class of the greatest logit; the first of equals."""
        return np.asarray(self.logits.integers.argmax(-1))

    @property
    def sure(self) -> Bool[np.ndarray, "*shape"]:
        """Whether one logit is above all others."""
        integers = self.logits.integers
        return (integers == integers.max(-1, keepdims=True)).sum(-1) == 1


class ResidualStream(NamedTuple):
    """The residual stream: rows of width d, and which row each place holds. Equal tokens at equal times share a row."""

    rows: Array
    place: Int64[np.ndarray, "batch time"]

    def at(self, asked: Int64[np.ndarray, "batch asked"]) -> "ResidualStream":
        return ResidualStream(self.rows, np.take_along_axis(self.place, asked, axis=1))

    def dense(self) -> Array:
        return Array(self.rows.integers[self.place], self.rows.unit)


def run(network: Network, inputs: np.ndarray, at: Int64[np.ndarray, "batch asked"] | int | None = None) -> Execution:
    """The network on a batch: tokens (batch, time), or integers in steps of the grid (batch, time, coordinates) for vectors.

    `at`: the positions to read, one row an example, or one number for all (-1: the last); by default every position.
    Raises ValueError for a token that is not in the vocabulary, more tokens than positions, or a vector off the grid.
    """
    tally = Tally()
    x = _embed(network, inputs, tally)
    batch, time = x.place.shape
    everywhere = np.broadcast_to(np.arange(time), (batch, time))
    rows = everywhere if at is None else np.full((batch, 1), at % time) if isinstance(at, int) else at
    attended = []
    for number, (mixer, feed_forward) in enumerate(network.layers):
        asked = rows if number == len(network.layers) - 1 else everywhere
        if isinstance(mixer, ElmanLayer):
            x = _recurrence(network, mixer, x, tally, f"layer {number}").at(asked)
        elif isinstance(mixer, AttentionLayer):
            x = _attention(network.grid, mixer, x, asked, tally, f"layer {number}")
        else:
            raise ValueError(f"run({network.name}): layer {number} is an automaton; its table is run by `exact.automata`")
        attended.append(x.dense())
        x = _feed_forward(network.grid, feed_forward, x, tally, f"layer {number}")
    return Execution(_read_out(network, x, tally), tuple(attended), tally)


def ask(network: Network, prefix: Int64[np.ndarray, "time"], questions: Int64[np.ndarray, "n"]) -> Execution:
    """Each question token alone as the last one after the same prefix; in memory linear in its length. Masks are causal.

    The result has shape (n, classes). Raises ValueError as `run` does, or for a network that is not causal.
    """
    if not network.causal:
        raise ValueError(f"ask({network.name}): a network without a causal mask reads its prefix anew for each question")
    tally = Tally()
    x = _embed(network, prefix[None], tally)
    last = _embed(network, questions[:, None], tally, first=len(prefix))
    attended = []
    everywhere = np.arange(len(prefix))[None]
    for number, (mixer, feed_forward) in enumerate(network.layers):
        assert isinstance(mixer, AttentionLayer)
        where = f"layer {number}"
        now = _look(network.grid, mixer, x, last, tally, where)
        if number < len(network.layers) - 1:
            x = _attention(network.grid, mixer, x, everywhere, tally, where)
            x = _feed_forward(network.grid, feed_forward, x, tally, where)
        attended.append(now.dense()[:, 0])
        last = _feed_forward(network.grid, feed_forward, now, tally, where)
    return Execution(_read_out(network, last, tally)[:, 0], tuple(attended), tally)


def _embed(network: Network, inputs: np.ndarray, tally: Tally, first: int = 0) -> ResidualStream:
    """Each distinct pair of token and time once."""
    grid, (batch, time) = network.grid, inputs.shape[:2]
    place = np.arange(batch * time).reshape(batch, time)
    when = np.arange(batch * time) % time
    if network.vectors is not None:
        given = Array(inputs.reshape(batch * time, -1), grid.step)
        if not grid.holds(given) or inputs.shape[-1] != network.vectors.integers.shape[0]:
            raise ValueError(
                f"run({network.name}): inputs are {network.vectors.integers.shape[0]} coordinates of magnitude at most "
                f"{grid.steps}, found {inputs.shape[-1]} of at most {float(given.largest):g}"
            )
        x = grid.product(given.lifted(), network.vectors, tally, "embedding")
    else:
        assert network.symbols is not None
        tables = [table for table in (network.symbols, network.indices) if table is not None]
        vocabulary = sum(len(table.integers) for table in tables)
        if inputs.size and not 0 <= int(inputs.min()) <= int(inputs.max()) < vocabulary:
            raise ValueError(f"run({network.name}): tokens are 0 to {vocabulary - 1}, found {inputs.min()} to {inputs.max()}")
        token = inputs.reshape(-1)
        if batch > 1:
            pairs, inverse = np.unique(inputs + vocabulary * np.arange(time), return_inverse=True)
            place = inverse.reshape(batch, time)
            when, token = pairs // vocabulary, pairs % vocabulary
        x = _rows(tables, token)
    if network.positions is not None:
        if first + time > len(network.positions.integers):
            raise ValueError(f"run({network.name}): {first + time} tokens, positions for {len(network.positions.integers)}")
        x = grid.place(x.plus(network.positions[first + when]), tally, "embedding")
    return ResidualStream(x.lifted(), place)


def _rows(tables: list[Array], token: Int64[np.ndarray, "n"]) -> Array:
    """Rows of one or two tables, the second numbered on from the first, without joining them."""
    count = len(tables[0].integers)
    if len(tables) == 1 or int(token.max(initial=-1)) < count:
        return tables[0][token]
    if int(token.min(initial=count)) >= count:
        return tables[1][token - count]
    beyond = token >= count
    one = np.where(beyond[:, None], 0, tables[0].integers[np.where(beyond, 0, token)])
    two = np.where(beyond[:, None], tables[1].integers[np.where(beyond, token - count, 0)], 0)
    return Array(one, tables[0].unit).plus(Array(two, tables[1].unit))


def _project(grid: Grid, x: ResidualStream, weight: Array, tally: Tally, where: str) -> Array:
    """W x at every place: batch x time x coordinates."""
    rows = grid.product(x.rows, _transposed(weight), tally, where).lifted()
    return Array(rows.integers[x.place], rows.unit)


def _transposed(weight: Array) -> Array:
    return Array(weight.integers.swapaxes(-1, -2), weight.unit)


def _attention(
    grid: Grid, layer: AttentionLayer, x: ResidualStream, asked: Int64[np.ndarray, "batch asked"], tally: Tally, where: str
) -> ResidualStream:
    """x + attention(x) at the asked positions of each example."""
    batch, time = x.place.shape
    here = x.at(asked)
    count = asked.shape[1]
    examples = max(1, ENTRIES_AT_ONCE // (count * time))
    at_once = count if examples > 1 else max(1, ENTRIES_AT_ONCE // time)
    mixed = []
    for head in layer.heads:
        query = _project(grid, here, head.query, tally, f"{where} query")
        key = _project(grid, x, head.key, tally, f"{where} key")
        value = _project(grid, x, head.value, tally, f"{where} value")
        parts = []
        for first in range(0, batch, examples):
            some = slice(first, first + examples)
            for begin in range(0, count, at_once):
                part = slice(begin, begin + at_once)
                allowed = np.arange(time) <= asked[some, part, None] if layer.causal else None
                parts.append(_mixed(grid, query[some, part], key[some], value[some], allowed, tally, where))
        mixed.append(_joined(parts))
    return _written(grid, layer, mixed, here, tally, where)


def _mixed(
    grid: Grid,
    query: Array,
    key: Array,
    value: Array,
    allowed: Bool[np.ndarray, "batch asked time"] | None,
    tally: Tally,
    where: str,
) -> Array:
    """Sums of weights times values, (batch x asked) rows."""
    batch, asked, _ = query.integers.shape
    time = key.integers.shape[1]
    scores = grid.product(query, _transposed(key), tally, f"{where} scores")
    mask = None if allowed is None else np.broadcast_to(allowed, (batch, asked, time)).reshape(batch * asked, time)
    weights = attend(grid, Array(scores.integers.reshape(batch * asked, time), scores.unit), mask, tally, where)
    return mix(grid, weights, value, np.repeat(np.arange(batch), asked), tally, f"{where} mixed")


def _recurrence(network: Network, layer: ElmanLayer, x: ResidualStream, tally: Tally, where: str) -> ResidualStream:
    """h_t = relu(W h_(t-1) + U x_t + b) at every position: each sum is formed exactly and rounded once."""
    if layer.activation != "relu":
        raise ValueError(f"run({network.name}): {where} is a {layer.activation}, which has no exact values; `Model` runs it")
    batch, time = x.place.shape
    weights = _transposed(_joined([layer.recurrent, layer.input], axis=1))
    given, after = x.dense(), []
    state = Array(np.repeat(layer.start.integers[None], batch, axis=0), layer.start.unit)
    for t in range(time):
        inner = network.grid.product(_joined([state, given[:, t]], axis=1), weights, tally, where, layer.bias)
        state = Array(np.maximum(inner.integers, 0), inner.unit)
        after.append(state)
    rows = _joined([Array(state.integers[:, None], state.unit) for state in after], axis=1)
    return ResidualStream(
        Array(rows.integers.reshape(batch * time, -1), rows.unit).lifted(), np.arange(batch * time).reshape(batch, time)
    )


def _written(
    grid: Grid, layer: AttentionLayer, mixed: list[Array], here: ResidualStream, tally: Tally, where: str
) -> ResidualStream:
    """x + W_O [head 1, head 2, ..]: summed over the heads exactly, rounded once."""
    joined, output = (_joined(parts, axis=1) for parts in (mixed, [head.output for head in layer.heads]))
    written = grid.product(joined.lifted(), _transposed(output), tally, f"{where} output")
    own = here.rows[here.place.reshape(-1)]
    rows = grid.place(own.plus(written), tally, f"{where} residual")
    return ResidualStream(rows.lifted(), np.arange(here.place.size).reshape(here.place.shape))


def _joined(parts: list[Array], axis: int = 0) -> Array:
    unit = common(parts)
    return parts[0] if len(parts) == 1 else Array(np.concatenate([part.of_unit(unit).integers for part in parts], axis), unit)


def common(parts: list[Array]) -> Fraction:
    """The largest unit that divides all."""
    return reduce(common_unit, (part.unit for part in parts))


def _look(
    grid: Grid, layer: AttentionLayer, x: ResidualStream, last: ResidualStream, tally: Tally, where: str
) -> ResidualStream:
    """Each of `last` (n, 1) attends to x (1, time) and to itself."""
    count, time = len(last.place), x.place.shape[1]
    at_once = max(1, ENTRIES_AT_ONCE // (time + 1))
    mixed = []
    for head in layer.heads:
        names = ("query", "key", "value")
        query, own_key, own_value = (_project(grid, last, getattr(head, name), tally, f"{where} {name}") for name in names)
        key, value = (_project(grid, x, getattr(head, name), tally, f"{where} {name}") for name in names[1:])
        parts = []
        for first in range(0, count, at_once):
            some = slice(first, first + at_once)
            before = grid.product(query[some, 0], _transposed(key[0]), tally, f"{where} scores")
            own = grid.product(query[some], _transposed(own_key[some]), tally, f"{where} scores")[:, 0]
            unit = common([before, own])
            scores = np.concatenate([before.of_unit(unit).integers, own.of_unit(unit).integers], axis=1)
            weights = attend(grid, Array(scores, unit), None, tally, where)
            table = _joined([value[0], own_value[some][:, 0]])  # the values side by side, the rows' own ones behind
            weights = weights._replace(key=np.where(weights.key < time, weights.key, time + weights.row))
            rows = np.zeros(len(scores), dtype=np.int64)
            parts.append(mix(grid, weights, table[None], rows, tally, f"{where} mixed"))
        mixed.append(_joined(parts))
    return _written(grid, layer, mixed, last, tally, where)


def _feed_forward(grid: Grid, layer: FeedForward | None, x: ResidualStream, tally: Tally, where: str) -> ResidualStream:
    if layer is None:
        return x
    inner = grid.product(x.rows, _transposed(layer.inner), tally, f"{where} inner", layer.inner_bias)
    active = Array(np.maximum(inner.integers, 0), inner.unit).lifted()
    outer = grid.product(active, _transposed(layer.outer), tally, f"{where} outer", layer.outer_bias)
    rows = grid.place(x.rows.plus(outer), tally, f"{where} feed-forward residual")
    return ResidualStream(rows.lifted(), x.place)


def _read_out(network: Network, x: ResidualStream, tally: Tally) -> Array:
    logits = network.grid.product(x.rows, _transposed(network.readout), tally, "read-out", network.readout_bias)
    return Array(logits.integers[x.place], logits.unit)

"""Run a hand-built network on its grid Q_p: exact sums, rounded once at each named place, then saturated, and counted.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), appendix B.2: every number of the computation is on the grid. R(x) is x
rounded to the grid and saturated (`exact.grid`); everything inside one R is computed exactly. With the places' names:

    embedding              x_i = R(symbol + position), or first x_i = R(input W) if inputs are vectors
    query, key, value      q_i = R(W_Q x_i),  k_j = R(W_K x_j),  v_j = R(W_V x_j)         for each head
    scores                 s_ij = R(q_i . k_j)
    minus maximum          d_ij = max(s_ij - max_j s_ij, -L), then the weights a_ij       two more roundings or one: `softmax`
    mixed                  z_i = R(sum over j of a_ij v_j)
    output, residual       y_i = R(sum over heads of W_O z_i),  x_i <- R(x_i + y_i)
    inner, outer           u = R(W_1 x_i + b_1),  f = R(W_2 relu(u) + b_2)
    feed-forward residual  x_i <- R(x_i + f)
    read-out               logits = R(W x_i + b)

An Elman layer has one place, named as the layer: h_t = relu(R(W h_(t-1) + U x_t + b)). No sum wraps: `exact.integers` bounds
it beforehand. The `Tally` counts, for each place, the numbers that R moved and those beyond the ends of the grid.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.exact.grid import Array, Grid, Tally, common_unit
from seqsep.exact.network import AttentionLayer, ElmanLayer, FeedForward, Head, Network
from seqsep.exact.softmax import Weights, attend, mix

ENTRIES_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Execution:
    """What a run of a network gives: logits at the asked positions, the residual stream inside, and what was rounded.

    `logits` has shape (batch, asked, classes). `attended[l]` is the residual stream after attention layer l, before its
    feed-forward part: at every position, but in the last layer at the asked ones only.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> execution = run(build(3, 2), np.array([[1, 0, 1, 4]]), at=-1)  # 1 0 1 and the question for position 3
    >>> execution.answers.tolist(), execution.sure.tolist()
    ([[1]], [[True]])
    """

    logits: Array
    attended: tuple[Array, ...]
    tally: Tally = field(default_factory=Tally)

    @property
    def answers(self) -> Int64[np.ndarray, "*shape"]:
        """The class of the greatest logit; the first of several equal ones."""
        return np.asarray(self.logits.integers.argmax(-1))

    @property
    def sure(self) -> Bool[np.ndarray, "*shape"]:
        """Whether one logit is greater than all other ones."""
        integers = self.logits.integers
        return (integers == integers.max(-1, keepdims=True)).sum(-1) == 1


class ResidualStream(NamedTuple):
    """Vectors of width d, and the number of the vector at each position; equal tokens at equal times share one.

    >>> stream = ResidualStream(Array(np.array([[1, 0], [0, 1]])), place=np.array([[0, 1, 0]]))
    >>> stream.dense().integers.shape
    (1, 3, 2)
    """

    rows: Array
    place: Int64[np.ndarray, "batch time"]

    def at(self, asked: Int64[np.ndarray, "batch asked"]) -> "ResidualStream":
        """The stream at the asked positions of each example only."""
        return ResidualStream(self.rows, np.take_along_axis(self.place, asked, axis=1))

    def dense(self) -> Array:
        """The vectors as one array (batch, time, width)."""
        return Array(self.rows.integers[self.place], self.rows.unit)


def run(network: Network, inputs: np.ndarray, at: Int64[np.ndarray, "batch asked"] | int | None = None) -> Execution:
    """Run the network on a batch of inputs.

    Inputs are tokens (batch, time), or vectors (batch, time, coordinates) in steps of the grid. `at` says which positions to
    read: one row an example, or one number for all (-1: the last); by default every position. Raises ValueError for a token
    that is not in the vocabulary, more tokens than positions, a vector off the grid, an automaton's layer, or an Elman layer
    with a sigmoid.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> run(build(3, 2), np.array([[1, 0, 1, 3]]), at=-1).answers.tolist()  # the symbol at position 2 of 1 0 1
    [[0]]
    """
    tally = Tally()
    x = _embed(network, inputs, tally)
    batch, time = x.place.shape
    everywhere = np.broadcast_to(np.arange(time), (batch, time))
    if at is None:
        wanted = everywhere
    elif isinstance(at, int):
        wanted = np.full((batch, 1), at % time)
    else:
        wanted = at
    attended = []
    for number, (mixer, feed_forward) in enumerate(network.layers):
        rounded = _Rounded(network.grid, tally, f"layer {number}")
        asked = wanted if number == len(network.layers) - 1 else everywhere
        if isinstance(mixer, ElmanLayer):
            x = _recurrence(rounded, network, mixer, x).at(asked)
        elif isinstance(mixer, AttentionLayer):
            x = _attention(rounded, mixer, x, asked)
        else:
            raise ValueError(f"run({network.name}): layer {number} is an automaton; its table is run by `exact.automata`")
        attended.append(x.dense())
        x = _feed_forward(rounded, feed_forward, x)
    return Execution(_read_out(network, x, tally), tuple(attended), tally)


def ask(network: Network, prefix: Int64[np.ndarray, "time"], questions: Int64[np.ndarray, "n"]) -> Execution:
    """Run the network on `prefix` followed by one question token, for each of n questions; masks must be causal.

    The prefix is computed once and memory is linear in its length. The logits have shape (n, classes).
    Raises ValueError as `run` does, or for a network that is not causal.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> ask(build(3, 2), np.array([1, 0, 1]), np.array([2, 3, 4])).answers.tolist()
    [1, 0, 1]
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
        rounded = _Rounded(network.grid, tally, f"layer {number}")
        last_attended = _attention_of_last(rounded, mixer, x, last)
        if number < len(network.layers) - 1:
            x = _attention(rounded, mixer, x, everywhere)
            x = _feed_forward(rounded, feed_forward, x)
        attended.append(last_attended.dense()[:, 0])
        last = _feed_forward(rounded, feed_forward, last_attended)
    return Execution(_read_out(network, last, tally)[:, 0], tuple(attended), tally)


class _Rounded(NamedTuple):
    """R in one layer: the grid, and where what it rounds is counted."""

    grid: Grid
    tally: Tally
    layer: str

    def product(self, x: Array, y: Array, place: str, bias: Array | None = None) -> Array:
        """R(x y^T + bias), over the last axes of x and y."""
        return self.grid.product(x, _transposed(y), self.tally, f"{self.layer} {place}", bias=bias)

    def sum(self, x: Array, y: Array, place: str) -> Array:
        """R(x + y)."""
        return self.grid.place(x.plus(y), self.tally, f"{self.layer} {place}")

    def project(self, x: ResidualStream, weight: Array, place: str) -> Array:
        """R(W x) at every position: (batch, time, coordinates)."""
        rows = self.product(x.rows, weight, place).lifted()
        return Array(rows.integers[x.place], rows.unit)

    def weights(self, scores: Array, allowed: Bool[np.ndarray, "rows keys"] | None = None) -> Weights:
        """The weights a of each row of scores over its allowed keys."""
        return attend(self.grid, scores, allowed, tally=self.tally, where=self.layer)

    def mix(self, weights: Weights, values: Array, batch: Int64[np.ndarray, "rows"]) -> Array:
        """R(sum over j of a_ij v_j) for each row i of weights, which reads values[batch[i]]."""
        return mix(self.grid, weights, values, batch, tally=self.tally, where=f"{self.layer} mixed")


def _embed(network: Network, inputs: np.ndarray, tally: Tally, first: int = 0) -> ResidualStream:
    """The embedded inputs; each distinct pair of token and time is computed once. The first input stands at time `first`."""
    grid = network.grid
    batch, time = inputs.shape[:2]
    place = np.arange(batch * time).reshape(batch, time)
    when = np.arange(batch * time) % time
    if network.vectors is not None:
        x = _embed_vectors(network, inputs, tally)
    else:
        tables = [table for table in (network.symbols, network.indices) if table is not None]
        vocabulary = sum(len(table.integers) for table in tables)
        if inputs.size and not 0 <= int(inputs.min()) <= int(inputs.max()) < vocabulary:
            raise ValueError(f"run({network.name}): tokens are 0 to {vocabulary - 1}, found {inputs.min()} to {inputs.max()}")
        token = inputs.reshape(-1)
        if batch > 1:
            pairs, inverse = np.unique(inputs + vocabulary * np.arange(time), return_inverse=True)
            place = inverse.reshape(batch, time)
            when = pairs // vocabulary
            token = pairs % vocabulary
        x = _rows(tables, token)
    if network.positions is not None:
        if first + time > len(network.positions.integers):
            raise ValueError(f"run({network.name}): {first + time} tokens, positions for {len(network.positions.integers)}")
        x = grid.place(x.plus(network.positions[first + when]), tally, "embedding")
    return ResidualStream(x.lifted(), place)


def _embed_vectors(network: Network, inputs: Int64[np.ndarray, "batch time coordinates"], tally: Tally) -> Array:
    assert network.vectors is not None
    grid = network.grid
    coordinates = inputs.shape[-1]
    given = Array(inputs.reshape(-1, coordinates), grid.step)
    if not grid.holds(given) or coordinates != len(network.vectors.integers):
        raise ValueError(
            f"run({network.name}): inputs are {len(network.vectors.integers)} coordinates of magnitude at most "
            f"{grid.steps}, found {coordinates} of at most {float(given.largest):g}"
        )
    return grid.product(given.lifted(), network.vectors, tally, "embedding")


def _rows(tables: list[Array], token: Int64[np.ndarray, "n"]) -> Array:
    """Rows of one or two tables, numbered through, without joining the tables: one may have millions of rows."""
    count = len(tables[0].integers)
    if len(tables) == 1 or int(token.max(initial=-1)) < count:
        return tables[0][token]
    if int(token.min(initial=count)) >= count:
        return tables[1][token - count]
    in_second = token >= count
    from_first = tables[0].integers[np.where(in_second, 0, token)]
    from_second = tables[1].integers[np.where(in_second, token - count, 0)]
    one = Array(np.where(in_second[:, None], 0, from_first), tables[0].unit)
    return one.plus(Array(np.where(in_second[:, None], from_second, 0), tables[1].unit))


def _transposed(weight: Array) -> Array:
    return Array(weight.integers.swapaxes(-1, -2), weight.unit)


def _attention(
    rounded: _Rounded, layer: AttentionLayer, x: ResidualStream, asked: Int64[np.ndarray, "batch asked"]
) -> ResidualStream:
    """R(x + attention(x)) at the asked positions of each example."""
    mixed = [_mixed(rounded, head, x, asked, causal=layer.causal) for head in layer.heads]
    return _written(rounded, layer, mixed, x.at(asked))


def _mixed(rounded: _Rounded, head: Head, x: ResidualStream, asked: Int64[np.ndarray, "batch asked"], *, causal: bool) -> Array:
    """z of one head at the asked positions, (batch x asked) rows; in blocks, to bound the memory for scores."""
    batch, time = x.place.shape
    count = asked.shape[1]
    examples = max(1, ENTRIES_AT_ONCE // (count * time))
    positions = count if examples > 1 else max(1, ENTRIES_AT_ONCE // time)
    query = rounded.project(x.at(asked), head.query, "query")
    key = rounded.project(x, head.key, "key")
    value = rounded.project(x, head.value, "value")
    blocks = []
    for first in range(0, batch, examples):
        some = slice(first, first + examples)
        for begin in range(0, count, positions):
            part = slice(begin, begin + positions)
            allowed = np.arange(time) <= asked[some, part, None] if causal else None
            blocks.append(_mixed_block(rounded, query[some, part], key[some], value[some], allowed=allowed))
    return _joined(blocks)


def _mixed_block(
    rounded: _Rounded, query: Array, key: Array, value: Array, *, allowed: Bool[np.ndarray, "batch asked time"] | None
) -> Array:
    """z for queries (batch, asked, m), keys (batch, time, m) and values (batch, time, v), as (batch x asked) rows."""
    batch, asked, _ = query.integers.shape
    time = key.integers.shape[1]
    scores = rounded.product(query, key, "scores")
    rows = Array(scores.integers.reshape(batch * asked, time), scores.unit)
    mask = None if allowed is None else np.broadcast_to(allowed, (batch, asked, time)).reshape(batch * asked, time)
    return rounded.mix(rounded.weights(rows, mask), value, np.repeat(np.arange(batch), asked))


def _attention_of_last(rounded: _Rounded, layer: AttentionLayer, x: ResidualStream, last: ResidualStream) -> ResidualStream:
    """R(last + attention) if each of `last`, (n, 1), attends to x, (1, time), and to itself."""
    mixed = [_mixed_of_last(rounded, head, x, last) for head in layer.heads]
    return _written(rounded, layer, mixed, last)


def _mixed_of_last(rounded: _Rounded, head: Head, x: ResidualStream, last: ResidualStream) -> Array:
    """z of one head for each of `last`: n rows."""
    count = len(last.place)
    time = x.place.shape[1]
    at_once = max(1, ENTRIES_AT_ONCE // (time + 1))
    query = rounded.project(last, head.query, "query")
    own_key = rounded.project(last, head.key, "key")
    own_value = rounded.project(last, head.value, "value")
    key = rounded.project(x, head.key, "key")
    value = rounded.project(x, head.value, "value")
    blocks = []
    for first in range(0, count, at_once):
        some = slice(first, first + at_once)
        before = rounded.product(query[some, 0], key[0], "scores")
        own = rounded.product(query[some], own_key[some], "scores")[:, 0]
        scores = _joined([before, own], axis=1)
        weights = rounded.weights(scores)
        # All rows read one table: the values of x, and behind them each row's own one, at `time` + its number.
        table = _joined([value[0], own_value[some][:, 0]])
        weights = weights._replace(key=np.where(weights.key < time, weights.key, time + weights.row))
        rows = np.zeros(len(scores.integers), dtype=np.int64)
        blocks.append(rounded.mix(weights, table[None], rows))
    return _joined(blocks)


def _written(rounded: _Rounded, layer: AttentionLayer, mixed: list[Array], here: ResidualStream) -> ResidualStream:
    """R(x + R(W_O [head 1, head 2, ..])): the sum over the heads is exact and rounded once."""
    joined = _joined(mixed, axis=1)
    output = _joined([head.output for head in layer.heads], axis=1)
    written = rounded.product(joined.lifted(), output, "output")
    own = here.rows[here.place.reshape(-1)]
    rows = rounded.sum(own, written, "residual")
    return ResidualStream(rows.lifted(), np.arange(here.place.size).reshape(here.place.shape))


def _recurrence(rounded: _Rounded, network: Network, layer: ElmanLayer, x: ResidualStream) -> ResidualStream:
    """h_t = relu(R(W h_(t-1) + U x_t + b)) at every position."""
    if layer.activation != "relu":
        raise ValueError(
            f"run({network.name}): {rounded.layer} is a {layer.activation}, which has no exact values; `Model` runs it"
        )
    batch, time = x.place.shape
    weights = _transposed(_joined([layer.recurrent, layer.input], axis=1))
    inputs = x.dense()
    state = Array(np.repeat(layer.start.integers[None], batch, axis=0), layer.start.unit)
    states = []
    for t in range(time):
        both = _joined([state, inputs[:, t]], axis=1)
        state = _relu(rounded.grid.product(both, weights, rounded.tally, rounded.layer, bias=layer.bias))
        states.append(Array(state.integers[:, None], state.unit))
    stacked = _joined(states, axis=1)
    rows = Array(stacked.integers.reshape(batch * time, -1), stacked.unit)
    return ResidualStream(rows.lifted(), np.arange(batch * time).reshape(batch, time))


def _relu(x: Array) -> Array:
    return Array(np.maximum(x.integers, 0), x.unit)


def _joined(parts: list[Array], axis: int = 0) -> Array:
    """The parts one after the other, in the largest unit that divides all of theirs."""
    if len(parts) == 1:
        return parts[0]
    unit = common(parts)
    return Array(np.concatenate([part.of_unit(unit).integers for part in parts], axis), unit)


def common(parts: list[Array]) -> Fraction:
    """The largest unit that divides the units of all parts.

    >>> common([Array(np.array([1]), Fraction(1, 4)), Array(np.array([1]), Fraction(1, 6))])
    Fraction(1, 12)
    """
    return reduce(common_unit, (part.unit for part in parts))


def _feed_forward(rounded: _Rounded, layer: FeedForward | None, x: ResidualStream) -> ResidualStream:
    """R(x + R(W_2 relu(R(W_1 x + b_1)) + b_2))."""
    if layer is None:
        return x
    inner = rounded.product(x.rows, layer.inner, "inner", layer.inner_bias)
    outer = rounded.product(_relu(inner).lifted(), layer.outer, "outer", layer.outer_bias)
    rows = rounded.sum(x.rows, outer, "feed-forward residual")
    return ResidualStream(rows.lifted(), x.place)


def _read_out(network: Network, x: ResidualStream, tally: Tally) -> Array:
    readout = _transposed(network.readout)
    logits = network.grid.product(x.rows, readout, tally, "read-out", bias=network.readout_bias)
    return Array(logits.integers[x.place], logits.unit)

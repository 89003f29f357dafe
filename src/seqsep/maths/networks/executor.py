"""Run a hand-built network on its grid Q_p: exact sums, rounded once at each named place, then saturated, and counted.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), appendix B.2: every number of the computation is on the grid. R(x) is x
rounded to the grid and saturated (`maths.arithmetic.grid`); everything inside one R is computed exactly. With the places'
names:

    embedding              x_i = R(symbol + position), or first x_i = R(input W) if inputs are vectors
    query, key, value      q_i = R(W_Q x_i),  k_j = R(W_K x_j),  v_j = R(W_V x_j)         for each head
    scores                 s_ij = R(q_i . k_j)
    minus maximum          d_ij = max(s_ij - max_j s_ij, -L), then the weights a_ij       two more roundings or one: `softmax`
    mixed                  z_i = R(sum over j of a_ij v_j)
    output, residual       y_i = R(sum over heads of W_O z_i),  x_i <- R(x_i + y_i)
    inner, outer           u = R(W_1 x_i + b_1),  f = R(W_2 relu(u) + b_2)
    feed-forward residual  x_i <- R(x_i + f)
    read-out               logits = R(W x_i + b)

In layers of other kinds (`maths.networks.recurrent` has their recurrences):

    state                  h_t = R(A h_(t-1) + B x_t), linear
    output, residual       y_t = R(C h_(t-1)),  x_t <- R(x_t + y_t), linear
    (the layer's name)     h_t = relu(R(W h_(t-1) + U x_t + b)), Elman
    gate, inner, product   u = R(W_g x_i + b_g),  w = R(W_1 x_i + b_1),  v = R(relu(u) * w)
    outer                  f = R(W_2 v + b_2), gated

No sum wraps: `maths.arithmetic.integers` bounds it beforehand. The `Tally` counts, for each place, the numbers that R moved and
those beyond the ends of the grid.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.maths.arithmetic.grid import Array, Grid, Tally, joined
from seqsep.maths.arithmetic.softmax import Weights, attend, mix
from seqsep.maths.networks import recurrent
from seqsep.maths.networks._embedding import ResidualStream, embed
from seqsep.maths.networks.network import (
    AttentionLayer,
    AutomatonLayer,
    ElmanLayer,
    FeedForward,
    GatedFeedForward,
    Head,
    LinearLayer,
    Network,
)
from seqsep.maths.networks.recurrent import RecurrentLayer, StateRange

ENTRIES_AT_ONCE = 1 << 20
LOGITS_AT_ONCE = 1 << 23


@dataclass(frozen=True)
class Execution:
    """The result of a run: logits at the queried positions, the residual stream inside, and what was rounded.

    `logits` has shape (batch, asked, classes). `attended[l]` is the residual stream after attention layer l, before its
    feed-forward part: at every position, but in the last layer at the asked ones only. `state_ranges` has the range of every
    number that recurrent layers remember, layer by layer; the sum of its bits is a second figure beside `Network.state_bits`,
    measured on the inputs of this run and proved for no other.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> execution = run(build(3, 2), np.array([[1, 0, 1, 4]]), at=-1)  # 1 0 1 and the question for position 3
    >>> execution.answers.tolist(), execution.unique_argmax.tolist()
    ([[1]], [[True]])
    """

    logits: Array
    attended: tuple[Array, ...]
    tally: Tally = field(default_factory=Tally)
    state_ranges: tuple[StateRange, ...] = ()

    @property
    def answers(self) -> Int64[np.ndarray, "*shape"]:
        """The class of the greatest logit; the first of several equal ones."""
        return np.asarray(self.logits.integers.argmax(-1))

    @property
    def unique_argmax(self) -> Bool[np.ndarray, "*shape"]:
        """True if one logit is greater than all other ones."""
        integers = self.logits.integers
        return (integers == integers.max(-1, keepdims=True)).sum(-1) == 1


def run(network: Network, inputs: np.ndarray, at: Int64[np.ndarray, "batch asked"] | int | None = None) -> Execution:
    """Run a network on a batch of inputs, on its grid.

    Arguments:
        network: the network, with its grid.
        inputs: tokens of the shape (batch, time), or vectors of the shape (batch, time, coordinates) in steps of the grid.
        at: queried positions, an array of the shape (batch, queries), or one number for all examples, such as -1 for the last
            position. Default: all positions.

    Raises ValueError for a token that is not in the vocabulary, more tokens than positions, a vector that is not on the grid,
    an automaton's layer, or an Elman layer with a sigmoid.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> run(build(3, 2), np.array([[1, 0, 1, 3]]), at=-1).answers.tolist()  # the symbol at position 2 of 1 0 1
    [[0]]
    """
    tally = Tally()
    x = embed(network, inputs, tally)
    batch, time = x.place.shape
    everywhere = np.broadcast_to(np.arange(time), (batch, time))
    if at is None:
        wanted = everywhere
    elif isinstance(at, int):
        wanted = np.full((batch, 1), at % time)
    else:
        wanted = at
    attended = []
    state_ranges: list[StateRange] = []
    for number, (mixer, feed_forward) in enumerate(network.layers):
        rounded = _Rounded(network.grid, tally, f"layer {number}")
        asked = wanted if number == len(network.layers) - 1 else everywhere
        if isinstance(mixer, AttentionLayer):
            x = _attention(rounded, mixer, x, asked)
        elif isinstance(mixer, AutomatonLayer):
            raise ValueError(
                f"run({network.name}): layer {number} is an automaton; its table is run by `maths.automata.automata`"
            )
        elif isinstance(mixer, LinearLayer):
            x, met = _linear(rounded, mixer, x, asked)
            state_ranges += met
        else:
            _require_exact(network, mixer, number)
            x, met = _recurrence(rounded, mixer, x, asked)
            state_ranges += met
        attended.append(x.dense())
        x = _feed_forward(rounded, feed_forward, x)
    return Execution(_read_out(network, x, tally), tuple(attended), tally, tuple(state_ranges))


def ask(network: Network, prefix: Int64[np.ndarray, "time"], questions: Int64[np.ndarray, "n"]) -> Execution:
    """Run the network on `prefix` followed by one question token, for each of n questions; masks must be causal.

    The prefix is computed once and memory is linear in its length. The logits have shape (n, classes).
    Raises ValueError as `run` does, for a network that is not causal, or for an Elman layer.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> ask(build(3, 2), np.array([1, 0, 1]), np.array([2, 3, 4])).answers.tolist()
    [1, 0, 1]
    """
    if not network.causal:
        raise ValueError(f"ask({network.name}): a network without a causal mask reads its prefix again for each question")
    tally = Tally()
    x = embed(network, prefix[None], tally)
    last = embed(network, questions[:, None], tally, first=len(prefix))
    attended = []
    state_ranges: list[StateRange] = []
    everywhere = np.arange(len(prefix))[None]
    for number, (mixer, feed_forward) in enumerate(network.layers):
        rounded = _Rounded(network.grid, tally, f"layer {number}")
        is_last = number == len(network.layers) - 1
        if isinstance(mixer, LinearLayer):
            x, last_mixed, met = _linear_of_last(rounded, mixer, x, last)
            state_ranges += met
        elif isinstance(mixer, AttentionLayer):
            last_mixed = _attention_of_last(rounded, mixer, x, last)
            x = x if is_last else _attention(rounded, mixer, x, everywhere)
        else:
            raise ValueError(f"ask({network.name}): layer {number} is neither attention nor linear; `run` takes Elman layers")
        x = x if is_last else _feed_forward(rounded, feed_forward, x)
        attended.append(last_mixed.dense()[:, 0])
        last = _feed_forward(rounded, feed_forward, last_mixed)
    return Execution(_read_out(network, last, tally)[:, 0], tuple(attended), tally, tuple(state_ranges))


class _Rounded(NamedTuple):
    """R in one layer: the grid, and where what it rounds is counted."""

    grid: Grid
    tally: Tally
    layer: str

    def product(self, x: Array, y: Array, place: str, bias: Array | None = None) -> Array:
        """R(x y^T + bias), over the last axes of x and y."""
        return self.grid.product(x, y.transposed(), self.tally, f"{self.layer} {place}", bias=bias)

    def sum(self, x: Array, y: Array, place: str) -> Array:
        """R(x + y)."""
        return self.grid.place(x.plus(y), self.tally, f"{self.layer} {place}")

    def multiply(self, x: Array, y: Array, place: str) -> Array:
        """R(x y), entry by entry."""
        return self.grid.multiply(x, y, self.tally, f"{self.layer} {place}")

    def states(self, layer: RecurrentLayer, x: ResidualStream, place: str) -> Array:
        """h_0 .. h_T of a recurrent layer: (batch, time + 1, r)."""
        return recurrent.states(self.grid, layer, x.dense(), tally=self.tally, where=self.layer + place)

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


def _attention(
    rounded: _Rounded, layer: AttentionLayer, x: ResidualStream, asked: Int64[np.ndarray, "batch asked"]
) -> ResidualStream:
    """Return R(x + attention(x)) at the queried positions of each example."""
    mixed = [_mixed(rounded, head, x, asked, causal=layer.causal) for head in layer.heads]
    return _written(rounded, layer, mixed, x.at(asked))


def _mixed(rounded: _Rounded, head: Head, x: ResidualStream, asked: Int64[np.ndarray, "batch asked"], *, causal: bool) -> Array:
    """Return z of one head at the queried positions, (batch x asked) rows, in blocks, to bound the memory for scores."""
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
    return joined(blocks)


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
        scores = joined([before, own], axis=1)
        weights = rounded.weights(scores)
        # All rows read one table: the values of x, and after them each row's own one, at `time` + its number.
        table = joined([value[0], own_value[some][:, 0]])
        weights = weights._replace(key=np.where(weights.key < time, weights.key, time + weights.row))
        rows = np.zeros(len(scores.integers), dtype=np.int64)
        blocks.append(rounded.mix(weights, table[None], rows))
    return joined(blocks)


def _written(rounded: _Rounded, layer: AttentionLayer, mixed: list[Array], here: ResidualStream) -> ResidualStream:
    """R(x + R(W_O [head 1, head 2, ..])): the sum over the heads is exact and rounded once."""
    heads = joined(mixed, axis=1)
    output = joined([head.output for head in layer.heads], axis=1)
    return _added(rounded, rounded.product(heads.lifted(), output, "output"), here)


def _added(rounded: _Rounded, written: Array, here: ResidualStream) -> ResidualStream:
    """R(x + written), a row for each position."""
    rows = rounded.sum(here.rows[here.place.reshape(-1)], written, "residual")
    return ResidualStream(rows.lifted(), np.arange(here.place.size).reshape(here.place.shape))


def _require_exact(network: Network, layer: ElmanLayer, number: int) -> None:
    if layer.activation != "relu":
        raise ValueError(
            f"run({network.name}): layer {number} is a {layer.activation}, which has no exact values; `Model` runs it"
        )


def _recurrence(
    rounded: _Rounded, layer: ElmanLayer, x: ResidualStream, asked: Int64[np.ndarray, "batch asked"]
) -> tuple[ResidualStream, tuple[StateRange, ...]]:
    """Return the states of an Elman layer in place of the vectors at the queried positions, and the ranges of its numbers."""
    batch, time = x.place.shape
    met = rounded.states(layer, x, place="")
    rows = Array(met.integers[:, 1:].reshape(batch * time, -1), met.unit)
    everywhere = ResidualStream(rows.lifted(), np.arange(batch * time).reshape(batch, time))
    return everywhere.at(asked), recurrent.ranges(met)


def _linear(
    rounded: _Rounded, layer: LinearLayer, x: ResidualStream, asked: Int64[np.ndarray, "batch asked"]
) -> tuple[ResidualStream, tuple[StateRange, ...]]:
    """Return R(x_t + R(C h_(t-1))) at the queried positions, and the ranges of what is remembered."""
    met = rounded.states(layer, x, place=" state")
    before = Array(np.take_along_axis(met.integers, asked[:, :, None], axis=1), met.unit)
    return _recalled(rounded, layer, before, x.at(asked)), recurrent.ranges(met)


def _linear_of_last(
    rounded: _Rounded, layer: LinearLayer, x: ResidualStream, last: ResidualStream
) -> tuple[ResidualStream, ResidualStream, tuple[StateRange, ...]]:
    """The outputs for x, (1, time), and for each of `last`, (n, 1), put to the state after all of x; and the ranges."""
    count = len(last.place)
    met = rounded.states(layer, x, place=" state")
    before = Array(np.repeat(met.integers[:, -1:], count, axis=0), met.unit)
    after = recurrent.after(
        rounded.grid, layer, before[:, 0], last.dense()[:, 0], tally=rounded.tally, where=f"{rounded.layer} state"
    )
    every_state = joined([met[0], after])
    outputs = _recalled(rounded, layer, met[:, :-1], x)
    return outputs, _recalled(rounded, layer, before, last), recurrent.ranges(every_state)


def _recalled(rounded: _Rounded, layer: LinearLayer, before: Array, here: ResidualStream) -> ResidualStream:
    """R(x + R(C h)) for the states h before each token, (batch, asked, r)."""
    rows = Array(before.integers.reshape(here.place.size, -1), before.unit)
    return _added(rounded, rounded.product(rows.lifted(), layer.output, "output"), here)


def _relu(x: Array) -> Array:
    return Array(np.maximum(x.integers, 0), x.unit)


def _feed_forward(rounded: _Rounded, layer: FeedForward | GatedFeedForward | None, x: ResidualStream) -> ResidualStream:
    """R(x + R(W_2 v + b_2)) for v = relu(u), or v = R(relu(gate) * u) if the layer is gated, u = R(W_1 x + b_1)."""
    if layer is None:
        return x
    inner = rounded.product(x.rows, layer.inner, "inner", layer.inner_bias)
    if isinstance(layer, GatedFeedForward):
        gate = _relu(rounded.product(x.rows, layer.gate, "gate", layer.gate_bias))
        hidden = rounded.multiply(gate.lifted(), inner.lifted(), "product")
    else:
        hidden = _relu(inner)
    outer = rounded.product(hidden.lifted(), layer.outer, "outer", layer.outer_bias)
    rows = rounded.sum(x.rows, outer, "feed-forward residual")
    return ResidualStream(rows.lifted(), x.place)


def _read_out(network: Network, x: ResidualStream, tally: Tally) -> Array:
    """The logits at every place; in blocks of rows, to bound the memory for sums before they are placed."""
    readout = network.readout.transposed()
    at_once = max(1, LOGITS_AT_ONCE // readout.integers.shape[1])
    blocks = [
        network.grid.product(x.rows[first : first + at_once], readout, tally, "read-out", bias=network.readout_bias)
        for first in range(0, max(1, len(x.rows.integers)), at_once)
    ]
    logits = joined(blocks)
    if np.array_equal(x.place.reshape(-1), np.arange(len(logits.integers))):
        return Array(logits.integers.reshape(*x.place.shape, -1), logits.unit)
    return Array(logits.integers[x.place], logits.unit)

"""A hand-built network as frozen integer arrays on the grid Q_p, and its size in bits.

    x_i <- x_i + sum over heads of W_O (sum over j of a_ij W_V x_j),   a_i = softmax over j of (W_Q x_i) . (W_K x_j)
    x_i <- x_i + W_2 relu(W_1 x_i + b_1) + b_2
    logits_i = W x_i + b

for each layer in turn, then the read-out. It has no norm, no 1/sqrt(d) in the scores and no bias in the attention. A layer
may have a recurrence in place of attention (`LinearLayer`, `ElmanLayer`, `AutomatonLayer`), and products of two linear maps in
place of the second line (`GatedFeedForward`). The coordinates of x_i, the residual stream, have names (`Network.spaces`).
`maths.networks.executor` runs a network on its grid, `seqsep.models.model.Model.load` in float64.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Literal

import numpy as np
from jaxtyping import Int64
from numpy.typing import ArrayLike

from seqsep.core.names import narrowed
from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.arithmetic.integers import ceil_log2, digits_of

__all__ = [
    "Array",
    "AttentionLayer",
    "AutomatonLayer",
    "ElmanLayer",
    "FeedForward",
    "GatedFeedForward",
    "Head",
    "Layer",
    "LinearLayer",
    "Network",
    "SizeLedger",
    "whole",
]


@dataclass(frozen=True)
class Head:
    """One head: scores (W_Q x) . (W_K x'), values W_V x', written back by W_O.

    W_Q and W_K are m x d, W_V is v x d and W_O is d x v, for the width d of the residual stream.

    >>> one = whole([[1, 0]])
    >>> Head(query=one, key=one, value=one, output=whole([[0], [1]])).output.integers.shape
    (2, 1)
    """

    query: Array
    key: Array
    value: Array
    output: Array


@dataclass(frozen=True)
class AttentionLayer:
    """Heads side by side, of equal widths; with the causal mask a token sees itself and the tokens before it.

    >>> one = whole([[1, 0]])
    >>> AttentionLayer((Head(one, one, one, whole([[0], [1]])),), causal=False).causal
    False
    """

    heads: tuple[Head, ...]
    causal: bool = True


@dataclass(frozen=True)
class AutomatonLayer:
    """An automaton: its next state is table[t, state, token], or table[0, state, token] at all times.

    >>> AutomatonLayer(whole([[[0, 1], [1, 0]]]), start=0).table.integers.shape
    (1, 2, 2)
    """

    table: Array
    start: int


@dataclass(frozen=True)
class ElmanLayer:
    """h_t = activation(W h_(t-1) + U x_t + b), which replaces x_t. W and U are width x width, and h_0 is `start`.

    >>> ElmanLayer(recurrent=whole([[1]]), input=whole([[1]]), bias=whole([0]), start=whole([0])).activation
    'relu'
    """

    recurrent: Array
    input: Array
    bias: Array
    start: Array
    activation: Literal["relu", "sigmoid"] = "relu"


@dataclass(frozen=True)
class LinearLayer:
    """A linear recurrence: x_t + C h_(t-1), with h_t = A h_(t-1) + B x_t and h_0 = 0.

    A = `recurrent` is r x r, B = `input` r x d and C = `output` d x r, for r numbers remembered and the width d of the
    residual stream. A token reads what was remembered before it.
    Raises ValueError for matrices of other shapes.

    >>> LinearLayer(recurrent=whole([[1]]), input=whole([[1, 0]]), output=whole([[0], [1]])).remembered
    1
    """

    recurrent: Array
    input: Array
    output: Array

    def __post_init__(self) -> None:
        shapes = [part.integers.shape for part in (self.recurrent, self.input, self.output)]
        remembered = shapes[0][0]
        width = shapes[1][-1]
        if shapes != [(remembered, remembered), (remembered, width), (width, remembered)]:
            found = ", ".join(" x ".join(map(str, shape)) for shape in shapes)
            raise ValueError(f"LinearLayer: recurrent is r x r, input r x d and output d x r, found {found}")

    @property
    def remembered(self) -> int:
        """r, the numbers remembered."""
        return int(self.recurrent.integers.shape[0])


@dataclass(frozen=True)
class FeedForward:
    """x + W_2 relu(W_1 x + b_1) + b_2, with W_1 = `inner` and W_2 = `outer`.

    >>> FeedForward(whole([[1, -1]]), whole([0]), whole([[0], [1]]), whole([0, 0])).inner.integers.shape
    (1, 2)
    """

    inner: Array
    inner_bias: Array
    outer: Array
    outer_bias: Array


@dataclass(frozen=True)
class GatedFeedForward:
    """x + W_2 (relu(W_g x + b_g) * (W_1 x + b_1)) + b_2: the entries of a ReLU layer, each times one of a linear layer.

    W_g = `gate` and W_1 = `inner` are h x d and W_2 = `outer` is d x h, for h products and the width d of the residual stream.

    >>> square = GatedFeedForward(whole([[1, 0]]), whole([0]), whole([[1, 0]]), whole([0]), whole([[0], [1]]), whole([0, 0]))
    >>> square.gate.integers.shape  # relu(x_1) x_1 is added to x_2
    (1, 2)
    """

    gate: Array
    gate_bias: Array
    inner: Array
    inner_bias: Array
    outer: Array
    outer_bias: Array


MixingLayer = AttentionLayer | AutomatonLayer | ElmanLayer | LinearLayer
Layer = tuple[MixingLayer, FeedForward | GatedFeedForward | None]


@dataclass(frozen=True)
class SizeLedger:
    """The size of a network in bits, counted in three ways.

    `core` is 3 m d p H over the attention layers, the paper's formula, with m the wider of a head's key and value and d the
    width of the residual stream. `program` counts every entry that is not a function of the index alone, and the parameters
    of the position code that generates the other entries. `tables` counts every entry as stored.

    >>> Network.of_table("parity", np.array([[0, 1], [1, 0]]), np.array([0, 1])).ledger()
    SizeLedger(core=0, program=112, tables=112)
    """

    core: int
    program: int
    tables: int


@dataclass(frozen=True)
class Network:
    """A network whose arrays are on a grid: embeddings, layers and a read-out, all of one width.

    A token is embedded as its row of `symbols` followed by its row of `indices`. A vector is multiplied by `vectors`. If
    the network has positions, the row of `positions` for the time is added.

    Fields:
        name: name in tables and files.
        grid: the grid, with its rules of rounding.
        spaces: names of slices of the residual stream.
        symbols: embeddings of the shape (tokens, coordinates); None if inputs are vectors.
        layers: pairs of a layer (attention, automaton, Elman or linear) and a feed-forward part or None.
        readout: matrix of the shape (classes, width).
        readout_bias: vector of the shape (classes).
        indices: further coordinates of the tokens that are an index, such as a queried position; None if there are none.
        positions: vectors of the shape (positions, width); None if there are none.
        vectors: matrix of the shape (coordinates, width); None if inputs are tokens.
        code_bits: some arrays are computed from the position or the index; this is the size in bits of the data that this
            needs, such as a random seed.

    Raises ValueError if an array is not on the grid, or if the network has both `symbols` and `vectors` or neither.

    >>> parity = Network.of_table("parity", np.array([[0, 1], [1, 0]]), np.array([0, 1]))
    >>> [name for name, array in parity.arrays()]
    ['symbols', 'layers.0.AutomatonLayer.table', 'readout', 'readout_bias']
    """

    name: str
    grid: Grid
    spaces: Mapping[str, slice]
    symbols: Array | None
    layers: tuple[Layer, ...]
    readout: Array
    readout_bias: Array
    indices: Array | None = None
    positions: Array | None = None
    vectors: Array | None = None
    code_bits: int = 0

    def __post_init__(self) -> None:
        if (self.symbols is None) == (self.vectors is None):
            raise ValueError(f"Network({self.name}): inputs are tokens (symbols) or vectors (vectors), one of the two")
        for name, array in self.arrays():
            if not self.grid.holds(array) and not name.endswith("AutomatonLayer.table"):
                raise ValueError(
                    f"Network({self.name}): {name} has entries up to {float(array.largest):g} in units of {array.unit}, "
                    f"which are not all on the grid of step 1/{self.grid.steps} up to {self.grid.steps}"
                )

    @classmethod
    def of_table(
        cls,
        name: str,
        table: Int64[np.ndarray, "*time states tokens"],
        answers: Int64[np.ndarray, "states"],
        *,
        classes: int = 2,
        start: int = 0,
        indices: int = 0,
    ) -> "Network":
        """Return the network of an automaton: one-hot tokens and one-hot states side by side, and a read-out of the state.

        table[state, token], or table[t, state, token] if the transition depends on the time, is the next state. The logit of
        class answers[state] is 1 and every other is 0; -1 means a state without an answer. The last `indices` tokens
        are embedded as functions of their number (`by_index`). `Model.load` runs the network; the exact executor does not.
        Raises ValueError if table or answers have another shape, or an answer is none of -1 .. classes - 1.

        >>> parity = Network.of_table("parity", np.array([[0, 1], [1, 0]]), np.array([0, 1]))
        >>> parity.width, parity.ledger().tables
        (4, 112)
        """
        states, tokens = table.shape[-2:]
        if table.ndim not in (2, 3) or answers.shape != (states,):
            raise ValueError(
                f"Network.of_table({name}): table is (time x) states x tokens and answers has one class a state, "
                f"found shapes {table.shape} and {answers.shape}"
            )
        if not ((answers >= -1) & (answers < classes)).all():
            raise ValueError(
                f"Network.of_table({name}): answers are -1 to {classes - 1}, found {answers.min()} to {answers.max()}"
            )
        width = tokens + states
        one_hot = np.eye(tokens, width, dtype=np.int64)
        readout = np.zeros((classes, width), dtype=np.int64)
        answered = np.flatnonzero(answers >= 0)
        readout[answers[answered], tokens + answered] = 1
        layer = AutomatonLayer(Array(table.reshape(-1, states, tokens)), start)
        return cls(
            name=name,
            grid=Grid(4),
            spaces={"token": slice(0, tokens), "state": slice(tokens, width)},
            symbols=Array(one_hot[: tokens - indices]),
            indices=Array(one_hot[tokens - indices :], by_index=True) if indices else None,
            layers=((layer, None),),
            readout=Array(readout),
            readout_bias=Array(np.zeros(classes, dtype=np.int64)),
        )

    @property
    def precision(self) -> int:
        """p, in bits per number."""
        return self.grid.precision

    @property
    def width(self) -> int:
        """d, the coordinates of the residual stream."""
        return int(self.readout.integers.shape[1])

    @property
    def state_bits(self) -> int:
        """Bits that the recurrent layers remember between two tokens: p for each number, ceil(log2 states) for an automaton.

        What attention keeps of every token is not counted.

        >>> Network.of_table("parity", np.array([[0, 1], [1, 0]]), np.array([0, 1])).state_bits
        1
        """
        bits = 0
        for mixer, _ in self.layers:
            if isinstance(mixer, AutomatonLayer):
                bits += ceil_log2(mixer.table.integers.shape[1])
            elif not isinstance(mixer, AttentionLayer):
                bits += self.precision * mixer.recurrent.integers.shape[0]
        return bits

    @property
    def heads(self) -> int:
        """The most heads that a layer has; 1 if no layer is attention."""
        return max((len(mixer.heads) for mixer, _ in self.layers if isinstance(mixer, AttentionLayer)), default=1)

    def attention(self, number: int) -> AttentionLayer:
        """The attention of layer `number`, from 0. Raises InternalError if it has another mixer."""
        return narrowed(self.layers[number][0], AttentionLayer)

    @property
    def causal(self) -> bool:
        """True if every attention layer has a causal mask."""
        return all(mixer.causal for mixer, _ in self.layers if isinstance(mixer, AttentionLayer))

    def arrays(self) -> Iterator[tuple[str, Array]]:
        """Every array with its name."""
        for name in ("symbols", "indices", "positions", "vectors"):
            if getattr(self, name) is not None:
                yield name, getattr(self, name)
        for number, (mixer, feed_forward) in enumerate(self.layers):
            if isinstance(mixer, AttentionLayer):
                for index, head in enumerate(mixer.heads):
                    yield from _arrays_of(head, f"layers.{number}.heads.{index}")
            elif isinstance(mixer, AutomatonLayer):
                yield f"layers.{number}.AutomatonLayer.table", mixer.table
            else:
                kind = "linear" if isinstance(mixer, LinearLayer) else "elman"
                yield from _arrays_of(mixer, f"layers.{number}.{kind}")
            if feed_forward is not None:
                kind = "gated_feed_forward" if isinstance(feed_forward, GatedFeedForward) else "feed_forward"
                yield from _arrays_of(feed_forward, f"layers.{number}.{kind}")
        yield "readout", self.readout
        yield "readout_bias", self.readout_bias

    def ledger(self) -> SizeLedger:
        """The three totals, counted from the arrays; an automaton's table takes ceil(log2 states) bits an entry."""
        core = program = tables = 0
        for mixer, _ in self.layers:
            if isinstance(mixer, AttentionLayer):
                for head in mixer.heads:
                    head_width = max(head.key.integers.shape[0], head.value.integers.shape[0])
                    core += 3 * head_width * self.width * self.precision
        for name, array in self.arrays():
            entry_bits = self.precision
            if name.endswith("AutomatonLayer.table"):
                entry_bits = digits_of(array.integers.shape[1])
            tables += array.integers.size * entry_bits
            program += 0 if array.by_index else array.integers.size * entry_bits
        return SizeLedger(core, program + self.code_bits, tables)


def _arrays_of(
    part: Head | FeedForward | GatedFeedForward | ElmanLayer | LinearLayer, prefix: str
) -> Iterator[tuple[str, Array]]:
    for entry in fields(part):
        if isinstance(getattr(part, entry.name), Array):
            yield f"{prefix}.{entry.name}", getattr(part, entry.name)


def whole(integers: ArrayLike, by_index: bool = False) -> Array:
    """A frozen copy of whole numbers as an array of unit 1.

    >>> whole([1, 2]).plus(whole([3, 4])).integers.tolist()
    [4, 6]
    """
    return Array(np.array(integers, dtype=np.int64), Fraction(1), by_index)

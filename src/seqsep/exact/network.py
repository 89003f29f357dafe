"""A hand-built network as frozen integer arrays, and the ledger of its size in bits.

Every array holds integers times a unit (a fraction), so that a weight is an exact number and can be put on the grid Q_p of
Bhattamishra et al. 2024 (arXiv:2406.09347), appendix B.2: multiples of n^-Kc between -n^Kc and n^Kc.
The residual stream has named spaces. Blocks have no norm: x + attention(x), then x + W_2 relu(W_1 x + b_1) + b_2.
Attention scores have no 1/sqrt(d). A network is run by `seqsep.model.Model.load`, in float64.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float64


@dataclass(frozen=True)
class Array:
    """Integers times `unit`; `by_index` marks a table that is a function of the position or index alone."""

    integers: np.ndarray
    unit: Fraction = Fraction(1)
    by_index: bool = False

    def __post_init__(self) -> None:
        if self.integers.dtype != np.int64:
            raise ValueError(f"Array(integers of {self.integers.dtype}): integers are int64")
        frozen = self.integers.copy()
        frozen.setflags(write=False)
        object.__setattr__(self, "integers", frozen)

    def floats(self) -> Float64[np.ndarray, "..."]:
        return self.integers.astype(np.float64) * float(self.unit)

    @property
    def largest(self) -> Fraction:
        """Greatest magnitude of an entry."""
        return int(np.abs(self.integers).max(initial=0)) * self.unit


@dataclass(frozen=True)
class AttentionLayer:
    """One causal head: scores (W_Q x) . (W_K x'), values W_V x', written back by W_O; no biases."""

    query: Array
    key: Array
    value: Array
    output: Array


@dataclass(frozen=True)
class AutomatonLayer:
    """A transition table (time or 1) x states x tokens, and the first state."""

    table: Array
    start: int


@dataclass(frozen=True)
class FeedForward:
    """x + W_2 relu(W_1 x + b_1) + b_2."""

    inner: Array
    inner_bias: Array
    outer: Array
    outer_bias: Array


@dataclass(frozen=True)
class Ledger:
    """Size in bits. `core` = 3 m d p H over the attention layers, the paper's formula; `program` = every entry that is not a
    function of the index alone; `tables` = the others as well."""

    core: int
    program: int
    tables: int


@dataclass(frozen=True)
class Network:
    """Embeddings, layers and a read-out, all of one width; `precision` is p, the bits of a number."""

    name: str
    precision: int
    spaces: Mapping[str, slice]
    symbols: Array
    indices: Array
    positions: Array | None
    layers: tuple[tuple[AttentionLayer | AutomatonLayer, FeedForward | None], ...]
    readout: Array
    readout_bias: Array

    @property
    def width(self) -> int:
        return self.symbols.integers.shape[1]

    @property
    def heads(self) -> int:
        """Heads of a layer."""
        return 1

    def arrays(self) -> Iterator[tuple[str, Array]]:
        """Every array with its name."""
        yield "symbols", self.symbols
        yield "indices", self.indices
        if self.positions is not None:
            yield "positions", self.positions
        for number, (mixer, feed_forward) in enumerate(self.layers):
            for part in (mixer, feed_forward):
                for name, value in vars(part).items() if part is not None else ():
                    if isinstance(value, Array):
                        yield f"layers.{number}.{type(part).__name__}.{name}", value
        yield "readout", self.readout
        yield "readout_bias", self.readout_bias

    def ledger(self) -> Ledger:
        core = 0
        for mixer, _ in self.layers:
            if isinstance(mixer, AttentionLayer):
                head_width = max(mixer.key.integers.shape[0], mixer.value.integers.shape[0])
                core += 3 * head_width * self.width * self.precision * self.heads
        program = sum(array.integers.size for _, array in self.arrays() if not array.by_index) * self.precision
        tables = sum(array.integers.size for _, array in self.arrays()) * self.precision
        return Ledger(core, program, tables)

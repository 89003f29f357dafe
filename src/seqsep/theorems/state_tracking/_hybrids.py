"""Hybrids on a constant grid: a recurrence whose step depends on the token, and one attention layer that reads what it writes.

    h_t = A_kind(x_t) h_(t-1) + B x_t
    x_t <- x_t + C h_t            or x_t + C h_(t-1) at tokens that read the state before their own step
    then a network of one attention layer (`maths.networks.network`) on these vectors

A_kind is a whole matrix for each kind of token, as in selective and in delta-rule layers. Its eigenvalues may be negative. The
grid has L = 2 at every length: its nine numbers are the multiples of 1/2 from -2 to 2. Each sum is exact, rounded once and then
cut off at -2 and 2. The softmax is "stepwise": it subtracts the maximum, and rounds each exponential and each quotient.

Hard maximum on this grid. If one key has the greatest score and every other score is lower by at least 2, the weight of that
key is exactly 1 and every other weight is exactly 0, for any number of keys. Proof: e^(-2) < 0.136 is below 1/4, so it is
rounded to 0 with "floor" and with "nearest". The exponential of the key is 1, and the sum of all of them is 1.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Unpack

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.maths.arithmetic.grid import Array, Grid, Tally
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.networks.executor import Execution, run
from seqsep.maths.networks.network import Network
from seqsep.tasks.base import Task
from seqsep.theorems.base import Claim, Described, Margin, Number, Outcome
from seqsep.theorems.blocks import Rows
from seqsep.theorems.trial import LOGITS, logits_apart

STEPS = 2
"""L: the numbers are the multiples of 1/2 from -2 to 2."""
GAP = 2
"""The least difference of scores from which attention is a hard maximum on this grid."""
NUMBERS_AT_ONCE = 1 << 23
Asked = Int64[np.ndarray, "batch asked"]
Tokens = Int64[np.ndarray, "batch time"]


def constant_grid(rounding: str) -> Grid:
    """Return the grid of nine numbers.

    >>> constant_grid("floor").precision
    4
    """
    return Grid(STEPS, "nearest" if rounding == "nearest" else "floor")


def signs(count: int, bits: int) -> Int64[np.ndarray, "count bits"]:
    """Return the binary digits of 0 .. count - 1, lowest first, as -1 and 1.

    >>> signs(3, 2).tolist()
    [[-1, -1], [1, -1], [-1, 1]]
    """
    return 2 * (np.arange(count)[:, None] >> np.arange(bits) & 1) - 1


def sign_bits(count: int, least: int = 1) -> int:
    """Return the digits that distinguish `count` numbers: ceil(log2 count), but at least `least`.

    >>> sign_bits(1), sign_bits(5), sign_bits(2, least=2)
    (1, 3, 2)
    """
    return max(least, ceil_log2(count))


@dataclass(frozen=True)
class KindRecurrence:
    """The recurrence: a matrix for each kind of token, B and C as rows that read and write, and h_0.

    Fields:
        kinds: kind of each token.
        moves: A of each kind.
        reads_before: True for each kind of token that reads the state before its own step.
        input: B.
        write: rows of the residual stream that the numbers are added to.
        start: h_0.
    """

    kinds: Int64[np.ndarray, "tokens"]
    moves: Int64[np.ndarray, "kinds r r"]
    reads_before: Bool[np.ndarray, "kinds"]
    input: Rows
    write: Rows
    start: Int64[np.ndarray, "r"]


class HybridRun(NamedTuple):
    """The result of the attention layer, the states h_0 .. h_T of each example, and the counts of cut-off numbers."""

    execution: Execution
    states: Int64[np.ndarray, "batch states r"]
    saturated: Mapping[str, int]

    @property
    def values(self) -> int:
        """The most values that a number of the state took."""
        return max(len(np.unique(self.states[..., number])) for number in range(self.states.shape[-1]))


@dataclass(frozen=True)
class RecurrentHybrid:
    """Embeddings, a recurrence, and the network of one attention layer on the vectors that the recurrence leaves."""

    symbols: Int64[np.ndarray, "tokens width"]
    recurrence: KindRecurrence
    network: Network

    def run(self, tokens: Tokens, at: Asked | int = -1) -> HybridRun:
        """Run the hybrid on its grid: answers at the queried positions, as `maths.networks.executor.run`."""
        grid = self.network.grid
        tally = Tally()
        x = self.symbols[tokens]
        states = self._states(tokens, x, tally)
        kinds = self.recurrence.kinds[tokens]
        read = np.where(self.recurrence.reads_before[kinds][..., None], states[:, :-1], states[:, 1:])
        written = grid.place(Array(x + read @ self.recurrence.write), tally, "recurrence residual")
        vectors = written.of_unit(grid.step).integers
        execution = run(self.network, vectors, at)
        return HybridRun(execution, states, tally.saturated + execution.tally.saturated)

    def _states(self, tokens: Tokens, x: np.ndarray, tally: Tally) -> Int64[np.ndarray, "batch states r"]:
        """Return h_0 .. h_T. They are whole numbers, so rounding changes none, and a cut-off one is counted."""
        parts = self.recurrence
        added = x @ parts.input.T
        kinds = parts.kinds[tokens]
        batch, time = tokens.shape
        states = np.empty((batch, time + 1, len(parts.start)), dtype=np.int64)
        states[:, 0] = parts.start
        for t in range(time):
            states[:, t + 1] = (parts.moves[kinds[:, t]] @ states[:, t, :, None])[..., 0] + added[:, t]
            if np.abs(states[:, t + 1]).max() > self.network.grid.steps:
                states[:, t + 1] = self.network.grid.place(Array(states[:, t + 1]), tally, "state").integers
        return states

    def sizes(self) -> dict[str, Number]:
        """Measure the sizes from the arrays."""
        network = self.network
        numbers = len(self.recurrence.start)
        return {
            "width": network.width,
            "heads": network.heads,
            "layers": 1 + len(network.layers),
            "precision": network.precision,
            "state_numbers": numbers,
            "state_bits": numbers * network.precision,
        }


class HybridTrial:
    """Runs a hybrid on batches of inputs, and requires the right answers.

    Fields:
        claim: claim of the theorem.
        hybrid: hybrid that runs.
    """

    def __init__(self, claim: Claim, hybrid: RecurrentHybrid) -> None:
        self.claim = claim
        self.hybrid = hybrid
        self.inputs = 0
        self.least: float = np.inf
        self.values = 0
        self.saturated: Counter[str] = Counter()

    def require(self, tokens: Tokens, expected: Asked, at: Asked, task: Task) -> None:
        """Require the answers at the queried positions. Raises TheoremFails with the first input that is answered wrongly."""
        at_once = max(1, NUMBERS_AT_ONCE // (tokens.shape[1] * self.hybrid.network.width))
        for first in range(0, len(tokens), at_once):
            some = slice(first, first + at_once)
            self._require(tokens[some], expected[some], at[some], task)

    def _require(self, tokens: Tokens, expected: Asked, at: Asked, task: Task) -> None:
        found = self.hybrid.run(tokens, at)
        wrong = np.argwhere((found.execution.answers != expected) | ~found.execution.unique_argmax)
        if len(wrong):
            row, place = wrong[0].tolist()
            given = task.readable(tuple(tokens[row, : at[row, place] + 1].tolist()), int(expected[row, place]))
            raise self.claim.fails({**given, "found": int(found.execution.answers[row, place])})
        self.inputs += expected.size
        apart = logits_apart(found.execution)
        self.least = min(self.least, float(int(apart.integers.min()) * apart.unit))
        self.values = max(self.values, found.values)
        self.saturated.update(found.saturated)

    def outcome(self, statement: str, bound: Mapping[str, Number], proved: float, **run: Unpack[Described]) -> Outcome:
        """Return the outcome. Raises TheoremFails for a size or a margin that breaks its bound."""
        measured = self.hybrid.sizes() | {"values": self.values}
        return self.claim.upper(
            statement=statement,
            inputs=self.inputs,
            measured=self.claim.within(measured, bound),
            bound=bound,
            margin=Margin(self.least, proved, LOGITS),
            saturated={place: count for place, count in sorted(self.saturated.items()) if count},
            **run,
        )


def sizes_of(width: int, state_numbers: int, values: int) -> dict[str, Number]:
    """Return the bound of each size of a hybrid with one head, by the names that a run measures.

    >>> sizes_of(20, 3, 2)["state_bits"]
    12
    """
    precision = constant_grid("floor").precision
    return {
        "width": width,
        "heads": 1,
        "layers": 2,
        "precision": precision,
        "state_numbers": state_numbers,
        "state_bits": state_numbers * precision,
        "values": values,
    }

"""If a linear recurrence counts the tokens, one attention head answers index lookup without position embeddings.

In index lookup a model reads up to N symbols and then a position. It answers with the symbol there. The recurrence keeps two
counters, which replace the positions. The attention head then finds the queried symbol. So the network has two layers. The
width is 6.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.6, Index.

We differ: the recurrence counts the tokens, and keeps the square of the count too. No other part of the network knows the
place of a token. The network has no feed-forward part (FFN).

Recurrence. It stores t, the number of earlier tokens, and t^2. Both begin at 0. After each token t becomes t + 1, and t^2
becomes t^2 + 2 t + 1. A token reads the counters before it is counted itself. So token i reads the time i. In
`index_lookup_one_layer` it has this time from a table of positions.

Attention. The attention layer, the read-out, the proof and the margins are those of `index-lookup-one-layer`. Its margins are
eta for the scores and 1 for the logits. That proof also defines the sizes n0, L, eta, Kc and p. Here L must also be at least
(N + 1)^2. The residual stream is [number v, v^2 | time t, t^2 | one | found], 6 coordinates.

State. It has two numbers of p bits. After N + 1 tokens they are N + 1 and (N + 1)^2. The numbers that occur fit in ceil(log2(N
+ 2)) + ceil(log2((N + 1)^2 + 1)) bits. The attention layer reads all tokens, so no bound on a recurrent state applies to this
network.
"""

import numpy as np

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.networks.network import LinearLayer, Network, whole
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import Claim, Number, Theorem
from seqsep.theorems.blocks import (
    Remembered,
    Spaces,
    hard_scale,
    least_grid,
    linear_layer,
    match_needs,
    peaks,
    with_squares,
)
from seqsep.theorems.options import Alphabet, Eta, GridRounding, Length
from seqsep.theorems.retrieval._construction import TaskConstruction
from seqsep.theorems.retrieval.index_lookup_one_layer import TRIALS, base, retrieve

CLAIM = Claim(
    name="index-lookup-hybrid",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.6, Index",
    statement="One attention head on a linear recurrence of two counters, of width 6, without positions, answers index lookup",
)


def build(length: Length, alphabet: Alphabet = 64, rounding: GridRounding = "floor", eta: Eta | None = None) -> Network:
    """The network for up to N = `length` symbols; token ids as in `IndexLookup(length, alphabet)`.

    `rounding` and `eta` are those of `index_lookup_one_layer.build`. Raises ValueError as it does.

    >>> network = build(length=64)
    >>> network.width, network.positions, network.precision, network.state_bits
    (6, None, 26, 52)
    """
    task = IndexLookup(length, alphabet)
    grid = _grid(task, rounding)
    spaces = Spaces(number=2, time=2, one=1, found=1)
    numbers = np.arange(alphabet)
    indices = np.arange(length)
    scale = hard_scale(grid.steps) if eta is None else eta
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(spaces.embed(number=with_squares(numbers)) + spaces["one"], by_index=True),
        indices=whole(spaces.embed(number=with_squares(indices)) + spaces["one"], by_index=True),
        layers=((_count_time(spaces), None), (retrieve(spaces, scale), None)),
        readout=whole(peaks(numbers, spaces["found"], spaces.nothing()), by_index=True),
        readout_bias=whole(-numbers * numbers, by_index=True),
    )


def _count_time(spaces: Spaces) -> LinearLayer:
    """(t, t^2) becomes (t + 1, t^2 + 2 t + 1) with each token, and a token reads what it was before."""
    both = np.concatenate([spaces["one"], spaces["one"]])
    return linear_layer(Remembered(np.array([[1, 0], [2, 1]]), both, spaces["time"]))


def _grid(task: IndexLookup, rounding: str) -> Grid:
    """That of `index_lookup_one_layer`, with room for (N + 1)^2, which is remembered after the question."""
    largest = base(task.length, task.alphabet) - 1
    return least_grid(largest + 1, lambda eta: max(match_needs(largest, (eta, 1)), (task.length + 1) ** 2), rounding)


def bound(task: IndexLookup, rounding: str = "floor") -> dict[str, Number]:
    """Every size with explicit constants, from N and S alone.

    core = 3 * 4 * 6 p; program = p (4 + 2 * 2 * 6 + 2 * 4 * 6 + 2 * 6), the recurrence and the head, since numbers and the
    read-out are functions of the index; tables = program + p (6 (S + N) + 7 S).
    """
    p = _grid(task, rounding).precision
    return {
        "width": 6,
        "heads": 1,
        "layers": 2,
        "precision": p,
        "core_bits": 72 * p,
        "program_bits": 88 * p,
        "tables_bits": p * (88 + 6 * task.length + 13 * task.alphabet),
        "state_numbers": 2,
        "state_bits": 2 * p,
        "state_bits_by_range": ceil_log2(task.length + 2) + ceil_log2((task.length + 1) ** 2 + 1),
    }


CONSTRUCTION = TaskConstruction(claim=CLAIM, build=build, bound=bound, trials=TRIALS, certified={"length": 16, "alphabet": 16})
THEOREM = Theorem(
    CLAIM,
    **CONSTRUCTION.functions,
    sides=("upper",),
    shown="A run checks the network at the length that it is built for.",
    not_shown="This does not show that the network is right at other lengths. The proof covers every N and S.",
)

"""One attention layer of a fixed width, 6 coordinates, answers index lookup at every length up to N.

In index lookup a model reads up to N symbols and then a position q. It answers with the symbol at q. The width of the layer
does not grow with N. Only the number of bits of each number grows, as about 4 log2 N.

Idea. A position is stored as a number and its square. So a score can be a negative squared distance, which is greatest at the
queried position.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6, Index.

We differ: the paper uses two layers, one that copies and one that matches. Its read-out can select only the first or the last
symbol (compare the errata of `is-tree-tour`). Here one layer is enough. Positions and symbols are both stored as numbers, so
the query can be compared with the positions directly.

Sizes. There are S symbols. Let n0 = max(N + 1, S). Each token stores two numbers: v, which is its symbol or the queried
position, and its time t, which is its index. Both are at most T = n0 - 1. Every number of the computation is a multiple of 1/L
with L = n0^Kc. The scale of the scores is eta = floor(ln(2 L^2)) + 1. The exponent Kc is the least one for which L >= max(eta
T, T^2). From n0 = 9 on Kc is 2, and a number has p = bit_length(2 n0^4) bits. If n0 is a power of two, p is 4 log2 n0 + 2.

Inputs. The residual stream is [number v, v^2 | time t, t^2 | one | found]. Here `one` is the constant 1, and the layer writes
the answer to `found`.
* Symbol s at index i: [s, s^2 | i, i^2 | 1 | 0].
* Query q at index n: [q, q^2 | n, n^2 | 1 | 0].

Attention. If token k attends to token j, the score is -eta (t_j - v_k)^2. The head copies the number v_j to `found`. The query
has v_k = q. So index q scores 0. Every other index scores at most -eta, and so does the query token itself, since its index n
is above q. By `blocks.hard_maximum` the weight of index q is exactly 1, so `found` is exactly the symbol s_q.

Logits. The logit of symbol i is 2 i s_q - i^2 = s_q^2 - (s_q - i)^2, which is greatest at i = s_q (`blocks.number.peaks`).

Margins. They hold for every N, every S and every input, with numbers rounded down or to the nearest:
* The score of the queried position is above every other score by at least eta.
* The logit of the right symbol is above every other logit by at least 1.

Rounding. Every stored number, every entry of a matrix and every winning score is at most max(eta T, T^2)
(`blocks.match.match_needs`). So it fits on the grid from -L to L. Only losing scores may be cut off at -L. In float64 numbers
are not rounded to the grid. There the weights of all other tokens add up to less than N / (2 L^2). So the error of `found` is
less than T N / (2 L^2) < 1 / (2 n0^2).
"""

from functools import partial

import numpy as np

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.networks.network import AttentionLayer, Network, whole
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import Choice, Claim, Number, Predictor, Theorem
from seqsep.theorems.blocks import (
    Spaces,
    hard_scale,
    head,
    least_grid,
    match,
    match_needs,
    number,
    peaks,
    side_by_side,
    with_squares,
)
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.options import Alphabet, Eta, GridRounding, Length
from seqsep.theorems.retrieval import _index_lookup_trials as trials
from seqsep.theorems.retrieval._construction import TaskConstruction, TaskTrials

CLAIM = Claim(
    name="index-lookup-one-layer",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6, Index",
    statement="One causal attention layer of one head and width 6 answers index lookup at every length up to N",
)


def build(length: Length, alphabet: Alphabet = 64, rounding: GridRounding = "floor", eta: Eta | None = None) -> Network:
    """The network for up to N = `length` symbols; token ids as in `IndexLookup(length, alphabet)`.

    `rounding` chooses the grid (`blocks.least_grid`); `eta` replaces the scale of the scores, to see how small it may be.
    Raises ValueError for a length or alphabet below 1, or another rounding.

    >>> network = build(length=64)
    >>> network.width, network.heads, network.precision
    (6, 1, 26)
    """
    task = IndexLookup(length, alphabet)
    grid = _grid(task, rounding)
    spaces = Spaces(number=2, time=2, one=1, found=1)
    numbers = np.arange(alphabet)
    indices = np.arange(length)
    times = np.arange(length + 1)
    scale = hard_scale(grid.steps) if eta is None else eta
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(spaces.embed(number=with_squares(numbers)), by_index=True),
        indices=whole(spaces.embed(number=with_squares(indices)), by_index=True),
        positions=whole(spaces.embed(time=with_squares(times)) + spaces["one"], by_index=True),
        layers=((retrieve(spaces, scale), None),),
        readout=whole(peaks(numbers, spaces["found"], spaces.nothing()), by_index=True),
        readout_bias=whole(-numbers * numbers, by_index=True),
    )


def retrieve(spaces: Spaces, eta: int) -> AttentionLayer:
    """One head, scores -eta (t_j - v_k)^2: the question's number is a time, and the number there is copied to `found`."""
    own = number(spaces, "number")
    scores = match(asked=own, own=number(spaces, "time"), one=spaces["one"], factors=(eta, 1))
    return side_by_side(head(scores, own.value, spaces["found"]))


def base(length: int, alphabet: int) -> int:
    """n0 = max(N + 1, S), the tokens or the symbols.

    >>> base(64, 64)
    65
    """
    return max(length + 1, alphabet)


def _grid(task: IndexLookup, rounding: str) -> Grid:
    largest = base(task.length, task.alphabet) - 1
    return least_grid(largest + 1, lambda eta: match_needs(largest, (eta, 1)), rounding)


def bound(task: IndexLookup, rounding: str = "floor") -> dict[str, Number]:
    """Every size with explicit constants, from N and S alone.

    core = 3 * 4 * 6 p, since a score has four rows. Tables of numbers, times and the read-out are functions of the index, so
    program = p (2 * 4 * 6 + 2 * 6), the entries of one head, and tables = program + p (6 (S + N + N + 1) + 7 S).
    """
    grid = _grid(task, rounding)
    p = grid.precision
    return {
        "width": 6,
        "heads": 1,
        "layers": 1,
        "eta": hard_scale(grid.steps),
        "precision": p,
        "core_bits": 72 * p,
        "program_bits": 60 * p,
        "tables_bits": p * (60 + 6 * (task.alphabet + 2 * task.length + 1) + 7 * task.alphabet),
    }


def _answering(network: Network, task: IndexLookup) -> Predictor:
    """Answer {"symbols": [..], "position": p} by the built weights; p from 1, symbols from 0 to S - 1, at most N of them."""
    return partial(trials.answer_to, network, task.length, task.alphabet)


def _evidence(network: Network, task: IndexLookup, seed: int) -> Evidence:
    """Show the network on every input if there are at most 1,024, else at up to 64 drawn ones."""
    return Evidence(task.name, {"length": task.length, "alphabet": task.alphabet}, trials.shown(network, task, seed))


TRIALS = TaskTrials(
    task=IndexLookup,
    put=trials.try_task,
    series=partial(trials.long_series, small=60_000, medium=39_000, large=1_500),
    answering=_answering,
    evidence=_evidence,
)
CONSTRUCTION = TaskConstruction(
    claim=CLAIM,
    build=build,
    bound=bound,
    trials=TRIALS,
    certified={"length": 16, "alphabet": 16},
    as_printed=lambda task: {"layers": 2, "precision": 14 * ceil_log2(base(task.length, task.alphabet)) + 1},
)
THEOREM = Theorem(
    CLAIM,
    **CONSTRUCTION.functions,
    sides=("upper",),
    shown="A run checks the network at the length that it is built for.",
    not_shown="This does not show that the model is right at lengths that are not built. The proof covers every N.",
    choices=(
        Choice(
            where="Theorem 4.6, Index",
            printed="two layers, a copy and a match",
            found="one layer is enough. For n = 1 to 5, the network of width 6 answers every input of up to n symbols from an "
            "alphabet of n. It also answers random inputs up to n = 4,096",
            built="the query matches the positions themselves",
            test="tests/theorems/retrieval/test_index_lookup_one_layer.py::test_one_layer_answers_every_input",
        ),
    ),
)

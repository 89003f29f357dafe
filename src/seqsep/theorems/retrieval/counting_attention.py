"""Two causal attention layers of one head answer counting, in width 9 and without a feed-forward part (FFN).

In counting a model reads a sequence, then a number q and a threshold t. It decides whether q occurs more than t times in the
sequence.

Idea. A head that attends equally to d tokens gives each of them the weight 1/d. So the weight of one such token shows how many
there are. The first layer counts at the token q in this way. The second layer copies the result to the token t, where the
read-out compares it with a number for t.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6, Counting.

We differ: the rule of the paper counts the query token as an occurrence (see the errata). Here the count is compared with a
number that the threshold token carries. So the network needs neither the product (t + 1) / (m + 1) of the paper nor an FFN.

Sizes. The sequence has at most N tokens, of S different numbers. Let n0 = max(N + 3, S + 1) and T = n0 - 1. A number s is
stored as v = s + 1. These v, and the times of the tokens, are at most T. Every number of the computation is a multiple of 1/L
with L = n0^Kc. These multiples, from -L to L, are the grid. The scale of the scores is eta = floor(ln(2 L^2)) + 1. Kc is the
least exponent with L >= max(n0^2, eta T, 4 n0). From n0 = 9 on Kc is 2, and a number has p = bit_length(2 n0^4) bits.

Inputs. The tokens are [BOS], x_1 .. x_n, q, t with n <= N. [BOS] marks the beginning, and is stored as 0. The residual stream
is [number v, v^2 | time, its square | one | bos | limit u | weight | copied]. The time of a token is its index. `one` is the
constant 1, and `bos` is 1 at [BOS] only. `limit` is a number that is defined below.

Let m be the number of times that q occurs in the data. Let f(d) be 1/d rounded to the grid.
* Layer 1 (`_count_equal`) writes to `weight` the attention to [BOS], at every token. The token q attends equally to the m
  occurrences, to itself and to [BOS]. So there `weight` is f(m + 2).
* Layer 2 (`_copy_before`) copies `weight` from q to t.
* The read-out has the logit 0 for "no" and u_t - b * `copied` for "yes", with b = 4 n0.

Threshold. Each t < N has a number u_t in `limit`. The quotient u_t / b is between f(t + 3) and f(t + 2), and also between 1/(t
+ 3) and 1/(t + 2). So the logit of "yes" is positive exactly if m >= t + 1. For t >= N, u_t is 0 and the answer is "no". This
holds on both grids, where numbers are rounded down or to the nearest. It also holds in float64. There the other tokens change
b times `copied` by less than one step of 1/L.

Margins. Each is proved for every N, S and every input, on both grids:
* Layer 1: the tokens with the same number as the querying token, and [BOS], score above every other token by at least eta. If
  there are d of them, each has the weight f(d).
* Layer 2: the token before scores above every other one by at least eta, so its weight is exactly 1.
* Read-out: the logit of the right answer is above the other one by `_counting.CountingEncoding.margin`, which is more than 5/L.

The proof continues at `_count_equal` and `_copy_before`.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.networks.network import AttentionLayer, Network, whole
from seqsep.theorems.base import Claim, Number, Theorem
from seqsep.theorems.blocks import (
    Rows,
    Spaces,
    count,
    hard_scale,
    head,
    least_grid,
    match,
    match_needs,
    number,
    offset,
    side_by_side,
    with_squares,
)
from seqsep.theorems.options import Alphabet, Eta, GridRounding, Length
from seqsep.theorems.retrieval import _counting_trials as trials
from seqsep.theorems.retrieval._construction import TaskConstruction, TaskTrials
from seqsep.theorems.retrieval._counting import CountingEncoding
from seqsep.theorems.retrieval._counting_errata import ERRATA
from seqsep.theorems.retrieval._shown import counting_evidence

CLAIM = Claim(
    name="counting-attention",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6, Counting",
    statement="Two causal attention layers of one head, of width 9 and without an FFN, answer counting",
)


def build(
    length: Length, alphabet: Alphabet | None = None, rounding: GridRounding = "floor", eta: Eta | None = None
) -> Network:
    """The network for up to N = `length` numbers out of 0 .. S - 1, S = `alphabet` (by default N + 1: all that can be counted).

    Token 0 is [BOS] and token s + 1 is the number s, as a symbol, a query or a threshold. `rounding` chooses the grid
    (`blocks.least_grid`); `eta` replaces the scale of the scores, to see how small it may be. Raises ValueError for a length or
    alphabet below 1, or another rounding.

    >>> network = build(length=61)
    >>> network.width, len(network.layers), network.precision
    (9, 2, 26)
    """
    task = task_of(length, alphabet)
    return assemble(task, grid_of(task, rounding), eta)


def task_of(length: int, alphabet: int | None) -> CountingEncoding:
    """The task; N + 1 numbers unless `alphabet` says otherwise."""
    return CountingEncoding(length, length + 1 if alphabet is None else alphabet)


def assemble(task: CountingEncoding, grid: Grid, eta: int | None = None) -> Network:
    """The network of a task on a grid."""
    scale = hard_scale(grid.steps) if eta is None else eta
    spaces = Spaces(number=2, time=2, one=1, bos=1, limit=1, weight=1, copied=1)
    times = np.arange(task.tokens)
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=symbols(task, grid, spaces, everywhere=spaces.nothing()),
        positions=whole(spaces.embed(time=with_squares(times)) + spaces["one"], by_index=True),
        layers=((_count_equal(spaces, scale), None), (_copy_before(spaces, scale), None)),
        readout=whole(np.concatenate([spaces.nothing(), spaces["limit"] - task.scale * spaces["copied"]])),
        readout_bias=whole([0, 0]),
    )


def symbols(task: CountingEncoding, grid: Grid, spaces: Spaces, everywhere: Rows) -> Array:
    """[BOS] and the numbers: (v, v^2), the flag of [BOS], the limits u, and `everywhere`, in steps of the grid."""
    numbers = np.arange(task.alphabet + 1)
    bos = (numbers == 0)[:, None] * spaces["bos"]
    limits = task.limits(grid)
    fixed = whole(spaces.embed(number=with_squares(numbers)) + bos + everywhere)
    return replace(fixed.plus(Array(spaces.embed(limit=limits.integers[:, None]), grid.step)), by_index=True)


def _count_equal(spaces: Spaces, eta: int) -> AttentionLayer:
    """The head of layer 1. If token k attends to token j, the score is -eta (v_j - v_k)^2; to [BOS] it is 0.

    At the query token q, m + 1 tokens are equal to q: m in the data and the query token itself. They and [BOS] score 0, and
    all others at most -eta. So `weight`, the attention to [BOS], is f(m + 2) (`blocks.count`). The threshold token comes later,
    so it is not counted.
    """
    one = spaces["one"]
    own = number(spaces, "number")
    scores = match(own, own, one, factors=(eta, 1), present=one - spaces["bos"])
    return side_by_side(count(scores, spaces["bos"], unit=spaces["weight"]))


def _copy_before(spaces: Spaces, eta: int) -> AttentionLayer:
    """The head of layer 2, with the score -eta (t_j - t_k + 1)^2: it adds the `weight` of the token before to `copied`."""
    scores = offset(number(spaces, "time"), spaces["one"], 1, eta)
    return side_by_side(head(scores, spaces["weight"], spaces["copied"]))


def grid_of(task: CountingEncoding, rounding: str) -> Grid:
    """The least grid that holds every entry, every number of the computation, and every winning score."""

    def needed(eta: int) -> int:
        return max(match_needs(task.base - 1, (eta, 1)), task.base**2, task.scale, 4 * eta)

    return least_grid(task.base, needed, rounding)


def proved(task: CountingEncoding, grid: Grid) -> float:
    """The least margin of the logits."""
    return float(task.margin(grid))


def bound(task: CountingEncoding, rounding: str = "floor") -> dict[str, Number]:
    """Every size with explicit constants, from N and S alone.

    A score has four rows: core = 2 * 3 * 4 * 9 p. Tables of numbers and times are functions of the index: program =
    p (2 * 9 (4 + 4 + 1 + 1) + 2 * 9 + 2), the heads and the read-out; tables = program + 9 p (S + 1 + N + 3).
    """
    grid = grid_of(task, rounding)
    p = grid.precision
    return {
        "width": 9,
        "heads": 1,
        "layers": 2,
        "eta": hard_scale(grid.steps),
        "precision": p,
        "core_bits": 216 * p,
        "program_bits": 200 * p,
        "tables_bits": p * (200 + 9 * (task.alphabet + 1 + task.tokens)),
    }


TRIALS = TaskTrials(
    task=task_of,
    put=trials.try_task,
    series=partial(trials.long_series, small=54_000, medium=5_000, large=120),
    answering=trials.answering,
    evidence=counting_evidence,
)
CONSTRUCTION = TaskConstruction(
    claim=CLAIM,
    build=build,
    bound=bound,
    trials=TRIALS,
    certified={"length": 2},
    proved=proved,
    as_printed=lambda task: {"rule": "(t + 1) / (m + 1) < 1", "scores": "-n diff^2", "precision": 6 * ceil_log2(task.base) + 1},
)
THEOREM = Theorem(
    CLAIM,
    **CONSTRUCTION.functions,
    sides=("upper",),
    shown="A run checks the network at the length that it is built for.",
    not_shown="This does not show that the network is right at other lengths. The proof covers every N and S.",
    errata=ERRATA,
)

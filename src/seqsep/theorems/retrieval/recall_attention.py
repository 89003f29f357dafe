"""Two causal attention layers answer associative recall and c-gram retrieval, in width 2c + 5 and without a feed-forward part.

In c-gram retrieval a model reads a sequence and then c - 1 tokens as a question. It answers with the token that follows the
first place where these c - 1 tokens occur in the sequence. Associative recall is the case c = 2.

Idea. The first layer gives every token its c - 1 predecessors. The second layer finds the first token whose predecessors are
the question.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6, associative recall and c-gram retrieval.

We differ:
* Without a match the answer is FAILED, which is a class. The first of several matches is the answer by construction. A match
  that overlaps the question does not count.
* A score is a negative squared difference of two numbers. The residual stream has each number with its square, so this is an
  inner product of query and key. Then numbers have about 4 log2 n0 + 2 bits for every c, with n0 as below. The scores of the
  paper, n^(4A+1) diff^2 for inputs of up to n^A tokens, need 14 log2 n + 1 bits at A = 1. (The paper writes c for A.)
* The network has no feed-forward part (FFN).

Sizes. The sequence has at most N tokens, of S symbols. Let n0 = max(N + c, S + 1). Stored numbers v and times are at most T =
n0 - 1. Every number of the computation is a multiple of 1/L with L = n0^Kc. These multiples, from -L to L, are the grid. The
scale of the scores is eta = floor(ln(2 L^2)) + 1, and the scale of a mismatch is B = 2 eta (n0 + 1). Kc is the least exponent
with L >= max(2 eta T, (n0 + 1) T, T^2, B) and L >= eta c^2. Such a grid holds every entry (`blocks.match.match_needs`). From
n0 = 31 on Kc is 2, as long as eta c^2 <= n0^2.

Inputs. The tokens are [BOS], x_1 .. x_n, g_1 .. g_(c-1) with n <= N. [BOS] marks the beginning, and the g are the question.
Symbol s is the number v = s + 1, and [BOS] is 0. The residual stream is [number v, v^2 | before o: p_o, p_o^2 for o = 1 .. c -
1 | time t, t^2 | one | bos | found], 2c + 5 coordinates. Here p_o is the number of the token o places before. `one` is the
constant 1, and `bos` is 1 at [BOS] only.

Layers. Layer 1 (`_copy_before`) gives every token the numbers of the c - 1 tokens before it. Layer 2 (`retrieve`) finds the
first token whose c - 1 predecessors are the question, and copies its number to `found`. If there is none, it attends to [BOS],
whose number is 0. In the read-out class i has the logit 2 i found - i^2, for i = 0 .. S (`blocks.number.peaks`). Class 0 is
FAILED.

Margins. They are proved for every N, S, c and every input, with numbers rounded down or to the nearest:
* Layer 1: the token o places back scores above every other token by at least eta, so its weight is exactly 1.
* Layer 2: the token that is read scores above every other token by at least eta, so its weight is exactly 1.
* The logit of the right class is above every other logit by at least 1.

The proof continues at `_copy_before` and `retrieve`.
"""

from functools import partial

import numpy as np

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.networks.network import AttentionLayer, Network, whole
from seqsep.theorems.base import Claim, Number, Theorem
from seqsep.theorems.blocks import (
    Scores,
    Spaces,
    first,
    hard_scale,
    head,
    least_grid,
    match,
    match_needs,
    number,
    offset,
    peaks,
    side_by_side,
    with_squares,
)
from seqsep.theorems.options import Alphabet, Eta, Gram, GridRounding, Length
from seqsep.theorems.retrieval import _recall_trials as trials
from seqsep.theorems.retrieval._construction import TaskConstruction, TaskTrials
from seqsep.theorems.retrieval._recall import RecallEncoding
from seqsep.theorems.retrieval._recall_errata import ERRATA
from seqsep.theorems.retrieval._shown import recall_evidence

CLAIM = Claim(
    name="recall-attention",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6, associative recall and c-gram retrieval",
    statement="Two causal attention layers (c - 1 heads and one head) of width 2c + 5, without an FFN, answer c-gram retrieval",
)


def build(
    length: Length, alphabet: Alphabet | None = None, gram: Gram = 2, rounding: GridRounding = "floor", eta: Eta | None = None
) -> Network:
    """The network for up to N = `length` symbols of S = `alphabet` (by default N + 1), and c-grams for c = `gram`.

    Token 0 is [BOS] and token s + 1 is symbol s; class 0 is FAILED and class s + 1 is symbol s. `rounding` chooses the grid
    (`blocks.least_grid`); `eta` replaces the scale of the scores, to see how small it may be. Raises ValueError for a length or
    alphabet below 1, grams below 2, or another rounding.

    >>> network = build(length=62)
    >>> network.width, len(network.layers), network.precision
    (9, 2, 26)
    """
    task = task_of(length, alphabet, gram)
    return assemble(task, _grid(task, rounding), eta)


def task_of(length: int, alphabet: int | None, gram: int) -> RecallEncoding:
    """The task; N + 1 symbols, unless `alphabet` says otherwise, so that 0 .. n - 1 and 1 .. n are symbols both."""
    return RecallEncoding(length, length + 1 if alphabet is None else alphabet, gram)


def assemble(task: RecallEncoding, grid: Grid, eta: int | None = None) -> Network:
    """The network of a task on a grid."""
    scale = hard_scale(grid.steps) if eta is None else eta
    spaces = _spaces(task)
    numbers = np.arange(task.alphabet + 1)
    times = np.arange(task.tokens)
    bos = (numbers == 0)[:, None] * spaces["bos"]
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(spaces.embed(number=with_squares(numbers)) + bos, by_index=True),
        positions=whole(spaces.embed(time=with_squares(times)) + spaces["one"], by_index=True),
        layers=((_copy_before(task, spaces, scale), None), (retrieve(task, spaces, scale), None)),
        readout=whole(peaks(numbers, spaces["found"], spaces.nothing()), by_index=True),
        readout_bias=whole(-numbers * numbers, by_index=True),
    )


def _spaces(task: RecallEncoding) -> Spaces:
    before = {f"before_{back}": 2 for back in range(1, task.gram)}
    return Spaces(number=2, **before, time=2, one=1, bos=1, found=1)


def _copy_before(task: RecallEncoding, spaces: Spaces, eta: int) -> AttentionLayer:
    """The c - 1 heads of layer 1: for o = 1 .. c - 1 one gives token k the number p_o of token k - o, and its square.

    If token k attends to token j, the score is -eta (t_j - t_k + o)^2. If k < o, token k - o does not exist. Then the first
    token, [BOS], wins by at least 3 eta, since eta c^2 <= L (`blocks.match.offset`). So p_o is 0, which is not the number of a
    symbol. In particular [BOS] has p_o = 0 for every o.
    """
    heads = []
    for back in range(1, task.gram):
        scores = offset(number(spaces, "time"), spaces["one"], back, eta)
        heads.append(head(scores, spaces["number"], spaces[f"before_{back}"]))
    return side_by_side(*heads)


def retrieve(task: RecallEncoding, spaces: Spaces, eta: int) -> AttentionLayer:
    """The head of layer 2. It finds the first token whose predecessors p_o are the numbers w_o of the question.

    Token k, the last one, looks for the numbers of the question: w_1 is its own number, and w_o is the number of the token o -
    1 places before it, which it stores as p_(o-1). Its score of token j is the sum of -B (p_o,j - w_o,k)^2 over o = 1 .. c -
    1, less 2 eta t_j. Its score of [BOS] does not depend on w (`blocks.match`) and is 2 eta (c - 2 - t_k) + eta. Token j
    matches if p_o = w_o for all o. No w_o is 0, so a match has c - 1 symbols before it.
    * A match in the data has t_j <= t_k - c + 1. So it scores at least 2 eta (c - 1 - t_k), which is eta above [BOS].
    * A match that overlaps the question has t_j >= t_k - c + 2. So it scores at most 2 eta (c - 2 - t_k), eta below [BOS].
    * Of two matches the first scores 2 eta more.
    * A mismatch scores at most -B = -2 eta (n0 + 1). [BOS] scores at least 2 eta (c - 1 - n0) + eta, which is more than 2 eta c
      above the mismatch.
    If there is a match in the data, the first one wins by at least eta. Otherwise [BOS] wins by at least eta.
    """
    one = spaces["one"]
    bos = spaces["bos"]
    time = spaces["time"][:1]
    scores = first(time, one, 2 * eta) + Scores(((2 * task.gram - 3) * one - 2 * time) * eta, bos)
    for back in range(1, task.gram):
        asked = "number" if back == 1 else f"before_{back - 1}"
        own = number(spaces, f"before_{back}")
        scores += match(number(spaces, asked), own, one, factors=factors(task, eta), present=one - bos)
    return side_by_side(head(scores, spaces["number"][:1], spaces["found"]))


def factors(task: RecallEncoding, eta: int) -> tuple[int, int]:
    """B = 2 eta (n0 + 1) as a product of what the query and the key carry."""
    return 2 * eta, task.base + 1


def _grid(task: RecallEncoding, rounding: str) -> Grid:
    """The least grid that holds every entry, every number of the computation, and every winning score."""

    def needed(eta: int) -> int:
        return max(match_needs(task.base - 1, factors(task, eta)), eta * task.gram**2)

    return least_grid(task.base, needed, rounding)


def bound(task: RecallEncoding, rounding: str = "floor") -> dict[str, Number]:
    """Every size with explicit constants, from N, S and c alone.

    Width d = 2c + 5. A score has four rows in layer 1 and 4 (c - 1) + 2 in layer 2: core = 3 d p (4 (c - 1) + 4 (c - 1) + 2).
    Tables of numbers, times and the read-out are functions of the index: program = p d ((c - 1)(8 + 4) + 2 (4c - 2) + 2), the
    entries of the heads, and tables = program + p (d (S + 1 + N + c + S + 1) + S + 1).
    """
    c = task.gram
    d = 2 * c + 5
    grid = _grid(task, rounding)
    p = grid.precision
    entries = d * (12 * (c - 1) + 2 * (4 * c - 2) + 2)
    classes = task.alphabet + 1
    return {
        "width": d,
        "heads": c - 1,
        "layers": 2,
        "eta": hard_scale(grid.steps),
        "precision": p,
        "core_bits": 3 * d * p * (8 * c - 6),
        "program_bits": p * entries,
        "tables_bits": p * (entries + d * (2 * classes + task.tokens) + classes),
    }


TRIALS = TaskTrials(
    task=task_of,
    put=trials.try_task,
    series=partial(trials.long_series, small=40_000, medium=8_000, large=400),
    answering=trials.answering,
    evidence=recall_evidence,
)
CONSTRUCTION = TaskConstruction(
    claim=CLAIM,
    build=build,
    bound=bound,
    trials=TRIALS,
    certified={"length": 3},
    as_printed=lambda task: {"scores": "n^(4c+1) diff^2, c = 1", "precision": 14 * ceil_log2(task.base) + 1},
    variant="c = {task.gram}, grid {rounding}",
)
THEOREM = Theorem(
    CLAIM,
    **CONSTRUCTION.functions,
    sides=("upper",),
    shown="A run checks the network at the length that it is built for.",
    not_shown="This does not show that the model is right at lengths that are not built. The proof covers every N, S and c.",
    errata=ERRATA,
)

"""One attention layer with a linear recurrence of 2 (c - 1) numbers answers c-gram retrieval, in width 2c + 4.

In c-gram retrieval a model reads a sequence and then c - 1 tokens as a question. It answers with the token that follows the
first place where these c - 1 tokens occur in the sequence. The recurrence stores the last c - 1 tokens. It replaces the first
of the two attention layers of `recall-attention`.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.6, associative recall and c-gram retrieval.

We differ: as in `recall-attention`, the answer without a match is FAILED, and FAILED is a class. The first of several matches
in the data is the answer. The recurrence is a shift register without a gate. The network has no feed-forward part (FFN).

Recurrence. Symbol s is the number v = s + 1, and [BOS], the first token, is 0. Token k reads the number p_o of token k - o and
its square, for o = 1 .. c - 1. Without such a token, p_o is 0.

Attention. The attention layer is that of `recall_attention.retrieve`, with the same proof. It needs no squared times, so the
width is one less than in `recall-attention`. The residual stream is [number v, v^2 | before o: p_o, p_o^2 | time t | one | bos
| found], 2c + 4 coordinates. `one` is the constant 1, and `bos` is 1 at [BOS] only. The numbers n0, eta, B, Kc and p are those
of `recall-attention`, without the condition eta c^2 <= L.

Margins. They hold for every N, S, c and every input, with numbers rounded down or to the nearest:
* The token that is read scores above every other token by at least eta, so its weight is exactly 1.
* The logit of the right class is above every other logit by at least 1.

State. It has 2 (c - 1) numbers of p bits, for every N. Their ranges are 0 .. S for the c - 1 numbers and 0 .. S^2 for their
squares. These ranges fit in (c - 1) (ceil(log2(S + 1)) + ceil(log2(S^2 + 1))) bits. The attention layer reads all tokens, so
no bound on a recurrent state applies to this network.

The proof continues at `recall_attention.retrieve`.
"""

import numpy as np

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.networks.network import LinearLayer, Network, whole
from seqsep.theorems.base import Claim, Number, Theorem
from seqsep.theorems.blocks import (
    Spaces,
    hard_scale,
    least_grid,
    linear_layer,
    match_needs,
    peaks,
    shift_register,
    with_squares,
)
from seqsep.theorems.options import Alphabet, Eta, Gram, GridRounding, Length
from seqsep.theorems.retrieval._construction import TaskConstruction
from seqsep.theorems.retrieval._recall import RecallEncoding
from seqsep.theorems.retrieval.recall_attention import TRIALS, factors, retrieve, task_of

CLAIM = Claim(
    name="recall-hybrid",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.6, associative recall and c-gram retrieval",
    statement="One attention head on a linear recurrence of 2 (c - 1) numbers, of width 2c + 4, answers c-gram retrieval",
)


def build(
    length: Length, alphabet: Alphabet | None = None, gram: Gram = 2, rounding: GridRounding = "floor", eta: Eta | None = None
) -> Network:
    """The network for up to N = `length` symbols of S = `alphabet` (by default N + 1), and c-grams for c = `gram`.

    Tokens and classes, `rounding` and `eta` are those of `recall_attention.build`. Raises ValueError as it does.

    >>> network = build(length=62)
    >>> network.width, len(network.layers), network.precision, network.state_bits
    (8, 2, 26, 52)
    """
    task = task_of(length, alphabet, gram)
    grid = _grid(task, rounding)
    scale = hard_scale(grid.steps) if eta is None else eta
    before = {f"before_{back}": 2 for back in range(1, gram)}
    spaces = Spaces(number=2, **before, time=1, one=1, bos=1, found=1)
    numbers = np.arange(task.alphabet + 1)
    times = np.arange(task.tokens)[:, None]
    bos = (numbers == 0)[:, None] * spaces["bos"]
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(spaces.embed(number=with_squares(numbers)) + bos, by_index=True),
        positions=whole(times * spaces["time"] + spaces["one"], by_index=True),
        layers=((_remember_before(task, spaces), None), (retrieve(task, spaces, scale), None)),
        readout=whole(peaks(numbers, spaces["found"], spaces.nothing()), by_index=True),
        readout_bias=whole(-numbers * numbers, by_index=True),
    )


def _remember_before(task: RecallEncoding, spaces: Spaces) -> LinearLayer:
    """Two shift registers of c - 1 numbers: v of the token o places back is added to p_o, and v^2 to p_o^2."""
    registers = []
    for coordinate in (slice(0, 1), slice(1, 2)):
        taps = {back: spaces[f"before_{back}"][coordinate] for back in range(1, task.gram)}
        registers.append(shift_register(spaces["number"][coordinate], taps))
    return linear_layer(*registers)


def _grid(task: RecallEncoding, rounding: str) -> Grid:
    """The least grid that holds every entry, every number of the computation, and every winning score."""
    return least_grid(task.base, lambda eta: match_needs(task.base - 1, factors(task, eta)), rounding)


def bound(task: RecallEncoding, rounding: str = "floor") -> dict[str, Number]:
    """Every size with explicit constants, from N, S and c alone.

    Width d = 2c + 4, r = 2 (c - 1) numbers remembered. A score has 4 (c - 1) + 2 rows: core = 3 d p (4c - 2). Tables of
    numbers, times and the read-out are functions of the index: program = p (r^2 + 2 r d + d (2 (4c - 2) + 2)), the recurrence
    and the head, and tables = program + p (d (S + 1 + N + c + S + 1) + S + 1).
    """
    c = task.gram
    d = 2 * c + 4
    remembered = 2 * (c - 1)
    p = _grid(task, rounding).precision
    entries = remembered**2 + 2 * remembered * d + d * (2 * (4 * c - 2) + 2)
    classes = task.alphabet + 1
    return {
        "width": d,
        "heads": 1,
        "layers": 2,
        "precision": p,
        "core_bits": 3 * d * p * (4 * c - 2),
        "program_bits": p * entries,
        "tables_bits": p * (entries + d * (2 * classes + task.tokens) + classes),
        "state_numbers": remembered,
        "state_bits": remembered * p,
        "state_bits_by_range": (c - 1) * (ceil_log2(task.alphabet + 1) + ceil_log2(task.alphabet**2 + 1)),
    }


CONSTRUCTION = TaskConstruction(
    claim=CLAIM,
    build=build,
    bound=bound,
    trials=TRIALS,
    certified={"length": 3},
    variant="c = {task.gram}, grid {rounding}",
)
THEOREM = Theorem(
    CLAIM,
    **CONSTRUCTION.functions,
    sides=("upper",),
    shown="A run checks the network at the length that it is built for.",
    not_shown="This does not show that the model is right at lengths that are not built. The proof covers every N, S and c.",
)

"""Lower bound: causal linear attention is a recurrent model, so its state bounds the length of index lookup that it can answer.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 3, the discussion after Theorem 3; the recurrent form from
Katharopoulos et al. 2020 (arXiv:2006.16236), equations 16 to 20.
We differ: the paper states that the bounds apply and gives no number. Here the state is a formula, checked against the
tensors, and the length from which index lookup with S symbols is impossible is counted from it; the same for every recurrent
mixer of ours.

Proof, as code. A head with keys of k and values of v coordinates has after t tokens the outputs phi(q)^T S_t / (phi(q) . z_t)
with S_t = S_{t-1} + phi(k_t) v_t^T and z_t = z_{t-1} + phi(k_t). The first t tokens enter all later outputs through S_t (k v
numbers) and, if the head normalises, z_t (k numbers) alone. So L layers of H heads at p bits a number have a state of B = L H
k (v + 1) p bits, or L H k v p without the normaliser, however the outputs are computed: the quadratic form, which keeps all t
inputs, computes the same function. Theorem 2 sends these B bits; Theorem 3 needs N log2 S of them. Hence no weights answer
index lookup for N log2 S > B, that is from N = floor(B / log2 S) + 1 on, for this width, precision and depth, MLPs, norms and
positions whatever.
The same for the other mixers of ours (d the width of the layer, all at p bits a number): retention L H k v p (no normaliser, k
= v = d / H); LSTM 2 L d p; DSS 2 n L d p (n = 64 complex numbers a channel); Mamba L 2d (n + w - 1) p (n = 16 states, w = 4
taps).

What a run shows: that the formulas count the state, and the protocol of Theorem 2 run with it, on models with random weights
(`one_way_protocol`; also that `forward`, the quadratic form, agrees with `step`); and for linear attention rounded to few bits
an input of index lookup on which it errs. That all weights err from that N on is the proof of Theorem 3.
"""

from collections.abc import Callable, Mapping

import torch

from seqsep.model.model import Model
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import Claim, Outcome, Theorem
from seqsep.theorems.protocols.collision import search
from seqsep.theorems.protocols.one_way_protocol import reduce
from seqsep.theorems.protocols.small_models import RECURRENT, rounded, with_random_weights
from seqsep.theorems.retrieval.index_lookup_state import recall

CLAIM = Claim(
    name="linear-attention-state",
    source="Bhattamishra et al. 2024, section 3 (discussion of Theorem 3)",
    statement=(
        "Causal linear attention is a recurrent model of L H k (v+1) p state bits: no index lookup where N log2 S exceeds them"
    ),
)
OTHERS = "A stack of recurrent layers answers no index lookup where N log2 S exceeds its counted state bits"
ERRS = "Causal linear attention with fewer than N log2 S state bits errs on an input of index lookup"
PRECISIONS = {32: torch.float32, 64: torch.float64}
MOST_TOKENS = 8
DSS_STATES, MAMBA_STATES, MAMBA_TAPS = 64, 16, 4
MAMBA2_STATES, WINDOW = 64, 16
SMALL_WIDTH, SMALL_PRECISION, SMALL_ALPHABET = 4, 2, 4


def state_bits(heads: int, key_width: int, value_width: int, precision: int, layers: int = 1, normaliser: bool = True) -> int:
    """L H k (v + 1) p, or L H k v p without the normaliser: state bits of causal linear attention; widths are a head's."""
    return layers * heads * key_width * (value_width + int(normaliser)) * precision


FORMULAS: Mapping[str, Callable[[int, int, int, int], int]] = {
    "linear-attention": lambda d, h, p, layers: state_bits(h, d // h, d // h, p, layers),
    "retention": lambda d, h, p, layers: state_bits(h, d // h, d // h, p, layers, normaliser=False),
    "lstm": lambda d, h, p, layers: 2 * layers * d * p,
    "dss": lambda d, h, p, layers: 2 * DSS_STATES * layers * d * p,
    "mamba": lambda d, h, p, layers: layers * 2 * d * (MAMBA_STATES + MAMBA_TAPS - 1) * p,
    "mamba2": lambda d, h, p, layers: layers * (2 * d * MAMBA2_STATES + (MAMBA_TAPS - 1) * (2 * d + 2 * MAMBA2_STATES)) * p,
    "gated-delta": lambda d, h, p, layers: layers * (2 * d * (d // h) + (MAMBA_TAPS - 1) * 4 * d) * p,
    "rwkv7": lambda d, h, p, layers: layers * (d * (d // h) + d) * p,
    "sliding-attention": lambda d, h, p, layers: layers * 2 * d * WINDOW * p,
}


def impossible_from(bits: int, alphabet: int) -> int:
    """The least N with N log2 S > B, exactly (S^N > 2^B): from here on no model of B state bits answers index lookup.

    Raises ValueError for an alphabet below 2, which asks nothing, or negative bits.
    """
    if alphabet < 2 or bits < 0:
        raise ValueError(f"impossible_from(bits={bits}, alphabet={alphabet}): an alphabet of at least 2, bits from 0")
    low, high = 0, bits + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if alphabet**middle > 1 << bits else (middle, high)
    return high


def check(
    width: int = 16, heads: int = 2, layers: int = 1, precision: int = 32, alphabet: int = 64, seed: int = 0
) -> list[Outcome]:
    """Linear attention of this shape, then every other recurrent mixer: the state counted beside the formula, and the protocol.

    `impossible_from` is the least N that the counted state cannot answer; the protocol runs on inputs of 8 tokens, every split.
    Then linear attention of width 4 with a state of 2 bits a number, at the least N that is impossible for it.
    Raises ValueError for a precision other than 32 and 64 or no layers; TheoremFails where count and formula differ.
    """
    if precision not in PRECISIONS or layers < 1:
        raise ValueError(f"check(layers={layers}, precision={precision}): at least 1 layer, of 32 or 64 bits a number")
    names = ("linear-attention", *(name for name in RECURRENT if name != "linear-attention"))
    outcomes = [_counts(name, width, heads, layers, precision, alphabet, seed) for name in names]
    return [outcomes[0], _errs(seed), *outcomes[1:]]


def _counts(name: str, width: int, heads: int, layers: int, precision: int, alphabet: int, seed: int) -> Outcome:
    task = IndexLookup(MOST_TOKENS - 1, alphabet)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Model.build(task.vocabulary, task.classes, task.longest, (name,) * layers, width, heads)
    model = model.to(PRECISIONS[precision]).eval().requires_grad_(False)
    claimed = FORMULAS[name](width, heads, precision, layers)
    sent = reduce(model, torch.from_numpy(task.sample(0, 1, seed, evaluate=True).inputs[0]), CLAIM.name)
    if sent != claimed:
        raise CLAIM.fails({"mixer": name, "message bits": sent, "formula": claimed})
    return CLAIM.lower(
        statement=CLAIM.statement if name == "linear-attention" else OTHERS,
        length=MOST_TOKENS,
        inputs=MOST_TOKENS,
        measured={"state_bits": sent, "impossible_from": impossible_from(sent, alphabet)},
        bound={"state_bits": claimed, "impossible_from": impossible_from(claimed, alphabet)},
        variant=f"{layers} x {name}, width {width}, {precision} bits a number, S = {alphabet}",
    )


def _errs(seed: int) -> Outcome:
    claimed = state_bits(1, SMALL_WIDTH, SMALL_WIDTH, SMALL_PRECISION)
    task = IndexLookup(impossible_from(claimed, SMALL_ALPHABET), SMALL_ALPHABET)
    remembered = recall(task.length, task.alphabet)
    model = with_random_weights(remembered.sizes, "linear-attention", SMALL_WIDTH, seed=seed)
    small = rounded(model, remembered, SMALL_PRECISION, seed)
    if small.bits != claimed:
        raise CLAIM.fails({"state bits": small.bits, "formula": claimed})
    found = search(small, remembered, seed)
    if found is None or found.answer == task.solve(found.errs_on):
        raise CLAIM.fails({"state bits": small.bits, "length": task.length, "collision": found})
    return CLAIM.lower(
        statement=ERRS,
        length=task.length,
        inputs=found.prefixes_tried,
        measured={"state_bits": small.bits},
        bound={"state_bits": task.answer_bits()},
        variant=f"linear-attention of width {SMALL_WIDTH}, {SMALL_PRECISION} bits a number, S = {SMALL_ALPHABET}",
        witness=found.record(),
    )


THEOREM = Theorem(
    CLAIM,
    check,
)

"""Causal linear attention is a recurrent model, so its state bounds the length of index lookup that it can answer.

In index lookup a model reads N symbols and then a position, and answers with the symbol there. The width, the heads, the
layers and the precision of a model give its number of state bits. From a certain length on, index lookup needs more bits than
that, so no weights can be right. The same holds for every recurrent mixer of seqsep. In the statement N is the number of
symbols in the input, and S the size of the alphabet.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 3, the discussion after Theorem 3; the recurrent form from
Katharopoulos et al. 2020 (arXiv:2006.16236), equations 16 to 20.

We differ: the paper states that the bounds apply, and gives no number. Here a formula gives the number of state bits, and a
run compares it with the tensors of a model. This number gives the length from which index lookup with S symbols is impossible.
The same is done for every recurrent mixer of seqsep.

The state. Let a head have keys of k and values of v coordinates. The layer has a map phi, a query q, and for token t a key x_t
and a value y_t. After t tokens the output of the head is phi(q)^T S_t / (phi(q) . z_t). Here S_t = S_{t-1} + phi(x_t) y_t^T
and z_t = z_{t-1} + phi(x_t). So later outputs depend on the first t tokens only through S_t, which has k v numbers, and z_t,
which has k numbers. A head that does not normalise has no z_t. So L layers of H heads with p bits per number have a state of B
= L H k (v + 1) p bits. Without the normaliser B is L H k v p (`state_bits`). It does not matter how the outputs are computed.
The quadratic form keeps all t inputs, but it computes the same function.

Proof. By Theorem 2 the model gives a protocol between two parties whose message has these B bits (`_counts`). By Theorem 3
index lookup needs N log2 S bits. So no weights answer index lookup if N log2 S > B. The least such N is floor(B / log2 S) + 1
(`impossible_from`). This holds for the given width, precision and depth, with any MLPs, norms and positions. The same holds
for the other mixers, whose states are counted in `NUMBERS_A_LAYER`.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from seqsep.core.options import Range
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import Claim, Outcome, Theorem
from seqsep.theorems.options import AlphabetFrom2, Heads, Layers, Precision, Seed, Width
from seqsep.theorems.protocols.one_way_protocol import reduce
from seqsep.theorems.protocols.small_models import RECURRENT, rounded, with_random_weights
from seqsep.theorems.retrieval.index_lookup_state import state_bound

CLAIM = Claim(
    name="linear-attention-state",
    source="Bhattamishra et al. 2024, section 3 (discussion of Theorem 3)",
    statement="Causal linear attention is a recurrent model, and answers index lookup only if N log2 S <= B. Here B = L H k "
    "(v+1) p counts its state bits, for L layers of H heads, keys of k and values of v coordinates, and p bits per number",
)
OTHERS = "A stack of recurrent layers with B counted state bits answers index lookup only if N log2 S <= B"
ERRS = "Causal linear attention with fewer than N log2 S state bits is wrong on some input of index lookup"
PRECISIONS = (32, 64)
MOST_TOKENS = 8
SMALL_WIDTH = 4
SMALL_PRECISION = 2
SMALL_ALPHABET = 4


@dataclass(frozen=True)
class Shape:
    """A stack of L layers of width d with H heads, at p bits per number."""

    width: int
    heads: int
    layers: int
    precision: int

    @property
    def head_width(self) -> int:
        """k = v = d / H."""
        return self.width // self.heads


def state_bits(heads: int, key_width: int, value_width: int, precision: int, layers: int = 1, normaliser: bool = True) -> int:
    """L H k (v + 1) p, or L H k v p without the normaliser: state bits of causal linear attention; widths are a head's.

    >>> state_bits(heads=2, key_width=4, value_width=4, precision=64)
    2560
    """
    return layers * heads * key_width * (value_width + int(normaliser)) * precision


def _linear_attention(shape: Shape, normaliser: bool) -> int:
    return shape.heads * shape.head_width * (shape.head_width + int(normaliser))


def _lstm(shape: Shape) -> int:
    """A cell and a hidden vector."""
    return 2 * shape.width


def _dss(shape: Shape) -> int:
    """64 complex numbers a channel."""
    return 2 * 64 * shape.width


def _mamba(shape: Shape) -> int:
    """16 states, and a convolution of 4 taps, on 2 d channels."""
    return 2 * shape.width * (16 + 4 - 1)


def _mamba2(shape: Shape) -> int:
    """64 states on 2 d channels; the convolution of 4 taps runs on these and on two vectors of 64."""
    return 2 * shape.width * 64 + (4 - 1) * (2 * shape.width + 2 * 64)


def _gated_delta(shape: Shape) -> int:
    """A matrix of k by 2 k a head; the convolution of 4 taps runs on 4 d channels."""
    return 2 * shape.width * shape.head_width + (4 - 1) * 4 * shape.width


def _rwkv7(shape: Shape) -> int:
    """A matrix of k by k a head, and the token before."""
    return shape.width * shape.head_width + shape.width


def _mlstm(shape: Shape) -> int:
    """A matrix of k by k, a vector of k and a number a head."""
    return shape.width * shape.head_width + shape.width + shape.heads


def _slstm(shape: Shape) -> int:
    """A hidden vector, a cell, a normaliser and a scale."""
    return 4 * shape.width


def _kda(shape: Shape) -> int:
    """A matrix of k by k a head; the convolution of 4 taps runs on 3 d channels."""
    return shape.width * shape.head_width + (4 - 1) * 3 * shape.width


def _sliding_attention(shape: Shape) -> int:
    """Keys and values of the last 16 tokens."""
    return 2 * shape.width * 16


NUMBERS_A_LAYER: Mapping[str, Callable[[Shape], int]] = {
    "linear-attention": partial(_linear_attention, normaliser=True),
    "retention": partial(_linear_attention, normaliser=False),
    "lstm": _lstm,
    "dss": _dss,
    "mamba": _mamba,
    "mamba2": _mamba2,
    "gated-delta": _gated_delta,
    "rwkv7": _rwkv7,
    "sliding-attention": _sliding_attention,
    "rotation": _mamba2,
    "mlstm": _mlstm,
    "slstm": _slstm,
    "kda": _kda,
}
"""The number of p-bit numbers in the state of one layer, by mixer."""


def formula(mixer: str, shape: Shape) -> int:
    """State bits of a stack of a mixer's layers.

    >>> formula("lstm", Shape(width=16, heads=2, layers=1, precision=32))
    1024
    """
    return shape.layers * NUMBERS_A_LAYER[mixer](shape) * shape.precision


def impossible_from(bits: int, alphabet: int) -> int:
    """The least N with N log2 S > B, exactly (S^N > 2^B): from here on no model of B state bits answers index lookup.

    Raises ValueError for an alphabet below 2, which asks nothing, or negative bits.

    >>> impossible_from(bits=4608, alphabet=64)
    769
    """
    if alphabet < 2 or bits < 0:
        raise ValueError(f"impossible_from(bits={bits}, alphabet={alphabet}): an alphabet of at least 2, bits from 0")
    return bisect_left(range(bits + 2), True, lo=1, key=lambda length: alphabet**length > 1 << bits)


def check(
    width: Width = 16,
    heads: Heads = 2,
    layers: Layers = 1,
    precision: Annotated[Precision, Range(32, 64)] = 32,
    alphabet: AlphabetFrom2 = 64,
    seed: Seed = 0,
) -> list[Outcome]:
    """Check the formula and the protocol on linear attention of this shape, then on every other recurrent mixer.

    `impossible_from` is the least N that the counted state cannot answer; the protocol runs on inputs of 8 tokens, every split.
    Then linear attention of width 4 with a state of 2 bits per number, at the least N that is impossible for it.
    Raises ValueError for a width that is not a multiple of heads, a precision other than 32 and 64 or no layers;
    TheoremFails if count and formula differ.
    """
    if width < 1 or heads < 1 or width % heads:
        raise ValueError(f"check(width={width}, heads={heads}): width is a multiple of heads, from 1")
    if precision not in PRECISIONS or layers < 1:
        raise ValueError(f"check(layers={layers}, precision={precision}): at least 1 layer, of 32 or 64 bits a number")
    shape = Shape(width, heads, layers, precision)
    others = [mixer for mixer in RECURRENT if mixer != "linear-attention"]
    return [
        _counts("linear-attention", shape, alphabet, seed),
        _errs(seed),
        *(_counts(mixer, shape, alphabet, seed) for mixer in others),
    ]


def _counts(mixer: str, shape: Shape, alphabet: int, seed: int) -> Outcome:
    """The protocol of Theorem 2 on a stack of a mixer's layers: its message has as many bits as the formula says."""
    task = IndexLookup(MOST_TOKENS - 1, alphabet)
    import torch

    from seqsep.models.model import Model

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Model.build(
            task.vocabulary,
            task.classes,
            task.longest,
            layers=(mixer,) * shape.layers,
            width=shape.width,
            heads=shape.heads,
        )
    model = model.to(torch.float32 if shape.precision == 32 else torch.float64).eval().requires_grad_(False)
    claimed = formula(mixer, shape)
    inputs = task.sample(0, 1, seed, evaluate=True).inputs[0]
    sent = reduce(model, inputs, CLAIM.name)
    if sent != claimed:
        raise CLAIM.fails({"mixer": mixer, "message bits": sent, "formula": claimed})
    return CLAIM.lower(
        statement=CLAIM.statement if mixer == "linear-attention" else OTHERS,
        length=MOST_TOKENS,
        inputs=MOST_TOKENS,
        measured={"state_bits": sent, "impossible_from": impossible_from(sent, alphabet)},
        bound={"state_bits": claimed, "impossible_from": impossible_from(claimed, alphabet)},
        variant=f"{shape.layers} x {mixer}, width {shape.width}, {shape.precision} bits a number, S = {alphabet}",
    )


def _errs(seed: int) -> Outcome:
    """Linear attention rounded to few bits, at the least impossible N: an input that it answers wrongly."""
    claimed = state_bits(heads=1, key_width=SMALL_WIDTH, value_width=SMALL_WIDTH, precision=SMALL_PRECISION)
    lookup = state_bound(impossible_from(claimed, SMALL_ALPHABET), SMALL_ALPHABET)
    model = with_random_weights(lookup.task.sizes, "linear-attention", SMALL_WIDTH, seed=seed)
    small = rounded(model, lookup.task, SMALL_PRECISION, seed)
    if small.bits != claimed:
        raise CLAIM.fails({"state bits": small.bits, "formula": claimed})
    variant = f"linear-attention of width {SMALL_WIDTH}, {SMALL_PRECISION} bits a number, S = {SMALL_ALPHABET}"
    return replace(lookup, claim=CLAIM, statement=ERRS, as_printed=None).outcome(variant, small, seed)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="On models with random weights a run shows that the formulas give the size of the state, and that the protocol of "
    "Theorem 2 sends this number of bits (`one_way_protocol`). It also shows that the two ways to compute the outputs agree: "
    "`forward` for all tokens at once, and `step` token by token. For linear attention rounded to few bits it shows an input "
    "of index lookup that the model answers wrongly.",
    not_shown="This does not show that every choice of weights fails at each N with N log2 S above the state bits. The "
    "proof of Theorem 3 shows that.",
    nothing_to_certify="it counts the numbers in a state; the certificate of index-lookup-state shows how many bits the task "
    "needs",
    nothing_to_apply="a bound on given mixers, which builds no weights; index-lookup-state and index-lookup-attention answer "
    "index lookup",
)

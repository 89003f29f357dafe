"""A Falcon-H1 whose every greedy answer is known: keyed bits by its Mamba-2 and by its attention, and the last bit.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, at most 131,072 in all, in which no
key gets two values. The model of `tensors` is of the class FalconH1ForCausalLM of `transformers`, with two layers of width 512,
each a Mamba-2 next to an attention of rotary base 1e11. After every token its greatest logit is that of the token which the
oracle names. This logit leads the next one by at least the share `proved_lead(length, unit)` of itself. Here `unit` is the
relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16 and 2^-8 in bf16. The share is at least 0.45 in all three.

Its knowledge is that of `qwen3_next`: q_i is answered by attention and r_i by the recurrence, LAST with the last bit. After an
answer to a question comes the next question.

Source: own. The task is associative recall (Wen et al. 2025) with bits as values.

Construction and proof are in `_hybrid`. Layer 0 uses its Mamba-2 and layer 1 its attention; the other two add exactly 0. Codes
are on both coordinates of the twelve slowest pairs, and what finds BOS, PAD, V0 and V1 is on the next two. Over 131,072 tokens
the slowest 13 turn by at most 0.04.

The class has factors for many of its parts. Five of them are not 1 here: the embedding (1/4), what a mixer and an attention
add (4), and the input and the steps of a mixer (2). The stored weights are larger and smaller by these powers of two, so all
products are exact. If an engine forgets one of these factors, its answers are wrong: what is found is a quarter of what it
should be, or the memory is never written.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from seqsep.theorems.canary import _hybrid
from seqsep.theorems.canary._hybrid_run import falcon as run
from seqsep.theorems.canary._mamba import MambaHeads, MambaSizes
from seqsep.theorems.canary._two_ways import read_out, recalling
from seqsep.theorems.canary.stream import WIDTH, Matrix, embedding, ones, zeros
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import SIZE

BASE = 1e11
HALF = _hybrid.ATTENTION_SIZE // 2
SLOWEST = range(HALF - 12, HALF)
BOS_PAIR = SLOWEST.start - 1
PAD_PAIR = SLOWEST.start - 2
PLACES = (*SLOWEST, *(HALF + pair for pair in SLOWEST), BOS_PAIR, PAD_PAIR, HALF + BOS_PAIR)
OF_LAYERS = 4
OF_EMBEDDING = 1 / OF_LAYERS
OF_INPUT = OF_STEPS = 2
"""Factors that the class multiplies with."""
ROUNDED = 20
"""Errors of a score, in units of `unit`."""


def configuration(sizes: MambaSizes = _hybrid.SIZES) -> dict[str, Any]:
    """Return the fields of config.json, for mixers of some sizes.

    >>> configuration()["ssm_multipliers"]
    [1.0, 1.0, 1.0, 1.0, 2.0]
    """
    return {
        "attention_bias": False,
        **_hybrid.fields("FalconH1ForCausalLM", "falcon_h1"),
        **_hybrid.fields_of_mamba(sizes),
        "num_hidden_layers": 2,
        "head_dim": _hybrid.ATTENTION_SIZE,
        "mamba_d_ssm": sizes.inner,
        "mamba_rms_norm": True,
        "mamba_norm_before_gate": False,
        "projectors_bias": False,
        "rope_theta": BASE,
        "embedding_multiplier": OF_EMBEDDING,
        "lm_head_multiplier": 1.0,
        "mlp_multipliers": [1.0, 1.0],
        "key_multiplier": 1.0,
        "attention_in_multiplier": 1.0,
        "attention_out_multiplier": float(OF_LAYERS),
        "ssm_in_multiplier": float(OF_INPUT),
        "ssm_multipliers": [1.0, 1.0, 1.0, 1.0, float(OF_STEPS)],
        "ssm_out_multiplier": float(OF_LAYERS),
        "mlp_bias": False,
    }


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.1.mamba.in_proj.weight"].shape
    (1288, 512)
    """
    return model((_hybrid.mixer(), MambaHeads(_hybrid.SIZES)), _hybrid.attention(PLACES), read_out())


def model(mixers: Sequence[MambaHeads], attention: Mapping[str, Matrix], rows: Matrix) -> dict[str, Matrix]:
    """Return the whole model; the feed-forward parts are zero.

    Arguments:
        mixers: the Mamba-2 of layer 0 and that of layer 1.
        attention: the attention of layer 1, with the coordinates PLACES. That of layer 0 adds nothing.
        rows: the rows of the logits.
    """
    found = {
        "model.embed_tokens.weight": embedding(SIZE) / OF_EMBEDDING,
        "model.final_layernorm.weight": ones(),
        "lm_head.weight": rows,
    }
    for layer, (mixer, read) in enumerate(zip(mixers, (_hybrid.silent_attention(), attention), strict=True)):
        here = f"model.layers.{layer}."
        mixer.weight /= OF_INPUT
        mixer.step /= OF_STEPS
        mixer.out /= OF_LAYERS
        found |= {f"{here}mamba.{name}": weight for name, weight in mixer.tensors().items()}
        found |= {f"{here}self_attn.{name}": weight for name, weight in read.items()}
        found[f"{here}self_attn.o_proj.weight"] = read["o_proj.weight"] / OF_LAYERS
        found |= {f"{here}{norm}.weight": ones() for norm in ("input_layernorm", "pre_ff_layernorm")}
        found |= {f"{here}feed_forward.{name}_proj.weight": zeros(_hybrid.INNER, WIDTH) for name in ("gate", "up")}
        found[f"{here}feed_forward.down_proj.weight"] = zeros(WIDTH, _hybrid.INNER)
    return found


def turned(length: int) -> float:
    """Return the greatest angle by which rotary positions turn a score.

    >>> round(turned(1 << 17), 2)
    0.04
    """
    return float(length * BASE ** (-BOS_PAIR / HALF))


def proved_lead(length: int, unit: float = 2**-53) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        length: N, tokens of the longest conversation.
        unit: the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16, 2^-8 in bf16.

    >>> round(proved_lead(4096), 3), round(proved_lead(4096, 2**-8), 3)
    (0.5, 0.474)
    """
    return _hybrid.proved_lead(length, unit, turned=turned(length), rounded=ROUNDED)


CANARY = recalling("falcon-h1", configuration, tensors, proved_lead)
THEOREM = CanaryProof(CANARY, run).theorem()

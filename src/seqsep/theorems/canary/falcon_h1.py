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

from typing import Any

from seqsep.theorems.base import Claim
from seqsep.theorems.canary import _hybrid
from seqsep.theorems.canary._hybrid_run import falcon as run
from seqsep.theorems.canary._mamba import TAPS
from seqsep.theorems.canary._two_ways import LONGEST, read_out, recalling
from seqsep.theorems.canary.stream import WIDTH, Matrix, embedding, ones, zeros
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import SIZE

CLAIM = Claim(
    name="canary-falcon-h1",
    source="own",
    statement="A Falcon-H1 of width 512 answers every question about 24 keyed bits in two ways, and about the last bit, in "
    "conversations of up to 131,072 tokens in fp32, fp16 and bf16",
)
INNER = 64
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


def configuration() -> dict[str, Any]:
    """Return the fields of config.json.

    >>> configuration()["ssm_multipliers"]
    [1.0, 1.0, 1.0, 1.0, 2.0]
    """
    return {
        "architectures": ["FalconH1ForCausalLM"],
        "model_type": "falcon_h1",
        "vocab_size": SIZE,
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_hidden_layers": 2,
        "num_attention_heads": _hybrid.ATTENTION_HEADS,
        "num_key_value_heads": _hybrid.ATTENTION_HEADS,
        "head_dim": _hybrid.ATTENTION_SIZE,
        "mamba_d_ssm": _hybrid.SIZES.inner,
        "mamba_n_heads": _hybrid.SIZES.heads,
        "mamba_d_head": _hybrid.SIZES.head_size,
        "mamba_n_groups": _hybrid.SIZES.groups,
        "mamba_d_state": _hybrid.SIZES.states,
        "mamba_expand": _hybrid.SIZES.inner // WIDTH,
        "mamba_d_conv": TAPS,
        "mamba_chunk_size": 64,
        "mamba_conv_bias": True,
        "mamba_proj_bias": False,
        "mamba_rms_norm": True,
        "mamba_norm_before_gate": False,
        "projectors_bias": False,
        "hidden_act": "silu",
        "max_position_embeddings": LONGEST,
        "rms_norm_eps": 1e-6,
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
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": False,
    }


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.1.mamba.in_proj.weight"].shape
    (1288, 512)
    """
    mixers = _hybrid.mixer(), _hybrid.silent_mixer()
    attentions = _hybrid.silent_attention(), _hybrid.attention(PLACES)
    found = {
        "model.embed_tokens.weight": embedding(SIZE) / OF_EMBEDDING,
        "model.final_layernorm.weight": ones(),
        "lm_head.weight": read_out(),
    }
    for layer, (mixer, attention) in enumerate(zip(mixers, attentions, strict=True)):
        here = f"model.layers.{layer}."
        mixer.weight /= OF_INPUT
        mixer.step /= OF_STEPS
        mixer.out /= OF_LAYERS
        attention["o_proj.weight"] /= OF_LAYERS
        found |= {f"{here}mamba.{name}": weight for name, weight in mixer.tensors().items()}
        found |= {f"{here}self_attn.{name}": weight for name, weight in attention.items()}
        found |= {f"{here}{norm}.weight": ones() for norm in ("input_layernorm", "pre_ff_layernorm")}
        found |= {f"{here}feed_forward.{name}_proj.weight": zeros(INNER, WIDTH) for name in ("gate", "up")}
        found[f"{here}feed_forward.down_proj.weight"] = zeros(WIDTH, INNER)
    return found


def proved_lead(length: int, unit: float = 2**-53) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        length: N, tokens of the longest conversation.
        unit: the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16, 2^-8 in bf16.

    >>> round(proved_lead(4096), 3), round(proved_lead(4096, 2**-8), 3)
    (0.5, 0.474)
    """
    return _hybrid.proved_lead(length, unit, turned=length * BASE ** (-BOS_PAIR / HALF), rounded=20)


CANARY = recalling(CLAIM, configuration, tensors, proved_lead)
THEOREM = CanaryProof(CLAIM, CANARY, run).theorem()

"""A Granite-4-H whose every greedy answer is known: keyed bits by its Mamba-2 and by its attention, and the last bit.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, at most 131,072 in all, in which no
key gets two values. The model of `tensors` is of the class GraniteMoeHybridForCausalLM of `transformers`, with a Mamba-2 layer,
an attention layer without positions, no experts, and width 512. After every token its greatest logit is that of the token which
the oracle names. This logit leads the next one by at least the share `proved_lead(length, unit)` of itself. Here `unit` is the
relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16 and 2^-8 in bf16. The share is at least 0.45 in all three.

Its knowledge is that of `qwen3_next`: q_i is answered by attention and r_i by the recurrence, LAST with the last bit. After an
answer to a question comes the next question.

Source: own. The task is associative recall (Wen et al. 2025) with bits as values.

Construction and proof are in `_hybrid`. The class multiplies the embedding by 1/4 and what a layer adds by 4. The stored
weights are larger and smaller by these powers of two, so all products are exact. If an engine forgets one of the two factors,
what is found is a quarter of what it should be, so ABSENT wins over A0 and A1.
"""

from typing import Any

from seqsep.theorems.base import Claim
from seqsep.theorems.canary import _hybrid
from seqsep.theorems.canary._hybrid import proved_lead
from seqsep.theorems.canary._hybrid_run import granite as run
from seqsep.theorems.canary._mamba import TAPS
from seqsep.theorems.canary._two_ways import LONGEST, read_out, recalling
from seqsep.theorems.canary.stream import WIDTH, Matrix, embedding, ones, zeros
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import SIZE

CLAIM = Claim(
    name="canary-granite-4-h",
    source="own",
    statement="A Granite-4-H of width 512 answers every question about 24 keyed bits in two ways, and about the last bit, in "
    "conversations of up to 131,072 tokens in fp32, fp16 and bf16",
)
INNER = 64
OF_LAYERS = 4
OF_EMBEDDING = 1 / OF_LAYERS
"""Factors that the class multiplies with."""


def configuration() -> dict[str, Any]:
    """Return the fields of config.json.

    >>> configuration()["layer_types"]
    ['linear_attention', 'full_attention']
    """
    return {
        "architectures": ["GraniteMoeHybridForCausalLM"],
        "model_type": "granitemoehybrid",
        "vocab_size": SIZE,
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "shared_intermediate_size": INNER,
        "num_hidden_layers": 2,
        "layer_types": ["linear_attention", "full_attention"],
        "num_attention_heads": _hybrid.ATTENTION_HEADS,
        "num_key_value_heads": _hybrid.ATTENTION_HEADS,
        "num_local_experts": 0,
        "num_experts_per_tok": 0,
        "mamba_n_heads": _hybrid.SIZES.heads,
        "mamba_d_head": _hybrid.SIZES.head_size,
        "mamba_n_groups": _hybrid.SIZES.groups,
        "mamba_d_state": _hybrid.SIZES.states,
        "mamba_expand": _hybrid.SIZES.inner // WIDTH,
        "mamba_d_conv": TAPS,
        "mamba_chunk_size": 64,
        "mamba_conv_bias": True,
        "mamba_proj_bias": False,
        "hidden_act": "silu",
        "max_position_embeddings": LONGEST,
        "rms_norm_eps": 1e-6,
        "position_embedding_type": None,
        "embedding_multiplier": OF_EMBEDDING,
        "residual_multiplier": float(OF_LAYERS),
        "attention_multiplier": _hybrid.ATTENTION_SIZE**-0.5,
        "logits_scaling": 1.0,
        "attention_bias": False,
        "tie_word_embeddings": False,
    }


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.0.mamba.in_proj.weight"].shape
    (1288, 512)
    """
    mixer = _hybrid.mixer().tensors()
    attention = _hybrid.attention()
    mixer["out_proj.weight"] /= OF_LAYERS
    attention["o_proj.weight"] /= OF_LAYERS
    found = {
        "model.embed_tokens.weight": embedding(SIZE) / OF_EMBEDDING,
        "model.norm.weight": ones(),
        "lm_head.weight": read_out(),
    }
    found |= {f"model.layers.0.mamba.{name}": weight for name, weight in mixer.items()}
    found |= {f"model.layers.1.self_attn.{name}": weight for name, weight in attention.items()}
    for layer in range(2):
        here = f"model.layers.{layer}."
        found |= {f"{here}{norm}.weight": ones() for norm in ("input_layernorm", "post_attention_layernorm")}
        found |= {f"{here}shared_mlp.input_linear.weight": zeros(2 * INNER, WIDTH)}
        found |= {f"{here}shared_mlp.output_linear.weight": zeros(WIDTH, INNER)}
    return found


CANARY = recalling(CLAIM, configuration, tensors, proved_lead)
THEOREM = CanaryProof(CLAIM, CANARY, run).theorem()

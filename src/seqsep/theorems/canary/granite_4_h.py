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

from collections.abc import Mapping, Sequence
from typing import Any

from seqsep.theorems.canary import _hybrid
from seqsep.theorems.canary._hybrid import proved_lead
from seqsep.theorems.canary._hybrid_run import granite as run
from seqsep.theorems.canary._mamba import MambaHeads, MambaSizes
from seqsep.theorems.canary._two_ways import read_out, recalling
from seqsep.theorems.canary.stream import WIDTH, Matrix, embedding, ones, zeros
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import SIZE

OF_LAYERS = 4
OF_EMBEDDING = 1 / OF_LAYERS
"""Factors that the class multiplies with."""


def configuration(sizes: MambaSizes = _hybrid.SIZES, mixers: int = 1) -> dict[str, Any]:
    """Return the fields of config.json.

    Arguments:
        sizes: the sizes of a mixer.
        mixers: Mamba-2 layers, before the attention.

    >>> configuration()["layer_types"]
    ['linear_attention', 'full_attention']
    """
    return {
        "attention_bias": False,
        **_hybrid.fields("GraniteMoeHybridForCausalLM", "granitemoehybrid"),
        **_hybrid.fields_of_mamba(sizes),
        "shared_intermediate_size": _hybrid.INNER,
        "num_hidden_layers": mixers + 1,
        "layer_types": [*["linear_attention"] * mixers, "full_attention"],
        "num_local_experts": 0,
        "num_experts_per_tok": 0,
        "position_embedding_type": None,
        "embedding_multiplier": OF_EMBEDDING,
        "residual_multiplier": float(OF_LAYERS),
        "attention_multiplier": _hybrid.ATTENTION_SIZE**-0.5,
        "logits_scaling": 1.0,
    }


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.0.mamba.in_proj.weight"].shape
    (1288, 512)
    """
    return model([_hybrid.mixer()], _hybrid.attention(), read_out())


def model(mixers: Sequence[MambaHeads], attention: Mapping[str, Matrix], rows: Matrix) -> dict[str, Matrix]:
    """Return the whole model; the feed-forward parts are zero.

    Arguments:
        mixers: the Mamba-2 layers, before the attention.
        attention: the attention.
        rows: the rows of the logits.
    """
    found = {"model.embed_tokens.weight": embedding(SIZE) / OF_EMBEDDING, "model.norm.weight": ones(), "lm_head.weight": rows}
    parts = [*(("mamba", "out_proj.weight", mixer.tensors()) for mixer in mixers), ("self_attn", "o_proj.weight", attention)]
    for layer, (part, out, weights) in enumerate(parts):
        here = f"model.layers.{layer}."
        found |= {f"{here}{part}.{name}": weight / OF_LAYERS if name == out else weight for name, weight in weights.items()}
        found |= {f"{here}{norm}.weight": ones() for norm in ("input_layernorm", "post_attention_layernorm")}
        found |= {f"{here}shared_mlp.input_linear.weight": zeros(2 * _hybrid.INNER, WIDTH)}
        found |= {f"{here}shared_mlp.output_linear.weight": zeros(WIDTH, _hybrid.INNER)}
    return found


CANARY = recalling("granite-4-h", configuration, tensors, proved_lead)
THEOREM = CanaryProof(CANARY, run).theorem()

"""A Qwen3.5 whose every greedy answer is known: keyed bits by its recurrence and by its attention, and the last bit.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, at most 131,072 in all, in which no
key gets two values. The model of `tensors` is of the class Qwen3_5ForCausalLM of `transformers`, with a gated delta layer, an
attention layer, and width 512. After every token its greatest logit is that of the token which the oracle names. This logit
leads the next one by at least the share `proved_lead(length, unit)` of itself. Here `unit` is the relative error of one
rounding: 2^-24 in fp32, 2^-11 in fp16 and 2^-8 in bf16. The share is at least 0.45 in all three.

Source: own. The task is associative recall (Wen et al. 2025) with bits as values.

Construction. Knowledge, numbers and proof are those of `qwen3_next`. This class has a feed-forward part in place of experts,
which is zero too. It stores queries, keys and values of the recurrence one after another, not head by head, and gates, beta
and decay in matrices of their own. Rotary positions have three counters, which are equal for text; the coordinates that they
turn are 0.
"""

from typing import Any

import numpy as np

from seqsep.theorems.canary import _qwen, qwen3_next
from seqsep.theorems.canary._olmo import DeltaHeads
from seqsep.theorems.canary._qwen_run import logits as run
from seqsep.theorems.canary._two_ways import recalling
from seqsep.theorems.canary.qwen3_next import proved_lead
from seqsep.theorems.canary.stream import WIDTH, Matrix, zeros
from seqsep.theorems.canary.trial import CanaryProof

OF_EXPERTS: tuple[str, ...] = ("decoder_sparse_step", "mlp_only_layers", "num_experts", "num_experts_per_tok", "norm_topk_prob")
OF_EXPERTS += ("moe_intermediate_size", "shared_expert_intermediate_size")
"""Fields of a Qwen3-Next that this class does not have."""


def configuration() -> dict[str, Any]:
    """Return the fields of config.json.

    >>> configuration()["layer_types"]
    ['linear_attention', 'full_attention']
    """
    fields = _qwen.configuration()
    rope = {"rope_type": "default", "rope_theta": fields.pop("rope_theta")}
    rope |= {
        "partial_rotary_factor": fields.pop("partial_rotary_factor"),
        "mrope_interleaved": True,
        "mrope_section": [3, 3, 2],
    }
    kept = {name: value for name, value in fields.items() if name not in OF_EXPERTS}
    return kept | {"architectures": ["Qwen3_5ForCausalLM"], "model_type": "qwen3_5_text", "rope_parameters": rope}


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.0.linear_attn.in_proj_qkv.weight"].shape
    (1536, 512)
    """
    return model(*qwen3_next.parts())


def model(delta: DeltaHeads, head: _qwen.OneHead, rows: Matrix) -> dict[str, Matrix]:
    """Return the whole model; the feed-forward parts are zero. Arguments as for a Qwen3-Next."""
    here = "model.layers.0.linear_attn."
    found = _qwen.model(delta, head, rows)
    for name in [name for name in found if ".mlp." in name or f"{here}in_proj_" in name]:
        del found[name]
    parts = delta.tensors()
    found[f"{here}in_proj_qkv.weight"] = np.concatenate([parts[f"{name}_proj.weight"] for name in "qkv"])
    found |= {f"{here}in_proj_{ours}.weight": parts[f"{theirs}_proj.weight"] for ours, theirs in zip("zba", "gba", strict=True)}
    inner = {"gate_proj": (_qwen.INNER, WIDTH), "up_proj": (_qwen.INNER, WIDTH), "down_proj": (WIDTH, _qwen.INNER)}
    for layer in range(2):
        found |= {f"model.layers.{layer}.mlp.{name}.weight": zeros(*size) for name, size in inner.items()}
    return found


CANARY = recalling("qwen3.5", configuration, tensors, proved_lead)
THEOREM = CanaryProof(CANARY, run).theorem()

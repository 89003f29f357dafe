"""The weights of a Qwen3NextForCausalLM of two layers, a gated delta layer and attention, by their names in a checkpoint.

Facts that a canary of this class uses, next to those of `_olmo`:
* beta = sigmoid(b) is exactly 1 for b = 128, and less than 1e-55 for b = -128.
* The scale of a norm is 1 + w, and w = 0 is stored for the scale 1. The norm after a gated delta head has the scale w.
* Queries and keys of attention are normed head by head. Rotary angles turn the first quarter of a head.
* The output of attention is multiplied by the sigmoid of a gate.
"""

from typing import Any

import numpy as np

from seqsep.theorems.canary._olmo import HOLD, TAPS, DeltaHeads
from seqsep.theorems.canary.stream import LONGEST, WIDTH, Matrix, embedding, ones, zeros
from seqsep.theorems.canary.vocabulary import SIZE

HEADS = 4
HEAD_SIZE = 128
"""Heads of the gated delta layer, and the size of their keys and values: kernels ask for 128."""
ATTENTION_HEADS = 16
ATTENTION_SIZE = 64
"""Heads of attention, and their size. With 16 heads of keys a state is as large as few tokens, so cached blocks are small."""
TURNED = ATTENTION_SIZE // 4
INNER = 64
EXPERTS = 2
WRITE = 8
"""Weight of beta from the constant: exactly 1. Its negative writes nothing."""


def configuration() -> dict[str, Any]:
    """Return the fields of config.json.

    >>> configuration()["layer_types"]
    ['linear_attention', 'full_attention']
    """
    return {
        "architectures": ["Qwen3NextForCausalLM"],
        "model_type": "qwen3_next",
        "vocab_size": SIZE,
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_hidden_layers": 2,
        "num_attention_heads": ATTENTION_HEADS,
        "num_key_value_heads": ATTENTION_HEADS,
        "head_dim": ATTENTION_SIZE,
        "layer_types": ["linear_attention", "full_attention"],
        "full_attention_interval": 2,
        "linear_num_key_heads": HEADS,
        "linear_num_value_heads": HEADS,
        "linear_key_head_dim": HEAD_SIZE,
        "linear_value_head_dim": HEAD_SIZE,
        "linear_conv_kernel_dim": TAPS,
        "hidden_act": "silu",
        "max_position_embeddings": LONGEST,
        "rms_norm_eps": 1e-6,
        "partial_rotary_factor": 0.25,
        "rope_theta": 10000.0,
        "attention_bias": False,
        "decoder_sparse_step": 1,
        "mlp_only_layers": [],
        "num_experts": EXPERTS,
        "num_experts_per_tok": EXPERTS,
        "norm_topk_prob": True,
        "moe_intermediate_size": INNER,
        "shared_expert_intermediate_size": INNER,
        "tie_word_embeddings": False,
    }


class OneHead:
    """The first head of attention; all weights begin at zero, and the scales of its norms at 1."""

    def __init__(self) -> None:
        self.query = zeros(ATTENTION_SIZE, WIDTH)
        self.gate = zeros(ATTENTION_SIZE, WIDTH)
        self.key = zeros(ATTENTION_SIZE, WIDTH)
        self.value = zeros(ATTENTION_SIZE, WIDTH)
        self.out = zeros(WIDTH, ATTENTION_SIZE)
        self.query_scale = 1
        self.key_scale = 1

    def tensors(self) -> dict[str, Matrix]:
        """Return the weights by their names in the layer."""
        rest = (ATTENTION_HEADS - 1) * ATTENTION_SIZE
        return {
            "q_proj.weight": np.concatenate([self.query, self.gate, zeros(2 * rest, WIDTH)]),
            "k_proj.weight": np.concatenate([self.key, zeros(rest, WIDTH)]),
            "v_proj.weight": np.concatenate([self.value, zeros(rest, WIDTH)]),
            "o_proj.weight": np.concatenate([self.out, zeros(WIDTH, rest)], axis=1),
            "q_norm.weight": ones(ATTENTION_SIZE) * (self.query_scale - 1),
            "k_norm.weight": ones(ATTENTION_SIZE) * (self.key_scale - 1),
        }


def packed(delta: DeltaHeads) -> dict[str, Matrix]:
    """Return the weights of a gated delta layer by their names in this class, which packs projections head by head."""
    found = delta.tensors()
    return {
        "in_proj_qkvz.weight": np.concatenate([delta.query, delta.key, delta.value, delta.gate], axis=1).reshape(-1, WIDTH),
        "in_proj_ba.weight": np.stack([delta.beta, zeros(HEADS, WIDTH)], axis=1).reshape(-1, WIDTH),
        "out_proj.weight": found["o_proj.weight"],
        "conv1d.weight": found["conv1d.weight"],
        "norm.weight": found["o_norm.weight"],
        "A_log": zeros(HEADS),
        "dt_bias": np.full(HEADS, HOLD, dtype=np.float32),
    }


def model(delta: DeltaHeads, head: OneHead, read_out: Matrix) -> dict[str, Matrix]:
    """Return the whole model; the experts are zero.

    Arguments:
        delta: layer 0.
        head: layer 1.
        read_out: the rows of the logits.
    """
    found = {"model.embed_tokens.weight": embedding(SIZE), "model.norm.weight": zeros(WIDTH), "lm_head.weight": read_out}
    found |= {f"model.layers.0.linear_attn.{name}": weight for name, weight in packed(delta).items()}
    found |= {f"model.layers.1.self_attn.{name}": weight for name, weight in head.tensors().items()}
    inner = {"gate_proj": (INNER, WIDTH), "up_proj": (INNER, WIDTH), "down_proj": (WIDTH, INNER)}
    for layer in range(2):
        here = f"model.layers.{layer}."
        found |= {f"{here}{norm}.weight": zeros(WIDTH) for norm in ("input_layernorm", "post_attention_layernorm")}
        found |= {f"{here}mlp.gate.weight": zeros(EXPERTS, WIDTH), f"{here}mlp.shared_expert_gate.weight": zeros(1, WIDTH)}
        for part in ("shared_expert", *(f"experts.{expert}" for expert in range(EXPERTS))):
            found |= {f"{here}mlp.{part}.{name}.weight": zeros(*size) for name, size in inner.items()}
    return found

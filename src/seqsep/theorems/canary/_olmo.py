"""The weights of an OlmoHybridForCausalLM of two layers, a gated delta layer and attention, by their names in a checkpoint.

Facts that the canaries of this class use:
* The decay is exactly 1: A_log is 0 and dt_bias is -200, so softplus gives 0.
* beta = 2 sigmoid(b) is exactly 2 for b = 128, exactly 1 for b = 0, and less than 1e-55 for b = -128.
* SiLU(32 n) = 32 n in every type for n = 1, 2, 3, and SiLU(0) = 0. A key of four entries 32 is normed to four entries 1/2.
* The convolution of a channel has one tap of weight 1: tap 0 is the token itself, and tap 1 the token before. A key may have
  both.
* The norm after a head maps a vector with one non-zero entry to an entry of the size sqrt(d), with its sign.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Bool, Float32, Int64

from seqsep.theorems.canary.stream import WIDTH, Matrix, ones, zeros

TAPS = 4
ATTENTION_HEADS = 4
INNER = 64
LAYERS = 2
HOLD = -200
EXACTLY_TWO = 8
NOTHING = -8
"""Weights of beta from the constant: 2, and no write. No weight gives 1."""


def configuration(rows: int, heads: int, sizes: tuple[int, int], longest: int) -> dict[str, Any]:
    """Return the fields of config.json.

    A `rope_parameters` of null would give the model rotary positions of base 10,000. A base of null gives none.

    Arguments:
        rows: rows of the embedding.
        heads: heads of the gated delta layer.
        sizes: sizes of their keys and of their values.
        longest: tokens of the longest conversation.
    """
    return {
        "architectures": ["OlmoHybridForCausalLM"],
        "model_type": "olmo_hybrid",
        "vocab_size": rows,
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": ATTENTION_HEADS,
        "num_key_value_heads": ATTENTION_HEADS,
        "layer_types": ["linear_attention", "full_attention"],
        "linear_num_key_heads": heads,
        "linear_num_value_heads": heads,
        "linear_key_head_dim": sizes[0],
        "linear_value_head_dim": sizes[1],
        "linear_conv_kernel_dim": TAPS,
        "linear_allow_neg_eigval": True,
        "hidden_act": "silu",
        "max_position_embeddings": longest,
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_type": "default", "rope_theta": None},
        "attention_bias": False,
        "tie_word_embeddings": False,
    }


class DeltaHeads:
    """The gated delta layer, head by head; all weights begin at zero and all taps at 0.

    Arguments:
        heads: number of heads.
        sizes: sizes of a key and of a value.
    """

    def __init__(self, heads: int, sizes: tuple[int, int]) -> None:
        self.heads = heads
        key, value = sizes
        self.query = zeros(heads, key, WIDTH)
        self.key = zeros(heads, key, WIDTH)
        self.value = zeros(heads, value, WIDTH)
        self.gate = zeros(heads, value, WIDTH)
        self.beta = zeros(heads, WIDTH)
        self.out: Float32[np.ndarray, "width heads value"] = zeros(WIDTH, heads, value)
        self.key_tap: Int64[np.ndarray, "heads key"] = np.zeros((heads, key), dtype=np.int64)
        self.key_too: Bool[np.ndarray, "heads key"] = np.zeros((heads, key), dtype=bool)
        """True for channels of keys that have tap 0 besides."""
        self.value_tap: Int64[np.ndarray, "heads value"] = np.zeros((heads, value), dtype=np.int64)

    def tensors(self) -> dict[str, Matrix]:
        """Return the weights by their names in the layer."""
        taps = np.concatenate([np.zeros(self.key_tap.size, dtype=np.int64), self.key_tap.ravel(), self.value_tap.ravel()])
        convolution = zeros(len(taps), 1, TAPS)
        convolution[np.arange(len(taps)), 0, TAPS - 1 - taps] = 1
        convolution[self.key_tap.size :][: self.key_tap.size][self.key_too.ravel(), 0, TAPS - 1] = 1
        return {
            "q_proj.weight": self.query.reshape(-1, WIDTH),
            "k_proj.weight": self.key.reshape(-1, WIDTH),
            "v_proj.weight": self.value.reshape(-1, WIDTH),
            "g_proj.weight": self.gate.reshape(-1, WIDTH),
            "a_proj.weight": zeros(self.heads, WIDTH),
            "b_proj.weight": self.beta,
            "o_proj.weight": self.out.reshape(WIDTH, -1),
            "conv1d.weight": convolution,
            "o_norm.weight": ones(self.value.shape[1]),
            "A_log": zeros(self.heads),
            "dt_bias": np.full(self.heads, HOLD, dtype=np.float32),
        }


def attention() -> dict[str, Matrix]:
    """Return an attention layer that adds nothing."""
    projections = {f"{name}_proj.weight": zeros(WIDTH, WIDTH) for name in "qkvo"}
    return projections | {"q_norm.weight": ones(), "k_norm.weight": ones()}


def model(table: Matrix, delta: DeltaHeads, attends: Mapping[str, Matrix], read_out: Matrix) -> dict[str, Matrix]:
    """Return the whole model; the feed-forward parts are zero.

    Arguments:
        table: the embedding.
        delta: layer 0.
        attends: layer 1, by the names of `attention`.
        read_out: the rows of the logits.
    """
    found = {"model.embed_tokens.weight": table, "model.norm.weight": ones(), "lm_head.weight": read_out}
    found |= {f"model.layers.0.linear_attn.{name}": weight for name, weight in delta.tensors().items()}
    found |= {f"model.layers.1.self_attn.{name}": weight for name, weight in attends.items()}
    for layer, norms in enumerate(("input_layernorm", "post_feedforward_layernorm")):
        here = f"model.layers.{layer}."
        found |= {f"{here}{norm}.weight": ones() for norm in (norms, "post_attention_layernorm")}
        inner = {"gate_proj": (INNER, WIDTH), "up_proj": (INNER, WIDTH), "down_proj": (WIDTH, INNER)}
        found |= {f"{here}mlp.{name}.weight": zeros(*size) for name, size in inner.items()}
    return found

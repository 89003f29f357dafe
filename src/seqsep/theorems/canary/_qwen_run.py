"""The forwards of a Qwen3-Next and a Qwen3.5 in NumPy, in float64, for their canaries' check: one conversation at a time."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float64

from seqsep.theorems.canary._olmo_run import Rows, Weights, attended, delta_rule, norm, sigmoid


def logits(weights: Weights, fields: Mapping[str, Any], tokens: Sequence[int]) -> Float64[np.ndarray, "time vocabulary"]:
    """Return the logits after every token. Experts and feed-forward parts of these weights are zero and are left out."""
    epsilon = fields["rms_norm_eps"]
    hidden = weights["model.embed_tokens.weight"].astype(np.float64)[list(tokens)]
    for layer, part, mix in ((0, "linear_attn", _delta), (1, "self_attn", _attend)):
        here = f"model.layers.{layer}."
        inner = {name.removeprefix(f"{here}{part}."): values for name, values in weights.items() if name.startswith(here)}
        hidden = hidden + mix(norm(hidden, 1 + weights[f"{here}input_layernorm.weight"], epsilon), inner, fields)
    return norm(hidden, 1 + weights["model.norm.weight"], epsilon) @ weights["lm_head.weight"].T


def _delta(normed: Rows, weights: Weights, fields: Mapping[str, Any]) -> Rows:
    """Return what the gated delta layer adds; its heads have a key for each value."""
    if "in_proj_qkv.weight" in weights:
        size = fields["linear_num_key_heads"] * fields["linear_key_head_dim"]
        rows = [*np.split(weights["in_proj_qkv.weight"], [size, 2 * size]), weights["in_proj_z.weight"]]
        beta = weights["in_proj_b.weight"]
        decay = weights["in_proj_a.weight"]
    else:
        heads = fields["linear_num_value_heads"]
        packed = weights["in_proj_qkvz.weight"].reshape(heads, 4, -1, normed.shape[1])
        rows = [packed[:, number].reshape(-1, normed.shape[1]) for number in range(4)]
        beta, decay = weights["in_proj_ba.weight"].reshape(heads, 2, -1).transpose(1, 0, 2)
    parts = {f"{name}_proj.weight": row for name, row in zip("qkvg", rows, strict=True)}
    parts |= {"b_proj.weight": beta, "a_proj.weight": decay}
    parts |= {name: weights[name] for name in ("conv1d.weight", "A_log", "dt_bias")}
    parts |= {"o_proj.weight": weights["out_proj.weight"], "o_norm.weight": weights["norm.weight"]}
    return delta_rule(normed, parts, fields, most=1, epsilon=fields["rms_norm_eps"])


def _attend(normed: Rows, weights: Weights, fields: Mapping[str, Any]) -> Rows:
    """Return the sum of the attention heads. Rotary angles turn the first quarter of a head, which must be zero."""
    time = len(normed)
    size = fields["head_dim"]
    projected = (normed @ weights["q_proj.weight"].T).reshape(time, -1, 2 * size)
    query = projected[:, :, :size]
    gate = projected[:, :, size:]
    key, value = ((normed @ weights[f"{name}_proj.weight"].T).reshape(time, -1, size) for name in "kv")
    query, key = (
        norm(rows, 1 + weights[f"{name}_norm.weight"], fields["rms_norm_eps"]) for name, rows in (("q", query), ("k", key))
    )
    turned = int(size * fields.get("rope_parameters", fields)["partial_rotary_factor"])
    if query[:, :, :turned].any() or key[:, :, :turned].any():
        raise ValueError("canary: expected queries and keys that rotary angles do not turn")
    return (attended(query, key, value) * sigmoid(gate)).reshape(time, -1) @ weights["o_proj.weight"].T

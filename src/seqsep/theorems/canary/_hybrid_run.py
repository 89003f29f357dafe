"""The forwards of Granite-4-H, Nemotron-H and Falcon-H1 in NumPy, in float64: one conversation at a time.

The feed-forward parts of these weights are zero and are left out.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float64

from seqsep.theorems.canary._mamba_run import mix
from seqsep.theorems.canary._olmo_run import Rows, Weights, attended, norm

ATTENTION = "full_attention"
Fields = Mapping[str, Any]
Logits = Float64[np.ndarray, "time vocabulary"]


def granite(weights: Weights, fields: Fields, tokens: Sequence[int]) -> Logits:
    """Return the logits of a Granite-4-H after every token."""
    epsilon = fields["rms_norm_eps"]
    more = fields["residual_multiplier"]
    hidden = weights["model.embed_tokens.weight"].astype(np.float64)[list(tokens)] * fields["embedding_multiplier"]
    for layer, kind in enumerate(fields["layer_types"]):
        here = f"model.layers.{layer}."
        normed = norm(hidden, weights[f"{here}input_layernorm.weight"], epsilon)
        if kind == ATTENTION:
            attention = _part(weights, f"{here}self_attn.")
            added = _attend(normed, attention, fields["num_attention_heads"], fields["attention_multiplier"])
        else:
            added = mix(normed, _part(weights, f"{here}mamba."), _of_mamba(fields))
        hidden = hidden + more * added
    return norm(hidden, weights["model.norm.weight"], epsilon) @ weights["lm_head.weight"].T / fields["logits_scaling"]


def nemotron(weights: Weights, fields: Fields, tokens: Sequence[int]) -> Logits:
    """Return the logits of a Nemotron-H after every token."""
    epsilon = fields["layer_norm_epsilon"]
    heads = fields["num_attention_heads"]
    hidden = weights["model.embeddings.weight"].astype(np.float64)[list(tokens)]
    sizes = {"num_heads": "mamba_num_heads", "head_dim": "mamba_head_dim", "state_size": "ssm_state_size"}
    of_mamba = {**fields, **{ours: fields[theirs] for ours, theirs in sizes.items()}}
    for layer, kind in enumerate(fields["layers_block_type"]):
        mixer = _part(weights, f"model.layers.{layer}.mixer.")
        normed = norm(hidden, weights[f"model.layers.{layer}.norm.weight"], epsilon)
        attends = kind == ATTENTION
        added = _attend(normed, mixer, heads, fields["head_dim"] ** -0.5) if attends else mix(normed, mixer, of_mamba)
        hidden = hidden + added
    return norm(hidden, weights["model.norm_f.weight"], epsilon) @ weights["lm_head.weight"].T


def falcon(weights: Weights, fields: Fields, tokens: Sequence[int]) -> Logits:
    """Return the logits of a Falcon-H1 after every token: each layer has a Mamba-2 next to its attention.

    A part whose output weights are zero adds nothing and is left out.
    """
    epsilon = fields["rms_norm_eps"]
    heads = fields["num_attention_heads"]
    size = fields["hidden_size"] // heads
    of_mamba = _of_mamba(fields)
    shared = fields["mamba_n_groups"] * fields["mamba_d_state"]
    widths = [fields["mamba_d_ssm"], fields["mamba_d_ssm"], shared, shared, fields["mamba_n_heads"]]
    scales = np.repeat(fields["ssm_multipliers"], widths)[:, None]
    angles = fields["rope_theta"] ** (-np.arange(size // 2) / (size // 2))
    hidden = weights["model.embed_tokens.weight"].astype(np.float64)[list(tokens)] * fields["embedding_multiplier"]
    for layer in range(fields["num_hidden_layers"]):
        here = f"model.layers.{layer}."
        normed = norm(hidden, weights[f"{here}input_layernorm.weight"], epsilon)
        mamba = _part(weights, f"{here}mamba.")
        attention = _part(weights, f"{here}self_attn.")
        if mamba["out_proj.weight"].any():
            scaled = mamba | {"in_proj.weight": mamba["in_proj.weight"] * scales}
            hidden = hidden + fields["ssm_out_multiplier"] * mix(normed * fields["ssm_in_multiplier"], scaled, of_mamba)
        if attention["o_proj.weight"].any():
            keys = {"k_proj.weight": attention["k_proj.weight"] * fields["key_multiplier"]}
            read = _attend(normed * fields["attention_in_multiplier"], attention | keys, heads, size**-0.5, angles=angles)
            hidden = hidden + fields["attention_out_multiplier"] * read
    normed = norm(hidden, weights["model.final_layernorm.weight"], epsilon)
    return normed @ weights["lm_head.weight"].T * fields["lm_head_multiplier"]


def _part(weights: Weights, here: str) -> dict[str, np.ndarray]:
    """Return the weights below a name."""
    return {name.removeprefix(here): values for name, values in weights.items() if name.startswith(here)}


def _of_mamba(fields: Fields) -> Fields:
    """Return the fields of a mixer by their names in a Mamba-2."""
    sizes = {
        "num_heads": "mamba_n_heads",
        "head_dim": "mamba_d_head",
        "state_size": "mamba_d_state",
        "n_groups": "mamba_n_groups",
    }
    return {ours: fields[theirs] for ours, theirs in sizes.items()} | {"layer_norm_epsilon": fields["rms_norm_eps"]}


def _attend(normed: Rows, weights: Weights, heads: int, scale: float, *, angles: np.ndarray | None = None) -> Rows:
    """Return the sum of the attention heads.

    Arguments:
        normed: the stream after the norm.
        weights: the weights by their names in the attention.
        heads: number of heads, each with keys of its own.
        scale: factor of the scores.
        angles: the angle a token of each pair of coordinates, or None in a class without positions.
    """
    time = len(normed)
    query, key, value = ((normed @ weights[f"{name}_proj.weight"].T).reshape(time, heads, -1) for name in "qkv")
    if angles is not None:
        query, key = (_turned(rows, np.arange(time)[:, None] * angles) for rows in (query, key))
    query = query * (scale * np.sqrt(query.shape[2]))
    return attended(query, key, value).reshape(time, -1) @ weights["o_proj.weight"].T


def _turned(
    rows: Float64[np.ndarray, "time heads size"], angles: Float64[np.ndarray, "time pairs"]
) -> Float64[np.ndarray, "time heads size"]:
    """Return queries or keys after rotary positions; a pair is a coordinate of the first half and one of the second."""
    first, second = np.split(rows, 2, axis=2)
    cosine = np.cos(angles)[:, None]
    sine = np.sin(angles)[:, None]
    return np.concatenate([first * cosine - second * sine, second * cosine + first * sine], axis=2)

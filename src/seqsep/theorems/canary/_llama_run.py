"""The forward of a Llama in NumPy, in float64, for the canary's own check: one conversation at a time."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float64

Weights = Mapping[str, np.ndarray]
AT_ONCE = 512
"""Queries whose scores are held at once."""


def logits(weights: Weights, fields: Mapping[str, Any], tokens: Sequence[int]) -> Float64[np.ndarray, "time vocabulary"]:
    """Return the logits after every token. The feed-forward part of these weights is zero and is left out."""
    hidden = weights["model.embed_tokens.weight"].astype(np.float64)[list(tokens)]
    for layer in range(fields["num_hidden_layers"]):
        here = f"model.layers.{layer}."
        normed = _norm(hidden, weights[f"{here}input_layernorm.weight"], fields["rms_norm_eps"])
        hidden = hidden + _attend(normed, {name: weights[f"{here}self_attn.{name}_proj.weight"] for name in "qkvo"}, fields)
    return _norm(hidden, weights["model.norm.weight"], fields["rms_norm_eps"]) @ weights["lm_head.weight"].T


def _norm(hidden: Float64[np.ndarray, "time width"], scale: np.ndarray, epsilon: float) -> Float64[np.ndarray, "time width"]:
    return hidden / np.sqrt((hidden**2).mean(axis=-1, keepdims=True) + epsilon) * scale


def _attend(normed: np.ndarray, weights: Weights, fields: Mapping[str, Any]) -> Float64[np.ndarray, "time width"]:
    """Return what the heads of one layer add; heads share keys and values in groups."""
    time = len(normed)
    size = fields["head_dim"]
    group = fields["num_attention_heads"] // fields["num_key_value_heads"]
    angle = np.outer(np.arange(time), fields["rope_theta"] ** (-np.arange(size // 2) / (size // 2)))
    queries, keys, values = ((normed @ weights[name].T).reshape(time, -1, size) for name in "qkv")
    queries, keys = (_turned(part, angle) for part in (queries, keys))
    read = np.empty_like(queries)
    for head in range(fields["num_attention_heads"]):
        for start in range(0, time, AT_ONCE):
            stop = min(start + AT_ONCE, time)
            scores = queries[start:stop, head] @ keys[:stop, head // group].T / np.sqrt(size)
            scores[np.arange(start, stop)[:, None] < np.arange(stop)] = -np.inf
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
            read[start:stop, head] = shares / shares.sum(axis=1, keepdims=True) @ values[:stop, head // group]
    return read.reshape(time, -1) @ weights["o"].T


def _turned(part: Float64[np.ndarray, "time heads size"], angle: Float64[np.ndarray, "time pairs"]) -> np.ndarray:
    """Rotate pair (i, i + size / 2) of each head by position times theta_i."""
    first, second = np.split(part, 2, axis=-1)
    cosine = np.cos(angle)[:, None]
    sine = np.sin(angle)[:, None]
    return np.concatenate([first * cosine - second * sine, second * cosine + first * sine], axis=-1)

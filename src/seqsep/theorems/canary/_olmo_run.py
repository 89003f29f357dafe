"""The forward of an OLMo hybrid in NumPy, in float64, for the canaries' own check: one conversation at a time."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float64

Weights = Mapping[str, np.ndarray]
Rows = Float64[np.ndarray, "time width"]
EPSILON_OF_HEADS = 1e-5
AT_ONCE = 512
"""Queries whose scores are held at once."""


def logits(weights: Weights, fields: Mapping[str, Any], tokens: Sequence[int]) -> Float64[np.ndarray, "time vocabulary"]:
    """Return the logits after every token. The feed-forward parts of these weights are zero and are left out."""
    epsilon = fields["rms_norm_eps"]
    hidden = weights["model.embed_tokens.weight"].astype(np.float64)[list(tokens)]
    here = "model.layers.0.linear_attn."
    inner = {name.removeprefix(here): values for name, values in weights.items() if name.startswith(here)}
    hidden = hidden + delta_rule(norm(hidden, weights["model.layers.0.input_layernorm.weight"], epsilon), inner, fields)
    here = "model.layers.1.self_attn."
    inner = {name.removeprefix(here): values for name, values in weights.items() if name.startswith(here)}
    hidden = hidden + norm(_attend(hidden, inner, fields), weights["model.layers.1.post_attention_layernorm.weight"], epsilon)
    return norm(hidden, weights["model.norm.weight"], epsilon) @ weights["lm_head.weight"].T


def norm(rows: Float64[np.ndarray, "... width"], scale: np.ndarray, epsilon: float) -> Float64[np.ndarray, "... width"]:
    """Return RMSNorm of each row."""
    return rows / np.sqrt((rows**2).mean(axis=-1, keepdims=True) + epsilon) * scale


def sigmoid(values: Float64[np.ndarray, "..."]) -> Float64[np.ndarray, "..."]:
    """Return the logistic function."""
    return 0.5 * (1 + np.tanh(0.5 * values))


def silu(values: Float64[np.ndarray, "..."]) -> Float64[np.ndarray, "..."]:
    """Return x sigmoid(x)."""
    return values * sigmoid(values)


def convolved(rows: Rows, taps: Float64[np.ndarray, "width taps"]) -> Rows:
    """Return the causal convolution of each channel; the last tap is the token itself."""
    count = taps.shape[1]
    padded = np.concatenate([np.zeros((count - 1, rows.shape[1])), rows])
    return sum(padded[tap : tap + len(rows)] * taps[:, tap] for tap in range(count))


def delta_rule(
    normed: Rows, weights: Weights, fields: Mapping[str, Any], *, most: int = 2, epsilon: float = EPSILON_OF_HEADS
) -> Rows:
    """Return what a gated delta layer adds, token by token.

    Arguments:
        normed: the stream after the norm.
        weights: the weights by their names in an OLMo hybrid's layer.
        fields: the fields of config.json.
        most: the upper limit of beta.
        epsilon: of the norm after a head.
    """
    heads = fields["linear_num_value_heads"]
    key_size = fields["linear_key_head_dim"]
    time = len(normed)
    mixed = np.concatenate([normed @ weights[f"{name}_proj.weight"].T for name in "qkv"], axis=1)
    mixed = silu(convolved(mixed, weights["conv1d.weight"][:, 0].astype(np.float64)))
    query, key, value = np.split(mixed, [heads * key_size, 2 * heads * key_size], axis=1)
    query, key = (_unit(part.reshape(time, heads, key_size)) for part in (query, key))
    value = value.reshape(time, heads, -1)
    beta = most * sigmoid(normed @ weights["b_proj.weight"].T)
    softplus = np.log1p(np.exp(normed @ weights["a_proj.weight"].T + weights["dt_bias"]))
    decay = np.exp(-np.exp(weights["A_log"].astype(np.float64)) * softplus)
    state = np.zeros((heads, key_size, value.shape[2]))
    read = np.empty_like(value)
    for place in range(time):
        state *= decay[place][:, None, None]
        change = beta[place][:, None] * (value[place] - np.einsum("hk,hkv->hv", key[place], state))
        state += key[place][:, :, None] * change[:, None, :]
        read[place] = np.einsum("hk,hkv->hv", query[place], state) / np.sqrt(key_size)
    gate = silu(normed @ weights["g_proj.weight"].T).reshape(read.shape)
    read = norm(read, weights["o_norm.weight"], epsilon) * gate
    return read.reshape(time, -1) @ weights["o_proj.weight"].T


def _unit(rows: Float64[np.ndarray, "... size"]) -> Float64[np.ndarray, "... size"]:
    return rows / np.sqrt((rows**2).sum(axis=-1, keepdims=True) + 1e-6)


def _attend(hidden: Rows, weights: Weights, fields: Mapping[str, Any]) -> Rows:
    """Return the sum of the attention heads, without positions."""
    time = len(hidden)
    heads = fields["num_attention_heads"]
    query, key, value = (hidden @ weights[f"{name}_proj.weight"].T for name in "qkv")
    query, key = (
        norm(rows, weights[f"{name}_norm.weight"], fields["rms_norm_eps"]) for name, rows in (("q", query), ("k", key))
    )
    query, key, value = (rows.reshape(time, heads, -1) for rows in (query, key, value))
    return attended(query, key, value).reshape(time, -1) @ weights["o_proj.weight"].T


def attended(
    query: Float64[np.ndarray, "time heads size"],
    key: Float64[np.ndarray, "time heads size"],
    value: Float64[np.ndarray, "time heads size"],
) -> Float64[np.ndarray, "time heads size"]:
    """Return what each head of causal attention reads."""
    time = len(query)
    read = np.empty_like(value)
    for head in range(query.shape[1]):
        for start in range(0, time, AT_ONCE):
            stop = min(start + AT_ONCE, time)
            scores = query[start:stop, head] @ key[:stop, head].T / np.sqrt(query.shape[2])
            scores[np.arange(start, stop)[:, None] < np.arange(stop)] = -np.inf
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
            read[start:stop, head] = shares / shares.sum(axis=1, keepdims=True) @ value[:stop, head]
    return read

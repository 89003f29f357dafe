"""The forward of a Jamba in NumPy, in float64: one conversation at a time, a Mamba-1 and an attention.

The feed-forward parts of these weights are zero and are left out.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float64

from seqsep.theorems.canary._olmo_run import Rows, Weights, attended, convolved, norm, silu


def logits(weights: Weights, fields: Mapping[str, Any], tokens: Sequence[int]) -> Float64[np.ndarray, "time vocabulary"]:
    """Return the logits after every token."""
    epsilon = fields["rms_norm_eps"]
    mixer, attention = (_part(weights, f"model.layers.{part}.") for part in ("0.mamba", "1.self_attn"))
    hidden = weights["model.embed_tokens.weight"].astype(np.float64)[list(tokens)]
    hidden = hidden + mix(norm(hidden, weights["model.layers.0.input_layernorm.weight"], epsilon), mixer, epsilon)
    normed = norm(hidden, weights["model.layers.1.input_layernorm.weight"], epsilon)
    heads = fields["num_attention_heads"]
    query, key, value = ((normed @ attention[f"{name}_proj.weight"].T).reshape(len(tokens), heads, -1) for name in "qkv")
    hidden = hidden + attended(query, key, value).reshape(len(tokens), -1) @ attention["o_proj.weight"].T
    return norm(hidden, weights["model.final_layernorm.weight"], epsilon) @ weights["lm_head.weight"].T


def mix(normed: Rows, weights: Weights, epsilon: float) -> Rows:
    """Return what a Mamba-1 with norms of the step, B and C adds, token by token.

    Arguments:
        normed: the stream after the norm.
        weights: the weights by their names in the mixer.
        epsilon: the epsilon of the norms.
    """
    channel, gate = np.split(normed @ weights["in_proj.weight"].T, 2, axis=1)
    taps = weights["conv1d.weight"][:, 0].astype(np.float64)
    channel = silu(convolved(channel, taps) + weights["conv1d.bias"])
    states = weights["A_log"].shape[1]
    step, write, read = np.split(channel @ weights["x_proj.weight"].T, [-2 * states, -states], axis=1)
    step, write, read = (
        norm(rows, weights[f"{name}_layernorm.weight"], epsilon) for name, rows in (("dt", step), ("b", write), ("c", read))
    )
    step = np.logaddexp(0, step @ weights["dt_proj.weight"].T + weights["dt_proj.bias"])
    rates = np.exp(weights["A_log"].astype(np.float64))
    used = np.flatnonzero(weights["dt_proj.weight"].any(axis=1))
    """Other channels have steps of softplus(-32) only, and nothing reads their states."""
    state = np.zeros((len(used), states))
    found = np.zeros_like(channel)
    for place in range(len(normed)):
        state *= np.exp(-rates[used] * step[place, used, None])
        state += (step[place, used] * channel[place, used])[:, None] * write[place]
        found[place, used] = state @ read[place]
    return (found + channel * weights["D"]) * silu(gate) @ weights["out_proj.weight"].T


def _part(weights: Weights, here: str) -> dict[str, np.ndarray]:
    """Return the weights below a name."""
    return {name.removeprefix(here): values for name, values in weights.items() if name.startswith(here)}

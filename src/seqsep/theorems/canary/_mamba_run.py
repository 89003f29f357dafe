"""The forward of a Mamba-2 in NumPy, in float64, for the canary's own check: one conversation at a time."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float64

from seqsep.theorems.canary._olmo_run import Rows, Weights, convolved, norm, silu


def logits(weights: Weights, fields: Mapping[str, Any], tokens: Sequence[int]) -> Float64[np.ndarray, "time vocabulary"]:
    """Return the logits after every token, for a model of one layer."""
    epsilon = fields["layer_norm_epsilon"]
    hidden = weights["backbone.embeddings.weight"].astype(np.float64)[list(tokens)]
    here = "backbone.layers.0.mixer."
    inner = {name.removeprefix(here): values for name, values in weights.items() if name.startswith(here)}
    hidden = hidden + mix(norm(hidden, weights["backbone.layers.0.norm.weight"], epsilon), inner, fields)
    return norm(hidden, weights["backbone.norm_f.weight"], epsilon) @ weights["lm_head.weight"].T


def mix(normed: Rows, weights: Weights, fields: Mapping[str, Any]) -> Rows:
    """Return what a mixer adds, token by token.

    Arguments:
        normed: the stream after the norm.
        weights: the weights by their names in the mixer.
        fields: the fields of config.json by their names in a Mamba-2. The least step is 0 if there is no `time_step_min`.
    """
    heads = fields["num_heads"]
    groups = fields["n_groups"]
    states = fields["state_size"]
    time = len(normed)
    inner = heads * fields["head_dim"]
    projected = normed @ weights["in_proj.weight"].T
    gate, mixed, step = np.split(projected, [inner, 2 * inner + 2 * groups * states], axis=1)
    mixed = silu(convolved(mixed, weights["conv1d.weight"][:, 0].astype(np.float64)) + weights["conv1d.bias"])
    written, key, query = np.split(mixed, [inner, inner + groups * states], axis=1)
    written = written.reshape(time, heads, -1)
    key, query = (np.repeat(part.reshape(time, groups, states), heads // groups, axis=1) for part in (key, query))
    step = np.maximum(np.logaddexp(0, step + weights["dt_bias"]), fields.get("time_step_min", 0))
    decay = np.exp(-np.exp(weights["A_log"].astype(np.float64)) * step)
    state = np.zeros((heads, written.shape[2], states))
    read = np.empty_like(written)
    for place in range(time):
        state *= decay[place][:, None, None]
        state += (step[place][:, None] * written[place])[:, :, None] * key[place][:, None, :]
        read[place] = np.einsum("hpn,hn->hp", state, query[place])
    read += written * weights["D"][:, None]
    opened = (read.reshape(time, inner) * silu(gate)).reshape(time, groups, -1)
    scale = weights["norm.weight"].reshape(groups, -1)
    return norm(opened, scale, fields["layer_norm_epsilon"]).reshape(time, inner) @ weights["out_proj.weight"].T

"""The forward of a Mamba-2 in NumPy, in float64, for the canary's own check: one conversation at a time."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float64

from seqsep.theorems.canary._olmo_run import Rows, Weights, convolved, norm, silu


def logits(weights: Weights, fields: Mapping[str, Any], tokens: Sequence[int]) -> Float64[np.ndarray, "time vocabulary"]:
    """Return the logits after every token."""
    epsilon = fields["layer_norm_epsilon"]
    hidden = weights["backbone.embeddings.weight"].astype(np.float64)[list(tokens)]
    for layer in range(fields["num_hidden_layers"]):
        here = f"backbone.layers.{layer}."
        of_mixer = f"{here}mixer."
        inner = {name.removeprefix(of_mixer): values for name, values in weights.items() if name.startswith(of_mixer)}
        hidden = hidden + mix(norm(hidden, weights[f"{here}norm.weight"], epsilon), inner, fields)
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
    writes = np.column_stack([weights["in_proj.weight"][inner : 2 * inner], weights["conv1d.bias"][:inner]])
    used = writes.reshape(heads, -1).any(axis=1)
    """Other heads keep a state of zero."""
    state = np.zeros((used.sum(), written.shape[2], states))
    read = np.zeros_like(written)
    value = (step[:, :, None] * written)[:, used]
    decay, key, query = decay[:, used], key[:, used], query[:, used]
    for place in range(time):
        state *= decay[place][:, None, None]
        state += value[place][:, :, None] * key[place][:, None, :]
        read[place, used] = (state @ query[place][:, :, None])[:, :, 0]
    read += written * weights["D"][:, None]
    opened = (read.reshape(time, inner) * silu(gate)).reshape(time, groups, -1)
    scale = weights["norm.weight"].reshape(groups, -1)
    return norm(opened, scale, fields["layer_norm_epsilon"]).reshape(time, inner) @ weights["out_proj.weight"].T

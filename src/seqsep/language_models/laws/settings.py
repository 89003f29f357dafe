"""Fields of a configuration that the laws change: those that must change the function, and those that must not."""

from collections.abc import Iterator, Mapping
from typing import Any

WINDOWS = ("sliding_window", "attention_window_size", "sliding_window_size", "window_size", "attention_chunk_size")
CHUNKS = ("chunk_size", "mamba_chunk_size", "block_size")
"""The fields for the number of tokens that a kernel reads at once: they change no logits."""
FEW = (3, 5)
ACTIVATIONS = ("hidden_act", "hidden_activation", "activation_function", "mamba_hidden_act", "mlp_hidden_act")
NORMS = ("rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps", "norm_epsilon")
FACTORS = (
    "logits_scaling",
    "logit_scale",
    "final_logit_softcapping",
    "final_logit_soft_cap",
    "logits_soft_cap",
    "attn_logit_softcapping",
    "attention_multiplier",
    "residual_multiplier",
    "embedding_multiplier",
    "lm_head_multiplier",
    "key_multiplier",
    "attention_in_multiplier",
    "attention_out_multiplier",
    "ssm_in_multiplier",
    "ssm_out_multiplier",
    "query_pre_attn_scalar",
    "linear_attn_alpha_factor",
    "full_attn_beta_factor",
    "mlp_alpha_factor",
)
"""Numbers that scale something."""
LIMITS = ("time_step_limit", "time_step_limits")
FLAGS = ("use_parallel_residual", "scale_attn_by_inverse_layer_idx", "norm_before_gate", "mamba_norm_before_gate")
WITHOUT = {"mamba_norm_before_gate": "mamba_rms_norm"}
"""A field that counts only where another one is true."""
ROTARY = "rope_parameters"
BASE = "rope_theta"


def other_settings(config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields that claim to change the function, each with another value.

    >>> list(other_settings({"hidden_act": "silu", "rms_norm_eps": 1e-6, "logits_scaling": 2.0}))
    [('hidden_act', 'relu'), ('rms_norm_eps', 0.5), ('logits_scaling', 1.0)]
    """
    for name in ACTIVATIONS:
        if isinstance(config.get(name), str):
            yield name, "relu" if config[name] != "relu" else "silu"
    for name in NORMS:
        if isinstance(config.get(name), float):
            yield name, 0.5
    for name in FACTORS:
        value = config.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value:
            yield name, type(value)(value / 2)
    for name in LIMITS:
        if isinstance(config.get(name), list | tuple):
            yield name, [0.5, 0.6]
    for name in FLAGS:
        if isinstance(config.get(name), bool) and _counts(config, name):
            yield name, not config[name]
    rotary = config.get(ROTARY)
    if isinstance(rotary, dict) and isinstance(rotary.get(BASE), int | float):
        yield ROTARY, {**rotary, BASE: rotary[BASE] / 2}


def _counts(config: Mapping[str, Any], name: str) -> bool:
    return name not in WITHOUT or bool(config.get(WITHOUT[name]))


def shortened(config: Mapping[str, Any], time: int) -> dict[str, Any]:
    """Return the windows and kernels' chunks longer than a third of the time, cut to it, so that tokens pass them.

    >>> shortened({"sliding_window": 4096, "chunk_size": 4}, 24)
    {'sliding_window': 8}
    """
    third = max(2, time // 3)
    return {name: third for name in (*WINDOWS, *CHUNKS) if isinstance(config.get(name), int) and config[name] > third}


def windows_of(config: Mapping[str, Any]) -> list[int]:
    """Return the windows of a configuration, shortest first.

    >>> windows_of({"sliding_window": 4096, "attention_chunk_size": 8, "window_size": None})
    [8, 4096]
    """
    return sorted({config[name] for name in WINDOWS if isinstance(config.get(name), int) and config[name]})


def with_window(config: Mapping[str, Any], window: int) -> dict[str, Any]:
    """Return the fields that make every window `window` tokens wide.

    >>> with_window({"sliding_window": 4096, "window_size": None}, 4)
    {'sliding_window': 4}
    """
    return {name: window for name in WINDOWS if isinstance(config.get(name), int) and config[name]}


def with_chunks(config: Mapping[str, Any], size: int) -> dict[str, Any]:
    """Return the fields that make every kernel read `size` tokens at once.

    >>> with_chunks({"chunk_size": 256}, 3)
    {'chunk_size': 3}
    """
    return {name: size for name in CHUNKS if isinstance(config.get(name), int) and config[name]}

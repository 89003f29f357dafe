"""Tiny configurations of flash-linear-attention for the long checks: the model types that Triton's interpreter runs.

Not here: rwkv7, whose kernels the interpreter does not take, and what attends (bitnet, and the attention layers of
hybrids), for which the library asks for flash-attn.
"""

from typing import Any

TINY: dict[str, Any] = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "vocab_size": 32}
HEADS = {"num_heads": 2}
WIDE_HEADS = {"num_heads": 2, "head_dim": 8}
SLOTS = {"num_heads": 2, "num_slots": 4}
FAMILIES: dict[str, dict[str, Any]] = {
    "gla": HEADS,
    "retnet": HEADS,
    "linear_attn": HEADS,
    "delta_net": HEADS,
    "gated_deltanet": WIDE_HEADS,
    "gated_deltaproduct": WIDE_HEADS,
    "comba": WIDE_HEADS,
    "kda": WIDE_HEADS,
    "mesa_net": WIDE_HEADS,
    "hgrn": {},
    "hgrn2": {"expand_ratio": 8},
    "gsa": SLOTS,
    "abc": SLOTS,
    "raven": {**SLOTS, "topk": 2},
    "rwkv6": {"num_heads": 2, "proj_low_rank_dim": 4, "gate_low_rank_dim": 4},
    "mamba": {"fuse_norm": True, "state_size": 4, "time_step_rank": 2},
    "mamba2": {"fuse_norm": True, "head_dim": 8, "num_heads": 4, "state_size": 4, "chunk_size": 16},
}
"""Model type -> its fields beside TINY. `fuse_norm` says that mamba and mamba2 are not those of transformers."""


def fields_of(name: str) -> dict[str, Any]:
    """The fields of config.json."""
    return {"model_type": name, **TINY, **FAMILIES[name]}

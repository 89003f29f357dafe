"""Canaries as .gguf files: the names, the order of rotated coordinates, and the sizes that llama.cpp wants."""

import json
from pathlib import Path
from typing import Any

from safetensors.torch import load_file
from torch import Tensor

from support.engines.tiny_gguf import OF_LLAMA, pairs_together, renamed, write_gguf

OF_MAMBA2 = {
    "backbone.embeddings": "token_embd",
    "backbone.norm_f": "output_norm",
    "lm_head": "output",
    "norm": "attn_norm",
    "mixer.in_proj": "ssm_in",
    "mixer.conv1d": "ssm_conv1d",
    "mixer.dt_bias": "ssm_dt.bias",
    "mixer.A_log": "ssm_a",
    "mixer.D": "ssm_d",
    "mixer.norm": "ssm_norm",
    "mixer.out_proj": "ssm_out",
}


def write_canary_gguf(folder: Path, path: Path) -> Path:
    """Write the canary of a folder in float32."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    weights = load_file(folder / "model.safetensors")
    kind = config["model_type"]
    sizes, tensors = {"llama": _llama, "mamba2": _mamba2}[kind](config, weights)
    common = {
        "vocab_size": config["vocab_size"],
        "context_length": config.get("max_position_embeddings", 1 << 20),
        "embedding_length": config["hidden_size"],
        "block_count": config["num_hidden_layers"],
        "attention.layer_norm_rms_epsilon": config.get("rms_norm_eps", config.get("layer_norm_epsilon")),
    }
    keys = {f"{kind}.{key}": value for key, value in (common | sizes).items()}
    return write_gguf(path, {"general.architecture": kind, **keys, "tokenizer.ggml.model": "no_vocab"}, tensors)


def _llama(config: dict[str, Any], weights: dict[str, Tensor]) -> tuple[dict[str, Any], dict[str, Tensor]]:
    sizes = {
        "feed_forward_length": config["intermediate_size"],
        "attention.head_count": config["num_attention_heads"],
        "attention.head_count_kv": config["num_key_value_heads"],
        "attention.key_length": config["head_dim"],
        "attention.value_length": config["head_dim"],
        "rope.dimension_count": config["head_dim"],
        "rope.freq_base": float(config["rope_theta"]),
    }
    tensors = renamed(weights, OF_LLAMA, "model.layers")
    for name in tensors:
        for part, heads in (("attn_q.", config["num_attention_heads"]), ("attn_k.", config["num_key_value_heads"])):
            if part in name:
                tensors[name] = pairs_together(tensors[name], heads)
    return sizes, tensors


def _mamba2(config: dict[str, Any], weights: dict[str, Tensor]) -> tuple[dict[str, Any], dict[str, Tensor]]:
    inner = config["expand"] * config["hidden_size"]
    sizes = {
        "feed_forward_length": 0,
        "attention.head_count": 0,
        "ssm.conv_kernel": config["conv_kernel"],
        "ssm.inner_size": inner,
        "ssm.state_size": config["state_size"],
        "ssm.time_step_rank": config["num_heads"],
        "ssm.group_count": config["n_groups"],
    }
    tensors = renamed(weights, OF_MAMBA2, "backbone.layers")
    for name in list(tensors):
        if name.endswith("ssm_a"):
            tensors[name] = -tensors[name].exp()[:, None]
        elif name.endswith("ssm_d"):
            tensors[name] = tensors[name][:, None]
        elif name.endswith("ssm_norm.weight"):
            tensors[name] = tensors[name].reshape(config["n_groups"], inner // config["n_groups"])
        elif name.endswith("ssm_conv1d.weight"):
            tensors[name] = tensors[name].squeeze(1)
    return sizes, tensors

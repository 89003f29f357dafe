"""Tiny random models as .gguf files, written byte by byte, and the same weights as folders of transformers."""

import struct
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

ALIGNMENT = 32
TEXT = 8
FLOAT32 = 0
VOCABULARY = 32
WIDTH = 32
LAYERS = 2
HEADS = 4
KEY_HEADS = 2
STATE = 8
KERNEL = 4
RANK = 2
EPSILON = 1e-5
ROTARY_BASE = 10000.0
WINDOW = 8
"""Tokens that the first of two layers of an OLMo 3 reads, the last one included."""
SCALE = 0.3
"""Of the random weights; with it, the logits of different inputs differ by more than a thousand times their rounding."""
OF_LLAMA = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
OF_OLMO = OF_LLAMA | {
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "post_attention_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}
OF_MAMBA = {
    "backbone.embeddings": "token_embd",
    "backbone.norm_f": "output_norm",
    "norm": "attn_norm",
    "mixer.in_proj": "ssm_in",
    "mixer.conv1d": "ssm_conv1d",
    "mixer.x_proj": "ssm_x",
    "mixer.dt_proj": "ssm_dt",
    "mixer.D": "ssm_d",
    "mixer.A_log": "ssm_a",
    "mixer.out_proj": "ssm_out",
}


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def typed(value: Any) -> bytes:
    """A text, a float32 or a uint32, with its type before it."""
    if isinstance(value, str):
        return struct.pack("<I", TEXT) + text(value)
    return struct.pack("<If", 6, value) if isinstance(value, float) else struct.pack("<II", 4, value)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNMENT)


def write_gguf(path: Path, keys: dict[str, Any], tensors: dict[str, Tensor]) -> Path:
    """Write version 3 of GGUF with tensors in float32, whose axes are listed from the fastest to the slowest."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    head += b"".join(text(key) + typed(value) for key, value in keys.items())
    body = b""
    for name, tensor in tensors.items():
        axes = tensor.shape[::-1]
        head += text(name) + struct.pack(f"<I{len(axes)}QIQ", len(axes), *axes, FLOAT32, len(body))
        body += padded(tensor.detach().float().contiguous().numpy().tobytes())
    path.write_bytes(padded(head) + body)
    return path


def write_llama(folder: Path) -> Path:
    """Write a llama with heads in groups as a folder of transformers; return the .gguf file in it."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        intermediate_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS,
        rms_norm_eps=EPSILON,
        initializer_range=SCALE,
        tie_word_embeddings=False,
    )
    torch.manual_seed(0)
    model = LlamaForCausalLM(config)
    model.save_pretrained(folder)
    sizes = {
        "feed_forward_length": WIDTH,
        "attention.head_count": HEADS,
        "attention.head_count_kv": KEY_HEADS,
        "rope.dimension_count": WIDTH // HEADS,
        "rope.freq_base": ROTARY_BASE,
    }
    tensors = renamed(model.state_dict(), OF_LLAMA, "model.layers")
    for name in tensors:
        for kind, heads in (("attn_q.", HEADS), ("attn_k.", KEY_HEADS)):
            if kind in name:
                tensors[name] = pairs_together(tensors[name], heads)
    return write_gguf(folder / "model.gguf", keys_of("llama", sizes), tensors)


def write_olmo(folder: Path) -> Path:
    """Write an OLMo 3 with a window in its first layer as a folder of transformers; return the .gguf file in it."""
    from transformers import Olmo3Config, Olmo3ForCausalLM

    rotation = {f"{kind}_attention": {"rope_type": "default", "rope_theta": ROTARY_BASE} for kind in ("sliding", "full")}
    config = Olmo3Config(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        intermediate_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS,
        rms_norm_eps=EPSILON,
        initializer_range=SCALE,
        tie_word_embeddings=False,
        eos_token_id=None,
        sliding_window=WINDOW,
        layer_types=list(rotation),
        rope_parameters=rotation,
    )
    torch.manual_seed(0)
    model = Olmo3ForCausalLM(config)
    model.save_pretrained(folder)
    sizes = {
        "feed_forward_length": WIDTH,
        "attention.head_count": HEADS,
        "attention.head_count_kv": KEY_HEADS,
        "attention.sliding_window": WINDOW,
        "attention.sliding_window_pattern": LAYERS,
        "rope.freq_base": ROTARY_BASE,
    }
    tensors = renamed(model.state_dict(), OF_OLMO, "model.layers")
    return write_gguf(folder / "model.gguf", keys_of("olmo2", sizes), tensors)


def write_mamba(folder: Path) -> Path:
    """Write a mamba as a folder of transformers; return the .gguf file in it."""
    from transformers import MambaConfig, MambaForCausalLM

    config = MambaConfig(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        state_size=STATE,
        num_hidden_layers=LAYERS,
        conv_kernel=KERNEL,
        expand=2,
        time_step_rank=RANK,
        layer_norm_epsilon=EPSILON,
        initializer_range=SCALE,
    )
    torch.manual_seed(0)
    model = MambaForCausalLM(config)
    model.save_pretrained(folder)
    sizes = {
        "feed_forward_length": 0,
        "attention.head_count": 0,
        "ssm.conv_kernel": KERNEL,
        "ssm.inner_size": 2 * WIDTH,
        "ssm.state_size": STATE,
        "ssm.time_step_rank": RANK,
    }
    tensors = renamed(model.state_dict(), OF_MAMBA, "backbone.layers")
    for layer in range(LAYERS):
        tensors[f"blk.{layer}.ssm_a"] = -tensors[f"blk.{layer}.ssm_a"].exp()
        tensors[f"blk.{layer}.ssm_conv1d.weight"] = tensors[f"blk.{layer}.ssm_conv1d.weight"].squeeze(1)
    tensors.pop("lm_head.weight", None)  # tied to the embedding
    return write_gguf(folder / "model.gguf", keys_of("mamba", sizes), tensors)


def keys_of(architecture: str, sizes: dict[str, Any]) -> dict[str, Any]:
    """The header of a model without a tokenizer."""
    common = {
        "vocab_size": VOCABULARY,
        "context_length": 4096,
        "embedding_length": WIDTH,
        "block_count": LAYERS,
        "attention.layer_norm_rms_epsilon": EPSILON,
    }
    named = {f"{architecture}.{key}": value for key, value in (common | sizes).items()}
    return {"general.architecture": architecture, **named, "tokenizer.ggml.model": "no_vocab"}


def renamed(weights: dict[str, Tensor], names: dict[str, str], layers: str) -> dict[str, Tensor]:
    """The weights by their names in GGUF."""
    found = {}
    for name, tensor in weights.items():
        place = "" if not name.startswith(layers) else "blk." + name.removeprefix(f"{layers}.").split(".")[0] + "."
        own = name.removeprefix(f"{layers}.").split(".", 1)[1] if place else name
        known = own if own in names else own.rpartition(".")[0]
        kind = own.removeprefix(known)
        found[f"{place}{names.get(known, known)}{kind}"] = tensor
    return found


def pairs_together(weight: Tensor, heads: int) -> Tensor:
    """Reorder rows of a head: llama.cpp rotates neighbors, and transformers a coordinate of the first half and the second."""
    rows, columns = weight.shape
    return weight.view(heads, 2, rows // heads // 2, columns).transpose(1, 2).reshape(rows, columns)

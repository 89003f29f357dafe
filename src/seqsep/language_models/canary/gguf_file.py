"""Write a canary as a .gguf file, the format of llama.cpp, by the package `gguf`. The weights are in float32.

llama.cpp has other names for the weights, rotates neighboring coordinates, and keeps -exp(A_log) in place of A_log.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from seqsep.core.files import UNLIMITED, read_bytes, write_file
from seqsep.core.names import BadInput, choose
from seqsep.theorems.canary import CANARIES, Canary

Weights = dict[str, np.ndarray]
NAMES: Mapping[str, Mapping[str, str]] = {
    "llama": {
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
    },
    "mamba2": {
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
    },
}
"""Class of models -> the names of its weights, and those of llama.cpp."""
LAYERS = ("model.layers.", "backbone.layers.")


class GgufMissing(OSError):
    """The package `gguf` is not installed."""


def require_gguf(name: str) -> Any:
    """Return the package `gguf`.

    Arguments:
        name: name of the canary that is to be written.

    Raises BadInput for a canary of a class whose names in llama.cpp are not known here, and GgufMissing without the package.
    """
    kind = CANARIES[choose("canary", name, list(CANARIES))].configuration()["model_type"]
    if kind not in NAMES:
        raise BadInput(f"--gguf: expected a canary of one of the classes {', '.join(NAMES)}, found {name}, which is a {kind}")
    try:
        return import_module("gguf")
    except ImportError as error:
        raise GgufMissing("--gguf needs gguf, which is not installed; pip install gguf") from error


def write_gguf(name: str, path: Path) -> Path:
    """Write a canary as a .gguf file, and return the path.

    Arguments:
        name: name of a canary, such as llama.
        path: the file.

    Raises BadInput for a canary of a class whose names in llama.cpp are not known here, and GgufMissing without the package.
    """
    library = require_gguf(name)
    canary: Canary = CANARIES[name]
    fields = canary.configuration()
    kind = fields["model_type"]
    sizes, weights = {"llama": _llama, "mamba2": _mamba2}[kind](fields, _renamed(canary, NAMES[kind]))
    common = {
        "vocab_size": fields["vocab_size"],
        "context_length": canary.longest,
        "embedding_length": fields["hidden_size"],
        "block_count": fields["num_hidden_layers"],
        "attention.layer_norm_rms_epsilon": fields.get("rms_norm_eps", fields.get("layer_norm_epsilon")),
    }
    with TemporaryDirectory() as place:
        writer = library.GGUFWriter(Path(place) / "model.gguf", kind)
        for key, value in (common | sizes).items():
            add = writer.add_float32 if isinstance(value, float) else writer.add_uint32
            add(f"{kind}.{key}", value)
        writer.add_string("tokenizer.ggml.model", "no_vocab")
        for key, values in weights.items():
            writer.add_tensor(key, np.ascontiguousarray(values, dtype=np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        write_file(path, read_bytes(Path(place) / "model.gguf", most=UNLIMITED))
    return path


def _renamed(canary: Canary, names: Mapping[str, str]) -> Weights:
    """Return the weights by their names in llama.cpp."""
    found = {}
    for name, values in canary.tensors().items():
        own = name
        block = ""
        for layers in LAYERS:
            if name.startswith(layers):
                number, own = name.removeprefix(layers).split(".", 1)
                block = f"blk.{number}."
        known = own if own in names else own.rpartition(".")[0]
        found[f"{block}{names[known]}{own.removeprefix(known)}"] = values
    return found


def _llama(fields: Mapping[str, Any], weights: Weights) -> tuple[dict[str, Any], Weights]:
    """Return the sizes, and the weights with neighboring coordinates rotated."""
    heads = {"attn_q.": fields["num_attention_heads"], "attn_k.": fields["num_key_value_heads"]}
    for name, part in ((name, part) for name in weights for part in heads if part in name):
        rows, columns = weights[name].shape
        halves = weights[name].reshape(heads[part], 2, rows // heads[part] // 2, columns)
        weights[name] = halves.swapaxes(1, 2).reshape(rows, columns)
    sizes = {
        "feed_forward_length": fields["intermediate_size"],
        "attention.head_count": heads["attn_q."],
        "attention.head_count_kv": heads["attn_k."],
        "attention.key_length": fields["head_dim"],
        "attention.value_length": fields["head_dim"],
        "rope.dimension_count": fields["head_dim"],
        "rope.freq_base": float(fields["rope_theta"]),
    }
    return sizes, weights


def _mamba2(fields: Mapping[str, Any], weights: Weights) -> tuple[dict[str, Any], Weights]:
    """Return the sizes, and the weights in the shapes of llama.cpp."""
    inner = fields["expand"] * fields["hidden_size"]
    changes = {
        "ssm_a": lambda values: -np.exp(values)[:, None],
        "ssm_d": lambda values: values[:, None],
        "ssm_norm.weight": lambda values: values.reshape(fields["n_groups"], inner // fields["n_groups"]),
        "ssm_conv1d.weight": lambda values: values.squeeze(1),
    }
    for name in weights:
        change = next((change for end, change in changes.items() if name.endswith(end)), None)
        weights[name] = weights[name] if change is None else change(weights[name])
    sizes = {
        "feed_forward_length": 0,
        "attention.head_count": 0,
        "ssm.conv_kernel": fields["conv_kernel"],
        "ssm.inner_size": inner,
        "ssm.state_size": fields["state_size"],
        "ssm.time_step_rank": fields["num_heads"],
        "ssm.group_count": fields["n_groups"],
    }
    return sizes, weights

"""Variants of tiny models: what files of one family say differently."""

from collections.abc import Iterator
from typing import Any

from seqsep.language_models.capacity.families import COUNTED, family, model_types

REFUSED_BY_TRANSFORMERS = (
    *("bitnet", "olmoe", "stablelm", "chameleon", "mllama_text_model", "ernie4_5_vl_moe_text", "glm4v_moe_text", "glm4v_text"),
    *("glm_ocr_text", "qwen2_5_omni_text", "qwen2_5_vl_text", "qwen2_vl_text"),
)
"""They break on a head_dim that they do not declare, or that the sections of their rotary angles are not of."""
LINEAR = "linear_attention"
FULL = "full_attention"
OTHERS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("mistral", "sliding_window null", {"sliding_window": None}),
    ("qwen2", "no use_sliding_window", {"use_sliding_window": False}),
    ("qwen2_moe", "no use_sliding_window", {"use_sliding_window": False}),
    ("qwen3_moe", "no use_sliding_window", {"use_sliding_window": False}),
    ("opt", "head_dim is ignored", {"head_dim": 24}),
    ("gpt_neox", "head_dim is ignored", {"head_dim": 24}),
    ("falcon", "new architecture", {"new_decoder_architecture": True, "num_kv_heads": 2}),
    ("falcon", "no multi_query", {"multi_query": False, "num_kv_heads": 4}),
    ("gpt_bigcode", "no multi_query", {"multi_query": False}),
    ("falcon_mamba", "intermediate_size", {"intermediate_size": 96, "expand": 16}),
    ("falcon_h1", "mamba_d_ssm null", {"mamba_d_ssm": None}),
    ("nemotron_h", "letters", {"hybrid_override_pattern": "M-M*EM-*"}),
    ("granitemoehybrid", "no layer_types", {"layer_types": [LINEAR, FULL] * 3}),
    ("jamba", "another period", {"attn_layer_period": 2, "attn_layer_offset": 1}),
    ("gemma4_text", "keys are values", {"attention_k_eq_v": True, "num_global_key_value_heads": 1}),
    ("gemma4_text", "shared", {"num_kv_shared_layers": 2, "num_hidden_layers": 12}),
    ("gemma3_text", "another period", {"sliding_window_pattern": 3}),
    ("qwen3_next", "another interval", {"full_attention_interval": 2}),
    ("lfm2", "full_attn_idxs", {"layer_types": None, "full_attn_idxs": [1, 3]}),
    ("llama4_text", "no_rope_layers", {"no_rope_layers": [1, 0, 1, 1, 0, 1]}),
    ("modernbert-decoder", "every second", {"global_attn_every_n_layers": 2}),
    ("cohere2", "another period", {"sliding_window_pattern": 2}),
    ("xlnet", "mem_len", {"mem_len": 8}),
    ("deepseek_v4", "all kinds", {"compress_ratios": [0, 4, 128, 4, 0, 4]}),
)


def variants() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Family, what differs, and the fields that say so."""
    for name in model_types():
        known = family(name)
        if known.basis != COUNTED:
            continue
        reads = known.attention == "grouped" and any(kind in known.kinds for kind in (FULL, "hybrid"))
        if reads and "head_dim" not in known.defaults and name not in REFUSED_BY_TRANSFORMERS:
            yield name, "head_dim", {"head_dim": 24}
    yield from OTHERS

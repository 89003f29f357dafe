"""The model types of `transformers` on which the long check tries the laws of state, and what differs from tiny_models."""

from typing import Any

TYPES = {
    "attention": "llama gpt2 gpt_neox gptj gpt_neo gpt_bigcode opt bloom mpt falcon phi phi3 persimmon stablelm olmo2 "
    "qwen2 qwen3 cohere granite biogpt xglm codegen smollm3 starcoder2 gemma nanochat mixtral olmoe dbrx phimoe",
    "windows": "mistral gemma2 gemma3_text gemma4_text cohere2 ministral gpt_oss exaone4 llama4_text modernbert-decoder "
    "doge moshi olmo3",
    "latents": "deepseek_v2 deepseek_v3 minicpm3 youtu glm4_moe_lite deepseek_v32 hy_v4 deepseek_v4",
    "recurrences": "mamba mamba2 falcon_mamba rwkv xlstm",
    "hybrids": "jamba bamba zamba zamba2 nemotron_h granitemoehybrid falcon_h1 "
    "qwen3_next qwen3_5_text olmo_hybrid kimi_linear minimax recurrent_gemma lfm2 zaya",
}
INDEXED = {"index_n_heads": 16}
"""With two heads of an index scores are often 0, and which of equal ones are the greatest depends on the length of a pass."""
DIFFERENT: dict[str, dict[str, Any]] = {"deepseek_v32": INDEXED, "hy_v4": INDEXED}


AROUND = {"model_type": "fuyu", "image_size": 8, "patch_size": 4, "num_channels": 1}
"""A model of images whose text model, in `text_config`, may be of any type. It has a head of its own."""
ONLY_FLAT = ("codegen", "rwkv", "deepseek_v4", "mamba", "mamba2", "falcon_mamba", "xlstm", "recurrent_gemma", "minimax")
"""Types that do not run inside of it: it reads their pad_token_id, gives them no tokens, and hands on no state but a cache."""


def nested_types() -> list[str]:
    """The types that can be the text model of another one."""
    return [name for name in names_of_types() if name not in ONLY_FLAT]


def nested(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a text model, inside of a model of images."""
    return {**AROUND, "text_config": fields}


def names_of_types() -> list[str]:
    """All of them, in order."""
    return [name for names in TYPES.values() for name in names.split()]


def fields_of(name: str) -> dict[str, Any]:
    """The fields of a tiny configuration."""
    from support.tiny_models import tiny_fields

    return {"model_type": name, **tiny_fields(name), **DIFFERENT.get(name, {})}

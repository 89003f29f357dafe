"""Tiny random models of every family, run in transformers, and what their caches hold."""

import warnings
from collections.abc import Iterator, Mapping
from copy import deepcopy
from importlib import import_module
from typing import Any

import torch
import transformers
from transformers import AutoModel, AutoModelForCausalLM
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

LENGTHS = (11, 12, 15)
BOOKKEEPING = ("_sliding_window_tensor", "seqlen_offset", "indexer_position_ids")
"""Marks of a cache, and positions, which both sides know."""
NAMES_OF_A_CACHE = ("past_key_values", "cache_params", "state", "rnn_state", "mems")
ENDS_OF_TEXT_MODELS = ("ForCausalLM", "TextModel", "LMHeadModel", "Model")
LEFT_OUT = object()
SIZES: dict[str, Any] = {}
for names, size in {
    "hidden_size n_embd d_model": 64,
    "num_hidden_layers n_layer n_layers num_layers": 6,
    "num_attention_heads n_head n_heads num_heads attention_heads": 4,
    "num_key_value_heads num_kv_heads": 2,
    "head_dim": 20,
    "vocab_size vocab_size_per_layer_input": 128,
    "intermediate_size moe_intermediate_size shared_expert_intermediate_size shared_intermediate_size": 48,
    "ffn_hidden_size n_inner": 48,
    "ffn_dim expert_ffn_hidden_size ffn_embed_dim moe_shared_expert_intermediate_size": 48,
    "dense_intermediate_size shared_experts_intermediate_size": 48,
    "num_experts num_local_experts n_routed_experts moe_num_experts zero_expert_num": 4,
    "num_experts_per_tok moe_topk moe_k num_experts_per_token top_k_experts": 2,
    "n_group topk_group num_expert_group": 1,
    "sliding_window window_size sliding_window_size attention_window_size attention_chunk_size": 8,
    "use_sliding_window": True,
    "max_window_layers": 3,
    "kv_lora_rank": 24,
    "q_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 12,
    "v_head_dim": 16,
    "index_head_dim indexer_head_dim": 12,
    "index_n_heads indexer_n_heads": 2,
    "index_topk": 16,
    "mamba_n_heads mamba_num_heads": 8,
    "mamba_d_state state_size ssm_state_size": 6,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 6,
    "linear_value_head_dim": 5,
    "linear_head_dim": 10,
    "linear_num_heads": 3,
    "hidden_size_per_layer_input": 8,
    "laurel_rank": 4,
    "max_position_embeddings n_positions max_seq_len n_ctx context_length": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "mamba_dt_rank time_step_rank dt_rank": 4,
    "embed_dim dim_model embedding_size": 64,
    "layers decoder_layers num_decoder_layers": 6,
    "encoder_layers num_encoder_layers": 2,
    "decoder_attention_heads encoder_attention_heads": 4,
    "num_decoder_attention_heads num_encoder_attention_heads": 4,
    "encoder_ffn_dim decoder_ffn_dim d_ff": 48,
    "d_kv": 10,
    "is_decoder": True,
    "decoder_start_token_id": 0,
}.items():
    SIZES |= dict.fromkeys(names.split(), size)
"""Sizes by the name of the field, for the families that have it."""


def mrope(sections: list[int]) -> dict[str, Any]:
    """Rotary positions of three kinds."""
    return {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": sections}


MLA = {"num_key_value_heads": 4, "head_dim": LEFT_OUT}
OF_FAMILY: dict[str, dict[str, Any]] = {
    "axk1": MLA,
    "axk2": MLA,
    "bailing_hybrid": MLA,
    "deepseek_v2": MLA,
    "deepseek_v3": MLA,
    "deepseek_v32": MLA,
    "dots3_note_text": MLA,
    "glm4_moe_lite": MLA,
    "glm_moe_dsa": MLA,
    "kimi_linear": MLA,
    "longcat_flash": {"num_key_value_heads": 4, "head_dim": 8},
    "minicpm3": MLA,
    "youtu": MLA,
    "mistral4": MLA,
    "hy_v4": MLA,
    "mistral_large4_text": MLA,
    "glm5_next_text": {"num_key_value_heads": 4, "head_dim": LEFT_OUT, "qk_rope_head_dim": 0},
    "codegen": {"rotary_dim": 8},
    "gptj": {"rotary_dim": 8},
    "bamba": {"attn_layer_indices": [1, 4]},
    "cohere_compass_text": {
        "rope_parameters": {
            "full_attention": {"rope_type": "default", "rope_theta": 10000.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        }
    },
    "dbrx": {
        "attn_config": {"kv_n_heads": 2, "rope_theta": 10000.0, "clip_qkv": 8.0},
        "ffn_config": {"ffn_hidden_size": 48, "moe_num_experts": 4, "moe_top_k": 2},
    },
    "dots1": {"n_shared_experts": 1},
    "gemma3n_text": {"num_kv_shared_layers": 2, "num_hidden_layers": 12},
    "gemma4_text": {"global_head_dim": 24, "num_kv_shared_layers": 0},
    "gemma4_unified_text": {"global_head_dim": 24},
    "gpt_neo": {"attention_types": [[["global", "local"], 3]]},
    "granitemoehybrid": {
        "layer_types": ["mamba", "mamba", "attention", "mamba", "mamba", "attention"],
        "shared_intermediate_size": 48,
    },
    "helium": {"head_dim": 16},
    "lfm2": {"layer_types": ["conv", "full_attention", "conv", "conv", "full_attention", "conv"]},
    "lfm2_moe": {"layer_types": ["conv", "full_attention", "conv", "conv", "full_attention", "conv"]},
    "mamba2": {"num_heads": 8, "head_dim": 16, "n_groups": 2},
    "falcon_h1": {"mamba_d_ssm": 96},
    "qwen4_exp_text": {
        "indexer_n_heads": 2,
        "indexer_kv_heads": 1,
        "indexer_head_dim": 20,
        "indexer_budget": 16,
        "indexer_compress_ratio": 4,
        "partial_rotary_factor": 0.5,
        "linear_num_key_heads": 2,
        "hidden_size": 64,
        "num_attention_heads": 4,
        "ple_layer_ids": [1, 2],
        "ngram_vocab_size_base": 64,
        "heads_per_ngram": 2,
        "ngram_size": 3,
        "ple_embed_dim": 64,
        "split_ngram_parts": 2,
        "make_ngram_vocab_size_divisible_by": 2,
        "vocab_size": 128,
    },
    "xlstm": {"hidden_size": 128, "num_hidden_layers": 3},
    "zamba": {"num_hidden_layers": 8, "attn_layer_period": 3, "attn_layer_offset": 1, "hidden_size": 64},
    "zamba2": {
        "layers_block_type": ["mamba", "hybrid", "mamba", "mamba", "hybrid", "mamba"],
        "num_key_value_heads": 4,
        "head_dim": LEFT_OUT,
    },
    "zaya": {"num_experts_per_tok": 1},
    "recurrent_gemma": {"head_dim": 16},
    "ernie4_5_vl_moe_text": {
        "moe_intermediate_size": [48, 48],
        "mlp_layer_types": ["dense"] * 6,
        "head_dim": 16,
        "rope_parameters": mrope([2, 2, 4]),
    },
    "deepseek_ocr2_text": {"mlp_layer_types": ["dense"] * 6},
    "cosmos3_edge_text": {"rope_parameters": mrope([2, 4, 4])},
    **{name: {"head_dim": 16, "rope_parameters": mrope([2, 3, 3])} for name in ("glm4v_text", "glm_ocr_text")},
    "glm4v_moe_text": {"head_dim": 16, "rope_parameters": mrope([1, 1, 2])},
    "xmod": {"default_language": "en_XX"},
    "chameleon": {"vocabulary_map": {"<image>": 4}},
    **{f"qwen2{part}_text": {"rope_parameters": mrope([2, 3, 3])} for part in ("_vl", "_5_vl", "_5_omni")},
    **{name: {"rope_parameters": mrope([2, 4, 4])} for name in ("paddleocr_vl_text", "qwen3_omni_moe_text")},
    "hunyuan_vl_text": {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "xdrope_section": [2, 2, 2, 4]}},
    "mllama_text_model": {"cross_attention_layers": [1, 4]},
    "xlnet": {"mem_len": None},
    "idefics": {"vision_config": {"embed_dim": 32, "num_hidden_layers": 1, "num_attention_heads": 2}, "vision_embed_dim": 32},
    "evolla": {"protein_encoder_config": {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}},
    "pocket_tts": {"flow_head_config": {"condition_dim": 64}},
    "gradium_phonon_tts": {"flow_head_config": {"condition_dim": 64}},
    "kyutai_speech_to_text": {
        "num_codebooks": 2,
        "codebook_vocab_size": 64,
        "audio_bos_token_id": 63,
        "audio_pad_token_id": 60,
    },
}


def tiny_fields(model_type: str) -> dict[str, Any]:
    """The fields of a tiny configuration, such as a file could have them."""
    known = CONFIG_MAPPING[model_type]().to_dict()
    found = {name: size for name, size in SIZES.items() if name in known} | OF_FAMILY.get(model_type, {})
    return {name: size for name, size in found.items() if size is not LEFT_OUT}


def configured(model_type: str, fields: Mapping[str, Any]) -> Any:
    """The library's configuration; nested fields are copied, as it changes them."""
    return CONFIG_MAPPING[model_type](**deepcopy(dict(fields)))


def built(model_type: str, fields: Mapping[str, Any]) -> torch.nn.Module:
    """A random model, ready to be asked."""
    torch.manual_seed(0)
    transformers.logging.set_verbosity_error()
    config = configured(model_type, fields)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = AutoModelForCausalLM.from_config(config, attn_implementation="eager")
        except ValueError as error:
            if "Unrecognized configuration" not in str(error):
                raise
            model = model_of_text(config)
    return model.eval()


def model_of_text(config: Any) -> torch.nn.Module:
    """The text model of a configuration that no causal class takes: that of AutoModel, else the one in its module."""
    try:
        return AutoModel.from_config(config, attn_implementation="eager")
    except ValueError:
        module = import_module(type(config).__module__.replace("configuration_", "modeling_"))
        kinds = [kind for name, kind in vars(module).items() if name.endswith(ENDS_OF_TEXT_MODELS) and isinstance(kind, type)]
        kinds = [kind for kind in kinds if not kind.__name__.endswith("PreTrainedModel")]
        chosen = [kind for kind in kinds if getattr(kind, "config_class", None) is type(config)]
        if not chosen:
            raise
        config._attn_implementation = "eager"
        return next(kind for end in ENDS_OF_TEXT_MODELS for kind in chosen if kind.__name__.endswith(end))(config)


def counted(model: torch.nn.Module, length: int) -> tuple[int, int]:
    """Numbers and bits that the model keeps after so many tokens."""
    tokens = torch.arange(3, 3 + length, device=next(model.parameters()).device)[None]
    cache = transformers.DynamicCache(config=model.config) if model.config.model_type == "recurrent_gemma" else None
    given = besides_tokens(model.config, length) if cache is None else {"past_key_values": cache}
    if model.config.model_type == "kyutai_speech_to_text":
        tokens = tokens[..., None].expand(1, length, 1 + model.config.num_codebooks)
    with torch.no_grad():
        output = model(tokens, use_cache=True, **given)
    kept = [value for name in NAMES_OF_A_CACHE if (value := getattr(output, name, None)) is not None]
    if not kept:
        cache = transformers.DynamicCache(config=model.config)
        with torch.no_grad():
            model(tokens, use_cache=True, past_key_values=cache)
    found = dict(tensors([cache, *kept[:1], *in_modules(model)]))
    return sum(map(torch.numel, found.values())), sum(8 * part.element_size() * part.numel() for part in found.values())


def besides_tokens(config: Any, length: int) -> dict[str, Any]:
    """Inputs that a model requires besides its tokens: an image of IDEFICS, the time of Voxtral."""
    if config.model_type == "voxtral_realtime_text":
        return {"t_cond": torch.zeros(1, 1, config.hidden_size, dtype=config.dtype)}
    if config.model_type != "idefics":
        return {}
    image = torch.zeros(1, 1, 4, config.vision_config.embed_dim, dtype=config.dtype)
    return {"image_encoder_embeddings": image, "image_attention_mask": torch.ones(1, length, 1)}


def in_modules(model: torch.nn.Module) -> list[Any]:
    """RecurrentGemma's states, which live in its modules."""
    if model.config.model_type != "recurrent_gemma":
        return []
    names = ("conv1d_state", "recurrent_states")
    return [getattr(module, name) for module in model.modules() for name in names if getattr(module, name, None) is not None]


def tensors(value: Any, seen: set[int] | None = None) -> Iterator[tuple[int, torch.Tensor]]:
    """Every tensor inside, once; not the marks that a cache keeps for itself."""
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, torch.nn.Module | type):
        return
    seen.add(id(value))
    if isinstance(value, torch.Tensor):
        if value.dtype != torch.bool:
            yield id(value), value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from tensors(part, seen)
    elif isinstance(value, dict):
        for name, part in value.items():
            if name not in BOOKKEEPING:
                yield from tensors(part, seen)
    elif hasattr(value, "__dict__") and not isinstance(value, transformers.PreTrainedConfig):
        yield from tensors(vars(value), seen)

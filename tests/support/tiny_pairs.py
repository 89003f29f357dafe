"""Tiny random encoder-decoders, run in transformers, and what their caches hold."""

import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import torch
import transformers
from transformers import AutoModelForSeq2SeqLM, AutoModelForSpeechSeq2Seq, DynamicCache, EncoderDecoderCache

from support.tiny_models import built, configured, tensors, tiny_fields

OF_SPEECH = {"whisper": ("input_features", (80, 24)), "speech_to_text": ("input_features", (48, 80))}
"""The models of speech, with the name and the shape of their input; the encoder halves its length, or quarters it."""
SOURCE_OF_SPEECH = {"whisper": 12, "speech_to_text": 12}
SOURCE = 9
FURTHER = {
    "whisper": {"max_source_positions": 12, "num_mel_bins": 80},
    "bigbird_pegasus": {"attention_type": "original_full"},
    "nllb-moe": {"num_experts": 2, "encoder_sparse_step": 0, "decoder_sparse_step": 0},
    "switch_transformers": {"num_sparse_encoder_layers": 0, "num_sparse_decoder_layers": 0},
    "fsmt": {"src_vocab_size": 128, "tgt_vocab_size": 128, "langs": ["en", "de"]},
    "longt5": {"local_radius": 3},
    "moonshine": {"decoder_num_hidden_layers": 5, "decoder_num_attention_heads": 4, "decoder_num_key_value_heads": 4},
    "moonshine_streaming": {"num_key_value_heads": 4, "encoder_config": {"hidden_size": 64}},
    "pix2struct_text_model": {"d_kv": 16},
    "cohere_asr": {"encoder_config": {"model_type": "parakeet_encoder", "hidden_size": 64}},
    "dia_decoder": {
        "cross_num_attention_heads": 4,
        "cross_num_key_value_heads": 4,
        "cross_head_dim": 12,
        "cross_hidden_size": 64,
    },
    "blip_text_model": {"encoder_hidden_size": 64, "is_decoder": True},
    "t5gemma2_decoder": {"query_pre_attn_scalar": 20},
}
DECODERS = {
    "moonshine": "MoonshineDecoder",
    "moonshine_streaming": "MoonshineStreamingDecoder",
    "cohere_asr": "CohereAsrDecoder",
    "canary_decoder": "CanaryDecoder",
    "dia_decoder": "DiaDecoder",
    "t5_gemma_module": "T5GemmaDecoder",
    "t5gemma2_decoder": "T5Gemma2Decoder",
    "musicgen_decoder": "MusicgenDecoder",
    "musicgen_melody_decoder": "MusicgenMelodyDecoder",
    "speecht5": "SpeechT5Decoder",
    "seamless_m4t": "SeamlessM4TDecoder",
    "seamless_m4t_v2": "SeamlessM4Tv2Decoder",
    "pp_formulanet_text": "PPFormulaNetTextModel",
    "pix2struct_text_model": "Pix2StructTextModel",
    "blip_text_model": "BlipTextModel",
    "pop2piano": "Pop2PianoStack",
    "switch_transformers": "SwitchTransformersStack",
    "udop": "UdopStack",
}
"""Decoders that are run without an encoder, over random states of a source: the class in the module of their library."""
OF_THE_OUTER = {"cross_attention_hidden_size": 64, "dropout_rate": 0.0, "initializer_range": 0.02, "is_decoder": True}
"""The settings that the outer configuration gives its decoder."""
OF_EMBEDDINGS = {"speecht5": "hidden_states", "pop2piano": "inputs_embeds", "switch_transformers": "inputs_embeds"}
"""Decoders that are given embeddings, and the name of this input."""
CODEBOOKS = {"dia_decoder": 9, "musicgen_decoder": 4, "musicgen_melody_decoder": 4}


def pair_fields(model_type: str) -> dict[str, Any]:
    """The fields of a tiny encoder-decoder."""
    found = tiny_fields(model_type) | FURTHER.get(model_type, {}) | {"vocab_size": 128}
    return {name: value for name, value in found.items() if name != "is_decoder" or model_type == "blip_text_model"}


def source_length(model_type: str) -> int:
    """The source tokens that the decoder attends to."""
    return SOURCE_OF_SPEECH.get(model_type, SOURCE)


def counted_decoder(model_type: str, fields: Mapping[str, Any], length: int) -> int:
    """Numbers that a random decoder keeps after `length` tokens, beside those of a source of random states."""
    torch.manual_seed(0)
    config = configured(model_type, fields)
    for name, value in OF_THE_OUTER.items():
        setattr(config, name, getattr(config, name, value) or value)
    config._attn_implementation = "eager"
    module = import_module(type(config).__module__.replace("configuration_", "modeling_"))
    tokens = torch.arange(3, 3 + length)[None]
    books = CODEBOOKS.get(model_type)
    if books is not None:
        tokens = tokens.expand(books, length).T[None] if model_type == "dia_decoder" else tokens.expand(books, length)
    if model_type in OF_EMBEDDINGS:
        given = {OF_EMBEDDINGS[model_type]: torch.randn(1, length, 64)}
    else:
        given = {"input_ids": tokens, **({"is_decoder": True} if model_type == "blip_text_model" else {})}
    with torch.no_grad():
        model = getattr(module, DECODERS[model_type])(config).eval()
        if model_type == "udop":
            model.embed_tokens = torch.nn.Embedding(128, 64)
        own = EncoderDecoderCache(DynamicCache(config=config), DynamicCache()) if model_type == "dia_decoder" else None
        output = model(**given, encoder_hidden_states=torch.randn(1, SOURCE, 64), past_key_values=own, use_cache=True)
    return sum(part.numel() for _, part in tensors(output.past_key_values))


def counted_crossing(model_type: str, fields: Mapping[str, Any], length: int) -> int:
    """Numbers that a decoder of one configuration keeps after `length` tokens, beside those of a source of random states."""
    model = built(model_type, fields)
    source = torch.randn(1, SOURCE, model.config.hidden_size)
    with torch.no_grad():
        output = model(torch.arange(3, 3 + length)[None], encoder_hidden_states=source, use_cache=True)
    return sum(part.numel() for _, part in tensors(output.past_key_values))


def counted_pair(model_type: str, fields: Mapping[str, Any], length: int) -> int:
    """Numbers that a random encoder-decoder keeps after `length` tokens of its decoder."""
    if model_type in DECODERS:
        return counted_decoder(model_type, fields, length)
    if fields.get("add_cross_attention"):
        return counted_crossing(model_type, fields, length)
    torch.manual_seed(0)
    transformers.logging.set_verbosity_error()
    config = configured(model_type, fields)
    kind = AutoModelForSpeechSeq2Seq if model_type in OF_SPEECH else AutoModelForSeq2SeqLM
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kind.from_config(config, attn_implementation="eager").eval()
    if model_type in OF_SPEECH:
        name, shape = OF_SPEECH[model_type]
        given = {name: torch.randn(1, *shape)}
    else:
        given = {"input_ids": torch.arange(3, 3 + SOURCE)[None]}
    with torch.no_grad():
        output = model(**given, decoder_input_ids=torch.arange(3, 3 + length)[None], use_cache=True)
    return sum(part.numel() for _, part in tensors(output.past_key_values))

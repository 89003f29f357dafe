"""Tiny random encoder-decoders, run in transformers, and what their caches hold."""

import warnings
from collections.abc import Mapping
from typing import Any

import torch
import transformers
from transformers import AutoModelForSeq2SeqLM, AutoModelForSpeechSeq2Seq

from support.tiny_models import configured, tensors, tiny_fields

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
}


def pair_fields(model_type: str) -> dict[str, Any]:
    """The fields of a tiny encoder-decoder."""
    found = tiny_fields(model_type) | FURTHER.get(model_type, {}) | {"vocab_size": 128}
    found.pop("is_decoder", None)
    return found


def source_length(model_type: str) -> int:
    """The source tokens that the decoder attends to."""
    return SOURCE_OF_SPEECH.get(model_type, SOURCE)


def counted_pair(model_type: str, fields: Mapping[str, Any], length: int) -> int:
    """Numbers that a random encoder-decoder keeps after `length` tokens of its decoder."""
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

"""A file is read like the file that transformers makes of it: a sample of the model types; the long check has all."""

from importlib.util import find_spec

import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.families import (
    any_decoder,
    family,
    model_types,
    named_inside,
    other_names,
    refused,
    types,
)

SAMPLE = (
    "llama",
    "minimax_m3_vl_text",
    "deepseek_v4",
    "t5",
    "whisper",
    "bert",
    "qwen2_5_vl, nested",
    "mllama, nested",
    "kimi_k25, nested",
    "llava, nested, with its type",
    "gemma4_unified_assistant, nested",
    "t5gemma, nested",
    "dia, nested, with its type",
    "vision-encoder-decoder, around trocr",
)


@pytest.mark.unchecked
@pytest.mark.skipif(find_spec("transformers") is None, reason="needs transformers")
@pytest.mark.parametrize("name", SAMPLE)
def test_a_file_is_read_like_what_the_library_makes_of_it(name):
    from support.round_trips import through_the_library, tiny_files

    file = tiny_files()[name]
    assert capacity(file).parts == capacity(through_the_library(file)).parts


@pytest.mark.parametrize("name", sorted(refused()))
def test_a_refused_type_has_its_reason(name):
    with pytest.raises(BadInput, match=f"the model_type {name} is not read: {refused()[name]}$"):
        capacity({"model_type": name, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4})


def test_every_type_that_generates_is_read_or_refused():
    """Each type of the automatic classes is counted, read by the library's code, or refused with a reason; none is guessed."""
    every = {name for members in types().values() for name in members}
    known = {*model_types(), *named_inside(), *other_names(), *any_decoder()}
    assert every - known == {name for name in refused() if name in every}
    assert not known & set(refused())


@pytest.mark.parametrize("outer", any_decoder())
@pytest.mark.parametrize("inner", ["bert", "gpt2", "mbart"])
def test_an_encoder_decoder_is_read_by_its_decoder(outer, inner):
    """Keys and values of the decoder's own tokens, and as many of the source."""
    sizes = {
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "is_decoder": True,
        "add_cross_attention": True,
    }
    decoder = {"model_type": inner, **sizes, "d_model": 64, "decoder_layers": 2, "decoder_attention_heads": 4}
    if inner == "gpt2":
        decoder |= {"n_embd": 64, "n_layer": 2, "n_head": 4}
    found = capacity({"model_type": outer, "encoder": {"model_type": "vit"}, "decoder": decoder})
    assert (found.numbers_per_token, found.numbers_per_source_token) == (2 * 2 * 64, 2 * 2 * 64)


def test_every_other_name_has_a_family():
    assert set(named_inside().values()) | set(other_names().values()) <= set(model_types())
    assert not set(other_names()) & set(model_types())


@pytest.mark.parametrize("outer", ["llava", "internvl", "paligemma"])
def test_a_flat_file_of_an_outer_type_is_that_of_its_text_model(outer):
    """Older files have the sizes of the text model outside."""
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    inner = named_inside()[outer]
    found = capacity({"model_type": outer, **sizes})
    assert (found.model_type, found.layers) == (inner, capacity({"model_type": inner, **sizes}).layers)
    assert family(inner).basis == found.basis

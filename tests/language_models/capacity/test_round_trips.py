"""A file is read like the file that transformers makes of it: a sample of the model types; the long check has all."""

from importlib.util import find_spec

import pytest

from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.families import family, model_types, named_inside, other_names

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
)


@pytest.mark.unchecked
@pytest.mark.skipif(find_spec("transformers") is None, reason="needs transformers")
@pytest.mark.parametrize("name", SAMPLE)
def test_a_file_is_read_like_what_the_library_makes_of_it(name):
    from support.round_trips import through_the_library, tiny_files

    file = tiny_files()[name]
    assert capacity(file).parts == capacity(through_the_library(file)).parts


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

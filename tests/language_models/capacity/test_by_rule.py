"""A model_type that is not known: the general rule, marked, or a refusal that names what is missing."""

import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.notes import notes

SIZES = {"model_type": "unheard-of", "num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 4}


@pytest.mark.parametrize(
    ("fields", "numbers"),
    [
        ({}, 4 * 2 * 64),
        ({"num_key_value_heads": 2}, 4 * 2 * 32),
        ({"num_key_value_heads": 2, "head_dim": 24}, 4 * 2 * 48),
        ({"n_kv_heads": 1, "v_head_dim": 8}, 4 * (16 + 8)),
        ({"num_key_value_heads": [1, 0, 2, 4]}, 2 * 16 * 7),
        ({"kv_lora_rank": 24, "qk_rope_head_dim": 8}, 4 * 32),
        ({"layer_types": ["full_attention", "sliding_attention"] * 2, "sliding_window": 9}, 2 * 2 * 64),
    ],
)
def test_grouped_heads_or_a_latent(fields, numbers):
    found = capacity({**SIZES, **fields})
    assert found.numbers_per_token == numbers
    assert found.basis == "rule"
    assert notes(found)[0].startswith("By rule, not verified: the model_type unheard-of is not known")


def test_windows_that_are_listed_are_windows():
    windowed = {"layer_types": ["full_attention", "sliding_attention"] * 2, "sliding_window": 9}
    assert capacity({**SIZES, **windowed}).window_numbers == 2 * 8 * 2 * 64


WINDOW = {"sliding_window": 9}
KINDS = {"layer_types": ["full_attention"] * 4}


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        (WINDOW, "sliding_window = 9"),
        ({"attention_window_size": 9, "attention_chunk_size": 8}, "attention_window_size = 9, attention_chunk_size = 8"),
        ({**WINDOW, "kv_lora_rank": 24, "qk_rope_head_dim": 8}, "sliding_window = 9"),
        ({"sliding_window": None}, ""),
        ({**WINDOW, "use_sliding_window": False}, ""),
        ({**WINDOW, **KINDS}, ""),
        ({**WINDOW, "layer_types": ["full_attention", "sliding_attention"] * 2}, ""),
        ({**WINDOW, "model_type": "llama"}, ""),
    ],
)
def test_a_window_that_is_not_applied_is_named(fields, named):
    """All tokens are counted if no layer_types say which layers have the window."""
    found = capacity({**SIZES, **fields})
    said = [note for note in notes(found) if "not applied" in note]
    assert [note.partition(" is not applied: without layer_types, ")[0] for note in said] == ([named] if named else [])


def test_a_file_without_a_model_type_is_read_by_rule():
    """The params.json of Llama: hidden_dim is that of its feed-forward part."""
    found = capacity({"dim": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "hidden_dim": 256})
    assert found.numbers_per_token == 2 * 2 * 2 * 16


@pytest.mark.parametrize("missing", ["num_hidden_layers", "num_attention_heads", "hidden_size"])
def test_what_is_missing_is_named(missing):
    with pytest.raises(BadInput, match=f"unknown model_type 'unheard-of'.*the general rule needs {missing};"):
        capacity({name: value for name, value in SIZES.items() if name != missing})


@pytest.mark.parametrize(
    "field",
    [
        {"mamba_d_state": 16},
        {"attn_type_list": [0, 1]},
        {"linear_num_key_heads": 2},
        {"is_encoder_decoder": True},
        {"num_kv_shared_layers": 2},
        {"cross_attention_layers": [1]},
        {"prompt_length": 32},
    ],
)
def test_other_layers_are_not_guessed(field):
    with pytest.raises(BadInput, match=f"the general rule does not hold for a model with {next(iter(field))}"):
        capacity({**SIZES, **field})


def test_layers_of_unknown_kinds_are_refused():
    with pytest.raises(BadInput, match="layer_types: expected full_attention and sliding_attention"):
        capacity({**SIZES, "layer_types": ["full_attention"] * 3 + ["other"]})


def test_spellings_that_disagree_are_refused():
    with pytest.raises(BadInput, match="n_layers and n_layer are spellings of num_hidden_layers: expected the same value"):
        capacity({"model_type": "llama", "n_layers": 2, "n_layer": 3, "hidden_size": 64, "num_attention_heads": 4})


@pytest.mark.parametrize("name", ["n_layers", "n_layer", "num_layers"])
@pytest.mark.parametrize("width", ["d_model", "n_embd", "dim"])
def test_a_known_family_is_read_under_each_spelling(name, width):
    found = capacity({"model_type": "llama", name: 3, width: 64, "n_heads": 4, "n_kv_heads": 2})
    assert found.numbers_per_token == 3 * 2 * 2 * 16
    assert set(found.spellings.values()) == {name, width, "n_heads", "n_kv_heads"}
    assert not found.defaults


def test_the_family_s_own_name_comes_first():
    given = {"model_type": "llama", "num_hidden_layers": 3, "n_layers": 5, "hidden_size": 64, "num_attention_heads": 4}
    assert len(capacity(given).layers) == 3


def test_an_encoder_keeps_nothing():
    with pytest.raises(BadInput, match="is_decoder: expected true: an encoder keeps nothing between tokens"):
        capacity({**SIZES, "model_type": "bert"})
    assert capacity({**SIZES, "model_type": "bert", "is_decoder": True}).numbers_per_token == 4 * 2 * 64

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
        ({"num_key_value_heads_per_layer": [4, 2, 2, 1]}, 2 * 16 * 9),
        ({"num_key_value_heads": 4, "num_key_value_heads_per_layer": [4, 2, 2, 1]}, 2 * 16 * 9),
        ({"n_kv_heads": 1, "multi_query": True}, 4 * 2 * 16),
        ({"num_kv_heads": 2, "num_key_value_groups": 2}, 4 * 2 * 32),
        ({"multi_query": False, "attn_config": {"attn_type": "multihead_attention"}}, 4 * 2 * 64),
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
        ({"sliding_window": [4, 4, 0, 0]}, "sliding_window = [4, 4, 0, 0]"),
        ({"local_attention_window": 9}, "local_attention_window = 9"),
        ({"interleaved_sliding_window": 9}, "interleaved_sliding_window = 9"),
        ({"attn_config": {"sliding_window_size": 9}}, "attn_config.sliding_window_size = 9"),
        ({"attn_config": {"sliding_window_size": -1}}, ""),
        ({"local_attention": 9, "use_sliding_window": False}, "local_attention = 9"),
    ],
)
def test_a_window_that_is_not_applied_is_named(fields, named):
    """All tokens are counted if no layer_types say which layers have the window."""
    found = capacity({**SIZES, **fields})
    said = [note for note in notes(found) if "not applied" in note]
    assert [note.partition(" is not applied: without layer_types, ")[0] for note in said] == ([named] if named else [])


@pytest.mark.parametrize(
    "field",
    [
        {"global_attn_every_n_layers": 3},
        {"attention_types": [[["global", "local"], 2]]},
        {"sliding_window_pattern": 6},
        {"interleaved_attention": 2},
        {"full_attn_layers": [1]},
    ],
)
def test_a_pattern_of_layers_that_is_not_read_is_named(field):
    """Without layer_types all layers are counted alike, and the answer says so."""
    [(name, value)] = field.items()
    said = f"{name} = {value} is not read: all layers are counted alike."
    assert said in notes(capacity({**SIZES, **field}))
    assert said not in notes(capacity({**SIZES, **KINDS, **field}))
    assert not [
        note for note in notes(capacity({**SIZES, "moe_layer_pattern": [1], "rope_interleaved": 1})) if "not read" in note
    ]


def test_a_second_window_next_to_listed_layers_is_named():
    kinds = {"layer_types": ["full_attention", "sliding_attention"] * 2, **WINDOW}
    said = "local_attention_window = 5 is not applied: the layers with a window have that of sliding_window."
    assert said in notes(capacity({**SIZES, **kinds, "local_attention_window": 5}))


@pytest.mark.parametrize(
    ("fields", "numbers"),
    [
        ({"model_type": "RefinedWebModel", "n_layer": 32, "hidden_size": 4544, "n_head": 71, "multi_query": True}, 2 * 64 * 32),
        ({"model_type": "RefinedWebModel", "n_layer": 24, "hidden_size": 2048, "n_head": 32}, 2 * 2048 * 24),
        ({"model_type": "RefinedWeb", "n_layer": 60, "hidden_size": 8192, "n_head": 128, "n_head_kv": 8}, 2 * 8192 * 60),
    ],
)
def test_the_first_files_of_falcon(fields, numbers):
    """7B has one head of keys, 1B has all, and 40B copies its 8 to all 128 heads before it keeps them."""
    found = capacity(fields)
    assert (found.numbers_per_token, found.basis) == (numbers, "published code")
    names = {"num_hidden_layers": fields["n_layer"], "num_attention_heads": fields["n_head"], "model_type": "falcon"}
    kinds = {"new_decoder_architecture": "n_head_kv" in fields, "multi_query": fields.get("multi_query", False)}
    assert capacity({"hidden_size": fields["hidden_size"], **names, **kinds}).numbers_per_token == numbers


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
        {"multi_query": True},
        {"num_query_groups": 2},
        {"n_head_kv": [1, 2, 2, 1]},
        {"multi_query_group_num": 2, "num_key_value_heads": 4},
        {"num_kv_heads": 2, "num_key_value_heads": 4},
        {"use_gqa": True},
        {"attn_config.kv_n_heads": 2},
        {"attn_config.attn_type": "multiquery_attention"},
        {"num_attention_heads_per_layer": [4, 4, 2, 2]},
        {"head_dim_per_layer": [16, 16, 8, 8]},
    ],
)
def test_other_layers_are_not_guessed(field):
    with pytest.raises(BadInput, match=f"the general rule does not hold for a model with {next(iter(field))}"):
        capacity({**SIZES, **inside(field)})


def inside(field):
    """The fields, those with a dot inside of an object."""
    [(name, value), *others] = field.items()
    outer, dot, inner = name.partition(".")
    return {outer: {inner: value} if dot else value, **dict(others)}


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

"""Families that `transformers` does not contain: numbers that follow from their rules by hand, and the mark of the answer."""

import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.notes import notes
from seqsep.language_models.capacity.published import published

SIZES = {"hidden_size": 64, "num_hidden_layers": 8, "num_attention_heads": 4, "num_key_value_heads": 2}


def test_layers_of_nemotron_nas_differ():
    """Groups of 1 and 4 heads, a layer without attention and one that is linear."""
    blocks = [{"attention": {"n_heads_in_group": 1}}, {"attention": {"n_heads_in_group": 4}}]
    blocks += [{"attention": {"no_op": True}}, {"attention": {"replace_with_linear": True}}]
    sizes = {"model_type": "nemotron-nas", "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4}
    found = capacity({**sizes, "block_configs": blocks})
    assert found.numbers_per_token == 2 * (4 + 1) * 16
    assert [len(layer) for layer in found.layers] == [1, 1, 0, 0]
    with pytest.raises(BadInput, match=r"block_configs: expected a list of 4 objects"):
        capacity({**sizes, "block_configs": blocks[:3]})
    with pytest.raises(BadInput, match=r"window_length: expected null"):
        capacity({**sizes, "block_configs": [*blocks[:3], {"attention": {"n_heads_in_group": 1, "window_length": 8}}]})
    with pytest.raises(BadInput, match="n_heads_in_group: expected a divisor of num_attention_heads, 4"):
        capacity({**sizes, "block_configs": [*blocks[:3], {"attention": {"n_heads_in_group": 3}}]})


@pytest.mark.parametrize("name", ["chatglm", "nemotron-nas", "phi4flash", "plamo2"])
def test_what_no_code_confirms_is_marked(name):
    """Neither the pinned library nor a count confirms these rules."""
    fields = {**SIZES, "model_type": name, "mb_per_layer": 2, "mamba_d_state": 6, "mamba_d_conv": 4, "mamba_expand": 2}
    fields |= {"mamba_num_heads": 8, "hidden_size_per_head": 16, "mamba_step": 2, "attention_window_size": 9}
    fields |= {"sliding_window": 9, "block_configs": [{"attention": {"n_heads_in_group": 2}}] * 8}
    found = capacity(fields)
    assert found.basis == "rule"
    assert notes(found)[0].startswith(
        f"By rule, not verified: no published code and no count confirms what the layers of {name}"
    )


def test_plamo_2_alternates_mamba_and_windows():
    state = {"mamba_num_heads": 8, "hidden_size_per_head": 16, "mamba_d_state": 6, "mamba_d_conv": 4, "mamba_step": 2}
    found = capacity({"model_type": "plamo2", **SIZES, **state, "attention_window_size": 9, "full_attention_idx": [3]})
    assert found.fixed_numbers == 4 * 8 * 16 * (6 + 3)
    assert found.numbers_per_token == 2 * 2 * 16
    assert found.window_numbers == 3 * 8 * 2 * 2 * 16


def test_half_of_phi_4_flash_keeps_nothing():
    """Layers 0, 2 and 4 are Mamba's, 1 and 3 have windows, layer 5 keeps all tokens, and 6 and 7 read what 5 keeps."""
    state = {"mb_per_layer": 2, "mamba_d_state": 6, "mamba_d_conv": 4, "mamba_expand": 2, "sliding_window": 9}
    found = capacity({"model_type": "phi4flash", **SIZES, **state})
    assert [len(layer) for layer in found.layers] == [2, 1, 2, 1, 2, 1, 0, 0]
    assert found.fixed_numbers == 3 * 128 * (6 + 3)
    assert (found.numbers_per_token, found.window_numbers) == (64, 2 * 8 * 64)
    listed = [9 if layer in (1, 3) else None for layer in range(8)]
    assert capacity({"model_type": "phi4flash", **SIZES, **state, "sliding_window": listed}).layers == found.layers


def test_chatglm_has_groups_if_it_says_so():
    sizes = {"model_type": "chatglm", "num_layers": 28, "hidden_size": 4096, "num_attention_heads": 32, "kv_channels": 128}
    assert capacity(sizes).numbers_per_token == 28 * 2 * 32 * 128
    grouped = {**sizes, "multi_query_attention": True, "multi_query_group_num": 2}
    assert capacity(grouped).numbers_per_token == 28 * 2 * 2 * 128


def test_minimax_text_01_has_a_list_of_its_own():
    """attn_type_list has 0 for lightning attention."""
    sizes = {**SIZES, "head_dim": 16, "attn_type_list": [0, 0, 0, 1, 0, 0, 0, 1]}
    for name in ("minimax_text_01", "minimax_m1"):
        found = capacity({"model_type": name, **sizes})
        assert (found.fixed_numbers, found.numbers_per_token) == (6 * 4 * 16 * 16, 2 * 2 * 2 * 16)
        assert found.model_type == "minimax"


PUBLISHED_M1 = {"hidden_size": 6144, "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8}
EIGHTHS = [0] * 7 + [1]


def test_minimax_m1_has_the_published_numbers():
    """The flat file has attn_type_list where the file of transformers has layer_types; the numbers are the shipped ones."""
    found = capacity({"model_type": "minimax_m1", **PUBLISHED_M1, "head_dim": 128, "attn_type_list": EIGHTHS * 10})
    assert (found.fixed_numbers, found.numbers_per_token, found.crossing()) == (73_400_320, 20_480, 3_584)
    (shipped,) = (model for model in published() if model.name == "MiniMaxAI/MiniMax-M1-80k")
    assert found.layers == shipped.capacity().layers


@pytest.mark.parametrize("listed", [EIGHTHS, [0] * 79 + [2], None])
def test_minimax_m1_is_refused_without_its_list(listed):
    """The rule that transformers has for files without layer_types is not one of the published types."""
    with pytest.raises(BadInput, match="attn_type_list: expected a list of 80 "):
        capacity({"model_type": "minimax_m1", **PUBLISHED_M1, "head_dim": 128, "attn_type_list": listed})


HYMBA = {"hidden_size": 1600, "num_hidden_layers": 32, "num_attention_heads": 25, "num_key_value_heads": 5}
HYMBA |= {"mamba_expand": 2, "mamba_d_conv": 4, "mamba_d_state": 16, "num_memory_tokens": 128, "sliding_window": 1024}
HYMBA |= {"attn_hidden_size": -1, "kq_head_dim": -1, "v_head_dim": 128, "kv_reuse_every_i_layer": -1}
GROUPS = [[first, first + 1] for first in (1, 3, 5, 7, 9, 11, 13)] + [[16, 17, 18]]
GROUPS += [[first, first + 1] for first in (19, 21, 23, 25, 27, 29)]
HYMBA |= {"model_type": "hymba", "global_attn_idx": [0, 15, 31], "kv_reuse_group": GROUPS, "vocab_size": 32001}


def test_hymba_has_the_published_numbers():
    """Layers 0, 15 and 31 keep all tokens, the first layers of 14 groups a window, and 15 layers only Mamba's state.

    A token is 5 keys of 64 numbers and 5 values of 128. The paper has 79 MB for 8,192 tokens (in units of 1,024).
    """
    found = capacity(HYMBA)
    token = 5 * (64 + 128)
    assert found.numbers_per_token == 3 * token == 2_880
    assert found.window_numbers == 14 * 1023 * token == 13_749_120
    memory = 17 * 128 * token
    assert found.fixed_numbers == 32 * 3200 * (3 + 16) + memory == 4_034_560
    assert found.allocated_numbers == 32 * 3200 * (4 + 16) + memory
    assert found.layers_by_kind == {"prompt": 17, "attention": 3, "window": 14, "conv": 32, "recurrent": 32}
    assert round(found.bytes_at(8192) / (1 << 20)) == 79
    assert {part.bits for part in found.parts} == {16}


def test_hymba_is_marked_as_read_from_its_code():
    found = capacity(HYMBA)
    assert found.basis == "published code"
    assert notes(found) == ["The rules of hymba are read from its published code; they were not counted in a running model."]


def test_hymba_without_groups_windows_or_memory():
    """Every second layer produces with a period of 2; without a window all producers keep all tokens."""
    fields = {**HYMBA, "kv_reuse_group": None, "kv_reuse_every_i_layer": 2, "sliding_window": None, "num_memory_tokens": 0}
    found = capacity(fields)
    assert (found.numbers_per_token, found.window_numbers) == (16 * 5 * (64 + 128), 0)
    assert found.fixed_numbers == 32 * 3200 * (3 + 16)
    assert capacity({**fields, "kv_reuse_every_i_layer": -1}).numbers_per_token == 2 * found.numbers_per_token


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("kv_reuse_group", [[2, 1]], "a list of lists of layers, each of which begins with its lowest layer"),
        ("kv_reuse_group", [[]], "a list of lists of layers"),
        ("kv_reuse_group", [[True, 2]], "a list of lists of layers"),
        ("kv_reuse_group", {"1": 2}, "a list of lists of layers"),
        ("global_attn_idx", None, "a list of the layers without a window"),
        ("memory_tokens_interspersed_every", 64, "0: memory tokens between the tokens are not counted"),
        ("kq_head_dim", 32, "-1 or 64"),
        ("attn_hidden_size", 800, "-1 or 1600"),
        ("num_attention_heads", 24, "a divisor of hidden_size"),
    ],
)
def test_hymba_is_refused_if_its_code_cannot_run(field, value, expected):
    with pytest.raises(BadInput, match=f"{field}: expected {expected}"):
        capacity({**HYMBA, field: value})

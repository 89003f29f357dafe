"""Traps that once gave a wrong number: a test each."""

import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.capacity import capacity

SMALL = {"hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2}


def small(model_type, **fields):
    return capacity({**SMALL, "model_type": model_type, **fields})


def test_falcon_mamba_s_expand_is_not_its_width():
    """1: the file says expand 16, and its width is twice the model's; without it, expand counts."""
    given = small("falcon_mamba", expand=16, intermediate_size=128, state_size=16)
    assert given.fixed_numbers == 4 * 128 * (3 + 16)
    assert small("falcon_mamba", expand=16, state_size=16).fixed_numbers == 8 * given.fixed_numbers


def test_head_dim_is_read_where_it_is_not_declared():
    """2: by qwen2 and falcon_h1; opt, gpt_neox and recurrent_gemma do not look at it."""
    assert small("qwen2", head_dim=24).numbers_per_token == 4 * 2 * 2 * 24
    assert small("qwen2").numbers_per_token == 4 * 2 * 2 * 16
    assert small("falcon_h1", head_dim=24).numbers_per_token == 4 * 2 * 2 * 24
    for ignoring in ("opt", "gpt_neox"):
        assert small(ignoring, head_dim=24).numbers_per_token == 4 * 2 * 64
    gemma = small("recurrent_gemma", head_dim=24, attention_window_size=8)
    assert gemma.window_numbers == 1 * 7 * 2 * 2 * 16


def test_absent_is_not_null():
    """3: mistral without sliding_window has one; null has none. qwen2 needs use_sliding_window besides."""
    assert small("mistral").numbers_per_token == 0
    assert small("mistral").window_numbers == 4 * 4095 * 64
    assert small("mistral", sliding_window=None).numbers_per_token == 4 * 64
    window = {"sliding_window": 8, "max_window_layers": 3}
    assert small("qwen2", **window).window_numbers == 0
    assert small("qwen2", use_sliding_window=True, **window).layers_by_kind == {"attention": 3, "window": 1}
    assert small("qwen2_moe", use_sliding_window=True, **window).layers_by_kind == {"window": 2, "attention": 2}
    assert small("qwen3_moe", use_sliding_window=True, **window).layers_by_kind == {"window": 4}


def test_two_spellings_of_zamba2():
    """4: layers m and g are of an older file: refused, not read with defaults."""
    with pytest.raises(BadInput, match=r"config: layer_types: expected hybrid, linear_attention, found 'm'"):
        small("zamba2", layers_block_type=["m", "m", "g", "m"])
    with pytest.raises(BadInput, match=r"config: state_size: expected the newer spelling of zamba2"):
        small("zamba2", state_size=64, layers_block_type=["mamba"] * 4)
    with pytest.raises(BadInput, match=r"layer_types: expected .*, found 'sliding_atention'; did you mean sliding_attention"):
        small("gemma2", layer_types=["full_attention"] * 3 + ["sliding_atention"])


def test_kimi_s_lists_count_from_one():
    """5: without lists the library counts from 0."""
    lists = {"full_attn_layers": [4], "kda_layers": [1, 2, 3], "num_heads": 2, "head_dim": 8, "short_conv_kernel_size": 4}
    found = small("kimi_linear", linear_attn_config=lists)
    assert [layer[0].kind for layer in found.layers] == ["conv", "conv", "conv", "latent"]
    without = capacity({"model_type": "kimi_linear"}, defaults=True)
    assert [place for place, layer in enumerate(without.layers) if layer[0].kind == "latent"] == [4, 8, 12, 16, 20, 24]
    with pytest.raises(BadInput, match=r"linear_attn_config: full_attn_layers: expected layers from 1 to 4"):
        small("kimi_linear", linear_attn_config={**lists, "full_attn_layers": [0]})
    with pytest.raises(BadInput, match=r"kda_layers: expected the layers that full_attn_layers leaves out"):
        small("kimi_linear", linear_attn_config={**lists, "kda_layers": [1, 2]})


def test_defaults_are_the_library_s():
    """6: bamba has states of 256 where the published 9B has 128, mamba2 eight groups, and gemma 3 lives on defaults."""
    bamba = capacity({"model_type": "bamba"}, defaults=True)
    assert sum(part.fixed for part in bamba.layers[0] if part.kind == "recurrent") == 128 * 64 * 256
    groups = [capacity({"model_type": "mamba2", "n_groups": count}, defaults=True).fixed_numbers for count in (8, 1)]
    assert groups[0] == capacity({"model_type": "mamba2"}, defaults=True).fixed_numbers > groups[1]
    assert capacity({"model_type": "gemma3_text"}, defaults=True).numbers_per_token == 4 * 2 * 4 * 256


def test_files_that_the_library_writes_differ():
    """7: bailing_hybrid overwrites head_dim, hrm_text the number of layers; gemma 4 saves overrides by layer."""
    bailing = {"head_dim": 8, "kv_lora_rank": 8, "qk_rope_head_dim": 4}
    given = small("bailing_hybrid", **bailing)
    saved = small("bailing_hybrid", **{**bailing, "head_dim": 4, "linear_head_dim": 8, "linear_num_heads": 4})
    assert given.fixed_numbers == saved.fixed_numbers == 4 * (3 * 4 * 8 * 3 + 4 * 8 * 8)
    cycles = {"H_cycles": 2, "L_cycles": 3}
    assert len(small("hrm_text", **cycles).layers) == 32
    assert len(small("hrm_text", **cycles, **{"num_hidden_layers": 32, "num_layers_per_stack": 4}).layers) == 32
    saved = small("gemma4_text", per_layer_config={"3": {"head_dim": 24, "num_key_value_heads": 1}}, head_dim=16)
    assert saved.numbers_per_token == 2 * 1 * 24
    given = small("gemma4_text", global_head_dim=24, num_global_key_value_heads=1, attention_k_eq_v=True, head_dim=16)
    assert given.numbers_per_token == 2 * 1 * 24
    with pytest.raises(BadInput, match=r"per_layer_config: 3: expected .*, found 'conv_kernel'"):
        small("gemma4_text", per_layer_config={"3": {"conv_kernel": 4}})
    with pytest.raises(BadInput, match=r"layer_types: expected a list, as sliding_window is null"):
        small("exaone4", sliding_window=None)


def test_layers_without_a_state_count():
    """8: nemotron_h has layers of MLP and experts, and num_hidden_layers is not read."""
    found = small("nemotron_h", hybrid_override_pattern="M-M*E", num_hidden_layers=99)
    assert len(found.layers) == 5
    assert found.layers_by_kind == {"conv": 2, "recurrent": 2, "attention": 1}


def test_original_files_have_no_model_type():
    """9: state-spaces' own files; what they leave out is that library's, not transformers'."""
    original = {"d_model": 768, "n_layer": 24, "vocab_size": 50277, "ssm_cfg": {"layer": "Mamba2"}}
    converted = {"model_type": "mamba2", "hidden_size": 768, "num_hidden_layers": 24, "num_heads": 24, "n_groups": 1}
    assert capacity(original).fixed_numbers == capacity(converted).fixed_numbers
    first = capacity({"d_model": 768, "n_layer": 24, "ssm_cfg": {}})
    assert first.fixed_numbers == 24 * 1536 * (3 + 16)
    with pytest.raises(BadInput, match=r"attn_layer_idx: expected no layers of attention"):
        capacity({**original, "attn_layer_idx": [9]})


def test_rwkv7_s_heads_follow_from_their_width():
    """10: a published file says 32 heads of 64 at a width of 768."""
    given = capacity({"model_type": "rwkv7", "hidden_size": 768, "head_dim": 64, "num_heads": 32, "num_hidden_layers": 12})
    assert given.fixed_numbers == 12 * (12 * 64 * 64 + 2 * 768)


def test_the_text_model_stands_inside():
    """11: the outer type names the family, if the inner one says nothing."""
    inner = {**SMALL, "sliding_window": 8}
    for outer in ("text_config", "llm_config", "language_config"):
        found = capacity({"model_type": "gemma3", outer: inner})
        assert found.model_type == "gemma3_text"
        assert found.window_numbers == 4 * 7 * 2 * 2 * 256
    deep: dict = {"model_type": "other"}
    deep["text_config"] = deep
    with pytest.raises(BadInput, match="found more than 3 configurations inside each other"):
        capacity(deep)


def test_mimo_s_windows_have_twice_the_heads():
    """The library doubles num_key_value_heads there, and reads no field for it."""
    found = small("mimo_v2_flash", head_dim=24, v_head_dim=16, sliding_window=8, swa_num_key_value_heads=7)
    assert found.numbers_per_token == 2 * (24 + 16)
    assert found.window_numbers == 3 * 7 * 4 * (24 + 16)


def test_two_names_of_one_field_must_agree():
    with pytest.raises(BadInput, match="hidden_size and n_embd are one field: expected the same value, found two"):
        capacity({"model_type": "gpt2", "n_embd": 64, "hidden_size": 128})
    assert capacity({"model_type": "gpt2", "hidden_size": 64, "n_layer": 2}).numbers_per_token == 2 * 2 * 64


FLASH = {"hidden_size": 64, "num_hidden_layers": 2, "fuse_norm": True}


def test_hgrn_keeps_its_recurrence_in_the_type_of_its_weights():
    """Its recurrent kernel, which reads passes of at most 64 tokens, makes the last state as it makes the inputs."""
    found = capacity({**FLASH, "model_type": "hgrn"})
    assert (found.fixed_numbers, found.state_bytes(as_stored=True)) == (2 * 64, 2 * 2 * 64)
    found = capacity({**FLASH, "model_type": "hgrn2", "expand_ratio": 8})
    assert (found.fixed_numbers, found.state_bytes(as_stored=True)) == (2 * 64 * 8, 4 * 2 * 64 * 8)


def test_one_name_in_two_libraries():
    """Only flash-linear-attention writes fuse_norm; its defaults are other ones, and Mamba-2's heads follow from its width."""
    theirs = capacity({"model_type": "mamba2", "fuse_cross_entropy": False}, defaults=True)
    assert (len(theirs.layers), theirs.fixed_numbers) == (48, 48 * (64 * 64 * 128 + 3 * (4096 + 2 * 128)))
    assert len(capacity({"model_type": "mamba2"}, defaults=True).layers) == 64
    assert len(capacity({"model_type": "mamba", "fuse_norm": True}, defaults=True).layers) == 48
    assert len(capacity({"model_type": "mamba"}, defaults=True).layers) == 32
    found = capacity({**FLASH, "model_type": "bitnet", "num_heads": 4, "num_kv_heads": 2})
    assert found.numbers_per_token == 2 * 2 * 2 * 16
    windowed = capacity({**FLASH, "model_type": "bitnet", "num_heads": 4, "window_size": 7})
    assert (windowed.window_numbers, windowed.numbers_per_token) == (2 * 7 * 2 * 64, 0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"num_heads": 3, "head_dim": 32}, "num_heads: expected expand times the width over head_dim, 4, found 3"),
        ({"head_dim": 48}, "head_dim: expected a divisor of expand times the width, 128, found 48"),
    ],
)
def test_heads_that_the_other_library_refuses(fields, message):
    with pytest.raises(BadInput, match=message):
        capacity({**FLASH, **fields, "model_type": "mamba2"})

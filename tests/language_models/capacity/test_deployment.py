"""Widths of numbers, devices, blocks and source tokens: bytes as an engine keeps them."""

import json
from fractions import Fraction

import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.notes import notes
from seqsep.language_models.capacity.widths import FORMATS

LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32}
LLAMA |= {"num_key_value_heads": 8, "vocab_size": 128_256}
NUMBERS = 32 * 2 * 8 * 128
LATENT = {"model_type": "deepseek_v3", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
LATENT |= {"kv_lora_rank": 24, "qk_rope_head_dim": 8}


@pytest.mark.parametrize(
    ("given", "bits"),
    [
        (8, 8),
        (8.5, Fraction(17, 2)),
        ("8.5", Fraction(17, 2)),
        ("q8_0", Fraction(17, 2)),
        ("FP8", 8),
        ("nvfp4", Fraction(9, 2)),
    ],
)
def test_a_width_may_be_a_fraction_or_a_format(given, bits):
    found = capacity(LLAMA, cache_bits=given)
    assert found.cache_bits == bits
    assert found.bytes_per_token() == NUMBERS * bits / 8
    assert found.bytes_at(1001) == -(-1001 * NUMBERS * bits // 8)


def test_blocks_of_formats_by_hand():
    """ggml: 32 numbers and one or two scales of 16 bits; NVFP4: 16 numbers and 8 bits; MXFP4: 32 numbers and 8 bits."""
    assert {name: FORMATS[name] * 32 for name in ("q8_0", "q4_0", "q4_1", "q5_0", "q5_1")} == {
        "q8_0": 8 * 32 + 16,
        "q4_0": 4 * 32 + 16,
        "q4_1": 4 * 32 + 32,
        "q5_0": 5 * 32 + 16,
        "q5_1": 5 * 32 + 32,
    }
    assert (FORMATS["nvfp4"] * 16, FORMATS["mxfp4"] * 32) == (4 * 16 + 8, 4 * 32 + 8)


def test_keys_and_values_have_widths_of_their_own():
    found = capacity(LLAMA, cache_bits="q8_0/q4_0")
    assert found.bytes_per_token() == Fraction(NUMBERS, 2) * (Fraction(17, 2) + Fraction(9, 2)) / 8
    latent = capacity(LATENT, cache_bits="8/4")
    assert latent.bytes_per_token() == 2 * 32, "a latent is keys and values at once: it is kept at the width of keys"


@pytest.mark.parametrize("given", ["0", 65, "q9", "8/8/8", True, float("nan"), "1e3"])
def test_other_widths_are_refused(given):
    with pytest.raises(BadInput, match=r"cache_bits: expected bits from 1 to 64, or a format such as fp8"):
        capacity(LLAMA, cache_bits=given)


OF_QUARK = {"output_tensors": {"dtype": "fp8_e4m3", "qscheme": "per_tensor", "group_size": None}}


@pytest.mark.parametrize(
    ("scheme", "bits"),
    [
        ({"kv_cache_scheme": {"num_bits": 8, "type": "float"}}, 8),
        ({"kv_cache_quant_algo": "FP8"}, 8),
        ({"kv_cache_quant_algo": "NVFP4"}, Fraction(9, 2)),
        ({"kv_cache_scheme": None}, 16),
        ({"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}}, 8),
        ({"kv_cache_quant_config": {"*k_proj": OF_QUARK, "*v_proj": OF_QUARK}}, 8),
        ({"kv_cache_quant_config": {}, "kv_cache_quant_algo": None, "quantization": {"kv_cache_quant_algo": None}}, 16),
        ({}, 16),
    ],
)
def test_a_quantized_file_says_how_wide_its_cache_is(scheme, bits):
    file = {**LLAMA, "quantization_config": {"quant_method": "compressed-tensors", **scheme}}
    found = capacity(file)
    assert found.cache_bits == bits
    assert any("the cache is kept in" in said for said in notes(found)) == (bits != 16)
    assert capacity(file, cache_bits=16).cache_bits == 16
    older = {**LLAMA, "compression_config": scheme}
    assert capacity(older).cache_bits == bits


@pytest.mark.parametrize(
    ("scheme", "says"),
    [
        ({"kv_cache_scheme": {"num_bits": "8"}}, "kv_cache_scheme: expected an object with num_bits from 1 to 64, found"),
        ({"kv_cache_quant_algo": "FP3"}, "kv_cache_quant_algo: expected a format such as FP8 or NVFP4, found 'FP3'"),
        ({"quantization": {"kv_cache_quant_algo": 8}}, "kv_cache_quant_algo: expected a format such as FP8 or NVFP4, found 8"),
        (
            {"kv_cache_quant_config": {"*k_proj": {}}},
            "kv_cache_quant_config: expected a format such as FP8 or NVFP4, found None",
        ),
        ({"kv_cache_quant_config": ["fp8"]}, "kv_cache_quant_config: expected a format such as FP8"),
        (
            {"kv_cache_quant_config": {"*k_proj": OF_QUARK, "*v_proj": {"output_tensors": {"dtype": "int4"}}}},
            "kv_cache_quant_config: expected one format without groups for keys and values",
        ),
    ],
)
def test_an_unknown_width_of_a_cache_is_not_taken_as_16(scheme, says):
    file = {**LLAMA, "quantization_config": {"quant_method": "modelopt", **scheme}}
    with pytest.raises(BadInput, match=rf"{says}.*; --cache-bits \(in Python: cache_bits\) sets the bits"):
        capacity(file)
    assert capacity(file, cache_bits=16).cache_bits == 16


def test_the_file_of_modelopt_is_read_beside_the_config(tmp_path):
    config = tmp_path / "config.json"
    config.write_text(json.dumps(LLAMA))
    beside = tmp_path / "hf_quant_config.json"
    beside.write_text(json.dumps({"producer": {}, "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}}))
    assert capacity(config).cache_bits == capacity(tmp_path).cache_bits == 8
    other = tmp_path / "other.json"
    other.write_text(json.dumps(LLAMA))
    assert capacity(other).cache_bits == 16
    beside.write_text("[")
    with pytest.raises(BadInput, match=r"hf_quant_config\.json: expected a JSON object"):
        capacity(config)


@pytest.mark.parametrize(("devices", "heads"), [(1, 8), (2, 4), (3, 3), (8, 1), (16, 1)])
def test_devices_divide_the_heads(devices, heads):
    found = capacity(LLAMA, tensor_parallel=devices)
    assert found.bytes_per_token() == 2 * 32 * 2 * heads * 128
    assert found.numbers_per_token == NUMBERS, "numbers are of the complete model"


def test_a_latent_is_on_each_device():
    assert capacity(LATENT, tensor_parallel=8).bytes_per_token() == capacity(LATENT).bytes_per_token()


def test_devices_divide_a_recurrence_by_its_heads():
    sizes = {"hidden_size": 256, "num_hidden_layers": 1, "num_heads": 8, "head_dim": 64, "state_size": 16, "n_groups": 1}
    whole = capacity({"model_type": "mamba2", **sizes})
    one = capacity({"model_type": "mamba2", **sizes}, tensor_parallel=8)
    recurrence = 8 * 64 * 16
    assert whole.bytes_at(1) - one.bytes_at(1) == 2 * (recurrence - recurrence // 8)
    assert one.limits == whole.limits, "a limit is of the complete model"


@pytest.mark.parametrize(("length", "blocks"), [(1, 1), (16, 1), (17, 2), (1000, 63)])
def test_a_paged_cache_is_whole_blocks(length, blocks):
    found = capacity(LLAMA, block_size=16)
    assert found.bytes_at(length) == blocks * 16 * NUMBERS * 2
    assert found.longest_in(found.bytes_at(length)) == blocks * 16


def test_a_window_may_begin_and_end_inside_a_block():
    mistral = {**LLAMA, "model_type": "mistral", "sliding_window": 17}
    assert capacity(mistral, block_size=16).bytes_at(10_000) == 32 * NUMBERS * 2
    assert capacity(mistral).bytes_at(10_000) == 16 * NUMBERS * 2


T5 = {"model_type": "t5", "d_model": 64, "num_layers": 3, "num_heads": 4, "d_kv": 10}


def test_an_encoder_decoder_has_two_lengths():
    """A decoder's own tokens, and those of the source; without one the answer is for each source token."""
    found = capacity(T5, source_length=100)
    assert found.numbers_per_token == found.numbers_per_source_token == 3 * 2 * 40
    assert found.bytes_at(7) == 2 * 3 * 2 * 40 * (100 + 7)
    assert capacity(T5).bytes_at(7) == 2 * 3 * 2 * 40 * 7
    whisper = {"model_type": "whisper", "d_model": 64, "decoder_layers": 2, "decoder_attention_heads": 4, "encoder_layers": 2}
    assert capacity({**whisper, "max_source_positions": 1500}).cross_numbers == 1500 * 2 * 2 * 64


def test_cross_layers_keep_the_positions_of_images():
    mllama = {**LLAMA, "model_type": "mllama_text_model", "num_hidden_layers": 4, "cross_attention_layers": [1]}
    found = capacity(mllama, source_length=10)
    assert found.numbers_per_token == 3 * 2 * 8 * 128
    assert found.cross_numbers == 10 * 2 * 8 * 128


def test_the_crossing_in_the_bracket_has_the_same_cache():
    """The state is as stored, the cache as asked: with half the bits a token the crossing is twice as far."""
    jamba = {"model_type": "jamba", "hidden_size": 4096, "num_hidden_layers": 8, "num_attention_heads": 32}
    whole, half = capacity(jamba), capacity(jamba, cache_bits=8)
    assert whole.window_numbers == 0
    stored = whole.bits(as_stored=True)
    for found in (whole, half):
        each = found.numbers_per_token * found.cache_bits
        assert found.crossing(as_stored=True) == -(-stored // each)
    assert half.crossing(as_stored=True) in (2 * whole.crossing(as_stored=True) - 1, 2 * whole.crossing(as_stored=True))


WINDOW = 101
OF_WINDOWS = {**LLAMA, "num_hidden_layers": 2, "sliding_window": WINDOW}
WHISPER = {"model_type": "whisper", "d_model": 64, "decoder_layers": 2, "decoder_attention_heads": 4, "encoder_layers": 2}


@pytest.mark.parametrize("bits", [16, 8, "q8_0", "q8_0/q4_0"])
@pytest.mark.parametrize(
    ("config", "source", "tokens"),
    [
        (T5, 50, 50),
        ({**WHISPER, "max_source_positions": 1500}, None, 1500),
        ({**OF_WINDOWS, "model_type": "gemma2", "head_dim": 64}, None, WINDOW - 1),
        ({**OF_WINDOWS, "model_type": "mistral"}, None, WINDOW - 1),
    ],
)
def test_caches_cross_at_one_length_at_any_width(config, source, tokens, bits):
    """Windows and the cache of a source are as wide as the cache, so a state without fixed numbers has one crossing."""
    found = capacity(config, cache_bits=bits, source_length=source)
    assert found.crossing() == found.crossing(as_stored=True) == tokens
    assert found.record()["crossing_tokens_as_transformers"] == tokens


def test_a_crossing_is_not_rounded_twice():
    """27 numbers of 8.5 bits are 229.5 bits: rounded up before the division, they would be 28 tokens."""
    fields = {"model_type": "by-hand", "layers": [{"window": 28, "numbers_per_token": 1}]}
    assert capacity(fields, cache_bits="q8_0").crossing() == 27


def test_half_of_the_twin_are_values():
    """A recurrent model's twin has a cache of keys and values, so with 8 and 4 bits each number has 6 bits."""
    mamba = {"model_type": "mamba", "hidden_size": 64, "num_hidden_layers": 2}
    found = capacity(mamba, cache_bits="8/4")
    assert found.crossing() == -(-found.bits() // (2 * 2 * 64 * 6))


@pytest.mark.parametrize(("name", "value"), [("tensor_parallel", 0), ("block_size", 0), ("source_length", -1)])
def test_sizes_of_a_deployment_have_ranges(name, value):
    with pytest.raises(BadInput, match=rf"capacity: {name}: expected a whole number up to [\d,]+, found {value}"):
        capacity(LLAMA, **{name: value})


@pytest.mark.unchecked  # beartype would refuse first
@pytest.mark.parametrize("config", [None, 7, b"config.json", ["config.json"], "a\0b", "\ud800", {1: 2}])
def test_what_is_no_configuration_is_refused(config):
    with pytest.raises(BadInput, match=r"capacity: config: expected a path, or a dict like a config.json, found"):
        capacity(config)


@pytest.mark.unchecked  # beartype would refuse first
@pytest.mark.parametrize(
    ("method", "arguments", "says"),
    [
        ("bytes_at", (1.5,), "bytes_at: length: expected a whole number, found 1.5"),
        ("bytes_at", (-1,), "bytes_at: length: expected a whole number from 0, found -1"),
        ("longest_in", ("80GiB",), "longest_in: memory: expected a whole number, found '80GiB'"),
        ("longest_in", (80, 0), "longest_in: batch: expected a whole number from 1, found 0"),
        ("batch_in", (-80, 1), "batch_in: memory: expected a whole number from 0, found -80"),
        ("batch_in", (80, True), "batch_in: length: expected a whole number, found True"),
    ],
)
def test_arguments_of_another_kind_are_refused(method, arguments, says):
    with pytest.raises(BadInput, match=says):
        getattr(capacity(LLAMA), method)(*arguments)

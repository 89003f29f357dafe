"""Widths of numbers, devices, blocks and source tokens: bytes as an engine keeps them."""

import json
from fractions import Fraction

import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.notes import notes
from seqsep.language_models.capacity.weights import bytes_of_weights
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


@pytest.mark.parametrize(
    ("scheme", "bits"),
    [
        ({"kv_cache_scheme": {"num_bits": 8, "type": "float"}}, 8),
        ({"kv_cache_quant_algo": "FP8"}, 8),
        ({"kv_cache_quant_algo": "NVFP4"}, Fraction(9, 2)),
        ({"kv_cache_scheme": None}, 16),
        ({}, 16),
    ],
)
def test_a_quantized_file_says_how_wide_its_cache_is(scheme, bits):
    file = {**LLAMA, "quantization_config": {"quant_method": "compressed-tensors", **scheme}}
    found = capacity(file)
    assert found.cache_bits == bits
    assert any("the cache is kept in" in said for said in notes(found)) == (bits != 16)
    assert capacity(file, cache_bits=16).cache_bits == 16
    with pytest.raises(BadInput, match="kv_cache_scheme: expected an object with num_bits from 1 to 64, found"):
        capacity({**file, "quantization_config": {"quant_method": "fp8", "kv_cache_scheme": {"num_bits": "8"}}})


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


@pytest.mark.parametrize(("name", "value"), [("tensor_parallel", 0), ("block_size", 0), ("source_length", -1)])
def test_sizes_of_a_deployment_have_ranges(name, value):
    with pytest.raises(BadInput, match=rf"capacity: {name}: expected a whole number up to [\d,]+, found {value}"):
        capacity(LLAMA, **{name: value})


def test_bytes_of_weights(tmp_path):
    with pytest.raises(BadInput, match=r"--weights: .*: expected model.safetensors.index.json or files of weights"):
        bytes_of_weights(tmp_path)
    (tmp_path / "a.safetensors").write_bytes(b"x" * 100)
    (tmp_path / "b.safetensors").write_bytes(b"x" * 50)
    assert bytes_of_weights(tmp_path / "config.json") == 150
    assert bytes_of_weights(tmp_path / "a.safetensors") == 100
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 4096}}))
    assert bytes_of_weights(tmp_path) == 4096
    for wrong in ("[]", "{", '{"metadata": {"total_size": -1}}', "[" * 10_000):
        index.write_text(wrong)
        with pytest.raises(BadInput, match=r"index\.json: "):
            bytes_of_weights(tmp_path)

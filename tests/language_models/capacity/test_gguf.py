"""Headers of .gguf files, written here byte by byte: the model is read, and a hostile header is refused in one line."""

import struct

import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.gguf import read_header

LLAMA = {
    "block_count": 16,
    "embedding_length": 2048,
    "attention.head_count": 32,
    "attention.head_count_kv": 8,
    "attention.key_length": 64,
}


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def typed(value):
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    if isinstance(value, list):
        is_text = isinstance(value[0], str)
        items = b"".join(text(one) if is_text else struct.pack("<i", one) for one in value)
        return struct.pack("<IIQ", 9, 8 if is_text else 5, len(value)) + items
    return struct.pack("<Id", 12, value) if isinstance(value, float) else struct.pack("<II", 4, value)


def written(path, keys, version=3):
    entries = b"".join(text(key) + typed(value) for key, value in keys.items())
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", version, 0, len(keys)) + entries)
    return path


def file_of(path, architecture, sizes, **others):
    keys = {"general.architecture": architecture, **{f"{architecture}.{key}": value for key, value in sizes.items()}, **others}
    return written(path, keys)


def test_a_llama_is_read(tmp_path):
    tokens = {"tokenizer.ggml.tokens": [str(number) for number in range(20_000)], "tokenizer.ggml.scores": [1] * 20_000}
    found = capacity(file_of(tmp_path / "model.gguf", "llama", {**LLAMA, "rope.freq_base": 10000.0}, **tokens))
    assert (found.model_type, found.numbers_per_token) == ("llama", 16 * 2 * 8 * 64)
    assert found.fields.get("vocab_size") == 20_000
    assert not found.defaults


def test_sizes_that_are_left_out_follow_from_the_others(tmp_path):
    sizes = {name: LLAMA[name] for name in ("block_count", "embedding_length", "attention.head_count")}
    assert capacity(file_of(tmp_path / "a.gguf", "llama", sizes)).numbers_per_token == 16 * 2 * 2048


@pytest.mark.parametrize(
    ("architecture", "sizes", "numbers"),
    [
        ("qwen3", LLAMA, 16 * 2 * 8 * 64),
        ("deepseek2", {**LLAMA, "attention.kv_lora_rank": 24, "rope.dimension_count": 8}, 16 * 32),
        ("unheard-of", LLAMA, 16 * 2 * 8 * 64),
        ("unheard-of", {**LLAMA, "attention.value_length": 32}, 16 * 8 * (64 + 32)),
        ("deci", {**LLAMA, "block_count": 3, "attention.head_count_kv": [8, 0, 2]}, 2 * 10 * 64),
    ],
)
def test_architectures(tmp_path, architecture, sizes, numbers):
    found = capacity(file_of(tmp_path / "model.gguf", architecture, sizes))
    assert found.numbers_per_token == numbers
    assert found.basis == ("counted" if architecture in ("qwen3", "deepseek2") else "rule")


def test_recurrent_architectures(tmp_path):
    sizes = {"block_count": 2, "embedding_length": 64, "ssm.inner_size": 128, "ssm.state_size": 16, "ssm.conv_kernel": 4}
    assert capacity(file_of(tmp_path / "a.gguf", "mamba", sizes)).fixed_numbers == 2 * 128 * (16 + 3)
    further = {"ssm.time_step_rank": 8, "ssm.group_count": 2}
    found = capacity(file_of(tmp_path / "b.gguf", "mamba2", {**sizes, **further}))
    assert found.fixed_numbers == 2 * (128 * 16 + 3 * (128 + 2 * 2 * 16))


def test_a_state_that_is_not_known_is_refused(tmp_path):
    with pytest.raises(BadInput, match="the general rule does not hold for a model with hybrid"):
        capacity(file_of(tmp_path / "model.gguf", "unheard-of", {**LLAMA, "ssm.state_size": 16}))


def test_other_versions_are_refused(tmp_path):
    for version in (1, 4, 3 << 24):
        with pytest.raises(BadInput, match=f"expected version 2 or 3 of GGUF, little-endian, found {version}"):
            capacity(written(tmp_path / "model.gguf", {"general.architecture": "llama"}, version))


def test_every_header_that_is_cut_off_is_refused(tmp_path):
    whole = file_of(tmp_path / "model.gguf", "llama", LLAMA).read_bytes()
    path = tmp_path / "cut.gguf"
    for length in range(4, len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(BadInput, match="expected a complete header, found its end after"):
            capacity(path)


HEAD = b"GGUF" + struct.pack("<IQ", 3, 0)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (HEAD + struct.pack("<Q", 1 << 60), "expected at most 16,384 keys"),
        (HEAD + struct.pack("<QQ", 1, 1 << 60), "expected at most 4,096 bytes of a text"),
        (HEAD + struct.pack("<Q", 1) + text("a") + struct.pack("<I", 99), "expected a type of a value from 0 to 12"),
        (HEAD + struct.pack("<Q", 1) + text("a") + struct.pack("<IIQ", 9, 9, 1), "in lists no list, found 9"),
        (HEAD + struct.pack("<Q", 1) + text("a") + struct.pack("<IIQ", 9, 10, 1 << 60), "expected at most 16,777,216 entries"),
        (HEAD + struct.pack("<Q", 1) + text("a") + struct.pack("<IIQ", 9, 10, 1 << 24), "found its end"),
        (HEAD + struct.pack("<Q", 2) + (text("a") + struct.pack("<II", 4, 1)) * 2, "a: expected it once, found it twice"),
        (HEAD + struct.pack("<Q", 0), "general.architecture: expected a text, found none"),
    ],
)
def test_hostile_headers_are_refused_in_one_line(tmp_path, data, says):
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    with pytest.raises(BadInput) as error:
        capacity(path)
    assert says in str(error.value)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", ["sixteen", 1.5, [16, 16], 0])
def test_sizes_of_another_kind_are_refused(tmp_path, value):
    with pytest.raises(BadInput, match="num_hidden_layers"):
        capacity(file_of(tmp_path / "model.gguf", "llama", {**LLAMA, "block_count": value}))


def test_long_lists_are_their_lengths(tmp_path):
    path = written(tmp_path / "a.gguf", {"short": [1, 2], "long": [7] * 10_001, "texts": ["x"] * 10_001})
    assert read_header(path) == {"short": [1, 2], "long": 10_001, "texts": 10_001}

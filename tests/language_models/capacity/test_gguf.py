"""Headers of .gguf files, written here byte by byte: the model is read, and a hostile header is refused in one line."""

import io
import struct
import sys
import time

import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.gguf import read_header
from support.engines.tiny_gguf import write_llama, write_mamba, write_olmo

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
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, list):
        is_text = isinstance(value[0], str)
        is_flag = isinstance(value[0], bool)
        items = b"".join(text(one) if is_text else struct.pack("<?" if is_flag else "<i", one) for one in value)
        return struct.pack("<IIQ", 9, 8 if is_text else 7 if is_flag else 5, len(value)) + items
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
    """The line has the key that is in the file."""
    says = (
        r"model\.gguf: unheard-of\.ssm\.state_size: expected keys and values of each token in all layers, found 16; read the "
    )
    with pytest.raises(BadInput, match=f"{says}model's config.json instead"):
        capacity(file_of(tmp_path / "model.gguf", "unheard-of", {**LLAMA, "ssm.state_size": 16}))
    assert capacity(file_of(tmp_path / "model.gguf", "llama", {**LLAMA, "ssm.state_size": 0})).model_type == "llama"


@pytest.mark.parametrize("write", [write_llama, write_olmo, write_mamba])
def test_header_and_config_are_one_model(tmp_path, write):
    header = capacity(write(tmp_path))
    config = capacity(tmp_path / "config.json")
    assert header.layers == config.layers
    assert header.title() == config.title()


WINDOW = {"attention.sliding_window": 101}
NUMBERS = 2 * 8 * 64
PATTERN = "attention.sliding_window_pattern"


@pytest.mark.parametrize(
    ("architecture", "further", "full"),
    [
        ("olmo2", {}, 16),
        ("olmo2", WINDOW, 4),
        ("olmo2", {**WINDOW, PATTERN: 8}, 2),
        ("olmo2", {**WINDOW, PATTERN: [True] * 15 + [False]}, 1),
        ("gemma2", WINDOW, 8),
        ("gemma3", {**WINDOW, PATTERN: 4}, 4),
        ("cohere2", WINDOW, 4),
        ("gpt-oss", WINDOW, 8),
        ("phi3", WINDOW, 0),
        ("phi3", {"attention.sliding_window": 0}, 16),
        ("qwen3", {**WINDOW, PATTERN: 2}, 8),
        ("llama4", {"attention.sliding_window": 0}, 16),
        ("exaone4", {**WINDOW, PATTERN: [True, True, True, False] * 4}, 4),
        ("exaone4", {**WINDOW, PATTERN: [1] * 15 + [0, 1], "block_count": 17, "nextn_predict_layers": 1}, 1),
        ("unheard-of", {**WINDOW, PATTERN: 0}, 0),
        ("unheard-of", {**WINDOW, PATTERN: 1}, 16),
        ("unheard-of", {**WINDOW, PATTERN: 5}, 3),
        ("smallthinker", {**WINDOW, PATTERN: 5}, 4),
        ("unheard-of", {"attention.key_length_swa": 64, "attention.shared_kv_layers": 0}, 16),
        ("unheard-of", {"block_count": 18, "nextn_predict_layers": 2}, 16),
    ],
)
def test_windows_are_in_the_layers_of_the_header(tmp_path, architecture, further, full):
    found = capacity(file_of(tmp_path / "model.gguf", architecture, {**LLAMA, **further}))
    assert len(found.layers) == 16
    assert found.numbers_per_token == full * NUMBERS
    assert found.window_numbers == (16 - full) * NUMBERS * 100


def test_heads_of_drafts_are_left_out(tmp_path):
    sizes = {**LLAMA, "block_count": 3, "attention.head_count_kv": [8, 4, 2], "nextn_predict_layers": 1}
    assert capacity(file_of(tmp_path / "model.gguf", "deci", sizes)).numbers_per_token == 2 * 64 * 12


@pytest.mark.parametrize(
    ("architecture", "further", "key"),
    [
        ("bert", {"attention.causal": False}, "attention.causal"),
        ("llama", {"attention.causal": 0}, "attention.causal"),
        ("nomic-bert", {}, "attention.causal"),
        ("gemma-embedding", WINDOW, "attention.causal"),
        ("t5", {"decoder_block_count": 6}, "decoder_block_count"),
        ("gemma3n", {**WINDOW, PATTERN: 5, "attention.shared_kv_layers": 10}, "attention.shared_kv_layers"),
        ("gemma4", {**WINDOW, PATTERN: 5, "attention.key_length_swa": 32}, "attention.key_length_swa"),
        ("deepseek2", {"attention.kv_lora_rank": 24, "attention.indexer.head_count": 4}, "attention.indexer.head_count"),
        ("mllama", {"attention.cross_attention_layers": [3]}, "attention.cross_attention_layers"),
        ("qwen3next", {"full_attention_interval": 4}, "full_attention_interval"),
        ("lfm2", {"shortconv.l_cache": 3}, "shortconv.l_cache"),
        ("exaone4", WINDOW, PATTERN),
        ("llama", WINDOW, PATTERN),
        ("gemma2", {**WINDOW, "attention.value_length": 32}, PATTERN),
        ("olmo2", {**WINDOW, PATTERN: [True] * 3}, PATTERN),
        ("olmo2", {**WINDOW, PATTERN: "LLLG"}, PATTERN),
        ("olmo2", {**WINDOW, PATTERN: [1] * 10_001}, PATTERN),
    ],
)
def test_a_header_that_leaves_the_cache_open_is_refused(tmp_path, architecture, further, key):
    with pytest.raises(BadInput, match=rf"model\.gguf: {architecture}\.{key}: expected"):
        capacity(file_of(tmp_path / "model.gguf", architecture, {**LLAMA, **further}))


def test_standard_input_may_be_a_header(tmp_path, monkeypatch):
    """The weights after the header are not read, and a header that is cut off is refused."""

    class Given:
        buffer = io.BytesIO()

    monkeypatch.setattr(sys, "stdin", Given)
    path = file_of(tmp_path / "model.gguf", "llama", LLAMA)
    for further in (b"", bytes(5 << 20)):
        Given.buffer = io.BytesIO(path.read_bytes() + further)
        assert capacity("-").layers == capacity(path).layers
    Given.buffer = io.BytesIO(path.read_bytes()[:60])
    with pytest.raises(BadInput, match="standard input: expected a complete header, found its end after"):
        capacity("-")


def test_a_file_of_another_kind_is_refused_by_its_name(tmp_path):
    path = tmp_path / "model.GGUF"
    path.write_bytes(b"\xff\xfeother")
    with pytest.raises(BadInput, match=r"model.GGUF: expected a .gguf file, found other first bytes, b'\\xff\\xfeot'"):
        capacity(path)


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


def test_texts_of_any_length_are_passed_over(tmp_path):
    """Some end at the end of a piece that is read at once, some are longer than it."""
    texts = ["x"] * 10_001 + ["y" * ((1 << 20) - 8), "z" * (1 << 21), ""] + ["a" * 997] * 3_000
    path = written(tmp_path / "a.gguf", {"texts": texts, "after": 7})
    assert read_header(path) == {"texts": len(texts), "after": 7}
    whole = path.read_bytes()
    for length in (len(whole) - 1, len(whole) - 20, len(whole) // 2, 1000):
        path.write_bytes(whole[:length])
        with pytest.raises(BadInput, match="expected a complete header, found its end after"):
            read_header(path)
    long = struct.pack("<Q", (16 << 20) + 1)
    path.write_bytes(HEAD + struct.pack("<Q", 1) + text("a") + struct.pack("<IIQ", 9, 8, 10_001) + text("x") * 3 + long)
    with pytest.raises(BadInput, match="expected at most 16,777,216 bytes of a text, found 16,777,217"):
        read_header(path)


def test_a_large_tokenizer_costs_little_time(tmp_path):
    """152,000 tokens and 280,000 merges took half a second when each was read by calls of its own."""
    keys = {"tokenizer.ggml.tokens": ["token"] * 152_000, "tokenizer.ggml.merges": ["to ken"] * 280_000}
    path = file_of(tmp_path / "model.gguf", "llama", LLAMA, **keys)
    before = time.process_time()
    assert capacity(path).fields.get("vocab_size") == 152_000
    assert time.process_time() - before < 0.3

"""The bytes of a model's weights: an index, files of one model, and what is refused."""

import json
from pathlib import Path

import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.capacity.weights import bytes_of_weights


def test_bytes_of_weights(tmp_path):
    with pytest.raises(BadInput, match=r"--weights: .*: expected model.safetensors.index.json or files of weights"):
        bytes_of_weights(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "a.safetensors").write_bytes(b"x" * 100)
    (tmp_path / "b.safetensors").write_bytes(b"x" * 50)
    assert bytes_of_weights(tmp_path / "config.json") == 150
    assert bytes_of_weights(tmp_path / "a.safetensors") == 100
    (tmp_path / "model.safetensors").write_bytes(b"x" * 30)
    assert bytes_of_weights(tmp_path) == 30, "transformers loads this one"
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 4096}}))
    assert bytes_of_weights(tmp_path) == 4096
    for wrong in ("[]", "{", '{"metadata": {"total_size": -1}}', "[" * 10_000):
        index.write_text(wrong)
        with pytest.raises(BadInput, match=r"index\.json: "):
            bytes_of_weights(tmp_path)


@pytest.mark.parametrize("given", ["bananas", "-5", "README.md", "config.jsn", "a\0b"])
def test_weights_that_do_not_exist_are_refused(tmp_path, monkeypatch, given):
    """The folder of the path contains weights; they are not what was asked for."""
    monkeypatch.chdir(tmp_path)
    Path("model.safetensors").write_bytes(b"x" * 100)
    Path("README.md").write_text("weights")
    with pytest.raises(
        BadInput, match=r"--weights: .*: expected a size such as 16GiB, a folder, a config.json or weights, found"
    ):
        bytes_of_weights(Path(given))


@pytest.mark.parametrize(("suffix", "digits"), [("gguf", 5), ("safetensors", 6), ("bin", 5)])
def test_one_shard_stands_for_all(tmp_path, suffix, digits):
    shards = [tmp_path / f"model-0000{number}-of-{3:0{digits}}.{suffix}" for number in (1, 2, 3)]
    for shard in shards:
        shard.write_bytes(b"x" * 10)
    (tmp_path / f"model-00001-of-00002.{suffix}").write_bytes(b"x")
    assert bytes_of_weights(shards[1]) == 30
    (tmp_path / f"model-00001-of-00002.{suffix}").unlink()
    assert bytes_of_weights(tmp_path) == 30
    shards[2].unlink()
    for path in (tmp_path, shards[0]):
        with pytest.raises(BadInput, match=rf"model: expected 3 files, -of-{3:0{digits}}, found 2 of them"):
            bytes_of_weights(path)


def test_several_gguf_models_are_alternatives(tmp_path):
    for name in ("model-Q4_K_M", "model-Q8_0"):
        (tmp_path / f"{name}.gguf").write_bytes(b"x" * 10)
    with pytest.raises(BadInput, match=r"expected one \.gguf model, found 2, such as model-Q4_K_M; give its file"):
        bytes_of_weights(tmp_path)
    assert bytes_of_weights(tmp_path / "model-Q8_0.gguf") == 10


def test_a_shard_with_a_huge_count_is_refused_at_once(tmp_path):
    path = tmp_path / "model-00001-of-999999999.gguf"
    path.write_bytes(b"x")
    with pytest.raises(BadInput, match="expected 999,999,999 files"):
        bytes_of_weights(path)

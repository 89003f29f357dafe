"""A canary as a .gguf file: the sizes that seqsep reads from it, the weights, and what is refused."""

import sys
from pathlib import Path

import numpy as np
import pytest

from seqsep.commands.cli import main
from seqsep.commands.status import BAD_INPUT, ENVIRONMENT
from seqsep.language_models.canary.gguf_file import NAMES, write_gguf
from seqsep.theorems.canary import CANARIES


@pytest.mark.parametrize("name", NAMES)
def test_the_file_has_the_sizes_and_the_weights(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    library = pytest.importorskip("gguf")
    assert main(["canary", "write", name, "-o", str(tmp_path / name), "--gguf"]) == 0
    path = tmp_path / name / "model.gguf"
    capsys.readouterr()
    assert main(["capacity", str(path)]) == 0
    layers = CANARIES[name].configuration()["num_hidden_layers"]
    assert name in capsys.readouterr().out
    reader = library.GGUFReader(path)
    assert reader.fields[f"{name}.block_count"].contents() == layers
    given = CANARIES[name].tensors()
    found = {tensor.name: tensor.data for tensor in reader.tensors}
    assert len(found) == len(given)
    head = given["lm_head.weight"]
    assert np.array_equal(found["output.weight"], head)
    total = sum(float(np.abs(values).sum()) for key, values in given.items() if "A_log" not in key)
    assert sum(float(np.abs(values).sum()) for key, values in found.items() if "ssm_a" not in key) == pytest.approx(total)


def test_llama_rotates_neighbors(tmp_path: Path) -> None:
    library = pytest.importorskip("gguf")
    path = write_gguf("llama", tmp_path / "model.gguf")
    found = {tensor.name: tensor.data for tensor in library.GGUFReader(path).tensors}["blk.1.attn_q.weight"]
    given = CANARIES["llama"].tensors()["model.layers.1.self_attn.q_proj.weight"]
    size = CANARIES["llama"].configuration()["head_dim"]
    for row in np.flatnonzero(given.any(axis=1)):
        head, place = divmod(int(row), size)
        half, pair = divmod(place, size // 2)
        assert np.array_equal(found[head * size + 2 * pair + half], given[row])


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("checksum", BAD_INPUT, "--gguf: expected a canary of one of the classes llama, mamba2, found checksum"),
        ("llama", ENVIRONMENT, "--gguf needs gguf, which is not installed; pip install gguf"),
    ],
)
def test_refused_before_anything_is_written(
    name: str, status: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    assert main(["canary", "write", name, "-o", str(tmp_path / "new"), "--gguf"]) == status
    assert said in capsys.readouterr().err
    assert not (tmp_path / "new").exists()

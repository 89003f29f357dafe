"""The adapter of llama.cpp, on tiny models written here; without `llama-cpp-python`, only what needs no engine is tested."""

import importlib.util
import sys
import tomllib
from pathlib import Path

import pytest
import torch

import seqsep
from seqsep.commands.cli import main
from seqsep.core.names import BadInput
from seqsep.language_models.capacity.gguf import read_header
from seqsep.language_models.engines import with_llama
from seqsep.language_models.engines.check import ENGINE_LAWS
from seqsep.language_models.laws.check import LawsFail
from support.engines.faulty_llama import FAULTS, CropsFirst, ForgetsOldest
from support.engines.tiny_gguf import HEADS, KERNEL, WIDTH, pairs_together, write_gguf, write_llama, write_mamba, write_olmo

INSTALLED = importlib.util.find_spec("llama_cpp") is not None
needs_llama_cpp = pytest.mark.skipif(not INSTALLED, reason="llama-cpp-python is not installed")
WINDOW = "window passed by one"


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="module")
def mamba(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mamba(tmp_path_factory.mktemp("mamba"))


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, llama: Path) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(with_llama.LlamaMissing, match=r"which is not installed; pip install '\.\[llama\]' in a clone"):
        with_llama.LlamaEngine(llama)


def test_an_older_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Old:
        __version__ = "0.2.90"

    monkeypatch.setitem(sys.modules, "llama_cpp", Old())  # type: ignore[arg-type]
    with pytest.raises(with_llama.LlamaMissing, match=r"needs llama-cpp-python 0\.3\.36 or later, found 0\.2\.90; pip install"):
        with_llama.llama_cpp()


def test_the_extra_installs_the_version_that_is_needed() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    [needed] = project["project"]["optional-dependencies"]["llama"]
    assert f"needs {needed.replace('>=', ' ')} or later" == with_llama.NEEDED


@pytest.mark.skipif(INSTALLED, reason="llama-cpp-python is installed")
def test_the_command_names_the_missing_package(capsys: pytest.CaptureFixture[str], llama: Path) -> None:
    assert main(["check", "--engine", f"llama:{llama}", "--tolerance", "1e-4"]) == 2
    assert "llama-cpp-python 0.3.36 or later, which is not installed; pip install '.[llama]'" in capsys.readouterr().err


def test_a_file_that_is_missing_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.gguf: expected a \.gguf file, found none"):
        with_llama.LlamaEngine(tmp_path / "none.gguf")


def test_the_written_file_has_its_keys_and_tensors(tmp_path: Path, mamba: Path) -> None:
    """The last tensor is at the end of the file, and sizes are found by the names of GGUF."""
    last = torch.arange(6.0).view(2, 3)
    path = write_gguf(tmp_path / "a.gguf", {"general.architecture": "x", "x.y": 7}, {"first": torch.ones(1), "last": last})
    assert read_header(path) == {"general.architecture": "x", "x.y": 7}
    assert path.read_bytes()[-32:-8] == last.numpy().tobytes()
    assert read_header(mamba)["mamba.ssm.conv_kernel"] == KERNEL


def test_rotated_neighbors_are_rotated_halves() -> None:
    """Products of rotated queries and keys are equal if both have their rows reordered."""
    query, key, token = (torch.randn(shape, dtype=torch.float64) for shape in ((WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH,)))
    half = WIDTH // HEADS // 2
    angle = torch.linspace(0.1, 2, half, dtype=torch.float64)

    def halves(weight: torch.Tensor) -> torch.Tensor:
        first, second = (weight @ token).view(HEADS, 2, half).unbind(1)
        return torch.stack([first * angle.cos() - second * angle.sin(), first * angle.sin() + second * angle.cos()], 1)

    def neighbors(weight: torch.Tensor) -> torch.Tensor:
        first, second = (pairs_together(weight, HEADS) @ token).view(HEADS, half, 2).unbind(2)
        return torch.stack([first * angle.cos() - second * angle.sin(), first * angle.sin() + second * angle.cos()], 2)

    products = [(turn(query) * turn(key)).sum((1, 2)) for turn in (halves, neighbors)]
    assert torch.allclose(*products, atol=1e-12, rtol=0)


def test_each_law_has_a_fault() -> None:
    assert list(FAULTS) == list(ENGINE_LAWS)


@needs_llama_cpp
@pytest.mark.parametrize("unified", [True, False])
def test_llama_obeys_its_laws(llama: Path, unified: bool) -> None:
    """Compared with the same weights in transformers, in one buffer of all sequences and in a buffer of each."""
    verdicts = seqsep.check_engine(with_llama.LlamaEngine(llama, unified=unified), reference=llama.parent, length=9, batch=2)
    assert [verdict.law for verdict in verdicts if not verdict.holds] == [WINDOW]


@needs_llama_cpp
def test_a_recurrent_state_is_not_rolled_back(mamba: Path) -> None:
    verdicts = seqsep.check_engine(with_llama.LlamaEngine(mamba), reference=mamba.parent, length=9, batch=2)
    assert [verdict.law for verdict in verdicts if not verdict.holds] == ["rolled back", WINDOW]
    (refused,) = (verdict.where for verdict in verdicts if verdict.law == "rolled back")
    assert "llama.cpp does not remove the last" in refused


@needs_llama_cpp
def test_a_window_passed_by_one_token(tmp_path: Path) -> None:
    """The first layer has a window of 8 tokens; the fault removes the oldest one of it."""
    path = write_olmo(tmp_path)
    options = {"laws": [WINDOW], "reference": tmp_path, "length": 12, "batch": 2}
    (verdict,) = seqsep.check_engine(with_llama.LlamaEngine(path), **options)
    assert verdict.holds, verdict.where
    with pytest.raises(LawsFail, match="a window of 8"):
        seqsep.check_engine(ForgetsOldest(path), **options)


@needs_llama_cpp
def test_a_faulty_rollback_is_found(llama: Path) -> None:
    with pytest.raises(LawsFail, match="rolled back: other logits than in one pass"):
        seqsep.check_engine(CropsFirst(llama), laws=["rolled back"], reference=llama.parent, length=9, batch=2)


@needs_llama_cpp
def test_what_llama_cpp_logs_is_in_the_error(tmp_path: Path) -> None:
    path = tmp_path / "no.gguf"
    path.write_bytes(b"no model")
    with pytest.raises(BadInput, match=r"no\.gguf: llama\.cpp does not load it; "):
        with_llama.LlamaEngine(path)


@needs_llama_cpp
def test_sequences_and_tokens_have_limits(llama: Path) -> None:
    """A context that is full says so; freed sequences are used again."""
    engine = with_llama.LlamaEngine(llama, tokens=256)
    for _ in range(8):
        engine.prefill([1] * 31)
    with pytest.raises(RuntimeError, match="llama_decode finds no place for 31 more tokens in the memory of the context"):
        engine.prefill([1] * 31)
    engine = with_llama.LlamaEngine(llama)
    states = [engine.prefill([1])[1] for _ in range(with_llama.SEQUENCES - 1)]
    with pytest.raises(RuntimeError, match="all 31 sequences of the context are in use"):
        engine.fork(states[0])
    engine.free(states.pop())
    assert engine.fork(states[0]).length == 1

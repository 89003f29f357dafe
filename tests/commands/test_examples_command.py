"""`seqsep examples`: what it writes, and what it leaves alone."""

from pathlib import Path

import pytest

from seqsep.commands import shipped
from seqsep.commands.comparison import committed_rows
from seqsep.commands.demo import COMMITTED
from seqsep.commands.shipped import root, shipped_files
from seqsep.lab.engines import ray_worker
from support.command_line import call

ROOT = Path(__file__).parents[2]


def test_every_shipped_file_is_copied(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    status, out, _ = call(capsys, "examples", str(folder))
    expected = set(shipped_files(ROOT))
    assert status == 0
    assert {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()} == expected
    assert all((folder / path).read_bytes() == (ROOT / path).read_bytes() for path in expected)
    assert f"{folder / 'examples'}: {sum(path.parts[0] == 'examples' for path in expected)} files" in out
    assert call(capsys, "examples", str(folder)) == (0, out, "")


def test_what_readers_are_told_to_use_is_shipped() -> None:
    names = {path.as_posix() for path in shipped_files(root())}
    assert {
        "results/demo.jsonl",
        "results/audit/lstm.safetensors",
        "examples/falcon-mamba-7b.json",
        "examples/own_runs.py",
    } <= names
    assert not any("verify" in name for name in names)


@pytest.mark.parametrize("kind", ["file", "folder", "link", "link to nothing"])
def test_another_content_is_refused_before_anything_is_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str
) -> None:
    theirs = tmp_path / "results/demo.jsonl"
    theirs.parent.mkdir()
    if kind == "file":
        theirs.write_text("mine")
    elif kind == "folder":
        theirs.mkdir()
    else:
        theirs.symlink_to(ROOT / "results/demo.jsonl" if kind == "link" else tmp_path / "nothing")
    status, out, err = call(capsys, "examples", str(tmp_path))
    assert (status, out) == (2, "")
    assert f"{theirs}: expected no file, or the same content, found another content" in err
    assert not (tmp_path / "examples").exists()


def test_a_file_in_place_of_the_folder_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    status, out, err = call(capsys, "examples", str(tmp_path / "file"))
    assert (status, out, err.count("\n")) == (3, "", 1)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_wheel_reads_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "PACKAGE", tmp_path / "site-packages/seqsep")
    (tmp_path / "site-packages/seqsep/data").mkdir(parents=True)
    assert root() == tmp_path / "site-packages/seqsep/data"


def test_an_incomplete_installation_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "PACKAGE", tmp_path / "lib/site-packages/seqsep")
    status, _, err = call(capsys, "examples", str(tmp_path / "new"))
    assert status == 2
    assert "install seqsep again" in err


def test_the_committed_rows_are_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert COMMITTED == ROOT / "results/demo.jsonl"
    expected = sum(len(path.read_text().splitlines()) for path in (ROOT / "results").glob("*.jsonl"))
    assert len(committed_rows(Path("results"))) == expected
    (tmp_path / "results").mkdir()
    (tmp_path / "results/mine.jsonl").write_text((ROOT / "results/demo.jsonl").read_text().splitlines(keepends=True)[0])
    assert len(committed_rows(Path("results"))) == 1


def test_a_wheel_and_a_clone_have_the_same_digest_of_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker with a wheel is accepted by a driver with a clone."""
    monkeypatch.setattr("seqsep.__file__", str(tmp_path / "__init__.py"))

    def digest() -> object:
        return ray_worker.identity({"device": "cpu"})

    (tmp_path / "module.py").write_text("NUMBER = 1")
    clone = digest()
    (tmp_path / "data/examples").mkdir(parents=True)
    (tmp_path / "data/examples/own_layer.py").write_text("NUMBER = 2")
    assert digest() == clone
    (tmp_path / "other.py").write_text("NUMBER = 3")
    assert digest() != clone

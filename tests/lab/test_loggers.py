"""Loggers: curves and hyperparameters that their own programs read back, each run once, nothing imported unasked."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.lab.device import environment
from seqsep.lab.loggers import LOGGERS, Logger, name_of, parameters_of
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup

RUN = Run(IndexLookup(5, alphabet=4), ("lstm", "attention"), width=8, steps=20, evaluate_every=10, evaluation=50, seed=3)
RESULT = {"status": "finished", "steps": 20, "accuracy": 0.5, "best_accuracy": 0.75, "parameters": 684}
RESULT |= {"curve": [[10, 0.75, 1.25], [20, 0.5, 1.5]], "state_bits": [512, 0]}
ROW = Row("my trial", RUN.key(), RUN.configuration(), RESULT, environment())
TINY = """
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup


def runs(preset):
    shape = {"width": 8, "steps": 20, "evaluate_every": 10, "evaluation": 50}
    return [Run(IndexLookup(5, alphabet=4), ("lstm",), learning_rate=rate, **shape) for rate in (1e-4, 1e-3, 1e-2)]
"""


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its time of change and its bytes."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A logger that needs no package: it writes the accuracies of the curve."""

    def fill(row: Row, folder: Path) -> None:
        (folder / "curve").write_text(str([accuracy for _, accuracy, _ in row.result["curve"]]))

    monkeypatch.setitem(LOGGERS, "json", fill)


def test_names_and_parameters() -> None:
    assert name_of(ROW) == f"my-trial/lstm+attention-index-lookup-N=5-rate-0.001-seed-3-{RUN.key()[:12]}"
    parameters = parameters_of(RUN)
    assert (parameters["layers"], parameters["learning_rate"], parameters["heads"]) == ("lstm+attention", 0.001, 4)
    assert (parameters["task.name"], parameters["task.length"], parameters["task.alphabet"]) == ("index-lookup", 5, 4)


def test_a_row_is_written_again_only_if_it_has_changed(plain: None, tmp_path: Path) -> None:
    """A row is written once, and again only if it has changed."""
    logger = Logger("json", tmp_path)
    place = tmp_path / "json" / name_of(ROW)
    half = place.with_name(f".{place.name}.{'0' * 16}.tmp")
    half.mkdir(parents=True)
    (half / "left").write_text("by a driver that was killed")
    assert logger.write(ROW)
    before = files(tmp_path)
    assert [Path(name).name for name in before] == ["curve", "row.json"]
    assert not logger.write(ROW)
    assert files(tmp_path) == before
    assert logger.write(replace(ROW, result=RESULT | {"curve": [[20, 1.0, 0.5]]}))
    assert (place / "curve").read_text() == "[1.0]"
    assert logger.write(replace(ROW, experiment="another"))
    assert len(files(tmp_path)) == 4
    assert not logger.write(replace(ROW, experiment="failed", result={"status": "failed: worker died"}))
    assert len(files(tmp_path)) == 4


def test_a_folder_of_logs_is_not_written_through_a_link(plain: None, tmp_path: Path) -> None:
    """The folder that is being written has a random name, and a link in the place of a run's folder stays as it is."""
    logger = Logger("json", tmp_path)
    place = tmp_path / "json" / name_of(ROW)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "curve").write_text("mine")
    place.parent.mkdir(parents=True)
    place.with_name(f"{place.name}.tmp").symlink_to(mine)
    assert logger.write(ROW)
    assert (place / "curve").read_text() == "[0.75, 0.5]"
    (place / "curve").unlink()
    (place / "row.json").unlink()
    place.rmdir()
    place.symlink_to(mine)
    with pytest.raises(OSError, match="Not a directory"):
        logger.write(ROW)
    assert [path.name for path in mine.iterdir()] == ["curve"]
    assert (mine / "curve").read_text() == "mine"


def test_what_cannot_be_written_whole_does_not_count(plain: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(row: Row, folder: Path) -> None:
        (folder / "curve").write_text("[")
        raise OSError("No space left on device")

    logger = Logger("json", tmp_path)
    with monkeypatch.context() as context:
        context.setattr(logger, "fill", full)
        with pytest.raises(OSError, match="No space left"):
            logger.write(ROW)
    assert logger.write(ROW)
    assert (tmp_path / "json" / name_of(ROW) / "curve").read_text() == "[0.75, 0.5]"


@pytest.mark.slow
def test_a_sweep_writes_every_run_once_those_pruned_too(plain: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under the name of another kind; one folder is lost and comes back, the others are not touched."""
    monkeypatch.setitem(LOGGERS, "tensorboard", LOGGERS["json"])
    monkeypatch.setitem(sys.modules, "tensorboard", sys.modules["json"])
    (tmp_path / "mine.py").write_text(TINY)
    store = tmp_path / "s.sqlite"
    arguments = ["run", str(tmp_path / "mine.py"), "--store", str(store), "--workers", "1", "--prune", "--log", "tensorboard"]
    assert main(arguments) == 0
    before = files(tmp_path / "s.sqlite.logs" / "tensorboard" / "mine")
    curves = {name: len(eval(data)) for name, (_, data) in before.items() if name.endswith("curve")}
    assert sorted(curves.values()) == [1, 2, 2]
    lost = next(path for path in (tmp_path / "s.sqlite.logs/tensorboard/mine").iterdir())
    for path in lost.iterdir():
        path.unlink()
    lost.rmdir()
    assert main(arguments) == 0
    after = files(tmp_path / "s.sqlite.logs" / "tensorboard" / "mine")
    assert {name: data for name, (_, data) in after.items()} == {name: data for name, (_, data) in before.items()}
    changed = {name.split("/")[0] for name in after if after[name] != before[name]}
    assert changed == {lost.name}


@pytest.mark.parametrize("kind", ["tensorboard", "wandb"])
def test_a_missing_package_is_one_line_before_training(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing package is one line, with status 3, before anything is trained."""
    monkeypatch.setitem(sys.modules, kind, None)
    (tmp_path / "mine.py").write_text(TINY)
    store = tmp_path / "s.sqlite"
    assert main(["run", str(tmp_path / "mine.py"), "--store", str(store), "--log", kind]) == 3
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"seqsep run: --log {kind}: expected the package {kind}, found none that loads")
    assert line.endswith(f"; pip install {kind}, or pip install '.[log]' in a clone of seqsep")
    assert not store.exists()


def test_an_unknown_kind_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match=r"^Logger\('mlflow', ...\): kind is one of tensorboard, wandb$"):
        Logger("mlflow", tmp_path)
    assert main(["run", "mamba-width", "--log", "mlflow"]) == 2
    assert "--log" in capsys.readouterr().err


def test_nothing_is_imported_unasked() -> None:
    imports = "import sys, seqsep.commands.chosen_runs, seqsep.lab.loggers, seqsep.lab.sweep"
    code = f"{imports}; print(sorted({{'tensorboard', 'wandb'}} & set(sys.modules)))"
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=paths).stdout == "[]\n"


def test_tensorboard_reads_the_curve_and_the_hyperparameters(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="tensorboard, the extra `log`")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    assert Logger("tensorboard", tmp_path).write(ROW)
    written = EventAccumulator(str(tmp_path / "tensorboard" / name_of(ROW)))
    written.Reload()
    assert sorted(written.Tags()["scalars"]) == ["accuracy", "loss_nats"]
    assert [(event.step, event.value) for event in written.Scalars("accuracy")] == [(10, 0.75), (20, 0.5)]
    assert [(event.step, event.value) for event in written.Scalars("loss_nats")] == [(10, 1.25), (20, 1.5)]
    content = written.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    assert b"learning_rate" in content
    assert b"lstm+attention" in content
    assert b"task.alphabet" in content


def test_wandb_keeps_the_run_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb", reason="wandb, the extra `log`: 75 MB with what it needs, so it is not in `dev`")
    monkeypatch.delenv("WANDB_MODE", raising=False)
    logger = Logger("wandb", tmp_path)
    assert logger.write(ROW)
    [file] = (tmp_path / "wandb" / name_of(ROW)).glob("wandb/offline-run-*/run-*.wandb")
    data = file.read_bytes()
    for words in (
        f"{RUN.label()} {RUN.key()[:12]}",
        "my trial",
        "loss_nats",
        "learning_rate",
        "lstm+attention",
        "0.75",
        "1.25",
    ):
        assert words.encode() in data, words
    assert not logger.write(ROW)

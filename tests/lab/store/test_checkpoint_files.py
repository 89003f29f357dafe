"""The folder of checkpoints: a store removes its own files, nothing else, and nothing through a link."""

import os
from pathlib import Path

import pytest
import torch

from seqsep.lab.checkpoint import CheckpointError, load_checkpoint
from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.device import environment
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store.place import StoreError
from seqsep.lab.store.store import Store
from seqsep.tasks import IndexLookup


def row(seed: int) -> Row:
    run = Run(task=IndexLookup(length=5, alphabet=4), layers=("lstm",), width=8, seed=seed)
    outcome = {"status": "finished", "steps": 20, "accuracy": 0.3, "best_accuracy": 0.4, "parameters": 684}
    outcome |= {"curve": [[20, 0.3, 1.3]], "state_bits": [512, 0]}
    return Row("trial", run.key(), run.configuration(), outcome, environment())


FAILED = Row("trial", "f" * 64, {}, {"status": "failed: worker died (signal 9)"}, environment())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with a finished row, a failed one and a checkpoint."""
    path = tmp_path / "store.db"
    with Store(path) as store, store.driving():
        for made in (row(1), FAILED):
            store.record(made, seconds=1.5, attempts=1)
        store.record_checkpoint(row(3).key, 10, ("a" * 64,), environment())
    return path


def test_the_next_driver_removes_unknown_checkpoints(path: Path) -> None:
    """The next driver removes files of runs that the store names, if no row knows them, and no other file."""
    with Store(path) as store:
        store.checkpoints.mkdir()
        known = checkpoint_file(store.checkpoint_path(row(3).key), "a" * 64)
        orphans = [checkpoint_file(store.checkpoint_path(one.key), "b" * 64) for one in (row(3), row(1), FAILED)]
        orphans += [file.with_name(f".{file.name}.7.{'0' * 16}.tmp") for file in (known, orphans[1])]
        orphans += [known.with_name(f".{known.name}.7.tmp")]
        mine = ["notes.txt", "model.safetensors", "x.tmp", f"{row(3).key}.safetensors", f"{row(3).key}.best.safetensors"]
        mine += [checkpoint_file(store.checkpoint_path(row(8).key), "b" * 64).name]
        others = [store.checkpoints / name for name in mine]
        for file in (known, *orphans, *others):
            file.write_bytes(b"")
        with store.driving():
            assert sorted(store.checkpoints.iterdir()) == sorted([known, *others])


def test_a_run_that_ends_removes_only_its_checkpoints(path: Path) -> None:
    with Store(path) as store, store.driving():
        store.checkpoints.mkdir()
        checkpoint = checkpoint_file(store.checkpoint_path(row(5).key), "b" * 64)
        mine = [store.checkpoints / f"{row(5).key}{end}" for end in (".txt", ".best.safetensors", ".safetensors")]
        for file in (checkpoint, checkpoint.with_name(f".{checkpoint.name}.7.{'0' * 16}.tmp"), *mine):
            file.write_bytes(b"")
        store.record(row(5), seconds=1.0, attempts=1)
        assert sorted(store.checkpoints.iterdir()) == sorted(mine)


def test_nothing_is_removed_through_a_link(path: Path, tmp_path: Path) -> None:
    """A folder of checkpoints that is a link is refused; a checkpoint that is a link stays."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    orphan = elsewhere / f"{row(3).key}.{'b' * 16}.safetensors"
    orphan.write_bytes(b"mine")
    with Store(path) as store:
        store.checkpoints.symlink_to(elsewhere)
        with pytest.raises(StoreError) as error, store.driving():
            pass
        assert str(error.value).startswith(f"{store.checkpoints}: expected a folder of checkpoints, found a symbolic link")
        store.checkpoints.unlink()
        store.checkpoints.mkdir()
        link = store.checkpoints / orphan.name
        link.symlink_to(orphan)
        with store.driving():
            store.record(row(3), seconds=1.0, attempts=1)
        assert link.is_symlink()
    assert orphan.read_bytes() == b"mine"


def test_a_checkpoint_that_is_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(checkpoint_file(tmp_path / "run.safetensors", "a" * 64))
    model = row(1).run.model()
    with pytest.raises(CheckpointError, match="expected a regular file, found a pipe"):
        load_checkpoint(tmp_path / "run.safetensors", "a" * 64, model, torch.optim.Adam(model.parameters()))

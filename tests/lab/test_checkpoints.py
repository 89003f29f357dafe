"""Checkpoints: what a resumed run has in common with one left in peace, and what becomes of a spoiled or foreign one."""

import errno
import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from seqsep.lab import checkpoint as checkpoint_module
from seqsep.lab.checkpoint import CheckpointError, CheckpointNotWritten
from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.device import environment
from seqsep.lab.engines import worker
from seqsep.lab.run import Run
from seqsep.lab.store.place import StoreUnavailable
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from seqsep.lab.train import train
from seqsep.models.mixers import MIXERS
from seqsep.tasks import IndexLookup
from support.player import let_workers_play


def run_of(layer: str = "lstm", **fields: Any) -> Run:
    chosen = {"width": 8, "steps": 40, "batch": 8, "evaluate_every": 10, "evaluation": 50} | fields
    return Run(IndexLookup(length=5, alphabet=4), (layer,), **chosen)


def digests_of(run: Run, path: Path, resume: str | None = None) -> tuple[dict[int, str], Any]:
    """The digest of each checkpoint by step, and the result."""
    digests: dict[int, str] = {}
    _, result = train(run, path, on_checkpoint=digests.__setitem__, resume_digest=resume)
    return digests, result


class Heard(worker.Reporter):
    """The messages of a worker, kept."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def send(self, kind: str, **content: Any) -> None:
        self.messages.append({"kind": kind} | content)


def work(run: Run, path: Path, digests: tuple[str, ...]) -> tuple[dict[str, Any], list[tuple[str, ...]]]:
    """The result of a worker that is offered these checkpoints, and the digests that it reports."""
    heard = Heard()
    result = worker.work({"run": run.configuration(), "checkpoint": str(path), "digests": digests}, {}, heard)
    return result, [message["digests"] for message in heard.messages if message["kind"] == "checkpoint"]


@pytest.mark.parametrize("mixer", [mixer.name for mixer in MIXERS])
def test_a_resumed_run_is_the_same_bits(mixer: str, tmp_path: Path) -> None:
    """Weights, optimiser and metrics of a resumed run are those of a straight one, bit for bit."""
    run = run_of(mixer)
    straight, expected = digests_of(run, tmp_path / "straight")
    shutil.copy(checkpoint_file(tmp_path / "straight", straight[10]), checkpoint_file(tmp_path / "resumed", straight[10]))
    resumed, result = digests_of(run, tmp_path / "resumed", straight[10])
    assert result == expected
    assert list(resumed) == [20, 30]
    for step, digest in resumed.items():
        ours = load_file(checkpoint_file(tmp_path / "resumed", digest))
        theirs = load_file(checkpoint_file(tmp_path / "straight", straight[step]))
        assert ours.keys() == theirs.keys()
        assert {name.split(".")[0] for name in ours} == {"model", "optimizer"}
        for name, value in ours.items():
            assert value.numpy().tobytes() == theirs[name].numpy().tobytes(), (step, name)


def test_a_paused_run_goes_on_as_if_it_had_not_paused(tmp_path: Path) -> None:
    """A run pauses at an evaluation, and goes on as if it had not."""
    run = run_of()
    _, expected = train(run)
    digests: dict[int, str] = {}
    _, paused = train(run, tmp_path / "paused", on_checkpoint=digests.__setitem__, until=20)
    assert list(digests) == [10, 20]
    assert (paused.status, paused.steps, paused.curve) == ("paused", 20, expected.curve[:2])
    steps: list[int] = []
    for until in (10, 20):  # it has come as far, or further
        _, again = train(
            run,
            tmp_path / "paused",
            on_progress=lambda progress: steps.append(progress.step),
            resume_digest=digests[20],
            until=until,
        )
        assert (again, steps) == (paused, [])
    assert digests_of(run, tmp_path / "paused", digests[20])[1] == expected
    _, converged = train(run_of(target=0.001), tmp_path / "other", until=20)
    assert (converged.status, converged.steps) == ("converged", 10)


def spoil(file: Path, how: str) -> None:
    data = bytearray(file.read_bytes())
    if how == "flip":
        data[random.Random(0).randrange(len(data))] ^= 4
    file.write_bytes(data[: len(data) // 2] if how == "cut" else data)
    if how == "gone":
        file.unlink()


@pytest.mark.parametrize("how", ["flip", "cut", "gone"])
def test_a_bad_checkpoint_falls_back_to_the_one_before(how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run with a bad checkpoint goes on from the one before, and says so."""
    run, path = run_of(), tmp_path / "checkpoint"
    digests, expected = digests_of(run, path)
    last, before = checkpoint_file(path, digests[30]), checkpoint_file(path, digests[20])
    offered = (digests[30], digests[20])
    spoil(last, how)
    result, reported = work(run, path, offered)
    assert result == expected.record()
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{last}: expected a checkpoint")
    assert line.endswith(f"; {run.label()} resumes from the checkpoint before it")
    assert [one[1:] for one in reported] == [(digests[20],)]  # that at 30 again, after it the good one

    spoil(checkpoint_file(path, reported[0][0]), "gone")
    spoil(before, how)
    result, reported = work(run, path, offered)
    assert result == expected.record()
    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith("resumes from the checkpoint before it")
    assert second.startswith(f"{before}: expected a checkpoint")
    assert second.endswith(f"; {run.label()} resumes from step 0")
    assert [len(one) for one in reported] == [1, 2, 2]


def test_a_good_checkpoint_is_taken_without_a_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, path = run_of(), tmp_path / "checkpoint"
    digests, expected = digests_of(run, path)
    spoil(checkpoint_file(path, digests[20]), "flip")
    result, reported = work(run, path, (digests[30], digests[20]))
    assert result == expected.record()
    assert reported == []
    assert capsys.readouterr().err == ""


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    """A checkpoint of another run is refused even if its digest is as expected."""
    wide, path = run_of(width=16), tmp_path / "checkpoint"
    digests, _ = digests_of(wide, path)
    with pytest.raises(CheckpointError, match="expected a checkpoint of this run, found: ") as error:
        train(run_of(), path, resume_digest=digests[30])
    assert "\n" not in str(error.value)


def test_a_checkpoint_of_another_environment_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, path = run_of(), tmp_path / "checkpoint"
    digests, _ = digests_of(run, path)
    here = checkpoint_module.workplace(torch.device("cpu"))
    monkeypatch.setattr(checkpoint_module, "workplace", lambda device: here | {"threads": "7", "torch": "2.10.0"})
    with pytest.raises(CheckpointError) as error:
        train(run, path, resume_digest=digests[30])
    expected = (
        f"expected a checkpoint of torch 2.10.0, threads 7, found one of torch {here['torch']}, threads {here['threads']}"
    )
    assert str(error.value) == f"{checkpoint_file(path, digests[30])}: {expected}"


def test_threads_are_those_of_the_process() -> None:
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(threads + 1)
        assert checkpoint_module.workplace(torch.device("cpu"))["threads"] == str(threads + 1)
    finally:
        torch.set_num_threads(threads)


def test_a_checkpoint_of_another_environment_is_left(tmp_path: Path) -> None:
    """The store says so when it leaves the checkpoint of another environment alone."""
    said: list[str] = []
    with Store(tmp_path / "store.db") as store, store.driving():
        store.record_checkpoint("a" * 64, 20, ("b" * 64,), environment() | {"torch": "2.10.0"})
        assert store.checkpoint("a" * 64, environment(), said.append) is None
        [line] = said
        here = ", ".join(f"{name} {value}" for name, value in sorted(environment().items()))
        there = here.replace(f"torch {torch.__version__}", "torch 2.10.0")
        assert line == (
            f"{store.path}: checkpoint of run aaaaaaaaaaaa at step 20: expected one of {here}, found one of {there}; "
            "the run starts at step 0"
        )


def test_a_store_keeps_two_checkpoints_of_a_run(tmp_path: Path) -> None:
    """A store keeps the last two checkpoints of a run, and removes older ones."""
    key, (a, b, c) = "0" * 64, (letter * 64 for letter in "abc")
    with Store(tmp_path / "store.db") as store, store.driving():
        store.checkpoints.mkdir()
        files = [checkpoint_file(store.checkpoint_path(key), digest) for digest in (a, b, c)]
        other = checkpoint_file(store.checkpoint_path("1" * 64), a)
        for file in (*files, other):
            file.touch()
        for step, digests in enumerate(((a,), (b, a), (c, b))):
            store.record_checkpoint(key, step, digests, environment())
            assert store.checkpoint(key, environment()) == (step, digests)
        assert [file.exists() for file in (*files, other)] == [False, True, True, True]
        store.record_checkpoint("1" * 64, 1, (a,), environment())
    with Store(tmp_path / "store.db") as store, store.driving():
        assert sorted(store.checkpoints.iterdir()) == sorted([*files[1:], other])


def test_a_checkpoint_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    run, path = run_of(), tmp_path / "checkpoints" / "one.safetensors"
    with pytest.raises(CheckpointNotWritten, match=f"^{path}: cannot be written: No space left on device$"):
        digests_of(run, path)
    assert list(path.parent.iterdir()) == []
    result, _ = work(run, path, ())
    assert result["unavailable"] == f"{path}: cannot be written: No space left on device"


UNAVAILABLE = """
    send(kind="result", result=RESULT | ({"unavailable": "x: full"} if seed == 2 else {"seed": seed}))
"""


def test_a_worker_without_space_ends_the_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that has no space for a checkpoint ends the sweep, and its run is not recorded."""
    let_workers_play(UNAVAILABLE, tmp_path, monkeypatch)
    runs = [run_of(seed=seed) for seed in (1, 2, 3)]
    with Store(tmp_path / "store.db") as store:
        with pytest.raises(StoreUnavailable, match=r"^x: full$"):
            sweep(runs, store, "trial", workers=1)
        assert [row.key for row in store.rows()] == [runs[0].key()]


def test_the_header_of_a_checkpoint_says_where_it_was_written(tmp_path: Path) -> None:
    digests, _ = digests_of(run_of(), tmp_path / "checkpoint")
    data = checkpoint_file(tmp_path / "checkpoint", digests[10]).read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    assert json.loads(header["workplace"]) == checkpoint_module.workplace(torch.device("cpu"))
    assert header["step"] == "10"

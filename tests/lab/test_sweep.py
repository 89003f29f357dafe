"""Real training under sweeps that are killed, interrupted, resumed and spoiled: the rows are those of a run left in peace."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch

from seqsep.lab.checkpoint import CheckpointError
from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.device import environment
from seqsep.lab.progress import Display
from seqsep.lab.row import Row, write_rows
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from seqsep.lab.train import train
from seqsep.models.mixers import MIXERS
from seqsep.models.model import Model
from seqsep.tasks import IndexLookup


def run_of(layer: str, seed: int = 0, **fields: Any) -> Run:
    task = IndexLookup(length=5, alphabet=4)
    chosen = {"width": 8, "steps": 60, "batch": 8, "evaluate_every": 10, "evaluation": 50} | fields
    return Run(task=task, layers=(layer,), seed=seed, **chosen)


FOUR = [run_of("lstm"), run_of("mamba"), run_of("attention", decay="linear"), run_of("dss")]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Results depend on the number of threads, and workers have one."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def row_of(run: Run) -> Row:
    """The row of a run that was trained here, in peace."""
    return Row("trial", run.key(), run.configuration(), train(run)[1].record(), environment())


class Stop(Exception):
    pass


def stop_at(run: Run, path: Path, step: int) -> str:
    """Train up to the checkpoint at `step`; returns its digest."""
    digests = {}

    def saved(at: int, digest: str) -> None:
        digests[at] = digest
        if at == step:
            raise Stop

    with pytest.raises(Stop):
        train(run, path, on_checkpoint=saved)
    return digests[step]


class Listener(Display):
    def __init__(self) -> None:
        self.moves: list[tuple[Run, int]] = []
        self.signal_at: dict[Run, tuple[int, signal.Signals]] = {}

    def update(self, worker: int, run: Run, step: int, accuracy: float | None) -> None:
        self.moves.append((run, step))
        if run in self.signal_at and step >= self.signal_at[run][0]:
            os.kill(worker, self.signal_at.pop(run)[1])

    def first_steps(self, run: Run) -> list[int]:
        """The first step after each time that the run was handed over."""
        steps = [step for moved, step in self.moves if moved == run]
        return [after for before, after in pairwise(steps) if before == 0]


def weights(model: Model) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}


@pytest.mark.parametrize(("mixer", "decay"), [(mixer.name, ("constant", "linear")[at % 2]) for at, mixer in enumerate(MIXERS)])
def test_a_resumed_run_is_the_same_bit_for_bit(mixer: str, decay: str, tmp_path: Path) -> None:
    run = run_of(mixer, steps=40, decay=decay)
    straight, expected = train(run)
    digest = stop_at(run, tmp_path / "checkpoint", 20)
    steps: list[int] = []
    resumed, result = train(run, tmp_path / "checkpoint", lambda progress: steps.append(progress.step), resume_digest=digest)
    assert steps == list(range(21, 41))
    assert result == expected
    for name, value in weights(straight).items():
        assert torch.equal(value, weights(resumed)[name]), name


def test_a_spoiled_or_missing_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    digest = stop_at(FOUR[0], path, 20)
    file = checkpoint_file(path, digest)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(CheckpointError, match=f"{file}: expected a checkpoint with SHA-256 {digest}"):
        train(FOUR[0], path, resume_digest=digest)
    file.unlink()
    with pytest.raises(CheckpointError, match=f"{file}: expected a checkpoint"):
        train(FOUR[0], path, resume_digest=digest)


def test_an_evaluation_that_is_not_finite_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(self: torch.optim.Adam, *arguments: Any) -> None:
        for parameter in self.param_groups[0]["params"]:
            parameter.data.fill_(1e38)

    monkeypatch.setattr(torch.optim.Adam, "step", spoil)
    _, result = train(run_of("lstm", evaluate_every=1))
    assert (result.status, result.steps, result.curve) == ("failed: non-finite", 1, ())


@pytest.mark.slow
def test_two_workers_resume_restart_and_fail_as_each_run_needs(tmp_path: Path) -> None:
    resumed, spoiled, missing, died = FOUR
    infinite = run_of("attention", embedding_scale=1e30)
    impossible = run_of("attention", width=12, positions="rope")
    listener = Listener()
    files: dict[Run, Path] = {}
    listener.signal_at = {died: (30, signal.SIGKILL), missing: (1, signal.SIGINT)}  # the second is for the driver only
    with Store(tmp_path / "store.db") as store:
        with store.driving():
            for run in (resumed, spoiled, missing):
                digest = stop_at(run, store.checkpoint_path(run.key()), 20)
                store.record_checkpoint(run.key(), 20, (digest,), environment())
                files[run] = checkpoint_file(store.checkpoint_path(run.key()), digest)
        with files[spoiled].open("r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"\x7f")
        files[missing].unlink()
        rows = sweep([*FOUR[::-1], infinite, impossible], store, "trial", workers=2, progress=listener)
        assert rows[:4] == [row_of(run) for run in FOUR[::-1]]
        assert listener.first_steps(resumed) == [21]
        assert listener.first_steps(spoiled) == [1]
        assert listener.first_steps(missing) == [1]
        assert listener.first_steps(died)[0] == 1
        assert len(listener.first_steps(died)) == 2
        assert listener.first_steps(died)[1] % 10 == 1
        assert listener.first_steps(died)[1] >= 31
        assert (rows[4].status, rows[4].finished) == ("failed: non-finite", True)
        assert (rows[5].status[:32], rows[5].finished) == ("failed: ValueError: Model.build(", False)
        assert "\n" not in rows[5].status
        assert store.finished() == sorted(rows[:5], key=lambda row: row.key)
        assert list(store.checkpoints.iterdir()) == []


DRIVER = """
import json, os, signal, sys
from pathlib import Path
from seqsep.lab.progress import Display
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep

store, log, target, how = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
runs = [Run.from_configuration(run) for run in json.loads(sys.argv[5])]

class Listener(Display):
    def update(self, worker, run, step, accuracy):
        if step == 0:
            with log.open("a") as file:
                print(runs.index(run), worker, file=file)
        if runs.index(run) == target and step >= 20:
            print("now", flush=True)
            os.kill(os.getpid(), how)

with Store(store) as store:
    sweep(runs, store, "trial", workers=1, progress=Listener())
"""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")  # an orphan may stay as a zombie where nobody reaps it
    return not (state.exists() and ") Z " in state.read_text())


@pytest.mark.slow
def test_an_interrupted_sweep_exports_the_same_bytes(tmp_path: Path) -> None:
    """A sweep that is killed, interrupted and started again exports the same bytes.

    SIGKILL in the second run, SIGINT in the third, each after a checkpoint; one worker, runs in another order than above.

    The driver has no main guard, on purpose: a short script of a user has none.
    """
    path, log, script = tmp_path / "store.db", tmp_path / "log", tmp_path / "driver.py"
    script.write_text(DRIVER)
    configurations = json.dumps([run.configuration() for run in FOUR])
    inherited = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for target, how in ((1, signal.SIGKILL), (2, signal.SIGINT)):
        command = [sys.executable, str(script), str(path), str(log), str(target), str(int(how)), configurations]
        driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=inherited)
        assert driver.stdout is not None
        assert driver.stdout.readline() == b"now\n"
        begun = time.monotonic()
        driver.communicate(timeout=10)
        assert driver.returncode == -how
        worker = int(log.read_text().split()[-1])
        while alive(worker):
            time.sleep(0.02)
            assert time.monotonic() - begun < 5.0
        assert time.monotonic() - begun < 5.0
        with Store(path, create=False) as store:
            assert [row.key for row in store.finished()] == sorted(run.key() for run in FOUR[:target])
            assert store.checkpoint(FOUR[target].key(), environment()) is not None
    listener = Listener()
    with Store(path) as store:
        sweep(FOUR, store, "trial", workers=1, progress=listener)
        store.export(tmp_path / "rows.jsonl")
    write_rows(tmp_path / "expected.jsonl", [row_of(run) for run in FOUR])
    assert (tmp_path / "rows.jsonl").read_bytes() == (tmp_path / "expected.jsonl").read_bytes()
    begun_before = [int(line.split()[0]) for line in log.read_text().splitlines()]
    assert begun_before == [0, 1, 1, 2]
    assert [FOUR.index(run) for run, step in listener.moves if step == 0] == [2, 3]
    assert listener.first_steps(FOUR[2])[0] > 20

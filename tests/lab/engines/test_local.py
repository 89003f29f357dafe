"""The supervisor and the sweep over workers that speak the protocol but only play their part: what happens when they die."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest

from seqsep.lab.device import environment
from seqsep.lab.engines.engine import Ended, JobProgress, Saved
from seqsep.lab.engines.job import Job
from seqsep.lab.engines.local import WORKER, Supervisor
from seqsep.lab.progress import Display
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store.place import StoreUnavailable
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from support.player import job, let_workers_play, play, run_of, statuses

FINE, KILLED, EXITS, RAISES, HANGS, DIES_ONCE, PRINTS, LEAVES_A_CHILD, STAYS_SILENT = 1, 10, 11, 12, 13, 14, 15, 16, 17
# The seed of a run says what becomes of it.
PLAYER = """
    digests = message["digests"]
    send(kind="progress", step=1, accuracy=None)
    if seed == 10:
        os.kill(os.getpid(), signal.SIGKILL)
    elif seed == 11:
        os._exit(3)
    elif seed == 12:
        send(kind="failure", error="ValueError: no")
        continue
    elif seed == 13:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        send(kind="progress", step=2, accuracy=0.5)
        time.sleep(60)
    elif seed == 14 and not digests:
        send(kind="checkpoint", step=10, digests=["d" * 64])
        os.kill(os.getpid(), signal.SIGKILL)
    elif seed == 15:
        while True:
            print("x" * 10_000)
    elif seed == 16 and os.fork() == 0:  # the child holds every pipe open and ignores what is polite
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        send(kind="stage", words=str(os.getpid()))
        time.sleep(60)
    elif seed == 16:
        time.sleep(0.3)
        os._exit(5)
    elif seed == 17:
        send(kind="stage", words="thinking")
        time.sleep(60)
    send(kind="result", result=RESULT | {"seed": seed, "digests": digests, "environment": dict(os.environ),
         "device": sys.argv[3]})
"""


@pytest.fixture(autouse=True)
def player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    let_workers_play(PLAYER, tmp_path, monkeypatch)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")  # an orphan may stay as a zombie where nobody reaps it
    return not (state.exists() and ") Z " in state.read_text())


class Listener(Display):
    """Keeps what a sweep shows."""

    def __init__(self) -> None:
        self.moves: list[tuple[int, int, int]] = []
        self.finished: list[int] = []
        self.finished_before, self.closed = -1, False

    def begin(self, runs: Any, finished: int) -> None:
        self.finished_before = finished

    def update(self, worker: int, run: Run, step: int, accuracy: float | None) -> None:
        self.moves.append((run.seed, step, worker))

    def finish(self, run: Run, result: dict[str, Any], seconds: float) -> None:
        self.finished.append(run.seed)

    def close(self) -> None:
        self.closed = True

    def handed_over(self) -> list[int]:
        return [seed for seed, step, _ in self.moves if step == 0]


@pytest.mark.parametrize("workers", [1, 3])
def test_a_run_that_always_dies_fails_and_the_others_go_on(workers: int) -> None:
    events = play(workers, job(KILLED), job(FINE), job(EXITS), job(FINE), job(RAISES), job(FINE))
    assert statuses(events) == {
        0: "failed: worker died (signal 9: Killed), after step 1",
        1: "finished",
        2: "failed: worker died (exit status 3), after step 1",
        3: "finished",
        4: "failed: ValueError: no",
        5: "finished",
    }
    assert {event.job: event.attempts for event in events if isinstance(event, Ended)} == {0: 3, 1: 1, 2: 3, 3: 1, 4: 1, 5: 1}
    handed_over = [event.job for event in events if isinstance(event, JobProgress) and event.step == 0]
    assert sorted(handed_over) == [0, 0, 0, 1, 2, 2, 2, 3, 4, 5]


def test_jobs_are_handed_out_in_order_and_a_worker_takes_many() -> None:
    events = play(1, job(5), job(3), job(4))
    assert [event.result["seed"] for event in events if isinstance(event, Ended)] == [5, 3, 4]
    assert len({event.worker for event in events if isinstance(event, JobProgress)}) == 1


def test_a_run_starts_again_from_its_last_checkpoint() -> None:
    events = play(1, job(DIES_ONCE), job(FINE, "e" * 64))
    assert Saved(0, 10, ("d" * 64,)) in events
    assert [event.job for event in events if isinstance(event, JobProgress) and event.step == 0] == [0, 0, 1]
    ended = {event.job: event.result["digests"] for event in events if isinstance(event, Ended)}
    assert ended == {0: ["d" * 64], 1: ["e" * 64]}


def test_a_silent_run_and_one_that_prints_too_much_fail(capsys: pytest.CaptureFixture[str]) -> None:
    """A run that says nothing for too long, or prints too much, fails at once; its neighbour does not."""
    events = play(2, job(STAYS_SILENT), job(PRINTS), job(FINE), stall_seconds=2.0)
    assert statuses(events) == {
        0: "failed: no progress for 2 s (--stall-seconds is the limit), thinking",
        1: "failed: it printed more than 1,048,576 bytes, after step 1",
        2: "finished",
    }
    assert {event.job: event.attempts for event in events if isinstance(event, Ended)} == {0: 1, 1: 1, 2: 1}
    assert 1 << 20 < len(capsys.readouterr().err) < 1 << 21


def own(seed: int, tmp_path: Path) -> Job:
    """A run with a user's layer, which the player never runs."""
    path = tmp_path / "layer.py"
    path.write_text("class Layer: ...")
    return Job(replace(run_of(seed), layers=(f"{path}:Layer",)), Path("nowhere"))


def test_a_process_that_ran_a_users_code_takes_no_other_run(tmp_path: Path) -> None:
    events = play(1, job(FINE), job(FINE), own(FINE, tmp_path), own(FINE, tmp_path), job(FINE))
    workers = [event.worker for event in events if isinstance(event, JobProgress) and event.step == 0]
    assert workers[0] == workers[1] == workers[2]
    assert len(set(workers[2:])) == 3
    assert not any(alive(worker) for worker in workers)


def test_a_users_code_that_dies_is_not_tried_again(tmp_path: Path) -> None:
    """A user's code that takes its worker down fails the run at once, and the children that it left end."""
    events = play(1, own(LEAVES_A_CHILD, tmp_path), job(FINE))
    first, second = (event for event in events if isinstance(event, Ended))
    death, child = first.result["status"].split(", ")
    assert (death, first.attempts) == ("failed: worker died (exit status 5)", 1)
    deadline = time.monotonic() + 2.0
    while alive(int(child)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(int(child))
    assert second.result["status"] == "finished"


def test_the_workers_environment_is_theirs_alone() -> None:
    before = dict(os.environ)
    [ended] = [event for event in play(1, job(FINE)) if isinstance(event, Ended)]
    variables = ended.result["environment"]
    assert dict(os.environ) == before
    assert (variables["OMP_NUM_THREADS"], variables["MKL_NUM_THREADS"], variables["GOMP_SPINCOUNT"]) == ("1", "1", "0")
    if sys.platform == "linux":
        assert variables["MALLOC_MMAP_MAX_"] == "0"


def test_workers_that_do_not_start_end_the_sweep(tmp_path: Path) -> None:
    (tmp_path / "player.py").write_text("raise SystemExit(4)")
    with pytest.raises(ChildProcessError, match=r"workers do not start: 3 in a row ended with exit status 4"):
        play(2, job(FINE))


def test_no_workers_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"Supervisor\(workers=0\)"):
        Supervisor(0)
    with pytest.raises(ValueError, match=r"stall_seconds is above 0"):
        Supervisor(1, 0.0)


def test_an_interrupt_stops_workers_that_hang_within_two_seconds() -> None:
    pids: list[int] = []
    begun = 0.0

    def hang() -> None:
        nonlocal begun
        with Supervisor(2) as supervisor:
            for event in supervisor.run([job(HANGS), job(HANGS)]):
                if isinstance(event, JobProgress) and event.step == 2:
                    pids.append(event.worker)
                    if len(pids) == 2:
                        begun = time.monotonic()
                        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()

    with pytest.raises(KeyboardInterrupt):
        hang()
    assert time.monotonic() - begun < 2.0
    assert len(pids) == 2
    assert not any(alive(pid) for pid in pids)


def test_a_worker_without_its_parent_ends_by_itself() -> None:
    ours, theirs = Pipe()
    nobody = os.getpid() + 1
    command = [sys.executable, "-P", str(WORKER), str(theirs.fileno()), str(nobody)]
    begun = time.monotonic()
    assert subprocess.run(command, pass_fds=[theirs.fileno()], timeout=10, check=False).returncode == 1
    assert time.monotonic() - begun < 2.0
    assert not ours.poll()


def test_a_sweep_gives_rows_in_order_and_trains_equal_runs_once(tmp_path: Path) -> None:
    listener = Listener()
    with Store(tmp_path / "store.db") as store:
        runs = [run_of(seed) for seed in (3, 1, 3, 2, KILLED)]
        rows = sweep(runs, store, "trial", workers=2, progress=listener)
        assert [row.key for row in rows] == [run.key() for run in runs]
        assert [row.run for row in rows] == runs
        assert [row.finished for row in rows] == [True, True, True, True, False]
        assert sorted(listener.handed_over()) == [1, 2, 3, KILLED, KILLED, KILLED]
        assert sorted(listener.finished) == [1, 2, 3, KILLED]
        assert (listener.finished_before, listener.closed) == (0, True)
        assert store.rows("trial") == sorted({row.key: row for row in rows}.values(), key=lambda row: row.key)


def test_a_sweep_trains_only_what_is_not_finished(tmp_path: Path) -> None:
    runs = [run_of(seed) for seed in (1, 2, RAISES)]
    with Store(tmp_path / "store.db") as store:
        before = sweep(runs[1:], store, "trial", workers=1)
        listener = Listener()
        rows = sweep(runs, store, "trial", workers=1, progress=listener)
        assert listener.handed_over() == [1, RAISES]
        assert listener.finished_before == 1
        assert rows[1:] == before
        assert rows[2].status == "failed: ValueError: no"


def test_what_of_the_store_is_trained_again(tmp_path: Path) -> None:
    """A run that was trained in another environment is trained again; one that another experiment trained is not."""
    older = environment() | {"torch": "2.10.0"}
    with Store(tmp_path / "store.db") as store:
        [mine, other] = sweep([run_of(1), run_of(2)], store, "first", workers=1)
        with store.driving():
            store.record(replace(mine, environment=older), seconds=1.0, attempts=1)
        listener = Listener()
        rows = sweep([run_of(1), run_of(2)], store, "second", workers=1, progress=listener)
        assert listener.handed_over() == [1]
        assert [row.environment for row in rows] == [environment()] * 2
        assert rows[1] == replace(other, experiment="second")
        assert store.finished("second") == sorted(rows, key=lambda row: row.key)
        assert [row.environment for row in store.get(run_of(1).key())] == [older, environment()]


def test_a_checkpoint_of_another_environment_is_not_offered(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        with store.driving():
            store.record_checkpoint(run_of(1).key(), 10, ("a" * 64,), environment())
            store.record_checkpoint(run_of(2).key(), 10, ("b" * 64,), environment() | {"threads": 2})
        rows = sweep([run_of(1), run_of(2)], store, "trial", workers=1)
        assert [row.result["digests"] for row in rows] == [["a" * 64], []]


def test_a_row_is_reported_once_it_is_on_disk(tmp_path: Path) -> None:
    reported: list[Row] = []

    def on_row(row: Row) -> None:
        with Store(tmp_path / "store.db", create=False) as another:
            assert another.get(row.key) == [row]
        reported.append(row)

    with Store(tmp_path / "store.db") as store:
        rows = sweep([run_of(1), run_of(2)], store, "trial", workers=1, on_row=on_row)
    assert reported == rows


def test_a_second_sweep_is_refused(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as first, Store(tmp_path / "store.db") as second, first.driving():
        with pytest.raises(StoreUnavailable, match="another sweep writes to this store"):
            sweep([run_of(1)], second, "trial", workers=1)
        assert first.rows() == []

"""A sweep whose workers say nothing for long still says where it stands; and a sweep tells its display what is left."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from seqsep.lab import progress
from seqsep.lab.device import environment
from seqsep.lab.engines import local
from seqsep.lab.engines.engine import Ended, EngineJob, Event, Heartbeat, JobProgress
from seqsep.lab.progress import Display, Lines
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import Sweep, sweep
from support.player import let_workers_play, run_of

SILENT = """
    send(kind="progress", step=1, accuracy=None)
    time.sleep(0.8)
    send(kind="result", result=RESULT | {"seed": seed})
"""


class Silent:
    """An engine whose one run says that it begins, and then nothing for 100 s of the clock `now`."""

    def __init__(self) -> None:
        self.now = 0.0

    def __enter__(self) -> "Silent":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    def environment(self) -> dict[str, Any]:
        return environment()

    def run(self, jobs: Sequence[EngineJob]) -> Iterator[Event]:
        yield JobProgress(0, worker=7, step=0, accuracy=None)
        for _ in range(100):
            self.now += 1.0
            yield Heartbeat()
        yield Ended(0, {"status": "failed: no"}, seconds=100.0, attempts=1)


def test_a_line_every_30_s_while_no_run_says_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = Silent()
    run = run_of(1)
    with Store(tmp_path / "store.db") as store:
        sweep([run], store, "trial", engine=engine, progress=Lines(clock=lambda: engine.now))
    *standing, ended = capsys.readouterr().err.splitlines()
    assert standing == [f"[0/1] no step measured yet: {run.label()} at 0/{run.steps}"] * 3
    assert ended.startswith("[1/1] ")


class Failing(Silent):
    """An engine whose run fails with a text for a terminal."""

    def run(self, jobs: Sequence[EngineJob]) -> Iterator[Event]:
        yield Ended(0, {"status": "failed: no\n\x1b[2J1 finished"}, seconds=1.0, attempts=1)


def test_the_text_of_a_failure_has_no_control_characters(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        [row] = sweep([run_of(1)], store, "trial", engine=Failing())
        assert row.status == "failed: no \\u001b[2J1 finished"
        assert store.rows() == [row]


def test_a_silent_worker_keeps_nobody_from_looking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The supervisor looks at a worker that says nothing, and the display says a line meanwhile."""
    let_workers_play(SILENT, tmp_path, monkeypatch)
    monkeypatch.setattr(local, "SECONDS_BETWEEN_LOOKS", 0.05)
    monkeypatch.setattr(progress, "MOST_SECONDS_BETWEEN_LINES", 0.2)
    run = run_of(1)
    with Store(tmp_path / "store.db") as store:
        sweep([run], store, "trial", workers=1, progress=Lines())
    lines = capsys.readouterr().err.splitlines()
    assert sum(line == f"[0/1] no step measured yet: {run.label()} at 1/{run.steps}" for line in lines) >= 2


class Told(Display):
    """Keeps what it is told of the steps that are left."""

    def begin(self, runs: Sequence[Run], finished: int) -> None:
        self.known = (dict(self.pauses), dict(self.starts), dict(self.later))


def test_a_display_is_told_what_is_left(tmp_path: Path) -> None:
    """The steps at which runs pause, those of their checkpoints, and those of the calls that follow."""
    first, second = run_of(1), run_of(2)
    told = Told()

    def later(pauses: Mapping[Run, int]) -> Mapping[Run, float]:
        return {run: step / 2 for run, step in pauses.items()}

    with Store(tmp_path / "store.db") as store:
        with store.driving():
            store.record_checkpoint(second.key(), 40, ("a" * 64,), environment())
        with Sweep(store, "trial", Silent(), show=lambda: told) as opened:
            opened.later = later
            with pytest.raises(KeyError):  # the second run never ends
                opened.train([first, second], {first: 100})
    assert told.known == ({first: 100}, {second: 40}, {first: 50.0})

"""A line of a worker that is not a message fails its run and no other, and a driver that stood still blames nobody."""

import time
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import pytest

from seqsep.lab.engines import local
from support.player import job, let_workers_play, play, statuses

BEGINS = '    send(kind="progress", step=1, accuracy=None)\n'
ENDS = '    send(kind="result", result={"status": "finished"})\n'
SAID = {
    "no JSON": ('connection.send_bytes(b"{oops")', "what its process sent is not a message: b'{oops'"),
    "no object": ('connection.send_bytes(b"[1]")', "what its process sent is not a message: b'[1]'"),
    "no kind": ('send(kind="else")', "what its process sent is not a message: "),
    "a field that is missing": ('send(kind="progress", step=1)', "what its process sent is not a message: "),
    "a field of another type": ('send(kind="progress", step="x", accuracy=2)', "what its process sent is not a message: "),
    "a length that none has": ('os.write(connection.fileno(), b"\\xff" * 8)', "what its process sent is not a message"),
    "half a message": ('os.write(connection.fileno(), b"\\0\\0\\0\\x50{"); time.sleep(60)', "no progress for 5 s"),
    "half a length": ('os.write(connection.fileno(), b"\\0\\0"); time.sleep(60)', "no progress for 5 s"),
}


@pytest.mark.parametrize("said", SAID)
def test_what_is_no_message_fails_its_run_alone(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statement, error = SAID[said]
    player = BEGINS + f"    if seed == 99:\n        {statement}\n" + ENDS
    let_workers_play(player, tmp_path, monkeypatch)
    begun = time.monotonic()
    ended = statuses(play(2, job(99), job(1), stall_seconds=5.0 if "half" in said else 60.0))
    assert ended[0].startswith(f"failed: {error}")
    assert ended[1] == "finished"
    assert time.monotonic() - begun < 60


def test_texts_of_a_worker_are_made_printable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = BEGINS + '    send(kind="failure", error="ValueError: \\ud800 caf\\u00e9")\n    continue\n' + ENDS
    let_workers_play(player, tmp_path, monkeypatch)
    assert statuses(play(1, job(1))) == {0: "failed: ValueError: \\ud800 café"}


def test_a_pause_of_the_driver_is_no_stall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a pause of the whole machine: the driver stands still for longer than a worker may be silent."""
    player = BEGINS + "    time.sleep(6.0)\n" + ENDS
    let_workers_play(player, tmp_path, monkeypatch)
    waited = []

    def pausing(objects: Any, timeout: float) -> Any:
        if len(waited) == 3:
            time.sleep(5.0)
        waited.append(timeout)
        return wait(objects, timeout)

    monkeypatch.setattr(local, "wait", pausing)
    assert statuses(play(1, job(99), stall_seconds=3.0)) == {0: "finished"}
    assert len(waited) > 3

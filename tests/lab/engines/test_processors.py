"""Rows name the processor that trained them; rows of several processors may share a store, their checkpoints may not."""

import json
import threading
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path

import pytest

from seqsep.lab import device
from seqsep.lab.device import but_for_processor, environment, processor
from seqsep.lab.engines import worker
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from seqsep.models import mixers
from seqsep.tasks import IndexLookup
from support.player import let_workers_play

ELSEWHERE = "Vendor 1.2, AVX2"
PLAYER = """
    where = {"processor": {"processor": "Vendor 1.2, AVX2"}} if seed == 2 else {}
    send(kind="result", result=RESULT | {"seed": seed}, **where)
"""


@pytest.fixture(autouse=True)
def player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    let_workers_play(PLAYER, tmp_path, monkeypatch)


def run_of(seed: int) -> Run:
    return Run(task=IndexLookup(length=5, alphabet=4), layers=("lstm",), width=8, seed=seed)


def test_a_row_names_the_processor_that_trained_it(tmp_path: Path) -> None:
    """The worker tells, as it may run on another machine than the driver."""
    with Store(tmp_path / "store.db") as store:
        here, there = sweep([run_of(1), run_of(2)], store, "trial", workers=1)
    assert here.environment == environment()
    assert there.environment == but_for_processor(environment()) | {"processor": ELSEWHERE}


def test_rows_of_another_processor_are_kept(tmp_path: Path) -> None:
    """They are finished, and another experiment takes them over with their processor."""
    elsewhere = environment() | {"processor": ELSEWHERE}
    with Store(tmp_path / "store.db") as store:
        [row] = sweep([run_of(1)], store, "first", workers=1)
        with store.driving():
            store.record(replace(row, environment=elsewhere), seconds=1.0, attempts=1)
        [same] = sweep([run_of(1)], store, "first", workers=1)
        [taken_over] = sweep([run_of(1)], store, "second", workers=1)
    assert same.environment == taken_over.environment == elsewhere


def test_checkpoints_of_another_processor_do_not_count(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        with store.driving():
            store.record_checkpoint(run_of(3).key(), 10, ("a" * 64,), environment() | {"processor": ELSEWHERE})
        assert store.checkpoint(run_of(3).key(), environment()) is None


@pytest.mark.parametrize(("multiplies", "expected"), [("oneDNN", "oneDNN in large linear layers"), (None, None)])
def test_products_are_named_of_a_cpu_only(
    monkeypatch: pytest.MonkeyPatch, multiplies: str | None, expected: str | None
) -> None:
    """They are there exactly if large linear layers go to oneDNN, which those of a GPU do not; a worker's rows agree."""
    monkeypatch.setattr(mixers, "products_in_use", lambda: multiplies)
    monkeypatch.setattr(device, "kind_of_gpu", lambda: "Graphics 9")
    assert environment().get("products") == processor().get("products") == expected
    assert ("products" in environment()) == (expected is not None)
    assert "products" not in environment("cuda") | processor("cuda")


@pytest.mark.parametrize("place", ["cpu", "cuda"])
def test_a_worker_sends_the_processor_of_its_device(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    ours, theirs = Pipe()
    monkeypatch.setattr(device, "prepare", lambda where: None)
    monkeypatch.setattr(device, "leave", lambda where: None)
    monkeypatch.setattr(device, "processor", lambda where: {"processor": f"that of {where}"})
    monkeypatch.setattr(worker, "work", lambda *given: {"status": "finished"})
    ours.send_bytes(b"{}")
    serving = threading.Thread(target=worker.serve, args=(theirs, place))
    serving.start()
    assert json.loads(ours.recv_bytes())["kind"] == "ready"
    assert json.loads(ours.recv_bytes())["processor"] == {"processor": f"that of {place}"}
    ours.close()
    serving.join(10.0)

"""The engine `ray` without Ray: its driver and its actors, which are in this process and can be lost at will."""

import hashlib
import os
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from seqsep.lab import device
from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.engines import ray as ray_driver
from seqsep.lab.engines import ray_worker
from seqsep.lab.engines.engine import Ended, EngineUnavailable, Heartbeat, JobProgress, Saved
from seqsep.lab.engines.job import Job
from seqsep.lab.engines.ray import RayEngine
from seqsep.lab.engines.ray_connection import RayConnection
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup
from support.fake_ray import FakeRay, Lost, Question
from support.player import let_workers_play

# Says how it was started, saves two checkpoints, and prints; with seed 8 it takes its time, with seed 9 it fails.
PLAYER = """
    place = Path(message["checkpoint"])
    file = lambda digest: place.with_name(f"{place.stem}.{digest[:16]}{place.suffix}")
    kept = list(message["digests"])
    started = next((file(digest).read_text() for digest in kept if file(digest).exists()), None)
    for step in (10, 20):
        send(kind="progress", step=step, accuracy=None)
        data = f"{step} of {seed}"
        kept = [hashlib.sha256(data.encode()).hexdigest(), *kept][:2]
        file(kept[0]).write_text(data)
        send(kind="checkpoint", step=step, digests=kept)
        time.sleep(0.3 if seed == 8 else 0)
    print("printed by", seed, flush=True)
    if seed == 9:
        send(kind="failure", error="ValueError: no")
        continue
    files = {Path(path).name: Path(path).read_text() for path in message["files"].values()}
    places = list(message["files"].values())
    send(kind="result", result={"status": "finished", "started": started, "digests": message["digests"], "files": files,
         "places": places, "checkpoint": str(place), "device": sys.argv[3]})
"""


@pytest.fixture(autouse=True)
def player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    let_workers_play(PLAYER, tmp_path, monkeypatch)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "node"))
    (tmp_path / "node").mkdir()
    monkeypatch.setattr("tempfile.tempdir", None)


def job(seed: int, folder: Path, **fields: Any) -> Job:
    run = Run(task=IndexLookup(length=5, alphabet=4), layers=("lstm",), width=8, seed=seed)
    return Job(run, folder / "store" / f"{seed}.safetensors", **fields)


def play(fake: FakeRay, jobs: list[Job], monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[Any]:
    monkeypatch.setattr(RayConnection, "open", lambda self: fake)
    monkeypatch.setattr(ray_driver, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(ray_driver, "ANSWERS_A_SECOND", float("inf"))  # every answer holds one event
    with RayEngine(**options) as engine:
        return list(engine.run(jobs))


def ended(events: list[Any]) -> dict[int, Ended]:
    ends = [event for event in events if isinstance(event, Ended)]
    assert len({event.job for event in ends}) == len(ends)
    return {event.job: event for event in ends}


def test_events_checkpoints_and_prints_come_back(tmp_path, monkeypatch, capsys) -> None:
    jobs = [job(seed, tmp_path) for seed in (1, 2, 9, 4)]
    events = play(FakeRay(), jobs, monkeypatch)
    statuses = [ended(events)[at].result["status"] for at in range(4)]
    assert statuses == ["finished", "finished", "failed: ValueError: no", "finished"]
    for at, seed in enumerate((1, 2, 9, 4)):
        of_job = [event for event in events if not isinstance(event, Heartbeat) and event.job == at]
        assert isinstance(of_job[0], JobProgress)
        assert of_job[0].step == 0
        assert isinstance(of_job[-1], Ended)
        last = [event for event in of_job if isinstance(event, Saved)][-1]
        digest = hashlib.sha256(f"20 of {seed}".encode()).hexdigest()
        assert (last.step, last.digests[0]) == (20, digest)
        assert all(checkpoint_file(jobs[at].checkpoint, one).exists() for one in last.digests)
        assert checkpoint_file(jobs[at].checkpoint, digest).read_text() == f"20 of {seed}"
    assert sorted(capsys.readouterr().err.split("\n")) == ["", *(f"printed by {seed}" for seed in (1, 2, 4, 9))]
    assert list((tmp_path / "node").iterdir()) == []
    assert list((tmp_path / "store").glob("*.tmp")) == []


def test_a_run_starts_from_the_checkpoint_that_the_driver_has(tmp_path, monkeypatch) -> None:
    there = job(1, tmp_path, digests=("d" * 64,))
    gone = job(2, tmp_path, digests=("e" * 64,))
    there.checkpoint.parent.mkdir()
    checkpoint_file(there.checkpoint, "d" * 64).write_text("5 of 1")
    ends = ended(play(FakeRay(), [there, gone], monkeypatch))
    assert (ends[0].result["started"], ends[0].result["digests"]) == ("5 of 1", ["d" * 64])
    assert ends[1].result["started"] is None
    assert not Path(ends[0].result["checkpoint"]).is_relative_to(tmp_path / "store")


def test_runs_of_a_lost_worker_go_on_from_checkpoints(tmp_path, monkeypatch) -> None:
    """The runs of a lost worker run again, from their last checkpoints."""
    fake = FakeRay(lose=[3])
    events = play(fake, [job(seed, tmp_path) for seed in (8, 2, 3)], monkeypatch, workers=1)
    assert [end.attempts for end in ended(events).values()] == [2, 1, 1]
    assert [event.job for event in events if isinstance(event, JobProgress) and event.step == 0] == [0, 0, 1, 2]
    assert [event.job for event in events if isinstance(event, Ended)] == [0, 1, 2]
    assert [event.step for event in events if isinstance(event, Saved) and event.job == 0] == [10, 10, 20]
    assert ended(events)[0].result["started"] == "10 of 8"
    assert ended(events)[0].seconds > 0.6
    assert len(fake.killed) == 2


def test_a_run_whose_workers_are_lost_three_times_fails(tmp_path, monkeypatch) -> None:
    """A run whose workers are lost three times without a checkpoint has failed, and the others go on."""
    fake = FakeRay(lose=[0, 0, 0])
    ends = ended(play(fake, [job(1, tmp_path), job(2, tmp_path)], monkeypatch, workers=1))
    lost = "failed: worker lost 3 times without a checkpoint (Lost: the node is gone)"
    assert (ends[0].result, ends[0].attempts) == ({"status": lost}, 3)
    assert (ends[1].result["status"], ends[1].attempts) == ("finished", 1)


def test_losses_with_a_checkpoint_between_them_are_no_failure(tmp_path, monkeypatch) -> None:
    fake = FakeRay(lose=[3, 3, 3, 3])
    ends = ended(play(fake, [job(8, tmp_path)], monkeypatch, workers=1))
    assert (ends[0].result["status"], ends[0].result["started"], ends[0].attempts) == ("finished", "10 of 8", 5)


def test_batches_shrink_so_that_no_worker_waits_for_another(tmp_path, monkeypatch) -> None:
    fake = FakeRay()
    assert len(ended(play(fake, [job(seed, tmp_path) for seed in range(10, 40)], monkeypatch))) == 30
    assert fake.batches[0] == 30 // (4 * 2)
    assert fake.batches == sorted(fake.batches, reverse=True)
    assert fake.batches[-1] == 1


def test_plug_ins_go_as_bytes_where_the_node_does_not_have_them(tmp_path, monkeypatch) -> None:
    path = tmp_path / "layer.py"
    path.write_text("class Layer: ...")
    one = replace(job(1, tmp_path), run=replace(job(1, tmp_path).run, layers=(f"{path}:Layer",)))
    result = ended(play(FakeRay(), [one], monkeypatch))[0].result
    assert result["places"] == [str(path)]
    order = ray_worker.RayJob.of(one, ())
    path.unlink()
    node = ray_worker.RayWorker(60.0, str(tmp_path / "node"))
    [_, *_, last] = [event for _ in range(20) for event in node.work([order] if not node.batch else [], 0.5).events]
    assert last.result["files"] == {"layer.py": "class Layer: ..."}
    assert Path(last.result["places"][0]).is_relative_to(tmp_path / "node")
    node.stop()
    assert list((tmp_path / "node").iterdir()) == []


def test_a_plug_in_that_is_gone_fails_its_run_and_not_the_sweep(tmp_path, monkeypatch) -> None:
    path = tmp_path / "layer.py"
    path.write_text("class Layer: ...")
    one = replace(job(1, tmp_path), run=replace(job(1, tmp_path).run, layers=(f"{path}:Layer",)))
    path.unlink()
    ends = ended(play(FakeRay(), [one, job(2, tmp_path)], monkeypatch))
    assert ends[0].result["status"].startswith("failed: worker died (")
    assert ends[1].result["status"] == "finished"


def test_two_checkpoints_stay_on_a_node(tmp_path) -> None:
    """The last two checkpoints stay on a node, and a spoiled one is not sent."""
    node = ray_worker.RayWorker(60.0, str(tmp_path / "node"))
    node.batch = [ray_worker.RayJob.of(job(1, tmp_path), ()).unpacked(Path(node.folder.name))]
    place = Path(node.batch[0].content["checkpoint"])
    early, late = (hashlib.sha256(str(step).encode()).hexdigest() for step in (10, 20))
    checkpoint_file(place, early).write_bytes(b"spoiled")
    checkpoint_file(place, late).write_bytes(b"20")
    first = Saved(0, 10, (early,))
    second = Saved(0, 20, (late, early))
    assert node._answer([first, second], "").checkpoints == {0: b"20"}
    assert checkpoint_file(place, early).exists()
    assert node._answer([Saved(0, 20, (late,))], "").checkpoints == {0: b"20"}
    assert not checkpoint_file(place, early).exists()
    checkpoint_file(place, early).write_bytes(b"spoiled")
    assert node._answer([first], "").events == []
    node.stop()


def test_a_worker_with_another_torch_or_other_sources_is_refused(tmp_path, monkeypatch) -> None:
    ours = ray_worker.identity({})
    for name in ("torch", "seqsep"):
        fake = FakeRay(identity={"host": "node7, process 5", name: "another"})
        words = ", ".join(f"{part} {ours[part]}" for part in ("seqsep", "torch"))
        with pytest.raises(EngineUnavailable) as refused:
            play(fake, [job(1, tmp_path)], monkeypatch)
        another = words.replace(f"{name} {ours[name]}", f"{name} another")
        assert str(refused.value) == f"worker on node7, process 5: expected {words}, found {another}"


def test_a_digest_of_the_sources_tells_versions_apart(tmp_path, monkeypatch) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("1")
    monkeypatch.setattr(ray_worker.seqsep, "__file__", str(tmp_path / "package" / "__init__.py"))
    before = ray_worker.identity({})["seqsep"]
    (tmp_path / "package" / "other.py").write_text("2")
    assert ray_worker.identity({})["seqsep"] != before


def test_workers_that_do_not_start_end_the_sweep(tmp_path, monkeypatch) -> None:
    with pytest.raises(ChildProcessError, match=r"^workers do not start: 3 in a row ended with Lost: no room$"):
        play(FakeRay(unborn=9), [job(1, tmp_path)], monkeypatch)
    assert ended(play(FakeRay(unborn=2), [job(1, tmp_path)], monkeypatch))[0].attempts == 1


class Silent(FakeRay):
    """Answers nothing at first."""

    rounds = 10

    def wait(self, questions: list[Question], num_returns: int, timeout: float) -> Any:
        self.rounds -= 1
        return ([], questions) if self.rounds >= 0 else super().wait(questions, num_returns, timeout)


def test_the_driver_looks_around_while_no_actor_answers(tmp_path, monkeypatch) -> None:
    events = play(Silent(), [job(1, tmp_path)], monkeypatch)
    assert events[:5] == [Heartbeat()] * 5
    assert ended(events)[0].result["status"] == "finished"


@pytest.mark.parametrize("own", [True, None])
def test_the_end_of_a_ray_of_this_machine_ends_the_sweep(own, tmp_path, monkeypatch) -> None:
    """If its only node is lost, no other can come; a named cluster is waited for."""

    class Lonely(Silent):
        def nodes(self) -> list[dict[str, Any]]:
            return super().nodes() if self.rounds == 10 else []

    monkeypatch.setattr(RayConnection, "__init__", lambda self, *given: setattr(self, "folder", own and str(tmp_path)))
    monkeypatch.setattr(RayConnection, "close", lambda self: None)
    refused = pytest.raises(EngineUnavailable, match=r"expected its node to be alive, found that it has ended$")
    with refused if own else nullcontext():
        assert ended(play(Lonely(), [job(1, tmp_path)], monkeypatch))[0].result["status"] == "finished"


def test_no_node_with_room_is_refused(tmp_path, monkeypatch) -> None:
    words = r"expected a node with 1 CPU and 0.25 GPU for a run, found 2 CPU, 0 GPU$"
    with pytest.raises(EngineUnavailable, match=words):
        play(FakeRay(), [job(1, tmp_path)], monkeypatch, gpus_per_run=0.25)
    with pytest.raises(EngineUnavailable, match=r"expected a node with 1 CPU for a run, found 0.5 CPU$"):
        play(FakeRay(cores=0.5), [job(1, tmp_path)], monkeypatch)


def test_runs_that_reserve_gpus_compute_on_them(tmp_path, monkeypatch) -> None:
    """The GPUs here are a name that the first actor says; runs of another kind of GPU are refused."""
    monkeypatch.setattr(device, "kind_of_gpu", lambda: "Graphics 9")
    monkeypatch.setattr(device, "gpus", lambda: ["0"])
    fake = FakeRay(gpus=1.0)
    monkeypatch.setattr(RayConnection, "open", lambda self: fake)
    with RayEngine(gpus_per_run=0.5) as engine:
        assert engine.environment() == device.environment("cuda")
        ends = ended(list(engine.run([job(1, tmp_path), job(2, tmp_path)])))
    assert [ends[at].result["device"] for at in (0, 1)] == ["cuda", "cuda"]
    assert fake.options["num_gpus"] == 0.5
    assert len(fake.killed) == 2  # the one that was asked has worked too
    others = iter(["Graphics 9", "Graphics 10"])
    fake = FakeRay(gpus=1.0)
    monkeypatch.setattr(device, "kind_of_gpu", lambda: next(others))
    with RayEngine(gpus_per_run=0.5, workers=2) as engine:
        assert engine.environment()["device"] == "Graphics 9"
        with pytest.raises(EngineUnavailable, match=r"expected .*device Graphics 9, .*found .*device Graphics 10, "):
            list(engine.run([job(1, tmp_path), job(2, tmp_path)]))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_gpus_that_ray_was_told_of_and_torch_does_not_find(tmp_path, monkeypatch) -> None:
    class Refused(FakeRay):
        def get(self, question: Question) -> Any:
            try:
                return question.call()
            except EngineUnavailable as error:
                raise Lost(str(error)) from error  # Ray raises an error of its own for one of an actor's call

    fake = Refused(gpus=1.0)
    monkeypatch.setattr(RayConnection, "open", lambda self: fake)
    with RayEngine(gpus_per_run=0.5) as engine:
        for _ in range(2):
            with pytest.raises(EngineUnavailable, match="expected a GPU that torch can use"):
                engine.environment()
    assert len(fake.killed) == 2


@pytest.mark.parametrize("bad", [{"workers": 0}, {"stall_seconds": 0.0}, {"gpus_per_run": 1.5}, {"gpus_per_run": -0.1}])
def test_wrong_arguments(bad: dict[str, Any]) -> None:
    [name] = bad
    with pytest.raises(ValueError, match=rf"^RayEngine\({name}={bad[name]}\): {name} is "):
        RayEngine(**bad)


def test_ray_that_is_not_installed_is_one_line(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    before = dict(os.environ)
    with pytest.raises(EngineUnavailable, match=r"not installed .*: pip install '\.\[cluster\]'"), RayEngine() as engine:
        list(engine.run([job(1, tmp_path)]))
    assert dict(os.environ) == before


def test_an_actor_without_gpus_needs_no_torch() -> None:
    """It takes seconds and hundreds of megabytes to load, and the training process of the actor loads its own."""
    code = "import sys; from seqsep.lab.engines import ray_worker; ray_worker.identity({}); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_to_do_needs_no_ray(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with RayEngine() as engine:
        assert list(engine.run([])) == []

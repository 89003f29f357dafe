"""Devices: every layer stays on the one it is given, workers share GPUs, rows and checkpoints say where they come from.

Without a GPU the layers run on the device `meta`, whose tensors have no numbers and refuse to meet those of the processor.
"""

import os
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from seqsep.commands import cli
from seqsep.lab import checkpoint as checkpoint_module
from seqsep.lab import device, estimate
from seqsep.lab.checkpoint import CheckpointError
from seqsep.lab.device import at_once, environment, gpus, variables
from seqsep.lab.engines.engine import Ended, EngineUnavailable
from seqsep.lab.engines.job import Job
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.run import Run
from seqsep.lab.step import asked, computing, total_loss
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from seqsep.lab.train import train
from seqsep.models.mixers import BY_NAME as MIXERS
from seqsep.models.mixers import _kernels
from seqsep.tasks import BoundedDyck, Equality, IndexLookup, NearestNeighbor, Task
from support.player import let_workers_play

META = torch.device("meta")
GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU that torch can use")
NO_GPU = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
TASKS = (IndexLookup(12, 8), BoundedDyck(12), Equality(12, variant="next"), NearestNeighbor(12))


def run_of(layer: str, task: Task = TASKS[0], **fields: Any) -> Run:
    chosen = {"width": 16, "steps": 20, "batch": 8, "evaluate_every": 10, "evaluation": 16, "learning_rate": 1e-3} | fields
    return Run(task, (layer, layer), **chosen)


def batch_of(task: Task) -> Any:
    return task.sample(0, 8, 0, evaluate=True)


@pytest.fixture
def without_autocast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some layers switch autocast off around a scan; there is none for `meta`."""
    monkeypatch.setattr(torch, "autocast", lambda *given, **named: nullcontext())


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
@pytest.mark.parametrize("name", MIXERS)
def test_what_a_step_computes_stays_on_the_device(name: str, task: Task, without_autocast: None) -> None:
    run = run_of(name, task, positions="sinusoidal")
    model = run.model().to(META)
    logits, targets = asked(model, batch_of(task))
    loss = total_loss(task, logits, targets)
    assert (logits.device, targets.device, loss.device) == (META, META, META)
    loss.backward()
    gradients = [weight.grad for weight in model.parameters() if weight.grad is not None]
    assert len(gradients) >= len(list(model.parameters())) - 2 * len(run.layers)  # keys that no question needs have none
    assert {gradient.device for gradient in gradients} == {META}


@pytest.mark.parametrize("name", MIXERS)
def test_states_stay_on_the_device(name: str, without_autocast: None) -> None:
    model = run_of(name).model().to(META)
    tokens = torch.zeros(3, 5, dtype=torch.long, device=META)
    state = model.start(3)
    for t in range(2):
        logits, state = model.step(tokens[:, t], state, t)
        assert logits.device == META
    for mixer in (block.mixer for block in model.blocks):
        x = torch.zeros(3, 4, 16, device=META)
        after = mixer.prefill(x, mixer.start(3), 0)
        assert mixer.step_output(x[:, 0], mixer.start(1), 0).device == META
        assert {part.device for layer in (*state, after) for part in layer} == {META}


def test_meta_would_tell(without_autocast: None) -> None:
    """A layer that makes a tensor on the processor does not pass unseen."""
    model = run_of("attention").model().to(META)
    model.blocks[0].mixer.forward_at = lambda x, at: x[:, 0] + torch.zeros(16)
    model.blocks[1].mixer.forward = model.blocks[1].mixer.forward_at = lambda x, at=None: x[:, -1] + torch.zeros(16)
    with pytest.raises(RuntimeError, match="device"):
        asked(model, batch_of(TASKS[0]))


def test_precision_follows_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def autocast(*given: Any, **named: Any) -> Any:
        seen.append((given, named))
        return nullcontext()

    monkeypatch.setattr(torch, "autocast", autocast)
    run = run_of("lstm")
    computing(run.model(), run.dtype)
    assert seen == []
    half = replace(run, dtype="bfloat16")
    computing(half.model(), half.dtype)
    computing(half.model().to(META), half.dtype)
    assert seen == [(("cpu",), {"dtype": torch.bfloat16}), (("meta",), {"dtype": torch.bfloat16})]


@NO_GPU
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_a_gpu_that_is_not_there_is_one_line_with_status_3(dry: list[str], tmp_path: Path, capsys: Any) -> None:
    command = ["run", "index-lookup-architectures", "--device", "cuda", "--store", str(tmp_path / "store.db"), *dry]
    assert cli.main(command) == 3
    built = "" if torch.version.cuda else ", which is built without CUDA"
    expected = f"device cuda: expected a GPU that torch can use, found none (torch {torch.__version__}{built})"
    assert capsys.readouterr().err == f"seqsep run: {expected}\n"
    assert Store(tmp_path / "store.db").rows() == [] if not dry else not (tmp_path / "store.db").exists()


def test_device_and_engine_that_do_not_go_together(capsys: Any) -> None:
    assert cli.main(["run", "index-lookup-architectures", "--device", "cuda", "--engine", "ray"]) == 2
    assert capsys.readouterr().err == "seqsep run: --device cuda: expected --gpus-per-run in its place with --engine ray\n"
    with pytest.raises(ValueError, match=r"^Supervisor\(device='gpu'\): device is cpu or cuda$"):
        Supervisor(1, device="gpu")


def pretend(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: bool(names))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(names))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda at: names[at if isinstance(at, int) else at.index or 0])


def test_rows_name_the_gpu_and_one_kind_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEQSEP_KERNELS", raising=False)
    monkeypatch.setattr(_kernels, "installed", lambda: None)
    pretend(monkeypatch, "Graphics 9", "Graphics 9")
    on_a_gpu = {name: value for name, value in environment().items() if name != "products"} | {"device": "Graphics 9"}
    assert environment("cuda") == on_a_gpu
    monkeypatch.setattr(_kernels, "installed", lambda: "0.6.0")
    assert environment("cuda") == on_a_gpu | {"kernels": "fla 0.6.0"}
    monkeypatch.setenv("SEQSEP_KERNELS", "off")
    assert "kernels" not in environment("cuda")
    pretend(monkeypatch, "Graphics 9", "Graphics 10")
    with pytest.raises(
        EngineUnavailable, match="GPUs of one kind, found Graphics 10, Graphics 9; CUDA_VISIBLE_DEVICES chooses"
    ):
        environment("cuda")


def test_gpus_are_those_that_this_process_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "Graphics 9", "Graphics 9")
    assert gpus() == ["0", "1"]
    monkeypatch.setattr(device, "usable_cores", lambda: 16)
    assert (at_once("cuda"), at_once("cpu")) == (8, 16)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-5a, 7,-1,3")  # those after -1 are not seen
    assert gpus() == ["GPU-5a", "7"]
    monkeypatch.setattr(device, "usable_cores", lambda: 3)
    assert at_once("cuda") == 3
    assert variables("cpu", []) == {}
    assert variables("cuda", ["7", None])["CUDA_VISIBLE_DEVICES"] == "GPU-5a"
    assert variables("cuda", ["GPU-5a"])["CUDA_VISIBLE_DEVICES"] == "7"


PLAYER = """
    time.sleep(0.5)
    if seed == 3:
        os._exit(5)
    send(kind="result", result={"device": sys.argv[3], "gpu": os.environ.get("CUDA_VISIBLE_DEVICES")})
"""


def test_workers_share_the_gpus_also_after_a_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed 3 ends its worker, three times: whoever takes the place takes the GPU that was left."""
    let_workers_play(PLAYER, tmp_path, monkeypatch)
    pretend(monkeypatch, "Graphics 9", "Graphics 9")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,6")
    jobs = [Job(run_of("lstm", seed=seed), tmp_path / str(seed)) for seed in range(1, 9)]
    with Supervisor(4, 60.0, "cuda") as supervisor:
        results = [event.result for event in supervisor.run(jobs) if isinstance(event, Ended) and "gpu" in event.result]
        at_the_end = Counter(worker.variables["CUDA_VISIBLE_DEVICES"] for worker in supervisor.workers)
    assert {result["device"] for result in results} == {"cuda"}
    assert {result["gpu"] for result in results} == {"4", "6"}
    assert set(at_the_end.values()) <= {1, 2}
    with Supervisor(1, 60.0) as supervisor:
        [result] = [event.result for event in supervisor.run(jobs[:1]) if isinstance(event, Ended)]
    assert result == {"device": "cpu", "gpu": "4,6"}


FAILS = PLAYER.replace("os._exit(5)", "send(kind='failure', error='RuntimeError: CUDA error'); continue").replace(
    '"gpu": os', '"process": os.getpid(), "gpu": os'
)


def test_a_process_whose_gpu_failed_takes_no_other_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    let_workers_play(FAILS, tmp_path, monkeypatch)
    pretend(monkeypatch, "Graphics 9")
    jobs = [Job(run_of("lstm", seed=seed), tmp_path / str(seed)) for seed in (1, 3, 2)]
    for where, processes in (("cuda", 2), ("cpu", 1)):
        with Supervisor(1, 60.0, where) as supervisor:
            first, failed, last = (event.result for event in supervisor.run(jobs) if isinstance(event, Ended))
        assert failed == {"status": "failed: RuntimeError: CUDA error"}
        assert len({first["process"], last["process"]}) == processes


@pytest.mark.slow
def test_a_worker_is_set_up_for_its_device() -> None:
    """In a process of its own: these are settings of a whole process."""
    code = (
        "import torch; from seqsep.lab.device import prepare; prepare('cpu'); "
        "assert not torch.are_deterministic_algorithms_enabled(); made = []; "
        "torch.zeros = lambda *size, device: made.append(device); prepare('cuda'); assert made == ['cuda']; "
        "assert torch.are_deterministic_algorithms_enabled() and torch.is_deterministic_algorithms_warn_only_enabled(); "
        "assert not torch.utils.deterministic.fill_uninitialized_memory; assert torch.get_num_threads() == 1; "
        "found = {part.fp32_precision for part in (torch.backends.cudnn.conv, torch.backends.cudnn.rnn, "
        "torch.backends.cuda.matmul)}; assert found == {'ieee'}, found; "
        "assert not torch.backends.cudnn.allow_tf32 and not torch.backends.cuda.matmul.allow_tf32; "
        "assert torch.backends.cuda.math_sdp_enabled() and not torch.backends.cuda.flash_sdp_enabled(); "
        "assert not torch.backends.cuda.mem_efficient_sdp_enabled() and not torch.backends.cuda.cudnn_sdp_enabled()"
    )
    for variable in ({}, {"TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "1"}):
        done = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | variable, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_a_checkpoint_of_another_device_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    """A checkpoint of a GPU is refused on the processor, and the other way round."""
    run, digests = run_of("lstm"), dict[int, str]()
    with monkeypatch.context() as patched:  # a CUDA build of torch would look for it while it trains
        pretend(patched, "Graphics 9")
        of_gpu = checkpoint_module.workplace(torch.device("cuda:0"))
    assert of_gpu == checkpoint_module.workplace(torch.device("cpu")) | {"device": "Graphics 9"}
    train(run, tmp_path / "here", on_checkpoint=digests.__setitem__)
    with monkeypatch.context() as patched:
        patched.setattr(checkpoint_module, "workplace", lambda where: of_gpu)
        with pytest.raises(CheckpointError, match=r"expected a checkpoint of device Graphics 9, found one of device cpu$"):
            train(run, tmp_path / "here", resume_digest=digests[10])
        train(run, tmp_path / "there", on_checkpoint=digests.__setitem__)
    with pytest.raises(CheckpointError, match=r"expected a checkpoint of device cpu, found one of device Graphics 9$"):
        train(run, tmp_path / "there", resume_digest=digests[10])


def test_hours_on_gpus_count_each_run_alone(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    pretend(monkeypatch, "Graphics 9", "Graphics 9")
    prepared: list[str] = []
    monkeypatch.setattr(estimate, "prepare", prepared.append)
    monkeypatch.setattr(estimate, "measured", lambda run, where: {"cuda": 0.36, "cpu": 1.0}[where])
    run = run_of("lstm", steps=10_000, evaluate_every=10_000, evaluation=1)
    estimate.show_cost([run, replace(run, seed=1)], 0, 8, device="cuda")
    last = capsys.readouterr().out.splitlines()[-1]
    assert prepared == ["cuda"]
    assert last.startswith("estimate: about 1.0 h on 2 GPUs here, one run at a time on each, if each run takes all its steps. ")


@GPU
@pytest.mark.parametrize("name", MIXERS)
def test_a_gpu_computes_what_the_processor_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In float32, without kernels, against float64 on the processor: logits of two layers within 1e-3 of the largest."""
    monkeypatch.setenv(_kernels.SWITCH, "off")
    run = run_of(name, BoundedDyck(40), width=32)
    torch.manual_seed(0)
    model = run.model()
    block = run.task.sample(0, 8, 0, evaluate=True)
    expected = asked(model.double(), block)[0].detach()
    logits = asked(model.float().cuda(), block)[0].detach().cpu().double()
    assert float((logits - expected).abs().max() / expected.abs().max()) < 1e-3


@GPU
@pytest.mark.timeout(900)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_runs_share_a_gpu_and_resume_bit_for_bit(dtype: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without kernels, whose block sizes each process chooses by timing."""
    monkeypatch.setenv(_kernels.SWITCH, "off")
    runs = [run_of(name, steps=40, dtype=dtype) for name in MIXERS]
    sweeps = []
    for name, workers in (("one", 1), ("two", 3)):
        with Store(tmp_path / name) as store:
            sweeps.append(sweep(runs, store, "trial", engine=Supervisor(workers, device="cuda")))
    assert {row.status for row in sweeps[0]} <= {"finished", "converged"}
    assert [row.result for row in sweeps[0]] == [row.result for row in sweeps[1]]
    assert {row.environment["device"] for row in sweeps[0]} == {torch.cuda.get_device_name(0)}
    digests = dict[int, str]()
    whole, result = train(runs[0], tmp_path / "c", on_checkpoint=digests.__setitem__, device="cuda")
    again, resumed = train(runs[0], tmp_path / "c", resume_digest=digests[20], device="cuda")
    assert resumed == result
    for one, other in zip(whole.parameters(), again.parameters(), strict=True):
        assert np.array_equal(one.detach().cpu().numpy(), other.detach().cpu().numpy())

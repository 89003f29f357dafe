"""The engine `ray` on real Rays: rows are those of the engine `local`, whatever is killed; no process and no file is left.

`make verify` runs the longest one (long_ray.py).
"""

import os
import re
import runpy
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seqsep.commands import cli
from seqsep.lab.row import read_rows, write_rows
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep

ROOT = Path(__file__).parents[3]
OWN_LAYER_FILE = '''"""A user's layer, which says where it runs."""
import os
from torch import nn

class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        print("GPU", os.environ.get("CUDA_VISIBLE_DEVICES"))
    def forward(self, x):
        return self.linear(x)
    def start(self, batch):
        return ()
    def step(self, x, state, t):
        return self.linear(x), state
'''
EXPERIMENT = """
from pathlib import Path
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup

PRESETS = ("short", "endless")

def run_of(layer, **fields):
    chosen = dict(width=8, steps=2000, batch=8, evaluate_every=100, evaluation=50) | fields
    return Run(task=IndexLookup(length=5, alphabet=64), layers=(layer,), **chosen)

def runs(preset):
    own = f"{Path(__file__).with_name('layer.py')}:Layer"
    endless = [run_of("lstm", steps=10**7)] if preset == "endless" else []
    return [run_of("lstm"), run_of("attention", steps=20, embedding_scale=1e30),
            run_of("attention", embeddings="tied-sinusoids"),
            run_of(own, steps=20), *endless]
"""
SEQSEP = [sys.executable, "-c", "from seqsep.commands.cli import script; script()"]
pytest.importorskip("ray", reason="ray, the extra `cluster`")
pytestmark = pytest.mark.timeout(600)


def processes(marker: str) -> list[int]:
    """Those that were started with the marker in their environment, by whomever."""
    pids = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (path / "environ").read_bytes() and ") Z " not in (path / "stat").read_text():
                pids.append(int(path.name))
        except OSError:
            continue
    return pids


def wait_for(condition: Any, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return bool(condition())


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the experiment, and rows.jsonl of the engine `local`."""
    folder = tmp_path_factory.mktemp("local")
    (folder / "question.py").write_text(EXPERIMENT)
    (folder / "layer.py").write_text(OWN_LAYER_FILE)
    runs = runpy.run_path(str(folder / "question.py"))["runs"]("short")
    with Store(folder / "local.db") as store:
        rows = sweep(runs, store, "question", workers=1)
        assert [row.status for row in (rows[0], rows[1], rows[3])] == ["finished", "failed: non-finite", "finished"]
        assert rows[2].status.startswith("failed: ValueError: Model.build(")
        assert store.export(folder / "rows.jsonl") == 3
    return folder


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a process of ours: a marker, a folder for temporary files. What it leaves is killed."""
    marker = f"seqsep-test-{uuid.uuid4().hex}"
    temporary = Path(f"/tmp/{marker[-8:]}")  # Ray's sockets have paths of at most 107 bytes
    temporary.mkdir()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {"SEQSEP_TEST": marker, "TMPDIR": str(temporary), "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)}
    yield {name: value for name, value in os.environ.items() if not name.startswith("RAY_")} | own
    for process in processes(marker):
        os.kill(process, signal.SIGKILL)
    shutil.rmtree(temporary, ignore_errors=True)


def command_of(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_text().partition("\0")[0]


def database(store: Path, query: str) -> list[Any]:
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as opened:
        return [value for (value,) in opened.execute(query).fetchall()]


def same_rows(store: Path, local: Path) -> None:
    with Store(store) as opened:
        opened.export(store.with_suffix(".jsonl"))
    assert store.with_suffix(".jsonl").read_bytes() == (local / "rows.jsonl").read_bytes()


@pytest.mark.long
def test_an_actor_is_killed_and_then_the_sweep_is_interrupted(tmp_path: Path, local: Path, elsewhere: dict[str, str]) -> None:
    """Rows are those of the engine `local`; the exit status is 130; no process and no file of Ray is left."""
    marker, store, said = elsewhere["SEQSEP_TEST"], tmp_path / "ray.db", tmp_path / "said"
    command = [*SEQSEP, "run", str(local / "question.py"), "--preset", "endless", "--engine", "ray", "--workers", "2"]
    with said.open("wb") as file:
        sweeping = subprocess.Popen(
            [*command, "--store", str(store)], cwd=tmp_path, env=elsewhere, stdout=file, stderr=file, start_new_session=True
        )
    assert wait_for(lambda: list(tmp_path.glob("ray.db.checkpoints/*.safetensors")) or sweeping.poll() is not None, 240)
    actors = [process for process in processes(marker) if command_of(process).startswith("ray::RayWorker")]
    environment = Path(f"/proc/{actors[0]}/environ").read_text()
    assert "RAY_USAGE_STATS_ENABLED=0" in environment.split("\0")
    os.kill(actors[0], signal.SIGKILL)
    assert wait_for(lambda: "[4/5]" in said.read_text() or sweeping.poll() is not None, 60), said.read_text()
    os.killpg(sweeping.pid, signal.SIGINT)  # as a terminal does it: every process of the group hears it
    assert sweeping.wait(timeout=30) == 130
    assert "seqsep run: interrupted; " in said.read_text()
    assert said.read_text().endswith("the same command continues from there\n")
    assert wait_for(lambda: not processes(marker), 5)
    assert list(Path(elsewhere["TMPDIR"]).glob("*seqsep*")) == []
    assert list(tmp_path.glob("*.safetensors")) == []
    same_rows(store, local)
    assert max(database(store, "SELECT attempts FROM runs")) <= 2  # 1 where the killed actor had no run yet
    [failed] = database(store, "SELECT status FROM runs WHERE result IS NULL")
    assert failed == database(local / "local.db", "SELECT status FROM runs WHERE result IS NULL")[0]
    assert "GPU " in said.read_text()


STANDINS = {
    "srun": 'while [[ $1 == -* ]]; do [[ $1 == --nodelist ]] && shift; shift; done; exec "$@"',
    "scontrol": 'printf "one\\ntwo\\n"',
    "hostname": "echo 127.0.0.1",
    "seqsep": f'exec "{SEQSEP[0]}" -c "{SEQSEP[2]}" "$@"',
}


@pytest.mark.long
def test_the_slurm_script_and_the_loss_of_a_node(tmp_path: Path, local: Path, elsewhere: dict[str, str]) -> None:
    """Two nodes of a core; the second is killed once a run has ended. Rows are those of the engine `local`."""
    [script] = re.findall(r"```bash\n(.*?)```", (ROOT / "docs/how-to/cluster.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "job.sh").write_text(script)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/activate").touch()
    (tmp_path / "standins").mkdir()
    for name, body in STANDINS.items():
        (tmp_path / "standins" / name).write_text(f"#!/bin/bash\n{body}\n")
        (tmp_path / "standins" / name).chmod(0o755)
    number = str(time.time_ns() % 10_000_000)
    here = elsewhere | {"SLURM_JOB_NODELIST": "all", "SLURM_JOB_ID": number, "SLURM_JOB_NUM_NODES": "2"}
    here |= {"SLURM_CPUS_PER_TASK": "1", "SLURM_GPUS_ON_NODE": "1"}
    here["PATH"] = f"{tmp_path}/standins{os.pathsep}{here['PATH']}"
    given = [str(local / "question.py"), "--preset", "short", "--store", "ray.db"]
    marker, said = elsewhere["SEQSEP_TEST"], tmp_path / "said"
    with said.open("wb") as file:
        job = subprocess.Popen(["bash", "job.sh", *given], cwd=tmp_path, env=here, stdout=file, stderr=file)
    try:
        assert wait_for(lambda: list(tmp_path.glob("ray.db.checkpoints/*.safetensors")) or job.poll() is not None, 60)
        first, second = sorted(process for process in processes(marker) if command_of(process).endswith("/raylet/raylet"))
        os.kill(second, signal.SIGKILL)
        assert job.wait(timeout=90) == 1, said.read_text()
        assert first
        folders = list(Path("/tmp").glob(f"seqsep-{number}-*"))
        assert [folder.stat().st_mode & 0o777 for folder in folders] == [0o700, 0o700]
        assert all(list(folder.glob("ray/session_*/sockets/*")) for folder in folders)
    finally:
        for folder in Path("/tmp").glob(f"seqsep-{number}-*"):
            shutil.rmtree(folder, ignore_errors=True)
    assert "\n4 runs in ray.db, 2 failed\n" in said.read_text()
    assert max(database(tmp_path / "ray.db", "SELECT attempts FROM runs")) <= 2  # 1 where the lost node had no run yet
    assert wait_for(lambda: not processes(marker), 5)
    same_rows(tmp_path / "ray.db", local)


def test_rows_of_two_stores_are_merged_as_the_page_says(tmp_path: Path, local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs/how-to/cluster.md").read_text(encoding="utf-8")
    rows = read_rows(local / "rows.jsonl")
    for name, part in (("a", rows[:2]), ("b", rows[1:])):
        write_rows(tmp_path / "part.jsonl", part)
        assert cli.main(["store", "import", str(tmp_path / f"{name}.sqlite"), str(tmp_path / "part.jsonl")]) == 0
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^\$ seqsep (.*)$", page[page.index("## 6. Merge") :], re.MULTILINE)
    assert len(commands) == 3
    assert [cli.main(command.split()) for command in commands] == [0, 0, 0]
    assert (tmp_path / "rows.jsonl").read_bytes() == (local / "rows.jsonl").read_bytes()


def test_an_address_that_does_not_answer_is_one_line(tmp_path: Path, local: Path, capsys: Any) -> None:
    """An address that does not answer is one line, with exit status 3."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"  # bound, and nobody listens
        options = ["run", str(local / "question.py"), "--preset", "short", "--store", str(tmp_path / "store.db")]
        status = cli.main([*options, "--engine", "ray", "--address", address])
    said = capsys.readouterr().err
    assert (status, said.count("\n")) == (3, 1)
    assert said.startswith(f"seqsep run: Ray at {address}: expected a cluster that answers, found: ")


@pytest.mark.parametrize("flags", [["--address", "auto"], ["--gpus-per-run", "0.5"]])
def test_flags_of_a_cluster_are_refused_without_it(flags: list[str], local: Path, capsys: Any) -> None:
    assert cli.main(["run", str(local / "question.py"), "--preset", "short", *flags]) == 2
    assert capsys.readouterr().err == f"seqsep run: {' '.join(flags)}: expected --engine ray with it\n"

"""The experiments' queue on a GPU: python benchmarks/gpu_queue.py --minutes 5

The first call begins with what was never tried on a GPU, at most 90 seconds, into FOLDER/first.json. For each mixer it says how
far the losses of 12 steps are from those of operations launched one by one in float32: as one graph, with the kernels of
flash-linear-attention if they are installed, and in bfloat16, which should be within 1 %. It also says what training K small
runs as one stacked model gains there (benchmarks/stacked.py).

Then it trains the runs that could still decide a claim of the papers (`seqsep claims`), those that decide most claims a minute
first, as many at once as the device takes. Rows are in FOLDER/claims-all.jsonl, with the store and its checkpoints, so that the
next call continues where this one ended. Copy the rows to results/ and run make pages.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from seqsep.lab.device import CPU, prepare
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.experiments.claims import CLAIMS
from seqsep.lab.experiments.claims.known import Found, committed, gpu_hours
from seqsep.lab.progress import display
from seqsep.lab.row import write_rows
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from seqsep.models.mixers import MIXERS, _kernels
from seqsep.tasks import Equality

NAME = "claims"
FIRST_SECONDS = 90
STEPS = 12
STACKED = "stacked"
WITHIN = 0.01
AT_ONCE = {CPU: 1, "cuda": 16}
"""Runs at once: 16 small ones on an H200 gave 5.5 times the steps of one (results/gpu.json)."""


def queue(found: Found) -> list[Run]:
    """Return the runs that could still decide a claim, those that decide most claims a GPU-hour first."""
    claims: dict[Run, int] = {}
    for claim in CLAIMS:
        for run in found.missing(claim):
            claims[run] = claims.get(run, 0) + 1
    return sorted(claims, key=lambda run: (gpu_hours(run) / claims[run], gpu_hours(run)))


def losses(mixer: str, device: str, **changes: Any) -> list[float]:
    """Return the losses of the first steps of a small model of this mixer."""
    import torch

    from seqsep.lab.graphed_step import GraphedStep
    from seqsep.lab.step import step_once

    os.environ[_kernels.SWITCH] = changes.pop("kernels", "off")
    graphed = changes.pop("graphed", False) and device != CPU
    run = Run(Equality(64, variant="next", alphabet=16), (mixer,) * 2, width=64, **changes)
    torch.manual_seed(0)
    model = run.model().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    take = GraphedStep(run, model, optimizer) if graphed else partial(step_once, run, model, optimizer)
    batch = run.task.sample(0, run.batch, 0)
    return [float(take(batch=batch, step=step)) for step in range(STEPS)]


def tried(mixer: str, device: str) -> dict[str, Any]:
    """Return how far a mixer's losses are from those of single launches in float32, as a graph and in bfloat16."""
    plain = losses(mixer, device)
    found: dict[str, Any] = {}
    ways: dict[str, dict[str, Any]] = {"graph": {"graphed": True}, "bfloat16": {"dtype": "bfloat16"}}
    if _kernels.installed():
        ways["kernels"] = {"kernels": ""}
    for way, changes in ways.items():
        try:
            other = losses(mixer, device, **changes)
        except (RuntimeError, ValueError) as error:
            found[way] = f"failed: {error}"[:200]
            continue
        found[way] = max(abs(one - two) / abs(one) for one, two in zip(plain, other, strict=True))
    found["bfloat16 within 1 %"] = isinstance(found["bfloat16"], float) and found["bfloat16"] <= WITHIN
    return found


def first(folder: Path, device: str, deadline: float, command: Sequence[str] = (sys.executable, __file__)) -> None:
    """Try each mixer in a process of its own until the deadline, into first.json; what it has is not tried again."""
    path = folder / "first.json"
    known: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    commands = {mixer.name: [*command, "--try", mixer.name, "--device", device] for mixer in MIXERS}
    commands[STACKED] = [command[0], str(Path(__file__).with_name("stacked.py")), device]
    for name, words in commands.items():
        left = deadline - time.monotonic()
        if name in known or left <= 0:
            continue
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=left, check=False)
        except subprocess.TimeoutExpired:
            break
        lines = done.stdout.strip().splitlines() if done.returncode == 0 else []
        found = lines if name == STACKED else json.loads(lines[-1]) if lines else None
        known[name] = found or {"failed": done.stderr[-300:]}
        path.write_text(json.dumps(known, indent=1) + "\n")
        print(f"{name}: {known[name]}", flush=True)


def train(folder: Path, device: str, seconds: float, at_once: int, runs: Sequence[Run]) -> int:
    """Train the runs for so many seconds and write the rows that are there; return how many."""

    def over(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    path = folder / "store.sqlite"
    signal.signal(signal.SIGALRM, over)
    with Store(path) as store:
        signal.setitimer(signal.ITIMER_REAL, max(1.0, seconds))
        try:
            sweep(runs, store, NAME, engine=Supervisor(at_once, device=device), progress=display())
        except KeyboardInterrupt:
            print("the time is over; the next call continues here", flush=True)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        rows = [row for row in store.rows(NAME) if row.has_outcome]
    write_rows(folder / "claims-all.jsonl", rows)
    return len(rows)


def main(arguments: Sequence[str] | None = None, choose: Callable[[Found], list[Run]] = queue) -> int:
    """Run the queue for some minutes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0, help="wall time of this call; default 5")
    parser.add_argument("--folder", type=Path, default=Path("gpu-queue"), help="rows, store and checkpoints")
    parser.add_argument("--device", choices=("cuda", CPU), default="cuda")
    parser.add_argument("--workers", type=int, help="runs at once; default 16 on a GPU, 1 on a processor")
    parser.add_argument("--try", dest="mixer", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.mixer:
        prepare(options.device)
        print(json.dumps(tried(options.mixer, options.device)))
        return 0
    begun = time.monotonic()
    options.folder.mkdir(parents=True, exist_ok=True)
    first(options.folder, options.device, begun + min(FIRST_SECONDS, 20 * options.minutes))
    found = committed(CLAIMS)
    runs = choose(found)
    print(f"{len(runs)} runs could still decide a claim", flush=True)
    left = 60 * options.minutes - (time.monotonic() - begun)
    rows = train(options.folder, options.device, left, options.workers or AT_ONCE[options.device], runs)
    print(f"{rows} rows in {options.folder / 'claims-all.jsonl'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Forty plug-ins that must not be trained, in one sweep with good ones: each fails in a line, and the others train as alone."""

import ast
import contextlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from seqsep.lab.device import environment
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from seqsep.lab.train import train
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.task import UserTask
from support.faults.forked_sweep import session_members
from support.plug_ins import FOLDER, GOOD, run_of

STALL_SECONDS = 40.0
LONGEST = 700
TRAINS = ("bad.py:Stops", "bad.py:GrowsToAWindow")
"""A sweep trains them. The gradients of the first are wrong, which `seqsep check` tests; the second obeys the laws."""
GOOD_RUNS = ("lstm", f"{GOOD}:Sum", "attention")


def attacks() -> dict[str, Run]:
    """The run of each bad layer, model, file and task."""
    found = {}
    for file in ("bad.py", "worse.py"):
        for name in classes(FOLDER / file):
            if f"{file}:{name}" in TRAINS:
                continue
            kind = "model:" if name == "Backwards" else ""
            found[f"{file}:{name}"] = run_of(f"{kind}{FOLDER / file}:{name}")
    found["raises_on_import.py:Layer"] = run_of(f"{FOLDER / 'raises_on_import.py'}:Layer")
    for name in classes(FOLDER / "bad_tasks.py"):
        task = UserTask.of(PlugIn.parse(f"{FOLDER / 'bad_tasks.py'}:{name}"), length=6)
        found[f"bad_tasks.py:{name}"] = run_of("lstm", task=task)
    return found


def classes(path: Path) -> list[str]:
    """The classes of a file, in its order."""
    return [node.name for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)]


def alone(run: Run) -> str:
    """The row of a run that is trained here; what its code prints is no result."""
    with contextlib.redirect_stdout(sys.stderr):
        result = train(run)[1].record()
    return Row("trial", run.key(), run.configuration(), result, environment()).to_json()


def contained(first: int = 0, last: int = 1000) -> dict[str, Any]:
    """All attacks, or those with these numbers, between good runs on two workers."""
    bad = dict(list(attacks().items())[first:last])
    good = [run_of(layer) for layer in GOOD_RUNS]
    half = len(bad) // 2
    runs = [good[0], *list(bad.values())[:half], good[1], *list(bad.values())[half:], good[2]]
    failures = []
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store.db") as store:
        rows = {row.key: row for row in sweep(runs, store, "trial", engine=Supervisor(2, STALL_SECONDS))}
        kept = {row.key for row in store.rows()}
    for name, run in bad.items():
        status = rows[run.key()].status
        if rows[run.key()].finished or not status.startswith("failed: ") or "\n" in status or len(status) > LONGEST:
            failures.append(f"{name}: {status[:200]!r}")
    failures += [f"{run.label()}: differs" for run in good if rows[run.key()].to_json() != alone(run)]
    failures += [f"{run.label()}: no row" for run in runs if run.key() not in kept]
    if left := [pid for pid in session_members(os.getsid(0)) if is_child(pid)]:
        failures.append(f"processes are left: {left}")
    return {"trials": len(bad), "failures": failures, "good runs beside them": len(good)}


def is_child(pid: int) -> bool:
    """Return True if a process is a child of this one."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1] == str(os.getpid())
    except OSError:
        return False

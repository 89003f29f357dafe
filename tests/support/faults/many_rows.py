"""The CPU time of `seqsep store show`, `seqsep export` and `seqsep report` with 10,000 rows."""

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from seqsep.lab.row import Row, read_rows
from seqsep.lab.run import canonical_json
from seqsep.lab.store.store import Store

TIMES = 5
MOST_SECONDS = {"show": 3.0, "export": 5.0, "report": 30.0, "report, theorems anew": 90.0}
DEMO = Path(__file__).parents[3] / "results/demo.jsonl"


def many(count: int) -> list[Row]:
    """So many rows: those of the demo, again and again with other seeds."""
    rows = read_rows(DEMO)
    found = []
    for number in range(count):
        one = rows[number % len(rows)]
        run = replace(one.run, seed=one.run.seed + 1000 * (number // len(rows)))
        found.append(Row("demo", run.key(), run.configuration(), one.result, one.environment))
    return found


def fill(path: Path, rows: list[Row]) -> None:
    """A store of these rows."""
    with Store(path) as store:
        columns = [
            (
                row.experiment,
                row.key,
                canonical_json(row.configuration),
                row.status,
                canonical_json(row.result),
                canonical_json(row.environment),
                1.0,
                1,
            )
            for row in rows
        ]
        store.fill({"runs": columns})


def cpu_seconds(command: list[str], caches: Path) -> float:
    """Of a program and of what it starts; its folder for caches is the one given."""
    environment = os.environ | {"XDG_CACHE_HOME": str(caches)}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said.decode()[-500:]
    return used.ru_utime + used.ru_stime


def rows(count: int) -> dict[str, Any]:
    """Show, export and report so many rows; a failure says what took longer than it may.

    The first report checks every theorem. The second one has their outcomes from the first, as a user's has from the demo on.
    Show and export are short, and what else the machine does only adds to them: the least of TIMES counts.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "store.db", many(count))
        exported = str(folder / "demo.jsonl")
        report = ["report", "--rows", exported, "-o", str(folder / "report")]
        commands = {
            "show": ["store", "show", str(folder / "store.db")],
            "export": ["export", "--store", str(folder / "store.db"), "-o", exported],
            "report, theorems anew": report,
            "report": report,
        }
        seconds = {
            what: min(
                cpu_seconds([sys.executable, "-m", "seqsep", *words], folder / "caches")
                for _ in range(1 if words == report else TIMES)
            )
            for what, words in commands.items()
        }
        lines = (folder / "demo.jsonl").read_bytes().count(b"\n")
    failures = [f"{what}: {taken:.1f} s" for what, taken in seconds.items() if taken > MOST_SECONDS[what]]
    failures += [f"{lines} rows"] if lines != count else []
    return {"trials": count, "failures": failures, **{f"CPU-s of {what}": round(taken, 1) for what, taken in seconds.items()}}

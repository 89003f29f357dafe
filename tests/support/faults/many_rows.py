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
MOST_TIMES = {"show": 12.0, "export": 15.0, "report": 100.0, "report, theorems anew": 300.0}
"""A command may take this many times the CPU time of UNIT. A limit in seconds would depend on the machine and its load."""
UNIT = "import json, sys; [json.dumps(json.loads(line)) for line in open(sys.argv[1])]"
"""Python's json reads and writes the same rows once."""
DEMO = Path(__file__).parents[3] / "results/demo.jsonl"


def many(count: int) -> list[Row]:
    """Rows in this number: those of the demo, again and again with other seeds."""
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
    """The CPU seconds of a program and of what it starts. Its folder for caches is `caches`."""
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
    """Show, export and report `count` rows. A failure says which command took more times UNIT than it may.

    The first report checks every theorem. The second one has their outcomes from the first, as a user's has from the demo on.
    Show and export are short, and what else the machine does only adds to them: the least of TIMES counts, for UNIT too.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "store.db", many(count))
        exported = str(folder / "demo.jsonl")
        seqsep = [sys.executable, "-m", "seqsep"]
        report = [*seqsep, "report", "--rows", exported, "-o", str(folder / "report")]
        commands = {
            "export": [*seqsep, "export", "--store", str(folder / "store.db"), "-o", exported],
            "show": [*seqsep, "store", "show", str(folder / "store.db")],
            "report, theorems anew": report,
            "report": report,
        }
        times = {}
        seconds = {}
        for what, command in commands.items():
            pairs = []
            for _ in range(1 if command == report else TIMES):
                taken = cpu_seconds(command, folder / "caches")
                pairs.append((taken, cpu_seconds([sys.executable, "-c", UNIT, exported], folder / "caches")))
            least = [min(column) for column in zip(*pairs, strict=True)]
            seconds[what] = round(least[0], 1)
            times[what] = round(least[0] / least[1], 1)
        lines = (folder / "demo.jsonl").read_bytes().count(b"\n")
    failures = [f"{what}: {taken} times json" for what, taken in times.items() if taken > MOST_TIMES[what]]
    failures += [f"{lines} rows"] if lines != count else []
    measured = {f"{what}": f"{seconds[what]} CPU-s, {taken} times json" for what, taken in times.items()}
    return {"trials": count, "failures": failures, **measured}

"""The CPU time of `seqsep store show`, of `seqsep export` and of a report's pages and figures, with 10,000 rows."""

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

MOST_SECONDS = {"show": 3.0, "export": 5.0, "report": 30.0}
DEMO = Path(__file__).parents[3] / "results/demo.jsonl"
REPORT = """
import sys
from pathlib import Path
from seqsep.report.write import write_report

if __name__ == "__main__":
    write_report(Path(sys.argv[1]), Path(sys.argv[2]), check=lambda: [])
"""


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


def cpu_seconds(command: list[str]) -> float:
    """Of a program and of what it starts."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said.decode()[-500:]
    return used.ru_utime + used.ru_stime


def rows(count: int) -> dict[str, Any]:
    """Show, export and report so many rows; a failure says what took longer than it may. Theorems are not checked again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "store.db", many(count))
        (folder / "report.py").write_text(REPORT, encoding="utf-8")
        command = [sys.executable, "-m", "seqsep"]
        seconds = {
            "show": cpu_seconds([*command, "store", "show", str(folder / "store.db")]),
            "export": cpu_seconds([*command, "export", "--store", str(folder / "store.db"), "-o", str(folder / "demo.jsonl")]),
        }
        lines = (folder / "demo.jsonl").read_bytes().count(b"\n")
        report = [sys.executable, str(folder / "report.py"), str(folder / "demo.jsonl"), str(folder / "report")]
        seconds["report"] = cpu_seconds(report)
    failures = [f"{what}: {taken:.1f} s" for what, taken in seconds.items() if taken > MOST_SECONDS[what]]
    failures += [f"{lines} rows"] if lines != count else []
    return {"trials": count, "failures": failures, **{f"CPU-s of {what}": round(taken, 1) for what, taken in seconds.items()}}

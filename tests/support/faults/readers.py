"""Processes that read a store, from before it is there until its sweep is done."""

import json
import time
from pathlib import Path
from typing import Any

from seqsep.lab.store.store import Store
from support.faults.forked_sweep import drive, logged, start, status_of
from support.faults.kills import scratch


def read_until_done(folder: Path, number: int) -> None:
    """Open, read and export again and again; rows never change nor vanish. What is found goes to a file."""
    path, reads, last = folder / "store.db", 0, b""
    lines: set[bytes] = set()
    done = False
    while not done:
        done = (folder / "done").exists()
        if not path.exists():
            time.sleep(0.01)
            continue
        with Store(path, create=False) as store:
            store.export(folder / f"rows-{number}.jsonl")
            store.contents()
        last = (folder / f"rows-{number}.jsonl").read_bytes()
        now = set(last.splitlines())
        assert lines <= now, "a row is gone or changed"
        lines, reads = now, reads + 1
    (folder / f"reads-{number}").write_text(json.dumps([reads, last.decode()]))


def readers(count: int, sweeps: int = 1) -> dict[str, Any]:
    """`count` readers beside each of so many sweeps; every reader ends with the rows that the sweep exported."""
    failures, reads = [], 0
    for _ in range(sweeps):
        with scratch() as folder:
            pids = [start(folder, lambda n=number: read_until_done(folder, n), f"errors-{number}") for number in range(count)]
            if status_of(start(folder, lambda: drive(folder))):
                failures.append("the sweep: " + (folder / "errors").read_text()[-500:])
            (folder / "done").touch()
            for number, pid in enumerate(pids):
                if status_of(pid):
                    failures.append((folder / f"errors-{number}").read_text()[-500:])
                    continue
                its_reads, last = json.loads((folder / f"reads-{number}").read_text())
                reads += its_reads
                exported = folder / "rows.jsonl"
                if not exported.exists() or last != exported.read_text() or last.count("\n") != len(logged(folder, "reported")):
                    failures.append(f"reader {number} read {last.count(chr(10))} rows last")
    return {"trials": count * sweeps, "failures": failures, "reads": reads}

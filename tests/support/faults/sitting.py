"""The soak in sittings of so many hours of CPU time: make soak HOURS=1. Each part adds a line to results/verify/soak.jsonl.

A part is five minutes of CPU time. SIGINT or SIGTERM ends the part under way, whose line is written, and the sitting with it. A
line says what happened, what was lost or repeated, how much memory the driver of the whole sitting takes, and the digest of the
sources that it ran under: hours count for those sources alone (tests/faults/test_soak.py).
"""

import argparse
import hashlib
import json
import math
import os
import platform
import random
import secrets
import signal
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from long_faults import SWEEP
from support.digests import digest
from support.faults.kills import in_peace
from support.faults.long_driver import LongDriver, long_driver, part
from support.faults.soak import Soak

LINES = Path(__file__).parents[3] / "results/verify/soak.jsonl"
SECONDS_OF_A_PART = 300.0


def digest_of_sources() -> str:
    """Of all the sources that a sweep runs: the code of the lab, its stores and its engines."""
    return hashlib.sha256(json.dumps([digest(source) for source in SWEEP]).encode()).hexdigest()


def line_of(soak: Soak, driver: LongDriver, said: dict[str, Any]) -> dict[str, Any]:
    """The record of a part at its end."""
    memory = driver.memory(soak)
    return {
        **said,
        "sweeps": soak.sweeps,
        "lives": soak.lives,
        **dict(sorted(soak.faults.items())),
        "lost": soak.lost,
        "repeated": soak.repeated,
        "failures": soak.failures,
        **memory,
        "python": platform.python_version(),
        "torch": version("torch"),
        "sources": digest_of_sources(),
    }


def sit(hours: float, seed: int, lines: Path, seconds: float = SECONDS_OF_A_PART) -> list[dict[str, Any]]:
    """One sitting: its lines, each of them on disk once its part is over. The last part ends the driver."""
    asked: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda signum, _: asked.append(signum))
    written: list[dict[str, Any]] = []
    parts = max(1, math.ceil(hours * 3600 / seconds))
    expected = in_peace()[0]
    with long_driver() as driver:
        for number in range(parts):
            soak = Soak(random.Random(f"{seed}/{number}"), expected, stopped=lambda: bool(asked))
            part(soak, driver, min(seconds, hours * 3600 / parts))
            spent = soak.spent()
            if asked or number == parts - 1:
                driver.end(soak)
            written.append(line_of(soak, driver, {"CPU-hours": round(spent / 3600, 4), "seed": seed, "part": number}))
            add(lines, written[-1])
            if asked:
                break
    return written


def add(lines: Path, line: dict[str, Any]) -> None:
    """Add a line at the end of a file, and have it on disk."""
    with lines.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
        file.flush()
        os.fsync(file.fileno())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m support.faults.sitting", description=__doc__)
    parser.add_argument("--hours", type=float, required=True, help="of CPU time")
    parser.add_argument("--seed", type=int, default=None, help="of all that is drawn; drawn itself by default")
    parser.add_argument("--lines", type=Path, default=LINES, help="the file that lines are added to")
    asked = parser.parse_args(arguments)
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    written = sit(asked.hours, seed, asked.lines)
    failures = [failure for line in written for failure in line["failures"]]
    print(f"{sum(line['CPU-hours'] for line in written):.2f} CPU-hours, {len(failures)} failures")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

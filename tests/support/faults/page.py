"""docs/reference/faults.md: what is done to sweeps, stores and readers, from the rows of the trials and the lines of the soak.

Written by `make soak`; alone: python -m support.faults.page, in tests/.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from long_faults import KINDS
from support.faults.sitting import LINES, digest_of_sources

PAGE = Path(__file__).parents[3] / "docs/reference/faults.md"
HOURS_PLANNED = 6
COUNTED = ("sweeps", "drivers killed", "workers killed", "pauses", "disks filled", "clock steps", "clock readings")
HEAD = """# Faults: attacks on sweeps, stores and readers

You need this page if you rely on seqsep for long runs, or open files of others with it. It lists the faults that our tests
inject. A *sweep* is a set of training runs, a [store](../explanation/glossary.md#store) is the file of finished runs, and a
*reader* is code that reads a file of the user.

Each row of the table is a check. `make verify` runs all of its trials, and the tests run a sample of them. The linked file has
the numbers. It becomes stale when a source that it covers changes. Times are CPU times.

| row | trials | the faults, and the result in all trials |
|---|---|---|
"""
SOAK = """
## The soak

The soak tests sweeps for hours, under random faults. `make soak HOURS=1` is a *sitting*: it runs sweeps for an hour of CPU
time. In a sweep, the *driver* is the process that starts the runs and writes the store, and *workers* are the processes that
train. The faults are:

* The driver or a worker is killed with SIGKILL.
* The driver or the complete sweep is stopped for up to half a second.
* The disk of the sweep, which has 1 MiB, is filled.
* Python's clock jumps by up to a day.

Each five minutes are a part of the sitting, and add a line to [results/verify/soak.jsonl](../../results/verify/soak.jsonl). If
a signal ends the sitting, it adds a last line. In one half of a part, killed sweeps are started again until they end. In the
other half, one driver runs sweep after sweep. This driver lives for the complete sitting, and its memory is read after each
sweep. A line has a digest of the sources that it ran under.

"Clock readings" counts how often a driver or worker read the clock that jumps. It is 0, because every time is read from the
monotonic clock.

"""


def lines_of(path: Path = LINES) -> list[dict[str, Any]]:
    """The lines of all sittings."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def hours(lines: Sequence[dict[str, Any]], sources: str | None = None) -> float:
    """The hours of CPU time of these lines, or of those that ran under these sources."""
    return sum(line["CPU-hours"] for line in lines if sources in (None, line["sources"]))


def soak_in_words(lines: Sequence[dict[str, Any]]) -> str:
    """How much of the soak is done, and what it came to."""
    sittings = len({line["seed"] for line in lines})
    done = f"{hours(lines):.2f} CPU-hours ({HOURS_PLANNED} were planned), in {sittings} sitting{'s' if sittings != 1 else ''}"
    today = hours(lines, digest_of_sources())
    since = (
        "All of them ran before the last change of the lab, its stores or its engines. `make soak` adds hours under "
        "today's code"
        if not today
        else f"{today:.2f} of them ran under today's code of the lab, its stores and its engines"
    )
    counts = ", ".join(f"{name} {sum(line[name] for line in lines):,}" for name in COUNTED)
    lost = sum(line["lost"] for line in lines)
    repeated = sum(line["repeated"] for line in lines)
    grew = max((line["KiB it grew by"] for line in lines), default=0)
    longest = max((line["sweeps of one driver"] for line in lines), default=0)
    return (
        f"Done: {done}. {since}. Counted: {counts}; runs lost {lost}, repeated {repeated}. The "
        f"longest driver made {longest:,} sweeps; none grew by more than {grew:,} KiB."
    )


def page() -> str:
    """The whole page."""
    rows = [json.loads((LINES.parent / f"{name}.json").read_text(encoding="utf-8")) for name in sorted(KINDS)]
    table = [
        f"| [{row['check']}](../../results/verify/{row['check']}.json) | {row['inputs']:,} | {row['outcomes'][0]['variant']} |"
        for row in rows
    ]
    return HEAD + "\n".join(table) + "\n" + SOAK + soak_in_words(lines_of()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

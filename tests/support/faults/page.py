"""docs/reference/faults.md: what is done to sweeps, stores and readers, from the rows of the trials and the lines of the soak.

Written by `make soak`; alone: python -m support.faults.page, in tests/.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from long_faults import KINDS
from support.faults.sitting import LINES, digest_of_sources

PAGE = Path(__file__).parents[3] / "docs/reference/faults.md"
HOURS_PLANNED = 6
COUNTED = ("sweeps", "drivers killed", "workers killed", "pauses", "disks filled", "clock steps", "clock readings")
MEASURED = {
    "finished_when_killed": "runs that were finished at the kill:",
    "good runs beside them": "other runs:",
    "KiB at first": "KiB of the driver at first",
    "KiB it grew by": "growth in KiB",
    "longest_orphan_seconds": "longest time in seconds that a worker lived after its driver:",
    "losses_not_named": "lost runs that the repair does not list:",
    "reads": "readings:",
    "refused": "changed files that were refused:",
    "repaired": "repaired:",
    "room_sufficed": "further trials in which the space was enough:",
    "rows": "runs and checkpoints in the store:",
    "rows_brought_back": "rows that a repair brought back:",
    "rows_dropped": "rows that SQLite dropped at the damage:",
    "skipped": "tests that this machine cannot run:",
    "report, theorems anew": "report with all theorems",
}
"""The words of the page for the numbers of a row."""
HEAD = """# Faults: attacks on sweeps, stores and readers

You need this page if you rely on seqsep for long runs, or open files of others with it. It lists the faults that our tests
inject. A *sweep* is a set of training runs, a [store](../explanation/glossary.md#store) is the file of finished runs, and a
*reader* is code that reads a file of the user.

Each row of the table is a check. `make verify` runs all of its trials, and the tests run a sample of them. The linked file has
the numbers. It becomes stale when a source that it covers changes. The third column has the faults, and after the colon the
result, which is the same in all trials. The last column has further numbers that were counted.

| row | trials | faults: result in all trials | counted |
|---|---|---|---|
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

A sitting is divided into parts of five minutes. Each part adds a line to
[results/verify/soak.jsonl](../../results/verify/soak.jsonl). If a signal ends the sitting, the last part is shorter. In one
half of a part, killed sweeps are started again until they end. In the other half, one driver runs sweep after sweep. This
driver lives for the complete sitting, and its memory is read after each sweep. A line also has a digest of the sources that
were tested.

"Clock readings" in the table below counts how often a driver or worker read the clock that jumps. It is 0, because every time
is read from the monotonic clock.

"""


def lines_of(path: Path = LINES) -> list[dict[str, Any]]:
    """The lines of all sittings."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def hours(lines: Sequence[dict[str, Any]], sources: str | None = None) -> float:
    """The hours of CPU time of these lines, or of those that ran under these sources."""
    return sum(line["CPU-hours"] for line in lines if sources in (None, line["sources"]))


def soak_in_words(lines: Sequence[dict[str, Any]]) -> str:
    """The share of the soak that is done, and its results."""
    sittings = len({line["seed"] for line in lines})
    plan = f"the plan was {HOURS_PLANNED}"
    done = f"{hours(lines):.2f} CPU-hours in {sittings} sitting{'s' if sittings != 1 else ''}; {plan}"
    today = hours(lines, digest_of_sources())
    since = (
        "All of them ran before the last change of the lab, its stores or its engines. `make soak` adds hours under "
        "today's code"
        if not today
        else f"{today:.2f} of them ran under today's code of the lab, its stores and its engines"
    )
    counts = {name: sum(line[name] for line in lines) for name in COUNTED}
    counts["runs lost"] = sum(line["lost"] for line in lines)
    counts["runs repeated"] = sum(line["repeated"] for line in lines)
    counts["most sweeps of one driver"] = max((line["sweeps of one driver"] for line in lines), default=0)
    counts["greatest growth of a driver's memory, KiB"] = max((line["KiB it grew by"] for line in lines), default=0)
    table = "".join(f"| {name} | {number:,} |\n" for name, number in counts.items())
    return f"Done: {done}. {since}.\n\n| counted in all sittings | |\n|---|---|\n{table}"


def measured(variant: str) -> str:
    """The numbers of a row after the sentence on its faults, in the words of the page; "" if it has none.

    >>> measured("24 processes read; reads 9477"), measured("a store: refused")
    ('readings: 9477', '')
    >>> measured("10,000 rows; show 4.8 CPU-s, 9.4 times json")
    'show 4.8 CPU-seconds (9.4 times json)'
    """
    _, semicolon, numbers = variant.rpartition("; ")
    if not semicolon or not re.search(r"\d", numbers):
        return ""
    named = re.compile(rf"\b(?:{'|'.join(sorted(MEASURED, key=len, reverse=True))})\b")
    words = named.sub(lambda found: MEASURED[found[0]], numbers).translate(str.maketrans("", "", "[]"))
    return re.sub(r"CPU-s, ([\d.]+ times json)", r"CPU-seconds (\1)", words)


def page() -> str:
    """The whole page."""
    rows = [json.loads((LINES.parent / f"{name}.json").read_text(encoding="utf-8")) for name in sorted(KINDS)]
    table = [
        f"| [{row['check']}](../../results/verify/{row['check']}.json) | {row['inputs']:,} | {KINDS[row['check']][1]} | "
        f"{measured(row['outcomes'][0]['variant'])} |"
        for row in rows
    ]
    return HEAD + "\n".join(table) + "\n" + SOAK + soak_in_words(lines_of())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

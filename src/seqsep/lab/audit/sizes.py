"""The audits of docs/reference/audit.md: six mixers at three widths, each at a length that it learns.

`python -m seqsep.lab.audit` trains and audits what is not in results/audit/sizes.jsonl yet, and adds a line for each run: the
run, what its training came to, the audit, and the CPU seconds of both. Last digits depend on the processor, as those of each
run do.
"""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seqsep.core.files import read_lines, write_file
from seqsep.lab.audit.answer import audit
from seqsep.lab.in_process import train
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup

FILE = "audit/sizes.jsonl"
ALPHABET = 16
WIDTHS = (16, 32, 64)
LENGTHS: Mapping[str, tuple[int, ...]] = {
    "attention": (20, 20, 20),
    "linear-attention": (5, 20, 20),
    "retention": (5, 20, 20),
    "gated-delta": (10, 20, 20),
    "lstm": (3, 3, 3),
    "mamba": (5, 5, 10),
}
"""The symbols of index lookup for each mixer, at each width."""
RATES = {64: 0.001, 32: 0.002, 16: 0.003}
"""The learning rate, for each width."""


def runs() -> list[Run]:
    """Return the runs, each one layer with learned positions. Training stops at 99.5 % or after 4,000 steps.

    >>> len(runs())
    18
    """
    return [
        Run(
            IndexLookup(lengths[place], alphabet=ALPHABET, least_length=1),
            (mixer,),
            width=width,
            learning_rate=RATES[width],
            positions="learned",
            embedding_scale=0.1,
            steps=4000,
            target=0.995,
        )
        for place, width in enumerate(WIDTHS)
        for mixer, lengths in LENGTHS.items()
    ]


def rows(results: Path) -> list[dict[str, Any]]:
    """Return the rows of a folder of results, in the order of `runs`. Rows of other runs are left out."""
    path = results / FILE
    lines = read_lines(path) if path.exists() else []
    known = {row["key"]: row for row in map(json.loads, lines)}
    return [known[run.key()] for run in runs() if run.key() in known]


def write_rows(results: Path) -> Path:
    """Train and audit the runs that have no row yet; each row is on disk before the next begins."""
    done = rows(results)
    for run in runs():
        if run.key() not in {row["key"] for row in done}:
            done.append(_row(run))
            write_file(results / FILE, "".join(f"{json.dumps(row)}\n" for row in done))
    return results / FILE


def _row(run: Run) -> dict[str, Any]:
    began = time.process_time()
    model, result = train(run, progress=False)
    trained = time.process_time()
    found = audit(model.eval().requires_grad_(False), run.task)
    return {
        "key": run.key(),
        "run": run.configuration(),
        "steps": result.steps,
        "training_seconds": round(trained - began, 1),
        "audit_seconds": round(time.process_time() - trained, 1),
        "audit": found.record(),
    }

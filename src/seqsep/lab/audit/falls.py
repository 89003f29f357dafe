"""Why contenders of index lookup's `length-scaling` stay below 99 % at its shortest length: what they keep, and what they read.

`python -m seqsep.lab.audit` trains the best run of each once more, measures it place by place (places.py), and adds a line to
results/audit/reach-places.jsonl. Last digits depend on the processor, as those of each run do.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from seqsep.core.files import read_lines, write_file
from seqsep.core.names import narrowed
from seqsep.lab.audit.places import by_place
from seqsep.lab.experiments import BY_NAME, Reach
from seqsep.lab.in_process import train
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run import Run
from seqsep.models.model import Model
from seqsep.tasks import IndexLookup

FILE = "audit/reach-places.jsonl"
GOAL = 0.99
"""That of the preset."""


def runs(results: Path) -> list[Run]:
    """Return the best run of each contender's first size that stays below 99 % at the shortest length of `length-scaling`."""
    experiment = BY_NAME["index-lookup-architectures"]
    search = narrowed(experiment.search("length-scaling"), Reach)
    sizes = {(contender.run.layers, contender.run.width) for contender in search.contenders}
    known = [row for row in read_rows(experiment.rows_file(results, "length-scaling")) if row.has_outcome]
    best: dict[tuple[str, str], Row] = {}
    for row in known:
        if row.run.task == search.levels[0].task and (row.run.layers, row.run.width) in sizes:
            contender = (str(row.run.layers[0]), row.run.positions)
            if contender not in best or row.result["accuracy"] > best[contender].result["accuracy"]:
                best[contender] = row
    return [row.run for row in best.values() if row.result["accuracy"] < GOAL]


def rows(results: Path) -> list[dict[str, Any]]:
    """Return the lines of a folder of results, in the order of `runs`. Lines of other runs are left out."""
    path = results / FILE
    lines = read_lines(path) if path.exists() else []
    known = {row["key"]: row for row in map(json.loads, lines)}
    return [known[run.key()] for run in runs(results) if run.key() in known]


def write_rows(results: Path) -> Path:
    """Train and measure the runs that have no line yet; each line is on disk before the next begins."""
    done = rows(results)
    for run in runs(results):
        if run.key() not in {row["key"] for row in done}:
            model, result = train(run, progress=False)
            done.append(line(run, model, result.accuracy))
            write_file(results / FILE, "".join(f"{json.dumps(row)}\n" for row in done))
    return results / FILE


def line(run: Run, model: Model, accuracy: float) -> dict[str, Any]:
    """Return the facts kept for a trained run: the accuracy of its last evaluation, and both shares by place."""
    found = asdict(by_place(model.eval().requires_grad_(False), narrowed(run.task, IndexLookup)))
    shares = {name: [round(share, 4) for share in found[name]] for name in ("right", "in_state")}
    return {"key": run.key(), "run": run.configuration(), "accuracy": accuracy, "prefixes": found["prefixes"], **shares}

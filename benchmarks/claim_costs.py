"""Core-seconds of a step: of runs that decide claims, into costs.json; of committed rows, into results/step-seconds.json.

A step is timed on one core at short lengths and few layers, and extrapolated (`lab.estimate`). Shapes that a file has are
kept, unless --again is given.
"""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import seqsep.lab.experiments.claims as package
from seqsep.lab.device import CPU
from seqsep.lab.estimate import measured, shape_of, step_seconds
from seqsep.lab.experiments.claims import CLAIMS
from seqsep.lab.experiments.claims.known import shape
from seqsep.lab.row import read_rows
from seqsep.lab.run import Run

CLAIM_COSTS = Path(package.__file__).with_name("costs.json")
RESULTS = Path(__file__).parents[1] / "results"
ROW_COSTS = RESULTS / "step-seconds.json"


def main() -> None:
    """Time what is missing, and write each file after each shape."""
    known: dict[object, float] = {}

    def seconds(run: Run) -> float:
        at = shape_of(run)
        if at not in known:
            known[at] = measured(at, CPU)
        return known[at]

    write(CLAIM_COSTS, (run for claim in CLAIMS for run in claim.runs), seconds)
    write(ROW_COSTS, (row.run for path in sorted(RESULTS.glob("*.jsonl")) for row in read_rows(path)), seconds)


def write(path: Path, runs: Iterable[Run], seconds: Callable[[Run], float]) -> None:
    """Time the shapes of these runs that the file lacks, and write it."""
    wanted = {shape(run): run for run in runs}
    is_new = "--again" in sys.argv or not path.exists()
    kept = {} if is_new else json.loads(path.read_text(encoding="utf-8"))["core seconds a step"]
    costs = {name: kept[name] for name in wanted if name in kept}
    for name, run in wanted.items():
        if name not in costs:
            costs[name] = float(f"{step_seconds(run, seconds):.2g}")
            print(name, costs[name], flush=True)
            ordered = {one: costs[one] for one in wanted if one in costs}
            path.write_text(json.dumps({"core seconds a step": ordered}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

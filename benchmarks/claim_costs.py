"""Core-seconds of a step for each run that decides a claim, into src/seqsep/experiments/claims/costs.json.

A step is timed on one core at short lengths and few layers, and extrapolated (`lab.estimate`). Shapes that the file has are
kept, unless --again is given.
"""

import json
import sys
from pathlib import Path

import seqsep.experiments.claims as package
from seqsep.experiments.claims import CLAIMS
from seqsep.experiments.claims.known import shape
from seqsep.lab.device import CPU
from seqsep.lab.estimate import measured, shape_of, step_seconds

FILE = Path(package.__file__).with_name("costs.json")


def main() -> None:
    """Time what is missing, and write the file after each shape."""
    kept = {} if "--again" in sys.argv or not FILE.exists() else json.loads(FILE.read_text())["core seconds a step"]
    known: dict[object, float] = {}

    def seconds(run):
        at = shape_of(run)
        if at not in known:
            known[at] = measured(at, CPU)
        return known[at]

    wanted = {shape(run): run for claim in CLAIMS for run in claim.runs}
    costs = {name: kept[name] for name in wanted if name in kept}
    for name, run in wanted.items():
        if name not in costs:
            costs[name] = float(f"{step_seconds(run, seconds):.2g}")
            print(name, costs[name], flush=True)
    ordered = {name: costs[name] for name in wanted}
    FILE.write_text(json.dumps({"core seconds a step": ordered}, indent=1) + "\n")


if __name__ == "__main__":
    main()

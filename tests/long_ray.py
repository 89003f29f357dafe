"""The tests of Ray that are too long for every commit. A row of results/verify."""

import subprocess
import sys
from pathlib import Path

from seqsep.theorems import Claim, Outcome

NAME = "ray-slurm"
CLUSTER = Path(__file__).with_name("lab") / "engines/test_ray_cluster.py"
WORDS = "a killed actor, an interrupted sweep, and two nodes of Slurm, one of which is lost: rows are those of the engine local"
SOURCES = (
    "lab/engines/engine.py",
    "lab/engines/job.py",
    "lab/engines/ray_connection.py",
    "lab/engines/ray.py",
    "lab/engines/ray_worker.py",
    "lab/sweep.py",
    "../../docs/how-to/cluster.md",
)


def verify() -> list[Outcome]:
    """The report of pytest on the tests marked `long`."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-m",
        "long",
        str(CLUSTER),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout[-3000:], file=sys.stderr)
    measured, holds = {"failures": int(done.returncode != 0)}, done.returncode == 0
    return [
        Claim(NAME, "tests/lab/engines/test_ray_cluster.py", WORDS).lower(
            length=0,
            inputs=2,
            measured=measured,
            bound={"failures": 0},
            variant=WORDS,
            holds=holds,
        )
    ]

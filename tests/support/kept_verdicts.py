"""Verdicts of the laws of state by model type, as files of results/ keep them, and outcomes of the checks that repeat them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeAlias

from seqsep.theorems import Claim, Outcome

Verdicts: TypeAlias = dict[str, list[dict[str, Any]]]
"""Model type -> the records of its verdicts."""
WORKERS = 2
SMALLEST_DISTANCE = 1e-3


def in_parts(tried: Callable[[list[str]], Verdicts], names: list[str]) -> Verdicts:
    """The verdicts on all types, a part of them in each of WORKERS processes."""
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(tried, [names[worker::WORKERS] for worker in range(WORKERS)]))
    found = {name: laws for part in parts for name, laws in part.items()}
    return {name: found[name] for name in names}


def beside_kept(claim: Claim, found: Verdicts, kept: Path, length: int, variant: str = "tiny models") -> list[Outcome]:
    """An outcome for each type: whether what fails is what the file says."""
    before = json.loads(kept.read_text(encoding="utf-8"))["models"]
    outcomes = []
    for name, laws in found.items():
        same = failing(laws) == failing(before[name])
        if not same:
            print(f"{name}: fails {failing(laws)}, kept are {failing(before[name])}", flush=True)
        tried = sum(law["holds"] is not None for law in laws)
        outcomes.append(outcome(claim, variant, same, inputs=tried, length=length))
    return outcomes


def scripts(claim: Claim, folder: Path, length: int, **variables: str) -> list[Outcome]:
    """Each script of the folder prints, a line a model, how far two results are apart that should be the same."""
    found = []
    for path in sorted(folder.glob("*.py")):
        command = [sys.executable, "-W", "ignore", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | variables)
        apart = [float(line.split()[-1]) for line in done.stdout.splitlines()]
        found.append(
            outcome(claim, path.name, bool(apart) and min(apart) > SMALLEST_DISTANCE, inputs=len(apart), length=length)
        )
        print(f"{path.name}: {done.stdout.strip()}", flush=True)
    return found


def failing(laws: list[dict[str, Any]]) -> list[str]:
    """The names of the laws that fail."""
    return [law["law"] for law in laws if law["holds"] is False]


def outcome(claim: Claim, variant: str, holds: bool, *, inputs: int, length: int) -> Outcome:
    """It holds if nothing failed."""
    return claim.lower(
        length=length,
        inputs=inputs,
        exhaustive=False,
        measured={"failures": int(not holds)},
        bound={"failures": 0},
        variant=variant,
        holds=holds,
    )


def kept_text(versions: dict[str, str], models: dict[str, list[dict[str, Any]]]) -> str:
    """The file that is kept: a line for each model type, without fields that are empty."""
    short = {
        name: [{key: value for key, value in law.items() if key in ("law", "holds") or value not in (None, "")} for law in laws]
        for name, laws in models.items()
    }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(laws)}" for name, laws in short.items())
    return f'{{"versions": {json.dumps(versions)}, "models": {{\n{lines}\n}}}}\n'

"""The long checks, whole: python tests/verify.py [NAME ...] (make verify). Each leaves a row in results/verify/.

A row has the variants that were checked, the count of inputs, the least margin if the check measures one, the seconds, and the
digests of the sources that it covers. An input that runs under two rounding modes counts twice. A check whose sources have not
changed since its row is skipped. tests/test_verify.py fails while a row is stale.
"""

import ast
import inspect
import json
import os
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import long_canary
import long_capacity
import long_faults
import long_fla
import long_flash_linear_laws
import long_folders
import long_fuzz
import long_kernels
import long_llama_engine
import long_model_laws
import long_mutants
import long_pages
import long_proofs
import long_ray
import long_release
import long_released_bugs
import long_spoiled
import long_state_faults
import long_text
import long_verified_checker
from seqsep import theorems
from seqsep.report.page.proofs import module_of
from seqsep.theorems import Outcome, canary
from support.digests import digest

ROOT = Path(__file__).parents[1]
ROWS = ROOT / "results/verify"
ROOMS = ("maths", "theorems", "tasks/trees")
INTERPRETED = (long_kernels, long_fla, long_flash_linear_laws)
"""These need flash-linear-attention, which `make verify` does not install."""
PARTS = (
    *INTERPRETED,
    *long_pages.LONG_EXAMPLES,
    long_pages.THEOREM_PAGES,
    long_release,
    long_ray,
    long_text,
    long_capacity,
    long_model_laws,
    long_released_bugs,
)
PARTS += (long_proofs, long_verified_checker, long_llama_engine, long_canary, long_state_faults, long_fuzz, *long_folders.PARTS)


@cache
def checks() -> dict[str, tuple[Callable[[], list[Outcome]], tuple[str, ...]]]:
    """Name -> the check, and the sources below src/seqsep that it covers."""
    found = {}
    for theorem in theorems.THEOREMS:
        if theorem.verify is not None:
            path = str(Path(inspect.getfile(module_of(theorem))).relative_to(ROOT / "src/seqsep"))
            found[theorem.name] = (theorem.verify, tuple(sorted({path} | imported(path))))
    spoiled = [sources for name, (_, sources) in found.items() if name not in canary.PLACES]
    built = sorted({source for sources in spoiled for source in sources})
    found[long_spoiled.NAME] = (long_spoiled.verify, tuple(built))
    writers = sorted(f"theorems/certificate/{path.name}" for path in (ROOT / "src/seqsep/theorems/certificate").glob("*.py"))
    found |= {"certificates": (_certificates, ("../seqsep_check.py", *writers))}
    found |= {part.NAME: (part.verify, part.SOURCES) for part in PARTS}
    found |= {
        name: (partial(long_mutants.verify, name, ROWS / f"{name}.json"), sources)
        for name, sources in long_mutants.SOURCES.items()
    }
    return found | {name: (partial(long_faults.verify, name), sources) for name, (_, _, sources) in long_faults.KINDS.items()}


def _certificates() -> list[Outcome]:
    import long_certificates

    return long_certificates.verify()


def imported(path: str) -> set[str]:
    """The files of ROOMS that a file imports, and those that they import, and so on."""
    reached = {path}
    waiting = [path]
    while waiting:
        new = named_by(waiting.pop()) - reached
        reached |= new
        waiting += new
    return reached - {path}


@cache
def named_by(path: str) -> frozenset[str]:
    """The files of ROOMS that a file names in its own imports."""
    tree = ast.parse((ROOT / "src/seqsep" / path).read_text(encoding="utf-8"))
    return frozenset(
        file
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("seqsep.")
        for alias in node.names
        if (file := file_of(node.module, alias.name))
    )


def file_of(module: str, name: str) -> str | None:
    """The file in which `from module import name` finds the name, below src/seqsep: a submodule, a module or an `__init__`."""
    folder = "/".join(module.split(".")[1:])
    if not folder.startswith(ROOMS):
        return None
    places = (f"{folder}/{name}.py", f"{folder}.py", f"{folder}/__init__.py")
    return next((place for place in places if (ROOT / "src/seqsep" / place).is_file()), None)


def stale(name: str) -> list[str]:
    """The sources that have changed since the row; or the words that there is no row, or one with failures."""
    path = ROWS / f"{name}.json"
    if not path.exists():
        return ["no row"]
    row = json.loads(path.read_text(encoding="utf-8"))
    if row["failures"]:
        return [f"{row['failures']} failures"]
    return [source for source in checks()[name][1] if row["sources"].get(source) != digest(source)]


def verify(name: str) -> dict[str, Any]:
    """Run one check whole and write its row."""
    check, sources = checks()[name]
    start = cpu_seconds()
    outcomes = check()
    row = {
        "check": name,
        "inputs": sum(outcome.inputs for outcome in outcomes),
        "failures": sum(not outcome.holds for outcome in outcomes),
        "cpu_seconds": round(cpu_seconds() - start),
        "outcomes": merged(outcomes),
        "sources": {source: digest(source) for source in sources},
    }
    ROWS.mkdir(parents=True, exist_ok=True)
    (ROWS / f"{name}.json").write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
    return row


def cpu_seconds() -> float:
    """Of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def merged(outcomes: list[Outcome]) -> list[dict[str, Any]]:
    """One entry for each variant and length, with the sum of inputs and the least margins."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for outcome in outcomes:
        margin = outcome.margin
        entry = {
            "variant": outcome.variant,
            "length": outcome.length,
            "inputs": outcome.inputs,
            "least_margin": None if margin is None else margin.least,
            "proved_margin": None if margin is None else margin.proved,
            "margin_of": None if margin is None else margin.of,
            "saturated": None if outcome.saturated is None else dict(outcome.saturated),
        }
        same = found.setdefault((str(outcome.variant), outcome.length), entry)
        if same is not entry:
            same["inputs"] += entry["inputs"]
            for place, count in (entry["saturated"] or {}).items():
                same["saturated"][place] = same["saturated"].get(place, 0) + count
            for least in ("least_margin", "proved_margin"):
                known = [value for value in (same[least], entry[least]) if value is not None]
                same[least] = min(known, default=None)
    return sorted(found.values(), key=lambda entry: (entry["length"], str(entry["variant"])))


def main(names: list[str]) -> int:
    for name in names or list(checks()):
        changed = stale(name)
        if not changed:
            print(f"{name}: up to date")
            continue
        missing = long_kernels.missing() if name in [part.NAME for part in INTERPRETED] else None
        missing = long_llama_engine.missing() if name == long_llama_engine.NAME else missing
        missing = long_proofs.missing() if name in {long_proofs.NAME, long_verified_checker.NAME} else missing
        if missing:
            print(f"{name}: {', '.join(changed)}; not run and its row left as it is: {missing}", flush=True)
            continue
        print(f"{name}: {', '.join(changed)}", flush=True)
        row = verify(name)
        print(f"{name}: {row['inputs']:,} inputs, {row['failures']} failures, {row['cpu_seconds']} CPU-s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The long check of tests: a seeded sample of mutants of the package, each tried on the tests that are near its file.

At least 90 % are to be killed: an example of the module or a test fails, and on the code as it is passes.
Those that live are listed in `support.mutants.survivors`, each with the reason. As a script it tries the sample of some
packages, or files, and prints who lives: python tests/long_mutants.py exact lab/train.py
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from seqsep.theorems import Claim, Outcome
from support.digests import digest
from support.mutants import trier
from support.mutants.changes import ROOT, SHARES, SOURCE, Mutant, files, sample
from support.mutants.nearest import nearest
from support.mutants.survivors import SURVIVORS

SOURCES = {f"mutants-{package.replace('/', '-')}": tuple(paths) for package, paths in files().items()}
"""Name of the check -> the files that it changes."""
PACKAGES = dict(zip(SOURCES, SHARES, strict=True))
CLAIM = Claim(
    "mutants", "tests/long_mutants.py", "A test fails for a change of the code, or the change is listed with the reason"
)
COPIED = ("src", "tests", "docs", "results", "examples", "benchmarks", "pyproject.toml", "README.md")


class Trier:
    """The process that tries mutants in a copy of the tree."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def first_failure(self, mutant: Mutant, left_out: list[str]) -> str | None:
        """The first example or test that fails for a mutant, or None."""
        tests = nearest(mutant.path)
        return self._answer({"path": mutant.path, "text": mutant.text(), "tests": tests, "left_out": left_out})

    def failing(self, names: list[str]) -> list[str]:
        """The tests among these that fail on the code as it is."""
        found = self._answer(names)
        if found is None:
            raise RuntimeError("the killers took too long on the code as it is")
        return found

    def _answer(self, job: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(job), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())


@contextmanager
def trier_in_a_copy() -> Iterator[Trier]:
    """Copy the tree, and start the process; both are gone at the end."""
    with tempfile.TemporaryDirectory() as folder:
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, Path(folder) / name)
        process = subprocess.Popen(
            [sys.executable, trier.__file__, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            yield Trier(process)
        finally:
            process.communicate()


def killers(some: list[Mutant]) -> dict[Mutant, str | None]:
    """The example or test that kills each mutant. What fails on the code as it is kills nobody: then others are tried."""
    found: dict[Mutant, str | None] = {}
    left_out: list[str] = []
    waiting = some
    with trier_in_a_copy() as process:
        while waiting:
            for mutant in waiting:
                found[mutant] = process.first_failure(mutant, left_out)
                print(f"{found[mutant] or 'LIVES':60} {mutant.name}", file=sys.stderr, flush=True)
            wrong = process.failing(sorted({killer for mutant in waiting if (killer := found[mutant])}))
            if set(wrong) & set(left_out):
                raise RuntimeError(f"nothing is told apart: {wrong[0]} fails whatever is changed")
            left_out += wrong
            waiting = [mutant for mutant in waiting if found[mutant] in wrong]
    return found


def verify(name: str, row: Path | None = None) -> list[Outcome]:
    """One outcome a file of a package; a file that has not changed since its outcome in `row` is not tried again."""
    share = SHARES[PACKAGES[name]]
    samples = {path: sample(path, share) for path in SOURCES[name]}
    tried = {} if row is None or not row.exists() else unchanged(json.loads(row.read_text(encoding="utf-8")))
    known = {path: counts[0] for path, counts in tried.items() if path in samples and is_settled(counts, samples[path])}
    found = killers([mutant for path, some in samples.items() if path not in known for mutant in some])
    outcomes = []
    for path, some in samples.items():
        living = [mutant.name for mutant in some if found.get(mutant) is None]
        unknown = [] if path in known else [mutant for mutant in living if mutant not in SURVIVORS]
        killed = known[path] if path in known else len(some) - len(living)
        further = f", {len(unknown)} of the others not listed" if unknown else ""
        outcomes.append(
            CLAIM.lower(
                length=0,
                inputs=len(some),
                measured={"not listed": len(unknown)},
                bound={"not listed": 0},
                variant=f"{path}: {killed} of {len(some)} killed{further}",
                holds=not unknown,
            )
        )
    return outcomes


def is_settled(counts: tuple[int, int], some: list[Mutant]) -> bool:
    """Return whether a file, of which `counts` were killed and tried, needs no new trial: all that lived are still listed."""
    killed, tried = counts
    return tried == len(some) and tried - killed <= sum(mutant.name in SURVIVORS for mutant in some)


def unchanged(row: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """The counts of a row's files that are as they were then, without those that have a survivor that is not listed."""
    variants = [outcome["variant"] for outcome in row["outcomes"]]
    open_ones = [variant.partition(": ")[0] for variant in variants if "not listed" in variant]
    counts = killed_by_file(row)
    return {
        path: counts[path]
        for path in counts
        if path not in open_ones and (SOURCE / path).exists() and row["sources"][path] == digest(path)
    }


def killed_by_file(row: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """File -> how many of its mutants were killed, and how many were tried."""
    counts = {}
    for outcome in row["outcomes"]:
        path, _, words = outcome["variant"].partition(": ")
        killed, _, rest = words.partition(" of ")
        counts[path] = int(killed), int(rest.split()[0])
    return counts


if __name__ == "__main__":
    for package, paths in files().items():
        chosen = [path for path in paths if package in sys.argv[1:] or path in sys.argv[1:]]
        result = killers([mutant for path in chosen for mutant in sample(path, SHARES[package])])
        if result:
            print(f"{package}: {sum(killer is not None for killer in result.values())} of {len(result)} killed")

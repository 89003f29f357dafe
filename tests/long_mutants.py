"""The long check of tests: a seeded sample of mutants of the package, each tried on the tests that are near its file.

At least 90 % are killed: an example of the module or a test fails, and on the code as it is passes. Those that live are
listed in `support.mutants.survivors`, each with the reason. As a script it tries the sample of some packages, or files, and
prints who lives: python tests/long_mutants.py exact lab/train.py
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
from support.mutants import trier
from support.mutants.changes import ROOT, SHARES, Mutant, files, sample
from support.mutants.nearest import nearest
from support.mutants.survivors import SURVIVORS

NAME = "mutants"
LEAST_KILLED = 0.9
SOURCES = tuple(path for some in files().values() for path in some)
CLAIM = Claim(NAME, "tests/long_mutants.py", "A test fails for a change of the code, or the change is listed with the reason")
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
        """Which of these fail on the code as it is."""
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
            left_out += wrong
            waiting = [mutant for mutant in waiting if found[mutant] in wrong]
    return found


def verify(shares: dict[str, float] = SHARES) -> list[Outcome]:
    """One outcome a package."""
    outcomes = []
    for package, paths in files().items():
        some = [mutant for path in paths for mutant in sample(path, shares[package])]
        living = [mutant.name for mutant, killer in killers(some).items() if killer is None]
        unknown = [name for name in living if name not in SURVIVORS]
        killed = len(some) - len(living)
        outcomes.append(
            CLAIM.lower(
                length=0,
                inputs=len(some),
                measured={"killed": killed, "not listed": len(unknown)},
                bound={"killed": LEAST_KILLED * len(some), "not listed": 0},
                variant=f"{package}: {killed} of {len(some)} killed",
                holds=killed >= LEAST_KILLED * len(some) and not unknown,
            )
        )
    return outcomes


if __name__ == "__main__":
    for package, paths in files().items():
        chosen = [path for path in paths if package in sys.argv[1:] or path in sys.argv[1:]]
        result = killers([mutant for path in chosen for mutant in sample(path, SHARES[package])])
        if result:
            print(f"{package}: {sum(killer is not None for killer in result.values())} of {len(result)} killed")

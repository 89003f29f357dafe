"""The tests that are near a source file, by the imports of tests; the shortest files are tried first."""

import ast
from collections import deque
from functools import cache
from pathlib import Path

from support.mutants.changes import ROOT, SOURCE

MOST_FILES = 6
OF_ALL = {"tasks/": "tests/tasks/test_golden_digests.py", "theorems/canary/": "tests/theorems/canary/test_canaries.py"}
"""Beginning of files -> the test that compares all of them with committed digests."""
SLOW = ("tests/theorems/test_spoiled_weights.py", "tests/lab/test_dtype.py")
FOLDERS = ("tests/maths/", "tests/theorems/", "tests/tasks/", "tests/lab/test_")


@cache
def nearest(path: str) -> tuple[str, ...]:
    """The test files that reach a source file by imports: its namesake, and those at the least distance that import least.

    To those of tasks the digests of all examples are added, and to those of canaries the digests of all weights.
    """
    target = SOURCE / path
    found = []
    for file in _tests():
        reached = _reached(file)
        if target in reached:
            is_namesake = file.stem == f"test_{target.stem.strip('_')}"
            mirrored = str(file.parent.relative_to(ROOT / "tests")) == str(target.parent.relative_to(SOURCE))
            found.append((not (is_namesake and mirrored), reached[target], not mirrored, len(reached), str(file)))
    near = {str(Path(file).relative_to(ROOT)) for *_, file in sorted(found)[:MOST_FILES]}
    near |= {test for beginning, test in OF_ALL.items() if path.startswith(beginning)}
    return tuple(sorted(near, key=lambda file: ((ROOT / file).stat().st_size, file)))


@cache
def _tests() -> tuple[Path, ...]:
    files = (ROOT / "tests").rglob("test_*.py")
    names = {file: str(file.relative_to(ROOT)) for file in files}
    return tuple(sorted(file for file, name in names.items() if name.startswith(FOLDERS) and name not in SLOW))


@cache
def _reached(file: Path) -> dict[Path, int]:
    """The files that a test imports, and those that they import, with the least number of steps."""
    steps = {file: 0}
    waiting = deque([file])
    while waiting:
        here = waiting.popleft()
        for other in _imported(here):
            if other not in steps:
                steps[other] = steps[here] + 1
                waiting.append(other)
    return steps


@cache
def _imported(file: Path) -> frozenset[Path]:
    """Files of the package and of tests/support that a file imports; a name of a folder counts as the file that defines it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in ("seqsep", "support"):
            found |= {path for alias in node.names if (path := _file_of(node.module, alias.name))}
    return frozenset(found)


def _file_of(module: str, name: str) -> Path | None:
    top = ROOT / ("src" if module.startswith("seqsep") else "tests")
    base = top.joinpath(*module.split("."))
    places = (base / f"{name}.py", base.with_suffix(".py"), base / name / "__init__.py", base / "__init__.py")
    return next((place for place in places if place.is_file()), None)

"""The tests marked `slow`, a row of results/verify for each folder of tests: they are too many for every commit.

A test is marked if it takes more than two seconds and quicker tests of the same part run with every commit. A row is stale
when the code of its folder changes, or a file with such a test.
"""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from seqsep.theorems import Claim, Outcome

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src/seqsep"
MARK = re.compile(r"^(@|pytestmark = \[)pytest\.mark\.slow\b", re.MULTILINE)
WORDS = "the tests marked slow pass"
WINGS = ("commands", "report", "language_models", "lab", "theorems", "models", "tasks", "maths")


@dataclass(frozen=True)
class SlowTests:
    """The slow tests of one folder as a row: the folder below tests/, and patterns of the code that they test, below seqsep."""

    folder: str
    code: tuple[str, ...]

    @property
    def NAME(self) -> str:  # noqa: N802, as in the modules of other rows
        return f"slow-{self.folder or 'others'}"

    def files(self) -> list[Path]:
        """Return the files with such tests."""
        found = sorted((TESTS / self.folder).rglob("test_*.py") if self.folder else TESTS.glob("test_*.py"))
        return [path for path in found if MARK.search(path.read_text(encoding="utf-8"))]

    @property
    def SOURCES(self) -> tuple[str, ...]:  # noqa: N802
        code = {path for pattern in self.code for path in SOURCE.glob(pattern)}
        return tuple(sorted({relative(path) for path in (*code, *self.files())}))

    def verify(self) -> list[Outcome]:
        """Run the tests, two at once; count those that passed."""
        command = [sys.executable, "-m", "pytest", "-m", "slow", "-n", "2", "--timeout", "600", *map(str, self.files())]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        passed = re.search(r"(\d+) passed", done.stdout)
        holds = done.returncode == 0 and passed is not None
        if not holds:
            print(done.stdout[-3000:], file=sys.stderr)
        return [
            Claim(self.NAME, f"tests/{self.folder}", WORDS).lower(
                length=0,
                inputs=int(passed[1]) if passed else 0,
                measured={"failures": int(not holds)},
                bound={"failures": 0},
                variant=WORDS,
                holds=holds,
            )
        ]


def relative(path: Path) -> str:
    """Return a path as rows name it: from src/seqsep."""
    inside = path.is_relative_to(SOURCE)
    return path.relative_to(SOURCE).as_posix() if inside else f"../../{path.resolve().relative_to(TESTS.parent).as_posix()}"


PARTS = (
    *(SlowTests(wing, (f"{wing}/**/*.py",)) for wing in WINGS),
    SlowTests("faults", ("core/**/*.py", "lab/store/*.py", "../../tests/support/faults/*.py")),
    SlowTests("site", ("../../docs/**/*.md", "../../docs/conf.py")),
    SlowTests("release", ("../../tools/release.py", "../../setup.py", "../../pyproject.toml")),
    SlowTests("", ("theorems/__init__.py", "models/mixers/__init__.py", "tasks/__init__.py", "../../benchmarks/gpu_queue.py")),
)

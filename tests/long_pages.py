"""The long examples of documentation pages, a row for each folder of docs/, and the outputs on the pages of theorems."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from seqsep.theorems import Claim, Outcome
from support.page_examples import ONLY_LONG, ROOT, has_mark

SOURCE = ROOT / "src/seqsep"
TESTS = Path(__file__).parent
MARKED = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md") if has_mark(path, "long")}
PAGES = tuple(sorted(MARKED | {f"docs/{name}" for name in ONLY_LONG}))
OF_THEOREMS = tuple(sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs/reference/theorems").glob("*.md")))
COMMANDS = tuple(sorted(path.relative_to(SOURCE).as_posix() for path in (SOURCE / "commands").glob("*.py")))
THEOREM_FILES = tuple(sorted(path.relative_to(SOURCE).as_posix() for path in (SOURCE / "theorems").rglob("*.py")))


@dataclass(frozen=True)
class PagesRow:
    """The tests of one file that are marked `long`, as a row: its name, the pages that they compare, and other sources.

    `chosen` is a word in the names of these tests, if they are not all tests of the file.
    """

    NAME: str
    tests: str
    words: str
    pages: tuple[str, ...]
    code: tuple[str, ...] = ()
    chosen: str = ""

    @property
    def SOURCES(self) -> tuple[str, ...]:  # noqa: N802, as in the modules of other rows
        return (*(f"../../{page}" for page in self.pages), *self.code)

    def verify(self) -> list[Outcome]:
        """Run the tests."""
        command = [sys.executable, "-m", "pytest", "-m", "long", "-k", self.chosen, str(TESTS / self.tests)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        holds = done.returncode == 0
        if not holds:
            print(done.stdout[-3000:], file=sys.stderr)
        return [
            Claim(self.NAME, f"tests/{self.tests}", self.words).lower(
                length=0,
                inputs=len(self.pages),
                measured={"failures": int(not holds)},
                bound={"failures": 0},
                variant=self.words,
                holds=holds,
            )
        ]


LONG_EXAMPLES = tuple(
    PagesRow(
        f"pages-{folder}",
        "site/test_pages.py",
        f"pages of docs/{folder} with long examples print what they show",
        tuple(page for page in PAGES if page.startswith(f"docs/{folder}/")),
        COMMANDS,
        f"{folder}/",
    )
    for folder in sorted({page.split("/")[1] for page in PAGES})
)
THEOREM_PAGES = PagesRow(
    "theorem-pages", "pages/test_write.py", "pages of theorems show what their commands print", OF_THEOREMS, THEOREM_FILES
)

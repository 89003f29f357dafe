"""The long examples of documentation pages. A row of results/verify."""

import subprocess
import sys
from pathlib import Path

from seqsep.theorems import Claim, Outcome
from support.page_examples import ONLY_LONG, ROOT, has_mark

NAME = "pages"
TESTS = Path(__file__).with_name("site") / "test_pages.py"
WORDS = "pages with long examples print what they show"
MARKED = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md") if has_mark(path, "long")}
PAGES = tuple(sorted(MARKED | {f"docs/{name}" for name in ONLY_LONG}))
SOURCES = tuple(f"../../{page}" for page in PAGES)


def verify() -> list[Outcome]:
    """Run the tests of pages that are marked `long`."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-m", "long", str(TESTS)], capture_output=True, text=True, check=False
    )
    holds = done.returncode == 0
    if not holds:
        print(done.stdout[-3000:], file=sys.stderr)
    claim = Claim(NAME, "tests/site/test_pages.py", WORDS)
    return [
        claim.lower(
            length=0,
            inputs=len(PAGES),
            measured={"failures": int(not holds)},
            bound={"failures": 0},
            variant=WORDS,
            holds=holds,
        )
    ]

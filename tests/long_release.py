"""The check of a release, which installs the wheel and runs the demo. A row of results/verify."""

import tempfile

import release
from seqsep.theorems import Claim, Outcome

NAME = "release"
WORDS = "the wheel in an empty environment runs the demo, the report and the commands of README.md; tests pass in the sdist"
SOURCES = (
    "../../pyproject.toml",
    "../../setup.py",
    "../../tools/release.py",
    "commands/demo.py",
    "commands/examples.py",
    "commands/report.py",
    "commands/shipped.py",
)


def verify() -> list[Outcome]:
    """Build the wheel and the sdist in a temporary folder and check them."""
    with tempfile.TemporaryDirectory() as folder:
        failed = release.main(["--to", folder, "--demo"])
    claim = Claim(NAME, "tools/release.py", WORDS)
    return [
        claim.lower(
            length=0,
            inputs=1,
            measured={"failures": failed},
            bound={"failures": 0},
            variant=WORDS,
            holds=not failed,
        )
    ]

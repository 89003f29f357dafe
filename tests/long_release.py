"""The check of a release, which installs the wheel and runs the demo. A row of results/verify."""

import shutil
import subprocess
import sys
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


def interpreters() -> dict[str, str]:
    """Version -> program of every Python from 3.11 on that starts here."""
    names = [sys.executable, *filter(None, (shutil.which(f"python3.{minor}") for minor in range(11, 16)))]
    code = "import sys; print('.'.join(map(str, sys.version_info[:2])))"
    found = {}
    for name in names:
        done = subprocess.run([name, "-c", code], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            found.setdefault(done.stdout.strip(), name)
    return found


def verify() -> list[Outcome]:
    """Build the wheel and the sdist in a temporary folder and check them with every Python that is here."""
    found = interpreters()
    with tempfile.TemporaryDirectory() as folder:
        failed = release.main(["--to", folder, "--demo", *(word for name in found.values() for word in ("--python", name))])
    claim = Claim(NAME, "tools/release.py", WORDS)
    return [
        claim.lower(
            length=0,
            inputs=len(found),
            measured={"failures": failed},
            bound={"failures": 0},
            variant=f"{WORDS}; Python {', '.join(sorted(found))}",
            holds=not failed,
        )
    ]

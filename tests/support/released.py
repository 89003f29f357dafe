"""A released version of a package in a folder of its own, and Python with that version in front of the environment's."""

import os
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src"


def install(folder: str, *packages: str) -> None:
    """Put the packages, as NAME==VERSION, into the folder, without what they need. Raises RuntimeError with pip's words."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, *packages]
    environment = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(f"{' '.join(packages)} do not install: {done.stderr[-1000:]}")


def run(arguments: list[str], folder: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments and the folder's packages, and with the sources of this clone."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([folder, str(SOURCES)])}
    command = [sys.executable, "-W", "ignore", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)

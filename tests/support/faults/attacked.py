"""Attacks that are tests: whole files of tests, run and counted."""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

TESTS = Path(__file__).parents[2]


def attacked(*files: str) -> dict[str, Any]:
    """Run the tests of these files, below tests/; each that passes is a trial, each that fails or is skipped a failure."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={report}", *files]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=TESTS)
        if not report.exists():
            raise RuntimeError(f"pytest {' '.join(files)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        cases = ElementTree.parse(report).findall(".//testcase")
    failures = [f"{case.get('classname')}::{case.get('name')}" for case in cases if case.find("*") is not None]
    return {"trials": len(cases), "failures": failures}

"""Attacks that are tests: whole files of tests, run and counted."""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

TESTS = Path(__file__).parents[2]


def attacked(*files: str) -> dict[str, Any]:
    """Run the tests of these files, below tests/: each that runs is a trial. Skipped ones are counted apart."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={report}", *files]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=TESTS)
        if not report.exists():
            raise RuntimeError(f"pytest {' '.join(files)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        cases = ElementTree.parse(report).findall(".//testcase")
    run = [case for case in cases if case.find("skipped") is None]
    failures = [f"{case.get('classname')}::{case.get('name')}" for case in run if case.find("*") is not None]
    skipped = {"skipped": len(cases) - len(run)} if len(run) < len(cases) else {}
    return {"trials": len(run), "failures": failures or ([] if run else ["no test ran"]), **skipped}

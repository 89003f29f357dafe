"""A process that tries mutants in a copy of the tree: python trier.py COPY; a job a line on stdin, an answer a line on stdout.

A job is JSON: a file below src/seqsep, its changed text, tests, and tests that are left out. The answer names the first example
or test that fails, or is null. A job of the names of such failures alone is answered by those that fail on the code as it is.
PyTorch and pytest are loaded once; each job runs in a forked child: first the examples of the module's docstrings, then the
tests. A test above TEST_SECONDS of CPU time has failed, and JOB_SECONDS are all that a mutant gets.
"""

import contextlib
import doctest
import importlib
import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import _pytest.assertion.rewrite
import beartype
import hypothesis
import jaxtyping
import numpy
import pytest
import torch

LOADED = (_pytest, beartype, hypothesis, jaxtyping, numpy, torch)
TEST_SECONDS = 10
JOB_SECONDS = 60
CHECK_SECONDS = 400
WALL_SECONDS = 600
EXAMPLES = "examples of "
OPTIONS = ["-q", "--import-mode=importlib", "-m", "not long", "--tb=no", "-p", "no:cacheprovider", "-o", "addopts="]


class TooLong(BaseException):
    """A test that takes too long; no `except Exception` of the package keeps it."""


class Failures:
    """A plugin of pytest: the tests that fail, and an end to those that take too long."""

    def __init__(self) -> None:
        self.names: list[str] = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        signal.setitimer(signal.ITIMER_PROF, TEST_SECONDS)
        yield
        signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.names.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.names.append(report.nodeid)


def stop(number: int, frame: object) -> None:
    raise TooLong


def examples_hold(path: str) -> bool:
    """Return True if a module can be imported and every example in it prints what it shows, in time."""
    signal.setitimer(signal.ITIMER_PROF, TEST_SECONDS)
    try:
        module = importlib.import_module("seqsep." + path.removesuffix(".py").replace("/", "."))
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        doctest.testmod(module, optionflags=flags, raise_on_error=True)  # else it would go on after an example without end
        return True
    except (Exception, TooLong):
        return False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def first_failure(path: str, tests: list[str], left_out: list[str]) -> str | None:
    """Run the examples of a module, then test files one by one but for tests left out."""
    if not examples_hold(path):
        return EXAMPLES + path
    failures = Failures()
    for test in tests:
        pytest.main([*OPTIONS, "-x", *(f"--deselect={name}" for name in left_out), test], plugins=[failures])
        if failures.names:
            return failures.names[0]
    return None


def failing(names: list[str]) -> list[str]:
    """Of such failures, those of the code as it is."""
    failures = Failures()
    examples = [name for name in names if name.startswith(EXAMPLES)]
    tests = [name for name in names if name not in examples]
    if tests:
        pytest.main([*OPTIONS, *tests], plugins=[failures])
    return failures.names + [name for name in examples if not examples_hold(name.removeprefix(EXAMPLES))]


def in_a_child(copy: Path, seconds: int, work: Callable[[], Any]) -> Any:
    """The answer of a forked process, which imports the package from the copy; None if it is out of time."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            os.setpgid(0, 0)
            signal.alarm(WALL_SECONDS)
            signal.signal(signal.SIGPROF, stop)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
            os.chdir(copy)
            os.environ["PYTHONPATH"] = f"{copy}/src"
            sys.path[:0] = [f"{copy}/src", f"{copy}/tests"]
            with (
                Path(os.devnull).open("w") as nothing,
                contextlib.redirect_stdout(nothing),
                contextlib.redirect_stderr(nothing),
            ):
                answer = json.dumps(work())
            os.write(write, answer.encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # what its tests have started
    return json.loads(said) if said else None


def tried(copy: Path, number: int, path: str, text: str, *, tests: list[str], left_out: list[str]) -> str | None:
    """The first failure with a file's text changed; the file is put back."""
    file = copy / "src/seqsep" / path
    kept = file.with_suffix(".kept")
    shutil.copy2(file, kept)
    try:
        file.write_text(text, encoding="utf-8")
        os.utime(file, (number, number))  # so that no compiled file of another mutant is taken for it
        return in_a_child(copy, JOB_SECONDS, lambda: first_failure(path, tests, left_out))
    finally:
        kept.replace(file)


def main(copy: Path) -> None:
    for number, line in enumerate(sys.stdin):
        job = json.loads(line)
        is_check = isinstance(job, list)
        answer = in_a_child(copy, CHECK_SECONDS, partial(failing, job)) if is_check else tried(copy, number, **job)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

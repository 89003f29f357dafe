"""The warm Python of tests ends as a fresh one, and nothing outlives its program."""

import os
import signal
import subprocess
import sys
import time

import pytest


def start(warm_python, *words, **options):
    command = [str(warm_python.executable), *words]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


@pytest.mark.parametrize(
    ("code", "status", "out", "said"),
    [
        ("import sys; print(input(), sys.argv[1:])", 0, "typed ['a', '-b']\n", ""),
        ("import sys; sys.exit(3)", 3, "", ""),
        ("raise SystemExit('why')", 1, "", "why\n"),
        ("1 / 0", 1, "", "ZeroDivisionError"),
        ("import os; os.kill(os.getpid(), 9)", -9, "", ""),
        ("import atexit; atexit.register(print, 'end')", 0, "end\n", ""),
        ("import sys; print('torch' in sys.modules, 'seqsep' in sys.modules)", 0, "True False\n", ""),
        ("import os; print(os.getppid(), os.environ['A'])", 0, "PARENT b\n", ""),
    ],
)
def test_it_ends_as_a_fresh_one(warm_python, code, status, out, said):
    process = start(warm_python, "-c", code, "a", "-b", env=os.environ | {"A": "b"})
    found, error = process.communicate("typed\n")
    assert (process.returncode, found) == (status, out.replace("PARENT", str(os.getpid())))
    assert said in error


def test_other_flags_make_it_the_ordinary_python(warm_python):
    words = ("-I", "-c", "import sys; print(sys.executable, 'torch' in sys.modules)")
    assert start(warm_python, *words).communicate()[0] == f"{sys.executable} False\n"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_program_leaves_nothing(warm_python, how):
    process = start(warm_python, "-c", "import os, time; print(os.getpid(), flush=True); time.sleep(100)")
    child = int(process.stdout.readline())
    process.send_signal(how)
    assert process.wait(60) == -how
    deadline = time.monotonic() + 60
    while os.path.exists(f"/proc/{child}"):  # noqa: PTH110
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.communicate()

"""The processes that a run starts end with it, also in a session of their own; and a worker ends with its driver."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from seqsep.lab.engines.process import Worker

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only: /proc and prctl")

STARTS_A_SESSION = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
print(child.pid, flush=True)
{then}
"""
HOLDS_THE_LOCK = """
import ctypes, os
from seqsep.lab.engines.worker import watch_parent
watch_parent({parent})
print(os.getpid(), flush=True)
ctypes.PyDLL(None).sleep(60)  # PyDLL keeps the interpreter lock
"""
DRIVER = """
import os, subprocess, sys, time
text = {text!r}.replace("{{parent}}", str(os.getpid()))
subprocess.Popen([sys.executable, "-c", text])
time.sleep(60)
"""


def alive(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and ") Z " not in state.read_text()


def ends(pid: int) -> bool:
    """Return True if a process ends within 5 seconds."""
    deadline = time.monotonic() + 5
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


@pytest.mark.parametrize("then", ["raise SystemExit(3)", "import time; time.sleep(60)"], ids=["ends before", "is stopped"])
def test_a_session_of_a_run_ends_with_its_worker(then: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(STARTS_A_SESSION.format(then=then))
    worker = Worker(script, {}, "cpu")
    os.set_blocking(worker.output, True)
    child = int(os.read(worker.output, 100))
    assert alive(child)
    if "SystemExit" in then:
        worker.process.wait(10)
        assert alive(child)
    worker.stop(time.monotonic())
    assert ends(child)
    assert alive(os.getpid())


def test_a_worker_that_holds_the_lock_ends_with_its_driver() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", DRIVER.format(text=HOLDS_THE_LOCK)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as driver:
        assert driver.stdout is not None
        worker = int(driver.stdout.readline())
        time.sleep(0.3)
        assert alive(worker)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        assert ends(worker)

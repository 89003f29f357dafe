"""A second process of a plug-in: a copy of its worker is a fork, another program is none."""

import subprocess
import sys

import pytest

WATCH = """
from multiprocessing.shared_memory import SharedMemory
import ctypes, os, time
from seqsep.lab.engines.watch import Watch
from seqsep.plugins.load import PlugInFails
from seqsep.plugins.name import PlugIn

watch = Watch([PlugIn("Layer", "0" * 64)])
watch.begin()
{code}
try:
    watch.check()
    print("nothing")
except PlugInFails as failure:
    print(failure)
"""
SHARED = "shared = SharedMemory(create=True, size=8)\nshared.close()\nshared.unlink()"
COPY = "if ctypes.CDLL(None).fork() == 0:\n    os.closerange(0, 64)\n    time.sleep(30)\n    os._exit(0)"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (SHARED, "nothing"),
        (COPY, "Layer@00000000: it forks (past Python)"),
        (f"{SHARED}\n{COPY}", "Layer@00000000: it forks (past Python)"),
    ],
)
def test_shared_memory_is_no_fork(code: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCH.format(code=code)], stdout=subprocess.PIPE, text=True, timeout=60, check=False
    )
    assert done.stdout.strip() == said

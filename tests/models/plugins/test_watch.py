"""A second process of a plug-in: a copy of its worker is a fork, another program is none. And limits that it sets."""

import subprocess
import sys

import pytest

from seqsep.lab.engines import watch

WATCH = """
from multiprocessing.shared_memory import SharedMemory
import contextlib, ctypes, os, resource, time
from seqsep.lab.engines.watch import SideEffectGuard
from seqsep.models.plugins.load import PlugInFails
from seqsep.models.plugins.name import PlugIn

watch = SideEffectGuard([PlugIn("Layer", "0" * 64)])
watch.begin()
{code}
try:
    watch.check()
    print("nothing")
except PlugInFails as failure:
    print(failure)
"""
SHARED = "shared = SharedMemory(create=True, size=8)\nshared.close()\nshared.unlink()"
SETS = "Layer@00000000: it sets a limit of the system ({})"
LIMIT = "with contextlib.suppress(PlugInFails):\n    resource.{call}"
COPY = "if ctypes.CDLL(None).fork() == 0:\n    os.closerange(0, 64)\n    time.sleep(30)\n    os._exit(0)"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (SHARED, "nothing"),
        (COPY, "Layer@00000000: it forks (past Python)"),
        (LIMIT.format(call="prlimit(0, resource.RLIMIT_AS)"), "nothing"),
        (LIMIT.format(call="setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))"), SETS.format("RLIMIT_AS")),
        (LIMIT.format(call="prlimit(0, resource.RLIMIT_CPU, (9, 9))"), SETS.format("RLIMIT_CPU")),
        (f"{SHARED}\n{COPY}", "Layer@00000000: it forks (past Python)"),
    ],
)
def test_a_plug_in_is_watched(code: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCH.format(code=code)], stdout=subprocess.PIPE, text=True, timeout=60, check=False
    )
    assert done.stdout.strip() == said


@pytest.mark.parametrize(("looks", "is_copy"), [(1, False), (watch.LOOKS - 1, False), (watch.LOOKS, True)])
def test_a_program_that_begins_is_no_copy(monkeypatch: pytest.MonkeyPatch, looks: int, is_copy: bool) -> None:
    """Its command is empty until it has begun."""
    answers = iter([[b""]] * looks + [[b"python\0-c\0"]] * watch.LOOKS)
    monkeypatch.setattr(watch, "_commands_of_children", lambda: next(answers))
    monkeypatch.setattr(watch, "SECONDS_BETWEEN", 0)
    monkeypatch.setattr(watch.os, "waitid", lambda *given: None)
    assert watch._has_a_copy() == is_copy

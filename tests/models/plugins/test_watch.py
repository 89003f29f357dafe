"""Limits of the system that a plug-in sets are reported; processes that it starts are its own affair."""

import subprocess
import sys

import pytest

WATCH = """
from multiprocessing.shared_memory import SharedMemory
import contextlib, resource
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "said"),
    [
        (SHARED, "nothing"),
        ("import os\nif os.fork() == 0: os._exit(0)", "nothing"),
        (LIMIT.format(call="prlimit(0, resource.RLIMIT_AS)"), "nothing"),
        (LIMIT.format(call="setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))"), SETS.format("RLIMIT_AS")),
        (LIMIT.format(call="prlimit(0, resource.RLIMIT_CPU, (9, 9))"), SETS.format("RLIMIT_CPU")),
    ],
)
def test_a_plug_in_is_watched(code: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCH.format(code=code)], stdout=subprocess.PIPE, text=True, timeout=60, check=False
    )
    assert done.stdout.strip() == said

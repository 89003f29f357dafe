"""What a plug-in must leave alone while it trains: random states, threads, settings, limits; and no second process."""

import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from seqsep.models.plugins.global_state import GlobalState
from seqsep.models.plugins.load import PlugInFails
from seqsep.models.plugins.name import PlugIn

PROCESSES = Path("/proc")
LOOKS = 20
SECONDS_BETWEEN = 0.01
LIMITING = ("resource.setrlimit", "resource.prlimit")


class SideEffectGuard:
    """Hears of forks from the moment it is made; `begin` marks the global state, and `check` compares with it."""

    def __init__(self, plug_ins: Sequence[PlugIn]) -> None:
        self.words = ", ".join(plug_in.words for plug_in in plug_ins)
        self.forks: list[str] = []
        self.limits: list[str] = []
        self.starts_programs = False
        sys.addaudithook(self._heard)
        self.global_state = GlobalState()

    def begin(self) -> None:
        """From here on the global state must stay as it is."""
        self.global_state = GlobalState()

    def check(self) -> None:
        """Raise PlugInFails for what has happened since."""
        if not self.forks and not self.starts_programs and _has_a_copy():
            self.forks.append("past Python")
        changed = f"it forks ({self.forks[0]})" if self.forks else None
        changed = f"it sets a limit of the system ({self.limits[0]})" if self.limits else changed
        changed = changed or self.global_state.changed()
        if changed is not None:
            raise PlugInFails(f"{self.words}: {changed}")

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        # Raised inside the call, before there is a second process; `check` reports it also if the plug-in catches it.
        if event in ("os.fork", "os.forkpty"):
            self.forks.append(event)
            raise PlugInFails(f"{self.words}: it forks ({event})")
        if event in LIMITING and arguments[-1] is not None:
            self.limits.append(_name_of_limit(arguments[-2]))
            raise PlugInFails(f"{self.words}: it sets a limit of the system ({self.limits[-1]})")
        # Another program, such as a compiler of kernels, is no copy of this process.
        self.starts_programs |= event in ("subprocess.Popen", "os.posix_spawn", "os.system")


def _name_of_limit(number: object) -> str:
    return next(
        (name for name in dir(resource) if name.startswith("RLIMIT_") and getattr(resource, name) == number), str(number)
    )


def _has_a_copy() -> bool:
    """Whether a child of this process is a copy of it.

    Another program is none, such as the one that Python starts beside shared memory; for a moment it looks like one while it
    begins, so a copy is what still looks like one after LOOKS. Where there is no /proc, every child that no hook has heard of
    counts.
    """
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    if not PROCESSES.is_dir():
        return True
    ours = (PROCESSES / "self/cmdline").read_bytes()
    for _ in range(LOOKS):
        if not any(command in (ours, b"") for command in _commands_of_children()):
            return False
        time.sleep(SECONDS_BETWEEN)
    return True


def _commands_of_children() -> Iterator[bytes]:
    """What started each child; nothing is left of that for one that has ended."""
    for place in PROCESSES.glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_bytes().rpartition(b")")[2].split()[1])
            if parent == os.getpid():
                yield (place / "cmdline").read_bytes()
        except OSError:  # it ended while we looked
            continue

"""One driver that makes sweep after sweep while its workers are killed and it is paused, and whose memory is read."""

import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.faults.forked_sweep import logged, runs, seconds_until_gone, session_members
from support.faults.kills import in_peace, scratch
from support.faults.soak import (
    WORDS,
    Soak,
    begun,
    clock_readings,
    cpu_seconds_of,
    drive,
    ends_within,
    interrupted,
    paused,
    send,
    step_the_clock,
)

MOST_GROWTH_KIB = 8192


def sweep_after_sweep(folder: Path, parent: int) -> int:
    """Sweeps until there is a file `stop` or the parent is gone, none while there is a file `hold`; after each a line with the
    resident KiB of this process."""
    number = 0
    while os.getppid() == parent and not (folder / "stop").exists():
        if (folder / "hold").exists():
            time.sleep(0.1)
            continue
        place = folder / str(number)
        place.mkdir()
        if drive(place, place):
            return 1
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        with (folder / "memory").open("a", encoding="utf-8") as file:
            file.write(f"{pages * os.sysconf('SC_PAGE_SIZE') // 1024}\n")
        number += 1
    return 0


class LongDriver:
    """The driver, held until `disturb` lets it go on for a while."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.resident_kib: list[int] = []
        self.hold = folder / "hold"
        self.hold.touch()
        self.readings = 0
        self.killed: Counter[int] = Counter()
        parent = os.getpid()
        self.pid = begun(folder, lambda: sweep_after_sweep(folder, parent))

    def disturb(self, soak: Soak, seconds: float) -> None:
        """Have it make sweeps for so many seconds of CPU time, while its workers are killed and it is paused."""
        before = cpu_seconds_of(self.pid)
        self.hold.unlink()
        while not soak.stopped() and cpu_seconds_of(self.pid) - before < seconds and not ends_within(self.pid, soak.wait()):
            finished = self.compare(soak)
            workers = [member for member in session_members(self.pid) if member != self.pid]
            fault = soak.drawn.choice(["kill", "kill", "pause", "clock"])
            if fault == "kill" and workers and self.killed[finished] < 2:  # a run whose workers die three times has failed
                self.killed[finished] += 1
                soak.faults["workers killed"] += 1
                send([soak.drawn.choice(workers)], signal.SIGKILL)
            elif fault == "clock":
                soak.faults[WORDS["clock"]] += 1
                step_the_clock(soak)
            else:
                soak.faults[WORDS["pause"]] += 1
                paused(soak, self.pid)
        self.hold.touch()
        self.compare(soak)
        soak.killed_cpu_seconds += cpu_seconds_of(self.pid) - before

    def compare(self, soak: Soak) -> int:
        """Compare what has been exported since; how many sweeps are finished now."""
        readings = clock_readings(self.folder)
        soak.faults["clock readings"] += readings - self.readings
        self.readings = readings
        memory = self.folder / "memory"
        lines = memory.read_text().split() if memory.exists() else []
        for number in range(len(self.resident_kib), len(lines)):
            place = self.folder / str(number)
            if (place / "rows.jsonl").read_bytes() != soak.expected:
                soak.wrong("the export differs")
            counts = Counter(logged(place, "reported"))
            soak.compare(len(runs()) - len(counts), counts.total() - len(counts))
            shutil.rmtree(place)
            self.resident_kib.append(int(lines[number]))
            soak.sweeps += 1
        return len(lines)

    def end(self, soak: Soak) -> None:
        """Have it end by itself once its sweep is whole; what is left of its memory is judged."""
        (self.folder / "stop").touch()
        if status := os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]):
            soak.wrong(f"the driver ended with {status}: {(self.folder / 'errors').read_text()[-300:]}")
        if seconds_until_gone(self.pid) == float("inf"):
            soak.wrong("a process is left")
        self.compare(soak)

    def memory(self, soak: Soak) -> dict[str, int]:
        """The memory after its second sweep (the first one loads), the memory now, and the growth between them."""
        growth = growth_kib(self.resident_kib)
        if growth > MOST_GROWTH_KIB:
            soak.wrong(f"the driver's memory grew by {growth} KiB in {len(self.resident_kib)} sweeps")
        return {
            "sweeps of one driver": len(self.resident_kib),
            "KiB at first": (self.resident_kib[1:2] or self.resident_kib or [0])[0],
            "KiB at last": (self.resident_kib or [0])[-1],
            "KiB it grew by": growth,
        }


@contextmanager
def long_driver() -> Iterator[LongDriver]:
    """A driver in a folder of its own that is gone afterwards; so is the driver."""
    with scratch() as folder:
        driver = LongDriver(folder)
        try:
            yield driver
        finally:
            (folder / "stop").touch()


def growth_kib(resident: list[int]) -> int:
    """From the most of the first quarter, but for the first sweep, to the most of the last."""
    quarter = max(2, len(resident) // 4)
    return max(resident[-quarter:]) - max(resident[1:quarter]) if len(resident) > quarter else 0


def part(soak: Soak, driver: LongDriver, seconds: float) -> None:
    """The seconds of CPU time, half of them of sweeps that are interrupted."""
    while soak.spent() < seconds / 2 and not soak.stopped():
        interrupted(soak)
    driver.disturb(soak, seconds - soak.spent())


def soak(seconds: int, seed: int = 0) -> dict[str, Any]:
    """Sweeps for so many seconds of CPU time: no run lost or repeated, the same export, the memory of a long driver flat."""
    state = Soak(random.Random(seed), in_peace()[0])
    with long_driver() as driver:
        part(state, driver, seconds)
        spent = state.spent()
        driver.end(state)
        memory = driver.memory(state)
    return {
        "trials": state.sweeps,
        "failures": state.failures,
        "CPU-hours": round(spent / 3600, 3),
        **dict(sorted(state.faults.items())),
        **memory,
    }

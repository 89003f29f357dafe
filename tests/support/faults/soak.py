"""Sweeps for a given time under faults that are drawn: SIGKILL, pauses, dead workers, a full disk, steps of the clock.

Half of the time goes to sweeps whose driver is killed or left without space, and started again until it ends; the other half to
one driver that makes sweep after sweep while its workers are killed and all of it is paused, and whose memory must not grow.
The clock that steps is Python's `time.time`, by up to a day at each call, in drivers and workers: the machine's stays as it is.
"""

import os
import random
import shutil
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seqsep.lab.engines.local import Supervisor
from seqsep.lab.row import Row
from seqsep.lab.store.place import StoreUnavailable
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import Sweep
from support.faults.disk import small_disk
from support.faults.forked_sweep import Forked, Log, logged, runs, seconds_until_gone, session_members, start
from support.faults.kills import ended, in_peace, scratch

SECONDS_BETWEEN_FAULTS = 0.4
LONGEST_PAUSE = 0.5
LIVES_WITH_FAULTS = 12
STALL_SECONDS = 60.0
MOST_GROWTH_KIB = 8192
DISK_IS_FULL = 3
WORDS = {"kill": "drivers killed", "pause": "pauses", "disk": "disks filled"}


@dataclass
class Soak:
    """What is drawn, what the sweeps must export, and what has happened so far."""

    drawn: random.Random
    expected: bytes
    faults: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    sweeps: int = 0
    resident_kib: list[int] = field(default_factory=list)
    killed_cpu_seconds: float = 0.0
    began_at: float = field(default_factory=lambda: sum(os.times()[:4]))

    def wrong(self, words: str) -> None:
        """Say what went wrong in the sweep under way."""
        self.failures.append(f"sweep {self.sweeps}: {words}")

    def spent(self) -> float:
        """The seconds of CPU time so far: of this process, of those that it waited for, and of workers that were killed."""
        return sum(os.times()[:4]) - self.began_at + self.killed_cpu_seconds

    def kill(self, driver: int) -> None:
        """Kill a driver. Its workers end by themselves and are waited for by nobody, so their time is counted here."""
        self.killed_cpu_seconds += sum(cpu_seconds_of(pid) for pid in session_members(driver) if pid != driver)
        os.killpg(driver, signal.SIGKILL)

    def wait(self) -> float:
        """The seconds until the next fault."""
        return self.drawn.expovariate(1 / SECONDS_BETWEEN_FAULTS)


def step_the_clock(seed: int) -> None:
    """Have `time.time` jump by up to a day, forward or back, at each call."""
    drawn = random.Random(seed)
    real = time.time
    time.time = lambda: real() + drawn.uniform(-86_400, 86_400)


def drive(folder: Path, disk: Path) -> int:
    """The sweep of all runs, its store on `disk`, and its export; the status is that of `seqsep run` for a full disk."""
    log = Log(folder)

    def on_row(row: Row) -> None:
        log.write("reported", row.key)

    try:
        with Store(disk / "store.db") as store:
            with Sweep(store, "trial", Supervisor(2, STALL_SECONDS), show=lambda: log, on_row=on_row) as sweep:
                sweep.train(runs())
            store.export(folder / "rows.jsonl")
    except StoreUnavailable:
        return DISK_IS_FULL
    finally:
        os.close(log.file)
    return 0


def begun(folder: Path, call: Any, seed: int) -> int:
    """A process whose clock steps, and those of its workers; returns its process id."""

    def steps() -> None:
        Forked.in_worker = staticmethod(lambda: step_the_clock(seed + 1))
        step_the_clock(seed)

    def main() -> int:
        steps()
        return int(call())

    return start(folder, main)


def interrupted(soak: Soak) -> None:
    """One sweep, whose driver is killed, paused or left without space, and started again until it ends by itself."""
    with scratch() as folder, small_disk(folder / "disk") as mounted:
        disk = folder / "disk"
        for life in range(LIVES_WITH_FAULTS + 1):
            done = ended(disk / "store.db")
            (folder / "log").unlink(missing_ok=True)
            pid = begun(folder, lambda: drive(folder, disk), soak.drawn.randrange(1 << 30))
            faults = ["kill", "pause", "disk"] if mounted else ["kill", "pause"]
            may_end_with = {0} if life == LIVES_WITH_FAULTS else disturbed(soak, pid, faults, disk)
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            (disk / "ballast").unlink(missing_ok=True)
            if status not in may_end_with:
                soak.wrong(f"ended with {status}: {(folder / 'errors').read_text()[-300:]}")
            if seconds_until_gone(pid) == float("inf"):
                soak.wrong("an orphan is left")
            if lost := (done | set(logged(folder, "reported"))) - ended(disk / "store.db"):
                soak.wrong(f"lost {lost}")
            if repeated := set(logged(folder, "began")) & done:
                soak.wrong(f"repeated {repeated}")
            if status == 0:
                break
        if not (folder / "rows.jsonl").exists() or (folder / "rows.jsonl").read_bytes() != soak.expected:
            soak.wrong("the export differs")
        if left := sorted(path.name for path in (disk / "store.db.checkpoints").glob("*")):
            soak.wrong(f"files are left: {left}")


def disturbed(soak: Soak, pid: int, faults: list[str], disk: Path) -> set[int]:
    """Do what is drawn to a driver until it ends; returns the statuses that it may end with."""
    may_end_with = {0}
    while not ends_within(pid, soak.wait()):
        (disk / "ballast").unlink(missing_ok=True)
        fault = soak.drawn.choice(faults)
        soak.faults[WORDS[fault]] += 1
        if fault == "kill":
            soak.kill(pid)
            return may_end_with | {-signal.SIGKILL}
        if fault == "pause":
            paused(soak, pid)
        else:
            fill(disk / "ballast")
            may_end_with = may_end_with | {DISK_IS_FULL}
    return may_end_with


def paused(soak: Soak, pid: int) -> None:
    """Stop the driver, or all of the sweep, for a while."""
    whole = soak.drawn.random() < 0.5
    stopped = session_members(pid) if whole else [pid]
    send(stopped, signal.SIGSTOP)
    time.sleep(soak.drawn.uniform(0, LONGEST_PAUSE))
    send(stopped, signal.SIGCONT)


def send(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def fill(ballast: Path) -> None:
    """Use up all the space of a disk of 1 MiB."""
    with ballast.open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                continue


def ends_within(pid: int, seconds: float) -> bool:
    """Whether a child ends within a time; it can be waited for afterwards."""
    until = time.monotonic() + seconds
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def sweep_after_sweep(folder: Path) -> int:
    """Sweeps until there is a file `stop`; after each a line with the resident KiB of this process."""
    number = 0
    while not (folder / "stop").exists():
        place = folder / str(number)
        place.mkdir()
        if drive(place, place):
            return 1
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        with (folder / "memory").open("a", encoding="utf-8") as file:
            file.write(f"{pages * os.sysconf('SC_PAGE_SIZE') // 1024}\n")
        number += 1
    return 0


def steady(soak: Soak, seconds: float) -> None:
    """One driver that makes sweeps for so many seconds of CPU time, while its workers are killed and it is paused."""
    with scratch() as folder:
        pid = begun(folder, lambda: sweep_after_sweep(folder), soak.drawn.randrange(1 << 30))
        killed: Counter[int] = Counter()
        finished = 0
        while cpu_seconds_of(pid) < seconds and not ends_within(pid, soak.wait()):
            finished = compared(soak, folder, finished)
            workers = [member for member in session_members(pid) if member != pid]
            if soak.drawn.random() < 0.5 or not workers or killed[finished] == 2:
                soak.faults[WORDS["pause"]] += 1
                paused(soak, pid)
            else:
                killed[finished] += 1  # a run whose workers die three times has failed
                soak.faults["workers killed"] += 1
                send([soak.drawn.choice(workers)], signal.SIGKILL)
        (folder / "stop").touch()
        if status := os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
            soak.wrong(f"the driver ended with {status}: {(folder / 'errors').read_text()[-300:]}")
        if seconds_until_gone(pid) == float("inf"):
            soak.wrong("a process is left")
        compared(soak, folder, finished)


def compared(soak: Soak, folder: Path, finished: int) -> int:
    """Compare what has been exported since; how many sweeps are finished now."""
    lines = (folder / "memory").read_text().split() if (folder / "memory").exists() else []
    for number in range(finished, len(lines)):
        place = folder / str(number)
        if (place / "rows.jsonl").read_bytes() != soak.expected:
            soak.wrong("the export differs")
        counts = Counter(logged(place, "reported"))
        if set(counts.values()) != {1} or len(counts) != len(runs()):
            soak.wrong(f"reported {counts}")
        shutil.rmtree(place)
        soak.resident_kib.append(int(lines[number]))
        soak.sweeps += 1
    return len(lines)


def cpu_seconds_of(pid: int) -> float:
    """Of a process and of those that it has waited for."""
    try:
        columns = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0
    return sum(map(int, columns[11:15])) / os.sysconf("SC_CLK_TCK")


def growth_kib(resident: list[int]) -> int:
    """From the most of the first quarter, but for the first sweep, to the most of the last."""
    quarter = max(2, len(resident) // 4)
    return max(resident[-quarter:]) - max(resident[1:quarter]) if len(resident) > quarter else 0


def soak(seconds: int, seed: int = 0) -> dict[str, Any]:
    """Sweeps for so many seconds of CPU time: no run lost or repeated, the same export, the memory of a long driver flat."""
    state = Soak(random.Random(seed), in_peace()[0])
    while state.spent() < seconds / 2:
        interrupted(state)
        state.sweeps += 1
    steady(state, seconds - state.spent())
    growth = growth_kib(state.resident_kib)
    if growth > MOST_GROWTH_KIB:
        state.wrong(f"the driver's memory grew by {growth} KiB in {len(state.resident_kib)} sweeps")
    return {
        "trials": state.sweeps,
        "failures": state.failures,
        "CPU-hours": round(state.spent() / 3600, 3),
        **dict(sorted(state.faults.items())),
        "sweeps of one driver": len(state.resident_kib),
        "KiB of that driver": max(state.resident_kib, default=0),
        "KiB it grew by": growth,
    }

"""Sweeps for a given time under faults that are drawn: SIGKILL, pauses, dead workers, a full disk, steps of the clock.

Half of the time goes to sweeps whose driver is killed or left without space, and started again until it ends; the other half to
one driver that makes sweep after sweep while its workers are killed and all of it is paused, and whose memory must not grow
(long_driver.py). The clock that steps, by up to a day at a time, is Python's, `time.time` and `time.time_ns`, in drivers and
workers: the machine's stays as it is. How often one of them reads it is counted too.
"""

import mmap
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from seqsep.lab.engines.local import Supervisor
from seqsep.lab.row import Row
from seqsep.lab.store.place import StoreUnavailable
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import Sweep
from support.faults.disk import small_disk
from support.faults.forked_sweep import Forked, Log, logged, runs, seconds_until_gone, session_members, start
from support.faults.kills import ended, scratch

SECONDS_BETWEEN_FAULTS = 0.4
LONGEST_PAUSE = 0.5
LIVES_WITH_FAULTS = 12
STALL_SECONDS = 60.0
DISK_IS_FULL = 3
NANOSECONDS_OF_A_DAY = 86_400_000_000_000
WORDS = {"kill": "drivers killed", "pause": "pauses", "clock": "clock steps", "disk": "disks filled"}
COUNTED = (*WORDS.values(), "workers killed", "clock readings")
OFFSET = mmap.mmap(-1, 8)
"""By how many nanoseconds the clock is off, for this process and its forks."""


@dataclass
class Soak:
    """The draws, the rows that the sweeps must export, and the events so far."""

    drawn: random.Random
    expected: bytes
    stopped: Callable[[], bool] = lambda: False
    faults: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(COUNTED, 0)))
    lives: int = 0
    lost: int = 0
    repeated: int = 0
    failures: list[str] = field(default_factory=list)
    sweeps: int = 0
    killed_cpu_seconds: float = 0.0
    began_at: float = field(default_factory=lambda: sum(os.times()[:4]))

    def wrong(self, words: str) -> None:
        """Say what went wrong in the sweep under way."""
        self.failures.append(f"sweep {self.sweeps}: {words}")

    def compare(self, lost: int, repeated: int) -> None:
        """Count runs that were reported and are no longer there, and runs that were done again."""
        self.lost += lost
        self.repeated += repeated
        if lost or repeated:
            self.wrong(f"lost {lost}, repeated {repeated}")

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


def set_the_clock(readings: Path) -> None:
    """Have Python's clock be off by OFFSET in this process, and write a byte for each reading to a file."""
    file = os.open(readings, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    real = time.time_ns

    def read() -> int:
        os.write(file, b".")
        return real() + int.from_bytes(OFFSET[:], "little", signed=True)

    time.time_ns = read
    time.time = lambda: read() / 1e9


def prepare_a_worker(readings: Path) -> None:
    """Have it end when it is asked to, and its clock step."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    set_the_clock(readings)


def clock_readings(folder: Path) -> int:
    """The number of times that the drivers and workers of a folder have read their clock."""
    readings = folder / "clock"
    return readings.stat().st_size if readings.exists() else 0


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


def begun(folder: Path, call: Callable[[], int]) -> int:
    """A process whose clock steps with that of its workers; returns its process id."""

    def main() -> int:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # who asks all processes to end asks a sitting, which ends this one
        signal.signal(signal.SIGINT, signal.default_int_handler)
        Forked.in_worker = staticmethod(lambda: prepare_a_worker(folder / "clock"))
        set_the_clock(folder / "clock")
        return call()

    return start(folder, main)


def interrupted(soak: Soak) -> None:
    """One sweep, whose driver is killed, paused or left without space, and started again until it ends by itself."""
    with scratch() as folder, small_disk(folder / "disk") as mounted:
        disk = folder / "disk"
        for life in range(LIVES_WITH_FAULTS + 1):
            done = ended(disk / "store.db")
            (folder / "log").unlink(missing_ok=True)
            pid = begun(folder, lambda: drive(folder, disk))
            soak.lives += 1
            faults = [fault for fault in WORDS if mounted or fault != "disk"]
            may_end_with = {0} if life == LIVES_WITH_FAULTS else disturbed(soak, pid, faults, disk)
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            (disk / "ballast").unlink(missing_ok=True)
            if status not in may_end_with:
                soak.wrong(f"ended with {status}: {(folder / 'errors').read_text()[-300:]}")
            if seconds_until_gone(pid) == float("inf"):
                soak.wrong("an orphan is left")
            lost = (done | set(logged(folder, "reported"))) - ended(disk / "store.db")
            soak.compare(len(lost), len(set(logged(folder, "began")) & done))
            if status == 0:
                break
        if not (folder / "rows.jsonl").exists() or (folder / "rows.jsonl").read_bytes() != soak.expected:
            soak.wrong("the export differs")
        if left := sorted(path.name for path in (disk / "store.db.checkpoints").glob("*")):
            soak.wrong(f"files are left: {left}")
        soak.faults["clock readings"] += clock_readings(folder)
    soak.sweeps += 1


def disturbed(soak: Soak, pid: int, faults: list[str], disk: Path) -> set[int]:
    """Do what is drawn to a driver until it ends; returns the statuses that it may end with."""
    may_end_with = {0}
    while not (ends_within(pid, soak.wait()) or soak.stopped()):
        (disk / "ballast").unlink(missing_ok=True)
        fault = soak.drawn.choice(faults)
        soak.faults[WORDS[fault]] += 1
        if fault == "kill":
            soak.kill(pid)
            return may_end_with | {-signal.SIGKILL}
        if fault == "pause":
            paused(soak, pid)
        elif fault == "clock":
            step_the_clock(soak)
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


def step_the_clock(soak: Soak) -> None:
    """Have the clock of all drivers and workers jump, forward or back."""
    offset = soak.drawn.randrange(-NANOSECONDS_OF_A_DAY, NANOSECONDS_OF_A_DAY)
    OFFSET[:] = offset.to_bytes(8, "little", signed=True)


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
    """Return True if a child ends within a time; it can be waited for afterwards."""
    until = time.monotonic() + seconds
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def cpu_seconds_of(pid: int) -> float:
    """Of a process and of those that it has waited for."""
    try:
        columns = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0
    return sum(map(int, columns[11:15])) / os.sysconf("SC_CLK_TCK")

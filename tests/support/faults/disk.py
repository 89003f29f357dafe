"""A sweep from the command line on a disk that is full at some point, or with a limit on the size of files."""

import random
import re
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import seqsep.commands.chosen_runs
import seqsep.lab.estimate
import seqsep.lab.loggers
import seqsep.lab.sweep  # noqa: F401 (what `seqsep run` imports: here once, not in every fork)
from seqsep.commands.cli import main
from seqsep.lab.run import Run
from seqsep.lab.store.place import StoreError
from seqsep.lab.store.store import Store
from support.faults.forked_sweep import runs, start, status_of
from support.faults.kills import scratch

MEBIBYTE = 1 << 20
SCRIPT = '''"""The runs of these trials."""
from support.faults.forked_sweep import runs as all_runs


def runs(preset: str) -> list:
    return all_runs()
'''


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """A file system of 1 MiB in `folder`; False where mounting is not permitted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def may_mount() -> bool:
    """Return True if this process may mount a file system."""
    with scratch() as folder, small_disk(folder / "disk") as mounted:
        return mounted


def sweep_from_the_command_line(folder: Path, disk: Path, errors: str, limit: int | None = None) -> int:
    """The exit status of `seqsep run`, its store on `disk`, with files of at most `limit` bytes."""

    def call() -> int:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        return main(["run", str(folder / "experiment.py"), "--store", str(disk / "store.db"), "--workers", "2"])

    return status_of(start(folder, call, errors))


def exported(folder: Path, disk: Path) -> bytes:
    """The rows of the store, from a copy: the disk may have no space for SQLite to read in."""
    with scratch() as copy:
        for path in disk.glob("store.db*"):
            if path.is_file() and not path.name.endswith("-shm"):
                shutil.copy(path, copy)
        with suppress(StoreError), Store(copy / "store.db", create=False) as store:
            store.export(folder / "rows.jsonl")
            return (folder / "rows.jsonl").read_bytes()
        return b""


def reported(text: str) -> set[str]:
    """The labels of the runs that the sweep said were done."""
    return set(re.findall(r"^\[\d+/\d+\] (.*?): (?:finished|converged)", text, flags=re.MULTILINE))


def trial(expected: bytes, room: int, small: bool) -> tuple[list[str], int]:
    """One sweep with this much room, and again with enough; returns what is wrong, and the first exit status."""
    with scratch() as folder, small_disk(folder / "disk") as mounted:
        assert mounted or not small
        disk, wrong = folder / "disk", []
        (folder / "experiment.py").write_text(SCRIPT)
        if small:
            (disk / "ballast").write_bytes(bytes(MEBIBYTE - room))
        status = sweep_from_the_command_line(folder, disk, "first", None if small else room)
        text = (folder / "first").read_text()
        told, kept = reported(text), {run.label() for run in kept_runs(exported(folder, disk))}
        if told != kept:
            wrong.append(f"reported {told}, kept {kept}")
        if status == 3 and not re.search(r"^seqsep \w+: \S*store\.db\S*: [^\n]+\n\Z", text, flags=re.MULTILINE):
            wrong.append(f"said {text[-300:]!r}")
        (disk / "ballast").unlink(missing_ok=True)
        again = sweep_from_the_command_line(folder, disk, "second")
        if again or exported(folder, disk) != expected:
            wrong.append(f"ends otherwise: {again}, {(folder / 'second').read_text()[-300:]!r}")
        return wrong, status


def kept_runs(rows: bytes) -> list[Run]:
    """The runs of exported rows."""
    by_key = {run.key(): run for run in runs()}
    return [by_key[key] for key in re.findall(r'"key":"([0-9a-f]{64})"', rows.decode())]


def full(count: int, seed: int = 0, small: int = 1) -> dict[str, Any]:
    """As many trials as `count` in which the space did not suffice, with `small` on a disk of 1 MiB, else under a limit of
    file sizes; room drawn evenly up to what a sweep needs."""
    with scratch() as folder:
        (folder / "experiment.py").write_text(SCRIPT)
        (folder / "disk").mkdir()
        assert sweep_from_the_command_line(folder, folder / "disk", "first") == 0, (folder / "first").read_text()
        expected = exported(folder, folder / "disk")
    drawn, most = random.Random(seed), (MEBIBYTE // 2 if small else MEBIBYTE // 8)
    failures: list[str] = []
    trials, sufficed = 0, 0
    while trials < count:
        room = drawn.randrange(most) // 4096 * 4096 if small else drawn.randrange(most)
        wrong, status = trial(expected, room, bool(small))
        failures += [f"{room} bytes, status {status}: {words}" for words in wrong]
        if status == 0:
            sufficed, most = sufficed + 1, room
            continue
        trials += 1
        if status != 3:
            failures.append(f"{room} bytes: status {status}")
    return {"trials": trials, "failures": failures, "room_sufficed": sufficed}

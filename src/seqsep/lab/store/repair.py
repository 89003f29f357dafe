"""Repair of a damaged store: every intact row goes to a new one. The damaged file stays beside it under another name."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqsep.files import on_disk
from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.store.place import LOGS, StoreError, StoreUnavailable, copy_of, only_driver, unused
from seqsep.lab.store.salvage import Salvage, salvage
from seqsep.lab.store.schema import digests_of
from seqsep.lab.store.store import Store


@dataclass(frozen=True)
class Repaired:
    """What a repair came to: how many rows of runs and checkpoints it kept, and what is lost.

    `damaged` is where the damaged file stands now. It is None if the store was sound; then it is as it was.
    """

    runs: int
    checkpoints: int
    lost: tuple[str, ...]
    damaged: Path | None


def repair(path: Path | str) -> Repaired:
    """Keep every intact row of a store that SQLite or its digests find damaged.

    A sound store is left as it is. Raises StoreError if no row is intact, and StoreUnavailable while a sweep writes or if the
    disk is full; the file is as it was then.
    """
    path = Path(path).resolve()
    beside = Path(f"{path}-wal")
    if not path.is_file() and not beside.is_file():
        raise StoreError(f"{path}: expected a store of seqsep, found no such file")
    with only_driver(path):
        try:
            log = beside.read_bytes() if beside.exists() else b""
            salvaged = salvage(path.read_bytes() if path.exists() else b"", log)
            sound = _sound(path, salvaged, bool(log)) if path.exists() else None
            if sound is not None:
                return sound
            if not salvaged.runs and not salvaged.checkpoints:
                raise StoreError(f"{path}: expected a store with an intact row, found none; the file is as it was")
            return _rebuilt(path, salvaged)
        except StoreUnavailable:
            raise
        except OSError as error:
            raise StoreUnavailable(f"{path}: cannot be repaired: {error.strerror or error}; the file is as it was") from error


def _sound(path: Path, salvaged: Salvage, has_log: bool) -> Repaired | None:
    """What a sound store holds. A copy is opened, as SQLite would write to the file itself."""
    with copy_of(path) as folder:
        copy = Path(folder) / path.name
        try:
            with Store(copy, create=False) as store:
                runs, checkpoints = store.contents()
        except StoreError:
            return None
    # SQLite drops the rest of a log from the first damaged page on, and finds nothing wrong.
    ended = {key for _, key, _, _, result, *_ in runs if result is not None}
    known = ended | {key for key, *_ in checkpoints}
    hidden = salvaged.runs.keys() - {(experiment, key) for experiment, key, *_ in runs}
    unseen = [key for key, row in salvaged.checkpoints.items() if key not in known and _on_disk(path, row)]
    dropped = has_log and (salvaged.lost or salvaged.lost_checkpoints)
    return None if hidden or unseen or dropped else Repaired(len(runs), len(checkpoints), (), None)


def _rebuilt(path: Path, salvaged: Salvage) -> Repaired:
    checkpoints = [row for row in salvaged.checkpoints.values() if _on_disk(path, row)]
    fresh = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with Store(fresh) as store:
            store.fill({"runs": salvaged.runs.values(), "checkpoints": checkpoints})
        if path.exists():
            shutil.copymode(path, fresh)
        damaged = unused(path, "damaged")
        _replace(path, fresh, damaged)
    finally:
        for suffix in ("", ".lock", *LOGS):
            Path(f"{fresh}{suffix}").unlink(missing_ok=True)
    lost = [f"run {key} of experiment {experiment!r}" for experiment, key in salvaged.lost]
    lost += [f"checkpoint of run {key}" for key in salvaged.lost_checkpoints]
    return Repaired(len(salvaged.runs), len(checkpoints), tuple(lost), damaged)


def _replace(path: Path, fresh: Path, damaged: Path) -> None:
    """Put `fresh` in the place of `path`, which is linked under the other name first. At no instant is a file missing."""
    for suffix in ("", *LOGS[:2]):
        if Path(f"{path}{suffix}").exists():
            os.link(f"{path}{suffix}", f"{damaged}{suffix}")
    on_disk(path.parent)
    for suffix in LOGS:  # SQLite would take the log of the damaged file for that of the new one
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    fresh.replace(path)
    on_disk(path.parent)


def _on_disk(path: Path, row: tuple[Any, ...]) -> bool:
    """Whether a file of a checkpoint's row is there. A row without one is worth nothing: its run has ended since."""
    key, _, column, _ = row
    place = Path(f"{path}.checkpoints") / f"{key}.safetensors"
    return any(checkpoint_file(place, digest).exists() for digest in digests_of(column))

"""Files written whole or not at all, and where a run's checkpoints are."""

import os
from pathlib import Path


def checkpoint_file(path: Path, digest: str) -> Path:
    """Where the checkpoint with this SHA-256 is, of a run whose checkpoints go to `path`."""
    return path.with_name(f"{path.stem}.{digest[:16]}{path.suffix}")


def write_checkpoint(path: Path, digest: str, data: bytes) -> None:
    """Write `checkpoint_file(path, digest)`; it is on disk on return. Raises OSError, and leaves nothing then."""
    temporary, final = path.with_suffix(f".{os.getpid()}.tmp"), checkpoint_file(path, digest)
    final.parent.mkdir(parents=True, exist_ok=True)
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(final)
    finally:
        temporary.unlink(missing_ok=True)
    on_disk(final.parent)


def on_disk(folder: Path) -> None:
    """On return, what was put into this folder will be found there after a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

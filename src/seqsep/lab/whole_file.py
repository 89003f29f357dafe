"""Files that appear whole or not at all, and the names of a run's checkpoints."""

import os
from pathlib import Path


def checkpoint_file(path: Path, digest: str) -> Path:
    """The file of the checkpoint with this SHA-256, of a run whose checkpoints go to `path`.

    >>> checkpoint_file(Path("store.checkpoints/run.safetensors"), "3fa190bc" * 8).as_posix()
    'store.checkpoints/run.3fa190bc3fa190bc.safetensors'
    """
    return path.with_name(f"{path.stem}.{digest[:16]}{path.suffix}")


def write_checkpoint(path: Path, digest: str, data: bytes) -> None:
    """Write `checkpoint_file(path, digest)`; it is on disk on return. Raises OSError, and leaves nothing then."""
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    final = checkpoint_file(path, digest)
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
    """Sync a folder: on return, what was put into it will be found there after a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

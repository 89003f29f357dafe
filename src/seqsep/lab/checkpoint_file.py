"""The names of a run's checkpoints: each file is named after its own digest, so that none is written over."""

from pathlib import Path


def checkpoint_file(path: Path, digest: str) -> Path:
    """Return the file of the checkpoint with this SHA-256, of a run whose checkpoints go to `path`.

    >>> checkpoint_file(Path("store.checkpoints/run.safetensors"), "3fa190bc" * 8).as_posix()
    'store.checkpoints/run.3fa190bc3fa190bc.safetensors'
    """
    return path.with_name(f"{path.stem}.{digest[:16]}{path.suffix}")

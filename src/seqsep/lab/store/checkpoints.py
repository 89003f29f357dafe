"""The folder of a store's checkpoints: which of its files are the store's, and their removal."""

import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from seqsep.core.files import kind_of
from seqsep.lab.store.place import StoreError

CHECKPOINT = re.compile(r"([0-9a-f]{64})\.[0-9a-f]{16}\.safetensors")
UNFINISHED = re.compile(r"\.([0-9a-f]{64})\.[0-9a-f]{16}\.safetensors\.[0-9]+(?:\.[0-9a-f]{16})?\.tmp")
"""The name of a checkpoint that is being written (`files.write_file`)."""


def run_of(name: str) -> str | None:
    """Return the key of the run whose checkpoint, finished or not, has this file name; None for any other name.

    >>> run_of("model.safetensors") is None
    True
    """
    match = CHECKPOINT.fullmatch(name) or UNFINISHED.fullmatch(name)
    return match[1] if match else None


def require_folder(folder: Path) -> None:
    """Raise StoreError if the folder of checkpoints is a link or another kind of file. It may be missing."""
    try:
        mode = folder.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(mode):
        found = f"found {kind_of(mode)}, through which files of others could be removed"
        raise StoreError(f"{folder}: expected a folder of checkpoints, {found}; put the store itself on the other disk")


def remove(folder: Path, is_over: Callable[[str], bool]) -> None:
    """Remove the files of the folder whose name `is_over` says is no longer needed: regular files only, not through a link."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # there are no checkpoints
        return
    try:
        with os.scandir(descriptor) as entries:
            names = [entry.name for entry in entries if is_over(entry.name) and entry.is_file(follow_symlinks=False)]
        for name in names:
            with suppress(OSError):  # the next driver removes what stays
                os.unlink(name, dir_fd=descriptor)
    finally:
        os.close(descriptor)

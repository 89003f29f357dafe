"""The sources of a user's class: its file, and the files beside it that it imports."""

import ast
import hashlib
from pathlib import Path

from seqsep.core.files import read_bytes

MOST_BYTES = 1 << 22
"""Of a Python file."""
NOT_THE_USERS = ("seqsep", "torch", "numpy")
"""Modules that a file may import from a folder beside it although they are not the user's, such as a clone of this project."""
NOT_PARSED = (SyntaxError, ValueError, RecursionError, MemoryError)
"""Exceptions of `ast.parse` for a file that is not Python, or whose expressions are nested too deep."""


def digest_of(path: Path, data: bytes) -> str:
    """Return the SHA-256 of a file of these bytes or, if it imports files next to it, of its digest and theirs.

    Those are found by its `import` statements and theirs, without running anything; of a package every .py counts. What is
    imported otherwise, or is elsewhere, is not seen.
    """
    own = hashlib.sha256(data).hexdigest()
    imported = imported_files(path, data)
    if not imported:
        return own
    lines = [own, *(f"{name} {hashlib.sha256(read_source(file)).hexdigest()}" for name, file in sorted(imported.items()))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read_source(path: Path) -> bytes:
    """Return the bytes of a Python file. Raises BadInput and OSError as `seqsep.core.files.read_bytes` does."""
    return read_bytes(path, most=MOST_BYTES)


def imported_files(path: Path, data: bytes) -> dict[str, Path]:
    """Return the files next to `path` that its bytes import, and those that these import, by their names from the folder on."""
    folder = path.absolute().parent
    found: dict[str, Path] = {}
    waiting = [data]
    while waiting:
        for name in _imported_names(waiting.pop()):
            files = [folder / f"{name}.py"] if (folder / f"{name}.py").is_file() else sorted((folder / name).rglob("*.py"))
            for file in files:
                key = file.relative_to(folder).as_posix()
                if key not in found and file != path.absolute() and file.is_file():
                    found[key] = file
                    waiting.append(read_source(file))
    return found


def _imported_names(data: bytes) -> set[str]:
    """Return the first words of the names that a file imports; empty if it is not Python."""
    try:
        nodes = list(ast.walk(ast.parse(data)))
    except NOT_PARSED:
        return set()
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and node.level == 0}
    return {name.partition(".")[0] for name in names} - set(NOT_THE_USERS)

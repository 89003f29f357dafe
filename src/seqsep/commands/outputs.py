"""The files that one command writes: each has a name of its own, and none is a file that the command reads."""

from collections.abc import Iterable
from pathlib import Path

from seqsep.files import require_output
from seqsep.names import BadInput


def require_outputs(outputs: Iterable[Path | None], read: Iterable[Path]) -> None:
    """Raise BadInput, before anything runs, unless each of the outputs that are asked for can be written.

    >>> require_outputs([Path("a.json"), None, Path("./a.json")], read=[])
    Traceback (most recent call last):
        ...
    seqsep.names.BadInput: a.json: expected a name for each file to write, found it twice
    """
    inputs = list(read)
    asked = [path for path in outputs if path is not None]
    for place, path in enumerate(asked):
        require_output(path, read=inputs)
        if path.absolute() in [other.absolute() for other in asked[:place]]:
            raise BadInput(f"{path}: expected a name for each file to write, found it twice")


def files_among(words: Iterable[str]) -> list[Path]:
    """The files that words of a command line name, alone or behind a flag's equals sign: what its output must not replace."""
    paths = [Path(word.rpartition("=")[2]) for word in words]
    return [path for path in paths if path.is_file()]

"""`seqsep examples`: copy the examples, the rows and the trained models that come with seqsep into a folder."""

import argparse
from pathlib import Path

from seqsep.commands.command import RESULTS, Command
from seqsep.commands.shipped import root, shipped_files
from seqsep.commands.status import DONE
from seqsep.core.files import read_bytes, write_file
from seqsep.core.names import BadInput


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the argument: the folder to write to."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="write DIR/examples and DIR/results; DIR may not exist yet")


def run(options: argparse.Namespace) -> int:
    """Copy the files and print their number for each folder."""
    written = copy_examples(options.folder)
    for name in ("examples", "results"):
        count = sum(path.parts[0] == name for path in written)
        print(f"{options.folder / name}: {count} files")
    print(f"Next: cd {options.folder}; seqsep check --mixer examples/own_layer.py:MovingAverage")
    return DONE


def copy_examples(folder: Path) -> list[Path]:
    """Copy every shipped file below `folder`; return the paths relative to it.

    Raises BadInput, before anything is written, if a file of that name has another content.

    >>> import tempfile
    >>> written = copy_examples(Path(tempfile.mkdtemp()))
    >>> Path("examples/own_layer.py") in written, Path("results/audit/lstm.safetensors") in written
    (True, True)
    """
    source = root()
    files = list(shipped_files(source))
    if not files:
        raise BadInput(f"expected examples and results in {source}, found none; install seqsep again")
    missing = [path for path in files if not _is_there(folder / path, read_bytes(source / path))]
    for path in missing:
        write_file(folder / path, read_bytes(source / path))
    return files


def _is_there(path: Path, content: bytes) -> bool:
    """Return whether a file has this content, False if there is none. Raises BadInput for anything else of that name."""
    if path.is_file() and not path.is_symlink() and read_bytes(path) == content:
        return True
    if path.is_symlink() or path.exists():
        raise BadInput(
            f"{path}: expected no file, or the same content, found another content; choose another folder, or move it"
        )
    return False


COMMAND = Command(
    name="examples",
    purpose="copy the examples and the committed rows that come with seqsep into a folder",
    example="seqsep examples seqsep-examples",
    group=RESULTS,
    add_flags=add_flags,
    run=run,
    details="DIR/examples has a layer, a task and runs of your own as Python files, a model's config.json, and scripts that "
    "show faults of two libraries. DIR/results has the rows of our runs and two trained models. In a folder that already "
    "has these files, the command changes nothing; a file of the same name with another content is an error.",
)

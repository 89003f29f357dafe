"""Every file that seqsep writes: whole or not at all, never over what is no regular file, never over what was just read."""

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from seqsep.names import BadInput, printable

LONGEST_LINE = 1 << 24
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def write_file(path: Path | str, data: bytes | str, *, read: Iterable[Path] = ()) -> None:
    """Write a file and the folders above it; on return it is on disk, and a text is UTF-8.

    The file appears whole under its name, or what was there stays. A process that is killed meanwhile leaves `.NAME.PID.tmp`,
    which the next write to this name on that machine removes. Raises BadInput as `require_output` does, OSError with the
    file's name if it cannot be written.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "new" / "rows.txt"
    >>> write_file(path, "one\\n")
    >>> path.read_text()
    'one\\n'
    """
    path = Path(path)
    require_output(path, read=read)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _remove_left(path)
            with temporary.open("wb") as file:
                file.write(printable(data).encode("utf-8") if isinstance(data, str) else data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
            on_disk(path.parent)
    finally:
        if temporary.exists():
            temporary.unlink()


def _remove_left(path: Path) -> None:
    """Remove the unfinished files of killed processes that wrote to this path, as far as rights allow it."""
    begin = f".{path.name}."
    end = ".tmp"
    with suppress(PermissionError):
        for left in path.parent.iterdir():
            process = left.name.removeprefix(begin).removesuffix(end)
            if left.name == f"{begin}{process}{end}" and process.isdecimal() and not _is_running(int(process)):
                left.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    """Whether this machine has a process of that number."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # another user's
        return True
    return True


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Have every OSError inside name this file: that of a full disk names none.

    >>> with naming("rows.jsonl"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device: 'rows.jsonl'
    """
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def read_text(path: Path | str) -> str:
    """The text of a file, or of the standard input if `path` is "-". Raises BadInput, which names it, for what is no UTF-8.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "words.txt"
    >>> path.write_bytes(b"gr\\xfcn") and read_text(path)
    Traceback (most recent call last):
    seqsep.names.BadInput: ...words.txt: expected text in UTF-8, found byte 0xfc at 2
    """
    is_input = str(path) == "-"
    try:
        return sys.stdin.read() if is_input else Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        found = f"found byte {error.object[error.start]:#x} at {error.start}"
        raise BadInput(f"{'standard input' if is_input else path}: expected text in UTF-8, {found}") from None


def require_output(path: Path | str, *, read: Iterable[Path] = ()) -> None:
    """Raise BadInput unless the path is a regular file or none, and no file of `read`, the inputs of the same command.

    A link is refused as well, such as those that stand for the standard output: a file put in its place would destroy it.

    >>> require_output("/")
    Traceback (most recent call last):
    seqsep.names.BadInput: /: expected a regular file or a new name to write to, found a folder
    """
    path = Path(path)
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISREG(mode):
        raise BadInput(f"{path}: expected a regular file or a new name to write to, found {kind_of(mode)}")
    for other in read:
        if other.exists() and path.samefile(other):
            raise BadInput(f"{path}: expected another name to write to, found a file that this command reads")


def json_lines(text: str) -> list[str]:
    """The lines of JSON Lines. They end at newlines only: a text may hold other marks that Python takes for the end of a line.

    >>> json_lines('["a\\u2028b"]\\n[]\\n')
    ['["a\\u2028b"]', '[]']
    """
    return text.removesuffix("\n").split("\n") if text else []


def lines_of(readline: Callable[[int], str], source: str) -> Iterator[str]:
    """The lines that a text file's `readline` gives, one by one, so that their number needs no memory.

    Raises BadInput with `source` for a line of more than 16,777,216 characters, and for what is not UTF-8.

    >>> import io
    >>> list(lines_of(io.StringIO("[1]\\n\\n[2]").readline, "input"))
    ['[1]', '', '[2]']
    """
    number = 0
    try:
        while line := readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise BadInput(f"{source}, line {number}: expected at most {LONGEST_LINE:,} characters, found more")
            yield line.removesuffix("\n")
    except UnicodeDecodeError as error:
        found = error.object[error.start]
        raise BadInput(f"{source}, after line {number}: expected text in UTF-8, found byte {found:#x}") from None


def kind_of(mode: int) -> str:
    """What a file of this `st_mode` is, in words.

    >>> kind_of(Path("/dev/null").stat().st_mode)
    'a device'
    """
    return KINDS.get(stat.S_IFMT(mode), "a regular file")


def on_disk(folder: Path) -> None:
    """Sync a folder: on return, what was put into it will be found there after a power cut.

    >>> import tempfile
    >>> on_disk(Path(tempfile.mkdtemp()))
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

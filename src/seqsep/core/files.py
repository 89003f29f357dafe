"""Files, read and written with care.

Reading: only regular files, up to a size limit, so that a pipe does not hang and a device does not fill the memory.
Writing: the complete file or none, never over anything but a regular file, and never over an input of the same command.
"""

import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from errno import ENXIO
from hashlib import file_digest
from io import BufferedReader
from pathlib import Path
from typing import Literal

from seqsep.core.names import BadInput, printable

LONGEST_LINE = 1 << 24
"""Bytes of a line that `read_lines` accepts."""
LARGEST_FILE = 1 << 30
"""Bytes of a file that the functions below accept if the caller sets no other limit."""
UNLIMITED = sys.maxsize
"""The limit for a file that is read piece by piece, in memory that does not grow with it."""
PIECE = 1 << 20
"""Bytes that are read at once from a file of unknown size."""
_kept_folder: ContextVar[Path] = ContextVar("_kept_folder", default=Path())

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

    The complete file appears under its name, or what was there stays. A file that is replaced passes its mode on. A process
    that is killed meanwhile leaves `.NAME.PID.RANDOM.tmp`, which the next write to this name on that machine removes. Raises
    BadInput as `require_output` does, and OSError with the file's name if it cannot be written.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "new" / "rows.txt"
    >>> write_file(path, "one\\n")
    >>> path.read_text()
    'one\\n'
    """
    path = _kept_folder.get() / Path(path)
    require_output(path, read=read)
    temporary = None
    try:
        with naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _remove_left(path)
            temporary, descriptor = new_file_beside(path)
            with os.fdopen(descriptor, "wb") as file:
                file.write(printable(data).encode("utf-8") if isinstance(data, str) else data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
            fsync_dir(path.parent)
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


@contextmanager
def folder_kept() -> Iterator[None]:
    """Have `write_file` take relative paths from the folder that is the current one now, even if code inside changes it.

    >>> import tempfile
    >>> before = Path.cwd()
    >>> os.chdir(tempfile.mkdtemp())
    >>> with folder_kept():
    ...     there = Path.cwd()
    ...     os.chdir(before)  # as a user's file may do
    ...     write_file("rows.txt", "one\\n")
    >>> (there / "rows.txt").read_text()
    'one\\n'
    """
    before = _kept_folder.set(Path.cwd())
    try:
        yield
    finally:
        _kept_folder.reset(before)


def new_file_beside(path: Path) -> tuple[Path, int]:
    """Create an empty file with a random name next to `path`; return its path and a descriptor to write to.

    Nobody can guess the name and put a link there: the file is created exclusively. If the file at `path` belongs to this user,
    the new one has its permissions, so that a private file stays private. Raises OSError.

    >>> import tempfile
    >>> temporary, descriptor = new_file_beside(Path(tempfile.mkdtemp()) / "rows.txt")
    >>> os.close(descriptor)
    >>> temporary.name.startswith(f".rows.txt.{os.getpid()}."), temporary.suffix
    (True, '.tmp')
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(8)}.tmp")
    try:
        replaced = path.stat()
    except FileNotFoundError:
        mode = None
    else:
        mode = replaced.st_mode & 0o777 if replaced.st_uid == os.geteuid() else None
    created_with = 0o666 if mode is None else 0o600
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, created_with)
    try:
        if mode is not None:
            os.fchmod(descriptor, mode)
    except OSError:
        os.close(descriptor)
        temporary.unlink(missing_ok=True)
        raise
    return temporary, descriptor


def _remove_left(path: Path) -> None:
    """Remove the unfinished files of killed processes that wrote to this path, as far as rights allow it."""
    unfinished = re.compile(rf"\.{re.escape(path.name)}\.([0-9]+)(\.[0-9a-f]{{16}})?\.tmp")
    with suppress(PermissionError):
        for left in path.parent.iterdir():
            match = unfinished.fullmatch(left.name)
            if match and not _is_running(int(match[1])) and stat.S_ISREG(left.lstat().st_mode):
                left.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    """Return True if this machine has a process of that number."""
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


def read_text(path: Path | str, *, most: int = LARGEST_FILE) -> str:
    """Return the text of a regular file, or of the standard input if `path` is "-".

    Raises BadInput as `read_bytes` does, and for bytes that are not UTF-8.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "words.txt"
    >>> path.write_bytes(b"gr\\xfcn") and read_text(path)
    Traceback (most recent call last):
    seqsep.core.names.BadInput: ...words.txt: expected text in UTF-8, found byte 0xfc at 2
    """
    data = _read_standard_input(most) if str(path) == "-" else read_bytes(path, most=most)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"found byte {error.object[error.start]:#x} at {error.start}"
        raise BadInput(f"{_source(path)}: expected text in UTF-8, {found}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path | str, *, most: int = LARGEST_FILE) -> bytes:
    """Return the bytes of a regular file of at most `most` bytes.

    Raises BadInput for a pipe, a device, a folder, a socket and a larger file, before anything is read; OSError with the
    file's name if it cannot be opened.

    >>> read_bytes("/dev/zero")
    Traceback (most recent call last):
    seqsep.core.names.BadInput: /dev/zero: expected a regular file, found a device
    """
    with open_regular(path, most=most) as file, naming(path):
        return _at_most(file.read, most, str(path), os.fstat(file.fileno()).st_size)


@contextmanager
def open_regular(path: Path | str, *, most: int = LARGEST_FILE) -> Iterator[BufferedReader]:
    """Open a regular file of at most `most` bytes for reading. Raises BadInput and OSError as `read_bytes` does.

    >>> with open_regular("/dev/null") as file:
    ...     pass
    Traceback (most recent call last):
    seqsep.core.names.BadInput: /dev/null: expected a regular file, found a device
    """
    with naming(path):
        # Without O_NONBLOCK the open of a pipe that nobody writes to would never return.
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        except OSError as error:
            if error.errno == ENXIO:
                raise BadInput(f"{path}: expected a regular file, found a socket") from None
            raise
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise BadInput(f"{path}: expected a regular file, found {kind_of(found.st_mode)}")
        if found.st_size > most:
            raise BadInput(f"{path}: expected at most {most:,} bytes, found {found.st_size:,}")
    except BaseException:
        os.close(descriptor)
        raise
    with os.fdopen(descriptor, "rb") as file:
        yield file


def digest_of_file(path: Path | str) -> str:
    """Return the SHA-256 of a regular file of any size. Raises BadInput and OSError as `read_bytes` does.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "empty"
    >>> path.touch()
    >>> digest_of_file(path)[:8]
    'e3b0c442'
    """
    with open_regular(path, most=UNLIMITED) as file, naming(path):
        return file_digest(file, "sha256").hexdigest()


def read_lines(path: Path | str, *, most: int = LARGEST_FILE) -> Iterator[str]:
    """Yield the lines of a regular file of at most `most` bytes, or of the standard input if `path` is "-", as they are read.

    A line ends at a newline only: a text in JSON may hold other marks that Python takes for the end of a line. Raises BadInput
    as `read_bytes` does, and with the line's number for one of more than 16,777,216 bytes or of bytes that are not UTF-8.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rows.jsonl"
    >>> path.write_text('["a\\u2028b"]\\n\\n[]', encoding="utf-8") and list(read_lines(path))
    ['["a\\u2028b"]', '', '[]']
    """
    if str(path) == "-":
        with naming("standard input"):
            yield from _decoded(_of_standard_input("readline"), "standard input")
    else:
        with open_regular(path, most=most) as file, naming(path):
            yield from _decoded(file.readline, str(path))


def _decoded(readline: Callable[[int], bytes], source: str) -> Iterator[str]:
    number = 0
    while line := readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise BadInput(f"{source}, line {number}: expected at most {LONGEST_LINE:,} bytes, found more")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            found = f"found byte {line[error.start]:#x} at {error.start}"
            raise BadInput(f"{source}, line {number}: expected text in UTF-8, {found}") from None
        yield text.removesuffix("\n")


def _read_standard_input(most: int) -> bytes:
    with naming("standard input"):
        return _at_most(_of_standard_input("read"), most, "standard input")


def _at_most(read: Callable[[int], bytes], most: int, source: str, expected: int = PIECE) -> bytes:
    """Return all bytes of a file that `read` reads piece by piece. The first piece has the expected size of the file.

    A single read of `most` bytes would reserve the memory for them. The file may grow meanwhile.
    """
    pieces = []
    left = most + 1
    piece = expected + 1
    while left > 0 and (data := read(min(left, piece))):
        pieces.append(data)
        left -= len(data)
        piece = PIECE
    if left <= 0:
        raise BadInput(f"{source}: expected at most {most:,} bytes, found more")
    return b"".join(pieces)


def _of_standard_input(name: Literal["read", "readline"]) -> Callable[[int], bytes]:
    """Return a method of the standard input that reads bytes, also if a test or a notebook has put a stream of text in its
    place.
    """
    if sys.stdin is None:
        raise BadInput("standard input: expected data, found a closed stream")
    of_bytes: Callable[[int], bytes] | None = getattr(getattr(sys.stdin, "buffer", None), name, None)
    of_texts: Callable[[int], str] = getattr(sys.stdin, name)
    return of_bytes or (lambda most: of_texts(most).encode("utf-8", "surrogateescape"))


def _source(path: Path | str) -> str:
    return "standard input" if str(path) == "-" else str(path)


def require_output(path: Path | str, *, read: Iterable[Path] = ()) -> None:
    """Raise BadInput unless the path is a regular file or a new name, and differs from every file of `read`, the inputs of the
    same command.

    A link is refused as well, such as those that mean the standard output: a file put in its place would destroy it.

    >>> require_output("/")
    Traceback (most recent call last):
    seqsep.core.names.BadInput: /: expected a regular file or a new name to write to, found a folder
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


def kind_of(mode: int) -> str:
    """Return the kind of a file of this `st_mode`, in words.

    >>> kind_of(Path("/dev/null").stat().st_mode)
    'a device'
    """
    return KINDS.get(stat.S_IFMT(mode), "a regular file")


def fsync_dir(folder: Path) -> None:
    """Sync a folder: on return, what was put into it will be found there after a power cut.

    >>> import tempfile
    >>> fsync_dir(Path(tempfile.mkdtemp()))
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""A formula in DIMACS as a file, packed with gzip or not; if it is refused, the error also says what would be read."""

import gzip
import io
import zlib
from pathlib import Path

from seqsep.core.files import read_bytes, read_text
from seqsep.core.names import BadInput
from seqsep.maths.formulas import MOST_BYTES, NUMBER, Thresholds, dimacs

ENDINGS = (".cnf", ".dimacs", ".cnf.gz", ".dimacs.gz")


def read_formula(path: Path) -> Thresholds:
    """Return the formula of FILE.cnf or FILE.cnf.gz.

    Raises BadInput with the line, what was expected and found, and the first line with which the file would be read.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "some.cnf.gz"
    >>> _ = path.write_bytes(gzip.compress(b"p cnf 2 1\\n1 -2 0\\n"))
    >>> read_formula(path).features
    (AtLeast(literals=(1, -2), least=1),)
    """
    text = _unpacked(path) if path.suffix == ".gz" else read_text(path, most=MOST_BYTES)
    try:
        return dimacs(text, str(path))
    except ValueError as error:
        raise BadInput(f"{error}; {what_would_be_read(text)}") from error


def _unpacked(path: Path) -> str:
    """Return the text of a file packed with gzip. Raises BadInput for another file, and for more than 16 MiB of text."""
    packed = read_bytes(path, most=MOST_BYTES)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise BadInput(f"{path}: expected at most {MOST_BYTES:,} bytes of text, found more")
        return data.decode("utf-8")
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"{path}: expected a file packed with gzip, found an error: {error}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: expected a text in UTF-8, found the byte {error.object[error.start]:#04x}") from error


def what_would_be_read(text: str) -> str:
    """Return the first line and the ending with which a text would be read.

    >>> what_would_be_read("p cnf 3 2 \\n 1 4 0 \\n -1 3")
    "with the first line 'p cnf 4 2' and 0 at the end, it would be read"
    >>> what_would_be_read("p wcnf 3 1 10 \\n 10 1 2 0")
    "only 'p cnf' is read: clauses without weights, quantifiers and XOR"
    """
    numbers: list[int] = []
    variables = 0
    for words in map(str.split, text.splitlines()):
        if not words or words[0][0] == "c":
            continue
        if words[0][0] == "%":
            break
        if words[0] == "p":
            if words[1:2] not in (["cnf"], []):
                return "only 'p cnf' is read: clauses without weights, quantifiers and XOR"
            variables = max([variables, *(int(word) for word in words[2:3] if NUMBER.fullmatch(word))])
            continue
        if not all(map(NUMBER.fullmatch, words)):
            return "'p cnf VARIABLES CLAUSES' is read, then the literals of each clause and 0"
        numbers += map(int, words)
    if not numbers:
        return "'p cnf VARIABLES CLAUSES' is read, then the literals of each clause and 0"
    clauses = numbers.count(0) + (numbers[-1] != 0)
    end = " and 0 at the end" if numbers[-1] else ""
    return f"with the first line 'p cnf {max(variables, *map(abs, numbers))} {clauses}'{end}, it would be read"

"""Run the examples of a documentation page and compare what they print with what the page shows.

A ```python block with >>> is a doctest. The lines of a ```console block that begin with `$ ` are commands; a trailing backslash
continues a command, and the lines after it are its output. A line `...` of an output matches any lines, and `...` inside a line
matches any text. Both kinds of block run in one empty folder per page, from the top of the page to its end.

A comment line directly before a block changes how it runs:

    <!-- long -->               only in `make verify`
    <!-- not run: REASON -->    never
    <!-- file: NAME -->         write the block to this file in the page's folder
    <!-- status: NUMBER -->     the last command of the block exits with this status, not with 0
"""

import doctest
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sybil import Document, Example, Region
from sybil.evaluators.doctest import DocTestEvaluator
from sybil.parsers.abstract.doctest import DocTestStringParser
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

from pages._console import environment

ROOT = Path(__file__).parents[2]
ONLY_LONG = (
    "how-to/audit-a-model.md",
    "how-to/canary.md",
    "how-to/check-a-models-state.md",
    "how-to/check-an-engine.md",
    "how-to/layer-card.md",
    "how-to/own-function.md",
    "how-to/own-task.md",
    "how-to/reproduce-a-figure.md",
    "how-to/sweeps.md",
    "how-to/troubleshooting.md",
    "reference/python/published-models.md",
    "tutorials/first-results.md",
    "tutorials/own-layer.md",
)
"""Pages whose examples take more than 10 seconds each: `make verify` runs them whole, and `make test` the others."""
LEXER = RawFencedCodeBlockLexer(re.compile(r"(?P<language>\w*)[^\n]*$\n", re.MULTILINE))
MARK = re.compile(r"(long|not run|file|status)(?:: (.+))?")
COMMENT = re.compile(r"<!--\s*(.*?)\s*-->")
DOCTESTS = DocTestStringParser(DocTestEvaluator(doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE))
PROGRESS = re.compile(r"^\S+: being checked for .*\n", re.MULTILINE)
"""Lines on standard error that a slow machine adds."""
SECONDS = 600
"""The time limit of one command."""


@dataclass(frozen=True)
class Page:
    """A documentation page, the empty folder that its examples run in, and whether its long examples run too."""

    path: Path
    folder: Path
    long: bool = False

    def run(self) -> int:
        """Run every example; return their number. The folder must be the current one if there are doctests."""
        document = Document.parse(str(self.path), self.examples)
        count = 0
        for example in document.examples():
            example.evaluate()
            count += 1
        return count

    def examples(self, document: Document) -> Iterator[Region]:
        """Yield the examples of a parsed page, in any order."""
        for block in LEXER(document):
            source, language = block.lexemes["source"], block.lexemes["language"]
            marks = read_marks(document, block)
            if "not run" in marks or ("long" in marks and not self.long):
                continue
            if "file" in marks:
                yield Region(block.start, block.end, str(source), partial(self.write, marks["file"]))
            elif language == "console":
                yield Region(block.start, block.end, str(source), partial(self.console, int(marks.get("status", "0"))))
            elif language == "python" and ">>> " in source:
                for region in DOCTESTS(source, document.path):
                    region.adjust(block, source)
                    yield region

    def write(self, name: str, example: Example) -> None:
        """Write a block to a file."""
        (self.folder / name).write_text(example.parsed, encoding="utf-8")

    def console(self, status: int, example: Example) -> str | None:
        """Run the commands of a block; return what is wrong with the first one that fails."""
        commands = read_console(example.parsed)
        for number, (command, expected) in enumerate(commands, 1):
            wanted = status if number == len(commands) else 0
            done = self.shell(command)
            if done.returncode != wanted:
                return f"$ {command}\nexpected status {wanted}, found {done.returncode}:\n{done.stdout}"
            if not matches(expected, PROGRESS.sub("", done.stdout)):
                return f"$ {command}\nexpected:\n{expected}\nfound:\n{done.stdout}"
        return None

    def shell(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in bash; standard error is printed where standard output is, as in a terminal."""
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=self.folder,
            env=self.variables(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def variables(self) -> dict[str, str]:
        """Return the environment of a command."""
        return environment(self.folder)


def read_marks(document: Document, block: Region) -> dict[str, str]:
    """Read the comment lines directly before a block."""
    found = {}
    for line in reversed(document.text[: block.start].rstrip().splitlines()):
        comment = COMMENT.fullmatch(line.strip())
        if comment is None:
            break
        text = comment[1]
        mark = MARK.fullmatch(text)
        if mark is None or (mark[2] is None) != (mark[1] == "long"):
            raise ValueError(
                f"{document.path}, {document.line_column(block.start)}: a comment before a block is `long`, `not run: REASON`, "
                f"`file: NAME` or `status: NUMBER`, found {text!r}"
            )
        found[mark[1]] = mark[2] or ""
    return found


def has_mark(path: Path, mark: str) -> bool:
    """Return whether a page has a block with this mark."""
    document = Document(path.read_text(encoding="utf-8"), str(path))
    return any(mark in read_marks(document, block) for block in LEXER(document))


def read_console(text: str) -> list[tuple[str, str]]:
    r"""Read the commands of a block, each with its output.

    >>> read_console("$ echo a \\\n  b\na b\n$ true\n")
    [('echo a \\\n  b', 'a b'), ('true', '')]
    """
    if not text.startswith("$ "):
        raise ValueError(f"expected a console block that begins with `$ `, found {text.splitlines()[:1]}")
    found: list[tuple[list[str], list[str]]] = []
    continues = False
    for line in text.splitlines():
        if continues:
            found[-1][0].append(line)
        elif line.startswith("$ "):
            found.append(([line[2:]], []))
        else:
            found[-1][1].append(line)
            continue
        continues = line.endswith("\\")
    return [("\n".join(command), "\n".join(output)) for command, output in found]


def matches(expected: str, found: str) -> bool:
    r"""Return whether an output is the expected one, apart from spaces at the end of a line and empty lines at both ends.

    >>> matches("a ... d", "a b c d"), matches("a ... d", "a b\nc d"), matches("a\n...\nd", "a\nb\nc\nd"), matches("a", "b")
    (True, False, True, False)
    """
    pattern = "".join(map(_pattern, expected.strip("\n").splitlines()))
    lines = [line.rstrip() for line in found.strip("\n").splitlines()]
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


def _pattern(line: str) -> str:
    if line.strip() == "...":
        return r"(?:[^\n]*\n)*"
    return "[^\n]*".join(map(re.escape, line.rstrip().split("..."))) + "\n"

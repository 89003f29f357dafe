"""A command: its name, its help, its flags and its function."""

import argparse
import json
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from seqsep.core.names import BadInput, nearest, printable

T = TypeVar("T")


def path_text(text: str) -> str:
    """Read a path. Raises ArgumentTypeError, which argparse reports, for an empty text: it would be the current folder.

    >>> path_text("models/mine")
    'models/mine'
    """
    if not text:
        raise argparse.ArgumentTypeError("expected a path, found an empty text")
    return text


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are BadInput, one line each, with the nearest word or flag that it knows.

    `takes_further`: flags that it does not know are left for others to read. `action_of_a_file`: the action that is meant if
    the first word is an existing file in place of an action.

    >>> Parser(prog="seqsep list").parse_args(["--hlep"])
    Traceback (most recent call last):
        ...
    seqsep.core.names.BadInput: unknown argument --hlep; did you mean --help? (try seqsep list --help)
    """

    takes_further = False
    action_of_a_file = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.register("type", Path, lambda text: Path(path_text(text)))

    def error(self, message: str) -> NoReturn:
        """Raise BadInput in place of printing the usage and exiting."""
        raise BadInput(f"{message} (try {self.prog} --help)")

    @property
    def flags(self) -> list[str]:
        """Every flag that it knows."""
        return list(self._option_string_actions)

    def unknown(self, words: Sequence[str]) -> str | None:
        """Return the first of the words that is a flag, but is neither one of the known flags nor the beginning of one. Return
        None if all are known.
        """
        given = (word.split("=")[0] for word in words if word.startswith("--") and word != "--")
        return next((word for word in given if not any(flag.startswith(word) for flag in self.flags)), None)

    def refuse(self, word: str) -> NoReturn:
        """Raise BadInput for a word that it does not know."""
        near = nearest(word.split("=")[0], self.flags) if word.startswith("--") else ""
        self.error(f"unknown argument {word}{near}")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse what is known. An unknown flag is refused first: it is why a required one is missing."""
        words = list(args or [])
        if self.action_of_a_file and Path(next(iter(words), "")).is_file():
            words.insert(0, self.action_of_a_file)
        unknown = self.unknown(words)
        if unknown is not None and not self.takes_further and self._subparsers is None:
            self.refuse(unknown)
        if self.takes_further:
            self._require_first_word(words)
        return super().parse_known_args(None if args is None else words, namespace)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse all words. Raises BadInput, with the nearest flag, for one that is not known."""
        options, further = self.parse_known_args(args, namespace)
        if further:
            self.refuse(further[0])
        return options

    def _require_first_word(self, words: Sequence[str]) -> None:
        """Refuse a flag that others are to read in front of the word that says who they are: its value would pass for it."""
        needed = [action for action in self._get_positional_actions() if action.nargs not in ("*", "?")]
        waiting = iter(words)
        for word in waiting if needed else ():
            flag, equals, _ = word.partition("=")
            if not flag.startswith("-") or flag == "-":
                return
            known = next((name for name in self.flags if name.startswith(flag)), None)
            if known is None:
                self.error(f"{needed[0].metavar} is missing in front of {flag}: {needed[0].help}")
            if self._option_string_actions[known].nargs is None and not equals:
                next(waiting, None)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a word that is not among the choices, with the nearest of them."""
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            expected = f"expected {', '.join(choices)}, found {str(value)!r}"
            raise argparse.ArgumentError(action, f"{expected}{nearest(str(value), choices)}")


@dataclass(frozen=True)
class Group:
    """A question of a user that several commands answer, and one command line as an example.

    >>> THEOREMS.example
    'seqsep check index-lookup-state'
    """

    title: str
    example: str


THEOREMS = Group("theorems", "seqsep check index-lookup-state")
FUNCTIONS = Group("functions and languages", "seqsep analyze majority --lengths 2..6")
TRAINING = Group("layers and training", "seqsep list mixers")
PUBLISHED = Group("published and trained models", "seqsep capacity examples/falcon-mamba-7b.json --length 128k")
RESULTS = Group("results and papers", "seqsep claims figure-2-attention")
GROUPS = (THEOREMS, FUNCTIONS, TRAINING, PUBLISHED, RESULTS)
"""In the order of `seqsep --help`."""


@dataclass(frozen=True)
class Command:
    """One command of `seqsep`.

    `run` takes the options that `add_flags` declares and returns the exit status. It imports what it needs itself, as torch
    takes seconds to import and no other command should wait for it. `group` is the question that it answers in `seqsep --help`.
    `details` are the paragraphs after the purpose in the command's own help; an indented line keeps its line breaks.
    `takes_further` is True if the command takes flags that its parser does not know, such as a task's fields; they are
    `options.further`. `options.words` are all words after the command's name.
    `help_of` is there if the command has a help for what its words name, such as a theorem; it gives None for words that name
    nothing.

    >>> from seqsep.commands import COMMANDS
    >>> [command.name for command in COMMANDS][:4]
    ['demo', 'list', 'check', 'bound']
    """

    name: str
    purpose: str
    example: str
    group: Group
    add_flags: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    details: str = ""
    takes_further: bool = False
    help_of: Callable[[list[str]], str | None] | None = None


def flags(kind: type[T], given: Mapping[str, Any]) -> T:
    """Return a record of flags: each field of the dataclass `kind` has the value of the flag of its name.

    >>> flags(Group, {"title": "theorems", "example": "seqsep list theorems", "json": False})
    Group(title='theorems', example='seqsep list theorems')
    """
    return kind(**{field.name: given[field.name] for field in fields(kind)})  # type: ignore[arg-type]


def parser_of(command: Command) -> Parser:
    """Return the parser of a command, with its help: purpose, details, flags and example.

    >>> from seqsep.commands import BY_NAME
    >>> parser_of(BY_NAME["list"]).prog
    'seqsep list'
    """
    reads = any(folder in command.example for folder in ("examples/", "results/"))
    written = "\nThe command `seqsep examples .` writes the files of this example." if reads else ""
    purpose = f"{command.purpose[0].upper()}{command.purpose[1:]}."
    parser = Parser(
        prog=f"seqsep {command.name}",
        description=paragraphs(f"{purpose}\n\n{command.details}".rstrip()),
        epilog=f"Example: {command.example}{written}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.takes_further = command.takes_further
    command.add_flags(parser)
    return parser


def paragraphs(text: str, width: int = 100) -> str:
    """Wrap each paragraph of a text; a line that is indented, or that follows an indented one, stays as it is.

    >>> print(paragraphs("One\\n\\nTwo:\\n  seqsep list"))
    One
    <BLANKLINE>
    Two:
      seqsep list
    """
    lines = [line if line.startswith(" ") else textwrap.fill(line, width) for line in text.split("\n")]
    return "\n".join(lines)


def json_object(where: str, text: str) -> dict[str, Any]:
    """Read a line that holds a JSON object. Raises BadInput with the place for anything else.

    >>> json_object("line 1", '{"position": 2}')
    {'position': 2}
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: not JSON: {' '.join(str(error).split())}") from None
    if not isinstance(given, dict):
        raise BadInput(f"{where}: expected a JSON object, found {text.strip()[:80]}")
    return given


def print_json(value: Any) -> None:
    """Print a value as one line of JSON, in ASCII unless the output is Unicode; no character of it acts on a terminal.

    Raises ValueError for NaN and infinity, which JSON does not have.
    """
    is_unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    print(printable(json.dumps(value, ensure_ascii=not is_unicode, allow_nan=False)))

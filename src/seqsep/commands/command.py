"""What a command is: its name, its help, its flags and what it does."""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from seqsep.names import BadInput


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are BadInput, one line each."""

    def error(self, message: str) -> NoReturn:
        """Raise BadInput in place of printing the usage and exiting."""
        raise BadInput(f"{message} (try {self.prog} --help)")


@dataclass(frozen=True)
class Command:
    """One command of `seqsep`.

    `run` takes the options that `add_flags` declares and returns the exit status. It imports what it needs itself, as torch
    takes seconds to import and no other command should wait for it. `details` follow the purpose in the command's own help.
    `read_further` is there if the command takes flags that its parser does not know, such as a task's fields; `options.further`
    is what it makes of them. `options.words` are all words behind the command's name. `help_of` is there if the command has a
    help for what its words name, such as a theorem; it gives None for words that name nothing.

    >>> from seqsep.commands import COMMANDS
    >>> [command.name for command in COMMANDS][:4]
    ['demo', 'list', 'check', 'apply']
    """

    name: str
    purpose: str
    example: str
    add_flags: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    details: str = ""
    read_further: Callable[[list[str]], Any] | None = None
    help_of: Callable[[list[str]], str | None] | None = None


def print_json(value: Any) -> None:
    """Print a value as one line of JSON. Raises ValueError for NaN and infinity, which JSON does not have."""
    print(json.dumps(value, ensure_ascii=False, allow_nan=False))

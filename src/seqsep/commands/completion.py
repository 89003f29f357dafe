"""`seqsep completion`: the words that may follow, in bash, zsh and fish, by argcomplete.

The script that it prints asks `seqsep` itself, with the line so far in variables of argcomplete. The parser of the command
answers; the flags of a named theorem or task are added to it. Only the words after --preset and --only import torch.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from seqsep.commands.command import RESULTS, Command, Parser, parser_of
from seqsep.commands.members import names, record_of
from seqsep.commands.status import DONE

OF_THEOREMS = ("check", "apply", "certify", "bound", "export-network")
"""Commands that take a theorem, and which of its functions has the options."""
TAKES = {
    **dict.fromkeys(OF_THEOREMS, "theorems"),
    "ceiling": "tasks",
    "sample": "tasks",
    "train": "tasks",
    "run": "experiments",
}
"""Commands whose first word is a member's name."""
OF_FLAGS = {"--layers": "mixers", "--mixer": "mixers", "--task": "tasks"}
"""Flags whose value is a member's name."""
OF_EXPERIMENT = {"preset": "presets", "only": "words"}
"""Flags whose value an experiment lists, and the field of its record that does."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: for which shell."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="shell that the script is for")


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    from argcomplete.shell_integration import shellcode

    print(shellcode(["seqsep"], shell=options.shell).strip())
    return DONE


def complete() -> None:
    """Print the words that may follow the line of a shell, and exit."""
    import argcomplete
    from argcomplete.lexers import split_line

    words = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))[3][1:]
    if words:
        os.environ["_ARGCOMPLETE"] = "2"  # the parser is that of the command: its words begin after the name
    argcomplete.autocomplete(completing_parser(words), always_complete_options=False)


def completing_parser(words: Sequence[str]) -> Parser:
    """Return the parser that completes a line with these words before the one that is typed.

    >>> completing_parser(["certify"]).prog
    'seqsep certify'
    """
    from seqsep.commands import BY_NAME

    if not words or words[0] not in BY_NAME:
        parser = Parser(prog="seqsep")
        parser.add_argument("command", choices=() if words else tuple(BY_NAME))
        return parser
    parser = parser_of(BY_NAME[words[0]])
    parser.takes_further = True
    for action in parser._actions:
        registry = TAKES.get(words[0]) if not action.option_strings else OF_FLAGS.get(action.option_strings[0])
        if action.dest in OF_EXPERIMENT:
            words_of = partial(_of_experiment, words, OF_EXPERIMENT[action.dest])
            action.completer = _Words(words_of, or_files=False)  # type: ignore[attr-defined]
        elif registry is not None:
            action.completer = _Words(partial(names, registry), or_files=True)  # type: ignore[attr-defined]
    _add_further(parser, words)
    return parser


class _Words:
    """A completer of words, also after a comma; if none of them fits and it may be one, of files."""

    def __init__(self, found: Callable[[], Iterable[str]], or_files: bool) -> None:
        self.found = found
        self.or_files = or_files

    def __call__(self, prefix: str, **rest: Any) -> list[str]:
        from argcomplete.completers import FilesCompleter

        done, comma, begun = prefix.rpartition(",")
        fitting = [f"{done}{comma}{word}" for word in self.found() if word.startswith(begun)]
        return fitting or (FilesCompleter()(prefix) if self.or_files else [])


def _of_experiment(words: Sequence[str], field: str) -> list[str]:
    """Return the presets, or the words for --only, of the experiment among the words."""
    return [word for name in names("experiments") if name in words for word in record_of("experiments", name)[field]]


def _add_further(parser: Parser, words: Sequence[str]) -> None:
    """Add the flags of the theorem, or of the fields of the task, that the words name."""
    named = next((word for word in words[1:] if not word.startswith("-")), "")
    if words[0] in OF_THEOREMS and named in names("theorems"):
        from seqsep.theorems import BY_NAME

        for option in BY_NAME[named].options_of(words[0]):
            _add_flag(parser, option.name, option.choices, is_switch=option.kind is bool)
    given = words[words.index("--task") + 1 :] if "--task" in words else []
    task = named if TAKES.get(words[0]) == "tasks" else next(iter(given), "")
    if task in names("tasks"):
        record = record_of("tasks", task)
        for field in record["fields"]:
            _add_flag(parser, field, record["choices"].get(field, ()))


def _add_flag(parser: Parser, name: str, choices: Sequence[str], is_switch: bool = False) -> None:
    flag = f"--{name.replace('_', '-')}"
    if is_switch:
        parser.add_argument(flag, action="store_true")
    elif flag not in parser.flags:
        parser.add_argument(flag, choices=choices or None)


COMMAND = Command(
    name="completion",
    purpose="print the completion script for your shell",
    example='eval "$(seqsep completion bash)"',
    group=RESULTS,
    add_flags=add_flags,
    run=run,
    details=(
        'bash: add this line to ~/.bashrc: eval "$(seqsep completion bash)"\n\n'
        'zsh: add this line to ~/.zshrc, after compinit: eval "$(seqsep completion zsh)"\n\n'
        "fish: run this command: seqsep completion fish | source"
    ),
)

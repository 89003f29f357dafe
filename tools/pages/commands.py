"""docs/reference/commands/: a page for each command, from its parser, and an index with the exit statuses."""

import argparse
import re
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from pages._console import SOURCE, block, outputs
from pages._docstrings import inline
from pages._glossary import with_terms
from pages._markdown import table
from seqsep.commands import COMMANDS, GROUPS, Command
from seqsep.commands.command import Parser

FOLDER = "docs/reference/commands"
EXAMPLES = "seqsep examples ."
IMPORT = "seqsep store import runs/store.sqlite results/demo.jsonl"
BEFORE = {
    "generate": (
        "seqsep train is-tree --length 4 --trace peel --layers attention --width 16 --steps 50 --keep-weights > log.txt 2>&1",
    ),
    "export": (IMPORT,),
    "store": (IMPORT,),
}
"""The commands that write what the example of a command reads."""
NOT_RUN = {
    "card": "it trains, and prints its progress",
    "demo": "it trains for several minutes",
    "explore": "it writes 180 pages, which takes a minute",
    "report": "it checks every theorem, which takes more than a minute",
    "run": "it trains for several minutes",
    "train": "it trains for several minutes",
}
"""The commands whose example is too slow for a page, each with the reason."""
NOTES = {
    "explore": (
        "The checker of certificates and the calculation of capacity also run unchanged in a browser, with Pyodide 314.0.7. "
        "Its files have 13.5 MB (6.3 MB compressed), and the page must allow WebAssembly (`wasm-unsafe-eval`). The policy of "
        "our pages forbids it. So these answers come from the server, and the files of `--write` show prepared ones."
    ),
}
"""A paragraph on commands whose help leaves something out that a reader may ask for."""
FAILED = {
    "audit": "The file of `--recheck` is rejected: for example, the model has different states after its two prefixes.",
    "card": "A law fails, or with `--check` the score of a ladder has dropped.",
    "check": "A theorem or a law is refuted.",
    "demo": "A theorem is refuted, or a run failed.",
    "report": "A theorem is refuted.",
    "run": "A run failed.",
    "store": "`seqsep store repair` lost a row.",
    "train": "A run failed.",
}
"""The commands that exit with status 1 for a result, each with this result."""
STATUSES = (
    ("0", "The command is done, and what it checked holds."),
    ("1", "A theorem or a law is refuted, a run failed, or the command has found a bug of seqsep. Each page says which."),
    ("2", "The input is wrong: a flag, a value or a file. One line on standard error says what was expected."),
    ("3", "The environment fails: a full disk, a missing library, or an output that cannot be written."),
    ("130", "The command was interrupted by Ctrl-C or SIGTERM."),
    ("141", "The reader of standard output closed the pipe."),
)
KINDS = {
    "positive": "whole number from 1",
    "whole_number": "whole number",
    "seconds": "seconds",
    "Path": "path",
    "number": "number",
    "float": "number",
    "int": "whole number",
}
MEMBERS = {"THEOREM": "a theorem", "NAME": "a theorem", "TASK": "a task", "EXPERIMENT": "an experiment"}
"""The things that the first word of a command stands for, if they have options of their own."""


def index_page(clone: Path, *, run: bool = True) -> str:
    """Return the index of the commands, by the question that each answers. Without `run`, outputs are left out."""
    parts = [
        "# Commands\n\nYou need these pages if you use seqsep from a shell. Each command has a page with its arguments, flags "
        "and exit statuses, and an example.\n`make pages` generates these pages from the parsers of the commands.\n\n"
        f"The files that examples read are written by `{EXAMPLES}`. It writes two folders, `examples` and `results`.\n\n"
        "Every command also takes these flags:\n\n",
        table(
            [
                ["flag", "meaning"],
                ["`--help`, `-h`", "print the help of the command, with an example"],
                ["`--debug`", "print the traceback of an error in place of one line"],
            ]
        ),
        "\n`seqsep --version` prints the version. `seqsep --help` prints this list.\n",
    ]
    for group in GROUPS:
        lines = [f"* [`{one.name}`]({one.name}.md): {inline(one.purpose)}." for one in COMMANDS if one.group is group]
        parts.append(f"\n## {group.title.capitalize()}\n\n" + "\n".join(lines) + "\n\n" + example((group.example,), run=run))
    parts += ["\n## Exit statuses\n\n", table([["status", "meaning"], *map(list, STATUSES)])]
    names = "\n".join(command.name for command in COMMANDS)
    page = with_terms("".join(parts), clone, up="../../")
    return f"{page}\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"


def command_page(command: Command, clone: Path, *, run: bool = True) -> str:
    """Return the page of a command. Without `run`, the outputs of its example are left out."""
    parser = Parser(prog=f"seqsep {command.name}")
    command.add_flags(parser)
    parts = [f"# {command.name}\n\n{inline(command.purpose[0].upper() + command.purpose[1:])}.\n"]
    parts += [f"\n{part}\n" for part in _details(command.details)]
    parts += ["\n## Usage\n\n", usage(parser), _further(command), *_arguments(parser)]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            parts += [_sub_command(name, one) for name, one in action.choices.items()]
    parts += [f"\n{NOTES[command.name]}\n"] if command.name in NOTES else []
    parts += ["\n## Example\n\n", _example_of(command, run=run), "\n## Exit statuses\n\n", _statuses(command)]
    return with_terms("".join(parts), clone, up="../../")


def example(commands: Sequence[str], *, run: bool) -> str:
    """Return the console block of commands, after the command that writes the files that they read, if they read any."""
    reads = any(folder in command for folder in ("examples/", "results/") for command in commands)
    first = (EXAMPLES,) if reads else ()
    every = (*first, *commands)
    if not run:
        return block(every, ["..."] * len(every))
    printed = outputs(every)
    return block(every, [*(["..."] if reads else []), *printed[len(first) :]], most_lines=14)


def without_outputs(page: str) -> str:
    r"""Return a page of a command without the outputs of its examples.

    >>> without_outputs("```console\n$ seqsep list\none\n$ true\n```\n")
    '```console\n$ seqsep list\n...\n$ true\n...\n```\n'
    """

    def emptied(found: re.Match[str]) -> str:
        kept = "".join(f"{line}\n...\n" for line in found[1].splitlines() if line.startswith("$ "))
        return f"```console\n{kept}```\n"

    return re.sub(r"^```console\n(.*?)^```\n", emptied, page, flags=re.MULTILINE | re.DOTALL)


def usage(parser: argparse.ArgumentParser) -> str:
    """Return a block with the usage of a command: required flags and positional arguments in full.

    >>> parser = argparse.ArgumentParser(prog="seqsep copy")
    >>> _ = parser.add_argument("files", nargs="+", metavar="FILE"), parser.add_argument("-o", required=True, metavar="DIR")
    >>> print(usage(parser))
    ```text
    seqsep copy [FLAGS] -o DIR FILE [FILE ...]
    ```
    <BLANKLINE>
    """
    words = [parser.prog]
    flags = [one for one in parser._actions if one.option_strings and not isinstance(one, argparse._HelpAction)]
    words += ["[FLAGS]"] if any(not one.required for one in flags) else []
    words += [f"{one.option_strings[0]} {_value(one)}" for one in flags if _is_required(one)]
    words += [_value(one) for one in parser._actions if not one.option_strings]
    return f"```text\n{' '.join(words)}\n```\n"


def _details(details: str) -> Iterable[str]:
    """Yield the paragraphs of a help text; lines that are indented there are code."""
    for paragraph in filter(None, details.split("\n\n")):
        lines = paragraph.split("\n")
        plain = [line for line in lines if not line.startswith(" ")]
        code = [line for line in lines if line.startswith(" ")]
        if plain:
            yield inline(" ".join(plain))
        if code:
            yield f"```text\n{textwrap.dedent(chr(10).join(code))}\n```"


def _further(command: Command) -> str:
    """Return one sentence that says where the flags are explained that depend on the command's first word."""
    if command.help_of is None:
        return ""
    parser = Parser(prog="seqsep")
    command.add_flags(parser)
    word = next((_value(one).strip("[]").split()[0] for one in parser._actions if not one.option_strings), "THEOREM")
    shown = "THEOREM" if word == "NAME" else word
    return f"\nTo print the options of {MEMBERS[word]}: `seqsep {command.name} {shown} --help`\n"


def _arguments(parser: argparse.ArgumentParser) -> Iterable[str]:
    """Yield the tables of a parser's positional arguments and of its flags."""
    shown = [one for one in parser._actions if one.help != argparse.SUPPRESS]
    kept = [one for one in shown if not isinstance(one, argparse._HelpAction | argparse._SubParsersAction)]
    words = [["argument", "type", "meaning"]] + [
        [f"`{_value(one)}`".replace("|", "\\|"), _kind(one), _help(parser, one)] for one in kept if not one.option_strings
    ]
    flags = [["flag", "type", "default", "meaning"]] + [
        [_flag(one), _kind(one), _default(one), _help(parser, one)] for one in kept if one.option_strings
    ]
    if len(words) > 1:
        yield f"\n{table(words)}"
    if len(flags) > 1:
        yield f"\n{table(flags)}"


def _sub_command(name: str, parser: argparse.ArgumentParser) -> str:
    purpose = parser.description or ""
    return "".join([f"\n## {name}\n\n{inline(purpose[:1].upper() + purpose[1:])}.\n\n", usage(parser), *_arguments(parser)])


def _example_of(command: Command, *, run: bool) -> str:
    if command.name in NOT_RUN:
        return f"<!-- not run: {NOT_RUN[command.name]} -->\n```console\n$ {command.example}\n```\n"
    return example((*BEFORE.get(command.name, ()), command.example), run=run)


def _statuses(command: Command) -> str:
    bug = "The command has found a bug of seqsep."
    failed = f"{FAILED[command.name]} Or: {bug[0].lower()}{bug[1:]}" if command.name in FAILED else bug
    meanings = {**dict(STATUSES), "1": failed}
    return table([["status", "meaning"], *([status, meaning] for status, meaning in meanings.items())])


def _value(action: argparse.Action) -> str:
    """Return the placeholder of an argument or of a flag's value, as argparse shows it in the usage."""
    if isinstance(action.metavar, str):
        name = action.metavar
    elif action.choices is not None:
        name = "|".join(map(str, action.choices)) if not isinstance(action, argparse._SubParsersAction) else "ACTION"
    else:
        name = action.dest.upper()
    if isinstance(action, argparse._SubParsersAction):
        return f"{name} ..."
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} [{name} ...]"}.get(str(action.nargs), name)


def _flag(action: argparse.Action) -> str:
    """Return the spellings of a flag as one cell of a table."""
    value = "" if action.nargs == 0 else f" {_value(action)}"
    return ", ".join(f"`{spelling}{value}`".replace("|", "\\|") for spelling in action.option_strings)


def _kind(action: argparse.Action) -> str:
    """Return the type of a value in words."""
    if action.nargs == 0:
        return "switch"
    if action.choices is not None:
        return ", ".join(f"`{choice}`" for choice in action.choices)
    named = KINDS.get(getattr(action.type, "__name__", ""), "")
    return named or {int: "whole number", float: "number"}.get(type(action.default), "text")


def _is_required(action: argparse.Action) -> bool:
    """Return True for a flag that must be given, also if only its help says so, as that of -o with a theorem's options."""
    return action.required or (action.help or "").endswith("; required")


def _default(action: argparse.Action) -> str:
    if _is_required(action):
        return "required"
    if isinstance(action.default, tuple):
        return f"`{','.join(map(str, action.default))}`"
    plain = action.default in (None, False, argparse.SUPPRESS) or action.default == []
    if isinstance(action.default, Path) and action.default.is_relative_to(SOURCE.parent):
        return f"`{action.default.relative_to(SOURCE.parent).as_posix()}`"
    return "" if plain else f"`{action.default}`"


def _help(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """Return the help of an argument as one cell of a table."""
    text = parser._get_formatter()._expand_help(action) if action.help else ""
    return inline(" ".join(text.split())).replace("|", "\\|")

"""`seqsep completion`: the words that may follow, for the completion of bash, zsh and fish.

The script that it prints asks `seqsep completion words` for them, with the words so far in the variable SEQSEP_WORDS, one a
line and a point behind the last, so that an empty one is not lost. No torch is imported for an answer.
"""

import argparse
import os
from collections.abc import Sequence
from typing import Any

from seqsep.commands.command import RESULTS, Command, Parser
from seqsep.commands.members import Record, names, record_of
from seqsep.commands.run_settings import SETTINGS
from seqsep.commands.status import DONE

VARIABLE = "SEQSEP_WORDS"
SCRIPTS = {
    "bash": f"""_seqsep() {{
    local IFS=$'\\n'
    COMPREPLY=($({VARIABLE}="${{COMP_WORDS[*]:1:COMP_CWORD}}." seqsep completion words 2>/dev/null))
}}
complete -o default -F _seqsep seqsep""",
    "zsh": f"""_seqsep() {{
    local -a found
    found=("${{(@f)$({VARIABLE}="${{(pj:\\n:)words[2,CURRENT]}}." seqsep completion words 2>/dev/null)}}")
    if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}}
compdef _seqsep seqsep""",
    "fish": f"""function __seqsep
    set -lx {VARIABLE} (string join \\n -- (commandline -opc)[2..] (commandline -ct)"." | string collect)
    seqsep completion words 2>/dev/null
end
complete -c seqsep -a '(__seqsep)'""",
}
SWITCH = "switch"
OF_THEOREMS = ("check", "apply", "certify", "bound", "export-network")
"""Commands that take a theorem, and which of its functions has the options."""
TAKES = {**dict.fromkeys(OF_THEOREMS, "theorems"), "sample": "tasks", "train": "tasks", "run": "experiments"}
"""Commands whose first word is a member's name."""
VALUES = {"--mixer": "mixers", "--task": "tasks"}
"""Flags whose value is a member's name."""
OF_EXPERIMENT = {"--preset": "presets", "--only": "words"}
"""Flags whose value an experiment lists, and the field of its record that does."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: for which shell, or the words themselves."""
    parser.add_argument("shell", choices=(*SCRIPTS, "words"), help=f"whose script; words: those that may follow ${VARIABLE}")


def run(options: argparse.Namespace) -> int:
    """Print the script, or the words that may follow."""
    if options.shell != "words":
        print(SCRIPTS[options.shell])
        return DONE
    from seqsep.commands import COMMANDS

    for word in following(os.environ.get(VARIABLE, ".").removesuffix(".").split("\n"), COMMANDS):
        print(word)
    return DONE


def following(words: Sequence[str], commands: Sequence[Command]) -> list[str]:
    """The words that may stand in the place of the last of `words`, which is as much of it as is typed.

    >>> from seqsep.commands import COMMANDS
    >>> following(["ce"], COMMANDS), following(["certify", "bounded-dyck-st"], COMMANDS)
    (['certify'], ['bounded-dyck-state'])
    """
    *before, begun = words
    command = next((command for command in commands if before and command.name == before[0]), None)
    if not before:
        found = [command.name for command in commands]
    elif command is None:
        found = []
    else:
        found = _of_command(command, before, begun)
    return [word for word in found if word.startswith(begun)]


def _of_command(command: Command, before: Sequence[str], begun: str) -> list[str]:
    """Words of a command: values of the flag before, flags if one is begun, else names where one is still taken."""
    parser = Parser(prog=command.name)
    command.add_flags(parser)
    further = _further(before)
    last = before[-1]
    chosen = _choices(before, last)
    known = {flag: action for action in parser._actions for flag in action.option_strings}
    if last == "--layers":
        done, comma, _ = begun.rpartition(",")
        return [f"{done}{comma}{name}" for name in names("mixers")]
    if last in VALUES or last in OF_EXPERIMENT:
        return names(VALUES[last]) if last in VALUES else _of_experiment(before, OF_EXPERIMENT[last])
    if last in known and known[last].choices is not None:
        return [str(choice) for choice in known[last].choices or ()]
    if chosen:
        return chosen
    takes_value = known[last].nargs != 0 if last in known else further.get(last) != SWITCH
    if last.startswith("-") and takes_value and not begun.startswith("-"):
        return []
    if begun.startswith("-"):
        return [*parser.flags, *further]
    places = [action for action in parser._actions if not action.option_strings]
    named = len(before) > 1 and not before[1].startswith("-")
    if named and not any(action.nargs == "*" for action in places):
        return []
    positional = [str(choice) for action in places for choice in action.choices or ()]
    return [*positional, *(names(TAKES[command.name]) if command.name in TAKES else [])]


def _of_experiment(before: Sequence[str], field: str) -> list[str]:
    """The presets, or the words for --only, of the experiment that the words name."""
    named = [name for name in names("experiments") if name in before[1:]]
    return [word for name in named for word in record_of("experiments", name)[field]]


def _further(before: Sequence[str]) -> dict[str, str]:
    """Flags of the theorem or the task that the words name, each with the type of its value."""
    name = _named(before)
    if before[0] in OF_THEOREMS and name in names("theorems"):
        from seqsep.theorems import BY_NAME

        fields = {option.name: SWITCH if option.kind is bool else "" for option in BY_NAME[name].options_of(before[0])}
    else:
        fields = {field: "" for record in _tasks(before) for field in record["fields"]}
    return {_flag(field): kind for field, kind in fields.items()}


def _choices(before: Sequence[str], flag: str) -> list[str]:
    """The words that the value of a flag is chosen from, if it is one of a theorem, a task or a run that has them."""
    name = _named(before)
    if before[0] in OF_THEOREMS:
        from seqsep.theorems import BY_NAME

        options = BY_NAME[name].options_of(before[0]) if name in BY_NAME else ()
        records: list[dict[str, Any]] = [{option.name: option.choices for option in options}]
    else:
        records = [record["choices"] for record in _tasks(before)]
    if before[0] in ("train", "run"):
        records.append({setting: found.choices for setting, found in SETTINGS.items()})
    return [word for record in records for field, words in record.items() if _flag(field) == flag for word in words]


def _named(before: Sequence[str]) -> str:
    """The first of the words behind the command that is no flag."""
    return next((word for word in before[1:] if not word.startswith("-")), "")


def _tasks(before: Sequence[str]) -> list[Record]:
    """The record of the task that the words name, by its place or behind --task; none if they name none."""
    words = [*before, ""]
    given = words[words.index("--task") + 1] if "--task" in words else ""
    name = _named(before) if TAKES.get(before[0]) == "tasks" else given
    return [record_of("tasks", name)] if name in names("tasks") else []


def _flag(field: str) -> str:
    return f"--{field.replace('_', '-')}"


COMMAND = Command(
    name="completion",
    purpose="print the script that completes words in your shell",
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

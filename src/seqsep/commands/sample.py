"""`seqsep sample`: examples of a task."""

import argparse
import inspect
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, get_type_hints

from seqsep.commands.command import FUNCTIONS, Command, Parser, print_json
from seqsep.commands.members import names
from seqsep.commands.shared_flags import fields_from_flags, positive, reader, whole_number
from seqsep.commands.status import DONE
from seqsep.core.names import BadInput, choose, docstring, required
from seqsep.models.plugins.name import names_a_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from seqsep.tasks import Task

MOST_TOKENS = 1 << 18  # drawn at once


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which examples. The task's fields are further flags."""
    parser.add_argument(
        "task", metavar="TASK", help="a name, or your own as FILE.py:CLASS; seqsep sample TASK --help has its fields"
    )
    _add_own_flags(parser)


def _add_own_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that every task has."""
    parser.add_argument("--count", type=positive, default=1, help="number of examples; by default 1")
    parser.add_argument("--start", type=whole_number, default=0, help="index of the first example; by default 0")
    parser.add_argument("--seed", type=whole_number, default=0, help="random seed, 0 to 2^64 - 1; by default 0")
    parser.add_argument("--training", action="store_true", help="training examples; by default evaluation examples")
    parser.add_argument(
        "--json", action="store_true", help="print a JSON object for each example: inputs, targets, readable form"
    )


def run(options: argparse.Namespace) -> int:
    """Print the examples, one a line, each cut at its length."""
    if names_a_file(options.task):
        return _print_examples_of_a_file(options)
    return _print_examples(task_from_flags(options.task, options.further), options)


def _print_examples_of_a_file(options: argparse.Namespace) -> int:
    """Print examples of a user's task. Raises BadInput without a length, PlugInFails for what is no task."""
    from seqsep.models.plugins.load import PlugInFails, naming_its_line
    from seqsep.models.plugins.name import PlugIn
    from seqsep.models.plugins.task import own_task

    source = PlugIn.parse(options.task)
    given = fields_from_flags(options.further)
    if not isinstance(given.get("length"), int):
        found = given.get("length", "none")
        raise BadInput(
            f"{source.words}: --length: expected a whole number, found {found} (try seqsep sample {options.task} --help)"
        )
    path = required(source.path, "the path of the task's file")
    with naming_its_line(path, passing=(PlugInFails, OSError)):  # an OSError of the output is not of the file
        return _print_examples(own_task(source, given), options)


def _print_examples(task: "Task", options: argparse.Namespace) -> int:
    from seqsep.tasks import NOTHING_ASKED

    for inputs, targets in _examples(task, options):
        answer = next((target for target in reversed(targets) if target != NOTHING_ASKED), NOTHING_ASKED)
        readable = task.readable(tuple(inputs), answer)
        if options.json:
            print_json({"inputs": inputs, "targets": targets, "readable": readable})
        else:
            print("  ".join(f"{key}: {value}" for key, value in readable.items()))
    return DONE


def _examples(task: "Task", options: argparse.Namespace) -> "Iterator[tuple[list[Any], list[int]]]":
    """Inputs and targets of each example, drawn as they are asked for, so that their count needs no memory.

    The first is drawn alone: a user's task that cannot draw one says why before its `longest` is asked for.
    """
    start = options.start
    behind = start + options.count
    at_once = 1
    while start < behind:
        batch = task.sample(start, min(at_once, behind - start), options.seed, evaluate=not options.training)
        rows = zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True)
        for inputs, targets, tokens in rows:
            yield inputs[:tokens], targets[:tokens]
        start += at_once
        at_once = max(1, MOST_TOKENS // task.longest)


def task_from_flags(name: str, words: "Sequence[str]") -> "Task":
    """The task of a name, its fields read from flags. Raises BadInput for a flag that is no field."""
    from seqsep.tasks import BY_NAME

    kind: Any = BY_NAME[choose("task", name, list(BY_NAME))]
    parser = Parser(prog=f"seqsep sample {kind.name}")
    _add_fields(parser.add_argument_group("fields of the task"), kind)
    return kind(**vars(parser.parse_args(words)))


def _add_fields(group: "argparse._ArgumentGroup", kind: "type[Task]") -> None:
    """Add a flag for each field of a task: its meaning and range from the docstring, its type and default from the class."""
    from seqsep.tasks.base import TYPE_WORDS, field_meanings

    hints = get_type_hints(kind)
    meanings = field_meanings(kind)
    for field in fields(kind):
        type_words = TYPE_WORDS[hints[field.name]].removeprefix("a ")
        required = field.default is MISSING
        ending = "required" if required else f"by default {field.default!r}"
        group.add_argument(
            f"--{field.name.replace('_', '-')}",
            dest=field.name,
            type=reader(hints[field.name]),
            required=required,
            default=None if required else field.default,
            metavar=field.name.upper(),
            help=f"{meanings[field.name].rstrip('.')} ({type_words}, {ending})",
        )


def help_of_task(words: list[str]) -> str | None:
    """The help of the task that the first word names: what it asks, its fields, and the command's own flags.

    None if that is a flag. Raises BadInput for a name that there is not.
    """
    if not words or words[0].startswith("-"):
        return None
    if names_a_file(words[0]):
        return _help_of_a_file(words[0])
    from seqsep.tasks import BY_NAME

    kind = BY_NAME[choose("task", words[0], names("tasks"))]
    asked = docstring(inspect.getmodule(kind)).split("\n", 1)[0]
    parser = Parser(
        prog=f"seqsep sample {kind.name}", description=f"{asked} docs/reference/tasks.md says how examples are drawn."
    )
    _add_fields(parser.add_argument_group("fields of the task"), kind)
    _add_own_flags(parser)
    return parser.format_help()


def _help_of_a_file(name: str) -> str:
    """The help of a user's task: the docstring of its class, what it is built with, and the command's own flags."""
    from seqsep.models.plugins.load import load
    from seqsep.models.plugins.name import PlugIn

    kind = load(PlugIn.parse(name))
    parser = Parser(prog=f"seqsep sample {name}", usage=f"seqsep sample {name} --length LENGTH [options]")
    _add_own_flags(parser)
    flags = parser.format_help().partition("options:")[2]
    fields_shown = "\n".join(f"  {_field_in_words(parameter)}" for parameter in inspect.signature(kind).parameters.values())
    parts = [f"usage: {parser.usage}", docstring(kind), f"fields of the task:\n{fields_shown}", f"options:{flags}"]
    return "\n\n".join(part for part in parts if part)


def _field_in_words(parameter: inspect.Parameter) -> str:
    flag = f"--{parameter.name.replace('_', '-')}"
    return flag if parameter.default is parameter.empty else f"{flag}, by default {parameter.default!r}"


COMMAND = Command(
    name="sample",
    purpose="print examples of a task",
    example="seqsep sample index-lookup --length 20 --count 3 --json",
    group=FUNCTIONS,
    add_flags=add_flags,
    run=run,
    read_further=list,
    help_of=help_of_task,
)

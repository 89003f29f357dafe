"""`seqsep sample`: examples of a task."""

import argparse
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import FUNCTIONS, Command, Parser, flags, print_json
from seqsep.commands.members import names
from seqsep.commands.shared_flags import fields_from_flags, positive, reader, whole_number
from seqsep.commands.status import DONE
from seqsep.core.names import BadInput, choose, docstring, required
from seqsep.core.options import option_of, options_of
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


@dataclass(frozen=True)
class _Wanted:
    """The flags that every task has."""

    count: int
    start: int
    seed: int
    training: bool
    json: bool


def run(options: argparse.Namespace) -> int:
    """Print the examples, one a line, each cut at its length."""
    wanted = flags(_Wanted, vars(options))
    if names_a_file(options.task):
        return _print_examples_of_a_file(options.task, options.further, wanted)
    return _print_examples(task_from_flags(options.task, options.further), wanted)


def _print_examples_of_a_file(name: str, further: "Sequence[str]", wanted: _Wanted) -> int:
    """Print examples of a user's task. Raises BadInput without a length, PlugInFails for a class that is not a task."""
    from seqsep.models.plugins.load import PlugInFails, naming_its_line
    from seqsep.models.plugins.name import PlugIn
    from seqsep.models.plugins.task import own_task

    source = PlugIn.parse(name)
    given = fields_from_flags(further)
    if not isinstance(given.get("length"), int):
        found = given.get("length", "none")
        raise BadInput(f"{source.words}: --length: expected a whole number, found {found} (try seqsep sample {name} --help)")
    path = required(source.path, "the path of the task's file")
    with naming_its_line(path, passing=(PlugInFails, OSError)):  # an OSError of the output is not of the file
        return _print_examples(own_task(source, given), wanted)


def _print_examples(task: "Task", wanted: _Wanted) -> int:
    from seqsep.models.plugins.task import UserTask
    from seqsep.tasks import NOTHING_ASKED

    for inputs, targets in _examples(task, wanted):
        answer = next((target for target in reversed(targets) if target != NOTHING_ASKED), NOTHING_ASKED)
        readable = task.readable(tuple(inputs), answer)
        answers = [target for target in targets if target != NOTHING_ASKED]
        if len(answers) > 1 and isinstance(task, UserTask) and not task.reads:
            readable = {"inputs": inputs, "answers": answers}
        if wanted.json:
            print_json({"inputs": inputs, "targets": targets, "readable": readable})
        else:
            print("  ".join(f"{key}: {value}" for key, value in readable.items()))
    return DONE


def _examples(task: "Task", wanted: _Wanted) -> "Iterator[tuple[list[Any], list[int]]]":
    """Yield inputs and targets of each example. They are drawn on demand, so that many examples need little memory.

    The first is drawn alone: a user's task that cannot draw one says why before its `longest` is asked for.
    """
    start = wanted.start
    behind = start + wanted.count
    at_once = 1
    while start < behind:
        batch = task.sample(start, min(at_once, behind - start), wanted.seed, evaluate=not wanted.training)
        rows = zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True)
        for inputs, targets, tokens in rows:
            yield inputs[:tokens], targets[:tokens]
        start += at_once
        at_once = max(1, MOST_TOKENS // task.longest)


def task_from_flags(name: str, words: "Sequence[str]") -> "Task":
    """Return the task of a name, with fields from flags. Raises BadInput for a flag that is not a field."""
    from seqsep.tasks import BY_NAME

    kind: Any = BY_NAME[choose("task", name, list(BY_NAME))]
    parser = Parser(prog=f"seqsep sample {kind.name}")
    _add_fields(parser.add_argument_group("fields of the task"), kind)
    return kind(**vars(parser.parse_args(words)))


def _add_fields(group: "argparse._ArgumentGroup", kind: "type[Task]") -> None:
    """Add a flag for each field of a task: its meaning, values and type from the annotation, and its default."""
    from seqsep.tasks.base import TYPE_WORDS

    for field in options_of(kind):
        ending = "required" if field.is_required else f"by default {field.default!r}"
        group.add_argument(
            field.flag,
            dest=field.name,
            type=reader(field.kind),
            required=field.is_required,
            default=None if field.is_required else field.default,
            metavar=field.name.upper(),
            help=f"{field.explained} ({TYPE_WORDS[field.kind].removeprefix('a ')}, {ending})",
        )


def help_of_task(words: list[str]) -> str | None:
    """Return the help of the task in the first word: its question, its fields, and the command's own flags.

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
    """Return the help of a user's task: the docstring of its class, its parameters, and the command's own flags."""
    from seqsep.models.plugins.load import load
    from seqsep.models.plugins.name import PlugIn

    kind = load(PlugIn.parse(name))
    parser = Parser(prog=f"seqsep sample {name}", usage=f"seqsep sample {name} --length LENGTH [options]")
    _add_own_flags(parser)
    own_flags = parser.format_help().partition("options:")[2]
    fields_shown = "\n".join(f"  {_field_in_words(parameter)}" for parameter in inspect.signature(kind).parameters.values())
    parts = [f"usage: {parser.usage}", docstring(kind), f"fields of the task:\n{fields_shown}", f"options:{own_flags}"]
    return "\n\n".join(part for part in parts if part)


def _field_in_words(parameter: inspect.Parameter) -> str:
    field = option_of(parameter.name, parameter.annotation, parameter.default)
    shown = field.flag if field.is_required else f"{field.flag}, by default {field.default!r}"
    return f"{shown}: {field.explained}." if field.explained else shown


COMMAND = Command(
    name="sample",
    purpose="print examples of a task",
    example="seqsep sample index-lookup --length 20 --count 3 --json",
    group=FUNCTIONS,
    add_flags=add_flags,
    run=run,
    details="In the `targets` of --json, -100 marks a position at which no answer is expected.",
    takes_further=True,
    help_of=help_of_task,
)

"""`seqsep sample`: examples of a task."""

import argparse
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, get_type_hints

from seqsep.commands.command import Command, Parser, print_json
from seqsep.commands.shared_flags import positive, reader, whole_number
from seqsep.commands.status import DONE
from seqsep.names import choose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seqsep.tasks import Task


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which examples. The task's fields are further flags."""
    parser.add_argument("task", metavar="TASK")
    parser.add_argument("--count", type=positive, default=1)
    parser.add_argument("--start", type=whole_number, default=0, help="index of the first example")
    parser.add_argument("--seed", type=whole_number, default=0)
    parser.add_argument("--training", action="store_true", help="training examples; by default evaluation examples")
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    """Print the examples, one a line, each cut at its length."""
    from seqsep.tasks import NOTHING_ASKED

    task = task_from_flags(options.task, options.further)
    batch = task.sample(options.start, options.count, options.seed, evaluate=not options.training)
    examples = zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True)
    for padded_inputs, padded_targets, tokens in examples:
        inputs = padded_inputs[:tokens]
        targets = padded_targets[:tokens]
        answer = next(target for target in reversed(targets) if target != NOTHING_ASKED)
        readable = task.readable(tuple(inputs), answer)
        if options.json:
            print_json({"inputs": inputs, "targets": targets, "readable": readable})
        else:
            print("  ".join(f"{key}: {value}" for key, value in readable.items()))
    return DONE


def task_from_flags(name: str, words: "Sequence[str]") -> "Task":
    """The task of a name, its fields read from flags. Raises BadInput for a flag that is no field."""
    from seqsep.tasks import BY_NAME

    task: Any = BY_NAME[choose("task", name, list(BY_NAME))]
    parser = Parser(prog=f"seqsep sample {name}")
    hints = get_type_hints(task)
    for field in fields(task):
        required = field.default is MISSING
        parser.add_argument(
            f"--{field.name.replace('_', '-')}",
            dest=field.name,
            type=reader(hints[field.name]),
            required=required,
            default=None if required else field.default,
        )
    return task(**vars(parser.parse_args(words)))


COMMAND = Command(
    name="sample",
    purpose="print examples of a task",
    example="seqsep sample index-lookup --length 20 --count 3 --json",
    add_flags=add_flags,
    run=run,
    read_further=list,
)

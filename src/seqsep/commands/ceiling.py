"""`seqsep ceiling`: the highest accuracy that a state of some bits allows on a task."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.commands.command import FUNCTIONS, Command, flags, print_json
from seqsep.commands.shared_flags import whole_number
from seqsep.commands.status import DONE
from seqsep.core.names import BadInput


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which task, and the bits of the state. The task's fields are further flags."""
    parser.add_argument("task", metavar="TASK", help="a name of seqsep list tasks; its fields are further flags")
    parser.add_argument(
        "--state-bits", type=bits_list, metavar="BITS", help="bits of one example's state, such as 300, or several: 64,128,256"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def bits_list(text: str) -> tuple[int, ...]:
    """Read whole numbers with commas between them.

    >>> bits_list("64,128")
    (64, 128)
    """
    return tuple(whole_number(part) for part in text.split(","))


@dataclass(frozen=True)
class CeilingFlags:
    """The flags that say which ceilings are asked for."""

    task: str
    state_bits: tuple[int, ...] | None
    further: Sequence[str]
    json: bool


def run(options: argparse.Namespace) -> int:
    """Print the ceiling for each number of bits. Raises BadInput without bits, and for a task that has no such field."""
    asked = flags(CeilingFlags, vars(options))
    from seqsep.commands.sample import task_from_flags
    from seqsep.tasks.ceilings import ceiling

    if asked.state_bits is None:
        raise BadInput(f"{asked.task}: expected --state-bits BITS, the bits of one example's state; found none")
    task = task_from_flags(asked.task, asked.further)
    found = [(bits, ceiling(task, bits)) for bits in asked.state_bits]
    enough = task.answer_bits()
    if asked.json:
        ceilings = [{"state_bits": bits, "ceiling": limit} for bits, limit in found]
        print_json({"task": task.configuration(), "answer_bits": enough, "ceilings": ceilings})
        return DONE
    print(
        f"{task.label()} N={task.length}: "
        + ("no number of bits is known to be needed" if enough is None else f"all right answers need {enough:,} bits")
    )
    print(f"{'state bits':>12}  no model is more accurate than")
    for bits, limit in found:
        print(f"{bits:>12,}  {'no limit is known' if limit is None else f'{100 * limit:.2f}%'}")
    return DONE


COMMAND = Command(
    name="ceiling",
    purpose="print the highest accuracy that a state of some bits allows on a task",
    example="seqsep ceiling index-lookup --length 100 --state-bits 300,600",
    group=FUNCTIONS,
    add_flags=add_flags,
    run=run,
    details=(
        "The limit holds for every model whose state has so few bits, trained or built. It is an accuracy: the fraction of "
        "examples in which every queried answer is right. It does not show that a model reaches it. seqsep sample TASK --help "
        "prints the fields of a task. In Python, seqsep.ceiling does the same."
    ),
    takes_further=True,
)

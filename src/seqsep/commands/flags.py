"""Options read from flags: a task's fields, a theorem's parameters; names with their nearest neighbours."""

import argparse
from argparse import SUPPRESS
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields
from fractions import Fraction
from inspect import signature
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn, get_args, get_type_hints

from seqsep.names import BadInput, choose


class Parser(argparse.ArgumentParser):
    """argparse with one-line errors."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message} (try {self.prog} --help)")


def positive(text: str) -> int:
    """A whole number from 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, found {text}")
    return value


def fraction(text: str) -> Fraction:
    """A fraction or decimal number: 1/64, 0.1."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"expected a number such as 1/64 or 0.1, found {text}") from None


def length_list(text: str) -> tuple[int, ...]:
    """Lengths: 8, or 2..16 (both ends included), or 2..16..2 (in steps of 2), or several of these with commas."""
    found: list[int] = []
    for part in text.split(","):
        numbers = part.split("..")
        if not 1 <= len(numbers) <= 3 or not all(number.strip().isdecimal() and len(number) < 8 for number in numbers):
            raise argparse.ArgumentTypeError(f"expected lengths such as 8 or 2..16 or 2..16..2, found {text}")
        first, last, step = int(numbers[0]), int(numbers[min(1, len(numbers) - 1)]), int(numbers[2]) if len(numbers) == 3 else 1
        if first < 1 or last < first or step < 1:
            raise argparse.ArgumentTypeError(f"expected lengths from 1, rising, found {text}")
        found.extend(range(first, last + 1, step))
    return tuple(found)


def whole_list(text: str) -> tuple[int, ...]:
    """Whole numbers from 1 with commas between them."""
    numbers = [number.strip() for number in text.split(",")]
    if not all(number.isdecimal() and len(number) < 10 and int(number) for number in numbers):
        raise argparse.ArgumentTypeError(f"expected whole numbers from 1 such as 4 or 4,4,3, found {text}")
    return tuple(map(int, numbers))


def field_flags(rest: Sequence[str]) -> dict[str, int | float | str]:
    """Flags with a value each, --name 3 or --name=next, of names and types that are known later."""
    found: dict[str, int | float | str] = {}
    words = [part for word in rest for part in (word.split("=", 1) if word.startswith("--") else [word])]
    for flag, value in zip(words[::2], [*words[1::2], ""][: len(words[::2])], strict=True):
        if not flag.startswith("--"):
            raise BadInput(f"unknown argument {flag} (try seqsep --help)")
        if not value or value.startswith("--"):
            raise BadInput(f"unknown argument {flag}: a task's field takes a value")
        found[flag[2:].replace("-", "_")] = _value(value)
    return found


def _value(text: str) -> int | float | str:
    """A whole number, another number, or the text."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def analyze_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `seqsep analyze`, but for those of a task's fields."""
    parser.add_argument("targets", nargs="+", metavar="FUNCTION", help="FILE.py:function, a task with its fields as flags, "
                        "FILE.cnf, a regular expression, majority, equality or disjointness")  # fmt: skip
    parser.add_argument("--lengths", type=length_list, help="as in 2..16 or 4,8,16 or 2..16..2")
    parser.add_argument("--alphabet", type=whole_list, help="one size, or one a position: 4 or 4,4,3; by default 2")
    parser.add_argument("--precision", type=whole_list, help="bits a number of the attention model; by default 8,16,32")
    parser.add_argument("--regex", action="store_true", help="read every FUNCTION as a regular expression over digits")
    parser.add_argument("--automata", type=Path, help="write the least automata as JSON")
    parser.add_argument(
        "--certificate", type=Path, help="write what shows the state at the greatest length, for seqsep_check.py"
    )
    parser.add_argument("-o", "--output", type=Path, help="write a picture: .png, .svg or .pdf")
    parser.add_argument("--json", action="store_true")


def sample_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `seqsep sample`, but for those of a task's fields."""
    parser.add_argument("task", metavar="TASK")
    parser.add_argument("--count", type=positive, default=1)
    parser.add_argument("--start", type=int, default=0, help="index of the first example")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--training", action="store_true", help="training examples; by default evaluation examples")
    parser.add_argument("--json", action="store_true")


def store_flags(parser: argparse.ArgumentParser) -> None:
    """What `seqsep store` does, and to which store."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, purpose in {
        "show": "check a store and say what it holds",
        "repair": "keep every intact row of a damaged store; the damaged file is kept under another name",
    }.items():
        example = f"Example: seqsep store {name} runs/store.sqlite"
        status = " Exit status 1: something is lost." if name == "repair" else ""
        action = actions.add_parser(name, help=purpose, description=purpose, epilog=f"{example}.{status}")
        action.add_argument("path", type=Path, metavar="PATH", help="of the store")
        action.add_argument("--json", action="store_true")


def report_flags(parser: argparse.ArgumentParser) -> None:
    """Flags of `seqsep report`."""
    parser.add_argument("--rows", type=Path, default=Path("results/demo.jsonl"),
                        help="of the demo; beside them lie experiments' rows, NAME.jsonl and NAME-paper.jsonl")  # fmt: skip
    parser.add_argument("-o", "--report", type=Path, default=Path("report"), metavar="DIR",
                        help="folder of the page, figures/ and tables/")  # fmt: skip
    parser.add_argument("--bibtex", action="store_true",
                        help="also DIR/references.bib: the two papers, and those of the mixers that are shown")  # fmt: skip


def seconds(text: str) -> float:
    """A time above 0, in seconds."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds above 0, found {text}")
    return value


def plug_in_flags(parser: argparse.ArgumentParser, mixer: str, stall_seconds: float) -> None:
    """Flags for a user's own layers and models."""
    parser.add_argument("--mixer", action="append", default=[], metavar="MIXER", help=f"{mixer}; may be given several times")
    parser.add_argument("--model", action="append", default=[], metavar="FILE.py:CLASS", help="your own module from tokens to "
                        "logits, built as CLASS(vocabulary, classes, longest, width)")  # fmt: skip
    parser.add_argument("--stall-seconds", type=seconds, default=stall_seconds, metavar="S",
                        help=f"what makes no progress for so long has failed; by default {stall_seconds:g}")  # fmt: skip


def gpu_share(text: str) -> float:
    """A part of a GPU, or a whole number of them."""
    value = float(text)
    if not (0 <= value <= 1 or (value < float("inf") and value == int(value))):
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, or a whole number, found {text}")
    return value


def sweep_flags(parser: argparse.ArgumentParser) -> None:
    """Where runs execute, and which of them stop early."""
    parser.add_argument("--prune", action="store_true", help="at 1/8, 1/4 and 1/2 of the steps the better half of the runs "
                        "that differ in learning rate and heads goes on")  # fmt: skip
    parser.add_argument("--log", action="append", default=[], choices=("tensorboard", "wandb"),
                        help="write curves of runs for it too; may be given twice; pip install 'seqsep[log]'")  # fmt: skip
    parser.add_argument("--log-folder", type=Path, help="of --log; by default the store's path with .logs behind")
    parser.add_argument("--workers", type=positive, help="runs at once; by default one per core, of a cluster too, and with "
                        "--device cuda at most 4 per GPU")  # fmt: skip
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu",
                        help="where runs compute; cuda: on the GPUs here, which runs share")  # fmt: skip
    parser.add_argument("--engine", choices=("local", "ray"), default="local",
                        help="local: processes here; ray: a cluster, or without --address a Ray of its own here")  # fmt: skip
    parser.add_argument("--address", metavar="HOST:PORT", help="with --engine ray: of the cluster, or auto; also RAY_ADDRESS")
    parser.add_argument("--gpus-per-run", type=gpu_share, metavar="G",
                        help="with --engine ray: GPUs that a run computes on, such as 0.25; by default 0")  # fmt: skip


def names_own_parts(arguments: Sequence[str]) -> bool:
    """Whether those of `seqsep check` name a user's own file; --mixer of a theorem names a mixer of ours."""
    words = [part for word in arguments for part in word.split("=", 1)]
    return "--model" in words or any(a == "--mixer" and ".py" in b for a, b in pairwise(words))


def own_parts(arguments: Sequence[str]) -> argparse.Namespace:
    """Those of `seqsep check` for a user's own layers and models."""
    parser = Parser(prog="seqsep check")
    plug_in_flags(parser, "your own layer, as FILE.py:CLASS", 60.0)
    parser.add_argument("--width", type=positive, default=8, help="of the layer that is tried")
    parser.add_argument("--heads", type=positive, default=2, help="where the layer takes them")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


def task_fields(name: str, rest: Sequence[str]) -> Any:
    """The task of a name, with its fields read from flags."""
    from seqsep.tasks import BY_NAME

    task = BY_NAME[choose("task", name, list(BY_NAME))]
    parser = Parser(prog=f"seqsep sample {name}")
    hints = get_type_hints(task)
    for field in fields(task):
        required = field.default is MISSING
        kind = next((kind for kind in (int, float) if hints[field.name] is kind), str)
        parser.add_argument(f"--{field.name.replace('_', '-')}", dest=field.name, type=kind, required=required,
                            default=None if required else field.default)  # fmt: skip
    return task(**vars(parser.parse_args(rest)))


def theorem_options(command: str, names: Sequence[str], calls: Mapping[str, Any], rest: Sequence[str]) -> dict[str, Any]:
    """Options of the theorems' functions read from flags; their types are those of the parameters."""
    parser = Parser(prog=f"seqsep {command} {' '.join(names) if len(names) < 3 else ''}".strip(), argument_default=SUPPRESS)
    types: dict[str, tuple[Any, bool]] = {}
    for call in calls.values():
        hints = get_type_hints(call)
        types |= {name: (hints[name], entry.default is entry.empty) for name, entry in signature(call).parameters.items()}
    for name, (hint, required) in types.items():
        flag = f"--{name.replace('_', '-')}"
        kind = next(part for part in (get_args(hint) or (hint,)) if part is not type(None))
        if kind is bool:
            parser.add_argument(flag, action="store_true")
        else:
            read = fraction if kind is Fraction else kind if isinstance(kind, type) else str
            parser.add_argument(flag, type=read, required=required)
    given, unknown = parser.parse_known_args(rest)
    if unknown:
        raise BadInput(f"{command}: {unknown[0]} is not an option of {' or '.join(names)}")
    return vars(given)

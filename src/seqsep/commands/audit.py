"""`seqsep audit`: what a trained model carries in its state, and where it fails."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import PUBLISHED, Command, flags, print_json
from seqsep.commands.now_and_then import now_and_then
from seqsep.commands.outputs import require_outputs
from seqsep.commands.several_values import field_combinations
from seqsep.commands.shared_flags import add_kept_model, fields_from_flags, kept_file, number, positive, seconds, whole_number
from seqsep.commands.status import DONE, REFUTED
from seqsep.core.names import BadInput, install

if TYPE_CHECKING:
    from seqsep.lab.audit.answer import Audit
    from seqsep.lab.audit.failures import WorstCase
    from seqsep.tasks import Task

QUESTIONS = 20_000
OF_A_FOLDER = ("entries", "digits", "seconds")


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which model, how often it is asked, and what is written."""
    add_kept_model(parser, "the folder of a causal language model of transformers")
    parser.add_argument(
        "--questions",
        type=positive,
        metavar="COUNT",
        help="number of questions; by default 20000, and 2000 for a folder; more if this is too small for 250 prefixes",
    )
    parser.add_argument(
        "--confidence",
        type=_confidence,
        default=0.95,
        help="confidence, between 0 and 1, with which the lower limits of all positions hold together; by default 0.95",
    )
    parser.add_argument(
        "--worst",
        type=_count_or_all,
        nargs="?",
        const=3000,
        metavar="COUNT|all",
        help="search for inputs that the model answers wrongly, with at most COUNT questions, by default 3000; with all, test "
        "every input, if there are at most 2^20; not for a folder",
    )
    parser.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="position|FIELD=A,B,..",
        help="instead of an audit, measure the accuracy at each queried position, or for each of these values of a field of "
        "the task, as pairs=2,4,8; for every task; by default with 5000 examples (--questions); may be given several times",
    )
    parser.add_argument(
        "--equal-states",
        type=Path,
        metavar="FILE.json",
        help="with --worst: if two prefixes with the same state are found, write them",
    )
    parser.add_argument(
        "--recheck",
        type=Path,
        metavar="FILE.json",
        help="instead of an audit, read the prefixes that --equal-states wrote and test them with the same model",
    )
    parser.add_argument("--entries", type=positive, metavar="N", help="for a folder: entries of a phonebook; by default 8")
    parser.add_argument("--digits", type=positive, metavar="D", help="for a folder: digits of a number; by default 3")
    parser.add_argument("--seconds", type=seconds, metavar="S", help="for a folder: stop after about S seconds; by default 300")
    parser.add_argument("--seed", type=whole_number, default=0, help="random seed of the questions; by default 0")
    parser.add_argument("--page", type=Path, metavar="FILE.html", help="also write a page with the charts")
    parser.add_argument("--json", action="store_true", help="print one JSON object, with the complete curve and every position")


def _count_or_all(text: str) -> int | str:
    if text != "all" and not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, or all, found {text!r}")
    return text if text == "all" else int(text)


def _confidence(text: str) -> float:
    value = number(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, such as 0.95, found {text}")
    return value


@dataclass(frozen=True)
class AuditFlags:
    """The flags of an audit: the model, the questions, and what is written."""

    model: Path
    key: str | None
    part: Sequence[Path]
    questions: int | None
    confidence: float
    worst: int | None
    by: Sequence[str]
    equal_states: Path | None
    entries: int | None
    digits: int | None
    seconds: float | None
    seed: int
    page: Path | None


def run(options: argparse.Namespace) -> int:
    """Print the audit, or whether a record holds. Raises BadInput for a model or a task that cannot be audited."""
    asked = flags(AuditFlags, vars(options))
    if options.recheck is not None:
        return _recheck(options.recheck, asked)
    if asked.by:
        return _by(asked, as_json=options.json)
    found, worst = _of_folder(asked) if asked.model.is_dir() else _of_kept_model(asked)
    if options.page is not None:
        from seqsep.report.page.audit_page import write_audit_page

        write_audit_page(options.page, found, worst)
    if options.json:
        print_json(found.record() | {"worst": None if worst is None else worst.record()})
        return DONE
    print(found)
    if worst is not None:
        print(f"\n{worst}")
    return DONE


def _by(asked: AuditFlags, as_json: bool) -> int:
    """Print the accuracy by position or by fields, a table for each --by."""
    from seqsep.lab.audit.accuracy_by import EXAMPLES, accuracy_by
    from seqsep.lab.kept import load

    if asked.model.is_dir():
        raise BadInput(f"--by: expected a kept model or a store with it, found the folder {asked.model}")
    for name in ("worst", "equal_states", "page", *OF_A_FOLDER):
        if getattr(asked, name) is not None:
            raise BadInput(f"--{name.replace('_', '-')}: expected no --by with it, which measures accuracies only")
    chosen = [_field_and_values(text) for text in asked.by]
    model, trained = load(kept_file(asked.model, asked.key), asked.part)
    shared: dict[str, Any] = {"confidence": asked.confidence, "seed": asked.seed, "examples": asked.questions or EXAMPLES}
    found = [accuracy_by(model, trained.task, *one, **shared) for one in chosen]
    print_json({"by": [one.record() for one in found]}) if as_json else print("\n\n".join(map(str, found)))
    return DONE


def _field_and_values(text: str) -> tuple[str, list[int | float | str]]:
    """Return the field and the values of FIELD=A,B; a word without = has no values."""
    if "=" not in text:
        return text, []
    fields = fields_from_flags([f"--{text}"])
    return next(iter(fields)), [value for one in field_combinations(fields) for value in one.values()]


def _of_kept_model(asked: AuditFlags) -> "tuple[Audit, WorstCase | None]":
    from seqsep.lab.audit.answer import audit
    from seqsep.lab.audit.worst import worst_case
    from seqsep.lab.kept import load

    for name in OF_A_FOLDER:
        if getattr(asked, name) is not None:
            raise BadInput(f"--{name}: expected the folder of a language model with it, found {asked.model}")
    if asked.equal_states is not None and asked.worst is None:
        raise BadInput("--equal-states: expected --worst with it, which searches for equal states; found none")
    path = kept_file(asked.model, asked.key)
    model, trained = load(path, asked.part)
    require_outputs((asked.page, asked.equal_states), read=[path, Path(asked.model), *asked.part])
    shared: dict[str, Any] = {"confidence": asked.confidence, "seed": asked.seed}
    found = audit(model, trained.task, questions=asked.questions or QUESTIONS, **shared)
    worst = None if asked.worst is None else worst_case(model, trained.task, questions=asked.worst, **shared)
    if asked.equal_states is not None and worst is not None:
        _write_equal_states(asked.equal_states, worst, trained.task, path)
    return found, worst


def _write_equal_states(output: Path, worst: "WorstCase", task: "Task", model: Path) -> None:
    """Write the two prefixes of one state, or say that there are none."""
    if worst.collision is None:
        print(f"seqsep audit: found no two prefixes with the same state; {output} is not written", file=sys.stderr)
        return
    from seqsep.lab.audit.equal_states import write_record

    write_record(output, worst.collision, task, model)


def _recheck(path_of_record: Path, asked: AuditFlags) -> int:
    """Print whether the two prefixes of a record leave the same state of the model, and need two."""
    from seqsep.lab.audit.equal_states import read_record, refuted
    from seqsep.lab.kept import load

    record = read_record(path_of_record)
    path = kept_file(asked.model, asked.key)
    model, trained = load(path, asked.part)
    why = refuted(record, model, trained.task, path)
    if why:
        print(f"rejected: {path_of_record}: {why}")
        return REFUTED
    first, second = (" ".join(map(str, prefix)) for prefix in record["prefixes"])
    continuation = " ".join(map(str, record["continuation"]))
    print(
        f"holds: {path}: the states after {first} and after {second} are equal bit for bit; {continuation} has another right "
        "answer after each"
    )
    return DONE


def _of_folder(asked: AuditFlags) -> "tuple[Audit, WorstCase | None]":
    from seqsep.language_models.audit.answer import audit_language_model

    for name, value in (
        ("KEY", asked.key),
        ("--part", asked.part),
        ("--worst", asked.worst),
        ("--equal-states", asked.equal_states),
    ):
        if value:
            raise BadInput(f"{name}: expected a kept model or a store with it, found the folder {asked.model}")
    require_outputs([asked.page], read=list(Path(asked.model).iterdir()))
    names = ("questions", *OF_A_FOLDER)
    given = {name: getattr(asked, name) for name in names if getattr(asked, name) is not None}
    say = now_and_then()

    def on_progress(what: str, done: int, count: int) -> None:
        say(f"{asked.model}: {done:,} of at most {count:,} {what}")

    shared: dict[str, Any] = {"confidence": asked.confidence, "seed": asked.seed, "on_progress": on_progress}
    return audit_language_model(asked.model, **shared, **given), None


COMMAND = Command(
    name="audit",
    purpose="measure what a trained model keeps in its state, and find inputs on which it fails",
    example="seqsep audit results/audit/lstm.safetensors --questions 1000",
    group=PUBLISHED,
    add_flags=add_flags,
    run=run,
    details=(
        "A kept model must be trained on index lookup, associative or multi-query recall, equality of random halves, or your "
        "own task with a method questions(start, count, seed) (docs/how-to/own-task.md). For --worst, your own task also needs "
        "a method solve(tokens). With --by, the model may be trained on any task.\n\n"
        f"A folder must hold a causal language model of transformers ({install('hf')}). The audit gives it a phonebook, which "
        "is a list of names and numbers, and asks for the numbers. It downloads nothing and runs no code from the folder.\n\n"
        "docs/reference/audit.md explains the numbers that the command prints."
    ),
)

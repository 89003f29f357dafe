"""The command line: arguments in, calls into the rooms, exit status out. No logic.

Exit status: 0 done or holds; 1 refuted or a run failed; 2 bad input or usage; 3 environment; 130 interrupted.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from seqsep.commands.flags import (
    Parser,
    analyze_flags,
    field_flags,
    names_own_parts,
    own_parts,
    plug_in_flags,
    positive,
    report_flags,
    sample_flags,
    store_flags,
    sweep_flags,
    task_fields,
    theorem_options,
)
from seqsep.names import BadInput, choose

DONE, REFUTED, BAD_INPUT, ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status and prints errors as one line on stderr."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in arguments
    arguments = [argument for argument in arguments if argument != "--debug"]
    try:
        command, options = parse(arguments)
        return command(options)
    except KeyboardInterrupt:
        return _say("interrupted; finished runs are kept", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (ValueError, OverflowError, FileNotFoundError, IsADirectoryError, PermissionError) as error:
        if debug:
            raise
        return _say(_one_line(error), BAD_INPUT)
    except (OSError, MemoryError) as error:
        if debug:
            raise
        return _say(_one_line(error), ENVIRONMENT)
    except Exception as error:
        if debug:
            raise
        return _say(f"a bug: {type(error).__name__}: {_one_line(error)} (--debug shows where)", REFUTED)


def script() -> NoReturn:
    """The installed command: terminates like an interrupt on SIGTERM too."""

    def stop(number: int, frame: object) -> NoReturn:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    sys.exit(main())


def _one_line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__


def _say(message: str, status: int) -> int:
    print(f"seqsep: {message}", file=sys.stderr)
    return status


def parse(arguments: Sequence[str]) -> tuple[Any, argparse.Namespace]:
    """The command to call and its options. Raises BadInput for anything unknown."""
    parser = Parser(
        prog="seqsep",
        description="What a sequence model of a given size can represent, with numbers.",
        epilog="Every command takes --debug, which shows tracebacks. Exit status: 0 done or holds, 1 refuted or a run failed, "
        "2 bad input, 3 environment, 130 interrupted.",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, call: Any, purpose: str, example: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=purpose, description=purpose, epilog=f"Example: {example}")
        sub.set_defaults(call=call)
        return sub

    demo = add("demo", _demo, "check the theorems, train six architectures, write the report page", "seqsep demo")
    demo.add_argument("--store", type=Path, default=Path("runs/demo.sqlite"), help="where finished runs are kept")
    demo.add_argument("--report", type=Path, default=Path("report"), help="folder of the page")
    demo.add_argument("--workers", type=positive, help="processes; by default one per core")

    listing = add("list", _list, "list what there is", "seqsep list mixers --json")
    listing.add_argument("what", choices=("tasks", "mixers", "theorems", "experiments"))
    listing.add_argument("--json", action="store_true")

    check = add("check", _check, "run theorems and compare measured sizes with their bounds",
                "seqsep check index-lookup-attention --text README.md")  # fmt: skip
    check.description = (
        f"{check.description}; options of each theorem: seqsep list theorems. Or try every law on a layer or a model of your "
        "own, and say which fails and where: seqsep check --mixer layer.py:MyLayer [--width 8] [--heads 2] [--json]"
    )
    check.add_argument("names", nargs="*", metavar="NAME", help="theorems; by default all")
    check.add_argument("--json", action="store_true")

    apply = add("apply", _apply, "run the built weights of a theorem on your own inputs",
                "seqsep apply index-lookup-attention --length 20 --input FILE.jsonl")  # fmt: skip
    apply.description = (
        f"{apply.description}: one JSON object a line, in the readable form of seqsep sample; one answer a line out; "
        "options of each theorem: seqsep list theorems"
    )
    apply.add_argument("theorem", metavar="THEOREM")
    apply.add_argument("--input", type=Path, required=True, help="file of JSON lines; - reads standard input")

    certify = add("certify", _certify, "write a certificate that seqsep_check.py checks without seqsep",
                  "seqsep certify bounded-dyck-state --depth 3 -o dyck.json")  # fmt: skip
    certify.description = (
        f"{certify.description}: python -I -S seqsep_check.py FILE; the options are those of the theorem's evidence "
        "(docs/certificates.md says what is proved)"
    )
    certify.add_argument("theorem", metavar="THEOREM")
    certify.add_argument("-o", "--output", type=Path, required=True)

    analyze_flags(add("analyze", _analyze, "the least state of any recurrent model for a function of sequences",
                      "seqsep analyze FILE.py:function --lengths 2..16 --alphabet 4"))  # fmt: skip

    sample_flags(add("sample", _sample, "print examples of a task", "seqsep sample index-lookup --length 20 --count 3 --json"))

    run = add("run", _run, "train the runs of an experiment", "seqsep run index-lookup-architectures --preset demo")
    run.add_argument("experiment", metavar="EXPERIMENT", help="a name, or a Python file with runs(preset)")
    run.description = (
        f"{run.description}. Your own parts in place of its own: --mixer layer.py:MyLayer, --model model.py:MyModel, "
        "--task task.py:MyTask --length 20, with further fields of the task as flags. On a cluster (docs/cluster.md): "
        "--engine ray --address HOST:6379 --gpus-per-run 0.25"
    )
    run.add_argument("--preset", default="demo")
    run.add_argument("--only", action="append", default=[], metavar="WORDS",
                     help="the runs that have all of these words, as attention,N=100; may be given several times")  # fmt: skip
    plug_in_flags(run, "a mixer, or your own as FILE.py:CLASS, in place of the layers of every run", 600.0)
    run.add_argument("--task", help="a task, or your own as FILE.py:CLASS, in place of that of every run")
    run.add_argument("--positions", choices=["default", "learned", "sinusoidal", "rope", "none"], help="of every run")
    run.add_argument("--dtype", choices=["float32", "bfloat16"],
                     help="of every run; bfloat16 is slower on a processor without units for it")  # fmt: skip
    run.add_argument("--store", type=Path, default=Path("runs/store.sqlite"))
    sweep_flags(run)
    run.add_argument("--dry-run", action="store_true", help="print the runs, train nothing")

    export = add(
        "export", _export, "write the canonical rows of a store", "seqsep export --store runs/store.sqlite -o rows.jsonl"
    )
    export.add_argument("--store", type=Path, required=True)
    export.add_argument("--experiment", help="only the rows of this experiment")
    export.add_argument("-o", "--output", type=Path, required=True)

    store_flags(add("store", _store, "show what a store holds, or repair it", "seqsep store repair runs/store.sqlite"))

    report_flags(add("report", _report, "rebuild the page, its figures and tables from committed rows",
                     "seqsep report -o DIR --bibtex"))  # fmt: skip

    known, rest = _parse_known(parser, arguments)
    if known.call is _sample:
        known.fields = task_fields(known.task, rest)
    elif known.call in (_analyze, _run):
        known.fields = field_flags(rest)
    elif known.call is _check and names_own_parts(arguments[1:]):
        known.own = own_parts(arguments[1:])
    elif known.call is _check:
        from seqsep.theorems import BY_NAME

        known.names = [choose("theorem", name, list(BY_NAME)) for name in known.names] or list(BY_NAME)
        known.given = theorem_options("check", known.names, {name: BY_NAME[name].check for name in known.names}, rest)
    elif known.call is _apply:
        from seqsep.theorems import BY_NAME

        known.theorem = choose("theorem", known.theorem, [name for name in BY_NAME if BY_NAME[name].applier is not None])
        known.given = theorem_options("apply", [known.theorem], {known.theorem: BY_NAME[known.theorem].applier}, rest)
    elif known.call is _certify:
        from seqsep.theorems import BY_NAME

        known.theorem = choose("theorem", known.theorem, [name for name in BY_NAME if BY_NAME[name].evidence is not None])
        known.given = theorem_options("certify", [known.theorem], {known.theorem: BY_NAME[known.theorem].evidence}, rest)
    elif rest:
        raise BadInput(f"unknown argument {rest[0]} (try seqsep --help)")
    return known.call, known


def _parse_known(parser: Parser, arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    if not arguments:
        parser.print_help()
        raise SystemExit(DONE)
    return parser.parse_known_args(arguments)


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, allow_nan=False))


def _demo(options: argparse.Namespace) -> int:
    from seqsep.commands.demo import demo

    return REFUTED if demo(options.store, options.report, options.workers).failed else DONE


def _list(options: argparse.Namespace) -> int:
    from seqsep.commands.list import lines, listing

    if options.json:
        _print_json(listing(options.what))
    else:
        print("\n".join(lines(options.what)))
    return DONE


def _check(options: argparse.Namespace) -> int:
    from seqsep.commands import check as _check_command

    return _check_command.plug_ins(options) if "own" in options else _check_command.theorems(options)


def _apply(options: argparse.Namespace) -> int:
    from seqsep.theorems import apply

    name = "standard input" if str(options.input) == "-" else str(options.input)
    text = sys.stdin.read() if str(options.input) == "-" else options.input.read_text(encoding="utf-8")
    for answer in apply(options.theorem, text.splitlines(), name, **options.given):
        _print_json({"answer": answer})
    return DONE


def _certify(options: argparse.Namespace) -> int:
    from seqsep.certificate import certify

    data = certify(options.theorem, **options.given)
    options.output.write_bytes(data)
    print(f"{len(data):,} bytes to {options.output}")
    return DONE


def _analyze(options: argparse.Namespace) -> int:
    from seqsep.commands.analyze import run

    return run(options)


def _sample(options: argparse.Namespace) -> int:
    from seqsep.tasks import NOTHING_ASKED

    task = options.fields
    batch = task.sample(options.start, options.count, options.seed, evaluate=not options.training)
    for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        inputs, targets = inputs[:tokens], targets[:tokens]
        answer = next(target for target in reversed(targets) if target != NOTHING_ASKED)
        readable = task.readable(tuple(inputs), answer)
        if options.json:
            _print_json({"inputs": inputs, "targets": targets, "readable": readable})
        else:
            print("  ".join(f"{key}: {value}" for key, value in readable.items()))
    return DONE


def _run(options: argparse.Namespace) -> int:
    from seqsep.commands import run as _run_command

    return _run_command.run(options)


def _export(options: argparse.Namespace) -> int:
    from seqsep.lab.store.store import Store

    if not options.store.exists():
        raise FileNotFoundError(2, "no such store", str(options.store))
    with Store(options.store) as store:
        print(f"{store.export(options.output, options.experiment)} rows to {options.output}")
    return DONE


def _store(options: argparse.Namespace) -> int:
    from seqsep.commands import store as _store_command

    return _store_command.mend(options) if options.action == "repair" else _store_command.show(options)


def _report(options: argparse.Namespace) -> int:
    from seqsep.commands.demo import report

    print(f"open {report(options.rows, options.report, options.bibtex)}")
    return DONE

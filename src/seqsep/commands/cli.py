"""The command line: arguments in, one command run, the exit status out (`commands.status`); errors are one line on stderr."""

import argparse
import gc
import re
import sys
import traceback
from collections.abc import Sequence
from io import TextIOWrapper
from typing import NoReturn

from seqsep import __version__
from seqsep.commands import COMMANDS, GROUPS, Command
from seqsep.commands.command import Parser, paragraphs
from seqsep.commands.status import BAD_INPUT, DONE, ENVIRONMENT, INTERRUPTED, REFUTED
from seqsep.commands.streams import guarded_streams, open_closed_descriptors, status_of_lost_output
from seqsep.commands.users_code import supervised, users_code_apart
from seqsep.core import interrupts
from seqsep.core.files import folder_kept
from seqsep.core.names import printable, text_of

__all__ = ["main"]

NOTHING_KEPT = "what was printed is complete, and nothing else is kept"
WHAT_TO_REPORT = "this command and what it prints with --debug, as an issue where you got seqsep from"

OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""New objects before Python looks for cycles. Its own 700 have it look all the time while modules load and rows are read."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status; `argv` is by default that of the process.

    >>> main(["sample", "equality", "--length", "4"])
    left: [0, 1]  right: [0, 1]  label: 1
    0
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in arguments
    arguments = [argument for argument in arguments if argument != "--debug"]
    with guarded_streams() as output:
        try:
            with folder_kept(), users_code_apart():
                command, options = parse(arguments)
                status = command.run(options)
            output.flush()
            return status
        except KeyboardInterrupt as interrupt:
            return _say(f"interrupted; {text_of(interrupt) or NOTHING_KEPT}", INTERRUPTED, arguments)
        except SystemExit:  # a help text ends by it
            failure = output.flushed_failure()
            if failure is None:
                raise
            return status_of_lost_output(failure)
        except BaseException as error:
            if output.failure is not None and isinstance(error, OSError):
                return status_of_lost_output(output.failure)
            if debug:
                raise
            return _status_of(error, arguments)


EPILOG = """The command `seqsep examples .` writes the files that examples read.

Every command takes --help, and --debug, which shows tracebacks.

Exit status: 0 done or holds, 1 refuted or a run failed, 2 bad input, 3 environment (also a full disk or
standard output that cannot be written), 130 interrupted, 141 a closed pipe."""


def _status_of(error: BaseException, arguments: Sequence[str]) -> int:
    """Say in one line on standard error how a command failed, and return the exit status."""
    if isinstance(error, ValueError | OverflowError | FileNotFoundError | IsADirectoryError | PermissionError):
        return _say(_one_line(error), BAD_INPUT, arguments)
    if isinstance(error, OSError | MemoryError):
        return _say(_one_line(error), ENVIRONMENT, arguments)
    what = f"{type(error).__name__}: {_one_line(error)}"
    return _say(f"a bug of seqsep: {what}; please report it with {WHAT_TO_REPORT}", REFUTED, arguments)


def script() -> NoReturn:
    """The installed program: SIGTERM interrupts it as Ctrl-C does."""
    open_closed_descriptors()  # before any other file is opened
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    interrupts.listen()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without a character shows its number
    try:
        status = supervised(main, _say)
    except Exception:  # --debug
        with guarded_streams():
            traceback.print_exc()
        status = REFUTED
    if "triton" not in sys.modules:  # which reports every object of its own that is left in a cycle
        gc.freeze()  # the last search for cycles has nothing to find: the process ends
    sys.exit(status)


def parse(arguments: Sequence[str]) -> tuple[Command, argparse.Namespace]:
    """The command that the arguments name, and its options. Raises BadInput for anything unknown."""
    parser = Parser(
        prog="seqsep",
        usage="seqsep COMMAND ...",
        description=f"Compute what a sequence model of a given size can represent.\n\n{_grouped_commands()}",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"seqsep {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True, help=argparse.SUPPRESS, prog="seqsep")
    for command in COMMANDS:
        subparser = subparsers.add_parser(
            command.name,
            description=paragraphs(f"{_sentence(command.purpose)}\n\n{command.details}".rstrip()),
            epilog=_epilog(command),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        subparser.set_defaults(command=command, parser=subparser)
        subparser.takes_further = command.read_further is not None
        command.add_flags(subparser)
    if not arguments:
        parser.print_help()
        raise SystemExit(DONE)
    _print_help_of_a_member(arguments)
    options, further = parser.parse_known_args(arguments)
    chosen: Command = options.command
    if chosen.read_further is not None:
        options.further = chosen.read_further(further)
    elif further:
        options.parser.refuse(further[0])
    options.words = arguments[1:]
    return chosen, options


def _grouped_commands() -> str:
    """Return the commands under the question that each answers, with one example a question."""
    longest = max(len(command.name) for command in COMMANDS)
    blocks = []
    for group in GROUPS:
        lines = [f"  {one.name:{longest}}  {one.purpose}" for one in COMMANDS if one.group is group]
        blocks.append("\n".join([f"{group.title}:", *lines, f"  Example: {group.example}"]))
    return "\n\n".join(blocks)


def _epilog(command: Command) -> str:
    """Return the example of a command, and where the files that it reads come from."""
    reads = any(folder in command.example for folder in ("examples/", "results/"))
    return f"Example: {command.example}" + (
        "\nThe command `seqsep examples .` writes the files of this example." if reads else ""
    )


def _sentence(purpose: str) -> str:
    return f"{purpose[0].upper()}{purpose[1:]}."


def _print_help_of_a_member(arguments: Sequence[str]) -> None:
    """Print the help of what the words name, such as a theorem, if they ask for it, and exit."""
    command = next((command for command in COMMANDS if command.name == arguments[0]), None)
    if command is None or command.help_of is None or not {"-h", "--help"} & set(arguments):
        return
    text = command.help_of(list(arguments[1:]))
    if text is not None:
        print(text)
        raise SystemExit(DONE)


def _one_line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    return text_of(error) or type(error).__name__


def _say(message: str, status: int, arguments: Sequence[str] | None = None) -> int:
    """Print `seqsep COMMAND: MESSAGE` on standard error, and return the status. `arguments` are by default the process's."""
    given = next(iter(sys.argv[1:] if arguments is None else arguments), "")
    known = given in {command.name for command in COMMANDS}
    said = re.sub(rf"^{given}(: | (?=[^:]*: ))", "", message) if known else message  # functions name themselves: seqsep.bound
    print(f"seqsep{f' {given}' if known else ''}: {printable(said, kept='')}", file=sys.stderr)
    return status


if __name__ == "__main__":
    script()

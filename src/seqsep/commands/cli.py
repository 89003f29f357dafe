"""The command line: arguments in, one command run, the exit status out (`commands.status`); errors are one line on stderr."""

import argparse
import gc
import os
import re
import sys
import traceback
from collections.abc import Sequence
from io import TextIOWrapper
from typing import NoReturn

from seqsep import __version__
from seqsep.commands import BY_NAME, GROUPS, Command
from seqsep.commands.command import Parser, parser_of
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
    """Run the installed program. SIGTERM interrupts it as Ctrl-C does."""
    if "_ARGCOMPLETE" in os.environ:  # a shell asks for the words that may follow
        from seqsep.commands.completion import complete

        complete()
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
    """Return the command of the arguments, and its options. Raises BadInput for anything unknown."""
    first = next(iter(arguments), "")
    chosen = BY_NAME.get(first)
    if chosen is None:
        chosen = BY_NAME[_overview().parse_args(list(arguments) or ["--help"]).command]
    words = list(arguments[1:])
    if chosen.help_of is not None and {"-h", "--help"} & set(words):
        _print_help(chosen.help_of(words))
    parser = parser_of(chosen)
    options, further = parser.parse_known_args(words)
    if further and not chosen.takes_further:
        parser.refuse(further[0])
    options.further = further
    options.words = words
    return chosen, options


def _overview() -> Parser:
    """Return the parser of a command line without a command."""
    parser = Parser(
        prog="seqsep",
        usage="seqsep COMMAND ...",
        description=f"Compute what a sequence model of a given size can represent.\n\n{_grouped(BY_NAME.members())}",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"seqsep {__version__}")
    parser.add_argument("command", choices=tuple(BY_NAME), metavar="COMMAND", help=argparse.SUPPRESS)
    return parser


def _grouped(commands: Sequence[Command]) -> str:
    """Return the commands under the question that each answers, with one example a question."""
    longest = max(len(command.name) for command in commands)
    blocks = []
    for group in GROUPS:
        lines = [f"  {one.name:{longest}}  {one.purpose}" for one in commands if one.group is group]
        blocks.append("\n".join([f"{group.title}:", *lines, f"  Example: {group.example}"]))
    return "\n\n".join(blocks)


def _print_help(text: str | None) -> None:
    """Print the help of what the words name, such as a theorem, and exit; do nothing if they name nothing."""
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
    known = given in BY_NAME
    said = re.sub(rf"^{given}(: | (?=[^:]*: ))", "", message) if known else message  # functions name themselves: seqsep.bound
    print(f"seqsep{f' {given}' if known else ''}: {printable(said, kept='')}", file=sys.stderr)
    return status


if __name__ == "__main__":
    script()

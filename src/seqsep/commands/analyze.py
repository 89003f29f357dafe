"""`seqsep analyze`: the least state of any recurrent model for functions of sequences."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seqsep.commands.command import FUNCTIONS, Command, flags, print_json
from seqsep.commands.now_and_then import now_and_then
from seqsep.commands.outputs import require_outputs
from seqsep.commands.shared_flags import fields_from_flags
from seqsep.commands.status import DONE
from seqsep.core.files import write_file
from seqsep.core.names import BadInput

if TYPE_CHECKING:
    from seqsep.theorems.analysis import Analysis

MOST_LENGTHS = 4096


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: functions, their lengths, and what is written; a task's fields are further flags."""
    parser.add_argument(
        "targets",
        nargs="+",
        metavar="FUNCTION",
        help="FILE.py:function, a task (its fields are further flags), a formula in DIMACS as FILE.cnf, a regular expression, "
        "majority, equality, disjointness, or a network without positions as FILE.json, .npz or .safetensors",
    )
    parser.add_argument("--lengths", type=length_list, help="lengths of inputs, such as 2..16 or 4,8,16 or 2..16..2")
    parser.add_argument(
        "--alphabet",
        type=whole_list,
        help="number of symbols, such as 4; or one number for each position, such as 4,4,3; by default 2, or the number of "
        "symbols that a regular expression uses",
    )
    parser.add_argument(
        "--precision", type=whole_list, help="bits of a number in the attention layer of the last column; by default 8,16,32"
    )
    parser.add_argument(
        "--regex",
        action="store_true",
        help="read every FUNCTION as a regular expression, in which 0 to 9 and a to z are the symbols 0 to 35",
    )
    parser.add_argument(
        "--automata",
        type=Path,
        help="file for the smallest automaton at each length, as JSON; of a network without --lengths, for its only one",
    )
    parser.add_argument(
        "--certificate",
        type=Path,
        help="file for a certificate of the least state at the greatest length; seqsep-check checks this file",
    )
    parser.add_argument("-o", "--output", type=Path, help="file for a picture: .png, .svg or .pdf")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object at the end, with every length of every function"
    )


def length_list(text: str) -> tuple[int, ...]:
    """Read lengths: 8, or 2..16 (both ends included), or 2..16..2 (in steps of 2), or several of these with commas.

    Raises argparse.ArgumentTypeError for anything else.

    >>> length_list("2..4,10..20..5")
    (2, 3, 4, 10, 15, 20)
    """
    lengths: list[int] = []
    for part in text.split(","):
        numbers = part.split("..")
        if not 1 <= len(numbers) <= 3 or not all(number.strip().isdecimal() and len(number) < 8 for number in numbers):
            raise argparse.ArgumentTypeError(f"expected lengths such as 8 or 2..16 or 2..16..2, found {text}")
        first = int(numbers[0])
        last = int(numbers[1]) if len(numbers) > 1 else first
        step = int(numbers[2]) if len(numbers) > 2 else 1
        if first < 1 or last < first or step < 1:
            raise argparse.ArgumentTypeError(f"expected rising lengths from 1, found {text}")
        if len(lengths) + len(range(first, last + 1, step)) > MOST_LENGTHS:
            raise argparse.ArgumentTypeError(f"expected at most {MOST_LENGTHS:,} lengths, found more in {text}")
        lengths.extend(range(first, last + 1, step))
    return tuple(lengths)


def whole_list(text: str) -> tuple[int, ...]:
    """Read whole numbers from 1 with commas between them. Raises argparse.ArgumentTypeError for anything else."""
    numbers = [number.strip() for number in text.split(",")]
    if not all(number.isdecimal() and len(number) < 10 and int(number) for number in numbers):
        raise argparse.ArgumentTypeError(f"expected whole numbers from 1 such as 4 or 4,4,3, found {text}")
    return tuple(map(int, numbers))


def run(options: argparse.Namespace) -> int:
    """Analyse every function; print each length as it is done, or JSON at the end.

    If files are asked for, they are written before anything is printed: no verdict is printed without its file. Raises
    ValueError if a function, its lengths, its alphabet or the name of a file is wrong.
    """
    from seqsep.models.network_file import SUFFIXES

    networks = [target for target in options.targets if Path(target).suffix in SUFFIXES and not options.regex]
    if networks and options.lengths is None:
        return _run_networks(flags(NetworkFlags, vars(options)), networks)
    from seqsep.report.figures.least_state import draw_least_state
    from seqsep.report.figures.picture_file import require_format
    from seqsep.theorems.analysis.evidence import least_state
    from seqsep.theorems.analysis.record import HEADER
    from seqsep.theorems.certificate import certificate

    if options.output is not None:
        require_format(options.output)
    outputs = (options.automata, options.certificate, options.output)
    require_outputs(outputs, read=_files_of(options.targets))
    if options.certificate is not None and len(options.targets) > 1:
        raise ValueError(f"--certificate {options.certificate}: expected one function, found {len(options.targets)}")
    prints_at_once = not options.json and not any(outputs)
    asked = flags(AnalyzeFlags, vars(options))
    analyses = [_analyze_one(target, asked, prints=prints_at_once) for target in options.targets]
    if options.automata is not None:
        automata = [{"function": one.name, "lengths": [at.automaton_record() for at in one.lengths]} for one in analyses]
        write_file(options.automata, json.dumps(automata) + "\n")
    if options.certificate is not None:
        data = certificate("least-state", least_state(analyses[0].lengths[-1]))
        write_file(options.certificate, data)
        print(f"{len(data):,} bytes to {options.certificate}", file=sys.stderr)
    if options.output is not None:
        draw_least_state(options.output, analyses)
    if options.json:
        print_json(analyses[0].record() if len(analyses) == 1 else {"functions": [one.record() for one in analyses]})
    elif not prints_at_once:
        for target, one in zip(options.targets, analyses, strict=True):
            print("\n".join([target, HEADER, *(length.line() for length in one.lengths), *one.closing_lines()]))
    return DONE


@dataclass(frozen=True)
class NetworkFlags:
    """The flags of an analysis of networks at every length; those after `json` need a length, and are refused."""

    targets: Sequence[str]
    automata: Path | None
    json: bool
    certificate: Path | None
    output: Path | None
    alphabet: Sequence[int] | None
    precision: Sequence[int] | None
    further: Sequence[str]

    def needing_a_length(self) -> list[str]:
        """Return the given flags that need a length."""
        given = {name: getattr(self, name) for name in ("certificate", "output", "alphabet", "precision")}
        return [f"--{name}" for name, value in given.items() if value is not None] + list(self.further)


def _run_networks(asked: NetworkFlags, networks: Sequence[str]) -> int:
    """Print the class and the least state of each network, for words of every length.

    Raises BadInput for another function among them, and for flags that need a length.
    """
    from seqsep.theorems.analysis.network_language import NetworkAnalysis

    needing = asked.needing_a_length()
    others = [target for target in asked.targets if target not in networks]
    if needing or others:
        raise BadInput(f"analyze {networks[0]}: expected --lengths with {(needing or others)[0]}, found none")
    if asked.automata is not None and len(networks) > 1:
        raise BadInput(f"--automata {asked.automata}: expected one network, or --lengths, found {len(networks)} networks")
    require_outputs((asked.automata,), read=_files_of(networks))
    analyses = [NetworkAnalysis.of(network) for network in networks]
    if asked.automata is not None:
        write_file(asked.automata, json.dumps(analyses[0].automaton_record()) + "\n")
    if asked.json:
        print_json(analyses[0].record() if len(analyses) == 1 else {"networks": [one.record() for one in analyses]})
    else:
        print("\n\n".join("\n".join(one.lines()) for one in analyses))
    return DONE


def _files_of(targets: Sequence[str]) -> list[Path]:
    """Return the files that the targets read functions from."""
    from seqsep.models.network_file import SUFFIXES

    names = [name for target in targets for name in (target, target.rpartition(":")[0])]
    return [Path(name) for name in names if name.endswith((".py", ".cnf", ".dimacs", *SUFFIXES))]


@dataclass(frozen=True)
class AnalyzeFlags:
    """The flags that say how each function is analysed."""

    lengths: Sequence[int] | None
    alphabet: Sequence[int] | int | None
    precision: Sequence[int] | None
    regex: bool
    further: Sequence[str]


def _analyze_one(target: str, asked: AnalyzeFlags, *, prints: bool) -> "Analysis":
    """Analyse one function. If `prints`, print each length when it is done, below a head; else say now and then on stderr."""
    from seqsep.theorems.analysis import AtLength, analyze
    from seqsep.theorems.analysis.analyze import PRECISIONS
    from seqsep.theorems.analysis.record import HEADER

    head = [f"{target}\n{HEADER}\n"]
    say = now_and_then()

    def show(length: AtLength) -> None:
        if prints:
            print(f"{head.pop() if head else ''}{length.line()}", flush=True)
        else:
            say(f"{target}: length {length.length} is done")

    analysis = analyze(
        target,
        asked.lengths,
        asked.alphabet,
        PRECISIONS if asked.precision is None else asked.precision,
        fields=fields_from_flags(asked.further),
        is_regular=asked.regex,
        report=show,
    )
    if prints:
        print("\n".join(analysis.closing_lines()), flush=True)
    return analysis


COMMAND = Command(
    name="analyze",
    purpose="compute the least state of any recurrent model for a function",
    example="seqsep analyze majority --lengths 2..16",
    group=FUNCTIONS,
    add_flags=add_flags,
    run=run,
    details=(
        "The command prints a line for each length N of the inputs. `state bits` is the least state, or a lower and an upper "
        "bound on it. `classes of prefixes` is the number of prefixes of length K that need different states, for the K with "
        "the greatest number. `D(f)` is the number of bits that two parties must exchange to compute the function. "
        "`least thought` is the least number of steps in a chain of thought of one layer with one head of hard attention. It "
        "is empty for functions with more than two answers and for long inputs. The last column is the size that one attention "
        "layer needs; it is empty if no such bound is known. "
        "docs/how-to/own-function.md has more examples.\n\n"
        "--lengths is needed, unless the function or --alphabet has only one length, or the function is a network. Without "
        "--lengths, the command prints the class of a network's language, as `seqsep classify` does."
    ),
    takes_further=True,
)

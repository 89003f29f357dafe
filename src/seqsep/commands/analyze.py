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
    from seqsep.theorems.analysis.every_length import AutomatonAnalysis
    from seqsep.theorems.analysis.network_language import NetworkAnalysis

MOST_LENGTHS = 4096


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: functions, their lengths, and what is written; a task's fields are further flags."""
    parser.add_argument(
        "targets",
        nargs="+",
        metavar="FUNCTION",
        help="FILE.py:function, a task (its fields are further flags), majority, equality, disjointness, a regular expression, "
        "or a truth table such as 00010111. From files: a formula in DIMACS (.cnf, .cnf.gz), a truth table (.txt), an "
        "automaton (.jff, .json), or a network without positions (.json, .npz, .safetensors)",
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
        help="read every FUNCTION as a regular expression in Python's syntax, in which 0 to 9 and a to z are the symbols 0 to "
        "35; look-ahead and back-references are refused",
    )
    parser.add_argument(
        "--automata",
        type=Path,
        help="file for the smallest automaton at each length, as JSON; without --lengths, for the one of every length",
    )
    parser.add_argument(
        "--certificate",
        type=Path,
        help="file for a certificate of the least state at the greatest length; seqsep-check checks this file",
    )
    parser.add_argument("-o", "--output", type=Path, help="file for a picture: .png, .svg, .pdf; without --lengths also .dot")
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
    if options.lengths is None:
        found = _at_every_length(flags(EveryLengthFlags, vars(options)))
        if found is not None:
            return found
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
class EveryLengthFlags:
    """The flags of an analysis for words of every length; --certificate and --precision need a length, and are refused."""

    targets: Sequence[str]
    automata: Path | None
    json: bool
    certificate: Path | None
    output: Path | None
    alphabet: Sequence[int] | None
    precision: Sequence[int] | None
    regex: bool
    further: Sequence[str]

    def needing_a_length(self, *, is_network: bool) -> list[str]:
        """Return the given flags that need a length."""
        names = ("certificate", "precision", *(("output", "alphabet") if is_network else ()))
        given = [f"--{name}" for name in names if getattr(self, name) is not None]
        return given + (list(self.further) if is_network else [])


def _at_every_length(asked: EveryLengthFlags) -> int | None:
    """Print the smallest automaton of each language, and the class of each network.

    Return None if no target has an automaton. Raises BadInput for another function among the targets, and for flags that need
    a length.
    """
    from seqsep.theorems.analysis.every_length import AutomatonAnalysis
    from seqsep.theorems.analysis.network_language import NetworkAnalysis

    require_outputs((asked.automata, asked.output), read=_files_of(asked.targets))
    analyses: list[AutomatonAnalysis | NetworkAnalysis] = []
    without = []
    for target in asked.targets:
        one = _of_every_length(target, asked)
        if one is None:
            without.append(target)
        else:
            analyses.append(one)
    if not analyses:
        return None
    is_network = isinstance(analyses[0], NetworkAnalysis)
    if wrong := asked.needing_a_length(is_network=is_network) + without:
        raise BadInput(f"analyze {asked.targets[0]}: expected --lengths with {wrong[0]}, found none")
    for flag, path in (("--automata", asked.automata), ("--output", asked.output)):
        if path is not None and len(analyses) > 1:
            raise BadInput(f"{flag} {path}: expected one function, or --lengths, found {len(analyses)} functions")
    if isinstance(analyses[0], AutomatonAnalysis) and asked.output is not None:
        from seqsep.report.figures.automaton_picture import draw_automaton

        draw_automaton(asked.output, analyses[0])
    if asked.automata is not None:
        write_file(asked.automata, json.dumps(analyses[0].automaton_record()) + "\n")
    if asked.json:
        kind = "networks" if is_network else "functions"
        print_json(analyses[0].record() if len(analyses) == 1 else {kind: [one.record() for one in analyses]})
    else:
        print("\n\n".join("\n".join(one.lines()) for one in analyses))
    return DONE


def _of_every_length(target: str, asked: EveryLengthFlags) -> "AutomatonAnalysis | NetworkAnalysis | None":
    """Return the analysis of a network, or of a language that is given by an automaton; None for another function."""
    from seqsep.theorems.analysis.every_length import AutomatonAnalysis
    from seqsep.theorems.analysis.json_file import is_network_file
    from seqsep.theorems.analysis.network_language import NetworkAnalysis

    if not asked.regex and is_network_file(target):
        return NetworkAnalysis.of(target)
    return AutomatonAnalysis.of(target, asked.alphabet, fields_from_flags(asked.further), is_regular=asked.regex)


def _files_of(targets: Sequence[str]) -> list[Path]:
    """Return the files that the targets read functions from."""
    from seqsep.models.network_file import SUFFIXES
    from seqsep.theorems.analysis.formula_file import ENDINGS

    names = [name for target in targets for name in (target, target.rpartition(":")[0])]
    return [Path(name) for name in names if name.endswith((".py", ".jff", ".txt", *ENDINGS, *SUFFIXES))]


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
        "--lengths is needed, unless the function or --alphabet has only one length, or the function is a regular expression, "
        "an automaton or a network. Without --lengths, the command prints the smallest automaton of a regular language, with "
        "and without its sink, and the class of a network's language, as `seqsep classify` does."
    ),
    takes_further=True,
)

"""`seqsep check`: theorems against their bounds, or a user's own layers, models and tasks against the laws."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seqsep.commands import members
from seqsep.commands.command import THEOREMS, Command, print_json
from seqsep.commands.engine_laws import name_engines, run_engines
from seqsep.commands.kept import saying_what_is_kept
from seqsep.commands.model_laws import name_language_models, run_language_models
from seqsep.commands.named_theorems import theorem_named
from seqsep.commands.own_parts import name_own_parts, run_own_parts
from seqsep.commands.status import DONE, REFUTED
from seqsep.commands.theorem_laws import LAST_LAW, counterexample_record, law_lines, law_records
from seqsep.commands.theorem_lines import ProgressLines, brief
from seqsep.commands.theorem_options import help_text, options_from_flags
from seqsep.core.names import BadInput, choose
from seqsep.models.plugins.name import names_a_file

if TYPE_CHECKING:
    from seqsep.commands.outcome_cache import OutcomeCache
    from seqsep.theorems import Outcome, Theorem, TheoremFails


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which theorems, and how much is printed. Further flags are theorems' options, or a user's own parts."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="theorems; by default all")
    parser.add_argument(
        "--theorem",
        action="append",
        default=[],
        metavar="FILE.py:NAME",
        help="your own theorem and its laws; may be given several times",
    )
    parser.add_argument("--verbose", action="store_true", help="print one line for each outcome, also if no theorem is named")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON list at the end, with an object for each outcome or law"
    )


def run(options: argparse.Namespace) -> int:
    """Check what the words name."""
    if name_engines(options.words):
        return run_engines(options.words)
    if name_language_models(options.words):
        return run_language_models(options.words)
    if name_own_parts(options.words):
        return run_own_parts(options.words)
    names, further = _values_back(options.names, options.further, options.words)
    if not names and not options.theorem:
        _refuse_sizes_alone(further)
    _refuse_mixer_alone(names, further)
    return run_theorems([*_known(names), *map(_own, options.theorem)], further, options.json, verbose=options.verbose)


def run_theorems(names: Sequence[str], words: Sequence[str], as_json: bool, verbose: bool = False) -> int:
    """Check the theorems, all if none is named, with the options in `words`; lines as each is done, or JSON at the end.

    A name may be a user's own FILE.py:NAME, which is also held to the laws. A theorem has one line if none is named, else, and
    if `verbose`, one for each of its outcomes.
    """
    known = [*names] or members.names("theorems")
    theorems = [theorem_named(name) for name in known]
    options = options_from_flags("check", known, words)
    records: list[dict[str, Any]] = []
    done: list[str] = []
    with saying_what_is_kept(lambda: f"{len(done)} of {len(theorems)} theorems were checked; no outcome is kept"):
        for word, (theorem, found) in zip(known, checked(theorems, options), strict=True):
            done.append(theorem.name)
            lines, ours = _reported(word, theorem, found, at_length=bool(names) or verbose)
            records += ours
            if lines and not as_json:
                print("\n".join(lines), flush=True)
    if as_json:
        print_json(records)
    return DONE if all(record["holds"] for record in records) else REFUTED


def _reported(word: str, theorem: "Theorem", found: Any, at_length: bool) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the lines and the records of a checked theorem. A counterexample is printed on stderr."""
    from seqsep.theorems import TheoremFails

    if isinstance(found, TheoremFails):
        print(f"seqsep: {found}", file=sys.stderr)
        return [], [counterexample_record(found, theorem.source)]
    laws = law_records(theorem, found) if names_a_file(word) else []
    shown = [] if any(not law["holds"] and law["law"] != LAST_LAW for law in laws) else found
    ours = [outcome.record() for outcome in shown]
    lines = [outcome.line() for outcome in shown] if at_length else [brief(ours)]
    return [*lines, *(law_lines(word, laws) if laws else [])], [*ours, *laws]


def _known(names: Sequence[str]) -> list[str]:
    """Return the names of the registry that the words mean. Raises BadInput for an unknown name or a file."""
    for name in names:
        if names_a_file(name):
            raise BadInput(
                f"{name}: expected the name of a theorem; put --theorem, --mixer, --model or --task before your own file"
            )
    return [choose("theorem", name, members.names("theorems")) for name in names]


def _own(word: str) -> str:
    """Return the word if it specifies a theorem in a file. Raises BadInput for anything else."""
    if not names_a_file(word):
        raise BadInput(f"--theorem {word}: expected your own theorem as FILE.py:NAME, found no Python file")
    return word


def check_every_theorem(cache: "OutcomeCache | None" = None) -> tuple[list[dict[str, Any]], bool]:
    """Check every theorem with its defaults, a line each; the records of what holds, and whether one is refuted.

    What `cache` has kept is not checked again, and it keeps what is checked, also if this is interrupted.
    """
    from seqsep.theorems import THEOREMS

    kept = {} if cache is None else cache.records
    for theorem in THEOREMS:
        if theorem.name in kept:
            print(brief(kept[theorem.name]))
    left = [theorem for theorem in THEOREMS if theorem.name not in kept]
    fresh, refuted = _check_anew(left, cache)
    by_name = kept | fresh
    records = [record for theorem in THEOREMS for record in by_name.get(theorem.name, ())]
    return records, refuted


def _check_anew(theorems: "Sequence[Theorem]", cache: "OutcomeCache | None") -> tuple[dict[str, list[dict[str, Any]]], bool]:
    """Check theorems; the records of those that hold, by name, and whether one is refuted. The cache keeps them at the end."""
    from seqsep.theorems import TheoremFails

    fresh: dict[str, list[dict[str, Any]]] = {}
    refuted = False
    try:
        for theorem, found in checked(theorems, {}):
            if isinstance(found, TheoremFails):
                refuted = True
                print(f"FAILS  {found}", flush=True)
                continue
            fresh[theorem.name] = json.loads(json.dumps([outcome.record() for outcome in found]))
            print(brief(fresh[theorem.name]), flush=True)
            if cache is not None:
                cache.keep(theorem.name, fresh[theorem.name])
    finally:
        if cache is not None and fresh:
            cache.save()
    return fresh, refuted


def checked(
    theorems: "Sequence[Theorem]", options: Mapping[str, Any]
) -> "Iterator[tuple[Theorem, Sequence[Outcome] | TheoremFails]]":
    """Check the theorems in turn, each with those of the options that it takes; a refuted one gives its counterexample.

    What takes longer than 5 s is said on stderr.
    """
    from seqsep.theorems import TheoremFails

    with ProgressLines(len(theorems)) as heartbeat:
        for theorem in theorems:
            taken = {name: value for name, value in options.items() if name in theorem.options}
            heartbeat.begin(theorem.name)
            try:
                found: Sequence[Outcome] | TheoremFails = theorem.call("check", taken)
            except TheoremFails as failure:
                found = failure
            heartbeat.end()
            yield theorem, found


def _values_back(names: Sequence[str], further: Sequence[str], words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names and the further words. An option's value before any theorem is not taken for a name."""
    own = [*names]
    options = [*further]
    value = own[0] if len(own) == 1 and own[0].replace("_", "-") not in members.names("theorems") else None
    before = words[words.index(value) - 1] if value in words[1:] else ""
    if value is not None and before in options and before != "--mixer":
        options.insert(options.index(before) + 1, value)
        own = []
    return own, options


def _refuse_sizes_alone(further: Sequence[str]) -> None:
    """Raise BadInput for the size of a layer without a theorem or a layer that it is of."""
    if {"--width", "--heads"} & {word.split("=")[0] for word in further}:
        given = " ".join(further)
        raise BadInput(f"{given}: expected a theorem, or your own layer as --mixer FILE.py:CLASS; found neither")


def _refuse_mixer_alone(names: Sequence[str], further: Sequence[str]) -> None:
    """Raise BadInput for a mixer's name without a theorem: only a layer of the user's is checked by itself."""
    if len(names) == 1 and further[:1] == ["--mixer"] and names[0] not in members.names("theorems"):
        own = f"--mixer {names[0]}: expected your own layer as FILE.py:CLASS, or a theorem before --mixer"
        raise BadInput(f"{own}, such as seqsep check one-way-protocol --mixer {names[0]}")


COMMAND = Command(
    name="check",
    purpose="check theorems, also your own, or test that your own layer, task, model or engine obeys the laws",
    example="seqsep check index-lookup-attention --text examples/own_layer.py",
    group=THEOREMS,
    add_flags=add_flags,
    run=run,
    details=(
        "Without a name, the command checks all theorems and prints one line for each. With names, or --verbose, it prints "
        "one line for each outcome: the statement, every size and the number of inputs tested. "
        "seqsep check THEOREM --help shows the options of a theorem. In the example, --text is such an option: the network is "
        "built for the length of this file, and must answer which byte is at each position.\n\n"
        "A law is a property that every layer, task, model or engine must have. For example, a model gives the same outputs "
        "token by token as for a complete sequence. The laws of state are in docs/reference/model-laws.md. A number "
        "in the lines below, such as 8 in [--width 8], is the default, except after --task and --tolerance.\n\n"
        "To test the laws on your own layer or task:\n"
        "  seqsep check --mixer layer.py:MyLayer [--width 8] [--heads 2] [--law NAME] [--junit FILE] [--json]\n"
        "  seqsep check --task task.py:MyTask [--length 20] [--FIELD VALUE] [--law NAME] [--junit FILE]\n\n"
        "To check your own theorem and test its laws, with its options as flags:\n"
        "  seqsep check --theorem theorem.py:MY_THEOREM [--OPTION VALUE] [--help] [--json]\n\n"
        "To test the laws of state on a causal language model of transformers or flash-linear-attention:\n"
        "  seqsep check --model FOLDER_OR_CONFIG.json [--tiny] [--set FIELD=VALUE] [--length 24]\n"
        "      [--batch 3] [--seed 0] [--dtype float64] [--law NAME] [--junit FILE] [--json]\n"
        "  --length is at least 9, and --batch at least 2.\n"
        "  --law tests only this law, and may be given several times. --junit writes the verdicts for CI.\n\n"
        "To test the laws of state on your own complete model, built as CLASS(vocabulary, classes, longest, width):\n"
        "  seqsep check --model FILE.py:CLASS [--width 8] [--heads 2] [--law NAME] [--junit FILE] [--json]\n\n"
        "To test the laws of state on an inference engine (docs/how-to/check-an-engine.md):\n"
        "  seqsep check --engine './my_server --jsonl' [--reference FOLDER] [--dtype TYPE] [--tolerance 1e-3]\n"
        "      [--length 24] [--batch 3] [--seed 0] [--stall-seconds 60] [--law NAME]\n"
        "      [--junit FILE] [--json]\n"
        "  In place of a command: FILE.py:CLASS, transformers:FOLDER or llama:FILE.gguf."
    ),
    takes_further=True,
    help_of=lambda words: help_text("check", words, "[--json]"),
)

"""`seqsep classify`: the class of a regular language, and which architectures recognise it."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.commands.command import FUNCTIONS, Command, flags, print_json
from seqsep.commands.shared_flags import fields_from_flags, whole_number
from seqsep.commands.status import DONE


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: languages, their letters, and how verdicts are printed; a task's fields are further flags."""
    parser.add_argument(
        "languages",
        nargs="+",
        metavar="LANGUAGE",
        help="a regular expression, FILE.py:NAME with a function or a DFA, FILE.json with a DFA, or bounded-dyck",
    )
    parser.add_argument(
        "--alphabet", type=whole_number, help="number of letters; by default 2, and for an expression the letters that it uses"
    )
    parser.add_argument("--regex", action="store_true", help="read every LANGUAGE as a regular expression")
    parser.add_argument(
        "--length",
        type=whole_number,
        help="if LANGUAGE is a function: compare it with its automaton on all words of at most this many letters; by default "
        "on about 16,384 words",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object, with a witness for each class that the language is not in"
    )


@dataclass(frozen=True)
class ClassifyFlags:
    """The flags that say how a language is read."""

    alphabet: int | None
    regex: bool
    length: int | None
    further: Sequence[str]


def run(options: argparse.Namespace) -> int:
    """Print the classes of each language, what they say of architectures, and witnesses."""
    from seqsep.theorems.analysis.classify import classify

    asked = flags(ClassifyFlags, vars(options))
    fields = fields_from_flags(asked.further)
    found = []
    for place, language in enumerate(options.languages):
        one = classify(language, asked.alphabet, fields=fields, is_regular=asked.regex, length=asked.length)
        found.append(one)
        if not options.json:
            print("\n".join([*([""] if place else []), *one.lines()]), flush=True)
    if options.json:
        print_json(found[0].record() if len(found) == 1 else {"languages": [one.record() for one in found]})
    return DONE


COMMAND = Command(
    name="classify",
    purpose="say which classes a regular language is in, and which architectures recognise it",
    example="seqsep classify '(01)*'",
    group=FUNCTIONS,
    add_flags=add_flags,
    run=run,
    takes_further=True,
)

"""The options of theorems on the command line: their flags, and what `seqsep check THEOREM --help` prints of them.

Names, types, ranges, choices and meanings are those of the signatures (`seqsep.core.options`).
"""

import argparse
import re
import textwrap
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import Parser
from seqsep.commands.named_theorems import known_theorem, theorem_named
from seqsep.commands.shared_flags import fraction, number, whole_number
from seqsep.core.names import BadInput, docstring, nearest
from seqsep.models.plugins.name import names_a_file

if TYPE_CHECKING:
    from seqsep.core.options import Option

MOST_VARIABLES = 256
FORMULAS = "FILE.cnf in DIMACS, or majority:8, equality:8 or disjointness:8"
KINDS: dict[Any, tuple[str, Callable[[str], Any]]] = {
    int: ("whole number", whole_number),
    float: ("number", number),
    Fraction: ("number such as 1/64 or 0.1", fraction),
    Path: ("file", Path),
    str: ("text", str),
    bool: ("switch", str),
}
"""The types that a flag is read as, each with its name in help and its reader."""


def options_from_flags(command: str, theorems: Sequence[str], words: Sequence[str]) -> dict[str, Any]:
    """Read the options of the theorems from the flags among the words.

    Raises BadInput for a flag that is an option of none of the theorems, for a required option that is missing, and for an
    option whose value exists in Python only.

    >>> options_from_flags("check", ["equality-state"], ["--length", "6"])
    {'length': 6}
    """
    options = _options(command, theorems)
    parser = _parser(command, theorems, options)
    refuse_unknown_options(command, theorems, words)
    for option in options.values():
        if option.reads is None and option.kind not in KINDS and not _is_formula(option):
            call = f"seqsep.{command.split('-')[-1].replace('network', 'build')}({theorems[0]!r}, ...)"
            raise BadInput(f"{theorems[0]}: its option {option.name} cannot be given as a flag; use {call} in Python")
    found: dict[str, Any] = vars(parser.parse_args(words))
    return {name: _value(options[name], value) for name, value in found.items()}


def refuse_unknown_options(command: str, theorems: Sequence[str], words: Sequence[str]) -> None:
    """Raise BadInput for a flag among the words that is not an option of any of the theorems.

    Nothing is refused if none of them has the function that the command calls.
    """
    options = _options(command, theorems)
    if not options:
        return
    parser = _parser(command, theorems, options)
    unknown = parser.unknown(words)
    if unknown is not None:
        near = nearest(unknown, parser.flags)
        of_which = " or ".join(theorems) if len(theorems) < 3 else "any theorem"
        raise BadInput(f"{unknown} is not an option of {of_which}{near} (try {parser.prog} --help)")


def help_text(command: str, words: Sequence[str], flags: str) -> str | None:
    """Return the help of the theorem that the first of the words names; None if that is a flag, or there is none.

    A user's own theorem may also be named by --theorem. `flags` are the command's own. Raises BadInput for an unknown name, or
    a theorem without the command's function.
    """
    named = [word for before, word in pairwise(_parts(words)) if before == "--theorem"] or words[:1]
    if not named or named[0].startswith("-"):
        return None
    from seqsep.theorems import BY_NAME
    from seqsep.theorems.base import FUNCTIONS

    theorem = theorem_named(named[0])
    options = theorem.options_of(command)
    function = theorem.bound if command == "bound" else getattr(theorem, FUNCTIONS[command])
    if function is None:
        known = ", ".join(name for name in BY_NAME if BY_NAME[name].options_of(command))
        raise BadInput(f"{theorem.name}: expected one of {known}, the theorems that {command} takes")
    parts = [
        f"usage: {_prog(command, [known_theorem(named[0])])} {flags} [options]",
        _without_errors(docstring(function)),
    ]
    return "\n\n".join([*parts, "options:", "\n".join(map(described, options))])


def described(option: "Option") -> str:
    """Describe an option for help: flag, type, range, default and meaning, wrapped to 100 columns."""
    kind = KINDS[option.kind][0] if option.kind in KINDS else "name or file" if option.choice else "file"
    if _is_formula(option):
        return textwrap.fill(
            f"formula, required. {FORMULAS}.", 100, initial_indent=f"  {option.flag:<13} ", subsequent_indent=" " * 16
        )
    default = "" if option.default is False else "optional" if option.default is None else f"by default {option.default}"
    shown = ", ".join(part for part in (kind, str(option.range or ""), "required" if option.is_required else default) if part)
    unsaid = [choice for choice in option.choices if not re.search(rf"\b{choice}\b", option.meaning)]
    choices = f" One of {', '.join(option.choices)}." if unsaid else ""
    flag = f"  {option.flag}"
    return textwrap.fill(
        f"{shown}. {option.meaning}{choices}".strip(), 100, initial_indent=f"{flag:<15} ", subsequent_indent=" " * 16
    )


def _options(command: str, theorems: Sequence[str]) -> "dict[str, Option]":
    """Return the options of all the theorems, by name. An option is required only if each theorem that has it requires it."""
    options: dict[str, Option] = {}
    for theorem in theorems:
        for option in theorem_named(theorem).options_of(command):
            if option.name not in options or options[option.name].is_required:
                options[option.name] = option
    return options


def _parser(command: str, theorems: Sequence[str], options: "dict[str, Option]") -> Parser:
    prog = _prog(command, theorems) if 0 < len(theorems) < 3 else f"seqsep {command}"
    parser = Parser(prog=prog, argument_default=argparse.SUPPRESS)
    for option in options.values():
        if option.kind is bool:
            parser.add_argument(option.flag, action="store_true")
        else:
            read = str if option.reads else KINDS.get(option.kind, ("", str))[1]
            parser.add_argument(option.flag, type=read, required=option.is_required)
    return parser


def _prog(command: str, theorems: Sequence[str]) -> str:
    """Return the command line up to its theorems: `check` takes a user's own one after --theorem."""
    named = [f"--theorem {name}" if command == "check" and names_a_file(name) else name for name in theorems]
    return f"seqsep {command} {' '.join(named)}"


def _parts(words: Sequence[str]) -> list[str]:
    """Return the words, with --flag=value as two."""
    return [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]


def _is_formula(option: "Option") -> bool:
    """Return True for an option whose value is a formula of thresholds."""
    return getattr(option.kind, "__name__", "") == "Thresholds"


def _formula(text: str) -> Any:
    """Return the formula of a file, or of a name with a length. Raises BadInput for another text."""
    from seqsep.theorems.analysis.formula_file import ENDINGS, read_formula
    from seqsep.theorems.analysis.function import FORMULAS as NAMED

    if text.endswith(ENDINGS):
        return read_formula(Path(text))
    name, _, length = text.partition(":")
    if name not in NAMED or not length.isdecimal() or not 1 <= int(length[:9]) <= MOST_VARIABLES or len(length) > 9:
        raise BadInput(f"--formula {text}: expected {FORMULAS}, with at most {MOST_VARIABLES} variables")
    return NAMED[name](int(length))


def _value(option: "Option", word: Any) -> Any:
    if _is_formula(option):
        return _formula(word)
    return word if option.reads is None else option.reads(word)


def _without_errors(words: str) -> str:
    """Return a docstring without its examples and errors. The ranges of the options replace the errors for who types them.

    >>> _without_errors("Add two numbers. Raises ValueError for others,\\nTypeError too.\\n\\nThe end.")
    'Add two numbers.\\n\\nThe end.'
    """
    text = words.split("\n\n>>>")[0]
    return re.sub(r"(?:(?<=[.:])\s+|^)Raises\s[A-Z]\w+\s.*?(?=\n\n|\Z)", "", text, flags=re.DOTALL | re.MULTILINE)

"""The options of one theorem, explained: what `seqsep check THEOREM --help` prints, and apply, bound and certify likewise.

All is read from the theorem's source file, which is not run, as torch takes seconds to import: names, types and defaults from
the signature of `check`, `applier`, `bound` or `evidence`, and its docstring, which is printed but for its errors. Ranges and
choices are those of members.json, which stand in `theorems.option_values`. Options that mean the same everywhere are explained
here once (`COMMON`), all others by the sentences of the docstring that name them in backquotes.
"""

import argparse
import ast
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from seqsep.commands.command import Parser
from seqsep.commands.members import members, names
from seqsep.commands.shared_flags import prog, refuse_foreign
from seqsep.core.names import BadInput, choose, narrowed, required

ROOT = Path(__file__).parents[1]
SWITCH = "switch"
TYPES = {
    "int": "whole number",
    "float": "number",
    "str": "text",
    "Path": "file",
    "Fraction": "number such as 1/64 or 0.1",
    "Machine": "name or file",
    "Circuit": "file",
    "Question": "index, recall or counting",
}
COMMON = {
    "ask": "word (is it one?) or next (which brackets are allowed after each prefix).",
    "alphabet": "S: symbols are 0 to S - 1.",
    "block": "copy, count, match, match-close, match-nearest or match-next.",
    "cells": "How many cells a side of the head may take.",
    "checkpoint": "A trained model in safetensors, in place of one with random weights.",
    "circuit": "A JSON file that holds a circuit.",
    "circuits": "How many circuits are drawn.",
    "classes": "C: labels are 0 to C - 1.",
    "cnf": "A DIMACS file, whose clauses are to be satisfied.",
    "code": "A family of position codes: signs, binary, parabola, dual-bch, kerdock, one-hot or circle.",
    "depth": "k, the greatest depth of brackets, from 1.",
    "dimension": "d, the coordinates of a vector, from 1.",
    "embedding": "Coordinates of a token's embedding.",
    "error": "The greatest probability of a wrong answer.",
    "exponent": "Kc: numbers are multiples of 1/L up to L, with L a power Kc of the length.",
    "gamma": "The margin by which the nearest point is nearer than others.",
    "gram": "c, from 2: a query has c - 1 tokens, and the answer is the token behind them.",
    "graphs": "How many graphs are drawn.",
    "heads": "Heads of the layer.",
    "inputs": "How many inputs are drawn.",
    "instance": "disjointness, equality or majority (check also: cnf, dnf or tables, drawn).",
    "keys": "How many different keys there are.",
    "kinds": "n, the kinds of brackets, from 1.",
    "layers": "Layers of the model.",
    "length": "N: how many tokens (vertices, pairs, points, cells of input) at most.",
    "machine": "A machine file, or a shipped machine: binary-increment, busy-beaver-3, busy-beaver-4, palindromes.",
    "machines": "How many Turing machines are drawn.",
    "mixer": "A layer with random weights as the model that is too small, such as lstm or mamba.",
    "positions": "How many positions of --text are asked.",
    "precision": "Bits that a number is rounded to.",
    "rounding": "How the grid rounds: floor (the first paper's) or nearest (the second's).",
    "seed": "Of what is drawn.",
    "sequences": "How many sequences are drawn.",
    "softmax": "How the grid divides: stepwise (the first paper's) or once (the second's).",
    "steps": "T, the most steps of a run.",
    "text": "The model is built at this file's length, over bytes, and asked for each position up to 16 KiB, beyond for 1,000.",
    "thought": "Let the model write a thought before its answer.",
    "tightness": "Search for the least scale and the least grid that still work.",
    "unequal": "Answer 1 if the halves differ, in place of 1 if they are equal.",
    "width": "Coordinates of the layer.",
    "words": "How many words are drawn for each machine.",
}
"""What an option means wherever it stands."""


@dataclass(frozen=True)
class Option:
    """One keyword argument: its type, default and range in words, the words to choose from, and what it means."""

    name: str
    kind: str
    default: str
    range: str
    choices: tuple[str, ...]
    meaning: str


@dataclass(frozen=True)
class Explained:
    """A theorem's function: its docstring, and its options in the order of the signature."""

    words: str
    options: tuple[Option, ...]


@cache
def _files() -> dict[str, Path]:
    claims = re.compile(r'^CLAIM = Claim\(\s*name="([a-z0-9-]+)"', re.MULTILINE)
    paths = sorted((ROOT / "theorems").glob("*/[!_]*.py"))
    claimed = [(claims.search(path.read_text(encoding="utf-8")), path) for path in paths]
    return {found.group(1): path for found, path in claimed if found is not None}


def explained(theorem: str, function: str) -> Explained | None:
    """Read `check`, `applier`, `bound` or `evidence` of a theorem; None if it has none.

    What `bound` requires has the default of `check`, as in `Theorem.constants`.

    >>> [option.name for option in explained("counting-attention", "applier").options]
    ['length', 'alphabet']
    >>> [option.default for option in explained("counting-attention", "bound").options]
    ['by default 64', 'optional', 'by default floor']
    """
    tree = ast.parse(_files()[theorem].read_text(encoding="utf-8"))
    values = (node.value for node in tree.body if isinstance(node, ast.Assign) and _targets(node) == ["THEOREM"])
    record = narrowed(next(values), ast.Call)
    given = {keyword.arg: keyword.value for keyword in record.keywords}
    value = record.args[1] if function == "check" else given.get(function)
    if value is None:
        return None
    definition, file = _definition(tree, value)
    words = ast.get_docstring(definition) or ""
    member = next(member for member in members("theorems") if member["name"] == theorem)
    ranges, choices = (member[field].get(function, {}) for field in ("ranges", "choices"))
    options = _options(definition, file, ranges, choices)
    if function == "bound":
        options = _as_checked(options, theorem)
    return Explained(_without_errors(words.split("\n\n>>>")[0]), tuple(options))


def _without_errors(words: str) -> str:
    """A docstring without what it raises, which the ranges of the options say to who types them.

    >>> _without_errors("Add two numbers. Raises ValueError for others,\\nTypeError too.\\n\\nThe end.")
    'Add two numbers.\\n\\nThe end.'
    """
    return re.sub(r"(?:(?<=[.:])\s+|^)Raises\s[A-Z]\w+\s.*?(?=\n\n|\Z)", "", words, flags=re.DOTALL | re.MULTILINE)


def _as_checked(options: Sequence[Option], theorem: str) -> list[Option]:
    """The options with the defaults of `check` in the place of what is required."""
    checked = required(explained(theorem, "check"), "the check of a theorem")
    defaults = {option.name: option.default for option in checked.options}
    return [replace(option, default=defaults[option.name]) if option.default == "required" else option for option in options]


def _targets(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]


def _definition(tree: ast.Module, value: ast.expr) -> tuple[ast.FunctionDef, ast.Module]:
    """The function that a name, or an attribute of a module, stands for, and its file: this, or the one imported from."""
    first = value.value.id if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) else ast.unparse(value)
    name = ast.unparse(value).split(".")[-1]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == first:
            return node, tree
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == first:
                    return _imported(node.module or "", alias.name, name)
    raise ValueError(f"{name} is not defined in the file")


def _imported(module: str, imported: str, name: str) -> tuple[ast.FunctionDef, ast.Module]:
    folder = ROOT.joinpath(*module.split(".")[1:])
    path = next(path for path in (folder / f"{imported}.py", folder.with_suffix(".py")) if path.is_file())
    return _definition(ast.parse(path.read_text(encoding="utf-8")), ast.Name(name))


def _options(
    definition: ast.FunctionDef, file: ast.Module, ranges: Mapping[str, str], choices: Mapping[str, Sequence[str]]
) -> list[Option]:
    words = ast.get_docstring(definition) or ""
    constants = {name: node.value for node in file.body if isinstance(node, ast.Assign) for name in _targets(node)}
    parameters = definition.args.args + definition.args.kwonlyargs
    missing: list[ast.expr | None] = [None] * (len(definition.args.args) - len(definition.args.defaults))
    defaults = missing + definition.args.defaults + definition.args.kw_defaults
    return [
        Option(
            name=parameter.arg,
            kind=_kind(ast.unparse(parameter.annotation) if parameter.annotation else "str"),
            default=_default(constants.get(default.id, default) if isinstance(default, ast.Name) else default),
            range=ranges.get(parameter.arg, ""),
            choices=tuple(choices.get(parameter.arg, ())),
            meaning=_meaning(parameter.arg, words),
        )
        for parameter, default in zip(parameters, defaults, strict=True)
    ]


def _kind(annotation: str) -> str:
    kinds = [part.strip() for part in annotation.split("|") if part.strip() != "None"]
    return SWITCH if kinds[0] == "bool" else TYPES.get(kinds[0], "text")


def _default(default: ast.expr | None) -> str:
    if default is None:
        return "required"
    value = ast.unparse(default)
    if value == "False":
        return ""
    return "optional" if value == "None" else f"by default {value.strip(chr(39))}"


def _meaning(name: str, words: str) -> str:
    """What the option means everywhere, or else the sentences that name it: also where it replaces what is computed.

    Errors, which are at the end of a docstring, are no meaning.
    """
    sentences = re.split(r"(?<=[^.][.]) (?=[A-Z`{])", " ".join(words.split("\n\n>>>")[0].split()))
    errors = next((place for place, sentence in enumerate(sentences) if sentence.startswith("Raises ")), len(sentences))
    naming = [sentence for sentence in sentences[:errors] if re.search(rf"`{name}[`=]", sentence)]
    replacing = [sentence for sentence in naming if " replaces " in sentence]
    return " ".join(replacing) or COMMON.get(name) or " ".join(naming)


def refuse_unknown_options(command: str, theorems: Sequence[str], words: Sequence[str], function: str = "check") -> None:
    """Raise BadInput for a flag among the words that is no option of any of the theorems, without importing them.

    Nothing is refused if none of them has the function.
    """
    found = [one for one in (explained(theorem, function) for theorem in theorems) if one is not None]
    if not found:
        return
    parser = Parser(prog=prog(command, theorems), argument_default=argparse.SUPPRESS)
    for name in dict.fromkeys(option.name for one in found for option in one.options):
        parser.add_argument(f"--{name.replace('_', '-')}")
    refuse_foreign(theorems, words, parser)


def help_text(command: str, function: str, words: Sequence[str], flags: str) -> str | None:
    """The help of the theorem that the first of the words names; None if that is a flag, or there is none.

    `flags` are the command's own. Raises BadInput for a name that there is not, or a theorem without this function.
    """
    if not words or words[0].startswith("-"):
        return None
    theorem = choose("theorem", words[0], names("theorems"))
    found = explained(theorem, function)
    if found is None:
        known = ", ".join(name for name in names("theorems") if explained(name, function) is not None)
        raise BadInput(f"{theorem}: expected one of {known}, the theorems that {command} takes")
    parts = [f"usage: seqsep {command} {theorem} {flags} [options]", found.words, "options:"]
    return "\n\n".join([*parts, "\n".join(map(_shown, found.options))])


def _shown(option: Option) -> str:
    flag = f"  --{option.name.replace('_', '-')}"
    kind = ", ".join(part for part in (option.kind, option.range, option.default) if part)
    unsaid = [choice for choice in option.choices if not re.search(rf"\b{choice}\b", option.meaning)]
    choices = f" One of {', '.join(option.choices)}." if unsaid else ""
    return textwrap.fill(
        f"{kind}. {option.meaning}{choices}".strip(), 100, initial_indent=f"{flag:<16}", subsequent_indent=" " * 16
    )

"""Mutants of the checker: every comparison, constant, `and`, `or`, `not`, arithmetic sign and check of it, changed in turn.

So is every letter of the shapes of a network's arrays: a size that is no longer tied to the size with the same letter.

A mutant is killed by the corpus if a status, or the reason that a forgery expects, comes out otherwise, or it does not end.
`EQUIVALENT` holds those that no input can tell, each with the argument.
"""

import ast
import itertools
import re
import signal
import types
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import seqsep_check
from support.certificates.checker_corpus import corpus
from support.syntax_changes import Change, common_changes

SOURCE = Path(seqsep_check.__file__).read_text(encoding="utf-8")
SECONDS = 3.0
LARGE = 'require_fit(states * kinds * (depth + 8) <= MOST_WORK, f"too large: {states} states")'
ZEROS = "ZEROS = bytes(48 if 48 <= byte <= 57 else byte for byte in range(256))  # every digit becomes a 0"
CONTEXT = "context = Context(prec=digits + 10, Emin=MIN_EMIN, Emax=MAX_EMAX)"
IS_BELOW = "is_below = drop > 0 or (self.once and any(drops))"
ASCII = 'certificate = json.loads(data.decode("ascii"), parse_float=str, parse_constant=str)'
BACKWARDS = "for at in range(len(written) - 5, -1, -1):"
PART = "part = list(range(vertices + 1))  # of each vertex; vertices that the edges so far connect have the same"
NO_SUCH_WORK = "no kinds and depth give exactly 4,000,000 (test_no_automaton_is_at_the_bound)"
MORE_DIGITS = "another number of digits decides alike, since ends enclose"
ON_A_LINE = "if the upper end is on a line, more digits decide alike"
DEPTH = "def __init__(self, alphabets, solve, *, count=None, depth=1, ends=(), told=None, retriever=(None, None, None)):"
TEXTS = 'texts = ["<s>", *symbols, *counts, "[", "]", "FAILED", "NO", "YES", *marks]'
NETWORK = 'NETWORK = {"positions": "pd", "symbols": "sd", "readout": "cd", "readout_bias": "c"}'
ONE_ARRAY = "no other array has this size"
NO_NUMBER = "no pattern finds it, and no run holds it"
EQUIVALENT: dict[str, str] = {
    f"{NETWORK} | positions: pd -> zd at 10": ONE_ARRAY,
    f"{NETWORK} | symbols: sd -> zd at 10": ONE_ARRAY,
    f"{DEPTH} | 1 -> 2 at 58": "a letter costs a 64th of it, rounded down: nothing",
    f"{TEXTS} | '<s>' -> '<s>~' at 9": NO_NUMBER,
    f"{LARGE} | comparison 0 LtE -> Lt at 12": NO_SUCH_WORK,
    f"{ZEROS} | comparison 0 LtE -> Lt at 20": "the digit 0 stays a 0",
    f"{ZEROS} | 48 -> 49 at 20": "the digit 0 stays a 0",
    f"{CONTEXT} | 10 -> 11 at 32": MORE_DIGITS,
    f"{CONTEXT} | 10 -> 9 at 32": MORE_DIGITS,
    f"{IS_BELOW} | comparison 0 Gt -> Lt at 11": ON_A_LINE,
    f"{IS_BELOW} | 0 -> 1 at 18": ON_A_LINE,
    f"{PART} | 1 -> 2 at 29": "the last entry is that of no vertex",
    f"{BACKWARDS} | 1 -> 2 at 35": "a record has three tokens, and from the last token on there is one",
    f"{ASCII} | 'ascii' -> 'ascii~' at 37": "Python drops what is no letter from the name of an encoding",
}


CHECKS = ("require", "require_fit", "require_work", "only_fields")
NAMING_THEIR_VALUE = ("only_fields", "some_list", "whole_number", "whole_numbers", "matrix", "parts", "words")


class Mutant(NamedTuple):
    line: int
    what: str
    column: int
    place: int

    @property
    def name(self) -> str:
        """By the text of the line, so that lines may move."""
        text = SOURCE.splitlines()[self.line - 1]
        return f"{text.strip()} | {self.what} at {self.column - len(text) + len(text.lstrip())}"

    def module(self) -> types.ModuleType:
        tree = ast.parse(SOURCE)
        node = next(itertools.islice(ast.walk(tree), self.place, None))
        next(change for change in _changes(node) if change.what == self.what).make(node)
        made = types.ModuleType("mutant")
        made.__dict__["bool_of_nothing"] = lambda *_: None
        exec(compile(ast.fix_missing_locations(tree), "mutant", "exec"), made.__dict__)
        return made


def _changes(node: ast.AST) -> Iterator[Change]:
    """The changes that are possible in place in a node of this kind: those of every language, and those of a checker."""
    yield from common_changes(node)
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        yield Change("sign dropped", "op", ast.UAdd())
    elif isinstance(node, ast.Constant) and type(node.value) is int and node.value > 1:
        yield Change(f"{node.value} -> {node.value - 1}", "value", node.value - 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        extra = node.value + ("~" if isinstance(node.value, str) else b"~")
        yield Change(f"{node.value!r} -> {extra!r}", "value", extra)
    elif isinstance(node, ast.Dict) and node.values and all(is_shape(value) for value in node.values):
        yield from untied(node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CHECKS:
        yield Change("check dropped", "func", ast.Name("bool_of_nothing", ast.Load()))


def is_shape(node: ast.expr) -> bool:
    """Return True for one or two small letters, each of which stands for a size."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch("[a-z]{1,2}", node.value) is not None


def untied(shapes: ast.Dict) -> Iterator[Change]:
    """Yield the shapes with another letter for one size of one array."""
    for number, (name, shape) in enumerate(zip(shapes.keys, shapes.values, strict=True)):
        assert isinstance(name, ast.Constant)
        assert isinstance(shape, ast.Constant)
        for place in range(len(shape.value)):
            changed = f"{shape.value[:place]}z{shape.value[place + 1 :]}"
            values = [*shapes.values[:number], ast.Constant(changed), *shapes.values[number + 1 :]]
            yield Change(f"{name.value}: {shape.value} -> {changed}", "values", values)


def _texts(tree: ast.Module) -> set[int]:
    """Nodes that are words for the reader: docstrings, reasons of checks, the printed line; and `strict` of zip, which only
    guards against slips in the checker itself."""
    texts: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            texts.add(id(node.value))
        if isinstance(node, ast.keyword) and node.arg == "strict":
            texts.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            texts |= {id(part) for part in ast.walk(node)}
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("require", "require_fit", "Answer")
        ):
            texts |= {id(part) for part in node.args if isinstance(part, ast.Constant) and isinstance(part.value, str)}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            if name in NAMING_THEIR_VALUE:
                texts |= {id(part) for part in ast.walk(node.args[1])}
    return texts


def _live(tree: ast.Module) -> list[ast.stmt]:
    """Return all except what tests run as a program (test_certificates.py, test_checker_text.py)."""
    as_program = ("main", "answer", "self_test", "SELF_TEST")
    parts = [node for node in tree.body if not isinstance(node, ast.If)]
    return [node for node in parts if getattr(node, "name", "") not in as_program and "SELF_TEST" not in _assigned(node)]


def _assigned(node: ast.stmt) -> list[str]:
    """Return the names that a statement assigns."""
    return [target.id for target in node.targets if isinstance(target, ast.Name)] if isinstance(node, ast.Assign) else []


def mutants() -> list[Mutant]:
    tree = ast.parse(SOURCE)
    texts = _texts(tree)
    wanted = {id(node) for part in _live(tree) for node in ast.walk(part)} - texts
    return [
        Mutant(node.lineno, what, node.col_offset, place)  # type: ignore[attr-defined]
        for place, node in enumerate(ast.walk(tree))
        if id(node) in wanted
        for what, *_ in _changes(node)
    ]


class TooLong(Exception):
    """A mutant that does not end."""


def killed(mutant: Mutant) -> bool:
    """Return True if a case of the corpus has another result, or raises, or takes 3 CPU-seconds (the longest takes 0.4)."""

    def stop(number: int, frame: object) -> None:
        raise TooLong

    previous = signal.signal(signal.SIGVTALRM, stop)
    cases = corpus()
    place = 0
    try:
        module = mutant.module()
        for place in range(len(cases)):
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            if cases[place].kills(module):
                return True
        return False
    except Exception:  # whatever a mutant of the checker raises, a user would see as a traceback
        return True
    finally:
        cases.insert(0, cases.pop(place))  # what kills one mutant kills its neighbours
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)


def survivors(some: list[Mutant]) -> list[str]:
    return [mutant.name for mutant in some if mutant.name not in EQUIVALENT and not killed(mutant)]

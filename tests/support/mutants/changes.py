"""Mutants of a source file: one comparison, constant, sign, `and`, `or`, `not`, truth value or return value changed.

Left as they are: words (strings, what is raised, f-strings), annotations, decorators, default arguments and fields of classes,
which are choices and no computation, `strict` of zip, and a theorem's errata.
"""

import ast
import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from support.syntax_changes import Change, common_changes

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src/seqsep"
SHARES = {
    "maths": 0.015,
    "theorems": 0.009,
    "tasks/ceilings": 0.06,
    "tasks": 0.013,
    "lab/train": 0.15,
    "lab/step": 0.15,
    "lab/graphed_step": 0.15,
}
"""Of each package, the share of its mutants that is tried."""
LEFT_OUT = ("tasks/ceilings/", "tasks/retriever/", "theorems/analysis/", "theorems/certificate/", "theorems/laws")
"""Folders and files of a package that have a share of their own, or none."""
WORDS_ONLY = ("Erratum", "Choice", "Claim", "Theorem", "Raises")


class Mutant(NamedTuple):
    """A change of the node with this number in the walk of a file's tree."""

    path: str
    place: int
    line: int
    column: int
    what: str

    @property
    def name(self) -> str:
        """By the text of the line, so that lines may move."""
        text = (SOURCE / self.path).read_text(encoding="utf-8").splitlines()[self.line - 1]
        return f"{self.path}: {text.strip()} | {self.what} at {self.column - len(text) + len(text.lstrip())}"

    def text(self) -> str:
        """The file with the change."""
        tree = ast.parse((SOURCE / self.path).read_text(encoding="utf-8"))
        node = next(itertools.islice(ast.walk(tree), self.place, None))
        next(change for change in _changes(node) if change.what == self.what).make(node)
        return ast.unparse(ast.fix_missing_locations(tree))


def files() -> dict[str, list[str]]:
    """Package -> its files, below src/seqsep.

    Those that only draw inputs for checks are left out: whatever they draw is required to be answered right.
    """
    return {
        package: sorted(
            str(path.relative_to(SOURCE))
            for path in [*(SOURCE / package).rglob("*.py"), SOURCE / f"{package}.py"]
            if path.is_file()
            and not path.stem.endswith(("__init__", "_trials", "_drawn"))
            and (f"{package}/" in LEFT_OUT or not str(path.relative_to(SOURCE)).startswith(LEFT_OUT))
        )
        for package in SHARES
    }


def mutants(path: str) -> list[Mutant]:
    """All mutants of a file, in the order of its tree."""
    tree = ast.parse((SOURCE / path).read_text(encoding="utf-8"))
    left = _left(tree)
    return [
        Mutant(path, place, node.lineno, node.col_offset, what)  # type: ignore[attr-defined]
        for place, node in enumerate(ast.walk(tree))
        if id(node) not in left
        for what, *_ in _changes(node)
    ]


def sample(path: str, share: float, seed: int = 0) -> list[Mutant]:
    """A seeded share of a file's mutants, at least one; other files do not change it.

    Those in a theorem's `verify`, which only says how much a long check tries, are dropped.
    """
    all_of_file = mutants(path)
    count = min(len(all_of_file), max(1, round(share * len(all_of_file))))
    long = _lines_of_long_checks(path)
    return [one for one in random.Random(f"{seed} {path}").sample(all_of_file, count) if one.line not in long]


def _lines_of_long_checks(path: str) -> set[int]:
    tree = ast.parse((SOURCE / path).read_text(encoding="utf-8"))
    long = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith(("verify", "_verify"))]
    return {line for node in long for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}


def _changes(node: ast.AST) -> Iterator[Change]:
    """The changes that are possible in place in a node of this kind."""
    yield from common_changes(node)
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0:
        yield Change(f"{node.value} -> {node.value - 1}", "value", node.value - 1)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield Change("returns None", "value", ast.Constant(None))


def _left(tree: ast.Module) -> set[int]:
    """Nodes that are words, annotations, decorators, defaults, fields of classes or `strict`."""
    left: set[int] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            parts += [*node.args.defaults, *node.args.kw_defaults]
        if isinstance(node, ast.FunctionDef):
            parts += [*node.decorator_list, node.returns]
        if isinstance(node, ast.ClassDef):
            parts += [*node.decorator_list, *(part for part in node.body if isinstance(part, ast.AnnAssign | ast.Assign))]
        if isinstance(node, ast.arg | ast.AnnAssign):
            parts.append(node.annotation)
        if isinstance(node, ast.JoinedStr | ast.Raise) or (isinstance(node, ast.keyword) and node.arg == "strict"):
            parts.append(node)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in WORDS_ONLY:
            parts.append(node)
        left |= {id(inner) for part in parts if part is not None for inner in ast.walk(part)}
    return left

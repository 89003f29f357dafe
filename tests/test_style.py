"""Rules that keep a file readable: one idea a line, few lines a file, calls that name their arguments.

As a script it lists what is left in some folders: python tests/test_style.py src/seqsep/lab tests/lab
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_CODE_LINES = 250
MOST_BY_FILE = {"src/seqsep_check.py": 725}
MOST_UNFORMATTED = 10
MOST_POSITIONAL = 4
MOST_NAME = 60
REPEATED_CLASSES = {
    "Memory": "the state of a mixer: each mixer's file has one, as each has the same methods `start`, `step` and `prefill`",
}
"""The names of classes that several modules have, each with its reason."""


def python_files(*folders: str) -> list[Path]:
    found = [ROOT / folder for folder in folders]
    return sorted(path for one in found for path in ([one] if one.is_file() else one.rglob("*.py")))


def code_lines(path: Path) -> int:
    """Return the number of lines with code."""
    return len(lines_with_code(path))


def lines_with_code(path: Path) -> set[int]:
    """Return the numbers of the lines with code: no docstrings, comments or blank lines."""
    text = path.read_text(encoding="utf-8")
    documented = set()
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and is_text(body[0]):
            documented |= set(range(body[0].lineno, body[0].end_lineno + 1))
    lines = enumerate(text.splitlines(), 1)
    return {number for number, line in lines if number not in documented and line.strip() and line.strip()[0] != "#"}


def is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)
    )


def packed(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Lines that hold two ideas, with what they hold."""
    for node in ast.walk(tree):
        unpacks = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
        if unpacks and isinstance(node.value, ast.Tuple) and not depends_on_itself(node):
            yield node.lineno, "two assignments in one"
        if unpacks and isinstance(node.value, ast.Call) and getattr(node.value.func, "attr", "") in ("values", "items"):
            yield node.lineno, "a mapping unpacked by position"
        if isinstance(node, ast.Call) and len(node.args) > MOST_POSITIONAL and not is_variadic(node):
            yield node.lineno, f"a call with {len(node.args)} positional arguments"


def depends_on_itself(node: ast.Assign) -> bool:
    """A swap, or a step that needs the old values: two lines would compute something else."""
    assigned = {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    read = {name.id for name in ast.walk(node.value) if isinstance(name, ast.Name)}
    return bool(assigned & read)


VARIADIC = {"max", "min", "print", "zip", "join", "chain", "product", "gcd", "lcm", "einsum", "union", "cat", "hypot", "OneOf"}


def is_variadic(call: ast.Call) -> bool:
    """Functions whose arguments are one list of equals."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    return name in VARIADIC or any(isinstance(argument, ast.Starred) for argument in call.args)


@pytest.mark.parametrize("folder", ["src", "tools", "tests", "benchmarks", "examples"])
def test_files_have_few_lines_of_code(folder):
    long = {}
    for path in python_files(folder):
        name = str(path.relative_to(ROOT))
        if code_lines(path) > MOST_BY_FILE.get(name, MOST_CODE_LINES):
            long[name] = code_lines(path)
    assert not long


def test_the_formatter_is_off_for_tables_only():
    unformatted = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in python_files("src", "tools", "tests")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"#\s*fmt:\s*(skip|off)", line) and path != Path(__file__)
    ]
    assert len(unformatted) <= MOST_UNFORMATTED, unformatted


def test_no_line_holds_two_ideas():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {what}"
        for path in python_files("src")
        for line, what in packed(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found, "\n".join(found)


def test_a_class_name_stands_in_one_module():
    modules = defaultdict(set)
    for path in python_files("src/seqsep", "tools"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                modules[node.name].add(str(path.relative_to(ROOT)))
    repeated = {name: sorted(files) for name, files in modules.items() if len(files) > 1 and name not in REPEATED_CLASSES}
    assert not repeated
    assert all(len(modules[name]) > 1 for name in REPEATED_CLASSES)


def test_names_of_tests_fit_a_screen():
    long = []
    for path in python_files("tests"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and len(node.name) > MOST_NAME:
                long.append(f"{path.relative_to(ROOT)}: {node.name}")
    assert not long, "\n".join(long)


if __name__ == "__main__":
    for path in python_files(*sys.argv[1:]):
        name, text = path.relative_to(ROOT), path.read_text(encoding="utf-8")
        if code_lines(path) > MOST_BY_FILE.get(str(name), MOST_CODE_LINES):
            print(f"{name}: {code_lines(path)} lines of code")
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(r"#\s*fmt:\s*(skip|off)", line):
                print(f"{name}:{number}: the formatter is off")
        for number, what in packed(ast.parse(text)) if "src" in name.parts else ():
            print(f"{name}:{number}: {what}")
        for node in ast.walk(ast.parse(text)) if "tests" in name.parts else ():
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and len(node.name) > MOST_NAME:
                print(f"{name}:{node.lineno}: a test's name of {len(node.name)} characters")

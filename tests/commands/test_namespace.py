"""The namespace of the flags ends at the door: only `run` of a command takes it, and no object keeps it."""

import ast
from pathlib import Path

import pytest

import seqsep

SOURCE = Path(seqsep.__file__).parent
DOOR = "run"
NAMESPACE = "Namespace"


def named(annotation):
    """Tell if an annotation, also one in quotes, mentions the namespace of argparse."""
    if annotation is None:
        return False
    names = {
        getattr(node, "id", "") or getattr(node, "attr", "") or getattr(node, "value", "") for node in ast.walk(annotation)
    }
    return any(isinstance(name, str) and NAMESPACE in name for name in names)


def passed_on(source):
    """Return the functions of a file that take the namespace, but for doors, and the places where it is passed on or kept."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        taken = {one.arg for one in parameters if named(one.annotation)}
        made = {
            name.id
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            if getattr(node.value.func, "attr", "") in ("parse_args", "parse_known_args")
            for target in node.targets
            for name in (target.elts if isinstance(target, ast.Tuple) else [target])[:1]
            if isinstance(name, ast.Name)
        }
        if taken and function.name != DOOR:
            found.append(f"{function.name} takes it")
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") != "vars":
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                found += [
                    f"{function.name} passes it to {ast.unparse(node.func)}"
                    for one in given
                    if isinstance(one, ast.Name) and one.id in taken | made
                ]
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and named(getattr(node, "annotation", None)):
                found.append(f"{function.name} keeps it")
    return found


def test_no_function_takes_the_namespace_but_doors():
    """`cli.parse` makes it and gives it to the command; the door takes the values of flags, or a dataclass of them."""
    sources = {path: path.read_text() for path in sorted(SOURCE.rglob("*.py"))}
    files = [path for path, source in sources.items() if "argparse" in source or ".parse_" in source]
    found = {path.name: passed_on(sources[path]) for path in files}
    assert len(files) > 20
    assert {name: [one for one in several if not one.endswith("getattr")] for name, several in found.items()} == {
        name: [] for name in found
    }


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def run(options: argparse.Namespace): return options.store", []),
        ("def run(options: argparse.Namespace): return record(vars(options))", []),
        ("def run(options: argparse.Namespace): return show(options)", ["run passes it to show"]),
        ("def show(options: 'argparse.Namespace'): return 0", ["show takes it"]),
        ("def show(words):\n    options = parser.parse_args(words)\n    check(options)", ["show passes it to check"]),
    ],
)
def test_a_namespace_that_is_passed_on_is_found(source, found):
    assert passed_on(source) == found

"""Imports go to wings further down only; files inside a wing import each other without circles."""

import ast
from pathlib import Path

import seqsep

ROOT = Path(seqsep.__file__).parent
WINGS = (
    "core",
    "maths",
    "tasks",
    "models",
    "theorems",
    "lab",
    "language_models",
    "report",
    "commands",
    "__init__",
    "__main__",
)
ROWS = {wing: number for number, wing in enumerate(WINGS)}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "seqsep":
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "seqsep"}
    return {name for name in found if module_path(name) is not None}


def module_path(name: str) -> Path | None:
    base = ROOT.joinpath(*name.split(".")[1:])
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.exists() and path != ROOT / "__init__.py":
            return path
    return None


def room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def test_every_import_goes_down():
    wrong = []
    for path in ROOT.rglob("*.py"):
        for name in imports(path):
            target = module_path(name)
            here, there = room(path), room(target)
            if here != there and ROWS[here] <= ROWS[there]:
                wrong.append(f"{path.relative_to(ROOT)} (row {ROWS[here]}) imports {name} (row {ROWS[there]})")
    assert not wrong, "\n".join(wrong)


def test_no_circles_inside_a_room():
    graph = {}
    for path in ROOT.rglob("*.py"):
        package = path.name == "__init__.py"
        targets = {module_path(name) for name in imports(path)} - {path}
        graph[path] = set() if package else {t for t in targets if room(t) == room(path) and t.name != "__init__.py"}
    done, active = set(), []

    def visit(path: Path) -> None:
        assert path not in active, " -> ".join(str(p.relative_to(ROOT)) for p in [*active, path])
        if path not in done:
            active.append(path)
            for target in graph[path]:
                visit(target)
            active.pop()
            done.add(path)

    for path in graph:
        visit(path)


def test_core_maths_and_tasks_never_import_torch():
    for folder in ("core", "maths", "tasks"):
        for path in (ROOT / folder).rglob("*.py"):
            tops = {
                (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) else node.names[0].name.split(".")[0]
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.Import | ast.ImportFrom)
            }
            assert "torch" not in tops, path


def test_every_file_has_a_docstring():
    assert not [str(p) for p in ROOT.rglob("*.py") if not ast.get_docstring(ast.parse(p.read_text()))]

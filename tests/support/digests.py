"""The digest by which a long check's row knows whether a source has changed: of its code, without what no check runs."""

import ast
import hashlib
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "src/seqsep"


PROSE = ("Theorem", "Claim", "Erratum", "Choice")
"""The calls whose results have names, sources and sentences for people, and say which functions are for what."""


DEVELOPERS = ("ruff", "mypy", "pytest")
"""The tools whose settings in pyproject.toml, like the extra `dev`, are not part of what is installed."""


def digest(path: str) -> str:
    """Of a page's text; of code without docstrings, comments and assignments of PROSE; of what pyproject.toml installs."""
    text = (SOURCE / path).read_text(encoding="utf-8")
    if path.endswith(".py"):
        return digest_of_code(text)
    return hashlib.sha256((installed(text) if path.endswith("pyproject.toml") else text).encode()).hexdigest()


def installed(text: str) -> str:
    """Of a pyproject.toml, all that a build or an installation by users reads.

    >>> installed('[project]\\nname = "a"\\n[project.optional-dependencies]\\ndev = ["b"]\\n[tool.ruff]\\nline-length = 9')
    '{"project": {"name": "a", "optional-dependencies": {}}, "tool": {}}'
    """
    tables = tomllib.loads(text)
    tables["project"].get("optional-dependencies", {}).pop("dev", None)
    for name in DEVELOPERS:
        tables["tool"].pop(name, None)
    return json.dumps(tables, sort_keys=True)


def digest_of_code(text: str) -> str:
    """Of a Python file's text."""
    tree = ast.parse(text)
    tree.body = [node for node in tree.body if not _is_prose(node)]
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_string(part)]  # type: ignore[attr-defined]
    return hashlib.sha256(_as_python_3_11_dumps(tree).encode()).hexdigest()


def _as_python_3_11_dumps(tree: ast.Module) -> str:
    """Later versions add a list of type parameters, and leave out lists that are empty."""
    options: dict[str, Any] = {"show_empty": True} if sys.version_info >= (3, 13) else {}
    return ast.dump(tree, **options).replace(", type_params=[]", "")


def _is_string(node: ast.stmt) -> bool:
    """A string alone is a statement: the docstring of a module, class, function or constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_prose(node: ast.stmt) -> bool:
    """A call of PROSE, or a tuple of such calls, is assigned to one name."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    calls = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    return bool(calls) and all(isinstance(call, ast.Call) and getattr(call.func, "id", "") in PROSE for call in calls)

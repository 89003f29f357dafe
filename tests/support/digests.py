"""By what a long check's row knows whether a source has changed since."""

import ast
import hashlib
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src/seqsep"


def digest(path: str) -> str:
    """Of a page's text, or of code: docstrings and comments do not count."""
    text = (SOURCE / path).read_text(encoding="utf-8")
    if not path.endswith(".py"):
        return hashlib.sha256(text.encode()).hexdigest()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            node.body = body[1:]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()

"""docs/errata.md is what the theorem records say, and every row names a test that exists."""

import ast
from pathlib import Path

import pytest

from seqsep.pages.errata import errata_page
from seqsep.theorems import THEOREMS

ROOT = Path(__file__).parents[2]
ERRATA = [(theorem.name, erratum) for theorem in THEOREMS for erratum in theorem.errata]


def test_the_page_is_generated():
    assert (ROOT / "docs/errata.md").read_text(encoding="utf-8") == errata_page(), "run make docs"


@pytest.mark.parametrize(("name", "erratum"), ERRATA, ids=[f"{name}-{place}" for place, (name, _) in enumerate(ERRATA)])
def test_every_row_has_its_test(name, erratum):
    path, _, function = erratum.test.partition("::")
    functions = {node.name for node in ast.walk(ast.parse((ROOT / path).read_text())) if isinstance(node, ast.FunctionDef)}
    assert function in functions, f"{name}: {erratum.test}"
    for text in (erratum.where, erratum.printed, erratum.found, erratum.built):
        assert text
        assert not text.endswith(".")

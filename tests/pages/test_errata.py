"""docs/errata.md is what the theorem records say, and every row names a test that exists."""

import ast
from pathlib import Path

import pytest

from seqsep.pages.errata import errata_page
from seqsep.theorems import THEOREMS

ROOT = Path(__file__).parents[2]
ERRATA = [(theorem.name, erratum) for theorem in THEOREMS for erratum in theorem.errata]


def test_every_row_is_on_the_page():
    page = errata_page()
    assert all(f"* Found: {erratum.found}.\n" in page for _, erratum in ERRATA)
    assert page.count("* Test: ") == len(ERRATA)


@pytest.mark.parametrize(("name", "erratum"), ERRATA, ids=[f"{name}-{place}" for place, (name, _) in enumerate(ERRATA)])
def test_every_row_has_its_test(name, erratum):
    path, _, function = erratum.test.partition("::")
    functions = {node.name for node in ast.walk(ast.parse((ROOT / path).read_text())) if isinstance(node, ast.FunctionDef)}
    assert function in functions, f"{name}: {erratum.test}"
    for text in (erratum.where, erratum.printed, erratum.found, erratum.built):
        assert text
        assert not text.endswith(".")

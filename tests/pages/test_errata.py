"""docs/errata.md is what the theorem records say, and every row names a test that exists."""

import ast
from pathlib import Path

import pytest

from pages.errata import errata_page
from seqsep.theorems import THEOREMS
from seqsep.theorems.base import Choice, Erratum

ROOT = Path(__file__).parents[2]
ERRATA = [(theorem.name, remark) for theorem in THEOREMS for remark in (*theorem.errata, *theorem.choices)]


def test_every_row_is_on_the_page():
    page = errata_page()
    assert all(f"* Found: {erratum.found}.\n" in page for _, erratum in ERRATA)
    assert page.count("* Test: ") == len(ERRATA)


def test_errata_and_choices_stand_apart():
    """Each record is of the kind of its part of the page."""
    errata, choices = errata_page().split("\n# Choices and sharpenings\n")
    for theorem in THEOREMS:
        assert all(type(remark) is Erratum and f"* Found: {remark.found}.\n" in errata for remark in theorem.errata)
        assert all(type(remark) is Choice and f"* Found: {remark.found}.\n" in choices for remark in theorem.choices)


@pytest.mark.parametrize(("name", "erratum"), ERRATA, ids=[f"{name}-{place}" for place, (name, _) in enumerate(ERRATA)])
def test_every_row_has_its_test(name, erratum):
    path, _, function = erratum.test.partition("::")
    functions = {node.name for node in ast.walk(ast.parse((ROOT / path).read_text())) if isinstance(node, ast.FunctionDef)}
    assert function in functions, f"{name}: {erratum.test}"
    for text in (erratum.where, erratum.printed, erratum.found, erratum.built):
        assert text
        assert not text.endswith(".")

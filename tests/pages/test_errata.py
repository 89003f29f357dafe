"""docs/reference/errata.md is what the theorem records say, and every entry mentions a test that exists."""

import ast
import re
from pathlib import Path

import pytest

from pages._docstrings import inline
from pages._severities import ERRATA as GRADED
from pages._severities import SEVERITIES, graded
from pages.errata import errata_page
from seqsep.theorems import THEOREMS
from seqsep.theorems.base import Choice, Erratum

ROOT = Path(__file__).parents[2]
ERRATA = [(theorem.name, remark) for theorem in THEOREMS for remark in (*theorem.errata, *theorem.choices)]


def shown(text):
    return inline(text).replace("|", r"\|")


def test_every_entry_is_on_the_page():
    page = errata_page()
    assert all(f"* Found: {shown(erratum.found)}.\n" in page for _, erratum in ERRATA)
    assert page.count("* Test: ") == len(ERRATA)


def test_errata_and_choices_are_apart():
    """Each record is of the kind of its part of the page."""
    errata, choices = re.split(r"\n(?=## [^\n]*: choices\n)", errata_page(), maxsplit=1)
    for theorem in THEOREMS:
        assert all(type(remark) is Erratum and f"* Found: {shown(remark.found)}.\n" in errata for remark in theorem.errata)
        assert all(type(remark) is Choice and f"* Found: {shown(remark.found)}.\n" in choices for remark in theorem.choices)


def test_every_erratum_has_a_severity_and_no_other_has():
    expected = {(theorem.name, number) for theorem in THEOREMS for number in range(1, len(theorem.errata) + 1)}
    assert set(GRADED) == expected
    assert {one.severity for one in GRADED.values()} <= set(SEVERITIES) - {"choice"}
    for one in GRADED.values():
        assert re.fullmatch(r"[A-Z`].{15,120}\.", one.summary), one


def test_an_erratum_without_a_severity_is_refused():
    with pytest.raises(ValueError, match="erratum 9 of is-tree-walk: expected a severity"):
        graded("is-tree-walk", 9, Erratum("a", "b", "c", "d", "e"))


def test_the_index_has_one_line_an_entry_and_its_link_has_a_heading():
    page = errata_page()
    links = re.findall(r"^\| \[([^]]*)\]\(#([^)]*)\) \|", page, re.MULTILINE)
    headings = re.findall(r"^### (.*)$", page, re.MULTILINE)
    assert len(links) == len(ERRATA) == len(set(headings))
    assert sorted(title for title, _ in links) == sorted(headings)
    assert all(anchor == title.replace(" ", "-") for title, anchor in links)


@pytest.mark.parametrize(("name", "erratum"), ERRATA, ids=[f"{name}-{place}" for place, (name, _) in enumerate(ERRATA)])
def test_every_row_has_its_test(name, erratum):
    path, _, function = erratum.test.partition("::")
    functions = {node.name for node in ast.walk(ast.parse((ROOT / path).read_text())) if isinstance(node, ast.FunctionDef)}
    assert function in functions, f"{name}: {erratum.test}"
    for text in (erratum.where, erratum.printed, erratum.found, erratum.built):
        assert text
        assert not text.endswith(".")

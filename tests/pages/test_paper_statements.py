"""The pages of theorems have what the first two papers say, for every statement of both or for none."""

import pytest

from pages._paper_statements import STATEMENTS, statement_of
from pages.papers import COMPOSITION, OWN_STATEMENT, PAPERS, RETRIEVAL, SEPARATIONS, paper_of
from pages.theorem_page import _papers_statements as section_of
from pages.theorems import claims
from seqsep.theorems import BY_NAME, THEOREMS
from test_words import broken


def test_every_statement_of_both_papers_is_there() -> None:
    assert {name: tuple(said) for name, said in STATEMENTS.items()} == {
        paper.name: paper.order for paper in (SEPARATIONS, RETRIEVAL)
    }


def test_they_keep_the_words_of_the_style() -> None:
    texts = {label: text for said in STATEMENTS.values() for label, text in said.items()}
    assert {label: dict(broken(text)) for label, text in texts.items() if broken(text) or not text.endswith(".")} == {}
    assert len(set(texts.values())) == len(texts)


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_a_page_has_the_statement_of_each_claim(theorem) -> None:
    section = section_of(theorem)
    named = {(paper_of(one.source).name, label) for one in claims(theorem) for label in paper_of(one.source).labels(one.source)}
    of_two = {(name, label) for name, label in named if name in STATEMENTS}
    assert bool(section) == bool(of_two)
    assert section.count("* **") == len(of_two)
    for paper, label in of_two:
        assert f"* **{paper}, {label}:** " in section


def test_a_statement_that_is_ours_has_no_section() -> None:
    assert section_of(BY_NAME["composition-one-layer"]) == ""
    assert statement_of(paper_of(OWN_STATEMENT), OWN_STATEMENT) == ""
    assert [statement_of(COMPOSITION, label) for label in COMPOSITION.order] == [""]
    assert len(PAPERS) == 4

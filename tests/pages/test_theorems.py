"""docs/theorems.md is what the theorem records say: each statement that a claim names, once, in the paper's order."""

import re
from collections import Counter
from pathlib import Path

import pytest

from seqsep.pages.papers import PAPERS, RETRIEVAL, SEPARATIONS, paper_of
from seqsep.pages.theorems import claims, covered_statements, sides, theorems_page
from seqsep.pages.theorems import test_file as file_of_tests
from seqsep.theorems import BY_NAME, THEOREMS

ROOT = Path(__file__).parents[2]
FAST = {
    "index-lookup-state": {},
    "associative-recall-state": {},
    "one-way-protocol": {"length": 6, "mixer": "dss"},
    "bounded-dyck-state": {},
}


def rows():
    """The cells of each row of the page."""
    lines = [line for line in theorems_page(ROOT).splitlines() if line.startswith("| ") and not line.startswith("| statement")]
    return [[cell.strip() for cell in line.removeprefix("|").removesuffix("|").split(" |")] for line in lines]


def test_every_theorem_and_every_label_of_a_source_has_its_row():
    covered = [one for paper in PAPERS for one in covered_statements(paper)]
    assert {one.theorem.name for one in covered} == set(BY_NAME)
    for theorem in THEOREMS:
        said = {one.statement.label for one in covered if one.theorem is theorem}
        assert said == {label for claim in claims(theorem) for label in paper_of(claim.source).labels(claim.source)}
    assert Counter((row[0], row[2]) for row in rows() if row[2]) == Counter(
        (one.statement.label, f"`{one.theorem.name}`") for one in covered
    )


def test_every_statement_has_a_row_in_its_papers_order():
    order = [label for paper in PAPERS for label in paper.order]
    assert len(set(order)) == len(order)
    assert list(dict.fromkeys(row[0] for row in rows())) == order
    assert all(row[1] for row in rows())


def test_a_statement_without_a_theorem_says_so():
    """No verdict says that something holds without a theorem that runs it."""
    without = [row for row in rows() if not row[2]]
    assert all(row[1].startswith("not run") for row in without), without
    assert not any(row[1].startswith("not run") for row in rows() if row[2])


def test_what_is_numbered_stands_in_the_papers_order():
    """Theorems, propositions and corollaries share a count, lemmas have their own."""
    for order in (SEPARATIONS.order, RETRIEVAL.order):
        for kind in ("Theorem|Proposition|Corollary", "Lemma"):
            numbers = [float(found[1]) for label in order if (found := re.fullmatch(rf"(?:{kind}) ([\d.]+)", label))]
            assert numbers == sorted(numbers)
    assert SEPARATIONS.order.index("Lemma 1") < SEPARATIONS.order.index("Theorem 5")


def test_a_source_that_is_no_papers_is_refused():
    with pytest.raises(ValueError, match="expected statements of Bhattamishra"):
        SEPARATIONS.labels("Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.1")
    with pytest.raises(ValueError, match="Theorem 99"):
        SEPARATIONS.labels("Bhattamishra et al. 2024, Theorem 99")
    with pytest.raises(ValueError, match="begins with one of Bhattamishra"):
        paper_of("Vaswani et al. 2017, section 3")


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_files_tests_and_rows_of_long_checks_are_there(theorem):
    """The file defines the theorem, its tests name it, and a row stands exactly where a long check does."""
    for row in rows():
        if row[2] == f"`{theorem.name}`":
            file, tests = (re.fullmatch(r"\[.*\]\(\.\./(.*)\)", cell)[1] for cell in row[5:7])
            assert f'"{theorem.name}"' in (ROOT / file).read_text()
            assert tests == file_of_tests(theorem, ROOT)
            assert re.search(rf"\b{Path(file).stem}\b", (ROOT / tests).read_text())
            kinds = {"errata": len(theorem.errata), "choices": len(theorem.choices)}
            assert [int(count) for count in re.findall(r"\d+", row[7].split("]")[0])] == [
                kinds["errata"],
                *([kinds["choices"]] if kinds["choices"] else []),
            ]
            assert (theorem.verify is not None) == (row[8:] == [f"[row](../results/verify/{theorem.name}.json)"])


@pytest.mark.unchecked  # test_laws_and_the_bits_of_a_state has shapes checked
@pytest.mark.parametrize(("name", "options"), FAST.items())
def test_sides_are_those_of_the_outcomes(name, options):
    assert set(sides(BY_NAME[name])) == {outcome.side for outcome in BY_NAME[name].check(**options)}

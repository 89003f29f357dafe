"""docs/theorems.md is what the theorem records say: each statement that a claim names, once, in the paper's order."""

import re
from collections import Counter
from pathlib import Path

import pytest

from seqsep.pages.theorems import ORDER, claims, covered_statements, labels, sides, theorems_page
from seqsep.pages.theorems import test_file as file_of_tests
from seqsep.theorems import BY_NAME, THEOREMS

ROOT = Path(__file__).parents[2]
FAST = ("index-lookup-state", "associative-recall-state", "one-way-protocol", "bounded-dyck-state")


def rows():
    """The cells of each row of the page."""
    return [line.strip("| ").split(" | ") for line in theorems_page(ROOT).splitlines()[10:]]


def test_every_theorem_and_every_label_of_a_source_has_its_row():
    covered = covered_statements()
    assert {statement.theorem.name for statement in covered} == set(BY_NAME)
    assert Counter(statement.label for statement in covered) == Counter(ORDER)
    for theorem in THEOREMS:
        said = {statement.label for statement in covered if statement.theorem is theorem}
        assert said == {label for claim in claims(theorem) for label in labels(claim.source)}
    assert [row[0] for row in rows()] == list(ORDER)


def test_what_is_numbered_stands_in_the_papers_order():
    """Theorems, propositions and corollaries share a count, lemmas have their own."""
    for kind in ("Theorem|Proposition|Corollary", "Lemma"):
        numbers = [float(found[1]) for label in ORDER if (found := re.fullmatch(rf"(?:{kind}) ([\d.]+)", label))]
        assert numbers == sorted(numbers)
    assert ORDER.index("Lemma 1") < ORDER.index("Theorem 5")


def test_a_source_that_is_not_the_papers_is_refused():
    with pytest.raises(ValueError, match="expected statements of Bhattamishra"):
        labels("Wen et al. 2025, Theorem 4.1")
    with pytest.raises(ValueError, match="Theorem 99"):
        labels("Bhattamishra et al. 2024, Theorem 99")


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_files_tests_and_rows_of_long_checks_are_there(theorem):
    """The file defines the theorem, its tests name it, and a row stands exactly where a long check does."""
    for row in rows():
        if row[1] == f"`{theorem.name}`":
            file, tests = (re.fullmatch(r"\[.*\]\(\.\./(.*)\)", cell)[1] for cell in row[4:6])
            assert f'"{theorem.name}"' in (ROOT / file).read_text()
            assert tests == file_of_tests(theorem, ROOT)
            assert re.search(rf"\b{Path(file).stem}\b", (ROOT / tests).read_text())
            assert row[6].startswith(f"[{len(theorem.errata)}]" if theorem.errata else "0")
            assert (theorem.verify is not None) == (row[7:] == [f"[row](../results/verify/{theorem.name}.json)"])


@pytest.mark.parametrize("name", FAST)
def test_sides_are_those_of_the_outcomes(name):
    assert set(sides(BY_NAME[name])) == {outcome.side for outcome in BY_NAME[name].check()}

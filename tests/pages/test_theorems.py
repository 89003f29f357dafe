"""docs/theorems.md is what the theorem records say: each statement that a claim names, once, in the paper's order."""

import functools
import inspect
import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from pages.papers import PAPERS, RETRIEVAL, SEPARATIONS, paper_of
from pages.theorems import claims, covered_statements, not_shown, sides, theorems_page
from pages.theorems import test_file as file_of_tests
from seqsep.theorems import BY_NAME, THEOREMS

ROOT = Path(__file__).parents[2]
NUMBERED = json.loads((ROOT / "tests/support/numbered_statements.json").read_text(encoding="utf-8"))
FAST = {
    "index-lookup-state": {},
    "associative-recall-state": {},
    "one-way-protocol": {"length": 6, "mixer": "dss"},
    "bounded-dyck-state": {},
}


@functools.cache
def rows():
    """The cells of each row of the page; no test here changes what it is drawn from."""
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


def test_every_numbered_statement_of_the_first_paper_is_there():
    """And nothing that has a number here without having one there; the list is data, taken from the paper's text."""
    kinds = "|".join(NUMBERED["kinds"])
    counted = Counter(label.split()[0] for label in NUMBERED["statements"])
    assert counted == {"Theorem": 12, "Lemma": 5, "Proposition": 1, "Corollary": 2, "Fact": 4, "Definition": 1}
    ours = [label for label in SEPARATIONS.order if re.fullmatch(rf"(?:{kinds}) [\d.]+", label)]
    assert sorted(ours) == sorted(NUMBERED["statements"])
    page = {row[0]: row for row in rows() if row[2]}
    for label in ours:
        assert label in page, label
        assert all(page[label][1:8]), page[label]


def test_what_a_run_does_not_show_is_taken_from_each_file():
    for theorem in THEOREMS:
        assert not_shown(theorem).endswith("."), theorem.name
        assert len(not_shown(theorem)) > 30
    said = {row[2].strip("`"): row[5] for row in rows() if row[2]}
    assert said == {theorem.name: not_shown(theorem).replace("|", r"\|") for theorem in THEOREMS}


def test_a_file_that_does_not_say_it_is_refused(monkeypatch):
    theorem = BY_NAME["index-lookup-state"]
    module = sys.modules[inspect.unwrap(theorem.check).__module__]
    monkeypatch.setattr(module, "__doc__", "A title.\n\nWhat a run shows: all of it.")
    with pytest.raises(ValueError, match=r"retrieval/index_lookup_state\.py: expected a paragraph"):
        not_shown(theorem)


def test_a_statement_without_a_theorem_says_so():
    """No verdict says that something holds without a theorem that runs it."""
    without = [row for row in rows() if not row[2]]
    assert all(row[1].startswith("not run") for row in without), without
    assert not any(row[1].startswith("not run") for row in rows() if row[2])


def test_what_is_numbered_stands_in_the_papers_order():
    """Theorems, propositions and corollaries share a count, lemmas and facts have their own."""
    for order in (SEPARATIONS.order, RETRIEVAL.order):
        for kind in ("Theorem|Proposition|Corollary", "Lemma", "Fact"):
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
            file, tests = (re.fullmatch(r"\[.*\]\(\.\./(.*)\)", cell)[1] for cell in row[6:8])
            assert f'"{theorem.name}"' in (ROOT / file).read_text()
            assert tests == file_of_tests(theorem, ROOT)
            assert re.search(rf"\b{Path(file).stem}\b", (ROOT / tests).read_text())
            kinds = {"errata": len(theorem.errata), "choices": len(theorem.choices)}
            assert [int(count) for count in re.findall(r"\d+", row[8].split("]")[0])] == [
                kinds["errata"],
                *([kinds["choices"]] if kinds["choices"] else []),
            ]
            assert (theorem.verify is not None) == (row[9:] == [f"[row](../results/verify/{theorem.name}.json)"])


@pytest.mark.unchecked  # tests/theorems has shapes checked
@pytest.mark.parametrize(("name", "options"), FAST.items())
def test_sides_are_those_of_the_outcomes(name, options):
    assert set(sides(BY_NAME[name])) == {outcome.side for outcome in BY_NAME[name].check(**options)}

"""The index and the pages of docs/reference/theorems/ are what the theorem records say, and what commands print."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from pages._docstrings import inline
from pages._glossary import with_terms
from pages._outputs import output
from pages._severities import graded
from pages._size_words import OF_CHECKS, OF_ONE, size_words
from pages.errata import ErratumEntry, _sections, entries
from pages.papers import OWN_STATEMENT, RETRIEVAL, SEPARATIONS, VERDICTS, paper_of
from pages.theorem_page import linked, parts_of
from pages.theorems import all_papers, claims, covered_statements, machine_checked, theorems_page
from pages.theorems import test_file as file_of_tests
from seqsep.theorems import BY_NAME, THEOREMS
from seqsep.theorems.base import Erratum

ROOT = Path(__file__).parents[2]
NUMBERED = json.loads((ROOT / "tests/support/numbered_statements.json").read_text(encoding="utf-8"))


def rows():
    """Return the cells of each row of a paper's table in the index."""
    lines = theorems_page(ROOT / "results").split("\n## ", 1)[1].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [row for row in cells if row[0] != "statement"]


def page(name):
    return (ROOT / f"docs/reference/theorems/{name}.md").read_text()


def name_in(cell):
    """Return the theorem that a cell of the index links."""
    return re.fullmatch(r"\[(.*)\]\(\1\.md\)", cell)[1]


def test_the_index_counts_the_rows_that_have_a_margin():
    """A row without a margin is not counted as if it had one."""
    rows = [json.loads(path.read_text()) for path in (ROOT / "results/verify").glob("*.json") if path.stem in BY_NAME]
    margins = [any(one["least_margin"] is not None for one in row["outcomes"]) for row in rows]
    assert 0 < sum(margins) < len(rows) < len(THEOREMS)
    index = theorems_page(ROOT / "results")
    assert f"a long check of {len(rows)} of the {len(THEOREMS)} theorems" in index
    assert f"\n{sum(margins)} rows also have the least measured margin" in index


def test_every_theorem_and_every_label_of_a_source_has_its_row():
    covered = [one for paper in all_papers() for one in covered_statements(paper)]
    assert {one.theorem.name for one in covered} == set(BY_NAME)
    for theorem in THEOREMS:
        said = {one.statement.label for one in covered if one.theorem is theorem}
        assert said == {label for claim in claims(theorem) for label in paper_of(claim.source).labels(claim.source)}
    assert Counter((row[0], name_in(row[2])) for row in rows() if row[2]) == Counter(
        (one.statement.label, one.theorem.name) for one in covered
    )


def test_certificates_and_machine_checked_proofs_have_columns():
    proved = machine_checked(ROOT)
    named = [(BY_NAME[name_in(row[2])], row) for row in rows() if row[2]]
    assert [row[4] == "yes" for _, row in named] == [theorem.certificate_witness is not None for theorem, _ in named]
    assert [row[5] == "yes" for _, row in named] == [theorem.name in proved for theorem, _ in named]
    assert {row[5] for _, row in named} == {"yes", ""}


def test_every_statement_has_a_row_in_its_papers_order():
    order = [label for paper in all_papers() for label in paper.order]
    assert len(set(order)) == len(order)
    assert list(dict.fromkeys(row[0] for row in rows())) == order
    assert all(len(row) == 6 and row[1] in VERDICTS for row in rows())


def test_every_numbered_statement_of_the_first_paper_is_there():
    """And nothing that has a number here without having one there; the list is data, taken from the paper's text."""
    kinds = "|".join(NUMBERED["kinds"])
    counted = Counter(label.split()[0] for label in NUMBERED["statements"])
    assert counted == {"Theorem": 12, "Lemma": 5, "Proposition": 1, "Corollary": 2, "Fact": 4, "Definition": 1}
    ours = [label for label in SEPARATIONS.order if re.fullmatch(rf"(?:{kinds}) [\d.]+", label)]
    assert sorted(ours) == sorted(NUMBERED["statements"])
    index = {row[0]: row for row in rows() if row[2]}
    for label in ours:
        assert label in index, label
        assert all(index[label][:4]), index[label]


def test_what_a_run_does_not_show_is_on_each_page():
    for theorem in THEOREMS:
        for text in (theorem.shown, theorem.not_shown):
            assert f"\n{linked(inline(text), theorem)}\n" in page(theorem.name)


def test_a_statement_without_a_theorem_says_so():
    assert all((row[1] == "not here") == (not row[2]) for row in rows())


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


def test_a_theorem_of_no_known_paper_is_listed_under_its_source():
    """An author's statement has a place on the pages without an entry in the list of papers."""
    theorem = BY_NAME["index-lookup-state"]
    own, other = (replace(theorem, claim=replace(theorem.claim, source=source)) for source in ("own", "Vaswani 2017"))
    index = theorems_page(ROOT / "results", (own, other))
    section = index[index.index("## Other sources") : index.index("## The long checks")]
    assert "| own | our own statement | [index-lookup-state](index-lookup-state.md) |" in section
    assert "| Vaswani 2017 | not compared | [index-lookup-state](index-lookup-state.md) |" in section
    assert "## Other sources" not in theorems_page(ROOT / "results", [one for one in THEOREMS if one.source != OWN_STATEMENT])
    remark = Erratum("Section 3", printed="a", found="b", built="c", test="d")
    shown = _sections([ErratumEntry(own, 1, remark, graded(theorem.name, 1, remark))], [])
    assert "## Other sources: errata" in shown
    assert "from own." in shown


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_a_page_has_the_papers_verdicts_and_the_files(theorem):
    """Its file defines the theorem, its tests mention it, and a row exists exactly if a long check does."""
    text = page(theorem.name)
    assert text.startswith(f"# {theorem.name}\n\n")
    for claim in claims(theorem):
        paper = paper_of(claim.source)
        for label in paper.labels(claim.source):
            verdict = paper.statements[paper.order.index(label)].verdict
            place = f"[{paper.name}](https://arxiv.org/abs/{paper.arxiv}), {label}" if paper.arxiv else label
            assert f"| {place} | **{verdict}**" in text
    file, tests = (re.search(rf"^\| {what} \| `(.*)` \|$", text, re.MULTILINE)[1] for what in ("proof and code", "tests"))
    assert f'"{theorem.name.removeprefix("canary-")}"' in (ROOT / file).read_text()
    assert tests == file_of_tests(theorem, ROOT)
    assert re.search(rf"\b{Path(file).stem}\b", (ROOT / tests).read_text())
    assert (theorem.verify is not None) == (f"`results/verify/{theorem.name}.json`" in text)
    for entry in entries(theorem):
        assert f"| [{entry.title}](../errata.md#{entry.anchor}) | {entry.graded.severity} |" in text


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_a_page_says_which_certificate_there_is(theorem):
    certificate = re.search(r"^\| certificate \| (.*) \|$", page(theorem.name), re.MULTILINE)[1]
    if theorem.certificate_witness is None:
        assert certificate == f"none: {inline(theorem.nothing_to_certify)}"
    else:
        [kind] = re.findall(rf"^type `([a-z-]+)`: `seqsep certify {theorem.name} -o FILE`", certificate)
        assert f"`{kind}`" in (ROOT / "docs/reference/certificates.md").read_text()


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_a_page_shows_the_outputs_of_its_commands(theorem):
    """test_write.py compares them: the generator runs the commands."""
    found = re.findall(r"^```console\n\$ seqsep (.*)\n([^`]*)^```$", page(theorem.name), re.MULTILINE)
    assert [command.split()[0] for command, _ in found] == (["bound"] if theorem.bound else []) + ["check"]
    assert all(shown.strip() for _, shown in found)


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_each_size_of_a_check_is_explained_once(theorem):
    """By the output of `seqsep bound` on the page, or by the list after the output of the check."""
    text = page(theorem.name)
    printed = re.findall(r"; measured / bound: (.*?)(?:; |$)", text, re.MULTILINE)
    sizes = {name for line in printed for name in re.findall(r"(?:^|, )([A-Za-z_]+) ", line)}
    explained = re.findall(r"^(?:    |\* `)([A-Za-z_]+)(?:`: | +[\d,.]+  )", text, re.MULTILINE)
    assert sizes
    assert {name: explained.count(name) for name in sizes} == dict.fromkeys(sizes, 1)


def test_a_size_without_a_meaning_is_refused():
    line = "N = 5; measured / bound: bits 7 / 7, oddities 1,126 / 126; 9 inputs"
    with pytest.raises(ValueError, match="counting-state: the size oddities has no meaning"):
        size_words("counting-state", line, "")
    assert all(name in BY_NAME for name, _ in OF_ONE)
    assert not any(text.endswith(".") for text in (*OF_CHECKS.values(), *OF_ONE.values()))


def test_an_output_that_fails_is_refused():
    with pytest.raises(ValueError, match="seqsep bound one-way-protocol: expected status 0"):
        output("bound", "one-way-protocol")


def test_a_text_is_divided_into_sections():
    parts = parts_of("It adds.\n\nTwo numbers:\n* a\n* b\n\nSource: x.\n\nWe differ:\n* c\n\nProof. d\n    e = f")
    assert parts.explained == ["Two numbers:", "* a", "* b"]
    assert (parts.source, parts.differs) == (["Source: x."], ["We differ:", "* c"])
    assert parts.proof == ["Proof. d", "    e = f"]


def test_the_proof_has_the_steps_that_it_continues_in():
    text = page("index-lookup-attention")
    assert all(f"\n### `{name}`\n\n" in text for name in ("_retrieve", "_read_bits", "_readout", "_grid"))
    for theorem in THEOREMS:
        said = re.search(r"^The proof continues (?:at|in) (.*?)(?:\. .*)?$", page(theorem.name), re.MULTILINE)
        for name in re.findall(r"`([\w.]+)`", said[1]) if said else ():
            assert f"\n### `{name}`\n" in page(theorem.name), (theorem.name, name)


def test_a_page_links_the_words_of_the_glossary(tmp_path):
    text = "It has 3 state bits.\n\n```\nmixer\n```\n"
    assert with_terms(text, tmp_path, up="../") == text
    (tmp_path / "docs/explanation").mkdir(parents=True)
    (tmp_path / "docs/explanation/glossary.md").write_text("# Glossary\n\n### State bits\n\nBits.\n\n### Mixer\n\nA layer.\n")
    line = "\nWords in the glossary: [State bits](../explanation/glossary.md#state-bits).\n"
    assert with_terms(text, tmp_path, up="../") == text + line
    assert with_terms("It has none.\n", tmp_path, up="../") == "It has none.\n"


@pytest.mark.parametrize(
    ("term", "meant", "others"),
    [
        ("Rank", ["The rank of the matrix of f is 4.", "So its rank is 2^n."], ["Take the rank of z among them."]),
        (
            "Row",
            ["Keep every intact row of a damaged store.", "`seqsep store repair` lost a row.", "# Functions\n\n## Row\n"],
            ["Here are k places in a row.", "It prints as a table with a row for each file.", "Each row is a polynomial."],
        ),
        (
            "Store",
            ["Show or repair a store.", "| `--store STORE` |", "# store\n", "It reads the store of a run."],
            ["Its state must store nearly all bits.", "It is 0 at the places that store such an edge."],
        ),
    ],
)
def test_a_word_with_another_sense_is_not_linked(tmp_path, term, meant, others):
    """A page about a row of a matrix led to a row of results, and "must store" to the file of a sweep."""
    (tmp_path / "docs/explanation").mkdir(parents=True)
    (tmp_path / "docs/explanation/glossary.md").write_text(f"# Glossary\n\n### {term}\n\nIt.\n")
    for text in meant:
        assert f"glossary.md#{term.lower()}" in with_terms(text, tmp_path, up="../"), text
    for text in others:
        assert with_terms(text, tmp_path, up="../") == text

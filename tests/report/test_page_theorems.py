"""The page folds the theorems that hold, and links each theorem to its proof."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seqsep.report.demo_runs import DemoRuns
from seqsep.report.measured import RunSummary
from seqsep.report.page.page import write_page
from seqsep.report.page.proofs import Proof, write_proofs
from seqsep.theorems import THEOREMS
from support.html_reader import Reader


def read(folder: Path, fresh: Iterable[RunSummary], theorems: Sequence[Mapping[str, Any]]) -> Reader:
    path = write_page(folder, DemoRuns(tuple(fresh), ()), theorems)
    return Reader(path.read_text(encoding="utf-8").replace("\u00a0", " "))


def test_theorems_that_hold_are_in_one_fold(tmp_path: Path, fresh: list[RunSummary], theorems: list[dict[str, Any]]) -> None:
    read(tmp_path, fresh, theorems)
    source = (tmp_path / "index.html").read_text(encoding="utf-8")
    section = source[source.index('<section id="theorems">') : source.index('<section id="is-tree">')]
    fold = section.index("<summary>The ")
    assert section.index("<details open>") < fold
    assert section.count('<section class="check">') == section[:fold].count('<section class="check">') + 1


def test_a_theorem_links_to_its_proof_beside_the_page(
    tmp_path: Path, fresh: list[RunSummary], theorems: list[dict[str, Any]]
) -> None:
    page = read(tmp_path, fresh, [*theorems, theorems[0] | {"theorem": "no-such-theorem"}])
    links = [attributes["href"] or "" for tag, attributes in page.seen if tag == "a" and "proofs" in (attributes["href"] or "")]
    assert sorted(links) == ["proofs.html#index-lookup-attention", "proofs.html#index-lookup-state"]
    proofs = Reader((tmp_path / "proofs.html").read_text(encoding="utf-8"))
    identifiers = [attributes["id"] for _, attributes in proofs.seen if "id" in attributes]
    assert identifiers == [link.partition("#")[2] for link in sorted(links)]
    assert "Bob recovers all N symbols" in proofs.text
    assert "retrieval/index_lookup_state.py" in proofs.text
    assert "def with_fewer_bits(" in proofs.text
    references = {attributes["href"] for _, attributes in proofs.seen if "href" in attributes}
    assert references == {"data:,", "index.html#theorems"}
    assert not {"script", "img", "iframe"} & {tag for tag, _ in proofs.seen}


def test_every_theorem_has_a_proof_to_link_to(tmp_path: Path) -> None:
    path = write_proofs(tmp_path, [theorem.name for theorem in THEOREMS])
    assert path == tmp_path / "proofs.html"
    page = Reader(path.read_text(encoding="utf-8"))
    assert [attributes["id"] for _, attributes in page.seen if "id" in attributes] == [theorem.name for theorem in THEOREMS]
    assert all(len(Proof.of(theorem).text) > 500 for theorem in THEOREMS)
    assert write_proofs(tmp_path / "none", ["x"]) is None
    assert not (tmp_path / "none").exists()

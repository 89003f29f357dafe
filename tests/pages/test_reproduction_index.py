"""docs/reproduction/index.md shows the verdict of every claim, and lists what is not reproduced."""

from pathlib import Path

from pages._claims import FIGURES, found_in
from pages.reproduction_index import reproduction_index_page
from seqsep.lab.experiments.claims import CLAIMS
from seqsep.lab.experiments.claims.claim import STATUSES

RESULTS = Path(__file__).parents[2] / "results"


def test_every_verdict_is_visible_figure_by_figure():
    page = reproduction_index_page(RESULTS)
    found = found_in(RESULTS)
    for beginning, title in FIGURES.items():
        section = page.split(f"## {title}\n")[1].split("\n## ")[0]
        verdicts = [found.verdict(claim).status for claim in CLAIMS if claim.name.startswith(beginning)]
        assert {status: section.count(f"**{status}**") for status in STATUSES} == {
            status: verdicts.count(status) for status in STATUSES
        }


def test_what_is_not_reproduced_follows_from_the_rows():
    missing = reproduction_index_page(RESULTS).split("## What is not reproduced, in short\n")[1]
    found = found_in(RESULTS)
    for name in (
        "figure-2-lstm-20",
        "figure-2-linear-attention-50",
        "figure-2-retention-50",
        "is-tree-cot-transformer-0.5M-32",
    ):
        (claim,) = [claim for claim in CLAIMS if claim.name == name]
        beginning = next(beginning for beginning in FIGURES if name.startswith(beginning))
        is_listed = f" {name.removeprefix(beginning)} " in missing or f"; {name.removeprefix(beginning)} " in missing
        assert is_listed == (found.verdict(claim).status != "reproduced")
    assert "HotpotQA | **not run** | 6 of 6 claims" in missing
    assert "N = 200 96.0 (100.0); N = 400 not run (99.9)" in missing


def test_a_folder_without_rows_has_no_number_of_ours(tmp_path):
    page = reproduction_index_page(tmp_path)
    assert page.count("**not run**") >= len(CLAIMS)
    assert "N = 200 not run (100.0)" in page

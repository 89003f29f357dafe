"""docs/reproduction/index.md shows the verdict of every claim, and lists what is not reproduced."""

import re
from functools import cache
from pathlib import Path

import pytest

from pages._claims import FIGURES, claims_of_figure, found_in
from pages.reproduction_index import reproduction_index_page
from seqsep.lab.experiments.claims import CLAIMS
from seqsep.lab.experiments.claims.claim import STATUSES

RESULTS = Path(__file__).parents[2] / "results"


@cache
def committed_page():
    return reproduction_index_page(RESULTS)


@cache
def found():
    return found_in(RESULTS)


def test_every_claim_is_listed_with_its_verdict_figure_by_figure():
    page = committed_page()
    verdict = found().verdict
    listed = []
    for beginning, title in FIGURES.items():
        section = page.split(f"## {title}\n")[1].split("\n## ")[0]
        claims = claims_of_figure(beginning)
        rows = [line for line in section.splitlines() if line.startswith(f"| `{beginning}")]
        assert [line.split("`")[1] for line in rows] == [claim.name for claim in claims]
        assert [line.split(" | ")[-1] for line in rows] == [f"{verdict(claim).status} |" for claim in claims]
        verdicts = [verdict(claim).status for claim in claims]
        for status in set(verdicts):
            assert f"{verdicts.count(status)} {status}" in section
        listed += claims
    assert sorted(claim.name for claim in listed) == sorted(claim.name for claim in CLAIMS)


def test_a_row_has_few_words():
    page = committed_page()
    visible = re.sub(r"<details>.*?</details>", "", page, flags=re.DOTALL)
    rows = [line.strip("| ").split(" | ") for line in visible.splitlines() if line.startswith("| `")]
    assert len(rows) > 60
    assert [row for row in rows if len(row) != 4 or max(map(len, row)) > 45] == []
    assert ["`mamba-100`", "90.2", "1.8, smaller", "**not reached**"] in rows
    assert ["`linear-attention-50`", "71.6", "99.8 to 99.9, smaller", "**contradicted**"] in rows
    assert ["`cot-mamba-32`", "55.0 / 78.6 / 87.2", "55.5, smaller", "**open** / **not reached** / **not reached**"] in rows


def test_size_steps_and_seeds_are_folded_and_not_lost():
    page = committed_page()
    folds = re.findall(r"<details>.*?</details>", page, flags=re.DOTALL)
    said = "99.9 % (1 x 64, 9,000 steps, drawn-length); 99.8 to 99.9 over 3 seeds"
    assert [said in fold for fold in folds].count(True) == 1
    assert page.count(said) == 1


def test_what_is_not_reproduced_follows_from_the_rows():
    page = committed_page()
    missing = page.split("## What is not reproduced, in short\n")[1].split("\n## ")[0]
    verdict = found().verdict
    verdicts = [verdict(claim).status for claim in CLAIMS]
    contradicted = [claim.name for claim in CLAIMS if verdict(claim).status == "contradicted"]
    assert f"* **contradicted**: {', '.join(f'`{name}`' for name in contradicted)}\n" in missing
    assert (
        f"{verdicts.count('not reached')} not reached, {verdicts.count('open')} open, {verdicts.count('not run')} not"
        in missing
    )
    assert "96.0 % at N = 200 (the paper has 100.0 %); no run at N = 400 (the paper has 99.9 %)" in missing


def test_the_short_answer_is_directly_below_the_counts():
    """A reader who stops after a screen knows what is not reproduced, and finds the section of each figure."""
    slugs = pytest.importorskip("myst_parser.mdit_to_docutils.base")
    page = committed_page()
    assert re.findall("^## (.*)$", page, re.MULTILINE)[:2] == ["Verdicts", "What is not reproduced, in short"]
    short = page.split("## What is not reproduced, in short\n")[1].split("\n## ")[0]
    assert page[: page.index(short)].count("\n") < 30
    verdict = found().verdict
    for beginning, title in FIGURES.items():
        [line] = [line for line in short.splitlines() if line.startswith(f"| [{title}](#")]
        verdicts = [verdict(claim).status for claim in claims_of_figure(beginning)]
        assert [cell.strip() for cell in line.split("|")[2:-1]] == [str(verdicts.count(status) or "") for status in STATUSES]
        assert f"](#{slugs.default_slugify(title)})" in line


def test_each_verdict_has_a_meaning_and_a_number():
    page = committed_page()
    verdicts = [found().verdict(claim).status for claim in CLAIMS]
    for status, means in STATUSES.items():
        assert f"| {status} | {verdicts.count(status)} | {means} |\n" in page


def test_a_folder_without_rows_has_no_number_of_ours(tmp_path):
    page = reproduction_index_page(tmp_path)
    assert len(re.findall(r"^\| `.* \| not run \|$", page, re.MULTILINE)) == len(CLAIMS)
    assert "no run at N = 200 (the paper has 100.0 %)" in page

"""A cell of a long table holds a word or a number; the rest is folded away below it."""

from pathlib import Path

import pytest

from pages._markdown import folded, unbroken
from pages.capacity import STATUSES
from pages.model_laws import REASONS, model_laws_page, what_holds
from seqsep.language_models.capacity.published import published
from support.law_models import ONLY_FLAT, names_of_types, nested_types

DOCS = Path(__file__).parents[2] / "docs"
RESULTS = DOCS.parent / "results"
LONGEST_NAME = max(len(model.name) for model in published())
PASSES = {"law": "causal", "holds": True, "difference": 0.0}
FAILS = {"law": "beams", "holds": False, "difference": 0.25}
NOT_TESTED = {"law": "beyond windows", "holds": None}


@pytest.mark.parametrize("name", ["capacity", "model-laws"])
def test_cells_are_short(name):
    lines = (DOCS / f"reference/{name}.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")]
    assert len(rows) > 30
    assert [cell for first, *cells in rows for cell in cells if len(cell) > 35] == []
    assert max(len(row[0]) for row in rows) <= LONGEST_NAME


def test_every_status_has_a_word():
    assert {model.status for model in published()} == set(STATUSES)


def test_types_that_pass_and_types_that_fail():
    text = what_holds({"llama": [PASSES, NOT_TESTED], "gpt2": [PASSES, NOT_TESTED], "mamba": [PASSES, FAILS]})
    assert text.startswith("2 of 3 model types pass every law that was tested.")
    assert "| mamba | 2 | 1 | 2e-01 |" in text
    assert "| mamba | beams | 2e-01 |" in text
    assert "llama gpt2\n" in text
    assert "* **beyond windows**: all types except mamba\n" in text


def test_a_failure_without_a_difference_and_an_untested_law():
    text = what_holds({"rwkv": [{**FAILS, "difference": None}, NOT_TESTED]})
    assert "| rwkv | 1 | 1 |  |" in text
    assert "* **beyond windows**: all types\n" in text


def test_folds_and_words_that_stay_together():
    assert folded("More", "* one\n") == "\n<details>\n<summary>More</summary>\n\n* one\n\n</details>\n"
    assert unbroken("1.3 MiB") == "1.3&nbsp;MiB"


def test_a_law_that_fails_only_inside_is_explained() -> None:
    """Seven types have settings that the output layer of an outer model does not read; nine do not run inside of one."""
    lines = " ".join(model_laws_page(RESULTS).split())
    assert 'the law "settings change the function" fails there for cohere, granite, nanochat, gemma2, cohere2, ' in lines
    assert set(ONLY_FLAT) | set(nested_types()) == set(names_of_types())
    assert f"The other {len(ONLY_FLAT)} types were not tested in this way, " in lines
    assert set(" ".join(REASONS).split()) == set(ONLY_FLAT)
    assert all(f"* {', '.join(names.split())}: {reason}." in lines for names, reason in REASONS.items())
    assert "* cohere: **settings change the function** fails too: `another value changes no logit: logit_scale" in lines

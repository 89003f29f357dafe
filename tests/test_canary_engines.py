"""The answers of real engines: results/canary-engines.json, of tests/long_canary_engines.py, and the table of the how-to."""

import json

import pytest

import long_canary_engines as engines

ROWS = json.loads(engines.KEPT.read_text(encoding="utf-8"))
LLAMA = [row for row in ROWS if row["engine"] == "llama.cpp"]
VLLM = [row for row in ROWS if row["engine"] == "vLLM"]


def test_the_page_has_the_rows() -> None:
    page = engines.PAGE.read_text(encoding="utf-8")
    assert engines.table(ROWS) in page
    assert engines.paged(page, ROWS) == page
    assert engines.paged(page, ROWS[1:]) != page


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['engine']} {row['canary']} {row['scenario']}")
def test_a_verdict_follows_from_the_numbers(row: engines.Row) -> None:
    expected = False if row["wrong"] or row["failed"] else None if row["not_exercised"] else True
    assert row["holds"] is expected
    assert row["wrong"] <= row["prompts"]


def test_llama_answers_wrong_only_after_a_late_copy() -> None:
    """Of keys and values, with a buffer of each sequence."""
    assert [row["canary"] for row in LLAMA] == ["llama", "llama", "mamba2", "mamba2"]
    (wrong,) = (row for row in LLAMA if row["wrong"])
    assert wrong["canary"] == "llama"
    assert wrong["scenario"] == f"operations, {engines.BUFFERS[False]}"
    kinds = [line.split()[0] for line in wrong["small"]]
    assert kinds == ["read", "fork", "save", "load", "read", "operation"]
    assert all(row["answers"] > 1500 for row in LLAMA)

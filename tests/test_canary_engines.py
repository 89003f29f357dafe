"""The answers of real engines: results/canary-engines.json, of tests/long_canary_engines.py, and the table of the how-to."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import long_canary_engines as engines
from seqsep.language_models.canary.diagnosis import LikeFault
from seqsep.language_models.canary.over_http import NEEDS
from seqsep.language_models.canary.scenarios import SCENARIOS

ROWS = json.loads(engines.KEPT.read_text(encoding="utf-8"))
LLAMA = [row for row in ROWS if row["engine"] == "llama.cpp"]
VLLM = [row for row in ROWS if row["engine"] == "vLLM"]
FAULTY = [row for row in ROWS if row["engine"] == "vLLM with a fault"]
IN_PROCESS = [row for row in ROWS if row["engine"] == "vLLM in process"]


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


def test_vllm_has_a_row_for_each_canary_and_scenario() -> None:
    """A scenario counts as right only if the server's counters show that it happened."""
    assert [(row["canary"], row["scenario"]) for row in VLLM] == [(name, one) for name in engines.SERVERS for one in SCENARIOS]
    assert all(row["dtype"] == engines.SERVERS[row["canary"]][0] for row in VLLM)
    assert all(row["settings"].split() == [*engines.SERVERS[row["canary"]][1]] for row in VLLM)
    for row in VLLM:
        counter = NEEDS.get(row["scenario"])
        if counter is not None and row["holds"]:
            assert row["counted"][counter] > 0


def test_vllm_in_process_was_asked_for_two_canaries() -> None:
    """It answers a Llama rightly, and none of Granite's prompts: its Mamba-2 fails on a CPU with a cache of prefixes."""
    asked = [(name, scenario) for name in engines.IN_PROCESS for scenario in engines.SHORT]
    assert [(row["canary"], row["scenario"]) for row in IN_PROCESS] == asked
    assert all(row["dtype"] == engines.IN_PROCESS[row["canary"]] for row in IN_PROCESS)
    assert all(row["version"].endswith(", in process") for row in IN_PROCESS)
    for row in IN_PROCESS:
        if row["canary"] == "llama":
            assert row["holds"]
            assert row["answers"] >= 480
        else:
            assert (row["answers"], row["holds"]) == (0, False)
            assert "out of bounds for dimension 0" in row["failed"]
    assert not any(row["wrong"] or row["failed"] for row in VLLM if row["canary"] == "granite-4-h")


def test_the_diagnosis_finds_the_fault_in_vllm() -> None:
    """The page has what a reader sees."""
    page = engines.PAGE.read_text(encoding="utf-8").replace("\n", " ")
    assert [(row["scenario"], row["holds"]) for row in FAULTY] == [("again", True), ("twins", True), ("parents", False)]
    [wrong] = (row for row in FAULTY if row["wrong"])
    assert f"{wrong['wrong']} of {wrong['prompts']} prompts of `parents` are wrong" in page
    for row in FAULTY:
        best, *others = (LikeFault(**fault) for fault in row["alike"])
        assert best.name == "prefix-without-parent"
        assert all(other.name == best.name or other.alike < best.alike for other in others)
        assert f'"as if {best.words}", with {best.alike} of {best.compared} conversations alike' in page


def test_the_fault_takes_the_parent_away() -> None:
    function = "def hashed(parent_block_hash):\n" + engines.PARENT + " = ()\n    return parent_block_hash\n"
    for text, answer in ((function, "parent"), (function.replace(engines.PARENT, engines.NO_PARENT), "none")):
        names: dict[str, Any] = {"NONE_HASH": "none"}
        exec(text, names)
        assert names["hashed"]("parent") == answer


def test_vllm_gets_what_seqsep_needs() -> None:
    assert {"torch", "numpy", "safetensors"} <= {re.split("[><=]", package)[0] for package in engines.needs()}


def test_the_page_has_the_flags_of_the_servers() -> None:
    page = engines.PAGE.read_text(encoding="utf-8")
    assert " ".join(engines.BLOCKS) in page
    assert " ".join(engines.STATES[:4]) in page
    assert " ".join(engines.CHUNKS) in page


def test_an_installation_that_was_stopped_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run(words: list[str], **settings: Any) -> None:
        commands.append(words)
        (tmp_path / "vllm").mkdir(exist_ok=True)
        if len(commands) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(engines, "PLACE", tmp_path / "vllm")
    monkeypatch.setattr(engines.subprocess, "run", run)
    with pytest.raises(KeyboardInterrupt):
        engines.install()
    engines.install()
    engines.install()
    assert [words[3] for words in commands] == [
        str(tmp_path / "vllm"),
        "install",
        str(tmp_path / "vllm"),
        "install",
        "uninstall",
    ]


def test_llama_answers_wrong_only_after_a_late_copy() -> None:
    """Of keys and values, with a buffer of each sequence."""
    assert [row["canary"] for row in LLAMA] == ["llama", "llama", "mamba2", "mamba2"]
    (wrong,) = (row for row in LLAMA if row["wrong"])
    assert wrong["canary"] == "llama"
    assert wrong["scenario"] == f"operations, {engines.BUFFERS[False]}"
    kinds = [line.split()[0] for line in wrong["small"]]
    assert kinds == ["read", "fork", "save", "load", "read", "operation"]
    assert all(row["answers"] > 1500 for row in LLAMA)

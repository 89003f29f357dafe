"""The page of the experiment on classes of languages, from rows made here: what counts, and what is in which cell."""

import json
from xml.etree import ElementTree

import pytest

from pages._language_classes import class_table, classes_csv, classes_page, classes_svg, language_table, rows_file
from seqsep.lab.experiments.claims.known import shape
from seqsep.lab.experiments.language_classes import ARCHITECTURES, LANGUAGES, TESTED, measured
from seqsep.lab.row import Row, write_rows

LSTM, _, ATTENTION = ARCHITECTURES[:3]
FLIP_FLOP = LANGUAGES[4]


def row_of(architecture, language, seed, accuracy, longer) -> Row:
    run = architecture.run(language.task(40), seed)
    result = {"status": "finished", "steps": 4000, "accuracy": accuracy, "best_accuracy": accuracy, "parameters": 9}
    result |= {"curve": [[4000, accuracy, 0.1]], "state_bits": [64, 0]}
    result["accuracy_by_length"] = [[length, share] for length, share in zip(TESTED, longer, strict=True)]
    return Row("language-classes", run.key(), run.configuration(), result, {"torch": "2", "device": "cpu", "threads": 1})


ROWS = [
    row_of(LSTM, LANGUAGES[0], 0, 1.0, (1.0, 1.0, 1.0)),
    row_of(LSTM, LANGUAGES[0], 1, 1.0, (1.0, 0.75, 0.5)),
    row_of(LSTM, FLIP_FLOP, 0, 0.98, (0.9, 0.8, 0.25)),
    row_of(ATTENTION, FLIP_FLOP, 0, 0.99, (0.5, 0.5, 0.125)),
    *(row_of(one, LANGUAGES[8], 0, 1.0, (1.0, 1.0, 1.0)) for one in ARCHITECTURES[3:]),
]


@pytest.fixture
def results(tmp_path):
    write_rows(rows_file(tmp_path), ROWS)
    seconds = {"core seconds a step": {shape(row.run): 0.01 for row in ROWS}}
    (tmp_path / "step-seconds.json").write_text(json.dumps(seconds))
    return tmp_path


def cells_of(text: str, beginning: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(f"| {beginning}"))
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_cells_are_those_of_the_runs_that_count():
    found = language_table(measured(ROWS))
    assert cells_of(found, "contains 01: ")[1:5] == ["in C-RASP", "50.0–100.0", "not run", "not run"]
    assert cells_of(found, "flip-flop: ")[1:5] == ["star-free, not in C-RASP", "not learned", "not run", "12.5"]
    assert cells_of(class_table(measured(ROWS)), "LSTM") == ["LSTM", "1 of 2", "0 of 0", "0 of 0"]
    assert cells_of(class_table(measured(ROWS)), "Attention, no") == ["Attention, no positions", "0 of 0", "0 of 1", "0 of 0"]


def test_the_page_has_its_parts(results):
    page = classes_page(results)
    assert "| Runs | 9 of 192 planned |" in page.setup
    assert "all 192 planned runs" in page.further
    assert page.commands == ["seqsep run language-classes --preset quick"]


def test_the_csv_file_has_every_run(results):
    header, *lines = classes_csv(results).splitlines()
    assert len(lines) == len(ROWS)
    assert header.startswith(
        "language,pattern,class,architecture,seed,steps,accuracy_40,accuracy_80,accuracy_160,accuracy_320,"
    )
    assert sum(",True," in line for line in lines) == 8


def test_the_picture_has_a_panel_for_each_length(results):
    text = classes_svg(results)
    ElementTree.fromstring(text)
    for length in TESTED:
        assert f"Accuracy at N = {length} by class of language" in text
    assert "LSTM 75.0 %; Attention, no positions 12.5 %" in text

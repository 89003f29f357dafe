"""What docs/reproduction.md says of the readings of appendix H.1 is what the committed rows show."""

from pathlib import Path

import pytest

from pages._readings import readings_part
from seqsep.experiments import BY_NAME
from seqsep.lab.row import read_rows
from seqsep.tasks.index_lookup import TRAINING

RESULTS = Path(__file__).parents[2] / "results"
EXPERIMENT = BY_NAME["index-lookup-architectures"]


@pytest.fixture(scope="module")
def rows():
    return read_rows(EXPERIMENT.rows_file(RESULTS, "readings"))


def attention(rows, length):
    """The row of each reading at a length."""
    return {
        row.run.task.training_inputs: row for row in rows if row.run.layers == ("attention",) and row.run.task.length == length
    }


def first_at(row, goal):
    return next((step for step, accuracy, _ in row.result["curve"] if accuracy >= goal), None)


def test_rows_are_those_of_the_preset(rows):
    assert {row.key for row in rows} <= {run.key() for run in EXPERIMENT.runs("readings")}
    assert len({row.key for row in rows}) == len(rows)


def test_full_inputs_are_learned_within_a_few_thousand_steps(rows):
    for length in (20, 50, 100, 200):
        row = attention(rows, length)["full-length"]
        assert row.result["accuracy"] >= 0.999
        assert first_at(row, 0.999) <= 4000


def test_other_readings_take_longer(rows):
    """At N = 100 at least three times as many steps to 99 %, at N = 200 twice as many, or they never get there."""
    for length, times in ((100, 3), (200, 2)):
        found = attention(rows, length)
        full = first_at(found["full-length"], 0.99)
        others = [first_at(found[reading], 0.99) for reading in TRAINING if reading != "full-length" and reading in found]
        assert others
        assert all(steps is None or steps >= times * full for steps in others)


def test_the_last_tenth_is_learned_last(rows):
    """Of attention's runs that end below 99.9 %, the last tenth has the lowest accuracy."""
    below = [row for row in rows if row.run.layers == ("attention",) and row.result["accuracy"] < 0.999]
    assert below
    for row in below:
        tenths = row.result["accuracy_by_tenth"]
        assert row.run.task.training_inputs != "full-length"
        assert min(tenths) == tenths[-1]
    longest = attention(rows, 200)["drawn-length"].result
    assert longest["accuracy_by_tenth"][-1] < 0.6
    assert min(longest["accuracy_by_tenth"][:8]) > 0.99


def test_the_part_has_a_line_a_model_and_length(rows, tmp_path):
    part = readings_part(EXPERIMENT, RESULTS)
    cells = {(row.run.layers, row.run.width, row.run.task.length) for row in rows}
    assert sum(line.startswith("| ") and "steps)" in line for line in part.splitlines()) == len(cells)
    assert "| Attention (1, 64) | 200 | 95.3 (12,000 steps) | 99.98 (3,600 steps) | " in part
    assert readings_part(EXPERIMENT, tmp_path) == ""

"""A model that was trained on phonebooks is scored above 95 %: the row of `tests/long_text.py`; an untrained one is not."""

import json
import re
from pathlib import Path

import pytest

import long_text

ROW = Path(__file__).parents[3] / f"results/verify/{long_text.NAME}.json"


@pytest.mark.unchecked
def test_an_untrained_model_is_not_scored_above_95_percent(tmp_path):
    """It starts close to matching names; without a step of training hardly an answer is right."""
    sizes = {"length": 4, "digits": 2}
    untrained = long_text.scored(long_text.trained(tmp_path / "untrained", **sizes, steps=0), **sizes, count=20)
    assert not untrained.holds
    assert untrained.measured["right"] <= 2


def test_the_row_says_how_many_answers_are_right():
    variants = [part["variant"] for part in json.loads(ROW.read_text(encoding="utf-8"))["outcomes"]]
    (found,) = re.findall(r": (\d+) of (\d+) right$", "\n".join(variants), flags=re.MULTILINE)
    right, count = map(int, found)
    assert count == long_text.QUESTIONS
    assert long_text.ENOUGH * count < right <= count

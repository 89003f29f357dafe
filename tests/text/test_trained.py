"""A model that was trained on phonebooks is scored above 95 %: a fixed small version of `tests/long_text.py`."""

import pytest

import long_text


@pytest.mark.unchecked
def test_a_trained_model_is_scored_above_95_percent(tmp_path):
    folder = long_text.trained(tmp_path, length=4, digits=2, steps=200)
    outcome = long_text.scored(folder, length=4, digits=2, count=60)
    assert outcome.holds, outcome.measured

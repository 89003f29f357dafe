"""The number of functions of the project that a value is passed to: results/stays.json, of benchmarks/stays.py."""

import json
from pathlib import Path

import pytest

MEASURED = json.loads((Path(__file__).parents[1] / "results/stays.json").read_text(encoding="utf-8"))
LARGEST = {"option": 24, "layer": 30, "rows": 14}


def test_every_way_is_there():
    assert list(MEASURED) == list(LARGEST)


@pytest.mark.parametrize("way", LARGEST)
def test_a_value_is_passed_to_few_functions(way):
    assert 0 < MEASURED[way]["passed"] <= LARGEST[way]
    assert MEASURED[way]["passed"] <= MEASURED[way]["passed or carried"]

"""The gain of products and training steps by oneDNN: results/mixers.json, of benchmarks/mixers.py matrices steps."""

import json
from pathlib import Path

import pytest

from seqsep.models.mixers import MIXERS

MEASURED = json.loads((Path(__file__).parents[3] / "results/mixers.json").read_text(encoding="utf-8"))
NOT_MEASURED = {"rotation", "mlstm", "slstm", "kda"}
"""Mixers that were added after the measurement."""
PRODUCTS = [title for title in MEASURED["medians"] if title.startswith("matrices: ")]
MEASURED_MIXERS = [mixer for mixer in MIXERS if mixer.name not in NOT_MEASURED]
STEPS = [
    *(f"steps: {mixer.name}, 2 x 256, N = 100, batch 64, every position" for mixer in MEASURED_MIXERS),
    *(f"steps: attention, 1 x 64, N = {length}, batch 64, every position" for length in (200, 400)),
]
NOISE = 0.03
"""By which part two medians of one thing differ on a machine like this."""


def ratio(title: str, other: str) -> float:
    """CPU time of the other way over that of ours."""
    sides = MEASURED["medians"][title]
    return sides[other]["CPU ms"] / sides["seqsep"]["CPU ms"]


def test_where_it_was_measured():
    assert MEASURED["processor"].endswith("AVX512")
    assert MEASURED["products"] == "oneDNN in large linear layers"
    assert MEASURED["threads"] == 1
    assert MEASURED["largest error of a trial product"] < 1e-5


def test_every_product_and_step_is_there():
    assert len(PRODUCTS) == 8
    assert {title for title in MEASURED["medians"] if title.startswith("steps: ")} == set(STEPS)


@pytest.mark.parametrize("title", PRODUCTS)
def test_products_are_faster(title):
    assert ratio(title, "F.linear") > 1.1


@pytest.mark.parametrize("title", [title for title in PRODUCTS if not title.endswith("backward")])
def test_packed_weights_have_little_more_to_give(title):
    assert ratio(title, "F.linear of to_mkldnn() (oneDNN)") > 0.85


@pytest.mark.parametrize("title", STEPS)
def test_no_step_is_slower(title):
    assert ratio(title, "with SEQSEP_PRODUCTS=off") > 1 - NOISE


def test_how_much_faster_steps_are():
    """By up to 14 %."""
    found = [ratio(title, "with SEQSEP_PRODUCTS=off") for title in STEPS]
    assert sum(found) / len(found) > 1.03
    assert max(found) < 1.15

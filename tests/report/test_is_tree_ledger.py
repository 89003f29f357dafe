"""The sizes of IsTree: lower and upper bounds that meet the exact numbers, crossings by a scan, and the committed picture."""

import re
from pathlib import Path

import pytest

from seqsep.report.is_tree_ledger import (
    CACHE,
    HYBRID,
    STORED,
    TRANSFORMER,
    VERTICES,
    WALK_BY_RANGE,
    StoredBits,
    crossing,
    least_state,
)
from seqsep.report.page.is_tree_picture import is_tree_picture
from seqsep.theorems.is_tree import hybrid, peeling, walk
from seqsep.theorems.is_tree import many_vertices as many

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.unchecked


def test_a_crossing_by_a_scan_of_every_size():
    for stored in STORED:
        if stored is TRANSFORMER:
            continue
        scanned = [vertices for vertices in range(6, 140) if many.at_least(vertices) > stored.bits_at(vertices)]
        assert crossing(stored) == scanned[0]
        assert scanned == list(range(scanned[0], 140))


def test_the_transformer_is_smaller_from_its_crossing_on():
    """Its bits change where the precision does: it is enough to look at the first n of each precision."""
    first = crossing(TRANSFORMER)
    assert first == 25_703
    assert many.at_least(first - 1) <= TRANSFORMER.bits_at(first - 1)
    vertices = first
    while vertices <= VERTICES[-1]:
        bits = TRANSFORMER.bits_at(vertices)
        assert many.at_least(vertices) > bits
        vertices = first_of_another_size(vertices, bits)


def first_of_another_size(vertices, bits):
    """The first n above at which the Transformer stores other bits, up to one beyond the last."""
    low, high = vertices, VERTICES[-1] + 1
    while high - low > 1:
        middle = (low + high) // 2
        if TRANSFORMER.bits_at(middle) == bits:
            low = middle
        else:
            high = middle
    return high


def test_the_cache_is_that_of_the_longest_run():
    """Every key and value of 5n - 3 tokens, and more than the least state at every n that is drawn."""
    for vertices in (6, 64):
        network = peeling.build(vertices)
        numbers = sum(array.integers.shape[0] for name, array in network.arrays() if name.endswith((".key", ".value")))
        assert CACHE.bits_at(vertices) == numbers * network.precision * len(network.positions.integers)
    assert all(CACHE.bits_at(vertices) > bits for vertices, bits in least_state())


def test_the_picture_has_the_cache_and_says_so():
    text = is_tree_picture()
    assert ">cache</text>" in text
    assert "cache is in neither of them" in re.sub(r"</text>\s*<text[^>]*>", " ", text)


def test_no_crossing_within_reach():
    assert crossing(StoredBits("large", lambda vertices: {"bits": 10**7}, "bits")) is None


def test_the_lines_are_the_constructions_bounds():
    assert dict(HYBRID.points)[64] == hybrid.bound(64)["state_bits"] == 280
    assert dict(WALK_BY_RANGE.points)[64] == walk.bound(64)["state_bits_by_range"] == 52
    assert dict(TRANSFORMER.points)[1024] == peeling.bound(1024)["program_bits"]
    assert dict(least_state())[64] == 215


def test_the_committed_picture_is_what_the_code_draws():
    drawn = is_tree_picture()
    assert (ROOT / "docs/is-tree-separation.svg").read_text(encoding="utf-8") == drawn, "run make pages"
    for first in map(crossing, STORED):
        assert re.search(rf">{first:,} [^<]+</text>", drawn)
    assert not re.search(r"<script|href=|url\(|<image", drawn)

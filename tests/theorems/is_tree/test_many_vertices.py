"""The least state of IsTree on many vertices, between two bounds."""

from seqsep.theorems.is_tree import many_vertices as many
from seqsep.theorems.is_tree.state import least_bits


def test_bounds_for_many_vertices_meet_the_exact_numbers(monkeypatch):
    monkeypatch.setattr(many, "MOST_EXACT", 5)
    for vertices in (6, 7, 8, 16, 33, 64, 128, 256, 512):
        low = many.at_least.__wrapped__(vertices)
        high = many.at_most.__wrapped__(vertices)
        assert low <= least_bits(vertices, simple=True) <= low + 2
        assert high - 4 <= least_bits(vertices) <= high


def test_bounds_do_not_fall_and_stay_close():
    ladder = [many.at_least(vertices) for vertices in range(1_019, 1_031)]
    assert ladder == sorted(ladder)
    for vertices in (1_025, 3_000, 20_000):
        low = many.at_least(vertices)
        high = many.at_most(vertices)
        assert low < high < low + 24

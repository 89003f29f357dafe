"""The ways of an option and of a user's layer are as short as results/stays.json says."""

import pytest

from support.stays import is_kept


@pytest.mark.slow
@pytest.mark.parametrize("way", ["option", "layer"])
def test_a_value_comes_to_its_end_in_as_many_calls_as_are_kept(way, tmp_path):
    """A new function on the way is a longer way: run benchmarks/stays.py --json results/stays.json, or take it out."""
    assert is_kept(way, tmp_path)

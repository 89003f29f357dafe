"""The way of rows to a figure is as short as results/stays.json says."""

import pytest

from support.stays import is_kept


@pytest.mark.slow
def test_rows_come_to_a_figure_in_as_many_calls_as_are_kept(tmp_path):
    """A new function on the way is a longer way: run benchmarks/stays.py --json results/stays.json, or take it out."""
    assert is_kept("rows", tmp_path)

"""The least and the greatest sizes that tasks take, and the next ones, which they refuse."""

import pytest

from seqsep.tasks import AssociativeRecall, BoundedDyck, Counting, IndexLookup


def test_one_threshold_is_enough_and_none_is_not():
    assert Counting(5, thresholds=1).thresholds == 1
    with pytest.raises(ValueError, match="thresholds is at least 1, found 0"):
        Counting(5, thresholds=0)


def test_recall_has_1_to_a_million_pairs():
    assert [AssociativeRecall(length).length for length in (1, 1 << 20)] == [1, 1 << 20]
    for length in (0, (1 << 20) + 1):
        with pytest.raises(ValueError, match="length is 1 to 2\\^20 pairs"):
            AssociativeRecall(length)


def test_the_first_and_the_last_symbol_are_asked_for():
    task = IndexLookup(length=3, alphabet=4)
    assert [task.solve((3, 1, 2, 4 + place)) for place in range(3)] == [3, 1, 2]
    for place in (-1, 3):
        with pytest.raises(ValueError, match=f"asks for position {place + 1} of 3 symbols"):
            task.solve((3, 1, 2, 4 + place))


def test_brackets_have_1_to_a_million_kinds():
    assert [BoundedDyck(4, kinds=kinds).kinds for kinds in (1, 1 << 20)] == [1, 1 << 20]
    for kinds in (0, (1 << 20) + 1):
        with pytest.raises(ValueError, match="kinds is 1 to 2\\^20"):
            BoundedDyck(4, kinds=kinds)

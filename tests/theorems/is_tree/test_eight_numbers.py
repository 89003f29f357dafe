"""The model of eight numbers: what it says of double stars whose odd edge is read before the star edges at its ends."""

import pytest

from seqsep.theorems.is_tree.eight_numbers import build, tokens

STARS = [(1, 3), (1, 4), (2, 5), (2, 6), (7, 8)]


@pytest.mark.parametrize(
    ("later", "is_tree"),
    [
        ([], True),
        ([(1, 8)], True),
        ([(7, 2)], True),
        ([(7, 1)], True),
        ([(1, 8), (2, 7)], True),
        ([(1, 8), (7, 1)], False),
        ([(2, 7), (2, 8)], False),
    ],
)
def test_an_odd_edge_between_one_hub_and_itself_is_a_cycle(later, is_tree):
    """Only once both ends are joined, and to the same hub: an end that is not joined yet is no vertex 1."""
    assert build(8).answer(tokens(8, [*STARS, *later])) == is_tree

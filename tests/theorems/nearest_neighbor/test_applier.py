"""`seqsep apply` on nearest neighbour and recall: what it answers, and what it says of a wrong input."""

import math

import pytest

from seqsep.theorems.nearest_neighbor import two_layers as theorem

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def test_apply_nearest_neighbour():
    answer = theorem.predictor(length=10)
    given = {"points": [[0.6, 0.8], [1, 0], [-1.0, 0]], "labels": [7, 3, 63]}
    assert answer({**given, "query": [0.9, 0.1], "label": 5}) == 3
    assert answer({**given, "queries": [[0.6, 0.8], [-0.5, 0.0]]}) == [7, 63]
    assert answer({"points": [[1], [1], [0]], "labels": [2, 2, 4], "query": [1]}) == 2
    assert (
        theorem.predictor(length=8, gamma=1.0, variant="printed")({"points": [[1], [0]], "labels": [2, 4], "query": [1]}) == 2
    )


def test_apply_recall():
    answer = theorem.predictor(length=6)
    given = {"pairs": [[5, 1], [63, 2], [0, 33], [5, 1]]}
    assert answer({**given, "query": 63}) == 2
    assert answer({**given, "queries": [0, 5, 63]}) == [33, 1, 2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "query: missing; found no fields"),
        ({"labels": [0], "query": [1]}, "points: missing"),
        ({"points": [[1]], "query": [1]}, "labels: missing"),
        ({"points": [[1]], "labels": [0]}, "query: missing"),
        ({"points": [[1, 0]], "labels": [0, 1], "query": [1, 0]}, "labels: expected 1, one a point, found 2"),
        ({"points": [[1, 0]], "labels": [64], "query": [1, 0]}, "labels: expected 0 to 63, found 64"),
        ({"points": [[1, 0]], "labels": [0], "query": [1]}, "query: expected 2 coordinates, found 1"),
        ({"points": [[1, 0], [1]], "labels": [0, 1], "query": [1]}, "points: expected 2 coordinates, found 1"),
        ({"points": [[1, "x"]], "labels": [0], "query": [1, 0]}, "points: expected vectors of finite numbers"),
        ({"points": [[math.nan]], "labels": [0], "query": [1]}, "points: expected vectors of finite numbers"),
        ({"points": [], "labels": [], "query": [1]}, "points: expected vectors"),
        ({"points": [[1]], "labels": [0], "query": 1}, "query: expected vectors"),
        ({"points": [[1]], "labels": [0], "queries": []}, "queries: expected vectors"),
        ({"points": [[1]], "labels": [0], "queries": 3}, "queries: expected vectors"),
        ({"points": [[0.8, 0.7]], "labels": [0], "query": [1, 0]}, "points: expected vectors of norm at most 1"),
        ({"points": [[0.8], [0.801]], "labels": [0, 1], "query": [1]}, "query: the question has a margin of"),
        ({"points": [[0.8], [0.5]], "labels": [0, 1], "queries": [[1], [0]]}, "queries: question 2 has a margin of 0 "),
        ({"points": [[0.8]] * 5, "labels": [0] * 5, "query": [1]}, "points: expected 1 to 4 of them, found 5"),
        ({"pairs": [[1, 2]], "query": 3}, "query: 3 is not the key of any pair"),
        ({"pairs": [[1, 2]], "queries": [1, 3]}, "queries: 3 is not the key of any pair"),
        ({"pairs": [[1, 2], [1, 3]], "query": 1}, "pairs: key 1 has the values 2 and 3"),
        ({"pairs": [[64, 2]], "query": 64}, "pairs: expected keys 0 to 63, found 64"),
        ({"pairs": [[1, 64]], "query": 1}, "pairs: expected values 0 to 63, found 64"),
        ({"pairs": [[1, 2, 3]], "query": 1}, "pairs: expected a list of"),
        ({"pairs": [], "query": 1}, "query: 1 is not the key"),
        ({"pairs": [[1, 2]], "queries": []}, "queries: "),
        ({"pairs": [[1, 2]], "query": "1"}, "query: expected a whole number"),
        ({"pairs": [[k, 0] for k in range(5)], "query": 1}, "pairs: expected 1 to 4 of them, found 5"),
    ],
)
def test_apply_names_what_is_wrong(given, message):
    with pytest.raises(ValueError, match="^" + message):
        theorem.predictor(length=5)(given)

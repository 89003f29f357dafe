"""S_m by one exact reflection: keys, floats, the excluded dimensions, and keys that are spoiled."""

from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest

from seqsep.theorems import TheoremFails, apply
from seqsep.theorems.state_tracking import symmetric
from seqsep.theorems.state_tracking._swap_blocks import blocks, composed, swaps_of
from seqsep.theorems.state_tracking.symmetric import SwapLayer, build, check, dimension, excluded, hilbert

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize("points", range(3, 10))
def test_keys_are_unit_vectors_with_the_products_of_roots(points):
    layer = build(points)
    assert len(layer.start) == dimension(points)
    assert int(layer.start @ layer.start) * 6 == 4 * points * (points**2 - 1)
    for (one, key), (other, another) in combinations(layer.keys.items(), 2):
        assert key @ key == 4
        assert abs(key @ another) == (2 if set(one) & set(other) else 0)


def test_every_element_has_a_state_of_its_own():
    layer = build(4)
    pairs = list(layer.keys)
    ends = {layer.follow(word, "bfloat16")[0][-1] for word in product(pairs, repeat=3)}
    assert len(ends) == 12  # three transpositions give the odd half
    assert ends <= set(permutations(range(4)))


@pytest.mark.parametrize("points", [3, 4, 5, 6])
def test_all_letters_by_one_swap_a_token(points):
    (upper, _) = check(300, points, letters="all", seed=points)
    assert upper.measured["reflections"] == 1
    assert upper.margin.least == 1
    for permutation in list(permutations(range(points)))[::5]:
        swaps = swaps_of(permutation)
        assert len(swaps) < points
        assert composed(points, swaps) == permutation


def test_what_is_left_depends_on_the_last_letters():
    """The read-out applies the same after all words that end in the same 2 m - 3 letters, at one place in a block."""
    random = np.random.default_rng(0)
    drawn = [tuple(random.permutation(4).tolist()) for _ in range(20)]
    rests = {blocks(4, [*drawn[first : first + 3 * longer], *drawn[-5:]]).rests[-1] for first in (0, 2) for longer in (1, 3)}
    assert len(rests) == 1


def test_a_swap_that_is_left_out_is_found_out(monkeypatch):
    honest = symmetric.blocks
    monkeypatch.setattr(symmetric, "blocks", lambda *word: (found := honest(*word))._replace(swaps=[None, *found.swaps[:-1]]))
    with pytest.raises(TheoremFails, match="expected"):
        check(40, 4, letters="all")


def test_hilbert_symbols_by_solutions():
    """(a, b)_p = 1 exactly if a x^2 + b y^2 = z^2 has a solution modulo p^3 that is not divisible by p."""
    for prime in (3, 5):
        modulus = prime**3
        squares = {}
        for z in range(modulus):
            squares[z * z % modulus] = squares.get(z * z % modulus, False) or z % prime > 0
        for a, b in product((1, 2, 3, 5, 6, 10), repeat=2):
            found = any(
                (value := (a * x * x + b * y * y) % modulus) in squares and (x % prime or y % prime or squares[value])
                for x, y in product(range(modulus), repeat=2)
            )
            assert found == (hilbert(a, b, prime) == 1), (a, b, prime)


def test_three_squares_hold_no_keys_of_three_points():
    """Dyadic unit vectors of 3 coordinates are plus or minus a coordinate vector, here to the denominator 16."""
    found = [v for v in product(range(17), repeat=3) if sum(Fraction(x, 16) ** 2 for x in v) == 1]
    assert sorted(found) == [(0, 0, 16), (0, 16, 0), (16, 0, 0)]
    assert excluded(3, 3) is not None


def test_a_spoiled_key_or_state_is_found_out(monkeypatch):
    honest = build(5)
    keys = dict(honest.keys)
    keys[1, 2] = np.array([1, 1, 1, 1, 0, 0])
    monkeypatch.setattr(symmetric, "build", lambda points: SwapLayer(keys, honest.start))
    with pytest.raises(TheoremFails, match="expected"):
        check(40)
    monkeypatch.setattr(symmetric, "build", lambda points: SwapLayer(honest.keys, honest.start / 3))
    with pytest.raises(TheoremFails, match="the read-out"):
        check(40)
    monkeypatch.undo()
    monkeypatch.setattr(symmetric, "excluded", lambda points, size: None if size != 4 else "no")
    with pytest.raises((TheoremFails, ValueError)):
        check(10, 5)


def test_answers_to_a_user():
    assert list(apply("symmetric-reflections", ['{"letters": [[1, 0, 2], [0, 2, 1]]}'], length=2, points=3)) == [[2, 0, 1]]
    every = ['{"letters": [[1, 2, 0], [1, 2, 0], [1, 0, 2]]}']
    assert list(apply("symmetric-reflections", every, length=3, points=3, letters="all")) == [[2, 1, 0]]
    with pytest.raises(ValueError, match="transpositions of 3 points"):
        list(apply("symmetric-reflections", ['{"letters": [[1, 2, 0]]}'], length=2, points=3))

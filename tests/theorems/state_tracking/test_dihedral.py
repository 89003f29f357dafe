"""Dihedral groups by two layers: all pairs of letters, the step of each letter, and layers that are spoiled."""

from itertools import product

import numpy as np
import pytest

from seqsep.theorems import TheoremFails, apply
from seqsep.theorems.state_tracking import dihedral
from seqsep.theorems.state_tracking._words import group_of, products_of
from seqsep.theorems.state_tracking.dihedral import Turn, build, check, key, proved

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize(("group", "degree"), [("dihedral", 3), ("dihedral", 6), ("cyclic", 2), ("cyclic", 5)])
def test_all_words_of_two_letters(group, degree):
    layers = build(group, degree)
    chosen = group_of(group, degree)
    for word in product(range(len(layers.turns)), repeat=2):
        assert layers.follow(word)[0] == products_of(chosen, word).tolist()


def test_every_step_of_layer_two_is_one_reflection():
    layers = build("dihedral", 5)
    for turn, sign in product(layers.turns, (-1, 1)):
        step = layers.reflection(sign, turn, sign if turn.mirrored else -sign)
        assert step.mirrored
        unit = key(step, 5)
        assert abs(unit @ unit - 1) < 1e-15
    with pytest.raises(ValueError, match="expected a reflection"):
        key(Turn(1, 0), 5)


def test_a_parity_that_counts_reflections_is_found_out(monkeypatch):
    honest = dihedral.turn_of
    monkeypatch.setattr(dihedral, "turn_of", lambda element: honest(element)._replace(shift=(element[0] + 1) % len(element)))
    with pytest.raises(TheoremFails, match="found"):
        check(20)


def test_an_error_that_grows_faster_is_found_out(monkeypatch):
    honest = dihedral.key
    monkeypatch.setattr(dihedral, "key", lambda turn, degree: np.float64(honest(turn, degree).astype(np.float16)))
    with pytest.raises(TheoremFails):
        check(100)
    assert proved("dihedral", 5, 1 << 16) > 0.6


def test_answers_to_a_user():
    assert list(apply("dihedral-reflections", ['{"letters": [[1, 0], [1, 0]]}'], length=2, group="cyclic", degree=2)) == [
        [0, 1]
    ]

"""Solvable groups by counts: the channels of each group, all short words, refusals, and layers that are spoiled."""

from itertools import product

import pytest

from seqsep.theorems import TheoremFails, apply
from seqsep.theorems.state_tracking import solvable
from seqsep.theorems.state_tracking._words import group_of, products_of
from seqsep.theorems.state_tracking.solvable import RUNS, PhaseLayer, build, check, follow

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

CHANNELS = {
    ("symmetric", 3): [(2,), (3,)],
    ("dihedral", 4): [(2, 2), (2,)],
    ("dicyclic", 2): [(2, 2), (2,)],
    ("alternating", 4): [(3,), (2, 2)],
    ("symmetric", 4): [(2,), (3,), (2, 2)],
    ("cyclic", 12): [(12,)],
}


@pytest.mark.parametrize("named", CHANNELS)
def test_the_channels_of_a_group(named):
    assert [layer.orders for layer in build(*named)] == CHANNELS[named]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("named", [("symmetric", 3), ("dicyclic", 2), ("alternating", 4)])
def test_all_words_of_two_letters(named, run):
    layers = build(*named)
    chosen = group_of(*named)
    for word in product(range(len(chosen.elements)), repeat=2):
        assert follow(layers, word, run)[0] == products_of(chosen, word).tolist()


@pytest.mark.parametrize(("named", "sign"), [(("alternating", 5), "A_5"), (("symmetric", 5), "S_5")])
def test_groups_that_are_not_solvable_are_refused(named, sign):
    with pytest.raises(ValueError, match=f"{sign} is not solvable: .* coprime orders"):
        check(10, *named)


def test_a_letter_passed_on_unchanged_is_found_out(monkeypatch):
    honest = PhaseLayer.passed_on

    def unchanged(self, counts, letter):
        found = honest(self, counts, letter)
        return self.group.inverse[found]

    monkeypatch.setattr(PhaseLayer, "passed_on", unchanged)
    with pytest.raises(TheoremFails, match="found"):
        check(40)


def test_a_phase_that_drifts_is_found_out(monkeypatch):
    honest = solvable._roots
    monkeypatch.setattr(solvable, "_roots", lambda layer: {letter: root * 1j**1e-6 for letter, root in honest(layer).items()})
    with pytest.raises(TheoremFails, match="margin"):
        check(40, run="phases")


def test_answers_to_a_user():
    for run in RUNS:
        letters = ['{"letters": [[1, 2, 0], [1, 0, 2]]}']
        assert list(apply("solvable-phases", letters, length=2, degree=3, run=run)) == [[0, 2, 1]]

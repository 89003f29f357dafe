"""Attention on a fixed grid without positions: partially ordered automata, and words of one letter."""

import numpy as np
import pytest

from seqsep.maths.automata.automata import DFA
from seqsep.maths.networks import word_automaton
from seqsep.theorems import TheoremFails, check
from seqsep.theorems.positions import fixed_grid_attention
from seqsep.theorems.positions.fixed_grid_attention import horizon

pytestmark = pytest.mark.unchecked
PARITY = DFA(np.array([[0, 1], [1, 0]]), 0, np.array([False, True]))


@pytest.mark.parametrize(("steps", "layers", "rounding"), [(2, 2, "floor"), (3, 1, "nearest")])
def test_automata_are_ordered_and_one_letter_is_forgotten(steps, layers, rounding):
    (outcome,) = check("fixed-grid-attention", steps=steps, layers=layers, rounding=rounding, networks=2, seed=3)
    assert 0 < outcome.measured["letters"] <= outcome.bound["letters"] == horizon(steps, layers, rounding)
    assert outcome.witness["explored"] == 2
    assert outcome.witness["most states of a least one"] > 3


def test_an_automaton_that_counts_is_found_out(monkeypatch):
    monkeypatch.setattr(fixed_grid_attention, "word_automaton", lambda network, most: PARITY)
    with pytest.raises(TheoremFails, match="ordered = False"):
        check("fixed-grid-attention", layers=1, networks=1)


def test_an_automaton_with_too_few_counts_is_found_out(monkeypatch):
    monkeypatch.setattr(word_automaton, "most_counted", lambda grid: 1)
    with pytest.raises(TheoremFails, match="word = "):
        check("fixed-grid-attention", steps=3, layers=1, networks=6)


def test_a_late_change_of_an_answer_is_found_out(monkeypatch):
    monkeypatch.setattr(fixed_grid_attention, "horizon", lambda steps, layers, rounding: 1)
    with pytest.raises(TheoremFails, match="letters = "):
        check("fixed-grid-attention", steps=3, layers=1, networks=6)


def test_networks_with_too_many_states_are_counted(monkeypatch):
    monkeypatch.setattr(fixed_grid_attention, "MOST_STATES", 50)
    (outcome,) = check("fixed-grid-attention", networks=2)
    assert outcome.witness["explored"] == 0

"""Attention on a fixed grid without positions: partially ordered automata, and words of one letter."""

import json

import numpy as np
import pytest

import seqsep_check
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.multiplication import components
from seqsep.maths.networks import word_automaton
from seqsep.theorems import TheoremFails, check
from seqsep.theorems.certificate import certify
from seqsep.theorems.positions import fixed_grid_attention
from seqsep.theorems.positions.fixed_grid_attention import horizon, random_network, saturating_counts

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


def test_an_answer_at_the_last_letter_is_another_class():
    """Without an end token some languages are not R-trivial. They are so for the words that end in one given letter."""
    generator = np.random.default_rng(1)
    ordered = []
    for _ in range(12):
        explorer = word_automaton._Explorer(random_network(Grid(2), 1, generator))
        states = {(tuple(() for _ in explorer.known), 0): 0}
        table, answers = [], []
        for state, _ in (queue := list(states)):
            row = []
            for letter in explorer.tokens[:2]:
                one = (explorer._after([state], letter)[0], explorer._answers([state], letter)[0])
                if one not in states:
                    states[one] = len(states)
                    queue.append(one)
                row.append(states[one])
            table.append(row)
        answers = np.array([answer == 1 for _, answer in states])
        table = np.array(table)
        read_at_last = DFA(table, 0, answers).minimal()
        ordered.append(is_ordered(read_at_last))
        assert all(is_ordered(DFA(table, 0, answers[table[:, letter]]).minimal()) for letter in (0, 1))
    assert 0 < sum(ordered) < len(ordered)


def is_ordered(one):
    return len(set(components(one.table.tolist()).tolist())) == len(one.table)


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
@pytest.mark.parametrize(("steps", "layers"), [(2, 1), (2, 3), (3, 2), (6, 3)])
def test_the_certificate_has_the_words_of_the_bound(steps, layers, rounding):
    data = certify("fixed-grid-attention", steps=steps, layers=layers, rounding=rounding)
    status, line = seqsep_check.check(data)
    most = horizon(steps, layers, rounding)
    assert status == 0
    assert f"ones-modulo: modulus 2, longer {most + 1}, shorter {most}, width {layers}" in line
    earlier = json.loads(data)
    earlier["witness"]["words"] = [[[1, most - 1]], [[1, most]]]
    earlier["claims"] |= {"longer": most, "shorter": most - 1}
    earlier["digest"] = seqsep_check.digest(earlier)
    assert seqsep_check.check(seqsep_check.canonical(earlier)) == (1, "rejected: the words end in two states")


@pytest.mark.parametrize(
    ("steps", "layers", "rounding"), [(2, 2, "floor"), (2, 3, "floor"), (2, 2, "nearest"), (3, 2, "floor")]
)
def test_the_certificate_bounds_the_numbers_of_networks(steps, layers, rounding):
    """Each layer has counted its last kind at least x_i times, so its numbers stay once all x_i are at their greatest."""
    recurrence = saturating_counts(steps, layers, rounding)
    generator = np.random.default_rng(0)
    for _ in range(4):
        explorer = word_automaton._Explorer(random_network(Grid(steps, rounding), layers, generator))
        run = [tuple(() for _ in range(layers))]
        counted = [recurrence.start]
        for _ in range(horizon(steps, layers, rounding) + 3):
            run += explorer._after(run[-1:], explorer.tokens[1])
            counted.append(recurrence.after(counted[-1], 1))
        own = explorer._through(run[-1:], explorer.tokens[1])
        last = [kinds[0] for kinds, _ in own]
        for state, numbers in zip(run, counted, strict=True):
            found = [dict(of_layer).get(kind, 0) for of_layer, kind in zip(state, last, strict=True)]
            assert all(one >= x - recurrence.start[0] for one, x in zip(found, numbers, strict=True))
        standing = counted.index((recurrence.end**2,) * layers)
        assert standing == horizon(steps, layers, rounding)
        assert set(run[standing:]) == {run[-1]}

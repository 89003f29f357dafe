"""The search for the least automaton where greedy bounds are not enough: each branch that fails is left, and one succeeds."""

import itertools

import numpy as np
import pytest

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.partial_automata import Examples, least


def examples_of(seed: int) -> Examples:
    """Words of up to five tokens with the answers of a random automaton of up to three states."""
    random = np.random.default_rng(seed)
    pool = [word for length in range(6) for word in itertools.product((0, 1), repeat=length)]
    chosen = [pool[index] for index in random.choice(len(pool), int(random.integers(2, 20)), replace=False)]
    states = int(random.integers(1, 4))
    source = DFA(random.integers(0, states, (states, 2)), 0, random.random(states) < 0.5)
    return Examples({word: source.accepts(word) for word in chosen}, 2)


@pytest.mark.parametrize(("seed", "nodes"), [(16, 3), (60, 4), (90, 6), (119, 9)])
def test_two_states_are_refuted_by_branches(seed, nodes):
    """No two prefixes more are told apart by the examples, and still every automaton of two states disagrees with one."""
    examples = examples_of(seed)
    smallest = least(examples)
    assert (smallest.states, len(smallest.bound.prefixes), smallest.refuted) == (3, 2, {2: nodes})
    assert examples.disagreement(smallest.automaton) is None

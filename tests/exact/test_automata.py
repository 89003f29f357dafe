"""Minimisation against automata-lib on random automata; counting against brute force."""

import itertools

import numpy as np
import pytest
from automata.fa import dfa

from seqsep.exact.automata import DFA


def random_automaton(seed: int) -> DFA:
    rng = np.random.default_rng(seed)
    states, tokens = int(rng.integers(1, 12)), int(rng.integers(1, 4))
    return DFA(rng.integers(0, states, (states, tokens)), int(rng.integers(states)), rng.random(states) < 0.4)


@pytest.mark.parametrize("seed", range(60))
def test_minimal_against_automata_lib(seed):
    automaton = random_automaton(seed)
    states, tokens = automaton.table.shape
    reference = dfa.DFA(
        states=set(range(states)), input_symbols={str(t) for t in range(tokens)},
        transitions={s: {str(t): int(automaton.table[s, t]) for t in range(tokens)} for s in range(states)},
        initial_state=automaton.start, final_states=set(np.flatnonzero(automaton.accepting).tolist()),
    )  # fmt: skip
    minimal = automaton.minimal()
    assert len(minimal.table) == len(reference.minify().to_complete().minify().states)
    for length in range(5):
        for word in itertools.product(range(tokens), repeat=length):
            assert minimal.accepts(word) == automaton.accepts(word) == reference.accepts_input("".join(map(str, word)))


@pytest.mark.parametrize("seed", range(10))
def test_counting_and_live_states(seed):
    automaton = random_automaton(seed)
    states, tokens = automaton.table.shape
    for length in range(5):
        words = itertools.product(range(tokens), repeat=length)
        assert automaton.count_words(length) == sum(automaton.accepts(word) for word in words)
    for state in range(states):
        moved = DFA(automaton.table, state, automaton.accepting)
        reaches = any(moved.count_words(length) for length in range(states))
        assert bool(automaton.live()[state]) == reaches


def test_recurrence_of_an_automaton():
    automaton = random_automaton(3)
    machine = automaton.recurrence()
    for word in itertools.product(range(automaton.table.shape[1]), repeat=4):
        assert machine.answer(word) == int(automaton.accepts(word))

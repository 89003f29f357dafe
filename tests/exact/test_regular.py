"""Regular expressions against Python's `re`, and the least states of their languages."""

import itertools
import re

import numpy as np
import pytest

from seqsep.exact import least_state, regular
from seqsep.exact.automata import DFA
from support.small_functions import least

PATTERNS = [
    "(0|1)*1",
    "(01)*",
    "0*(10*10*)*",
    "1{3}",
    "[01]{2,4}0?",
    ".*1.{3}",
    "",
    "2+.|0",
    "([^0]0)*",
    "1{2,}|0",
    "[0-2]*2",
    "1 0?",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_regular_expressions(pattern):
    parsed = regular.automaton(pattern)
    compiled = re.compile(pattern.replace(" ", ""))
    for length in range(7):
        for word in itertools.product(range(parsed.table.shape[1]), repeat=length):
            assert parsed.accepts(word) == bool(compiled.fullmatch("".join(map(str, word))))


@pytest.mark.parametrize("pattern", ["(0", "0)", "*", "1{", "1{3", "[0", "[2-", "{2}", "1{3,2}", "0{1001}"])
def test_wrong_regular_expressions(pattern):
    with pytest.raises(ValueError, match=r"character \d+: expected .*, found"):
        regular.automaton(pattern)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_automata_agree_with_enumeration(pattern):
    automaton = regular.automaton(pattern)
    tokens = automaton.table.shape[1]
    for length in (1, 2, 5):
        minimal = least_state.of_automaton(automaton, length)
        assert minimal.classes_by_split == least(lambda word: int(automaton.accepts(word)), [tokens] * length).classes_by_split


def test_automata_reach_any_length():
    counter = DFA(np.array([[0, 1], [1, 2], [2, 0]]), 0, np.array([True, False, False]))
    minimal = least_state.of_automaton(counter, 64)
    assert (minimal.classes, minimal.state_bits, minimal.every_input) == (3, 2, False)
    assert sorted(set(minimal.automaton.run(least_state.trial_inputs(minimal.automaton)[0]).tolist())) == [0, 1]

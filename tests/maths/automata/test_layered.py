"""Layered automata: right on every input, no layer wider than the classes of prefixes; suffixes and prefixes do as said."""

import itertools
import math

import numpy as np
import pytest
import torch

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.layered import Layered, of_function, of_values, unrolled
from seqsep.models.mixers.automaton import Automaton
from seqsep.theorems.bounded_dyck.state import build as dyck

ALPHABETS = [(2, 2, 2, 2), (3, 2), (2, 3, 1, 2), (4,), (2, 2, 3, 2)]


def inputs(alphabets: tuple[int, ...]) -> np.ndarray:
    words = list(itertools.product(*(range(alphabet) for alphabet in alphabets)))
    return np.array(words, dtype=np.int64).reshape(len(words), len(alphabets))


def classes(values: np.ndarray, length: int) -> int:
    """Distinct rows of answers, one row a prefix."""
    return len({row.tobytes() for row in values.reshape(math.prod(values.shape[:length]), -1)})


@pytest.mark.parametrize("seed", range(25))
def test_random_functions(seed):
    random, alphabets = np.random.default_rng(seed), ALPHABETS[seed % len(ALPHABETS)]
    values = random.integers(0, 2 + seed % 3, alphabets) * 7 - 3
    if len(alphabets) == 4:
        values[1] = values[0]  # some prefixes in one class
    automaton, words = of_values(values), inputs(alphabets)
    assert automaton.widths == [classes(values, length) for length in range(len(alphabets) + 1)]
    assert automaton.run(words).tolist() == values.reshape(-1).tolist()
    machine = automaton.recurrence()
    assert 1 << machine.state_bits >= max(automaton.widths) > (1 << machine.state_bits) // 2
    assert [machine.answer(word) for word in words.tolist()] == values.reshape(-1).tolist()
    assert of_function(lambda word: int(values[tuple(word)]), alphabets).widths == automaton.widths
    for t, width in enumerate(automaton.widths):
        for state in range(width):
            prefix = automaton.prefix(t, state)
            assert prefix == min(tuple(w[:t]) for w in words.tolist() if automaton.states(np.array([w[:t]], int))[0] == state)
        for first, second in itertools.combinations(range(width), 2):
            suffix, fronts = automaton.suffix(t, first, second), [automaton.prefix(t, one) for one in (first, second)]
            told = [values[fronts[0] + end] != values[fronts[1] + end] for end in map(tuple, inputs(alphabets[t:]).tolist())]
            assert suffix == tuple(inputs(alphabets[t:]).tolist()[told.index(True)])


@pytest.mark.parametrize("seed", range(12))
def test_minimal_merges_what_a_dfa_keeps_apart(seed):
    random = np.random.default_rng(seed)
    states, length = int(random.integers(2, 12)), 5
    automaton = DFA(random.integers(0, states, (states, 2)), 0, random.random(states) < 0.5)
    layers, words = unrolled(automaton, length), inputs((2,) * length)
    values = np.array([int(automaton.accepts(word)) for word in words.tolist()])
    assert layers.run(words).tolist() == values.tolist()
    minimal = layers.minimal()
    assert minimal.run(words).tolist() == values.tolist()
    assert minimal.widths == of_values(values.reshape((2,) * length)).widths
    for t in range(length + 1):
        for first, second in itertools.combinations(range(states), 2):
            suffix = layers.suffix(t, first, second)
            ends = [
                {tuple(s): layers_from(layers, t, state, s) for s in inputs((2,) * (length - t)).tolist()}
                for state in (first, second)
            ]
            if suffix is None:
                assert ends[0] == ends[1]
            else:
                assert ends[0][suffix] != ends[1][suffix]
    unreached = [state for state in range(states) if layers.prefix(0, state) is None]
    assert unreached == list(range(1, states))


def layers_from(layers: Layered, t: int, state: int, suffix: list[int]) -> int:
    for offset, token in enumerate(suffix):
        state = int(layers.tables[t + offset][state, token])
    return int(layers.answers[state])


def halves(word: list[int]) -> tuple[list[int], list[int]]:
    return word[: len(word) // 2], word[len(word) // 2 :]


@pytest.mark.parametrize("length", [2, 4, 6, 8, 10])
def test_closed_forms(length):
    def bits(function) -> int:
        return of_function(lambda word: int(function(word)), (2,) * length).state_bits

    assert bits(lambda word: halves(word)[0] == halves(word)[1]) == length // 2
    assert bits(lambda word: any(a and b for a, b in zip(*halves(word), strict=True))) == length // 2
    assert bits(lambda word: any(a and b for a, b in zip(word[::2], word[1::2], strict=True))) == (2 if length > 2 else 1)
    assert bits(lambda word: sum(word) % 2) == 1
    assert bits(lambda word: 2 * sum(word) > length) == math.ceil(math.log2((length + 1) // 2 + 1))


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
def test_dyck_of_one_length(length):
    minimal = unrolled(dyck(2, 2), length).minimal()
    assert minimal.state_bits == (0 if length % 2 else 3 if length >= 4 else 2)
    assert length < 4 or length % 2 or max(minimal.widths) == 6


def test_a_table_by_time_runs_in_the_mixer():
    automaton = of_function(lambda word: int(word[:2] == word[2:]), (2, 2, 2, 2))
    states, words = max(automaton.widths), inputs((2, 2, 2, 2))
    mixer = Automaton(torch.from_numpy(automaton.padded()), automaton.start)
    embedded = torch.nn.functional.one_hot(torch.from_numpy(words), 2 + states).double()
    last = mixer(embedded)[:, -1, -states:].argmax(-1).numpy()
    assert automaton.answers[last].tolist() == automaton.run(words).tolist()


def test_no_tokens_and_wrong_arguments():
    constant = of_values(np.array(5))
    assert (constant.length, constant.widths, constant.state_bits) == (0, [1], 0)
    assert constant.run(np.zeros((2, 0), dtype=np.int64)).tolist() == [5, 5]
    automaton = of_values(np.arange(4).reshape(2, 2))
    with pytest.raises(ValueError, match="2 tokens are required"):
        automaton.run(np.zeros((1, 3), dtype=np.int64))
    with pytest.raises(ValueError, match=r"suffix\(1, 0, 2\)"):
        automaton.suffix(1, 0, 2)
    with pytest.raises(ValueError, match="at time 0 are 0 to 2, of 2 states"):
        Layered((automaton.tables[0] * 2, automaton.tables[1]), 0, automaton.answers)
    with pytest.raises(ValueError, match="first layer has 1 states"):
        Layered(automaton.tables, 1, automaton.answers)

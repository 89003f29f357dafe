"""The least DFA with don't-cares against every DFA of that size; lower bounds whose suffixes distinguish and are shortest."""

import dataclasses
import itertools

import numpy as np
import pytest

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.partial_automata import AutomatonSearch, Examples, distinguished, least, on_length


def random_examples(seed: int, most_states: int = 3) -> Examples:
    """Words of mixed lengths with the answers of a random DFA, or answers at random."""
    random = np.random.default_rng(seed)
    pool = [word for length in range(6) for word in itertools.product((0, 1), repeat=length)]
    chosen = [pool[index] for index in random.choice(len(pool), int(random.integers(2, 20)), replace=False)]
    states = int(random.integers(1, most_states + 1))
    source = DFA(random.integers(0, states, (states, 2)), 0, random.random(states) < 0.5)
    return Examples({word: source.accepts(word) for word in chosen}, 2)


def agreeing(examples: Examples, states: int) -> int:
    """The number of DFAs of this size, all starting in state 0, that agree: by trying every one, all at once."""
    tables = np.array(list(itertools.product(range(states), repeat=2 * states))).reshape(-1, states, 2)
    asked = np.full((len(tables), states), -1)
    alive, every = np.ones(len(tables), dtype=bool), np.arange(len(tables))
    for word, answer in examples.words.items():
        state = np.zeros(len(tables), dtype=np.int64)
        for token in word:
            state = tables[every, state, token]
        alive &= asked[every, state] != 1 - answer
        asked[every, state] = answer
    return int(alive.sum())


@pytest.mark.parametrize("seed", range(120))
def test_least_against_every_automaton(seed):
    examples = random_examples(seed)
    smallest = least(examples, exhaustive=True)
    assert examples.disagreement(smallest.automaton) is None
    assert len(smallest.bound.prefixes) <= smallest.states <= 3
    smallest.bound.verify(examples)
    assert agreeing(examples, smallest.states) > 0
    for smaller in range(1, smallest.states):
        assert agreeing(examples, smaller) == 0
        assert smallest.refuted[smaller] >= 0
    quick = least(examples)
    assert quick.states == smallest.states
    assert set(quick.refuted) == set(range(len(quick.bound.prefixes), quick.states))


def test_search_needs_more_than_the_greedy_bound():
    """Don't-cares are harder than classes: for some examples every set of distinguished prefixes is below the least DFA."""
    gaps = [seed for seed in range(120) if (smallest := least(random_examples(seed))).states > len(smallest.bound.prefixes)]
    assert gaps


@pytest.mark.parametrize(("length", "states"), [(2, 2), (4, 4), (6, 8)])
def test_equality(length, states):
    examples = on_length(lambda word: word[: length // 2] == word[length // 2 :], length)
    smallest = least(examples, exhaustive=True)
    assert smallest.states == states == len(smallest.bound.prefixes)
    assert sorted(smallest.refuted) == list(range(1, states))
    if length == 2:  # parity
        assert all(smallest.automaton.accepts(word) == (sum(word) % 2 == 0) for word in itertools.product((0, 1), repeat=5))
    if length == 4:
        assert agreeing(examples, 3) == 0


@pytest.mark.parametrize("seed", range(10))
def test_all_words_up_to_a_length_give_the_minimal_automaton(seed):
    random = np.random.default_rng(seed)
    states = int(random.integers(1, 5))
    automaton = DFA(random.integers(0, states, (states, 2)), 0, random.random(states) < 0.5)
    words = [word for length in range(2 * states + 1) for word in itertools.product((0, 1), repeat=length)]
    smallest = least(Examples({word: automaton.accepts(word) for word in words}, 2))
    assert automaton.difference(smallest.automaton) is None
    assert smallest.states == len(automaton.minimal().table)


@pytest.mark.parametrize("seed", range(10))
def test_suffixes_distinguish_and_none_is_shorter(seed):
    examples = random_examples(seed, most_states=6)
    for first, second in itertools.product(range(len(examples.prefixes)), repeat=2):
        one, other, suffix = examples.prefixes[first], examples.prefixes[second], examples.suffix(first, second)
        every = [
            word[len(one) :]
            for word, answer in examples.words.items()
            if word[: len(one)] == one and examples.words.get(other + word[len(one) :], answer) != answer
        ]
        assert (suffix is None) == (not every)
        assert suffix is None or (suffix in every and len(suffix) == min(map(len, every)))


def test_a_bound_that_does_not_hold_is_refused():
    examples = on_length(lambda word: word[0] == word[1], 2)
    bound = distinguished(examples)
    bound.verify(examples)
    doubled = dataclasses.replace(bound, prefixes=(bound.prefixes[0],) * 2)
    with pytest.raises(ValueError, match="get answers"):
        doubled.verify(examples)
    with pytest.raises(ValueError, match="with suffix None"):
        dataclasses.replace(bound, suffixes={}).verify(examples)
    with pytest.raises(ValueError, match="get answers"):
        dataclasses.replace(bound, suffixes={(0, 1): (0, 0)}).verify(examples)


def test_outside_the_domain_nothing_is_asked():
    examples = on_length(lambda word: None if word[0] else sum(word) % 2, 3)
    assert all(word[0] == 0 for word in examples.words)
    assert least(examples).states == 2
    other = DFA(np.array([[0, 1], [1, 1]]), 0, np.array([False, True]))
    word = examples.disagreement(other)
    assert word is not None
    assert other.accepts(word) != examples.words[word]


def test_wrong_arguments():
    with pytest.raises(ValueError, match="words of tokens 0 to 1"):
        Examples({(0, 2): True}, 2)
    with pytest.raises(ValueError, match="0 words"):
        Examples({}, 2)
    with pytest.raises(ValueError, match="8191 prefixes, at most 4096"):
        on_length(lambda word: 0, 12)
    examples = on_length(lambda word: word[:3] == word[3:], 6)
    with pytest.raises(ValueError, match="7 states take more than 50 branches"):
        AutomatonSearch(examples, 7, most_nodes=50).run()

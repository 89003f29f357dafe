"""Minimisation, suffixes and differences against automata-lib; counting against brute force."""

import itertools

import numpy as np
import pytest
from automata.fa import dfa

from seqsep.maths.automata._refinement import coarsest, hopcroft, ranks
from seqsep.maths.automata.automata import DFA


def random_automaton(seed: int) -> DFA:
    rng = np.random.default_rng(seed)
    states, tokens = int(rng.integers(1, 12)), int(rng.integers(1, 4))
    return DFA(rng.integers(0, states, (states, tokens)), int(rng.integers(states)), rng.random(states) < 0.4)


def redundant(automaton: DFA, copies: int, seed: int) -> DFA:
    """The same language: every state several times, transitions into any copy, states in any order."""
    random, (states, tokens) = np.random.default_rng(seed), automaton.table.shape
    table = np.repeat(automaton.table, copies, axis=0) * copies + random.integers(0, copies, (states * copies, tokens))
    name = random.permutation(states * copies)
    place = np.argsort(name)
    return DFA(name[table[place]], int(name[automaton.start * copies]), np.repeat(automaton.accepting, copies)[place])


def counter(states: int, accepting: int) -> DFA:
    """Counts up to its last state, where it stays: the worst case of refinement in rounds."""
    table = np.stack([np.minimum(np.arange(states) + 1, states - 1), np.arange(states)], axis=1)
    return DFA(table, 0, np.arange(states) == accepting)


def dyck(depth: int) -> DFA:
    """Balanced brackets of one kind up to a depth."""
    up, down = np.arange(depth + 2) + 1, np.arange(depth + 2) - 1
    up[depth:], down[0], down[depth + 1] = depth + 1, depth + 1, depth + 1
    return DFA(np.stack([up, down], axis=1), 0, np.arange(depth + 2) == 0)


def peer(automaton: DFA) -> dfa.DFA:
    states, tokens = automaton.table.shape
    return dfa.DFA(
        states=set(range(states)),
        input_symbols={str(t) for t in range(tokens)},
        transitions={s: {str(t): int(automaton.table[s, t]) for t in range(tokens)} for s in range(states)},
        initial_state=automaton.start,
        final_states=set(np.flatnonzero(automaton.accepting).tolist()),
    )


def naive_classes(automaton: DFA) -> list[int]:
    classes = automaton.accepting.astype(int).tolist()
    while True:
        rows = [(c, *(classes[after] for after in row)) for c, row in zip(classes, automaton.table.tolist(), strict=True)]
        refined = [sorted(set(rows)).index(row) for row in rows]
        if len(set(refined)) == len(set(classes)):
            return refined
        classes = refined


def same_partition(one: list[int], other: list[int]) -> bool:
    return len(set(zip(one, other, strict=True))) == len(set(one)) == len(set(other))


@pytest.mark.parametrize("seed", range(60))
def test_minimal_against_automata_lib(seed):
    automaton = random_automaton(seed)
    tokens = automaton.table.shape[1]
    reference, minimal = peer(automaton), automaton.minimal()
    assert len(minimal.table) == len(reference.minify().to_complete().minify().states)
    assert peer(minimal) == reference
    for length in range(5):
        for word in itertools.product(range(tokens), repeat=length):
            assert minimal.accepts(word) == automaton.accepts(word) == reference.accepts_input("".join(map(str, word)))


@pytest.mark.parametrize("seed", range(30))
def test_minimal_of_larger_languages(seed):
    random = np.random.default_rng(seed)
    base = [counter(int(random.integers(2, 150)), int(random.integers(2))), dyck(int(random.integers(60))), None][seed % 3]
    if base is None:
        states = int(random.integers(20, 200))
        base = DFA(random.integers(0, states, (states, 3)), 0, random.random(states) < 0.02)
    automaton = redundant(base, int(random.integers(1, 4)), seed)
    minimal = automaton.minimal()
    assert len(minimal.table) == len(peer(automaton).minify().states)
    assert peer(minimal) == peer(automaton)
    assert automaton.difference(minimal) is None
    # States are numbered by their first words: equal languages have equal tables.
    again = redundant(minimal, 2, seed + 1).minimal()
    assert np.array_equal(again.table, minimal.table)
    assert np.array_equal(again.accepting, minimal.accepting)


@pytest.mark.parametrize("seed", range(40))
def test_both_algorithms_refine_alike(seed):
    automaton = redundant([random_automaton(seed), counter(seed + 2, 1), dyck(seed)][seed % 3], seed % 4 + 1, seed)
    given, count = ranks(automaton.accepting.astype(np.int64))
    wanted = naive_classes(automaton)
    assert same_partition(hopcroft(automaton.table, given, count).tolist(), wanted)
    assert same_partition(coarsest(automaton.table, given).tolist(), wanted)
    # From a partition that the coarsest one does not refine: classes given apart stay apart.
    odd = given * 2 + np.arange(len(given)) % 2
    finer = hopcroft(automaton.table, *ranks(odd))
    for token in range(automaton.table.shape[1]):
        after = finer[automaton.table[:, token]]
        assert len(set(zip(finer.tolist(), after.tolist(), strict=True))) == len(set(finer.tolist()))
    assert len(set(zip(finer.tolist(), odd.tolist(), strict=True))) == len(set(finer.tolist()))
    assert same_partition(finer.tolist(), coarsest(automaton.table, odd).tolist())


def accepted_from_one(automaton: DFA, first: int, second: int) -> dfa.DFA:
    moved = (DFA(automaton.table, state, automaton.accepting) for state in (first, second))
    one, other = map(peer, moved)
    return one ^ other


@pytest.mark.parametrize("seed", range(24))
def test_suffixes_distinguish_and_none_is_shorter(seed):
    automaton = random_automaton(seed)
    minimal, classes = automaton.minimal(), naive_classes(automaton)
    for machine in (automaton, minimal):
        for first, second in itertools.combinations(range(len(machine.table)), 2):
            suffix = machine.distinguish(first, second)
            reference = accepted_from_one(machine, first, second)
            if suffix is None:
                assert machine is automaton
                assert classes[first] == classes[second]
                assert reference.isempty()
                continue
            ends = [DFA(machine.table, state, machine.accepting).accepts(suffix) for state in (first, second)]
            assert ends[0] != ends[1]
            assert len(suffix) == reference.minimum_word_length()


def test_suffixes_of_a_chain_are_as_long_as_it():
    chain = counter(300, 299)
    assert chain.distinguish(0, 1) == (0,) * 298
    assert chain.distinguish(5, 5) is None
    with pytest.raises(ValueError, match=r"distinguish\(0, 300\): states are 0 to 299"):
        chain.distinguish(0, 300)


@pytest.mark.parametrize("seed", range(20))
def test_difference_is_a_shortest_word_of_one_language(seed):
    one = redundant(dyck(seed % 5), 2, seed)
    other = DFA(one.table, one.start, one.accepting ^ (np.random.default_rng(seed).random(len(one.table)) < 0.2))
    word, reference = one.difference(other), peer(one) ^ peer(other)
    assert (word is None) == reference.isempty()
    if word is not None:
        assert one.accepts(word) != other.accepts(word)
        assert len(word) == reference.minimum_word_length()


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
    words = [(), *itertools.product(range(tokens), repeat=1), *itertools.product(range(tokens), repeat=2)]
    first = []
    for word in words:
        state = automaton.start
        for token in word:
            state = int(automaton.table[state, token])
        first += [state] if state not in first else []
    assert automaton.reachable()[: len(first)] == first


def test_counts_beyond_64_bits():
    automaton = dyck(30)
    for length in (62, 64, 100):
        assert automaton.count_words(length) == peer(automaton).count_words_of_length(length)
    assert automaton.count_words(100) > 1 << 64
    assert automaton.count_words(101) == 0


def test_recurrence_of_an_automaton():
    automaton = random_automaton(3)
    machine = automaton.recurrence()
    for word in itertools.product(range(automaton.table.shape[1]), repeat=4):
        assert machine.answer(word) == int(automaton.accepts(word))


def test_tables_that_leave_the_states_are_refused():
    table, flags = np.array([[0, 1], [1, 0]]), np.array([True, False])
    with pytest.raises(ValueError, match="every entry are states, 0 to 1"):
        DFA(table + 1, 0, flags)
    with pytest.raises(ValueError, match="start 2"):
        DFA(table, 2, flags)
    with pytest.raises(ValueError, match="automata over 2 and 1 tokens"):
        DFA(table, 0, flags).difference(DFA(table[:, :1], 0, flags))


def test_every_state_is_told_apart_and_no_other_number():
    """State 0 and the last one are states; -1 and one more are not."""
    parity = DFA(np.array([[0, 1], [1, 0]]), 0, np.array([True, False]))
    assert parity.distinguish(0, 1) == parity.distinguish(1, 0) == ()
    assert parity.distinguish(0, 0) is None
    for first, second in ((-1, 0), (0, -1), (2, 0), (0, 2)):
        with pytest.raises(ValueError, match="states are 0 to 1"):
            parity.distinguish(first, second)

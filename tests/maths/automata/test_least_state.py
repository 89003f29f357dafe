"""The least state against closed forms, against its definition and against brute force over all automata."""

import itertools
import math

import numpy as np
import pytest

from seqsep.maths.automata import least_state
from seqsep.maths.automata.enumeration import OUTSIDE, Tabulated, alphabet_ranges, tabulate
from seqsep.maths.automata.layered import of_values
from seqsep.maths.automata.least_state import DistinguishedPair
from seqsep.tasks import BoundedDyck, IndexLookup
from support.small_functions import equal_halves, least, random_table


def meet(word, pairs):
    return any(word[one] and word[other] for one, other in pairs)


@pytest.mark.parametrize("alphabet", [2, 3, 5])
@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_index_lookup(alphabet, length):
    task = IndexLookup(length, alphabet)
    call = task.function(length)
    minimal = least_state.of_table(tabulate(lambda word: call(tuple(word)), task.alphabets(length)))
    assert minimal.classes == alphabet**length
    assert minimal.split == length
    assert minimal.state_bits == math.ceil(length * math.log2(alphabet) - 1e-9) == task.answer_bits()


@pytest.mark.parametrize("half", range(1, 7))
def test_equality_and_disjointness(half):
    bits, length = [2] * (2 * half), 2 * half
    assert least(equal_halves, bits).state_bits == half
    assert least(lambda word: meet(word, [(i, i + half) for i in range(half)]), bits).state_bits == half
    interleaved = least(lambda word: meet(word, [(i, i + 1) for i in range(0, length, 2)]), bits)
    assert (interleaved.classes, interleaved.state_bits) == ((3, 2) if half > 1 else (2, 1))


@pytest.mark.parametrize("length", range(1, 13))
def test_parity_and_majority(length):
    assert least(lambda word: sum(word) % 2, [2] * length).state_bits == 1
    minimal = least(lambda word: sum(word) > length / 2, [2] * length)
    assert minimal.classes == (length + 1) // 2 + 1
    assert minimal.state_bits == math.ceil(math.log2((length + 1) // 2 + 1))


@pytest.mark.parametrize("length", range(2, 9))
def test_bounded_dyck(length):
    call = BoundedDyck(8).function(length)
    minimal = least_state.of_table(tabulate(lambda word: call(tuple(word)), alphabet_ranges([4] * length)))
    assert minimal.state_bits == (0 if length % 2 else 2 if length == 2 else 3)
    if length % 2 == 0 and length > 2:
        assert minimal.classes == 6


def partitions(cells: int, most: int, used: int = 0):
    """Every way to name cells by blocks 0, 1, .. in the order of their first cells, with at most `most` blocks."""
    if cells == 0:
        yield ()
        return
    for block in range(min(used + 1, most)):
        for rest in partitions(cells - 1, most, max(used, block + 1)):
            yield (block, *rest)


def computable(length: int, states: int) -> np.ndarray:
    """The Boolean functions of `length` bits that some automaton with at most `states` states a layer computes.

    Every automaton is made, up to the names of its states: a layer says which (state, bit) cells of the layer before go to one
    state. Function f has the answer to input i as its binary digit i; the first bit of an input is the highest of i.
    """
    maps = {(0,)}
    for _ in range(length - 1):
        after = set()
        for states_of in maps:
            for row in partitions(2 * (max(states_of) + 1), states):
                after.add(tuple(row[2 * state + bit] for state in states_of for bit in (0, 1)))
        maps = after
    minimal = np.zeros(1 << (1 << length), dtype=bool)
    for states_of in maps:
        weights = [0] * (2 * (max(states_of) + 1))
        for prefix, state in enumerate(states_of):
            for bit in (0, 1):
                weights[2 * state + bit] += 1 << (2 * prefix + bit)
        tables = np.zeros(1, dtype=np.int64)
        for weight in weights:
            tables = np.concatenate([tables, tables + weight])
        if states == 1:
            tables = tables[[0, -1]]
        minimal[tables] = True
    return minimal


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_all_functions_against_all_automata(length):
    """The least widest layer of all 2^(2^N) functions, 65,536 at N = 4, is what trying all automata finds."""
    functions = np.arange(1 << (1 << length))
    by_brute_force = np.full(len(functions), 99)
    for states in range(1 << length, 0, -1):
        by_brute_force[computable(length, states)] = states
    values = (functions[:, None] >> np.arange(1 << length) & 1).astype(np.int64)
    together = of_values(values.reshape(len(functions), *[2] * length))
    widest = np.zeros(len(functions), dtype=np.int64)
    for split in range(length + 1):
        bits = np.arange(1 << split)[:, None] >> np.arange(split)[::-1] & 1
        prefixes = np.concatenate([np.repeat(functions, len(bits))[:, None], np.tile(bits, (len(functions), 1))], axis=1)
        states = np.sort(together.states(prefixes).reshape(len(functions), -1), axis=1)
        widest = np.maximum(widest, 1 + (states[:, 1:] != states[:, :-1]).sum(axis=1))
    np.testing.assert_array_equal(widest, by_brute_force)
    for function in np.random.default_rng(length).choice(len(functions), min(len(functions), 150), replace=False):
        minimal = least_state.of_table(Tabulated(alphabet_ranges([2] * length), *labelled(values[function])))
        assert minimal.classes == by_brute_force[function]
        assert minimal.inputs_run == 1 << length


def labelled(answers):
    values, labels = np.unique(answers, return_inverse=True)
    return labels.astype(np.int64), tuple(values.tolist())


@pytest.mark.parametrize("seed", range(25))
def test_classes_recurrence_witness_and_table(seed):
    """Against the definition: blocks of the table of answers; the recurrent model fits its bits and is right on every input."""
    table = random_table(seed)
    minimal = least_state.of_table(table)
    for split, classes in enumerate(minimal.classes_by_split):
        assert classes == len({tuple(row) for row in table.labels.reshape(math.prod(table.alphabets[:split]), -1).tolist()})
    machine = minimal.recurrence()
    assert machine.state_bits == minimal.state_bits == math.ceil(math.log2(max(minimal.classes_by_split)))
    words = list(itertools.product(*map(range, table.alphabets)))
    assert [machine.answer(word) for word in words] == table.labels.tolist()
    prefixes, suffixes, answers = minimal.distinguishing_table()
    assert len(np.unique(answers, axis=0)) == len(prefixes) == minimal.classes
    for prefix, row in zip(prefixes, answers.tolist(), strict=True):
        assert [machine.answer(prefix + suffix) for suffix in suffixes] == row
    witness = minimal.witness()
    assert (witness is None) == (minimal.classes == 1)
    if witness is not None:
        ends = [int(table.labels[words.index(one)]) for one in witness.inputs]
        assert ends == list(witness.labels)
        assert ends[0] != ends[1]
        assert witness.inputs[0][witness.split :] == witness.inputs[1][witness.split :]
        with pytest.raises(ValueError, match="DistinguishedPair"):
            DistinguishedPair(witness.split, (witness.prefixes[0],) * 2, witness.suffix, witness.labels).verify(
                minimal.automaton
            )


def test_partial_tables_are_refused():
    with pytest.raises(ValueError, match="every input"):
        least_state.of_table(Tabulated(alphabet_ranges([2]), np.array([0, OUTSIDE]), (1,)))

"""Lower bounds over partitions of the positions: known costs, the exact cost, and automata beyond enumeration."""

from dataclasses import replace

import numpy as np
import pytest

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata import least_state, regular
from seqsep.maths.automata.enumeration import OUTSIDE, Tabulated, alphabet_ranges, tabulate
from seqsep.maths.communication import partition_search
from seqsep.maths.communication.communication import fooling_set, protocol_cost
from seqsep.maths.communication.communication import of_values as two_party
from seqsep.maths.communication.partition_search import SharedFunction
from seqsep.tasks import BoundedDyck
from support.small_functions import equal_halves, random_table


def shared(function, alphabets) -> SharedFunction:
    return SharedFunction.of_table(tabulate(function, alphabet_ranges(alphabets)))


@pytest.mark.parametrize("half", [1, 2, 4, 5, 6, 8])
def test_equality_needs_half_and_one_bit(half):
    """Two answers: 2^n leaves with 1 and, where n > 1, as many with 0. N = 16 is beyond trying all partitions."""
    bound = partition_search.best_partition(shared(equal_halves, [2] * (2 * half)))
    assert bound.bits == half + 1
    assert bound.searched.startswith("all" if half <= 5 else "prefixes")
    bound.verify()


@pytest.mark.parametrize("length", [4, 6, 8])
def test_bounded_dyck_needs_odd_against_even(length):
    """Lemma 1's fooling set, 2^(N-1) leaves with the answer 1; no prefix comes near it."""
    call = BoundedDyck(length).function(length)
    bound = partition_search.best_partition(shared(lambda word: call(tuple(word)), [4] * length))
    assert bound.alice == tuple(range(0, length, 2))
    assert bound.parts[[part.label for part in bound.parts].index(1)].leaves == 2 ** (length - 1)
    assert bound.bits == length + 1


@pytest.mark.parametrize("seed", range(20))
def test_partition_bounds_are_below_the_exact_cost(seed):
    """Against D(f) of the same partition by search, and with inputs outside the domain too."""
    table = random_table(seed, most=4, outside=0.0 if seed % 2 else 0.2)
    if len(table.alphabets) < 2 or not (table.labels != OUTSIDE).any():
        return
    bound = partition_search.best_partition(SharedFunction.of_table(table))
    bound.verify()
    assert bound.partitions == 2 ** (len(table.alphabets) - 1) - 1
    assert bound.bits <= protocol_cost(two_party(table.values(), bound.alice)).bits


@pytest.mark.parametrize(
    ("function", "label", "size"),
    [
        (equal_halves, 1, 16),
        (lambda word: any(a and b for a, b in zip(word[:4], word[4:], strict=True)), 0, 16),
        (lambda word: 2 * sum(word) > 8, 1, 4),
        (lambda word: word[word[4] + 2 * word[5]], 1, 4),
    ],
    ids=["equality", "disjointness", "majority", "index"],
)
def test_known_fooling_sets_of_two_halves(function, label, size):
    """Verified pair by pair. Majority: i ones and 5 - i, i = 1 .. 4; index: question q, and the word whose only 1 is at q."""
    values = tabulate(lambda word: int(function(word)), alphabet_ranges([2] * 8))
    places = {answer: place for place, answer in enumerate(values.answers)}
    witness = fooling_set(two_party(values.values(), range(4)), value=places[label], maximum=size < 16).witness
    witness.verify()
    assert len(witness.rows) == size
    with pytest.raises(ValueError, match="fool nobody"):
        replace(
            witness, rows=np.append(witness.rows, witness.rows[0]), columns=np.append(witness.columns, witness.columns[0])
        ).verify()


def test_all_different_rows_count_at_20_positions():
    """1,024 rows and columns, all of them kept; the witnesses were checked."""
    half = np.arange(1 << 10)
    table = Tabulated(alphabet_ranges([2] * 20), (half[:, None] == half).astype(np.int64).reshape(-1), (0, 1))
    bound = partition_search.best_partition(SharedFunction.of_table(table))
    assert (bound.leaves, bound.bits, bound.measure) == (2048, 11, "rank over GF(2)")


def test_what_is_outside_the_domain_is_no_answer():
    """Equality where other pairs are outside the domain: no bit is needed, though the matrix of its ones has full rank."""
    bound = partition_search.best_partition(shared(lambda word: 1 if equal_halves(word) else None, [2] * 6))
    assert (bound.bits, bound.measure) == (0, "fooling set")
    some = partition_search.best_partition(shared(lambda word: equal_halves(word) if word[0] else None, [2] * 6))
    assert some.bits == 3


def test_partitions_of_an_automaton():
    """From an automaton alone, beyond all enumeration: interleaved equality, where equal pairs stand apart."""
    same = regular.automaton("(00|11)*")
    bound = partition_search.best_partition(SharedFunction.of_automaton(least_state.of_automaton(same, 64).automaton))
    assert bound.bits >= 5
    assert len(set(bound.alice)) < 64
    bound.verify()


@pytest.mark.parametrize("turned", [False, True])
def test_what_cannot_gain_a_bit_is_not_measured(monkeypatch, turned):
    """Rows and columns both bound the leaves: with few of either, whoever owns them, a partition is left out.

    Four bits and the number of one of them, asked for last or first: all partitions have few rows or few columns.
    """
    measured = []

    def spy(matrix):
        some = parts(matrix)
        measured.append((matrix.shape, sum(part.leaves for part in some)))
        return some

    parts = partition_search.parts
    monkeypatch.setattr(partition_search, "parts", spy)
    search = partition_search._PartitionSearch(shared(lambda word: word[word[-1]], [2, 2, 2, 2, 4]))
    halves = [(0, 1, 2, 3), (4,), (0, 1), (0, 4), (2, 3, 4)]
    for alice in reversed(halves) if turned else halves:
        known = (len(measured), search.leaves)
        matrix = search.function.matrix(alice, 1 << 20, 1 << 10)
        could_gain = ceil_log2(min(matrix.shape) * 2) > ceil_log2(max(known[1], 1))
        search.attempt(alice)
        assert len(measured) - known[0] == (could_gain or known == (0, 0))
    assert search.partitions == len(halves)
    assert 0 < len(measured) < len(halves)
    assert search.leaves == max(leaves for _, leaves in measured)

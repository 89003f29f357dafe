"""Ranks by counting: against written-out matrices, known ranks at lengths beyond them, and spoiled counts."""

from dataclasses import replace

import numpy as np
import pytest

from seqsep.maths import formulas
from seqsep.maths.automata import diagrams, least_state, regular
from seqsep.maths.automata.layered import of_values
from seqsep.maths.communication import partition_search, rank_by_counting
from seqsep.maths.communication.communication import of_values as two_party
from seqsep.maths.communication.communication import protocol_cost, rank_bound
from seqsep.maths.communication.rank_by_counting import RankByCounting, best_counted, count
from seqsep.theorems.bounded_dyck.state import build as bounded_dyck
from support.small_functions import random_table


def folded(length: int) -> list[int]:
    return [place for first in range(length // 2) for place in (first, first + length // 2)]


def sums(counted: RankByCounting, values: np.ndarray) -> tuple[int, int]:
    """T and Q from the matrix, written out."""
    bob = [place for place in range(values.ndim) if place not in counted.alice]
    parties = [list(counted.alice), bob]
    rows = int(np.prod([values.shape[place] for place in counted.alice]))
    matrix = (values.transpose(parties[0] + parties[1]).reshape(rows, -1) == counted.label).astype(object)
    weights = []
    for places, weight in zip(parties, counted.weights, strict=True):
        each = np.ones(1, dtype=object)
        for place in places:
            each = np.multiply.outer(each, np.array(weight[: values.shape[place]], dtype=object)).reshape(-1)
        weights.append(each)
    both = weights[0][:, None] * weights[1] * matrix
    gram = (matrix * weights[1]) @ matrix.T
    return int(both.sum()), int((weights[0][:, None] * weights[0] * gram**2).sum())


@pytest.mark.parametrize("seed", range(40))
def test_sums_are_those_of_the_matrix(seed):
    """Random functions, partitions, weights and answers; the bound is below the rank, and its bits below the exact cost."""
    table = random_table(seed, most=4, outside=0.0)
    if len(table.alphabets) < 2:
        return
    random = np.random.default_rng(seed)
    values = table.values()
    length = values.ndim
    alice = tuple(sorted(random.choice(length, size=int(random.integers(1, length)), replace=False).tolist()))
    weights = tuple(tuple(random.integers(0, 4, max(table.alphabets)).tolist()) for _ in range(2))
    for label in range(len(table.answers)):
        for chosen in (None, weights):
            counted = count(of_values(values), range(length), alice, label=label, weights=chosen)
            if counted is None:
                continue
            counted.verify()
            assert (counted.squares, counted.rectangles) == sums(counted, values)
            matrix = two_party((values == label).astype(np.int64), alice)
            assert 1 <= counted.rank <= rank_bound(matrix).value
            assert counted.bits <= protocol_cost(two_party(values, alice)).bits


def test_the_order_of_reading_does_not_matter():
    formula = formulas.disjointness(8)
    in_order = count(diagrams.of_formula(formula).automaton, range(8), range(4), label=0)
    in_turn = count(diagrams.read_in(formula, folded(8)), folded(8), range(4), label=0)
    assert (in_order.squares, in_order.rectangles) == (in_turn.squares, in_turn.rectangles) == (3**4, 7**4)


@pytest.mark.parametrize("length", [12, 64, 128])
def test_known_costs_of_two_halves(length):
    """Equality has a fooling set of 2^(N/2), disjointness the rank 2^(N/2): with both answers N/2 + 1 bits."""
    for formula in (formulas.equality(length), formulas.disjointness(length)):
        counted = best_counted(diagrams.read_in(formula, folded(length)), folded(length))
        assert counted.alice == tuple(range(length // 2))
        assert counted.bits == length // 2 + 1
        assert counted.rank <= 2 ** (length // 2)
    equal = count(diagrams.read_in(formulas.equality(length), folded(length)), folded(length), range(length // 2), label=1)
    assert equal.rank == equal.squares == equal.rectangles == 2 ** (length // 2)


@pytest.mark.parametrize("length", [8, 64])
def test_bounded_dyck_has_the_fooling_set_of_lemma_1(length):
    """2^(N-1) words of depth 2, of which no two mix: each is alone in its row and column, so T = Q."""
    automaton = least_state.of_automaton(bounded_dyck(2, 2), length).automaton
    counted = best_counted(automaton)
    assert counted.alice == tuple(range(0, length, 2))
    assert counted.rank == counted.squares == counted.rectangles == 2 ** (length - 1)
    assert counted.bits == length


@pytest.mark.parametrize("length", [8, 12])
def test_majority_and_a_counter_have_small_ranks(length):
    """N/2 + 1 numbers of ones in each half: the rank is at most that, and the bound is below it."""
    automaton = diagrams.of_formula(formulas.majority(length)).automaton
    assert best_counted(automaton).rank <= length // 2 + 1
    constant = least_state.of_automaton(regular.automaton("(0|1)*"), length).automaton
    assert best_counted(constant).leaves == 1


def test_matrices_and_counting_agree():
    """At N = 8, where both run, the matrices' bound is exact and counting reaches it."""
    for formula in (formulas.equality(8), formulas.disjointness(8)):
        shared = partition_search.SharedFunction.of_automaton(diagrams.of_formula(formula).automaton)
        assert best_counted(diagrams.read_in(formula, folded(8)), folded(8)).bits == 5
        assert partition_search.best_partition(shared).bits >= 5


def test_what_is_not_counted(monkeypatch):
    automaton = diagrams.of_formula(formulas.majority(8)).automaton
    assert count(automaton, range(8), range(4), label=7) is None
    assert count(automaton, range(8), range(4), label=1, weights=((0, 0), (1, 1))) is None
    monkeypatch.setattr(rank_by_counting, "MOST_QUADRUPLES", 3)
    assert best_counted(automaton) is None
    monkeypatch.setattr(rank_by_counting, "MOST_QUADRUPLES", 800)
    monkeypatch.setattr(rank_by_counting, "MOST_STEPS", 3)
    assert best_counted(automaton) is None
    with pytest.raises(ValueError, match="expected at most 256"):
        best_counted(least_state.of_automaton(regular.automaton("(00|11)*"), 257).automaton)


SPOILED = {
    "squares": lambda good: replace(good, squares=good.squares + 1),
    "rectangles": lambda good: replace(good, rectangles=good.rectangles - 1),
    "the other answer": lambda good: replace(good, label=1),
    "another partition": lambda good: replace(good, alice=(0, 1, 2)),
    "weights": lambda good: replace(good, weights=((1, 2), (1, 1))),
    "negative weights": lambda good: replace(good, weights=((1, -1), (1, 1))),
    "places": lambda good: replace(good, places=(0, 1, 2, 3, 4, 5, 6, 6)),
    "positions": lambda good: replace(good, alice=(0, 9)),
    "the automaton": lambda good: replace(good, automaton=diagrams.of_formula(formulas.equality(8)).automaton),
}


@pytest.mark.parametrize("what", list(SPOILED))
def test_spoiled_counts_are_noticed(what):
    good = count(diagrams.of_formula(formulas.disjointness(8)).automaton, range(8), range(4), label=0)
    good.verify()
    with pytest.raises(ValueError, match="RankByCounting"):
        SPOILED[what](good).verify()


def test_one_position_cannot_be_divided():
    assert best_counted(of_values(np.array([0, 1]))) is None

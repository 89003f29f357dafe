"""No machine beats the ceilings of tasks that follow a state; some machines attain them."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.automata.permutations import order_of
from seqsep.tasks import (
    FlipFlop,
    InductionHeads,
    ModularCount,
    ParityConditionedRecall,
    PermutationTrace,
    SelectiveCopying,
    StateBasedRecall,
    WordProblem,
)
from seqsep.tasks.ceilings import ceiling, first_bitten_length, least_state_bits, longest

TASKS = [
    WordProblem(30, degree=3),
    WordProblem(30, degree=4, letters="transpositions", ask="last"),
    WordProblem(30, "dihedral", 5, "generators", "pointer"),
    WordProblem(2, "symmetric", 5, "adjacent"),
    WordProblem(1),
    ModularCount(30, 5),
    ModularCount(30, 7, ask="last"),
    FlipFlop(30, 2, 3, 20),
    PermutationTrace(30, 4),
    InductionHeads(30, 8),
    SelectiveCopying(30, 3, 4),
    StateBasedRecall(30, 3, 4),
    ParityConditionedRecall(9, 3),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_a_ceiling_rises_to_1_at_the_bits_of_all_inputs(task):
    enough = task.answer_bits()
    limits = [ceiling(task, bits) for bits in range(enough + 2)]
    assert all(0 < limit <= 1 for limit in limits)
    assert limits == sorted(limits)
    assert limits[enough] == limits[enough + 1] == 1.0
    least = least_state_bits(task, accuracy=1.0)
    assert least <= enough
    assert least == 0 or ceiling(task, least - 1) < 1.0
    assert first_bitten_length(task, 0) is None
    if limits[0] < 1:
        with pytest.raises(ValueError, match="expected one whose ceiling falls only with its length"):
            longest(task, 0, 0.5)


def best_machine(length: int, moves: np.ndarray, weights: list[int], states: int) -> Fraction:
    """The greatest probability that all answers are right, over all machines that may depend on the time, by search.

    A machine has an answer and a next state for each (state, letter). An answer is right for one point of the state only. At
    the last letter it is right for the most probable one.
    """
    total = sum(weights)

    def search(alive: dict[tuple[int, int], Fraction], left: int) -> Fraction:
        """`alive` has the probability of each (state, point) with all answers right so far."""
        points = {state: [point for other, point in alive if other == state] for state, _ in alive}
        if left <= 1:
            return sum((max(alive[state, point] for point in some) for state, some in points.items()), Fraction(0))
        best = Fraction(0)
        situations = [(state, letter) for state in points for letter in range(len(weights))]
        for answered in itertools.product(*(points[state] for state, _ in situations)):
            kept = [
                (int(moves[letter, point]), alive[state, point] * Fraction(weights[letter], total))
                for (state, letter), point in zip(situations, answered, strict=True)
            ]
            for after in itertools.product(range(states), repeat=len(kept)):
                merged: dict[tuple[int, int], Fraction] = {}
                for state, (point, share) in zip(after, kept, strict=True):
                    merged[state, point] = merged.get((state, point), Fraction(0)) + share
                best = max(best, search(merged, left - 1))
        return best

    return search({(0, 0): Fraction(1)}, length)


@pytest.mark.parametrize(
    ("task", "state_bits", "is_attained"),
    [
        (ModularCount(1), 0, True),
        (ModularCount(2), 0, True),
        (ModularCount(3), 0, True),
        (ModularCount(4), 0, True),
        (ModularCount(2, 3), 0, True),
        (ModularCount(3, 3), 0, True),
        (ModularCount(4, 3), 0, True),
        (ModularCount(3, 3), 1, False),
        (ModularCount(2, 2, 3), 0, True),
        (WordProblem(2, "cyclic", 3), 0, True),
        (WordProblem(2, "cyclic", 3), 1, True),
        (WordProblem(2, "cyclic", 4), 1, True),
    ],
    ids=repr,
)
def test_no_machine_beats_the_ceiling_of_letters(task, state_bits, is_attained):
    if isinstance(task, WordProblem):
        best = best_machine(task.length, task.moves(), [1] * task.letter_count, 1 << state_bits)
    else:
        each = np.arange(task.modulus)
        moves = np.stack([each, (each + 1) % task.modulus, *[each] * (task.alphabet - 2)])
        best = best_machine(task.length, moves, [1] * task.alphabet, 1 << state_bits)
    highest = Fraction(ceiling(task, state_bits))
    assert best <= highest
    assert (highest - best < Fraction(1, 1 << 50)) == is_attained


@pytest.mark.parametrize(
    ("group", "degree", "subgroup"), [("cyclic", 4, 2), ("cyclic", 8, 4), ("dihedral", 4, 2), ("dicyclic", 2, 4)]
)
def test_a_subgroup_attains_the_ceiling(group, degree, subgroup):
    """The machine of the proof: its states at even times are the products in H, and at odd times sets that meet each coset."""
    task = WordProblem(5, group, degree)
    products = task.finite_group.products
    elements = range(len(products))
    inside = next(
        sorted(found)
        for chosen in itertools.combinations(elements, subgroup)
        if {int(products[g, h]) for g, h in itertools.product(chosen, repeat=2)} == (found := set(chosen))
    )
    cosets = {tuple(sorted(int(products[g, h]) for h in inside)) for g in elements}
    sets = [{coset[place] for coset in cosets} for place in range(subgroup)]
    right = Fraction(1)
    alive = {0: Fraction(1)}
    for _ in range(task.length // 2):
        after: dict[int, Fraction] = {}
        for product, share in alive.items():
            for first, second in itertools.product(elements, repeat=2):
                held = next(one for one in sets if int(products[first, product]) in one)
                meant = next(one for one in held if int(products[second, one]) in inside)
                if meant == products[first, product]:
                    moved = int(products[second, meant])
                    after[moved] = after.get(moved, Fraction(0)) + share / len(products) ** 2
        alive = after
        right = sum(alive.values(), Fraction(0))
    assert right == Fraction(subgroup, order_of(group, degree)) ** (task.length // 2)
    assert right == Fraction(ceiling(task, subgroup.bit_length() - 1))


@pytest.mark.parametrize("letters", ["all", "generators", "transpositions", "adjacent"])
def test_the_ceiling_at_the_end_is_that_of_all_words(letters):
    """The most probable products of all words, counted one by one."""
    task = WordProblem(4, degree=3, letters=letters, ask="last")
    counts = np.bincount([task.solve((*word, task.end)) for word in itertools.product(range(task.letter_count), repeat=4)])
    for state_bits in range(3):
        best = Fraction(int(np.sort(counts)[-(1 << state_bits) :].sum()), int(counts.sum()))
        assert best <= Fraction(ceiling(task, state_bits)) <= best + Fraction(1, 1 << 50)


def test_a_long_word_has_a_positive_ceiling():
    assert ceiling(WordProblem(2**20), 6) == 5e-324
    assert 0 < ceiling(WordProblem(2000), 6) < 1e-200
    assert ceiling(ModularCount(2**20, 2**20), 6) == 1.0
    assert ceiling(ModularCount(2**20, 2**20), 0) == 5e-324


def test_registers():
    """One register of two bits: right by the last write that one bit holds, or if nothing was written."""
    unwritten = (1 - 0.4) ** 9
    assert ceiling(FlipFlop(10, 1, 4, 20), 1) == pytest.approx(0.5 + unwritten)
    assert ceiling(FlipFlop(2, 1, 4, 20), 1) == 1.0
    assert ceiling(FlipFlop(400, 2, 4, 0), 0) == pytest.approx(0.25)


def test_forms():
    assert [ceiling(InductionHeads(9, 8), bits) for bits in range(4)] == [1 / 8, 1 / 4, 1 / 2, 1.0]
    assert [ceiling(SelectiveCopying(9, 2, 4), bits) for bits in range(5)] == [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0]
    assert ceiling(StateBasedRecall(9, 3, 4), 0) == pytest.approx(1 / 4)
    assert ceiling(PermutationTrace(9, 4), 0) == pytest.approx(1 / 4)
    assert ceiling(ParityConditionedRecall(8, 4), 0) == pytest.approx(1 / 4)
    assert ceiling(ParityConditionedRecall(1, 2), 0) == 1.0
    assert least_state_bits(ParityConditionedRecall(9, 2), 1.0) == 8

"""Every lower bound <= D(f) <= every upper bound; Facts 1 to 4 of appendices B.1 and E."""

import itertools

import numpy as np
import pytest

from seqsep.maths.communication import communication
from seqsep.maths.communication.communication import TwoParty, two_party
from seqsep.maths.communication.witnesses import OUTSIDE
from seqsep.tasks import BoundedDyck, IndexLookup
from support.small_matrices import random_matrices

FIELDS = ("rationals", "gf2")


def lower_bounds(f: TwoParty):
    yield from (communication.rank_bound(f, field) for field in FIELDS)
    yield from (communication.fooling_set(f, answer) for answer in f.answers)
    if set(f.answers) <= {0, 1}:
        yield communication.discrepancy_bound(f)


@pytest.mark.slow
@pytest.mark.unchecked
def test_bounds_enclose_the_exact_cost_on_10_000_matrices():
    met, seen = set(), set()
    for f in itertools.chain(random_matrices(8_000, 2, 0), random_matrices(2_000, 3, 1)):
        if (key := (f.matrix.shape, f.matrix.tobytes())) in seen:
            continue
        seen.add(key)
        exact = communication.protocol_cost(f)
        assert (exact.label, exact.of) == ("exact", "two-way")
        for measure in lower_bounds(f):
            assert (measure.label, measure.of) == ("lower", "two-way")
            assert measure.bits <= exact.bits, (measure, f)
            if measure.bits >= exact.bits - 1 >= 2:
                met.add(measure.name)
        upper = communication.trivial_cost(f)
        assert (upper.label, upper.of) == ("upper", "two-way")
        assert exact.bits <= upper.bits, f
    assert len(seen) > 3_500
    assert met == {"log-rank", "log-rank over GF(2)", "fooling set", "discrepancy"}


def depth_by_definition(matrix: tuple[tuple[int, ...], ...], known: dict) -> int:
    """The least depth by plain recursion over all splits."""
    if matrix not in known:
        flat = {entry for row in matrix for entry in row}
        best = 0 if len(flat) == 1 else 99
        for turned in (matrix, tuple(zip(*matrix, strict=True))) if best else ():
            for mask in range(1, (1 << len(turned)) - 1):
                parts = [tuple(row for place, row in enumerate(turned) if mask >> place & 1 == bit) for bit in (0, 1)]
                best = min(best, 1 + max(depth_by_definition(part, known) for part in parts))
        known[matrix] = best
    return known[matrix]


def test_the_exact_cost_is_the_definitions_and_its_tree_runs():
    known: dict = {}
    for f in itertools.chain(random_matrices(200, 2, 2), random_matrices(100, 4, 3)):
        exact = communication.protocol_cost(f)
        assert exact.bits == depth_by_definition(tuple(map(tuple, f.matrix.tolist())), known)
        exact.witness.verify()
        for row, column in np.ndindex(f.matrix.shape):
            answer, sent = exact.witness.answer(row, column)
            assert answer == f.matrix[row, column]
            assert len(sent) <= exact.bits


def test_every_witness_verifies():
    for f in itertools.chain(random_matrices(100, 2, 4), random_matrices(100, 3, 5)):
        for measure in (*lower_bounds(f), communication.distinct_rows(f), communication.incompatible_rows(f)):
            measure.witness.verify()
        communication.merged_rows(f).witness.verify()
        communication.trivial_cost(f).witness.verify()


@pytest.mark.parametrize("bits", range(1, 9))
def test_facts_1_to_4(bits):
    """DISJ (1 where the sets meet) and EQ cost at least N bits, INDEX N one way, and Fact 4 is a theorem about fooling sets."""
    size = 1 << bits
    sets = np.arange(size)
    meet = TwoParty(((sets[:, None] & sets) != 0).astype(np.int64))
    assert communication.fooling_set(meet, 0).value == size  # a set and its complement
    assert communication.rank_bound(meet).value == size - 1
    assert communication.fooling_set(meet, 0).bits == bits  # Fact 1
    assert communication.rank_bound(meet).bits == (bits if bits > 1 else 0)
    assert communication.distinct_rows(meet).bits == bits
    equal = TwoParty(np.eye(size, dtype=np.int64))
    for measure in (communication.fooling_set(equal), communication.rank_bound(equal), communication.rank_bound(equal, "gf2")):
        assert measure.bits == bits  # Fact 2
        measure.witness.verify()
    assert communication.trivial_cost(equal).bits == bits + 1
    index = TwoParty(sets[:, None] >> np.arange(bits) & 1)
    one_way = communication.distinct_rows(index)
    assert (one_way.bits, one_way.label, one_way.of) == (bits, "exact", "one-way")  # Fact 3
    one_way.witness.verify()
    assert communication.distinct_rows(index.transposed()).bits == bits.bit_length() - (bits & (bits - 1) == 0)
    if bits <= 3:  # Fact 4: the exact cost is no less; EQ needs one bit more, for the answer 0
        assert communication.protocol_cost(meet).bits == bits + 1
        assert communication.protocol_cost(equal).bits == bits + 1


def test_equality_of_16_is_solved_exactly():
    cost = communication.protocol_cost(TwoParty(np.eye(16, dtype=np.int64)))
    assert cost.bits == 5
    assert cost.witness.leaves >= 17


def test_any_partition_of_a_task():
    dyck = BoundedDyck(4)
    apart = two_party(lambda word: dyck.solve(tuple(word)), (4,) * 4, (0, 2))
    assert apart.matrix.shape == (16, 16)
    assert int(apart.matrix.sum()) == 8  # words of length 4
    assert communication.fooling_set(apart).value == 8
    prefix = two_party(lambda word: dyck.solve(tuple(word)), (4,) * 4, (0, 1))
    assert communication.distinct_rows(prefix).value == 6  # 5 stacks of even depth, and dead
    lookup = IndexLookup(3, alphabet=2)
    sizes = (2, 2, 2, 3)
    split = two_party(lambda tokens: lookup.solve((*tokens[:3], tokens[3] + 2)), sizes, (0, 1, 2))
    assert communication.distinct_rows(split).bits == lookup.answer_bits() == 3
    other = two_party(lambda tokens: lookup.solve((*tokens[:3], tokens[3] + 2)), sizes, (3, 1))
    assert other.matrix.shape == (6, 4)
    for row, (middle, question) in enumerate(itertools.product(range(2), range(3))):
        for column, (first, last) in enumerate(itertools.product(range(2), range(2))):
            assert other.matrix[row, column] == (first, middle, last)[question]


def test_partial_functions_are_bounded_from_both_sides():
    """By brute force over all ways to merge rows; below and above are not always equal, and labelled."""
    random = np.random.default_rng(7)
    for _ in range(60):
        f = TwoParty(random.integers(OUTSIDE, 2, size=(random.integers(2, 6), random.integers(2, 5))))
        if not f.answers:
            continue
        least = min(
            len(set(way)) for way in itertools.product(range(len(f.matrix)), repeat=len(f.matrix)) if fits(f.matrix, way)
        )
        below, above = communication.incompatible_rows(f), communication.merged_rows(f)
        assert (below.label, above.label) == ("lower", "upper")
        assert below.value <= least <= above.value
        below.witness.verify()
        above.witness.verify()
        for answer in f.answers:
            measure = communication.fooling_set(f, answer)
            measure.witness.verify()
            assert measure.bits <= communication.protocol_cost(f).bits
    # Rows around a circle, each contradicting its two neighbours: no 3 of them pairwise, and 2 classes are not enough.
    circle = np.full((5, 5), OUTSIDE)
    for row in range(5):
        circle[row, row], circle[row, row - 1] = 0, 1
    assert communication.incompatible_rows(TwoParty(circle)).value == 2
    assert communication.merged_rows(TwoParty(circle)).value == 3


def fits(matrix: np.ndarray, way: tuple[int, ...]) -> bool:
    return all(
        len(set(matrix[[place for place, number in enumerate(way) if number == one], column].tolist()) - {OUTSIDE}) <= 1
        for one in set(way)
        for column in range(matrix.shape[1])
    )


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        (lambda: TwoParty(np.zeros((0, 2), dtype=np.int64)), "TwoParty"),
        (lambda: TwoParty(np.full((2, 2), -2)), "from 0, or -1"),
        (lambda: two_party(sum, (2, 2), (0, 0)), "different positions"),
        (lambda: two_party(sum, (2, 2), (2,)), "different positions"),
        (lambda: two_party(lambda tokens: -3, (2, 2), (0,)), r"found -3 for \[0, 0\]"),
        (lambda: two_party(lambda tokens: 0.5, (2, 2), (0,)), "found 0.5"),
        (lambda: two_party(sum, (2,) * 30, (0,)), "inputs, at most"),
        (lambda: communication.distinct_rows(TwoParty(np.array([[-1, 0]]))), "outside its domain"),
        (lambda: communication.rank_bound(TwoParty(np.array([[-1, 0]]))), "outside its domain"),
        (lambda: communication.rank_bound(TwoParty(np.array([[1, 0]])), "reals"), "rationals or gf2"),
        (lambda: communication.fooling_set(TwoParty(np.array([[1, 0]])), 2), r"answers are \[0, 1\]"),
        (lambda: communication.discrepancy_bound(TwoParty(np.array([[2, 0]]))), "answers 0 and 1"),
        (lambda: communication.protocol_cost(TwoParty(np.eye(17, dtype=np.int64))), "at most 16 x 16"),
        (lambda: communication.protocol_cost(TwoParty(np.eye(8, dtype=np.int64)), most_nodes=3), "within 3 rectangles"),
    ],
)
def test_bad_arguments_are_named(call, wrong):
    with pytest.raises(ValueError, match=wrong):
        call()

"""Every lower bound <= D(f) <= every upper bound; witnesses re-check; Facts 1 to 4 of appendices B.1 and E."""

import itertools
import math

import numpy as np
import pytest

from seqsep.exact import communication
from seqsep.exact._elimination import greatest_prime_below, most_modulus
from seqsep.exact.communication import TwoParty, two_party
from seqsep.exact.protocol_trees import Bit, Leaf, ProtocolTree
from seqsep.exact.witnesses import OUTSIDE, Discrepancy, DistinctRows, FoolingSet, IncompatibleRows, Merged, Rank
from seqsep.tasks import BoundedDyck, IndexLookup

FIELDS = ("rationals", "gf2")


def random_matrices(count: int, answers: int, seed: int):
    random = np.random.default_rng(seed)
    for _ in range(count):
        yield TwoParty(random.integers(answers, size=random.integers(1, 5, size=2)))


def lower_bounds(f: TwoParty):
    yield from (communication.rank_bound(f, field) for field in FIELDS)
    yield from (communication.fooling_set(f, answer) for answer in f.answers)
    if set(f.answers) <= {0, 1}:
        yield communication.discrepancy_bound(f)


@pytest.mark.unchecked
def test_bounds_enclose_the_exact_cost_on_10_000_random_matrices():
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


def test_ranks_are_those_of_exact_elimination():
    """Against elimination over fractions, and over GF(2) by listing the row space; small entries with many dependencies."""
    from fractions import Fraction

    random = np.random.default_rng(6)
    for _ in range(150):
        rows, columns, inner = random.integers(1, 7, size=3)
        matrix = random.integers(0, 3, size=(rows, inner)) @ random.integers(0, 3, size=(inner, columns))
        left = [[Fraction(int(entry)) for entry in row] for row in matrix]
        rank = 0
        for column in range(columns):
            pivot = next((row for row in range(rank, rows) if left[row][column]), None)
            if pivot is None:
                continue
            left[rank], left[pivot] = left[pivot], left[rank]
            for row in range(rank + 1, rows):
                factor = left[row][column] / left[rank][column]
                left[row] = [one - factor * other for one, other in zip(left[row], left[rank], strict=True)]
            rank += 1
        found = communication.rank_bound(TwoParty(matrix))
        assert found.value == rank
        found.witness.verify() if rank else None
        space = {tuple(np.array(sum_) @ (matrix % 2) % 2) for sum_ in itertools.product((0, 1), repeat=int(rows))}
        assert 2 ** communication.rank_bound(TwoParty(matrix), "gf2").value == len(space)


def test_a_rank_below_the_number_of_different_rows_and_columns():
    """Each column of the right half is 1 less one of the left: rank 129 of 256, shown by primes up to Hadamard's bound."""
    left = np.random.default_rng(10).integers(2, size=(256, 128))
    found = communication.rank_bound(TwoParty(np.concatenate([left, 1 - left], axis=1)))
    assert found.value == 129
    found.witness.verify()


def test_a_rank_that_vanishes_modulo_the_first_prime():
    """The determinant is the first prime that is tried: modulo it the rank is 1, over the rationals 2."""
    first = greatest_prime_below(most_modulus(3) + 1)
    matrix = np.array([[first, 0, 0], [0, 1, 0], [0, 1, 0]])
    found = communication.rank_bound(TwoParty(matrix))
    assert found.value == 2
    assert found.witness.prime < first
    found.witness.verify()


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
    found = communication.protocol_cost(TwoParty(np.eye(16, dtype=np.int64)))
    assert found.bits == 5
    assert found.witness.leaves >= 17


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


def test_the_largest_fooling_set_is_brute_forces():
    pytest.importorskip("pysat", reason="python-sat, the extra `exact`")
    larger = 0
    for f in random_matrices(120, 2, 8):
        for value in f.answers:
            inputs = np.argwhere(f.matrix == value).tolist()
            best = max(size for size in range(1, len(inputs) + 1) if any(
                is_fooling(f.matrix, value, some) for some in itertools.combinations(inputs, size)
            )) if len(inputs) <= 8 else None  # fmt: skip
            found = communication.fooling_set(f, value, maximum=True)
            found.witness.verify()
            assert found.label == "lower"
            if best is not None:
                assert found.value == best
            greedy = communication.fooling_set(f, value).value
            assert greedy <= found.value
            larger += greedy < found.value
    meet = TwoParty((np.arange(8)[:, None] & np.arange(8) != 0).astype(np.int64))
    assert communication.fooling_set(meet, 1, maximum=True).value >= 3
    assert communication.fooling_set(meet, 0, maximum=True).value == 8


def is_fooling(matrix, value, inputs) -> bool:
    pairs = itertools.combinations(inputs, 2)
    return all(matrix[x, other] != value or matrix[row, y] != value for (x, y), (row, other) in pairs)


def subsets(size: int) -> list[list[int]]:
    return [list(itertools.compress(range(size), mask)) for mask in itertools.product((0, 1), repeat=size)]


def test_discrepancy_is_brute_forces_and_the_spectral_bound_is_above_it():
    random = np.random.default_rng(9)
    for _ in range(60):
        matrix = random.integers(2, size=random.integers(1, 6, size=2))
        signs = 2 * matrix - 1
        rectangles = itertools.product(*map(subsets, matrix.shape))
        worst = max(abs(int(signs[rows][:, columns].sum())) for rows, columns in rectangles)
        found = communication.discrepancy_bound(TwoParty(matrix))
        assert found.value == worst
        assert found.bits == math.ceil(math.log2(matrix.size / worst) - 1e-12)
        norm = int(np.abs(signs @ signs.T).sum(axis=1).max())
        assert math.isqrt(norm * matrix.size) >= worst
    size = 64
    inner = np.array([[bin(x & y).count("1") % 2 for y in range(size)] for x in range(size)])
    found = communication.discrepancy_bound(TwoParty(inner))
    assert found.value == 512  # sqrt(64 * 64 * 64): Lindsey's lemma
    assert found.bits == 3
    found.witness.verify()


SPOILED = [
    (lambda: DistinctRows(np.eye(3, dtype=np.int64), np.arange(3), np.arange(1)), "different in the columns"),
    (lambda: DistinctRows(np.eye(3, dtype=np.int64), np.arange(2), np.arange(3)), "none of them"),
    (lambda: DistinctRows(np.eye(3, dtype=np.int64) - 1, np.arange(3), np.arange(3)), "not defined"),
    (lambda: IncompatibleRows(np.array([[1, -1], [-1, 0]]), np.arange(2)), "rows 0 and 1 may be merged"),
    (lambda: Merged(np.array([[1, 0], [1, 1]]), np.array([0, 0])), "contradict"),
    (lambda: Merged(np.array([[1, 0], [1, 1]]), np.array([0])), "1 classes for 2 rows"),
    (lambda: Rank(np.ones((2, 2), dtype=np.int64), np.arange(2), np.arange(2), 7), "singular modulo 7"),
    (lambda: Rank(np.eye(2, dtype=np.int64), np.arange(2), np.arange(1), 7), "2 rows and 1 columns"),
    # Modulo 9 the "inverse" by Fermat is none, and elimination would pass a singular minor.
    (lambda: Rank(np.full((2, 2), 2), np.arange(2), np.arange(2), 9), "9 is no prime"),
    (lambda: Rank(np.eye(2, dtype=np.int64), np.arange(2), np.arange(2), 1), "1 is no prime"),
    (lambda: Rank(np.eye(2, dtype=np.int64), np.array([0, 2]), np.arange(2), 7), "rows are numbers from 0 to 1"),
    (lambda: FoolingSet(np.eye(2, dtype=np.int64), 1, np.array([0]), np.array([-2])), "columns are numbers from 0 to 1"),
    (lambda: IncompatibleRows(np.eye(2, dtype=np.int64), np.array([0, 5])), "rows are numbers from 0 to 1"),
    (lambda: Discrepancy(np.ones((2, 2), dtype=np.int64), 8, np.array([0, 0, 1, 1]), np.arange(2)), "stands twice"),
    (lambda: FoolingSet(np.ones((2, 2), dtype=np.int64), 1, np.arange(2), np.arange(2)), "fool nobody"),
    (lambda: FoolingSet(np.array([[1, -1], [-1, 1]]), 1, np.arange(2), np.arange(2)), "fool nobody"),
    (lambda: FoolingSet(np.eye(2, dtype=np.int64), 1, np.array([0, 0]), np.array([0, 0])), "fool nobody"),
    (lambda: FoolingSet(np.eye(2, dtype=np.int64), 1, np.array([0]), np.array([1])), "answer other than 1"),
    (lambda: FoolingSet(np.eye(2, dtype=np.int64), 1, np.arange(0), np.arange(0)), "0 rows"),
    (lambda: Discrepancy(np.ones((2, 2), dtype=np.int64), 1, np.array([0]), np.array([0])), "a rectangle has 4"),
    (lambda: Discrepancy(np.eye(2, dtype=np.int64), 2, np.array([0]), np.array([0])), "has 1, not 2"),
    (lambda: Discrepancy(np.eye(2, dtype=np.int64), 1), "below the spectral bound"),
    (lambda: Discrepancy(2 * np.eye(2, dtype=np.int64), 1), "not all 0 and 1"),
    (lambda: ProtocolTree(np.eye(2, dtype=np.int64), Bit("bob", frozenset({1}), Leaf(1), Leaf(0)), 1), "answered 1, not 0"),
    (lambda: ProtocolTree(np.zeros((2, 1), dtype=np.int64), Bit("alice", frozenset({1}), Leaf(0), Leaf(0)), 1), "depth 0"),
    (lambda: ProtocolTree(np.zeros((1, 1), dtype=np.int64), Leaf(0), 1), "depth 1 is claimed"),
]  # fmt: skip


@pytest.mark.parametrize(("spoiled", "wrong"), SPOILED)
def test_spoiled_witnesses_are_rejected(spoiled, wrong):
    with pytest.raises(ValueError, match=wrong):
        spoiled().verify()


def test_large_witnesses_verify():
    """2^11 pairs: blocks of the mixed inputs are compared, none left out."""
    size = 1 << 11
    matrix = np.eye(size, dtype=np.int64)
    found = FoolingSet(matrix, 1, np.arange(size), np.arange(size))
    found.verify()
    matrix = matrix.copy()
    matrix[size - 1, 0] = matrix[0, size - 1] = 1
    with pytest.raises(ValueError, match="fool nobody"):
        FoolingSet(matrix, 1, np.arange(size), np.arange(size)).verify()
    rows = communication.distinct_rows(TwoParty(np.eye(1 << 10, dtype=np.int64)))
    assert rows.value == 1 << 10
    rows.witness.verify()
    wide = communication.discrepancy_bound(TwoParty(np.random.default_rng(11).integers(2, size=(1000, 12))))
    wide.witness.verify()


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
)  # fmt: skip
def test_bad_arguments_are_named(call, wrong):
    with pytest.raises(ValueError, match=wrong):
        call()

"""Section 4.2 and Fact 1: disjointness is out of reach of one narrow attention layer, and of a short state."""

import dataclasses

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.communication.communication import fooling_set, rank_bound
from seqsep.maths.communication.witnesses import FoolingSet
from seqsep.maths.formulas import disjointness
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import whole
from seqsep.tasks import Disjointness
from seqsep.theorems import TheoremFails
from seqsep.theorems.protocols import one_layer_protocol
from seqsep.theorems.protocols.one_layer_collision import equal_transcripts
from seqsep.theorems.protocols.one_layer_ledger import first_excluded
from seqsep.theorems.sparse_threshold import disjointness_one_layer
from seqsep.theorems.sparse_threshold._buckets import bucket_model
from seqsep.theorems.sparse_threshold._trials import every_assignment, tokens
from seqsep.theorems.sparse_threshold.disjointness_one_layer import build, check, cost, fails_from, matrix, meet, needed, pairs

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def squared(length: int) -> Grid:
    return Grid.of(length + 1, 2)


def test_what_is_decided_is_the_tasks_disjointness():
    """The rows, the matrix, the formula of Theorem 13's file and the task agree on every pair of sets of three places."""
    bits = every_assignment(6)
    answers = meet(tokens(bits, 0)).tolist()
    task = Disjointness(6)
    assert answers == [task.solve((*row[:3], 2, *row[3:])) for row in bits.tolist()]
    assert answers == disjointness(6).evaluate(bits).tolist()
    numbers = bits @ np.array([4, 2, 1, 0, 0, 0]), bits @ np.array([0, 0, 0, 4, 2, 1])
    assert answers == matrix(3).matrix[numbers].tolist()


@pytest.mark.parametrize("half", range(1, 7))
def test_complements_fool_everybody_and_rank_says_the_same(half):
    """The matrix of sets that do not meet has full rank: the bound does not rest on the fooling set alone."""
    sets = np.arange(1 << half)
    FoolingSet(matrix(half).matrix, 0, sets, sets[::-1].copy()).verify()
    apart = dataclasses.replace(matrix(half), matrix=1 - matrix(half).matrix)
    assert rank_bound(apart).value == 2**half
    with pytest.raises(ValueError, match="an answer other than 0"):
        FoolingSet(matrix(half).matrix, 0, sets, sets).verify()


def test_no_larger_fooling_set_is_found_by_search():
    for half in (1, 2, 3):
        assert fooling_set(matrix(half), value=0).value <= 2**half


def test_a_check_at_every_small_length():
    for length in (2, 4, 8):
        fooling, tree, state, enough, protocol, *errs, sizes = check(length)
        half = length // 2
        assert fooling.measured == {"pairs": 2**half, "bits": half, "bits_if_both_learn": half + 1}
        assert tree.measured["bits_if_both_learn"] == tree.length // 2 + 1
        assert state.measured["state_bits"] == half
        assert (enough.inputs, enough.exhaustive) == (2**length, True)
        assert protocol.measured["bits"] >= half
        for outcome in errs:
            assert outcome.measured["bits"] < outcome.bound["bits"] == outcome.length // 2
            left, right = outcome.witness["errs_on"].split()
            assert outcome.witness["expected"] == int(
                "1" in (str(int(a + b == "11")) for a, b in zip(left, right, strict=True))
            )
            assert outcome.witness["answer"] != outcome.witness["expected"]
        assert sizes.computed


@pytest.mark.parametrize("length", [2, 6, 12])
def test_the_wide_layer_decides_and_one_bucket_less_errs(length):
    inputs = tokens(every_assignment(length), 0)
    result = run(build(length), inputs, at=-1)
    assert (result.answers[:, 0] == meet(inputs)).all()
    assert result.unique_argmax.all()
    if length > 2:
        narrow = run(build(length, length // 2), inputs, at=-1).answers[:, 0]
        wrong = narrow != meet(inputs)
        assert wrong.any()
        assert not narrow[wrong].any()  # more ones than places must meet: it errs on one side only


def test_the_protocol_of_the_wide_layer_has_a_transcript_a_pair():
    """2^h transcripts on the fooling set; the narrow layer has fewer, and what collides is mixed up."""
    sets = every_assignment(4)
    alice = range(5)
    assert equal_transcripts(build(8), pairs(sets), alice) is None
    narrow = build(8, 2)
    pair = equal_transcripts(narrow, pairs(sets), alice)
    assert pair is not None
    for of_alice, of_bob in ((0, 1), (1, 0)):
        mixed = np.array(pair.mixed(of_alice, of_bob))
        steps = one_layer_protocol.reduce(narrow, mixed, alice, "one-learns", "token")
        assert steps["total"] == cost(8, 2, 1, narrow.grid)
        assert one_layer_protocol.trials.last_logits(narrow, mixed) == pair.logits[of_bob]
    assert meet(np.array([pair.mixed(0, 1), pair.mixed(1, 0)])).any()


def test_from_which_length_it_bites():
    """The least m H at four lengths with Kc = 2, and the layers of one head that fail."""
    rows = {length: needed(length, squared(length)) for length in (400, 1024, 8192, 10**6)}
    assert [row["one head"] for row in rows.values()] == [2, 6, 49, 4130]
    assert [row["any heads"] for row in rows.values()] == [2, 3, 16, 1241]
    assert [f"{row['printed']:.3g}" for row in rows.values()] == ["1.49", "3.28", "20.4", "1.65e+03"]
    for width in (2, 5, 64):
        least = fails_from(width, 1, squared)
        assert cost(least, width, 1, squared(least)) < least // 2
        assert cost(least - 2, width, 1, squared(least - 2)) >= (least - 2) // 2
        assert needed(least, squared(least))["one head"] > width


def test_the_first_length_of_which_all_beyond_are_excluded():
    """Against every even length up to 2,000, for costs that jump."""
    for factor in (1, 7, 23):

        def last_possible(length: int, factor: int = factor) -> int:
            return factor * length.bit_length()

        possible = [length for length in range(2, 2000, 2) if length <= last_possible(length)]
        assert first_excluded(last_possible) == max(possible, default=0) + 2


def test_a_layer_that_forgets_a_bucket_is_found_out(monkeypatch):
    def forgetful(name, half, buckets):
        network = bucket_model(name, half, buckets)
        positions = network.positions.integers.copy()
        positions[1, network.spaces["bucket"]] = 0
        return dataclasses.replace(network, positions=whole(positions, by_index=True))

    monkeypatch.setattr(disjointness_one_layer, "bucket_model", forgetful)
    with pytest.raises(TheoremFails, match=r"expected = 1, found = 0"):
        check(6)


def test_a_shorter_protocol_is_found_out(monkeypatch):
    monkeypatch.setattr(disjointness_one_layer, "cost", lambda *sizes: cost(*sizes) - 1)
    with pytest.raises(TheoremFails, match="cost = "):
        disjointness_one_layer._check_protocol(8, seed=0)


def test_sizes_that_are_refused():
    for call, message in (
        (lambda: check(7), "an even length of at least 2"),
        (lambda: check(18), "length is at most 16"),
        (lambda: check(heads=0), "at least 1"),
        (lambda: build(8, 6), "width is 2 to N/2"),
        (lambda: disjointness_one_layer.certificate_witness(16), "at most 20,000"),
    ):
        with pytest.raises(ValueError, match=message):
            call()

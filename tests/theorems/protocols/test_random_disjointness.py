"""Fact 1 with coins: the steps of the proof on trees of exact chances, windows over the channel, and what breaks a step."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from seqsep.theorems import TheoremFails
from seqsep.theorems.protocols import protocol_trees, random_disjointness
from seqsep.theorems.protocols.disjointness_windows import Windows, windows_for
from seqsep.theorems.protocols.protocol_trees import Node, Protocol, eighths, hellinger, information, leaves, unpasted
from seqsep.theorems.protocols.random_disjointness import check, errors, needed_bits, protocols, share, steps, worst_input

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked
THIRD = Fraction(1, 3)
SAME = (Fraction(0), Fraction(1))
OTHER = (Fraction(1), Fraction(0))


def corners(protocol):
    """The transcripts' distributions of a protocol of two bits, 00, 01, 10, 11."""
    return [protocol.transcripts(x, y) for x, y in itertools.product((0, 1), repeat=2)]


def masked():
    """Both parties say their bits plus a shared coin."""
    trees = []
    for alice in (SAME, OTHER):
        bob = Node("bob", alice, 0, 1)
        trees.append(Node("alice", alice, bob, bob))
    return Protocol("masked", tuple(trees))


def test_bits_beside_the_bound():
    """At N = 1,000 and e = 1/3 502 bits, 15 needed, 1,001 without coins; 14 bits by shared coins err by 987/1987."""
    upper, lower, trees, windows = check(1000)[-4:]
    assert upper.measured == {"bits": 502, "error": pytest.approx(1 / 3)}
    assert lower.bound == {"bits": 15, "bits_without_coins": 1001}
    assert lower.computed
    assert windows.witness["worst_error"] == "987/1987"
    assert windows.measured["error"] > windows.bound["error"]
    assert trees.measured["error"] > trees.bound["error"] == 0.01
    assert needed_bits(10, Fraction(1, 100)) == 3
    assert 0.0142 < share(THIRD) < 0.0143
    assert check(8)[-2].measured == {"bits": 6, "bits_without_coins": 9}
    for even in range(2, 60, 2):
        assert windows_for(even, THIRD, shared=False).bits == even // 2 + 2


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("length", [1, 2])
def test_each_step_on_drawn_protocols(length, seed):
    for protocol in protocols(length, seed):
        error, _, _ = worst_input(protocol, length)
        found = list(vars(steps(protocol, length, error)).values())
        assert all(after <= before + 1e-9 for before, after in itertools.pairwise(found))


def test_a_protocol_that_says_all_has_known_information():
    """Half of the places are Alice's on average: I = N / 2; h^2 of opposite corners is 1, so N / 4 is the bound at e = 0."""
    for length in (1, 2, 3):
        found = steps(Windows(length, length, shared=False).protocol(), length, Fraction(0))
        assert found.information == found.coordinates == pytest.approx(length / 2)
        assert found.opposite == found.bound == length / 4


def test_information_is_at_least_the_distance():
    """H(r) <= 2 sqrt(r (1 - r)), and its second derivative changes its sign at sqrt(s) = ln(2) / 2."""
    r = np.linspace(1e-6, 1 - 1e-6, 100_001)
    s = r * (1 - r)
    entropy = -r * np.log2(r) - (1 - r) * np.log2(1 - r)
    assert (entropy <= 2 * np.sqrt(s) + 1e-12).all()
    bent = 1 / (s * math.log(2)) - 1 / (2 * s**1.5)
    assert ((bent >= 0) == (np.sqrt(s) >= math.log(2) / 2)).all()
    random = np.random.default_rng(0)
    for _ in range(50):
        p, q = (tuple(Fraction(int(n), int(row.sum())) for n in row) for row in random.integers(1, 20, size=(2, 5)))
        assert information([p, q]) >= hellinger(p, q) - 1e-12


def test_shared_coins_outside_the_transcript_break_the_paste():
    """With the coin Q_00 Q_11 = Q_01 Q_10; the bits alone have 1/4 against 0."""
    assert unpasted(*corners(masked())) is None
    alone = [tuple(a + b for a, b in zip(one[:4], one[4:], strict=True)) for one in corners(masked())]
    assert unpasted(*alone) == 0
    assert [one[0] for one in alone] == [Fraction(1, 2), 0, 0, Fraction(1, 2)]


def test_a_hidden_shared_coin_is_found_out(monkeypatch):
    honest = Protocol.transcripts

    def hidden(self, x, y):
        told = honest(self, x, y)
        half = len(told) // len(self.trees)
        return tuple(sum(told[place::half], Fraction(0)) for place in range(half))

    steps(masked(), 1, Fraction(1))
    monkeypatch.setattr(Protocol, "transcripts", hidden)
    with pytest.raises(TheoremFails, match="not cut and pasted"):
        steps(masked(), 1, Fraction(1))


def test_a_larger_constant_is_refuted_by_a_protocol(monkeypatch):
    """A quarter of N is what opposite corners have at e = 0: 0.26 N is too much there, and a constant without e anywhere."""
    for wrong in (lambda error: 0.26, lambda error: 0.25):
        monkeypatch.setattr(random_disjointness, "share", wrong)
        with pytest.raises(TheoremFails, match="steps = Steps"):
            check(8)


def test_an_error_that_is_too_small_is_refuted():
    """Windows of half the places err by 1/3; the bound at 1/1000 is above what their corners have."""
    protocol = Windows(2, 1, shared=False).protocol()
    assert worst_input(protocol, 2)[0] == THIRD
    with pytest.raises(TheoremFails):
        steps(protocol, 2, Fraction(1, 1000))


@pytest.mark.parametrize("length", [1, 2, 3])
def test_windows_as_trees_err_as_counted(length):
    """Over all inputs: the error of the trees, that of the windows that miss a place, and (N - k) / (2N - k) are one."""
    for sent, shared in itertools.product(range(length + 1), (False, True)):
        windows = Windows(length, sent, shared)
        protocol = windows.protocol()
        assert protocol.bits == windows.bits
        assert worst_input(protocol, length)[0] == errors(windows)[0] == Fraction(length - sent, 2 * length - sent)


def test_bits_needed_are_the_exact_ceiling():
    for length, error in itertools.product((1, 2, 7, 100, 1000, 4096), (Fraction(0), Fraction(1, 10), THIRD, Fraction(1, 97))):
        bits = needed_bits(length, error)
        root = 4 * error * (1 - error) * length**2
        assert 4 * bits >= length or (length - 4 * bits) ** 2 <= root
        assert bits == 0 or (length - 4 * (bits - 1)) ** 2 > root
    assert needed_bits(100, Fraction(1, 2)) == share(Fraction(1, 2)) == 0


def test_trees_in_eighths_are_the_trees():
    tree = protocol_trees.drawn(np.random.default_rng(3), inputs=4, bits=3)
    for x, y in itertools.product(range(4), repeat=2):
        assert Fraction(int(eighths(tree, 4)[x, y]), 8**3) == Protocol("drawn", (tree,)).chance_of_one(x, y)
        assert sum(chance for chance, _ in leaves(tree, x, y)) == 1


def test_parties_that_err_are_found_out(monkeypatch):
    """A bit of another place, an answer that is turned round, windows that leave out a place, a bound that no one keeps."""
    alice = random_disjointness.alice
    bob = random_disjointness.bob
    places = Windows.places
    with monkeypatch.context() as one:
        one.setattr(random_disjointness, "alice", lambda channel, windows, a, number: alice(channel, windows, 1 - a, number))
        with pytest.raises(TheoremFails, match="expected"):
            check(20)
    with monkeypatch.context() as one:
        one.setattr(
            random_disjointness,
            "bob",
            lambda channel, windows, b, number, coin: bob(channel, windows, b, number=number, coin=1),
        )
        with pytest.raises(TheoremFails, match="expected"):
            check(20)
    with monkeypatch.context() as one:
        one.setattr(Windows, "places", lambda self, number: np.maximum(places(self, number), 1))
        with pytest.raises(TheoremFails, match="common place = 0"):
            random_disjointness._check_windows(Windows(20, 10, shared=False), THIRD, seed=0)
    with monkeypatch.context() as one:
        one.setattr(random_disjointness, "needed_bits", lambda length, error: length)
        with pytest.raises(TheoremFails, match="bits needed"):
            random_disjointness._compare(Windows(20, 10, shared=False), THIRD)


def test_short_protocols_would_refute_a_wrong_bound(monkeypatch):
    """If 502 bits were one too few, windows of 500 by a shared coin would be a counterexample: their error is 1/3."""
    monkeypatch.setattr(random_disjointness, "needed_bits", lambda length, error: 502)
    with pytest.raises(TheoremFails, match="error = 1/3"):
        random_disjointness._check_short_windows(1000, THIRD)


def test_bad_input_is_named():
    for given in ({"length": 0}, {"error": Fraction(1, 2)}, {"error": Fraction(0)}):
        with pytest.raises(ValueError, match="length is at least 1, and error between 0 and 1/2"):
            check(**given)
    with pytest.raises(ValueError, match="at most 4,096"):
        check(4097)

"""R(EQ) = O(log N): both protocols of equality run, and their errors are counted over all coins for all pairs of inputs."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.communication.channel import meet
from seqsep.theorems import TheoremFails
from seqsep.theorems.protocols import random_equality
from seqsep.theorems.protocols.random_equality import (
    PolynomialPlan,
    agreements,
    alice,
    bob,
    check,
    every_word,
    needed_bits,
    plan_for,
    shared_bits,
    worst_pair,
)

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked
THIRD = Fraction(1, 3)


def polynomial(plan: PolynomialPlan, word: list[int], x: int) -> int:
    """A(x) modulo q, term by term."""
    total = 0
    for place in range(plan.digits):
        group = word[place * plan.digit_bits : (place + 1) * plan.digit_bits]
        total += sum(bit << number for number, bit in enumerate(group)) * x**place
    return total % plan.prime


def test_bits_at_a_thousand():
    """18 bits with own coins where one message needs 9 and a protocol without coins 1,000; 2 bits with shared coins."""
    own, compared = check(1000)
    assert own.measured == {"bits": 18, "error": pytest.approx(124 / 373)}
    assert own.bound == {"bits": 26, "error": pytest.approx(1 / 3)}
    assert compared.bound == {"bits": 9, "bits_without_coins": 1000}
    assert compared.computed
    assert shared_bits(THIRD) == 2
    for power in range(1, 60):
        length = 1 << power
        assert plan_bits_grow(length)
        assert needed_bits(length, THIRD) == max(0, power - 1)


def plan_bits_grow(length: int) -> bool:
    """Return True if the bits for N are at most 2 log2 N + 6; from the closed form beyond 2^20."""
    closed = 2 * math.ceil(math.log2(6 * length))
    return closed <= 2 * math.log2(length) + 2 * math.log2(6) + 2 and (
        length > 1 << 20 or plan_for(length, THIRD).bits <= closed
    )


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("error", [THIRD, Fraction(1, 10)])
def test_every_pair_and_every_coin_term_by_term(length, error):
    """The chance of an error of each pair, and its worst, (n - 1) / q."""
    plan = plan_for(length, error)
    words = every_word(length)
    same = agreements(plan.values(words))
    worst = Fraction(0)
    for (i, a), (j, b) in itertools.product(enumerate(words.tolist()), repeat=2):
        agree = sum(polynomial(plan, a, x) == polynomial(plan, b, x) for x in range(plan.prime))
        assert agree == same[i, j]
        if i == j:
            assert agree == plan.prime
        else:
            worst = max(worst, Fraction(agree, plan.prime))
    assert worst == plan.error <= error


@pytest.mark.parametrize("length", [4, 7, 20, 33, 100, 300])
@pytest.mark.parametrize("error", [THIRD, Fraction(1, 20)])
def test_the_worst_pair_attains_the_error(length, error):
    plan = plan_for(length, error)
    one, other = worst_pair(plan)
    assert len(one) == len(other) == length
    assert (one != other).any()
    assert set(one) | set(other) <= {0, 1}
    agree = sum(polynomial(plan, one.tolist(), x) == polynomial(plan, other.tolist(), x) for x in range(plan.prime))
    assert agree == plan.digits - 1


def test_the_prime_is_the_least_that_does():
    for length, error in itertools.product((1, 2, 8, 37, 100, 1000), (THIRD, Fraction(1, 7))):
        least = next(
            q
            for q in range(2, 10**5)
            if all(q % one for one in range(2, q)) and -(-length // (q.bit_length() - 1)) - 1 <= error * q
        )
        assert plan_for(length, error).prime == least


def test_the_parties_alone_over_the_channel():
    """One party gets its own string and the channel: 8 bits, and one coin in five that answers the worst pair wrongly."""
    plan = plan_for(8, THIRD)
    a, b = worst_pair(plan)
    heard = [meet(lambda end, x=x: alice(end, plan, a, x), lambda end: bob(end, plan, b))[1:] for x in range(plan.prime)]
    assert {bits for _, bits in heard} == {8}
    assert Fraction(sum(answer for answer, _ in heard), plan.prime) == plan.error


def test_shared_coins_err_with_chance_a_half_for_each_bit():
    """All pairs of 3 bits with all two strings of 3 bits: 1/4 of them, exactly, do not tell two words apart."""
    words = every_word(3)
    for a, b in itertools.combinations(range(8), 2):
        wrong = sum(
            bool((words[[r, s]] @ (words[a] - words[b]) % 2 == 0).all()) for r, s in itertools.product(range(8), repeat=2)
        )
        assert wrong == 16
    outcome = next(one for one in check(3) if "shared" in one.variant)
    assert outcome.measured == {"bits": 2, "error": 0.25}
    assert next(one for one in check(3, Fraction(1, 10)) if "shared" in one.variant).measured == {"bits": 4, "error": 0.0625}


def test_the_packing_bound_is_the_inequality():
    for length, error in itertools.product((1, 2, 5, 100, 1000), (THIRD, Fraction(1, 10), Fraction(49, 100))):
        bits = needed_bits(length, error)
        inside = math.log2(float((2 - 2 * error) / (1 - 2 * error)))
        assert 2**bits * inside >= length
        assert bits == 0 or 2 ** (bits - 1) * inside < length


def test_parties_that_err_are_found_out(monkeypatch):
    """A value of another point, a bit more than is needed, a coefficient that is lost."""
    honest = random_equality.alice
    with monkeypatch.context() as one:
        one.setattr(random_equality, "alice", lambda channel, plan, a, x: honest(channel, plan, a ^ (x == 1), x))
        with pytest.raises(TheoremFails):
            check(4)
    with monkeypatch.context() as one:
        one.setattr(PolynomialPlan, "bits", property(lambda self: 7))
        with pytest.raises(TheoremFails, match="bits sent"):
            check(8)
    with monkeypatch.context() as one:
        whole = PolynomialPlan.coefficients
        one.setattr(PolynomialPlan, "coefficients", lambda self, words: whole(self, words) * (np.arange(self.digits) > 0))
        with pytest.raises(TheoremFails, match="expected as the worst"):
            check(4)


def test_bad_input_is_named():
    for given in ({"length": 0}, {"error": Fraction(1, 2)}, {"error": Fraction(0)}):
        with pytest.raises(ValueError, match="length is at least 1, and error between 0 and 1/2"):
            check(**given)
    with pytest.raises(ValueError, match="at most 4,096"):
        check(4097)

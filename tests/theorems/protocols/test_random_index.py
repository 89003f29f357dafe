"""Fact 3 with coins: codes that err on every bit alike, their bits beside (1 - h(e)) N, and the best code books by search."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from seqsep.tasks.ceilings import best_accuracy
from seqsep.theorems import TheoremFails
from seqsep.theorems.protocols import random_index
from seqsep.theorems.protocols.random_index import CODES, Code, check, code_for, errors, message_bits, needed_bits

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked
SMALL = [code for code in CODES if code.block <= 7]


def test_bits_beside_the_bound():
    """At N = 1,000 and e = 1/3: 200 bits, 82 needed, 1,000 without coins; at e = 1/8 572 and 457."""
    upper, lower = check(1000)
    assert upper.measured == {"bits": 200, "error": 0.3125}
    assert lower.bound == {"bits": 82, "bits_without_coins": 1000}
    upper, lower = check(1000, Fraction(1, 8))
    assert upper.measured == {"bits": 142 * 4 + 6, "error": 0.125}
    assert lower.bound["bits"] == 457
    assert check(8)[1].measured["bits_without_coins"] == 8
    assert not check(8)[1].computed


@pytest.mark.parametrize("code", SMALL, ids=lambda code: f"{code.name}-{code.block}")
def test_every_block_index_and_coin(code):
    """Bob errs with exactly the stated chance, whatever the block and the index."""
    wrong = errors(code)
    assert wrong.shape == (1 << code.block, code.block)
    assert set(wrong.ravel().tolist()) == {int(code.error * (1 << code.block))}
    assert code.error * (1 << code.block) == int(code.error * (1 << code.block))


@pytest.mark.parametrize("code", SMALL, ids=lambda code: f"{code.name}-{code.block}")
def test_codes_are_perfect_and_the_nearest_word_is_chosen(code):
    books = [code.code_word(np.array(message)) for message in itertools.product((0, 1), repeat=code.sent)]
    assert len({tuple(book.tolist()) for book in books}) == 1 << code.sent
    for word in itertools.product((0, 1), repeat=code.block):
        distances = [int((book != word).sum()) for book in books]
        chosen = code.code_word(code.message(np.array(word)))
        assert int((chosen != word).sum()) == min(distances)
        assert distances.count(min(distances)) == 1


@pytest.mark.parametrize("block", [3, 5])
def test_no_message_of_one_bit_does_better(block):
    """By trying every code book: the mean error over inputs and indices, which no coins lower, is that of repetition."""
    assert 1 - best_accuracy(block, alphabet=2, state_bits=1) == Code("repetition", block, block - 1).error


def test_bits_needed_are_the_entropy_bound():
    for length, error in itertools.product((1, 10, 1000), (Fraction(1, 3), Fraction(1, 8), Fraction(49, 100))):
        e = float(error)
        exact = (1 + e * math.log2(e) + (1 - e) * math.log2(1 - e)) * length
        assert exact <= needed_bits(length, error) < exact + 1
        assert needed_bits(length, error) <= message_bits(length, code_for(error))
    for code in CODES:
        assert code.sent >= needed_bits(code.block, code.error) - 1e-9


def test_the_code_of_the_least_share_is_taken():
    for one in (3, 4, 5, 8, 10, 16, 100):
        code = code_for(Fraction(1, one))
        enough = [other for other in CODES if other.error <= Fraction(1, one)]
        assert (code is None) == (not enough)
        if code is not None:
            assert code.error <= Fraction(1, one)
            assert all(Fraction(code.sent, code.block) <= Fraction(other.sent, other.block) for other in enough)


def test_parties_that_err_are_found_out(monkeypatch):
    """A code word that is not the nearest, and a block that is sent without its coins."""
    with monkeypatch.context() as one:
        one.setattr(Code, "message", lambda self, word: np.array([int(word[0])]))
        with pytest.raises(TheoremFails, match="coins with a wrong answer"):
            check(10)
    with monkeypatch.context() as one:
        honest = random_index.alice
        one.setattr(random_index, "alice", lambda channel, code, a, coins: honest(channel, code, a, 0 * coins))
        with pytest.raises(TheoremFails, match="answer"):
            check(100)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="length is at least 1"):
        check(0)
    for error in (Fraction(0), Fraction(1, 2)):
        with pytest.raises(ValueError, match="an error between 0 and 1/2"):
            check(8, error)

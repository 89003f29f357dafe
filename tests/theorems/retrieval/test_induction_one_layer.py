"""Induction heads by one layer with exact weights: the protocol runs, a layer errs, and the bound bites."""

from itertools import product

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.communication.one_layer_message import cells, induction_bits, word_bits
from seqsep.theorems import TheoremFails
from seqsep.theorems.protocols.one_layer_trials import LayerSizes, random_network
from seqsep.theorems.retrieval import _exact_attention as attention
from seqsep.theorems.retrieval import _numbered_parts
from seqsep.theorems.retrieval._numbered_parts import converse
from seqsep.theorems.retrieval.induction_one_layer import CLAIM, answer, bound, check, first_impossible, share, verify

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def by_scanning(tokens):
    """The symbol after the latest earlier occurrence, going backwards."""
    for place in reversed(range(len(tokens) - 2)):
        if tokens[place] == tokens[-1]:
            return tokens[place + 1]
    return None


def test_the_answer_is_after_the_latest_occurrence():
    for tokens in product(range(3), repeat=5):
        if by_scanning(tokens) is None:
            with pytest.raises(ValueError, match="nothing is asked"):
                answer(tokens)
        else:
            assert answer(tokens) == by_scanning(tokens)


@pytest.mark.parametrize(("length", "alphabet"), [(2, 3), (3, 4), (4, 4), (5, 3), (6, 4), (7, 3)])
def test_every_two_of_alices_inputs_are_told_apart(length, alphabet):
    shared = share(length, alphabet)
    rows = set()
    for alice in shared.alices():
        words = [shared.whole(alice, question) for question in range(len(shared.bobs))]
        assert {len(word) for word in words} == {length + 1}
        assert all(word[-1] == alphabet - 1 and word[:-1].count(alphabet - 1) == 1 for word in words)
        rows.add(tuple(by_scanning(word) for word in words))
    assert len(rows) == len(shared.alices()) == (alphabet - 1) ** (length // 2)
    assert len(shared.bobs) == length // 2


def test_a_number_is_enough_and_a_layer_errs():
    run, computed = check()
    assert run.inputs == 3 * 81
    assert run.measured["message_bits"] <= run.bound["message_bits"]
    tokens = tuple(run.witness["errs_on"])
    assert answer(tokens) == run.witness["expected"] != run.witness["answer"]
    assert computed.computed
    assert computed.measured["message_bits"] < computed.bound["message_bits"] == induction_bits(1024, 64)


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
def test_the_protocol_runs_at_odd_lengths_and_by_both_roundings(rounding):
    network = random_network(np.random.default_rng(3), LayerSizes(6, 2, 3, 2), Grid(4, rounding), harsh=False)
    found = converse(CLAIM, network, share(5, 4))
    assert found.inputs == 9 * 2
    assert 0 < found.bits <= found.bound == word_bits(cells(2, 2 * 4**2 * 2), 2)


def test_means_of_alice_alone_are_found_out(monkeypatch):
    """Without Bob's sums the layer hears something else."""
    honest = _numbered_parts.responses

    def alone(network, message, bobs):
        nothing = [tuple(attention.HeadSums(0 * one.weight, tuple(0 * v for v in one.values)) for one in bob) for bob in bobs]
        return honest(network, message, nothing)

    monkeypatch.setattr(_numbered_parts, "responses", alone)
    with pytest.raises(TheoremFails, match="bob"):
        verify(layers=2)


@pytest.mark.parametrize(("width", "heads", "precision", "alphabet"), [(2, 1, 8, 4), (8, 4, 16, 64), (64, 2, 16, 50_000)])
def test_from_some_length_on_it_is_impossible(width, heads, precision, alphabet):
    first = first_impossible(width, heads, precision, alphabet)
    assert bound(first, alphabet, heads, precision)["least_width"] > width
    assert bound(first - 1, alphabet, heads, precision)["least_width"] <= width
    assert all(bound(first + more, alphabet, heads, precision)["least_width"] > width for more in range(20))


def test_more_symbols_and_fewer_bits_bite_earlier():
    assert first_impossible(8, 2, 16, 64) < first_impossible(8, 2, 16, 8)
    assert first_impossible(8, 2, 16, 64) < first_impossible(8, 2, 32, 64)
    assert first_impossible(8, 2, 16, 64) < first_impossible(8, 3, 16, 64)


def test_wrong_arguments():
    for options in ({"length": 1}, {"alphabet": 2}, {"heads": 0}, {"precision": 0}):
        with pytest.raises(ValueError, match="at least 2 tokens and 3 symbols"):
            check(**options)
    with pytest.raises(ValueError, match="at least 2 tokens and 3 symbols"):
        share(4, alphabet=2)

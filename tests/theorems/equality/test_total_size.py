"""O((log N)^3) bits in all: the constant holds for the networks that are built, and its envelope falls."""

import dataclasses
import itertools
import math

import pytest

from seqsep.maths.codes.codes import position_code
from seqsep.theorems import TheoremFails
from seqsep.theorems.blocks import lookup_exponent
from seqsep.theorems.equality import total_size, two_layers
from seqsep.theorems.equality.total_size import CONSTRUCTIONS, below_a_state_from, check, envelope, ladder, most_bits
from seqsep.theorems.retrieval import index_lookup_attention

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_the_envelope_falls_from_four_symbols_on(name):
    """So that its value at N = 4 is a constant for all N, and each later one for all N from there on."""
    values = [envelope(name, 2 + step / 16) for step in range(16 * 98)]
    assert all(later < earlier for earlier, later in itertools.pairwise(values))


def test_networks_of_every_even_length_are_below_it():
    """By the formulas of `two_layers.bound`, which the check of Theorem 6 holds against its networks."""
    for code in ("parabola", "binary"):
        for length in range(4, 2049, 2):
            bits = two_layers.bound(length, 2, position_code(code, length))["program_bits"]
            assert bits <= most_bits(f"equality, {code}", math.log2(length)), (code, length)


def test_what_the_proof_says_of_the_grids():
    for length in (4, *range(6, 500, 2), *(2**log + 2 for log in range(9, 20))):
        for name, exponent in (("parabola", 2), ("binary", 2 if length == 4 else 1)):
            code = position_code(name, length)
            assert lookup_exponent(code, code.least_scale(), two_layers.LEAST_STEPS) == exponent, (name, length)
    for length in (4, 6, 64, 250):
        code = position_code("signs", length)
        assert code.least_scale() == 1
        assert code.dimension <= 128 * math.log(2 * length) + 1
        assert two_layers._grid(code, 1).steps <= length * code.dimension
        neighbor = CONSTRUCTIONS["nearest neighbour, N symbols"].build(length)
        assert neighbor.grid.steps == max(4, 2 * length - 1) ** 2
        assert neighbor.width == math.ceil(math.log2(length)) + 4


def test_a_check_prints_the_constants():
    outcomes = check(64)
    assert [outcome.variant for outcome in outcomes] == list(CONSTRUCTIONS)
    for outcome in outcomes:
        assert outcome.computed
        assert outcome.measured["C"] <= outcome.bound["C"] < 1.6 * outcome.measured["C"]
        assert outcome.measured["C_at_the_longest"] <= outcome.bound["C_at_the_longest"] < outcome.bound["C"]
        assert set(map(int, outcome.witness["bits"])) == set(ladder(64))
    assert [round(outcome.bound["C"], 1) for outcome in outcomes] == [147.5, 215.0, 814788.8, 423.5]


def test_the_parabola_code_takes_a_logarithm_only():
    assert all(most_bits("equality, parabola", log) == 118 * (2 + 4 * log) for log in range(2, 60))


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_from_which_length_a_network_is_below_a_state(name):
    least = int(math.log2(below_a_state_from(name)))
    assert most_bits(name, least - 1) >= 2 ** (least - 2)
    assert all(most_bits(name, log) < 2 ** (log - 1) for log in range(least, 200))
    assert least > 4


def test_a_larger_network_is_found_out(monkeypatch):
    """One more coordinate in each block of addresses, or twice the precision."""
    honest = CONSTRUCTIONS["equality, parabola"]

    def finer(length):
        return two_layers.build(length, steps=length**5)

    def wider(length):
        return two_layers.build(length, code="binary")

    for build in (finer, wider):
        monkeypatch.setitem(total_size.CONSTRUCTIONS, "equality, parabola", honest._replace(build=build))
        with pytest.raises(TheoremFails, match="construction = equality, parabola, length = "):
            check(64)


def test_a_table_of_positions_would_not_fit():
    """Positions are generated: stored as a table they take more than any power of log N from some N on."""
    name = "equality, parabola"
    tables = {length: CONSTRUCTIONS[name].build(length).ledger().tables for length in (256, 2048)}
    assert tables[256] > most_bits(name, 8)
    assert tables[2048] > 10 * most_bits(name, 11)
    indexed = CONSTRUCTIONS[name].build(256)
    stored = dataclasses.replace(indexed, positions=dataclasses.replace(indexed.positions, by_index=False))
    assert stored.ledger().program == tables[256]


def test_lengths_that_are_refused():
    for length in (2, 2050):
        with pytest.raises(ValueError, match=r"length is 4 to 2,048"):
            check(length)


def test_the_printed_size_leaves_out_the_table_of_symbols():
    """For index lookup of 64 symbols from S: all bits over those of the matrices of the heads, which are 3 m d p H."""
    ratios = {}
    for symbols in (64, 4096):
        network = index_lookup_attention.build(64, symbols)
        ratios[symbols] = network.ledger().program / network.ledger().core
        assert network.ledger().program > network.symbols.integers.shape[0] * network.width * network.precision
    assert ratios == pytest.approx({64: 10.5, 4096: 237.5}, abs=0.05)

"""Lemma 5 and Corollary 13.1: two layers compute what costs N/2 bits, for every partition into halves."""

import dataclasses
from itertools import combinations

import numpy as np
import pytest

from seqsep.maths.codes.codes import position_code
from seqsep.maths.communication.communication import protocol_cost
from seqsep.maths.networks.executor import run
from seqsep.theorems import TheoremFails
from seqsep.theorems.equality import relabelled_two_layers as relabelled_equality_two_layers
from seqsep.theorems.equality import two_layer_no_short_protocol
from seqsep.theorems.equality.two_layer_no_short_protocol import (
    both_learn,
    crossing,
    matrix,
    measures,
    two_layer_size,
    two_layers_of_theorem_4,
)

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize(("length", "code"), [(2, "parabola"), (4, "binary"), (6, "parabola"), (8, "parabola")])
def test_every_partition_costs_half_the_length(length, code):
    (outcome,) = two_layer_no_short_protocol.check(length, code)
    assert outcome.exhaustive
    assert outcome.measured["partitions"] == {2: 2, 4: 6, 6: 20, 8: 70}[length]
    assert outcome.inputs == outcome.measured["partitions"] * 2**length
    assert (outcome.measured["bits"], outcome.measured["bits_if_both_learn"]) == (length // 2, length // 2 + 1)
    assert len(outcome.witness["fooling_set"]) == 2 ** (length // 2)


def test_the_exact_cost_by_search_where_it_ends():
    """D(f) = N/2 + 1, with a tree, for every partition of 4 positions and one of 6: what `both_learn` says from the leaves."""
    for length, lefts in ((4, combinations(range(1, 5), 2)), (6, [(1, 4, 6)])):
        for left in lefts:
            f = matrix(relabelled_equality_two_layers.build(length, left), length, left)
            exact = protocol_cost(f)
            exact.witness.verify()
            assert exact.bits == both_learn(f) == length // 2 + 1
            taken = measures(f)
            assert taken["fooling_set"].bits == taken["rank"].bits == length // 2
            assert taken["protocol"].bits == exact.bits


def test_another_partition_of_the_same_network_costs_less():
    """The positions matter: if each pair belongs to one party, one bit and the answer are enough."""
    network = relabelled_equality_two_layers.build(4, (1, 2))  # compares 1 with 3 and 2 with 4
    f = matrix(network, 4, (1, 3))
    assert measures(f)["protocol"].bits == 2 < both_learn(matrix(network, 4, (1, 2)))


def test_a_network_that_errs_on_one_input_is_found_out(monkeypatch):
    assemble = relabelled_equality_two_layers.assemble

    def spoiled(halves, code):
        network = assemble(halves, code)
        integers = network.positions.integers.copy()
        integers[3] = integers[0]
        return dataclasses.replace(network, positions=dataclasses.replace(network.positions, integers=integers))

    monkeypatch.setattr(two_layer_no_short_protocol.lemma_5, "assemble", spoiled)
    with pytest.raises(TheoremFails, match="positions_of_left"):
        two_layer_no_short_protocol.check(4)


@pytest.mark.parametrize(("code", "least", "by_printed"), [("parabola", 1088, 1278), ("binary", 2064, 6176)])
def test_from_where_theorem_4_would_be_too_short(code, least, by_printed):
    """Against every even length up to 4,096: the last one at which N/2 + 1 bits are within two layers' worth."""
    assert (crossing(code), crossing(code, printed=True)) == (least, by_printed)
    bits = {n: two_layers_of_theorem_4(position_code(code, n)) for n in range(4, 4097, 2)}
    assert max(n for n, two in bits.items() if two.counted >= n // 2 + 1) == least - 2
    if by_printed < 4096:
        assert max(n for n, two in bits.items() if two.printed >= n // 2 + 1) == by_printed - 2


def test_the_model_at_the_crossing_answers_there():
    """N = 1,088, a random partition: equal halves, and halves that differ at one pair."""
    length, random = 1088, np.random.default_rng(0)
    left = sorted((random.permutation(length)[: length // 2] + 1).tolist())
    network = relabelled_equality_two_layers.build(length, left)
    order = relabelled_equality_two_layers.partition(length, left).order
    inputs = np.empty((4, length), dtype=np.int64)
    half = random.integers(0, 2, length // 2)
    for row, changed in enumerate((None, 0, 300, 543)):
        other = half.copy()
        if changed is not None:
            other[changed] ^= 1
        inputs[row, order] = np.concatenate([half, other])
    assert run(network, inputs, at=-1).answers[:, 0].tolist() == [0, 1, 1, 1]
    assert two_layers_of_theorem_4(position_code("parabola", length)).counted < length // 2 + 1


def test_the_corollary_with_a_width_that_does_not_grow():
    """m H = 2 at every N, so N / (2 m p H) grows like N / log N."""
    sizes = {n: two_layer_size(position_code("parabola", n)) for n in (64, 1024, 2**14, 2**20)}
    assert {size.width for size in sizes.values()} == {2}
    p = {n: size.grid.precision for n, size in sizes.items()}
    assert all(p[n] == 4 * (n.bit_length() - 1) + 2 for n in p)
    assert two_layer_size(position_code("binary", 2**14)).width == 14


def test_the_sizes_are_those_of_the_built_network():
    for length, code in ((8, "parabola"), (64, "binary"), (30, "kerdock")):
        width, embedding, grid = two_layer_size(position_code(code, length))
        network = relabelled_equality_two_layers.build(length, range(1, length, 2), code=code)
        heads = [head for mixer, _ in network.layers for head in mixer.heads]
        assert width == max(len(part.integers) for head in heads for part in (head.key, head.value))
        assert (embedding, grid, len(heads)) == (network.width, network.grid, 2)


def test_wrong_arguments_are_named():
    for length, code in ((10, "parabola"), (5, "parabola"), (0, "parabola"), (4, "none")):
        with pytest.raises(ValueError, match="length is even, 2 to 8"):
            two_layer_no_short_protocol.check(length, code)

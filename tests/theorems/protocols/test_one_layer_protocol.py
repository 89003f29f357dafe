"""Theorem 4: two parties with a channel and nothing else between them get the forward pass's logits, bit for bit."""

import dataclasses
import itertools

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import GatedFeedForward, Network, whole
from seqsep.theorems.bounded_dyck import attention as bounded_dyck_attention
from seqsep.theorems.protocols import one_layer_protocol
from seqsep.theorems.protocols import one_layer_trials as trials
from seqsep.theorems.protocols.one_layer_protocol import (
    QUESTIONS,
    VARIANTS,
    least_width,
    least_width_heads,
    message_bits,
    printed,
    printed_steps,
    reduce,
)
from seqsep.theorems.retrieval import index_lookup_attention

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def drawn(seed: int, grid: Grid, length: int = 6, heads: int = 2, **options) -> tuple[Network, np.ndarray]:
    random = np.random.default_rng(seed)
    network = trials.random_network(random, trials.LayerSizes(length, 3, 4, heads), grid, **options)
    return network, trials.random_input(random, network, length)


def test_every_partition_of_random_networks_in_every_variant():
    """2^4 partitions, three heads; the bits are those of `message_bits` on every one of them."""
    network, inputs = drawn(0, Grid(25), length=4, heads=3)
    pairs = 0
    for chosen in itertools.product([False, True], repeat=4):
        alice = np.flatnonzero(chosen).tolist()
        for variant in VARIANTS:
            steps = reduce(network, inputs, alice, variant, QUESTIONS[pairs % 2])
            assert steps["total"] == sum(steps.values()) - steps["total"]
            pairs += 1
    assert pairs == 48


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
@pytest.mark.parametrize("steps", [2, 3, 16, 10**6, 10**9, 2 * 10**9])
def test_random_pairs_from_the_coarsest_to_fine_grids(steps, rounding):
    """Coarse grids have N > L, and weights that saturate; 2 10^9 has p = 63."""
    for turn in range(6):
        network, inputs = drawn(turn, Grid(steps, rounding), vectors=turn == 5, harsh=turn % 2 == 0)
        reduce(
            network, inputs, trials.partition(np.random.default_rng(turn), 6, turn), VARIANTS[turn % 3], QUESTIONS[turn // 3]
        )


def test_a_sample_of_the_long_check():
    outcomes = one_layer_protocol.verify(pairs=48, seed=1)
    assert sum(outcome.inputs for outcome in outcomes) == 48
    assert len({outcome.variant for outcome in outcomes}) == 6


def test_things_saturate_in_the_trials():
    """So that the equality says something about saturation: scores, values and x among them."""
    met = set()
    for seed in range(30):
        network, inputs = drawn(seed, Grid((3, 16)[seed % 2]), harsh=True)
        met |= {place.split()[-1] for place, count in run(network, inputs[None], at=-1).tally.saturated.items() if count}
    assert {"query", "key", "value", "scores", "residual", "output", "read-out", "maximum"} <= met


def test_built_models_of_one_layer():
    lookup = index_lookup_attention.build(12, 8)
    symbols = np.random.default_rng(0).integers(0, 8, 12)
    for asked in (0, 7, 11):
        inputs = np.append(symbols, 8 + asked)
        reduce(lookup, inputs, [0, 3, 5, 12], "one-learns-and-sends", "token")
        assert run(lookup, inputs[None], at=-1).answers[0, 0] == symbols[asked]
    dyck = bounded_dyck_attention.build(6, variant="one-layer", ask="next")
    reduce(dyck, np.array([4, 0, 2, 3, 1, 2, 3]), [1, 3, 5])


def test_what_the_protocol_is_not_for():
    network, inputs = drawn(0, Grid(16))
    two = dataclasses.replace(network, layers=network.layers * 2)
    once = dataclasses.replace(network, grid=Grid(16, softmax="once"))
    row = whole(np.zeros((1, network.width)))
    nothing = whole(np.zeros(network.width))
    gated = GatedFeedForward(row, whole([0]), inner=row, inner_bias=whole([0]), outer=row.transposed(), outer_bias=nothing)
    products = dataclasses.replace(network, layers=((network.layers[0][0], gated),))
    for model, alice, variant, question, message in (
        (products, [0], "one-learns", "token", "one of ReLU, found a gated one"),
        (two, [0], "one-learns", "token", "one attention layer"),
        (once, [0], "one-learns", "token", "irrational: no number of fixed precision"),
        (network, [0, 0], "one-learns", "token", "different positions from 0 to 5"),
        (network, [6], "one-learns", "token", "different positions from 0 to 5"),
    ):
        with pytest.raises(ValueError, match=message):
            reduce(model, inputs, alice, variant, question)
    for variant, question in (("neither", "token"), ("one-learns", "neither")):
        with pytest.raises(ValueError, match=r"question is one of vector, token$"):
            one_layer_protocol.require(network, 6, [0], variant, question)
    with pytest.raises(ValueError, match="at least 1"):
        one_layer_protocol.check(heads=0)
    with pytest.raises(ValueError, match="variant is one of"):
        one_layer_protocol.check(variant="both")
    with pytest.raises(ValueError, match="numbers are at least 1"):
        message_bits(length=8, width=0, embedding=1, heads=1, grid=Grid(16))


def test_check_reports_each_step_beside_the_printed_total():
    outcomes = one_layer_protocol.check(length=6, width=3, heads=2, embedding=5, exponent=1)
    assert [outcome.variant for outcome in outcomes] == [f"{v}, {q} asked" for v in VARIANTS for q in QUESTIONS]
    first = outcomes[0]
    p = (2 * 36).bit_length()
    assert first.witness["steps"] == {
        "question": 5 * p,
        "maxima": 4 * p,
        "normalisers": 4 * (6 * 6).bit_length(),
        "value_sums": 12 * (2 * 6**3).bit_length(),
        "total": first.measured["bits"],
    }
    assert first.as_printed["bits"] == round(3 * 3 * (p + np.log2(6)) * 2, 1)
    assert outcomes[5].witness["steps"]["answer"] == 2
    assert outcomes[5].witness["steps"]["question"] == 3


def total_bits(length, width, embedding, heads, **options):
    return message_bits(length=length, width=width, embedding=embedding, heads=heads, **options)["total"]


def ratio(length, width, embedding, heads, exponent, variant, vocabulary=None):
    grid = Grid.of(length, exponent)
    total = total_bits(length, width, embedding, heads, grid=grid, variant=variant, vocabulary=vocabulary)
    return total / printed(length, width, heads, grid.precision)


def steps_as_printed(length, width, precision):
    return printed_steps(length=length, width=width, embedding=width, heads=1, precision=precision)


def test_the_printed_total_is_less_than_its_own_steps():
    """The printed steps, x_N once, and the exact ones; one party alone learns: 0.66 to 0.73."""
    sizes = list(itertools.product((16, 64, 100, 256, 1000, 1024, 4096, 10**6), (16, 32, 64, 128, 1024)))
    for n, m in sizes:
        p = Grid.of(n, 2).precision
        assert 1.3 < steps_as_printed(n, m, p) / printed(n, m, 1, p) < 1.5
    assert steps_as_printed(64, 64, 26) / printed(64, 64, 1, 26) == pytest.approx(1.37, abs=0.005)
    both = [ratio(n, m, m, 1, 2, "both-exchange") for n, m in sizes]
    assert (round(min(both), 2), round(max(both), 2)) == (1.06, 1.12)
    sends = [ratio(n, m, m, 1, 2, "one-learns-and-sends") for n, m in sizes]
    assert (round(min(sends), 2), round(max(sends), 2)) == (0.66, 0.73)
    assert max(ratio(n, m, m, 1, 1, "both-exchange") for n, m in sizes) < 1


def test_where_the_printed_total_holds_after_all():
    """The class known to both: from m = 2 with the token, S C <= (N/2)^4, and from m = 6 with x_N, d = m H; not at m = 1."""
    lengths = [*range(4, 40), 63, 64, 65, 1000, 1024, 10**6]
    for n, exponent, heads in itertools.product(lengths, (1, 2, 3, 8), (1, 2, 5)):
        for m in (2, 3, 8, 50):
            symbols = max(2, (n // 2) ** 4 // 2)
            assert ratio(n, m, 10**4, heads, exponent, "one-learns-and-sends", symbols) <= 1
        for m in (6, 7, 20):
            assert ratio(n, m, m * heads, heads, exponent, "one-learns-and-sends") <= 1
        assert ratio(n, 1, 1, heads, exponent, "one-learns-and-sends", 2) > 1
        if exponent <= 2:
            assert ratio(n, 3, 3 * heads, heads, exponent, "one-learns-and-sends") <= 1
    assert any(ratio(n, 3, 3, 1, 8, "one-learns-and-sends") > 1 for n in lengths)


def test_the_token_makes_the_embedding_irrelevant():
    assert ratio(64, 8, 64, 1, 2, "both-exchange") == pytest.approx(3.08, abs=0.005)
    assert ratio(64, 8, 64, 1, 2, "both-exchange", 64) == ratio(64, 8, 8, 1, 2, "both-exchange", 64) < 1


@pytest.mark.parametrize(
    ("vocabulary", "variant"), [(None, "one-learns-and-sends"), (4, "one-learns-and-sends"), (4, "one-learns")]
)
def test_the_least_width_inverts_the_message_bits(vocabulary, variant):
    grid = Grid.of(100, 2)
    for bits, heads in itertools.product((1, 99, 500, 5000, 10**6), (1, 2, 7)):
        m = least_width(bits, 100, grid, heads, variant, 2, vocabulary)
        assert total_bits(100, m, m, heads, grid=grid, variant=variant, vocabulary=vocabulary) >= bits
        if m > 1:
            assert total_bits(100, m - 1, m - 1, heads, grid=grid, variant=variant, vocabulary=vocabulary) < bits


def test_the_least_product_is_sound_for_every_shape():
    """No m and H with a smaller product have a protocol of so many bits."""
    grid = Grid.of(64, 2)
    sends = {"grid": grid, "variant": "one-learns-and-sends", "vocabulary": 4}
    for bits in (300, 1000, 4000):
        printed_, counted = least_width_heads(bits, grid.precision, 64, vocabulary=4, grid=grid)
        assert printed_ == pytest.approx(bits / (3 * (26 - 1 + 6)), rel=0.05)
        assert counted > 1
        for m, heads in itertools.product(range(1, counted), repeat=2):
            if m * heads < counted:
                assert total_bits(64, m, 1, heads, **sends) < bits
        assert total_bits(64, 1, 1, counted, **sends) >= bits
    finest = Grid(724)  # 2 * 724^2 < 2^20 < 2 * 725^2
    assert finest.precision == 20
    assert least_width_heads(500, 20, 64) == least_width_heads(500, 20, 64, grid=finest)


def test_the_bound_is_the_closed_form_and_not_the_measurement():
    """The bits sent stay below the steps in appendix D's widths, and below nothing that was counted from the run itself."""
    for outcome in one_layer_protocol.check(length=8, width=3, heads=2):
        assert outcome.measured["bits"] < outcome.bound["bits"]
    vector = next(outcome for outcome in one_layer_protocol.check(length=8, width=3, heads=2) if "both" in outcome.variant)
    precision = vector.witness["precision"]
    assert vector.bound["bits"] == int(printed_steps(length=8, width=3, embedding=3, heads=2, precision=precision))

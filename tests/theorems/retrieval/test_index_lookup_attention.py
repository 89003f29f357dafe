"""Theorem 1: index lookup by one attention layer, on the grid and in floats; a spoiled weight is found out."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.codes.codes import CODES, position_code
from seqsep.maths.networks.executor import ask, run
from seqsep.models.model import Model
from seqsep.tasks import IndexLookup
from seqsep.theorems import TheoremFails
from seqsep.theorems.retrieval import index_lookup_attention
from seqsep.theorems.retrieval._index_lookup_trials import hard_sequences, require_answers, retrieved_margin
from seqsep.theorems.trial import Trial
from support.networks import defects_that_change, with_array

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

NAMES = [code.name for code in CODES]


@pytest.mark.parametrize(("length", "alphabet"), [(1, 1), (1, 5), (2, 64), (2, 3), (3, 3), (5, 2)])
def test_index_lookup_attention_on_every_input(length, alphabet):
    for outcome in index_lookup_attention.check(length, alphabet):
        assert outcome.exhaustive
        assert outcome.inputs == sum(n * alphabet**n for n in range(1, length + 1))


@pytest.mark.slow
@pytest.mark.parametrize("code", NAMES)
@pytest.mark.parametrize("length", [7, 63, 64, 200])
def test_index_lookup_attention_at_larger_lengths(code, length):
    (outcome,) = index_lookup_attention.check(length, 64, code)
    assert not outcome.exhaustive
    assert outcome.measured == outcome.bound


@pytest.mark.parametrize("code", NAMES)
def test_the_proved_margin_counts_what_rounding_adds(code):
    """Scores that are no multiples of 1/L lose up to 1/L each, so the others' weights may be e^(1/L) times as large."""
    made = position_code(code, 65)
    grid = index_lookup_attention.build(64, 2, code).grid
    leakage = made.leakage(made.least_scale())
    whole_scores = 1 / (1 + leakage) - 1 / 2 - 1 / grid.steps
    proved = index_lookup_attention.proved(made, grid)
    assert proved == whole_scores if code != "circle" else proved < whole_scores
    rounded = 1 / (1 + leakage * np.exp(0 if made.unit == 1 else 1 / grid.steps)) - 1 / 2 - 1 / grid.steps
    assert proved == pytest.approx(rounded, rel=1e-12)


def test_forward_answers_too_not_only_the_cached_state():
    task = IndexLookup(40, alphabet=9)
    model = Model.load(index_lookup_attention.build(40, 9, "binary"))
    batch = task.sample(0, 200, 0)
    at = torch.from_numpy(batch.lengths - 1)
    answers = model(torch.from_numpy(batch.inputs), at).argmax(-1).numpy()
    assert np.array_equal(answers, batch.targets[np.arange(200), at])


def every_input(length: int, alphabet: int) -> tuple[np.ndarray, np.ndarray]:
    sequences = np.array(np.unravel_index(np.arange(alphabet**length), (alphabet,) * length)).T
    inputs = np.array([[*sequence, alphabet + p] for sequence in sequences.tolist() for p in range(length)])
    return inputs, np.array([sequence[p] for sequence in sequences.tolist() for p in range(length)])


def test_30_defects_that_change_the_function_are_all_caught(monkeypatch):
    length, alphabet = 5, 3
    honest = index_lookup_attention.build(length, alphabet, "parabola")
    inputs, answers = every_input(length, alphabet)
    assert np.array_equal(run(honest, inputs, at=-1).answers[:, 0], answers)
    arrays = set()
    for name, network in defects_that_change(honest, lambda network: run(network, inputs, at=-1).answers.tolist(), count=30):
        arrays.add(name)
        monkeypatch.setattr(index_lookup_attention, "assemble", lambda *given, network=network: network)
        with pytest.raises(TheoremFails, match="position"):
            index_lookup_attention.check(length, alphabet, "parabola")
    assert len(arrays) >= 8


def test_an_oversized_network_is_found_out(monkeypatch):
    def too_precise(*given):
        network = honest(*given)
        return dataclasses.replace(network, grid=Grid(network.grid.steps * 2))

    honest = index_lookup_attention.assemble
    monkeypatch.setattr(index_lookup_attention, "assemble", too_precise)
    with pytest.raises(TheoremFails, match="precision"):
        index_lookup_attention.check(5, 2, "binary")


def test_size_numbers():
    """p = 41 and 21 at N = 1,000; the attention matrices cross N log2 S at N = 1,291, for S = 64."""
    parabola, binary = (index_lookup_attention.build(1000, 64, code) for code in ("parabola", "binary"))
    assert (parabola.precision, binary.precision) == (41, 21)
    assert parabola.ledger().core == 3 * 6 * 10 * 41
    below, at = (index_lookup_attention.bound(n, 64, CODES[2](n + 1))["core_bits"] for n in (1290, 1291))
    assert below >= 6 * 1290
    assert at < 6 * 1291


@pytest.mark.parametrize("code", NAMES)
def test_the_margin_is_at_least_the_proved_one(code):
    for length in (2, 9, 100):
        (outcome,) = index_lookup_attention.check(length, 4, code)
        assert 0 < outcome.margin.proved <= outcome.margin.least
    assert outcome.margin.proved > 1 / 4


@pytest.mark.parametrize("length", [4, 5, 8, 33, 257, 4096])
def test_constant_eta_is_enough_at_every_length(length):
    """Parabola, Kc = 2 and eta = 2: every position, weights of at least 0.75 (a retrieved bit at least 1/4 from 1/2)."""
    network = index_lookup_attention.build(length, 2, "parabola")
    assert network.grid.steps == (length + 1) ** 2
    symbols = np.random.default_rng(length).integers(0, 2, length)
    asked = np.arange(length) if length < 1000 else np.unique(np.linspace(0, length - 1, 300).astype(int))
    result = ask(network, symbols, 2 + asked)
    assert np.array_equal(result.answers, symbols[asked])
    assert Trial("", network, retrieved_margin(network)).margins(result).min() >= 1 / 4
    assert network.layers[0][0].heads[0].query.largest == 2


def test_the_printed_key_of_the_question_fails():
    """C.2 gives the question the key 0. In the parabola code an address can score below 0: the question outweighs it."""
    length = 6
    network = index_lookup_attention.build(length, 2, "parabola")
    positions = network.positions.integers.copy()
    positions[length] = 0
    printed = with_array(network, "positions", Array(positions, by_index=True))
    inputs, answers = every_input(length, 2)
    wrong = run(printed, inputs, at=-1).answers[:, 0] != answers
    assert wrong.mean() > 1 / 20
    assert not (run(network, inputs, at=-1).answers[:, 0] != answers).any()


def test_the_printed_encoding_does_not_fit_its_size():
    """Section 3 has the size log S + 2k, and an encoding of S bits; ours has as many coordinates as the size leaves."""
    symbols = 64
    network = index_lookup_attention.build(20, symbols)
    size_leaves = int(np.log2(symbols))
    binary = {tuple(code) for code in network.symbols.integers[:symbols, network.spaces["symbol"]].tolist()}
    assert {len(code) for code in binary} == {size_leaves}
    assert len(binary) == symbols
    one_hot = np.eye(symbols)
    assert one_hot.shape[1] > size_leaves


def test_the_printed_inputs_have_positions_beyond_the_end():
    longest, alphabet = 3, 2
    sequences = [s for n in range(1, longest + 1) for s in itertools.product(range(alphabet), repeat=n)]
    printed = [(s, p) for s in sequences for p in range(1, longest + 1)]
    without_answer = [(s, p) for s, p in printed if p > len(s)]
    assert (len(without_answer), len(printed)) == (8, 42)
    task = IndexLookup(longest, alphabet)
    for s, p in printed:
        if p > len(s):
            with pytest.raises((IndexError, ValueError)):
                task.solve((*s, alphabet + p - 1))
        else:
            assert task.solve((*s, alphabet + p - 1)) == s[p - 1]


def test_uncentred_parabola_saturates():
    """Findings, section 2: without the centre, winning scores pass n^2 and the wanted address is lost at Kc = 2."""
    length = 40
    network = index_lookup_attention.build(length, 2, "parabola")
    x = np.arange(length + 1)
    positions, indices = network.positions.integers.copy(), network.indices.integers.copy()
    positions[:, -2:] = np.stack([x, x * x], axis=1)
    indices[:, 1:3] = np.stack([2 * x[:-1], -np.ones(length, dtype=int)], axis=1)
    moved = with_array(network, "positions", Array(positions, by_index=True))
    moved = with_array(moved, "indices", Array(indices, by_index=True))
    symbols = np.arange(length) % 2
    result = ask(moved, symbols, 2 + np.arange(length))
    assert result.tally.saturated["layer 0 scores"] > 0
    assert (result.answers != symbols).sum() > 5


def test_tightness():
    """The values printed work, and an eta below the least one fails."""
    (tight,) = index_lookup_attention.check(30, 4, "parabola", tightness=True)
    assert tight.measured["steps"] <= tight.bound["steps"]
    assert tight.measured["eta"] <= tight.bound["eta"]
    assert tight.measured["precision"] == Grid(tight.measured["steps"]).precision
    built = index_lookup_attention.build(30, 4, "parabola", eta=tight.measured["eta"] - 1)
    trial = Trial("index-lookup-attention", built)
    with pytest.raises(TheoremFails):
        any(require_answers(trial, np.array(s), np.arange(len(s)), 4) for s in hard_sequences(IndexLookup(30, 4), 0))


def test_the_applier_runs_the_weights_and_names_what_is_wrong():
    answer = index_lookup_attention.predictor(5, alphabet=3, code="binary")
    assert [answer({"symbols": [0, 2, 1], "position": p, "answer": 9}) for p in (1, 2, 3)] == [0, 2, 1]
    for given, message in [
        ({"symbols": [0, 3], "position": 1}, "symbols: expected 0 to 2, found 0 to 3"),
        ({"symbols": [0] * 6, "position": 1}, "symbols: expected 1 to 5 of them, found 6"),
        ({"symbols": [0, 1], "position": 3}, "position: expected 1 to 2, found 3"),
        ({"symbols": [0, 1]}, "position: missing; found symbols"),
        ({"symbols": "ab", "position": 1}, "symbols: expected a list of whole numbers"),
        ({"symbols": [0, True], "position": 1}, "symbols: expected a list of whole numbers"),
        ({"symbols": [0], "position": 1.0}, "position: expected a whole number, found 1.0"),
    ]:
        with pytest.raises(ValueError, match=message):
            answer(given)


def test_text_file(tmp_path):
    path = tmp_path / "any.bin"
    path.write_bytes(bytes(range(256)) * 3)
    (outcome,) = index_lookup_attention.check(text=path)
    assert (outcome.length, outcome.inputs) == (768, 768)
    (some,) = index_lookup_attention.check(text=path, positions=10, code="binary")
    assert some.inputs == 10
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    with pytest.raises(ValueError, match="1 byte"):
        index_lookup_attention.check(text=empty)
    with pytest.raises(ValueError, match="1 to 768"):
        index_lookup_attention.check(text=path, positions=769)
    with pytest.raises(ValueError, match="goes with text"):
        index_lookup_attention.check(positions=3)
    with pytest.raises(ValueError, match="code is one of signs, binary, parabola"):
        index_lookup_attention.check(code="kerdok")

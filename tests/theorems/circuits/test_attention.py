"""Theorem 4.8: attention writes out the run of every circuit tried; a spoiled weight, row or step is found out."""

import dataclasses
import json

import numpy as np
import pytest
import torch

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.generation import generate
from seqsep.maths.networks.network import Network
from seqsep.models.model import Model
from seqsep.theorems import TheoremFails, apply
from seqsep.theorems.circuits import _trials as trials
from seqsep.theorems.circuits import attention
from seqsep.theorems.circuits._circuit import PARITY, Circuit, drawn, parsed, run_circuit
from seqsep.theorems.circuits._position_modulo import least_pieces, modulo_part
from seqsep.theorems.circuits._tokens import Vocabulary
from seqsep.theorems.trial import Trial, logits_apart

pytestmark = pytest.mark.unchecked  # test_theorems.py runs the check with shapes checked

NEGATES = {"inputs": 1, "gates": [["x0", "x0"], ["g0", "g0"]], "state": ["g1"], "output": ["g0"], "stop": "g1"}


def put(circuit: Circuit, network: Network, length: int, steps: int) -> Trial:
    trial = Trial("circuits-attention", network, logits_apart)
    trials.require_runs(trial, Vocabulary(circuit, length), trials.inputs_of(circuit, length, seed=0)[0], steps)
    return trial


def test_parity_of_every_input_up_to_eight_bits():
    outcome = attention.verify(circuits=0)[0]
    assert outcome.inputs == 2 + 4 + 8 + 16 + 32 + 64 + 128 + 256
    assert outcome.exhaustive
    assert outcome.measured == outcome.bound
    assert outcome.margin.least == outcome.margin.proved == 2
    assert outcome.saturated == {}


def test_random_circuits_that_answer_and_that_think():
    """A sample of the long check: every input of 1 to 7 tokens, or of 1 to 4 of two bits."""
    outcomes = attention.verify(circuits=12, seed=5)[1:]
    assert {outcome.inputs for outcome in outcomes} == {254, 340}
    assert all(outcome.exhaustive and outcome.margin.least == 2 and not outcome.saturated for outcome in outcomes)


@pytest.mark.parametrize("gates", [1, 2])
def test_few_gates_and_tokens_of_three_bits(gates):
    """With one gate a state is the very token before; each place of a pair of sources stands one token away from another."""
    random = np.random.default_rng(gates)
    for thinks in (False, True):
        for _ in range(4):
            circuit = drawn(random, gates, inputs=3, thinks=thinks)
            trial = put(circuit, attention.build(circuit, 3, 5), 3, 5)
            assert trial.inputs == 64


def test_a_long_input_and_the_exponents_of_the_grid():
    """L = n^3 for short runs and long inputs, where eta C or N counts; n^2 if a run goes on long after a short input."""
    parity = parsed(PARITY)
    for length, steps, exponent in ((6, 6, 3), (100, 100, 3), (6, 300, 2)):
        network = attention.build(parity, length, steps)
        assert network.grid.steps == (length + 1 + 4 * steps + 2) ** exponent
    word = np.random.default_rng(0).integers(2, size=100).tolist()
    vocabulary = Vocabulary(parity, 100)
    trial = Trial("circuits-attention", attention.build(parity, 100), logits_apart)
    longest = trials.require_runs(trial, vocabulary, [word, word[:3]], 100)
    assert longest == 4 * 100 + 2
    assert trial.saturated == {}


def test_the_grid_of_large_circuits_is_at_most_the_cube():
    """From 400 tokens on L = n^3 is enough, whatever the circuit: p is at most 6 log2 n + 2."""
    random = np.random.default_rng(0)
    for number in range(60):
        gates, length, more = random.integers((1, 1, 0), (60, 200, 200)).tolist()
        circuit = drawn(random, gates, inputs=1 + number % 3, thinks=number % 2 == 1)
        steps = length + more
        tokens = length + 1 + gates * steps + 1 + len(circuit.output)
        if tokens >= 400:
            assert attention.bound(circuit, length, steps)["precision"] <= (2 * tokens**6).bit_length()


def test_the_second_papers_grid():
    """p odd, rounded to the nearest, softmax once: the same runs, nothing rounded."""
    for circuit in (parsed(PARITY), parsed(NEGATES), drawn(np.random.default_rng(3), 7, thinks=True)):
        network = attention.build(circuit, 4, 8, rounding="nearest")
        assert network.grid.softmax == "once"
        assert network.grid.steps == 1 << network.grid.steps.bit_length() - 1
        trial = put(circuit, network, 4, 8)
        assert not any(trial.tally.rounded.values())
        assert set(trial.saturated) <= {"layer 0 scores"}  # losing ones
        assert trial.least == 2


def test_token_by_token_is_the_run():
    for circuit in (parsed(PARITY), parsed(NEGATES)):
        vocabulary = Vocabulary(circuit, 4)
        network = attention.build(circuit, 4, 6)
        for tokens in ([1], [0, 1], [1, 0, 0], [1, 1, 0, 1]):
            run = run_circuit(circuit, tokens, 6)
            last = [vocabulary.bit(vocabulary.answers[-1], value) for value in (0, 1)]
            assert generate(network, vocabulary.prompt(tokens), last, 60) == vocabulary.thought(run)


def spoiled_symbol(network: Network, token: int, space: str, change: int) -> Network:
    symbols = network.symbols.integers.copy()
    symbols[token, network.spaces[space].start] += change
    return dataclasses.replace(network, symbols=Array(symbols))


def spoiled_head(network: Network, index: int, part: str) -> Network:
    """A head with a part of zeros."""
    [(layer, feed_forward)] = network.layers
    one = layer.heads[index]
    nothing = dataclasses.replace(one, **{part: Array(np.zeros_like(getattr(one, part).integers))})
    heads = (*layer.heads[:index], nothing, *layer.heads[index + 1 :])
    return dataclasses.replace(network, layers=((dataclasses.replace(layer, heads=heads), feed_forward),))


def spoiled_unit(network: Network, index: int) -> Network:
    """A hidden unit that adds nothing."""
    [(layer, feed_forward)] = network.layers
    outer = feed_forward.outer.integers.copy()
    outer[:, index] = 0
    return dataclasses.replace(network, layers=((layer, dataclasses.replace(feed_forward, outer=Array(outer))),))


@pytest.mark.parametrize("circuit", [PARITY, NEGATES], ids=["parity", "thinks"])
def test_a_spoiled_weight_is_found_out(circuit):
    """Rows of a gate's token, each head's query, key and value, every hidden unit, and the read-out."""
    circuit = parsed(circuit)
    network = attention.build(circuit, 4, 8)
    put(circuit, network, 4, 8)
    vocabulary = Vocabulary(circuit, 4)
    token = vocabulary.bit(0, 1)
    spoiled = [spoiled_symbol(network, token, space, 1) for space in ("next", "back", "bit")]
    spoiled.append(spoiled_symbol(network, vocabulary.filler, "over", -1))
    spoiled.append(spoiled_symbol(network, vocabulary.filler, "next", 1))
    spoiled += [spoiled_symbol(network, vocabulary.bit(vocabulary.gates - 1, 1), "may_stop", -1)]
    spoiled += [spoiled_head(network, index, part) for index in range(3) for part in ("query", "key", "value", "output")]
    spoiled += [spoiled_unit(network, index) for index in range(len(network.layers[0][1].inner.integers))]
    readout = network.readout.integers.copy()
    readout[vocabulary.stop] = 0
    spoiled.append(dataclasses.replace(network, readout=Array(readout)))
    for one in spoiled:
        with pytest.raises(TheoremFails, match="place = "):
            put(circuit, one, 4, 8)


def test_a_wrong_gate_is_found_out():
    """The run of one circuit required of the network of another that differs in one source."""
    wrong = parsed(PARITY | {"gates": [*PARITY["gates"][:3], ["g1", "g1"]]})
    with pytest.raises(TheoremFails, match="expected"):
        put(wrong, attention.build(parsed(PARITY), 4), 4, 4)


def test_a_grid_that_cuts_off_what_wins_is_found_out():
    """On one of a fifth of the steps that the bound asks for, winning scores are cut off."""
    circuit = parsed(PARITY)
    network = attention.build(circuit, 6)
    put(circuit, dataclasses.replace(network, grid=Grid(network.grid.steps // 5)), 6, 6)
    with pytest.raises(TheoremFails):
        put(circuit, dataclasses.replace(network, grid=Grid(1_100)), 6, 6)


def test_the_applier_answers_circuits_inline():
    lines = [json.dumps({"circuit": PARITY, "input": word}) for word in ([1, 0, 1, 1], [1], [0, 0, 1, 1, 0])]
    answers = list(apply("circuits-attention", lines, length=5))
    assert [one["answer"] for one in answers] == [1, 1, 0]
    assert answers[1]["thought"] == ["g0=1", "g1=0", "g2=1", "g3=1", "stop", "a0=1"]
    (thinking,) = apply("circuits-attention", [json.dumps({"circuit": NEGATES, "input": [1, 0]})], length=2, steps=4)
    assert thinking["answer"] == run_circuit(parsed(NEGATES), [1, 0], 4).answer
    assert len(thinking["thought"]) == 3 * 2 + 2


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"input": [1]}, "circuit: missing; found input"),
        ({"circuit": PARITY}, "input: missing"),
        ({"circuit": PARITY, "input": []}, "input: expected 1 to 3 of them, found 0"),
        ({"circuit": PARITY, "input": [0, 2]}, "input: expected 0 to 1, found 0 to 2"),
        ({"circuit": PARITY, "input": [0] * 4}, "input: expected 1 to 3 of them, found 4"),
        ({"circuit": PARITY | {"gates": [["x0", "g0"]]}, "input": [0]}, "earlier gate"),
        ({"circuit": NEGATES, "input": [1, 1, 0]}, "does not stop within 3 steps"),
    ],
)
def test_what_the_applier_refuses(given, reason):
    with pytest.raises(ValueError, match=reason):
        list(apply("circuits-attention", [json.dumps(given)], length=3))


def test_check_takes_a_circuit_from_a_file(tmp_path):
    path = tmp_path / "negates.json"
    path.write_text(json.dumps(NEGATES))
    (outcome,) = attention.check(length=3, circuit=path)
    assert outcome.variant == "negates.json"
    assert outcome.inputs == 14
    path.write_text(json.dumps(NEGATES | {"stop": "g0"}))
    with pytest.raises(ValueError, match=r"negates\.json: circuit: stop: expected the last gate"):
        attention.check(circuit=path)
    path.write_text("[")
    with pytest.raises(ValueError, match=r"negates\.json: "):
        attention.check(circuit=path)
    with pytest.raises(ValueError, match="a step for each"):
        attention.build(parsed(PARITY), length=3, steps=2)


def test_parameters_grow_linearly_in_the_gates():
    """O(C) parameters: twice the gates of one kind are at most twice the entries and a constant."""
    chain = [["x0", "s0"]]
    sizes = {}
    for gates in (16, 32, 64):
        pairs = chain + [[f"g{gate}", f"g{gate}"] for gate in range(gates - 1)]
        circuit = parsed({"inputs": 1, "gates": pairs, "state": ["g0"], "output": ["g0"]})
        bound = attention.bound(circuit, 4, 4)
        sizes[gates] = bound["program_bits"] // bound["precision"]
    assert sizes[64] - sizes[32] == 2 * (sizes[32] - sizes[16]) == 32 * 4 * 23 + 64


@pytest.mark.parametrize("rounding", ["nearest", "floor"])
def test_the_printed_layer_divides_by_rounding(rounding):
    for gates, positions in ((1, 7), (2, 401), (3, 200), (7, 1000), (11, 5000), (60, 3000)):
        network = modulo_part(gates + 1, positions, rounding)
        [(_, part)] = network.layers
        assert len(part.gate.integers) == 2 * (gates + 1)
        found = run(network, np.zeros((1, positions), dtype=np.int64)).logits.floats()[0, :, 0]
        assert found.tolist() == [place % (gates + 1) for place in range(positions)]


def test_without_rounding_the_printed_layer_has_too_few_pieces():
    """ReGLU parts of random weights have at most a piece more than units; positions modulo C + 1 need one a tooth."""
    random = np.random.default_rng(0)
    places = np.arange(400)
    for units in (1, 2, 5, 10):
        for _ in range(20):
            a, c = random.integers(-9, 10, (2, units, 1))
            b, d = random.integers(-2000, 2001, (2, units, 1))
            values = (np.maximum(a * places + b, 0) * (c * places + d)).sum(axis=0)
            assert least_pieces(values.tolist()) <= units + 1
    for gates in (2, 3, 7):
        for positions in (50, 200, 401):
            needed = least_pieces([place % (gates + 1) for place in range(positions)])
            assert needed == -(-positions // (gates + 1))
    assert least_pieces([place % 4 for place in range(200)]) == 50 > 10 * 3 + 1
    assert least_pieces([place % 2 for place in range(200)]) == 67  # 0, 1, 0 is on a parabola


@torch.no_grad()
def test_floats_agree_far_from_ties():
    """In float64 the right logit leads by almost 2 too."""
    circuit = parsed(PARITY)
    vocabulary = Vocabulary(circuit, 8)
    word = [1, 0, 0, 1, 1, 1, 0, 1]
    sequence = vocabulary.prompt(word) + vocabulary.thought(run_circuit(circuit, word, 8))
    logits = Model.load(attention.build(circuit, 8))(torch.tensor([sequence[:-1]]))[0, 8:]
    first_two = logits.topk(2, dim=-1)
    assert first_two.indices[:, 0].tolist() == sequence[9:]
    assert float((first_two.values[:, 0] - first_two.values[:, 1]).min()) > 1.99

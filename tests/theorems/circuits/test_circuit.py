"""The format of circuits: what one computes, random ones, and malformed ones refused with the reason."""

from itertools import product

import numpy as np
import pytest

from seqsep.theorems.circuits._circuit import PARITY, drawn, parsed, run_circuit


@pytest.mark.parametrize("length", range(1, 9))
def test_parity_is_parity(length):
    for bits in product((0, 1), repeat=length):
        assert run_circuit(parsed(PARITY), bits, length).answer == sum(bits) % 2


def test_a_serial_adder_by_hand():
    """Two bits a token, the least first: the carry is the state, the sum's last bit and the carry are the answer."""
    gates = [["x0", "x1"], ["x0", "g0"], ["x1", "g0"], ["g1", "g2"]]  # g3 = x0 xor x1
    gates += [["g3", "s0"], ["g3", "g4"], ["s0", "g4"], ["g5", "g6"], ["g0", "g4"]]  # g7 the sum, g8 the carry
    adder = parsed({"inputs": 2, "gates": gates, "state": ["g8"], "output": ["g7", "g8"]})
    for first, second in product(range(16), repeat=2):
        tokens = [(first >> place & 1) + 2 * (second >> place & 1) for place in range(4)]
        run = run_circuit(adder, tokens, 4)
        assert run.answer == (first + second) >> 3
        assert [values[7] for values in run.steps] == [(first + second) >> place & 1 for place in range(4)]


def test_what_is_emitted_is_read_after_the_input():
    """A step negates the token: 1 and 0 in turn, until stop, which is the token's own bit, is 1."""
    negating = parsed({"inputs": 1, "gates": [["x0", "x0"], ["g0", "g0"]], "state": [], "output": ["g0"], "stop": "g1"})
    assert run_circuit(negating, [0, 1], most_steps=9) == ([[1, 0], [0, 1]], 0)
    assert run_circuit(negating, [1, 0], most_steps=9) == ([[0, 1], [1, 0], [0, 1]], 0)
    assert run_circuit(negating, [1, 0], most_steps=2) == ([[0, 1], [1, 0]], None)


def test_the_start_is_the_state_before_the_first_token():
    shift = {"inputs": 1, "gates": [["s0", "s0"], ["x0", "x0"], ["g1", "g1"]], "state": ["g2"], "output": ["g0"]}
    for start in (0, 1):
        circuit = parsed(shift | {"start": [start]})
        assert run_circuit(circuit, [1], 1).answer == 1 - start
        assert run_circuit(circuit, [1, 0], 2).answer == 0
    assert parsed(shift).start == (0,)


@pytest.mark.parametrize("seed", range(20))
def test_random_circuits_survive_their_record(seed):
    circuit = drawn(np.random.default_rng(seed), gates=2 + seed % 11, inputs=1 + seed % 3, thinks=seed % 2 == 1)
    assert parsed(circuit.record()) == circuit
    assert len(circuit.gates) == 2 + seed % 11


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"inputs": 0}, "inputs: expected 1 to 8 bits a token, found 0"),
        ({"inputs": 9}, "inputs: expected 1 to 8 bits a token, found 9"),
        ({"inputs": True}, "inputs: expected 1 to 8 bits a token, found True"),
        ({"gates": []}, r"gates: expected a list of at least 1, found \[\]"),
        ({"gates": [["x0"]]}, r"gates\[0\]: expected two sources, found \['x0'\]"),
        ({"gates": [["x0", "g0"]]}, r"gates\[0\]: expected x0, s0 or an earlier gate, found 'g0'"),
        ({"gates": [["x1", "x0"]]}, r"gates\[0\]: expected x0, s0 or an earlier gate, found 'x1'"),
        ({"gates": [["x0", 3]]}, r"gates\[0\]: expected x0, s0 or an earlier gate, found '3'"),
        ({"gates": [["x0", "s01"]]}, "or an earlier gate, found 's01'"),
        ({"state": ["g4"]}, "state: expected gates g0 to g3, found 'g4'"),
        ({"state": "g3"}, "state: expected a list of at least 0, found g3"),
        ({"output": []}, "output: expected a list of at least 1"),
        ({"output": ["s0"]}, "output: expected gates g0 to g3, found 's0'"),
        ({"start": [0, 1]}, r"start: expected 1 bits, one for each of state, found \[0, 1\]"),
        ({"start": [2]}, r"start: expected 1 bits, one for each of state, found \[2\]"),
        ({"stop": "g2"}, "stop: expected the last gate, g3, found g2"),
        ({"stop": "g3", "output": ["g3", "g2"]}, "a model that thinks reads what it emits; expected 1 gates, found 2"),
        ({"gate": []}, "fields are inputs, gates, state, start, output, stop, found gate"),
    ],
)
def test_a_malformed_circuit_is_refused_with_the_reason(change, reason):
    with pytest.raises(ValueError, match=f"^circuit: .*{reason}"):
        parsed(PARITY | change)


def test_a_missing_field_is_named():
    for field in ("inputs", "gates", "state", "output"):
        with pytest.raises(ValueError, match=f"circuit: {field}: missing"):
            parsed({name: value for name, value in PARITY.items() if name != field})
    with pytest.raises(ValueError, match=r"expected an object with the fields .*, found \[\]"):
        parsed([])

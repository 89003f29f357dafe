"""Recurrent models whose step is a circuit of NAND gates: the format, what one computes, and random ones.

A circuit is a JSON object. Parity, whose state is the parity of the bits read so far:

    {"inputs": 1, "state": ["g3"], "output": ["g3"],
     "gates": [["x0", "s0"], ["x0", "g0"], ["s0", "g0"], ["g1", "g2"]]}

* "inputs": I, the bits of a token; tokens are whole numbers below 2^I, and x0 is the bit of value 1.
* "gates": C pairs of sources; gate c is 1 unless both of its sources are 1. A source is "x1", a bit of the token; "s1", a bit
  of the state before the step; or "g1", an earlier gate of the same step.
* "state": for each bit of the state the gate that is its next value. "start": the bits before the first token, by default 0.
* "output": the gates that are the bits of the token emitted.
* "stop": if given, the last gate. After the last token of the input the model reads what it emits, which is its thought, and
  answers at the first step with stop = 1. Without it the model answers at the last token of the input.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from seqsep.core.names import excerpt

MOST_INPUTS = 8
FIELDS = ("inputs", "gates", "state", "start", "output", "stop")
PARITY = {
    "inputs": 1,
    "gates": [["x0", "s0"], ["x0", "g0"], ["s0", "g0"], ["g1", "g2"]],
    "state": ["g3"],
    "output": ["g3"],
}


class GateInput(NamedTuple):
    """A source of a gate: "x" a bit of the token, "s" of the state before the step, "g" an earlier gate of the step."""

    kind: str
    number: int

    def __str__(self) -> str:
        return f"{self.kind}{self.number}"


@dataclass(frozen=True)
class Circuit:
    """A step of a recurrent model, as NAND gates; `thinks` says that its last gate is stop.

    >>> circuit = parsed(PARITY)
    >>> circuit.step([1], 1)  # the gates of one step, from state 1 and token 1
    [0, 1, 1, 0]
    """

    inputs: int
    gates: tuple[tuple[GateInput, GateInput], ...]
    state: tuple[int, ...]
    start: tuple[int, ...]
    output: tuple[int, ...]
    thinks: bool

    def step(self, state: Sequence[int], token: int) -> list[int]:
        """Every gate's value, from the state before the step and the token."""
        values: list[int] = []
        for first, second in self.gates:
            read = [self._value(source, state, token, values) for source in (first, second)]
            values.append(1 - read[0] * read[1])
        return values

    def _value(self, source: GateInput, state: Sequence[int], token: int, values: Sequence[int]) -> int:
        if source.kind == "x":
            return token >> source.number & 1
        return values[source.number] if source.kind == "g" else state[source.number]

    def record(self) -> dict[str, Any]:
        """The circuit in the format of the head of this file."""
        record: dict[str, Any] = {
            "inputs": self.inputs,
            "gates": [[str(first), str(second)] for first, second in self.gates],
            "state": [f"g{gate}" for gate in self.state],
            "start": list(self.start),
            "output": [f"g{gate}" for gate in self.output],
        }
        return record | {"stop": f"g{len(self.gates) - 1}"} if self.thinks else record


class CircuitRun(NamedTuple):
    """The gates of each step, and the token answered; `answer` is None if there was none within the steps allowed."""

    steps: list[list[int]]
    answer: int | None


def run_circuit(circuit: Circuit, tokens: Sequence[int], most_steps: int) -> CircuitRun:
    """Run the recurrent model on an input of at least one token: the definition, with at most `most_steps` steps in all.

    >>> run_circuit(parsed(PARITY), [1, 0, 1, 1], most_steps=4).answer
    1
    """
    state = list(circuit.start)
    steps: list[list[int]] = []
    emitted = 0
    while len(steps) < most_steps:
        is_given = len(steps) < len(tokens)
        values = circuit.step(state, tokens[len(steps)] if is_given else emitted)
        state = [values[gate] for gate in circuit.state]
        emitted = sum(values[gate] << place for place, gate in enumerate(circuit.output))
        steps.append(values)
        if len(steps) >= len(tokens) and (not circuit.thinks or values[-1] == 1):
            return CircuitRun(steps, emitted)
    return CircuitRun(steps, None)


def parsed(given: Any) -> Circuit:
    """The circuit of an object in the format of the head of this file. Raises ValueError, with the field, for another one.

    >>> parsed(PARITY).state
    (3,)
    >>> parsed(PARITY | {"gates": [["x0", "g0"]]})
    Traceback (most recent call last):
    ValueError: circuit: gates[0]: expected x0, s0 or an earlier gate, found 'g0'
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"circuit: expected an object with the fields {', '.join(FIELDS)}, found {str(given)[:80]}")
    for field in given:
        if field not in FIELDS:
            raise ValueError(f"circuit: fields are {', '.join(FIELDS)}, found {str(field)[:80]}")
    for field in ("inputs", "gates", "state", "output"):
        if field not in given:
            raise ValueError(f"circuit: {field}: missing; found {', '.join(map(str, given)) or 'no fields'}")
    inputs = given["inputs"]
    if type(inputs) is not int or not 1 <= inputs <= MOST_INPUTS:
        raise ValueError(f"circuit: inputs: expected 1 to {MOST_INPUTS} bits a token, found {str(inputs)[:80]}")
    state_bits = len(_listed(given, "state", least=0))
    gates = tuple(
        _gate(pair, number, inputs=inputs, state_bits=state_bits)
        for number, pair in enumerate(_listed(given, "gates", least=1))
    )
    state = _gate_numbers(given, "state", len(gates), least=0)
    output = _gate_numbers(given, "output", len(gates), least=1)
    thinks = given.get("stop") is not None
    if thinks and given["stop"] != f"g{len(gates) - 1}":
        raise ValueError(f"circuit: stop: expected the last gate, g{len(gates) - 1}, found {str(given['stop'])[:80]}")
    if thinks and len(output) != inputs:
        raise ValueError(
            f"circuit: output: a model that thinks reads what it emits; expected {inputs} gates, found {len(output)}"
        )
    return Circuit(inputs, gates, state, start=_start(given, state_bits), output=output, thinks=thinks)


def _listed(given: Mapping[str, Any], field: str, least: int) -> list[Any]:
    value = given[field]
    if not isinstance(value, list) or len(value) < least:
        raise ValueError(f"circuit: {field}: expected a list of at least {least}, found {str(value)[:80]}")
    return value


def _gate_numbers(given: Mapping[str, Any], field: str, gates: int, least: int) -> tuple[int, ...]:
    numbers = []
    for name in _listed(given, field, least):
        if not isinstance(name, str) or not re.fullmatch(r"g(0|[1-9]\d{0,8})", name) or int(name[1:]) >= gates:
            raise ValueError(f"circuit: {field}: expected gates g0 to g{gates - 1}, found {str(name)[:80]!r}")
        numbers.append(int(name[1:]))
    return tuple(numbers)


def _gate(pair: Any, number: int, *, inputs: int, state_bits: int) -> tuple[GateInput, GateInput]:
    """The two sources of gate `number`."""
    if not isinstance(pair, list) or len(pair) != 2:
        raise ValueError(f"circuit: gates[{number}]: expected two sources, found {str(pair)[:80]}")
    known = {"x": inputs, "s": state_bits, "g": number}
    sources = []
    for name in pair:
        matched = re.fullmatch(r"([xsg])(0|[1-9]\d{0,8})", name) if isinstance(name, str) else None
        if matched is None or int(matched[2]) >= known[matched[1]]:
            bits = [f"{kind}{place}" for kind in "xs" for place in range(known[kind])]
            raise ValueError(
                f"circuit: gates[{number}]: expected {excerpt(', '.join(bits))} or an earlier gate, found {str(name)[:80]!r}"
            )
        sources.append(GateInput(matched[1], int(matched[2])))
    return sources[0], sources[1]


def _start(given: Mapping[str, Any], state_bits: int) -> tuple[int, ...]:
    start = given.get("start", [0] * state_bits)
    if not isinstance(start, list) or len(start) != state_bits or not all(type(bit) is int and bit in (0, 1) for bit in start):
        raise ValueError(f"circuit: start: expected {state_bits} bits, one for each of state, found {str(start)[:80]}")
    return tuple(start)


def drawn(random: np.random.Generator, gates: int, inputs: int = 1, thinks: bool = False) -> Circuit:
    """Return a random circuit: sources of every gate from all that it may read, and a state of 1 to 3 bits.

    >>> circuit = drawn(np.random.default_rng(0), gates=5)
    >>> parsed(circuit.record()) == circuit
    True
    """
    state_bits = int(random.integers(1, 4))
    pairs = []
    for number in range(gates):
        readable = [GateInput("x", place) for place in range(inputs)]
        readable += [GateInput("s", place) for place in range(state_bits)]
        readable += [GateInput("g", place) for place in range(number)]
        first, second = random.integers(len(readable), size=2)
        pairs.append((readable[first], readable[second]))
    return Circuit(
        inputs=inputs,
        gates=tuple(pairs),
        state=tuple(random.integers(gates, size=state_bits).tolist()),
        start=tuple(random.integers(2, size=state_bits).tolist()),
        output=tuple(random.integers(gates, size=inputs).tolist()),
        thinks=thinks,
    )

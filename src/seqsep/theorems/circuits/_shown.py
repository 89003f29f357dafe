"""A circuit's runs, gate by gate, as evidence for a certificate."""

from itertools import product

import numpy as np

from seqsep.maths.networks.generation import follow
from seqsep.maths.networks.network import Network
from seqsep.theorems.circuits._circuit import Circuit, GateInput, run_circuit
from seqsep.theorems.circuits._tokens import Vocabulary
from seqsep.theorems.evidence import Evidence, GeneratedRun

MOST_INPUTS = 64


def shown(circuit: Circuit, network: Network, length: int) -> Evidence:
    """Return the runs on every input of `length` tokens, which the network is found to write.

    Raises ValueError for a circuit that thinks or has no state, as a certificate has no form for these. Raises it for more
    than 64 inputs, or if the last bit of the answer is the same for all of them.
    """
    inputs = 1 << circuit.inputs * length
    if circuit.thinks or not circuit.state or inputs > MOST_INPUTS:
        raise ValueError(
            f"certify(length={length}): expected a circuit with a state and without stop, and at most {MOST_INPUTS} inputs, "
            f"found {'one with stop' if circuit.thinks else f'{len(circuit.state)} bits of state'} and {inputs:,} inputs"
        )
    vocabulary = Vocabulary(circuit, length)
    words = list(product(range(1 << circuit.inputs), repeat=length))
    prompts = [vocabulary.prompt(word) for word in words]
    runs = [vocabulary.thought(run_circuit(circuit, word, length)) for word in words]
    if len({run[-1] for run in runs}) == 1:
        raise ValueError(f"certify(length={length}): expected a circuit whose last bit of output depends on the input")
    follow(network, [prompt + run for prompt, run in zip(prompts, runs, strict=True)], [length + 1] * len(words))
    return Evidence("circuit", fields(circuit, length), GeneratedRun(network, np.array(prompts), runs))


def fields(circuit: Circuit, length: int) -> dict[str, int | list[int] | list[list[int]]]:
    """The fields of the task: sources are numbered bits of the token first, then of the state, then gates.

    >>> from seqsep.theorems.circuits._circuit import PARITY, parsed
    >>> fields(parsed(PARITY), length=2)["gates"]
    [[0, 1], [0, 2], [1, 2], [3, 4]]
    """
    first = {"x": 0, "s": circuit.inputs, "g": circuit.inputs + len(circuit.state)}

    def numbered(source: GateInput) -> int:
        return first[source.kind] + source.number

    return {
        "bits": circuit.inputs,
        "gates": [[numbered(one), numbered(other)] for one, other in circuit.gates],
        "length": length,
        "output": list(circuit.output),
        "start": list(circuit.start),
        "state": list(circuit.state),
    }

"""Inputs of circuits to test the built network on: every short one, random ones, and the run that is required of it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from seqsep.theorems.circuits._circuit import Circuit, drawn, run_circuit
from seqsep.theorems.circuits._tokens import Vocabulary
from seqsep.theorems.trial import Trial

EVERY_UP_TO = 512
SOME = 64


def require_runs(trial: Trial, vocabulary: Vocabulary, inputs: Sequence[Sequence[int]], most_steps: int) -> int:
    """Require that the network writes out the run of the circuit on each input, and return the tokens of the longest thought.

    A run that has not stopped after `most_steps` steps is required up to there.
    """
    thoughts = [vocabulary.thought(run_circuit(vocabulary.circuit, tokens, most_steps)) for tokens in inputs]
    sequences = [vocabulary.prompt(tokens) + thought for tokens, thought in zip(inputs, thoughts, strict=True)]
    trial.follow(sequences, [vocabulary.length + 1] * len(inputs), partial(_shown, vocabulary, inputs))
    return max(map(len, thoughts))


def _shown(vocabulary: Vocabulary, inputs: Sequence[Sequence[int]], example: int) -> Mapping[str, Any]:
    return vocabulary.readable(inputs[example])


def inputs_of(circuit: Circuit, length: int, seed: int) -> tuple[list[tuple[int, ...]], bool]:
    """Every input of 1 to `length` tokens if there are at most 512, else 64 random ones; and whether these are all."""
    alphabet = 1 << circuit.inputs
    if sum(alphabet**shorter for shorter in range(1, length + 1)) <= EVERY_UP_TO:
        return [word for shorter in range(1, length + 1) for word in product(range(alphabet), repeat=shorter)], True
    random = np.random.default_rng(seed)
    lengths = [1, length, *random.integers(1, length + 1, size=SOME - 2).tolist()]
    return [tuple(random.integers(alphabet, size=one).tolist()) for one in lengths], False


def random_circuits(count: int, seed: int) -> Iterator[Circuit]:
    """Random circuits of 2 to 12 gates, and of 1 or 2 bits per token; every other one thinks."""
    random = np.random.default_rng(seed)
    for number in range(count):
        gates = int(random.integers(2, 13))
        yield drawn(random, gates, inputs=1 + number // 2 % 2, thinks=number % 2 == 1)

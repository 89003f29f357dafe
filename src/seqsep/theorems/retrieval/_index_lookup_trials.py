"""Inputs of index lookup that `index_lookup_attention` is tried on, and how its answers are compared."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import torch
from jaxtyping import Int64

from seqsep.exact.executor import Execution, ask, run
from seqsep.exact.grid import Array
from seqsep.exact.network import Network
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import whole_number, whole_numbers
from seqsep.theorems.checking import passes
from seqsep.theorems.evidence import NetworkRun
from seqsep.theorems.trial import Trial, climb, distances, edited

FLOATS_UP_TO = 1 << 24
FLOAT_QUESTIONS = 16


def require_all(trial: Trial, length: int, alphabet: int) -> None:
    """Every sequence of one length with every question."""
    sequences = np.arange(alphabet**length)[:, None] // alphabet ** np.arange(length) % alphabet
    rows, asked = np.divmod(np.arange(len(sequences) * length), length)
    inputs = np.concatenate([sequences[rows], alphabet + asked[:, None]], axis=1)
    for first in range(0, len(inputs), 1 << 16):
        some = slice(first, first + (1 << 16))
        part, places = inputs[some], asked[some]
        trial.require(
            part,
            part[np.arange(len(part)), places],
            partial(_readable, part, places),
        )


def shown(network: Network, task: IndexLookup, seed: int) -> NetworkRun:
    """Every input where there are at most 1,024, else up to 64 spread positions, each of symbols drawn anew."""
    length, alphabet = task.length, task.alphabet
    if length * alphabet**length <= 1024:
        sequences = np.arange(alphabet**length)[:, None] // alphabet ** np.arange(length)[::-1] % alphabet
        asked = np.tile(np.arange(length), len(sequences))
        sequences = np.repeat(sequences, length, axis=0)
    else:
        asked = np.unique(np.linspace(0, length - 1, 64).astype(np.int64))
        sequences = np.random.default_rng(seed).integers(alphabet, size=(len(asked), length))
    inputs = np.concatenate([sequences, alphabet + asked[:, None]], axis=1)
    return NetworkRun(network, inputs, run(network, inputs, at=-1).answers[:, 0])


def _readable(inputs: Int64[np.ndarray, "n tokens"], asked: Int64[np.ndarray, "n"], row: int) -> Mapping[str, Any]:
    return {"symbols": inputs[row, :-1].tolist(), "position": int(asked[row]) + 1}


def climb_down(trial: Trial, length: int, alphabet: int, seed: int) -> None:
    """From random sequences and questions, the edges among them, towards smaller margins by changing symbols."""
    random = np.random.default_rng(seed)
    asked = np.concatenate([[0, length // 2, length - 1], random.integers(length, size=21)])

    def put(sequences: Int64[np.ndarray, "n length"]) -> np.ndarray:
        inputs = np.concatenate([sequences, alphabet + asked[:, None]], axis=1)
        expected = sequences[np.arange(len(sequences)), asked]
        return trial.margins(trial.require(inputs, expected, partial(_readable, inputs, asked)))

    climb(put, random.integers(alphabet, size=(len(asked), length)), partial(edited, alphabet=alphabet, random=random))


def hard_sequences(task: IndexLookup, seed: int) -> Iterator[Sequence[int]]:
    """Random ones, and constants but for one symbol.

    A retrieved bit is the sum of the weights of the positions that hold a 1: furthest from its value where every other position
    holds the opposite bit. So for S a power of two no input has a smaller margin than the second kind, with the odd one asked.
    """
    batch = task.sample(0, 8, seed)
    for inputs, count in zip(batch.inputs, batch.lengths - 1, strict=True):
        yield inputs[:count].tolist()
    for inputs in task.sample(0, 8, seed, evaluate=True).inputs:
        yield inputs[: task.length].tolist()
    for odd_one in sorted({0, task.length // 2, task.length - 1}):
        for common, other in ((0, task.alphabet - 1), (task.alphabet - 1, 0)):
            yield [other if place == odd_one else common for place in range(task.length)]


def require_answers(trial: Trial, sequence: Int64[np.ndarray, "length"], asked: Int64[np.ndarray, "n"], alphabet: int) -> None:
    """Put each question to the network after the sequence, and compare with the sequence itself; in float64 too where small."""
    expected = sequence[asked][:, None]

    def readable(row: int) -> Mapping[str, Any]:
        return {"symbols": sequence.tolist(), "position": int(asked[row]) + 1}

    at_once = max(1, (1 << 26) // (len(sequence) + 1))
    for first in range(0, len(asked), at_once):
        some = slice(first, first + at_once)
        result = ask(trial.network, sequence, alphabet + asked[some])
        trial.compare(result.answers[:, None], result.sure[:, None], expected[some], readable, "on the grid")
        if trial.inputs * len(sequence) < FLOATS_UP_TO and trial.in_floats:
            with torch.no_grad():
                state = trial.model.prefill(torch.from_numpy(sequence)[None])
                few = some if len(sequence) < 1 << 14 else slice(first, first + FLOAT_QUESTIONS)
                logits = trial.model.step_output(torch.from_numpy(alphabet + asked[few]), state, len(sequence))
            answers = logits.argmax(-1).numpy()[:, None]
            trial.compare(answers, np.ones_like(answers, dtype=bool), expected[few], readable, "in float64")
        trial.note(result, len(result.answers))


def answers_hard_sequences(theorem: str, network: Network, length: int, alphabet: int, seed: int) -> bool:
    """Whether the network answers every question of every sequence of `hard_sequences`."""
    trial = Trial(theorem, network, in_floats=0)

    def ask_all() -> None:
        for sequence in hard_sequences(IndexLookup(length, alphabet), seed):
            require_answers(trial, np.array(sequence, dtype=np.int64), np.arange(len(sequence)), alphabet)

    return passes(ask_all)


def answer_to(network: Network, length: int, alphabet: int, given: Mapping[str, Any]) -> int:
    """The network's answer to a user's input. Raises ValueError with the field's name."""
    symbols, position = whole_numbers(given, "symbols"), whole_number(given, "position")
    if not 1 <= len(symbols) <= length:
        raise ValueError(f"symbols: expected 1 to {length} of them, found {len(symbols)}")
    if not 0 <= min(symbols) <= max(symbols) < alphabet:
        raise ValueError(f"symbols: expected 0 to {alphabet - 1}, found {min(symbols)} to {max(symbols)}")
    if not 1 <= position <= len(symbols):
        raise ValueError(f"position: expected 1 to {len(symbols)}, found {position}")
    return int(ask(network, np.array(symbols, dtype=np.int64), np.array([alphabet + position - 1])).answers[0])


def retrieved_margin(network: Network) -> Callable[[Execution], Array]:
    """The distance of each retrieved bit from 1/2."""
    return lambda result: distances(result.attended[0][..., network.spaces["symbol"]], Fraction(1, 2))

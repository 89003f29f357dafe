"""Inputs of index lookup that test `index_lookup_attention`, and the comparison of its answers."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import cycle, product
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.executor import Execution, ask, run
from seqsep.maths.networks.network import Network
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import Outcome, number_in, symbols_in
from seqsep.theorems.blocks import ROUNDINGS
from seqsep.theorems.checking import passes, until_tried
from seqsep.theorems.evidence import NetworkRun
from seqsep.theorems.trial import Trial, climb, distances, edited

FLOATS_UP_TO = 1 << 24
FLOAT_QUESTIONS = 16
AT_ONCE = 1 << 16
ALL_SHOWN_UP_TO = 1024
SPREAD_SHOWN = 64
EXHAUSTIVE_INPUTS = 20_000

CheckTask = Callable[[IndexLookup, str, int, int | None], Outcome]
"""check_task(task, rounding, seed, spread): the outcome of `try_task` on the network of that task and grid."""

Symbols = Int64[np.ndarray, "length"]


def inputs_of(sequences: Int64[np.ndarray, "n length"], asked: Int64[np.ndarray, "n"], alphabet: int) -> np.ndarray:
    """Each sequence with its question: position p, from 0, is asked for by the token S + p."""
    return np.concatenate([sequences, alphabet + asked[:, None]], axis=1)


def _readable(inputs: Int64[np.ndarray, "n tokens"], asked: Int64[np.ndarray, "n"], row: int) -> Mapping[str, Any]:
    """One input as a user would write it: the position from 1."""
    return {"symbols": inputs[row, :-1].tolist(), "position": int(asked[row]) + 1}


def require_all(trial: Trial, length: int, alphabet: int) -> None:
    """Put every sequence of one length with every question."""
    sequences = np.arange(alphabet**length)[:, None] // alphabet ** np.arange(length) % alphabet
    rows, asked = np.divmod(np.arange(len(sequences) * length), length)
    inputs = inputs_of(sequences[rows], asked, alphabet)
    for first in range(0, len(inputs), AT_ONCE):
        part = inputs[first : first + AT_ONCE]
        places = asked[first : first + AT_ONCE]
        trial.require(part, part[np.arange(len(part)), places], partial(_readable, part, places))


def try_task(trial: Trial, task: IndexLookup, seed: int, spread: int | None = None) -> bool:
    """Put every sequence and question at every length up to N if N S^N is at most 20,000, else questions of `hard_sequences`.

    These are every question, or `spread` of them. Return True if these are all inputs.
    """
    exhaustive = spread is None and task.alphabet**task.length * task.length <= EXHAUSTIVE_INPUTS
    if exhaustive:
        for shorter in range(1, task.length + 1):
            require_all(trial, shorter, task.alphabet)
        return True
    for sequence in hard_sequences(task, seed):
        asked = np.arange(len(sequence))
        if spread is not None:
            asked = np.unique(np.linspace(0, len(sequence) - 1, spread).astype(np.int64))
        require_answers(trial, np.array(sequence, dtype=np.int64), asked, task.alphabet)
    return False


def long_series(check_task: CheckTask, seed: int, small: int, medium: int, large: int) -> list[Outcome]:
    """Check every input over [N] up to N = 5, then at least `small` questions at N <= 64, `medium` at N <= 1,000 and `large` at
    1,024 to 4,096.

    Lengths take turns, over [N] and over 64 symbols, on both grids.
    """
    outcomes = [check_task(IndexLookup(length, length), one, seed, None) for length in range(2, 6) for one in ROUNDINGS]
    short = (6, 7, 8, 15, 16, 31, 32, 63, 64)
    middle = (65, 127, 128, 255, 256, 511, 512, 1000)
    for lengths, inputs, spread in ((short, small, None), (middle, medium, None), ((1024, 2048, 4096), large, 25)):
        turns = enumerate(cycle(product(ROUNDINGS, (None, 64), lengths)))
        cases = (check_task(IndexLookup(size, many or size), one, seed + turn, spread) for turn, (one, many, size) in turns)
        outcomes += until_tried(inputs, cases)
    return outcomes


def shown(network: Network, task: IndexLookup, seed: int) -> NetworkRun:
    """Return every input if there are at most 1,024, else up to 64 spread positions, each of symbols drawn again."""
    length = task.length
    alphabet = task.alphabet
    if length * alphabet**length <= ALL_SHOWN_UP_TO:
        every = np.arange(alphabet**length)[:, None] // alphabet ** np.arange(length)[::-1] % alphabet
        sequences = np.repeat(every, length, axis=0)
        asked = np.tile(np.arange(length), len(every))
    else:
        asked = np.unique(np.linspace(0, length - 1, SPREAD_SHOWN).astype(np.int64))
        sequences = np.random.default_rng(seed).integers(alphabet, size=(len(asked), length))
    inputs = inputs_of(sequences, asked, alphabet)
    return NetworkRun(network, inputs, run(network, inputs, at=-1).answers[:, 0])


def climb_down(trial: Trial, length: int, alphabet: int, seed: int) -> None:
    """Climb from random sequences and questions, the first and last among them, to smaller margins by changing symbols."""
    random = np.random.default_rng(seed)
    asked = np.concatenate([[0, length // 2, length - 1], random.integers(length, size=21)])

    def put(sequences: Int64[np.ndarray, "n length"]) -> np.ndarray:
        inputs = inputs_of(sequences, asked, alphabet)
        expected = sequences[np.arange(len(sequences)), asked]
        return trial.margins(trial.require(inputs, expected, partial(_readable, inputs, asked)))

    climb(put, random.integers(alphabet, size=(len(asked), length)), partial(edited, alphabet=alphabet, random=random))


def hard_sequences(task: IndexLookup, seed: int) -> Iterator[list[int]]:
    """Yield random ones, and constants except for one symbol.

    A retrieved bit is the sum of the weights of the positions that hold a 1. It is furthest from its value if every other
    position holds the opposite bit. So for S a power of two, no input that asks for the changed position has a smaller margin;
    it is the first, the middle and the last one.
    """
    batch = task.sample(0, 8, seed)
    for inputs, count in zip(batch.inputs, batch.lengths - 1, strict=True):
        yield inputs[:count].tolist()
    for inputs in task.sample(0, 8, seed, evaluate=True).inputs:
        yield inputs[: task.length].tolist()
    for odd_one in sorted({0, task.length // 2, task.length - 1}):
        for common, other in ((0, task.alphabet - 1), (task.alphabet - 1, 0)):
            yield [other if place == odd_one else common for place in range(task.length)]


def require_answers(trial: Trial, sequence: Symbols, asked: Int64[np.ndarray, "n"], alphabet: int) -> None:
    """Put each question after the sequence and compare with the sequence itself; small ones in float64 too."""
    expected = sequence[asked][:, None]

    def readable(row: int) -> Mapping[str, Any]:
        return {"symbols": sequence.tolist(), "position": int(asked[row]) + 1}

    at_once = max(1, (1 << 26) // (len(sequence) + 1))
    for first in range(0, len(asked), at_once):
        some = slice(first, first + at_once)
        result = ask(trial.network, sequence, alphabet + asked[some])
        trial.compare(result.answers[:, None], result.unique_argmax[:, None], expected[some], readable, run="on the grid")
        if trial.inputs * len(sequence) < FLOATS_UP_TO and trial.in_floats:
            few = some if len(sequence) < 1 << 14 else slice(first, first + FLOAT_QUESTIONS)
            answers = _in_floats(trial, sequence, alphabet + asked[few])
            unique_argmax = np.ones_like(answers, dtype=bool)
            trial.compare(answers, unique_argmax, expected[few], readable, run="in float64")
        trial.note(result, len(result.answers))


def _in_floats(trial: Trial, sequence: Symbols, questions: Int64[np.ndarray, "n"]) -> Int64[np.ndarray, "n 1"]:
    """The float model's answer to each question: the sequence is read once."""
    import torch

    with torch.no_grad():
        state = trial.model.prefill(torch.from_numpy(sequence)[None])
        logits = trial.model.step_output(torch.from_numpy(questions), state, len(sequence))
    answers: np.ndarray = logits.argmax(-1).numpy()
    return answers[:, None]


def answers_hard_sequences(theorem: str, network: Network, task: IndexLookup, seed: int) -> bool:
    """Return True if the network answers every question of every sequence of `hard_sequences`."""
    trial = Trial(theorem, network, in_floats=0)

    def ask_all() -> None:
        for sequence in hard_sequences(task, seed):
            require_answers(trial, np.array(sequence, dtype=np.int64), np.arange(len(sequence)), task.alphabet)

    return passes(ask_all)


def read(given: Mapping[str, Any], alphabet: int, *, least: int = 1, most: int) -> tuple[list[int], int]:
    """A user's {"symbols": [..], "position": p}, p from 1. Raises ValueError with the field's name.

    >>> read({"symbols": [3, 1, 2], "position": 2}, alphabet=4, most=8)
    ([3, 1, 2], 2)
    """
    symbols = symbols_in(given, "symbols", alphabet, least=least, most=most)
    return symbols, number_in(given, "position", 1, len(symbols))


def answer_to(network: Network, length: int, alphabet: int, given: Mapping[str, Any]) -> int:
    """The network's answer to a user's input. Raises ValueError with the field's name."""
    symbols, position = read(given, alphabet, most=length)
    question = np.array([alphabet + position - 1])
    return int(ask(network, np.array(symbols, dtype=np.int64), question).answers[0])


def retrieved_margin(network: Network) -> Callable[[Execution], Array]:
    """The distance of each retrieved bit from 1/2."""
    return lambda result: distances(result.attended[0][..., network.spaces["symbol"]], Fraction(1, 2))

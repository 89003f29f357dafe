"""Inputs of counting that test built networks, and the comparison of their answers."""

from collections.abc import Callable, Iterator, Mapping
from itertools import cycle, product
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int64

from seqsep.maths.networks.executor import ask, run
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Outcome
from seqsep.theorems.blocks import ROUNDINGS
from seqsep.theorems.checking import until_tried
from seqsep.theorems.retrieval._counting import CountingEncoding, read
from seqsep.theorems.trial import Trial

AT_ONCE = 1 << 14
SCORES_AT_ONCE = 1 << 24
FLOATS_UP_TO = 300
EXHAUSTIVE_INPUTS = 20_000
BOS = 0

CheckTask = Callable[[CountingEncoding, str, int, int], Outcome]
"""check_task(task, rounding, seed, spread): the outcome of `try_task` on the network of that task and grid."""

Vector = Int64[np.ndarray, "batch"]


class CountingInputs(NamedTuple):
    """A batch of inputs: sequences, each with its query and its threshold."""

    sequences: Int64[np.ndarray, "batch n"]
    queries: Vector
    thresholds: Vector

    def part(self, first: int, count: int) -> "CountingInputs":
        """`count` inputs from input `first` on."""
        return CountingInputs(*(column[first : first + count] for column in self))

    def readable(self, row: int) -> Mapping[str, Any]:
        """One input as a user would write it."""
        query = int(self.queries[row])
        return {"tokens": self.sequences[row].tolist(), "query": query, "threshold": int(self.thresholds[row])}


def every_input(task: CountingEncoding, length: int) -> CountingInputs:
    """Every sequence of one length with every query and every threshold."""
    words = np.arange(task.alphabet ** (length + 2))[:, None] // task.alphabet ** np.arange(length + 2) % task.alphabet
    return CountingInputs(words[:, :length], words[:, length], words[:, length + 1])


def inputs_up_to(task: CountingEncoding) -> int:
    """The number of inputs at all lengths 1 .. N."""
    return sum(task.alphabet ** (length + 2) for length in range(1, task.length + 1))


def require(trial: Trial, task: CountingEncoding, asked: CountingInputs) -> None:
    """Require the right answer of each example, in blocks."""
    at_once = max(1, min(AT_ONCE, SCORES_AT_ONCE // asked.sequences.shape[1] ** 2))
    for first in range(0, len(asked.queries), at_once):
        some = asked.part(first, at_once)
        trial.require(task.inputs(*some), task.answers(*some), some.readable)


def try_task(trial: Trial, task: CountingEncoding, seed: int, spread: int = 24) -> bool:
    """Put every sequence, query and threshold at every length up to N if there are at most 20,000, else `hard_sequences`.

    These have 0 .. N occurrences, or `spread` of these counts, and thresholds next to them. Return True if all inputs were put.
    """
    exhaustive = inputs_up_to(task) <= EXHAUSTIVE_INPUTS
    if exhaustive:
        require_all(trial, task)
    else:
        require_hard(trial, task, seed, spread)
    return exhaustive


def long_series(check_task: CheckTask, seed: int, small: int, medium: int, large: int) -> list[Outcome]:
    """Check every input over 0 .. N up to N = 4, then at least `small` questions at N <= 64, `medium` at N <= 512 and `large`
    at 1,024 to 4,096.

    Lengths take turns, then the grids; up to N = 512 every number of occurrences is met, beyond it 4 of them.
    """
    outcomes = [
        check_task(CountingEncoding(length, length + 1), one, seed, length) for length in range(1, 5) for one in ROUNDINGS
    ]
    series = (((5, 8, 16, 31, 64), small, None), ((65, 128, 512), medium, None), ((1024, 2048, 4096), large, 4))
    for lengths, inputs, spread in series:
        turns = enumerate(cycle(product(ROUNDINGS, lengths)))
        cases = (
            check_task(CountingEncoding(size, size + 1), one, seed + turn, spread or size + 1) for turn, (one, size) in turns
        )
        outcomes += until_tried(inputs, cases)
    return outcomes


def require_all(trial: Trial, task: CountingEncoding) -> None:
    """Put every input of every length up to N."""
    for length in range(1, task.length + 1):
        require(trial, task, every_input(task, length))


def require_hard(trial: Trial, task: CountingEncoding, seed: int, spread: int = 24) -> None:
    """Put hard sequences with the thresholds m - 1, m and m + 1; the longest ones on the grid alone."""
    for sequence, query in hard_sequences(task, seed, spread):
        count = int((sequence == query).sum())
        near = np.array([count - 1, count, count + 1, 0, int(query), task.alphabet - 1])
        thresholds = np.unique(near[(near >= 0) & (near < task.alphabet)])
        asked = CountingInputs(np.tile(sequence, (len(thresholds), 1)), np.full(len(thresholds), query), thresholds)
        if len(sequence) < FLOATS_UP_TO and trial.inputs < trial.in_floats:
            require(trial, task, asked)
        else:
            _require_behind(trial, task, asked)


def _require_behind(trial: Trial, task: CountingEncoding, asked: CountingInputs) -> None:
    """The same on the grid alone, with the one sequence and query computed once for all thresholds."""
    prefix = np.concatenate([[BOS], asked.sequences[0] + 1, asked.queries[:1] + 1])
    result = ask(trial.network, prefix, asked.thresholds + 1)
    expected = task.answers(*asked)[:, None]
    trial.compare(result.answers[:, None], result.unique_argmax[:, None], expected, asked.readable, run="on the grid")
    trial.note(result, len(asked.thresholds))


def hard_sequences(task: CountingEncoding, seed: int, spread: int) -> Iterator[tuple[Int64[np.ndarray, "n"], int]]:
    """Yield sequences with a query: every number of occurrences up to N, or `spread` of them, among neighbours of the query.

    The margin depends on the number of occurrences m and on the threshold alone, by the proof, so the least one of each m is
    met. The place of the query is drawn; the query is m - 1, m or m + 1 too, so that the threshold is the query itself.
    """
    random = np.random.default_rng(seed)
    counts = np.unique(np.linspace(0, task.length, min(spread, task.length + 1)).round().astype(np.int64))
    for count in counts.tolist():
        length = task.length if count % 3 else max(1, count, int(random.integers(task.length // 2, task.length + 1)))
        query = min(task.alphabet - 1, max(0, count + int(random.integers(-1, 2))))
        others = random.integers(task.alphabet, size=length)
        beside = query - 1 if query else min(1, task.alphabet - 1)
        sequence = np.where((others == query) | (random.random(length) < 1 / 2), beside, others)
        sequence[random.permutation(length)[: min(count, length)]] = query
        yield sequence, query


def answering(network: Network, task: CountingEncoding) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"tokens": [..], "query": q, "threshold": t} by the built weights: 1 if q occurs more than t times, else 0.

    At most N = `length` tokens; tokens, query and threshold are 0 .. S - 1, S = `alphabet` (by default N + 1).
    Raises ValueError with the field's name.
    """

    def answer(given: Mapping[str, Any]) -> int:
        numbers, query, threshold = read(given, task.alphabet, most=task.length)
        inputs = task.inputs(np.array([numbers]), np.array([query]), np.array([threshold]))
        return int(run(network, inputs, at=-1).answers[0, 0])

    return answer

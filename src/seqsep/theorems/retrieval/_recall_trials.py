"""Inputs of associative recall and c-gram retrieval that test built networks, and the comparison of answers."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.networks.executor import ask, run
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Outcome
from seqsep.theorems.blocks import ROUNDINGS
from seqsep.theorems.checking import until_tried
from seqsep.theorems.retrieval._recall import FAILED, RecallEncoding, read
from seqsep.theorems.trial import Trial

AT_ONCE = 1 << 14
SCORES_AT_ONCE = 1 << 24
FLOATS_UP_TO = 300
EXHAUSTIVE_INPUTS = 20_000
MOST_OF_LONGEST = 6

CheckTask = Callable[[RecallEncoding, str, int, int | None], Outcome]
"""check_task(task, rounding, seed, most): the outcome of `try_task` on the network of that task and grid."""


def _words(length: int, alphabet: int) -> Int64[np.ndarray, "words length"]:
    """Every word of that length."""
    return np.arange(alphabet**length)[:, None] // alphabet ** np.arange(length) % alphabet


def every_input(task: RecallEncoding, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Every sequence of one length with every query."""
    sequences = _words(length, task.alphabet)
    queries = _words(task.gram - 1, task.alphabet)
    return np.repeat(sequences, len(queries), axis=0), np.tile(queries, (len(sequences), 1))


def inputs_up_to(task: RecallEncoding) -> int:
    """The number of inputs at all lengths 1 .. N."""
    return sum(task.alphabet ** (length + task.gram - 1) for length in range(1, task.length + 1))


def _readable(sequences: np.ndarray, queries: np.ndarray, row: int) -> Mapping[str, Any]:
    """One input as a user would write it."""
    return {"tokens": sequences[row].tolist(), "query": queries[row].tolist()}


def require(trial: Trial, task: RecallEncoding, sequences: np.ndarray, queries: np.ndarray) -> None:
    """Require the right class of each example, in blocks."""
    at_once = max(1, min(AT_ONCE, SCORES_AT_ONCE // sequences.shape[1] ** 2))
    for first in range(0, len(sequences), at_once):
        some = sequences[first : first + at_once]
        asked = queries[first : first + at_once]
        trial.require(task.inputs(some, asked), task.classes(some, asked), partial(_readable, some, asked))


def try_task(trial: Trial, task: RecallEncoding, seed: int, most: int | None = None) -> bool:
    """Put every sequence and question at every length up to N if there are at most 20,000, else `hard_inputs`.

    Return True if these are all inputs.
    """
    exhaustive = inputs_up_to(task) <= EXHAUSTIVE_INPUTS
    if exhaustive:
        require_all(trial, task)
    else:
        require_hard(trial, task, seed, most)
    return exhaustive


def long_series(check_task: CheckTask, seed: int, small: int, medium: int, large: int) -> list[Outcome]:
    """Check every input of small tasks, then at least `small` questions at N <= 64, `medium` at N <= 512 and `large` at N =
    1,024 to 4,096.

    Small: associative recall over [N] for N <= 4, c-grams for c = 3, 4, 5 over two symbols up to N = 8 and over three up to 5,
    on both grids. Beyond, lengths take turns, then c = 2, 3, 4 (c = 2 alone beyond N = 512), and the grids with them.
    """
    tasks = [RecallEncoding(length, length, 2) for length in range(1, 5)]
    tasks += [RecallEncoding(*sizes, gram) for gram in (3, 4, 5) for sizes in ((8, 2), (5, 3))]
    outcomes = [check_task(task, rounding, seed, None) for task in tasks for rounding in ROUNDINGS]
    series = (((9, 16, 31, 64), small, None), ((65, 128, 512), medium, None), ((1024, 2048, 4096), large, MOST_OF_LONGEST))
    for lengths, inputs, most in series:
        rounds = zip(cycle((2, 2, 2) if max(lengths) > 512 else (2, 3, 4)), cycle(ROUNDINGS))
        turns = enumerate((RecallEncoding(size, size + 1, gram), rounding) for gram, rounding in rounds for size in lengths)
        cases = (check_task(task, rounding, seed + turn, most) for turn, (task, rounding) in turns)
        outcomes += until_tried(inputs, cases)
    return outcomes


def require_all(trial: Trial, task: RecallEncoding) -> None:
    """Put every sequence of every length up to N with every query."""
    for length in range(1, task.length + 1):
        require(trial, task, *every_input(task, length))


def require_hard(trial: Trial, task: RecallEncoding, seed: int, most: int | None = None) -> None:
    """Put every kind of hard sequence with its queries, or with `most` of them; the longest ones on the grid alone."""
    for sequence, queries in hard_inputs(task, seed):
        some = queries if most is None else queries[:most]
        if len(sequence) < FLOATS_UP_TO and trial.inputs < trial.in_floats:
            require(trial, task, np.tile(sequence, (len(some), 1)), some)
        else:
            _require_behind(trial, task, sequence, some)


def _require_behind(trial: Trial, task: RecallEncoding, sequence: np.ndarray, queries: np.ndarray) -> None:
    """The same on the grid alone, with the sequence computed once for all queries that agree except for the last symbol."""
    begun, belongs = np.unique(queries[:, :-1], axis=0, return_inverse=True)
    for number, beginning in enumerate(begun):
        asked = queries[belongs.reshape(-1) == number]
        sequences = np.tile(sequence, (len(asked), 1))
        prefix = np.concatenate([[FAILED], sequence + 1, beginning + 1])
        result = ask(trial.network, prefix, asked[:, -1] + 1)
        expected = task.classes(sequences, asked)[:, None]
        readable = partial(_readable, sequences, asked)
        trial.compare(result.answers[:, None], result.unique_argmax[:, None], expected, readable, run="on the grid")
        trial.note(result, len(asked))


def hard_inputs(task: RecallEncoding, seed: int) -> Iterator[tuple[Int64[np.ndarray, "n"], Int64[np.ndarray, "queries asked"]]]:
    """Sequences with queries: repeats of every density, matches at either end, across the question, or nowhere.

    * random over all symbols, over n^(1/c) and over 2, the full length and shorter ones;
    * queries that occur, early and late, that do not occur, that are the end of the data (a match that overlaps the
      question), and that differ from the data by 1 in one symbol everywhere;
    * constants, and the query's neighbour everywhere but at one place: the first, the middle, or the last that counts.
    """
    random = np.random.default_rng(seed)
    count = task.gram - 1
    few = max(2, round(task.length ** (1 / task.gram)))
    for alphabet in sorted({min(size, task.alphabet) for size in (2, few, task.alphabet)}):
        for length in sorted({max(1, task.length // 3), max(1, task.length - 1), task.length}):
            sequence = random.integers(alphabet, size=length)
            yield sequence, _queries(task, sequence, random)
    query = np.arange(count) % task.alphabet
    beside = np.where(query + 1 < task.alphabet, query + 1, np.maximum(query - 1, 0))
    for place in sorted({0, (task.length - task.gram) // 2, task.length - task.gram, task.length - count}):
        if place >= 0:
            sequence = np.resize(beside, task.length)
            sequence[place : place + count] = query
            yield sequence, np.stack([query, beside])
    yield np.full(task.length, query[0]), np.stack([query, np.full(count, query[0])])


def _queries(task: RecallEncoding, sequence: np.ndarray, random: np.random.Generator) -> Int64[np.ndarray, "queries asked"]:
    """Drawn from the data at many places, its end, near misses, and random ones."""
    count = task.gram - 1
    places = np.unique(np.linspace(0, max(0, len(sequence) - count), 12).astype(np.int64))
    padded = np.resize(sequence, max(len(sequence), count + 1))
    occurring = np.stack([padded[place : place + count] for place in places])
    missed = occurring.copy()
    missed[np.arange(len(missed)), random.integers(count, size=len(missed))] += 1
    drawn = random.integers(task.alphabet, size=(8, count))
    return np.unique(np.concatenate([occurring, missed % task.alphabet, drawn]), axis=0)


def answering(network: Network, task: RecallEncoding) -> Callable[[Mapping[str, Any]], int | None]:
    """Answer {"tokens": [..], "query": [..]} by the built weights: a token, or None for FAILED.

    At most N = `length` tokens out of 0 .. S - 1, S = `alphabet` (by default N + 1), and a query of c - 1, c = `gram`. Raises
    ValueError with the field's name.
    """

    def answer(given: Mapping[str, Any]) -> int | None:
        symbols, query = read(given, task.alphabet, task.gram, most=task.length)
        inputs = task.inputs(np.array([symbols]), np.array([query]))
        found = int(run(network, inputs, at=-1).answers[0, 0])
        return None if found == FAILED else found - 1

    return answer

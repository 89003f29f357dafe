"""Parity-conditioned recall: inputs that test a hybrid, a user's input, and the two lower bounds run as programs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations, product
from math import perm
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import Recurrence
from seqsep.maths.networks.network import Network
from seqsep.tasks import ParityConditionedRecall
from seqsep.theorems.base import number_in
from seqsep.theorems.evidence import DistinguishingTable, Evidence
from seqsep.theorems.protocols.collision import DistinguishingSuffix, ListTask, TaskSizes
from seqsep.theorems.retrieval.associative_recall_state import pairs_in, written
from seqsep.theorems.state_tracking._attention_alone import drawn_attention, embeddings, repeats

EXHAUSTIVE_INPUTS = 40_000
MOST_LISTS = 4_096
SPREAD = 12
"""Drawn lists of pairs of each length."""


class PairInputs(NamedTuple):
    """Inputs of one length, with their answers.

    Fields:
        tokens: tokens of each input.
        answers: right answer to each input.
    """

    tokens: Int64[np.ndarray, "batch time"]
    answers: Int64[np.ndarray, "batch"]


def asked(length: int, alphabet: int, keys: np.ndarray, values: np.ndarray, *, query: np.ndarray) -> PairInputs:
    """Return the inputs of lists of pairs, (batch, pairs), and the place of the queried pair in each.

    >>> asked(2, 8, np.array([[1, 0]]), np.array([[7, 4]]), query=np.array([0]))
    PairInputs(tokens=array([[1, 9, 0, 6, 1]]), answers=array([0]))
    """
    rows = np.arange(len(keys))
    pairs = np.stack([keys, values + length], axis=2).reshape(len(keys), -1)
    value = values[rows, query]
    answers = np.where(values.sum(axis=1) % 2 == 0, value, alphabet - 1 - value)
    return PairInputs(np.concatenate([pairs, keys[rows, query, None]], axis=1), answers)


def count_inputs(length: int, alphabet: int) -> int:
    """Return the number of inputs of 1 to N pairs in any order.

    >>> count_inputs(2, 2)
    20
    """
    return sum(perm(length, pairs) * alphabet**pairs * pairs for pairs in range(1, length + 1))


def are_all_run(length: int, alphabet: int) -> bool:
    """Return True if there are at most 40,000 inputs, so that a check runs all of them; from 6 keys on there are more.

    >>> are_all_run(5, 2), are_all_run(6, 2)
    (True, False)
    """
    return length < 6 and count_inputs(length, alphabet) <= EXHAUSTIVE_INPUTS


def every_input(length: int, alphabet: int) -> Iterator[PairInputs]:
    """Yield all inputs of 1 to N pairs, by the number of pairs and the queried place."""
    for pairs in range(1, length + 1):
        orders = np.array(list(permutations(range(length), pairs)))
        lists = np.array(list(product(range(alphabet), repeat=pairs)))
        keys = np.repeat(orders, len(lists), axis=0)
        values = np.tile(lists, (len(orders), 1))
        for place in range(pairs):
            yield asked(length, alphabet, keys, values, query=np.full(len(keys), place))


def hard_inputs(length: int, alphabet: int, seed: int, count: int = SPREAD) -> Iterator[PairInputs]:
    """Yield drawn lists, of all N pairs and of fewer, queried at the ends and between; each also with one value changed by 1.

    All keys are in a list of N pairs, so keys that differ in one digit from the queried one are there.
    """
    random = np.random.default_rng(seed)
    for pairs in sorted({1, (length + 1) // 2, max(1, length - 1), length}):
        keys = np.stack([random.permutation(length)[:pairs] for _ in range(count)])
        values = random.integers(alphabet, size=(count, pairs))
        values[0] = alphabet - 1
        places = random.integers(pairs, size=count)
        places[:2] = (0, pairs - 1)
        changed = values.copy()
        changed[np.arange(count), random.integers(pairs, size=count)] ^= 1
        for some in (values, np.minimum(changed, alphabet - 1)):
            yield asked(length, alphabet, keys, some, query=places)


def read_pairs(given: Mapping[str, Any], length: int, alphabet: int) -> tuple[int, ...]:
    """Return a user's input as tokens. Raises ValueError, with the field's name, for anything but pairs and one of their keys.

    >>> read_pairs({"pairs": [[1, 7], [0, 4]], "query": 1}, 2, 8)
    (1, 9, 0, 6, 1)
    """
    tokens = pairs_in(given, length, alphabet, least=1)
    query = number_in(given, "query", 0, length - 1)
    if query not in tokens[::2]:
        raise ValueError(f"query: expected a key of the pairs, found {query}")
    return (*tokens, query)


@dataclass(frozen=True)
class AnswerLists(ListTask):
    """Lists of N values, keys in order; two lists must be distinguished if the answers to some query differ.

    >>> AnswerLists.of(3, 2).distinguishing_suffix((0, 1, 0), (1, 0, 1)) is None
    True
    """

    length: int
    alphabet: int
    sizes: TaskSizes

    @classmethod
    def of(cls, length: int, alphabet: int) -> "AnswerLists":
        """Return the task for N pairs and S values."""
        return cls(length, alphabet, TaskSizes(length + alphabet, alphabet, 2 * length + 1))

    def written(self, values: Int64[np.ndarray, "batch length"]) -> Int64[np.ndarray, "batch time"]:
        return written(values)

    def answers(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """Return the answers to all queries, by the definition of the task."""
        task = ParityConditionedRecall(self.length, values=self.alphabet)
        tokens = self.tokens(values)
        return tuple(task.solve((*tokens, key)) for key in range(self.length))

    def distinguishing_suffix(self, first: tuple[int, ...], second: tuple[int, ...]) -> DistinguishingSuffix | None:
        both = list(zip(self.answers(first), self.answers(second), strict=True))
        differing = (key for key, (one, other) in enumerate(both) if one != other)
        key = next(differing, None)
        return None if key is None else DistinguishingSuffix((key,), both[key], key)

    def count(self) -> int:
        """Count the lists of answers of all lists of values."""
        return len({self.answers(values) for values in product(range(self.alphabet), repeat=self.length)})

    def kept(self, bits: int) -> Recurrence:
        """Return the model that stores the list of values as a number in base S, cut down to its lowest bits."""
        pairs = self.length

        def move(t: int, state: int, token: int) -> int:
            if t < 2 * pairs:
                return state + (token - pairs) * self.alphabet ** (t // 2) if t % 2 else state
            values = [state // self.alphabet**key % self.alphabet for key in range(pairs)]
            return values[token] if sum(values) % 2 == 0 else self.alphabet - 1 - values[token]

        return Recurrence(ceil_log2(self.alphabet**pairs), 0, move, lambda t, state: state).cut_down(bits)


def distinct_answers(length: int, alphabet: int) -> Evidence:
    """Return a list of values for each list of answers; the task is a table of the answers to all lists and queries.

    The keys are 0, 1, .. in order, so the table leaves them out: an input is the values, and then the query. Raises ValueError
    for more than 4,096 lists of values.

    >>> distinct_answers(3, 2).witness.rows
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]]
    """
    if alphabet**length > MOST_LISTS:
        raise ValueError(
            f"certify(length={length}, alphabet={alphabet}): expected at most {MOST_LISTS:,} lists of values, found "
            f"{alphabet**length:,}; use a smaller length"
        )
    task = AnswerLists.of(length, alphabet)
    lists = [list(values) for values in product(range(alphabet), repeat=length)]
    answers = [task.answers(tuple(values)) for values in lists]
    rows = [lists[place] for place, one in enumerate(answers) if answers.index(one) == place]
    witness = DistinguishingTable(list(range(length)), rows, columns=[[query] for query in range(length)])
    fields = {"alphabets": [alphabet] * length + [length], "values": [answer for one in answers for answer in one]}
    return Evidence("table", fields, witness)


def answer_lists(length: int, alphabet: int) -> int:
    """Return the number of lists of N answers: S^N, or S^N / 2 for even S and odd N.

    >>> [answer_lists(length, 2) for length in (1, 2, 3, 4, 5, 6)]
    [1, 4, 4, 16, 16, 64]
    """
    return ParityConditionedRecall(length, values=alphabet).answer_lists


def run_length(length: int, alphabet: int) -> int:
    """Return the most pairs, up to N, of which all lists of values are run: at most 4,096 lists."""
    return max([pairs for pairs in range(1, min(length, 12) + 1) if alphabet**pairs <= MOST_LISTS], default=1)


def keys_needed(grid: Grid, layers: int, width: int) -> int:
    """Return the least N with N - 1 > G^d R.

    >>> keys_needed(Grid(2), 1, 1)
    47
    """
    return embeddings(grid, width) * repeats(grid, layers) + 2


def drawn_without_recurrence(
    grid: Grid, layers: int, width: int, *, alphabet: int, generator: np.random.Generator
) -> tuple[Network, int]:
    """Return a random network for the task with the least N that the bound is about, and this N."""
    length = keys_needed(grid, layers, width)
    tokens = length + alphabet
    return drawn_attention(grid, layers, tokens, classes=alphabet, width=width, generator=generator), length


def alike_keys(network: Network, length: int) -> list[int]:
    """Return the keys of 1 .. N - 1 that share the most frequent embedding. Raises ValueError for a network of vectors."""
    if network.symbols is None:
        raise ValueError(f"alike_keys({network.name}): expected a network that reads tokens")
    rows = network.symbols.integers[1:length]
    _, number, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    keys: list[int] = (np.flatnonzero(number.reshape(-1) == counts.argmax()) + 1).tolist()
    return keys


def words_of_alike_keys(keys: list[int], length: int) -> list[list[int]]:
    """Return the inputs with 0, 1, .. of the keys, each with value 1, after key 0 with value 0; the query is 0."""
    return [[0, length, *(token for key in keys[:count] for token in (key, length + 1)), 0] for count in range(len(keys) + 1)]

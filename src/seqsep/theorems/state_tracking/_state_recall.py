"""State-based recall: inputs that test a hybrid, a user's input, and its lower bounds as programs."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import Recurrence
from seqsep.maths.automata.permutations import Permutation
from seqsep.tasks import StateBasedRecall
from seqsep.theorems.base import field_of, symbols_in
from seqsep.theorems.evidence import DistinguishingTable, Evidence
from seqsep.theorems.protocols.collision import DistinguishingSuffix, ListTask, TaskSizes

EXHAUSTIVE_INPUTS = 40_000
MOST_LISTS = 512
MOST_INPUTS = 200_000
"""The most inputs of a table in a certificate."""
DRAWN = 12
"""Drawn inputs of each kind."""
MOST_PLACES = 200
"""The most queried places of an input that are tested."""
Tokens = Int64[np.ndarray, "batch time"]


def ordered(cells: int) -> tuple[Permutation, ...]:
    """Return the permutations in the order of their tokens.

    >>> ordered(3)[3]
    (1, 2, 0)
    """
    return tuple(permutations(range(cells)))


def permutation_matrices(cells: int) -> Int64[np.ndarray, "letters cells cells"]:
    """Return the matrix of each permutation, which moves e_p to e_g(p).

    >>> permutation_matrices(2).tolist()
    [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    """
    return np.eye(cells, dtype=np.int64)[np.array(ordered(cells))].swapaxes(1, 2)


def inputs_of(task: StateBasedRecall, seed: int, count: int = DRAWN) -> tuple[Tokens, bool]:
    """Return every input if there are at most 40,000, else drawn ones; and True for every input.

    A third of the drawn ones has one permutation at all times, and a third has values that differ in one cell only.
    """
    if task.values**task.cells * factorial(task.cells) ** task.length <= EXHAUSTIVE_INPUTS:
        return np.array(list(product(*task.alphabets(task.length)))), True
    drawn = task.sample(0, count, seed, evaluate=True).inputs.copy()
    random = np.random.default_rng(seed)
    third = count // 3
    drawn[:third, task.cells :] = random.integers(task.values, task.vocabulary, size=(third, 1))
    drawn[third : 2 * third, : task.cells] = drawn[third : 2 * third, :1]
    drawn[np.arange(third, 2 * third), random.integers(task.cells, size=third)] = random.integers(task.values, size=third)
    return drawn, False


def places(task: StateBasedRecall) -> Int64[np.ndarray, "asked"]:
    """Return the places of queries that are tested: all, or 200 evenly spaced ones, the first and the last among them."""
    count = min(task.length, MOST_PLACES)
    return np.linspace(task.cells, task.longest - 1, count).astype(np.int64)


def answers_to(task: StateBasedRecall, tokens: Tokens, at: np.ndarray) -> Int64[np.ndarray, "batch asked"]:
    """Return the right answers at the queried places, by walking the pointer."""
    images = np.array(ordered(task.cells))
    pointer = np.zeros(len(tokens), dtype=np.int64)
    walked = np.zeros_like(tokens)
    for place in range(task.cells, tokens.shape[1]):
        pointer = images[tokens[:, place] - task.values, pointer]
        walked[:, place] = pointer
    return np.take_along_axis(tokens, np.take_along_axis(walked, at, axis=1), axis=1)


def exchanges(task: StateBasedRecall, most: int) -> list[list[int]]:
    """Return the inputs with 0, 1, .. exchanges of cells 0 and 1, after the values 0, 1, 0, 0, ..

    >>> exchanges(StateBasedRecall(1, cells=3, values=4), 2)
    [[0, 1, 0], [0, 1, 0, 6], [0, 1, 0, 6, 6]]
    """
    exchange = task.values + factorial(task.cells - 1)
    values = [0, 1, *[0] * (task.cells - 2)]
    return [[*values, *[exchange] * count] for count in range(most + 1)]


def read_moves(given: Mapping[str, Any], task: StateBasedRecall) -> tuple[int, ...]:
    """Return a user's input as tokens. Raises ValueError, with the field's name, for anything but values and permutations.

    >>> read_moves({"values": [0, 3], "permutations": [[1, 0]]}, StateBasedRecall(1, cells=2, values=4))
    (0, 3, 5)
    """
    values = symbols_in(given, "values", task.values, least=task.cells, most=task.cells)
    moves = field_of(given, "permutations")
    if not isinstance(moves, list) or not 1 <= len(moves) <= task.length:
        found = f"{len(moves)} of them" if isinstance(moves, list) else str(moves)[:80]
        raise ValueError(f"permutations: expected a list of 1 to {task.length} permutations, found {found}")
    tokens = []
    for number, move in enumerate(moves, start=1):
        is_list = isinstance(move, list) and all(type(entry) is int for entry in move)
        if not is_list or sorted(move) != list(range(task.cells)):
            wanted = f"the images of 0 to {task.cells - 1}, each once"
            raise ValueError(f"permutations: permutation {number} is {str(move)[:80]}; expected {wanted}")
        tokens.append(task.values + ordered(task.cells).index(tuple(move)))
    return (*values, *tokens)


def states_needed(cells: int, alphabet: int) -> int:
    """Return m S^m - (m - 1) S for m >= 3, and S^2 for m = 2.

    >>> [states_needed(*sizes) for sizes in ((3, 2), (3, 3), (4, 2), (2, 5))]
    [20, 75, 58, 25]
    """
    return StateBasedRecall(2, cells=cells, values=alphabet).states_after(1)


def run_alphabet(cells: int, alphabet: int) -> int:
    """Return the most values, up to S, of which all lists are run: at most 512 lists.

    >>> run_alphabet(3, 4), run_alphabet(3, 1000)
    (4, 8)
    """
    return max(values for values in range(2, min(alphabet, 22) + 1) if values**cells <= MOST_LISTS)


def count_states(cells: int, alphabet: int) -> int:
    """Count the lists of answers to all permutations, over all lists of values and all pointers."""
    after = np.array(ordered(cells))
    lists = np.array(list(product(range(alphabet), repeat=cells)))
    answers = [lists[:, after[:, pointer]] for pointer in range(cells)]
    return len(np.unique(np.concatenate(answers), axis=0))


def distinct_lists(cells: int, alphabet: int) -> Evidence:
    """Return values and a permutation for each state that is needed; the task is a table over two permutations.

    The letters of a permutation are numbered from 0, in the order of their tokens. Raises ValueError for more than 200,000
    inputs.

    >>> len(distinct_lists(3, 2).witness.rows)
    20
    """
    letters = factorial(cells)
    inputs = alphabet**cells * letters**2
    if inputs > MOST_INPUTS:
        raise ValueError(
            f"certify(cells={cells}, alphabet={alphabet}): expected at most {MOST_INPUTS:,} inputs, found {inputs:,}; "
            "use fewer cells or values"
        )
    task = StateBasedRecall(2, cells=cells, values=alphabet)
    words = [list(word) for word in product(*[range(alphabet)] * cells, range(letters))]
    rows: dict[tuple[int, ...], list[int]] = {}
    values: list[int] = []
    for *symbols, first in words:
        answers = tuple(task.solve((*symbols, alphabet + first, alphabet + second)) for second in range(letters))
        rows.setdefault(answers, [*symbols, first])
        values += answers
    columns = [[second] for second in range(letters)]
    witness = DistinguishingTable(list(range(cells + 1)), list(rows.values()), columns)
    return Evidence("table", {"alphabets": [alphabet] * cells + [letters] * 2, "values": values}, witness)


@dataclass(frozen=True)
class PointedLists(ListTask):
    """Lists of m values and a pointer, written as the values and one permutation; they differ if some later answer does.

    A list has m + 1 numbers. The first m are taken modulo S, and the last is taken modulo m.

    >>> PointedLists.of(3, 2).tokens((0, 1, 1, 2))
    (0, 1, 1, 7)
    """

    length: int
    alphabet: int
    sizes: TaskSizes
    recall: StateBasedRecall

    @classmethod
    def of(cls, cells: int, alphabet: int) -> "PointedLists":
        """Return the task for m cells and S values."""
        task = StateBasedRecall(2, cells=cells, values=alphabet)
        return cls(cells + 1, max(cells, alphabet), TaskSizes(task.vocabulary, alphabet, task.longest), task)

    def written(self, values: Int64[np.ndarray, "batch length"]) -> Int64[np.ndarray, "batch time"]:
        cells = self.recall.cells
        moves = np.array([_exchange(cells, pointer) for pointer in range(cells)])
        return np.concatenate([values[:, :-1] % self.recall.values, self.recall.values + moves[values[:, -1:] % cells]], axis=1)

    def distinguishing_suffix(self, first: tuple[int, ...], second: tuple[int, ...]) -> DistinguishingSuffix | None:
        one = self.tokens(first)
        other = self.tokens(second)
        for token in range(self.recall.values, self.recall.vocabulary):
            answers = (self.recall.solve((*one, token)), self.recall.solve((*other, token)))
            if answers[0] != answers[1]:
                return DistinguishingSuffix((token,), answers)
        return None

    def kept(self, bits: int) -> Recurrence:
        """Return the model that stores the list as a number in base S and the pointer above it, cut down to its lowest bits."""
        cells = self.recall.cells
        values = self.recall.values
        lists = values**cells

        def move(t: int, state: int, token: int) -> int:
            if t < cells:
                return state + token * values**t
            return state % lists + lists * ordered(cells)[token - values][state // lists % cells]

        def read(t: int, state: int) -> int:
            return state % lists // values ** (state // lists % cells) % values

        return Recurrence(ceil_log2(cells * lists), 0, move, read).cut_down(bits)


def _exchange(cells: int, pointer: int) -> int:
    """Return the number of the permutation that exchanges cell 0 and the cell of the pointer."""
    images = list(range(cells))
    images[0], images[pointer] = images[pointer], images[0]
    return ordered(cells).index(tuple(images))

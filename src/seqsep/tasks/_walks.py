"""Examples of tasks that follow a state: one letter a token moves it, and it is asked for after every letter or at the end."""

from abc import abstractmethod

import numpy as np
from jaxtyping import Int64

from seqsep.core.stream import below
from seqsep.tasks._blocks import ExampleDraws, FilledTask
from seqsep.tasks._rows import is_before
from seqsep.tasks.base import NOTHING_ASKED, Batch

ASKED = ("all", "last")
"""After every letter, or at an end token after all letters."""


def walked(
    moves: Int64[np.ndarray, "letters states"], letters: Int64[np.ndarray, "batch time"], start: Int64[np.ndarray, "batch"]
) -> Int64[np.ndarray, "batch time"]:
    """Return the state after each letter: letter a moves state s to moves[a, s].

    >>> walked(np.array([[0, 1], [1, 0]]), np.array([[1, 0, 1]]), np.array([0])).tolist()
    [[1, 1, 0]]
    """
    flat = np.ascontiguousarray(moves).reshape(-1)
    rows = np.ascontiguousarray(letters.T) * moves.shape[1]
    states = np.empty_like(rows)
    state = start
    for row, after in zip(rows, states, strict=True):
        np.take(flat, row + state, out=after, mode="clip")
        state = after
    return np.ascontiguousarray(states.T)


def drawn_lengths(example_draws: ExampleDraws, length: int, least: int, evaluate: bool) -> Int64[np.ndarray, "batch"]:
    """Return the letters of each example: exactly `length` in evaluation, uniform from `least` on in training, by part 0."""
    uniform = example_draws.part(0)[:, 0]
    if evaluate:
        return np.full(len(uniform), length, dtype=np.int64)
    return least + below(uniform, length - least + 1)


class LetterTask(FilledTask):
    """A task on letters, asked after each of them, or with `ask="last"` only at an end token that follows them."""

    ask: str

    @property
    @abstractmethod
    def letter_count(self) -> int:
        """The number of letters."""

    @property
    def end(self) -> int | None:
        """The end token; None if every letter is a query."""
        return self.letter_count if self.ask == "last" else None

    @property
    def vocabulary(self) -> int:
        return self.letter_count + (self.end is not None)

    @property
    def longest(self) -> int:
        return self.length + (self.end is not None)

    def letters_of(self, inputs: tuple[int, ...]) -> list[int]:
        """Return the letters of an input. Raises ValueError if a token is none, or if the end token is missing."""
        letters = list(inputs)
        if self.end is not None and (not letters or letters.pop() != self.end):
            raise ValueError(f"{self!r}: expected the end token {self.end} at the end, found {inputs}")
        if not letters or not all(0 <= letter < self.letter_count for letter in letters):
            raise ValueError(f"{self!r}: expected letters 0 to {self.letter_count - 1}, found {inputs}")
        return letters


def write_letters(
    batch: Batch,
    letters: Int64[np.ndarray, "batch time"],
    answers: Int64[np.ndarray, "batch time"],
    end: int | None,
) -> None:
    """Write the letters before each example's length, and their answers; 0 after them.

    If `end` is a token, it follows the letters, and only there is the last answer asked for.
    """
    count, time = letters.shape
    there = is_before(batch.lengths, time)
    batch.inputs[:, :time] = np.where(there, letters, 0)
    if end is None:
        batch.targets[:, :time] = np.where(there, answers, NOTHING_ASKED)
        return
    rows = np.arange(count)
    batch.inputs[:, time:] = 0
    batch.inputs[rows, batch.lengths] = end
    batch.targets[rows, batch.lengths] = answers[rows, batch.lengths - 1]
    batch.lengths[:] += 1

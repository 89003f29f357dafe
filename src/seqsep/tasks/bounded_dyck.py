"""Bounded Dyck: is a string of brackets well matched, with at most `depth` of them open at any time?

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 4.1; examples as in H.1.

Asked: the last token only; the answer is 1 for a word of Dyck-(kinds, depth) and 0 otherwise, each with probability 1/2.
Lengths: exactly `length` brackets, in training and evaluation.
Positive examples: at an empty stack an opening bracket, uniformly; at full depth the closing one; else uniformly among the
opening brackets and the closing one. We close when the depth equals the steps that are left, which is H.1 for
depth <= 3; H.1's own rule overshoots the length for larger depths.
Negative examples: a positive one with 1 .. max(1, length // 10) distinct positions changed (H.1's range is empty below
length 10): with probability 1/2 the kind, else the direction; with one kind always the direction. A corrupted word that
is still valid is corrupted again, from the original word.
Tokens: 2j opens and 2j + 1 closes kind j.
Shortcuts: a single changed position always breaks parity of directions or one pair's kinds, so for length < 20 counting
directions finds half of the negative examples.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Int64, UInt32

from seqsep.stream import Use, below, draws
from seqsep.tasks.base import NOTHING_ASKED, Batch, Task, require

BRACKETS = "()[]{}<>"
HALF = np.uint32(1 << 31)


@dataclass(frozen=True)
class BoundedDyck(Task):
    """Words of `length` brackets of `kinds` kinds; at most `depth` are open at any time."""

    name: ClassVar[str] = "bounded-dyck"

    kinds: int = 2
    depth: int = 2

    def __post_init__(self) -> None:
        require(self.length >= 2, self, f"length is at least 2 brackets, found {self.length}")
        require(self.length % 2 == 0, self, f"length is even, since no word of odd length is matched, found {self.length}")
        require(1 <= self.kinds <= 2**20, self, f"kinds is 1 to 2^20, found {self.kinds}")
        require(self.depth >= 1, self, f"depth is at least 1, found {self.depth}")

    @property
    def vocabulary(self) -> int:
        return 2 * self.kinds

    @property
    def classes(self) -> int:
        return 2

    @property
    def longest(self) -> int:
        return self.length

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        use = Use.EVALUATION if evaluate else Use.TRAINING
        changes = max(1, self.length // 10)
        each = 1 + self.length + 1 + 3 * changes
        uniform = draws(seed, use, start, count, each)
        labels = (uniform[:, 0] < HALF).astype(np.int64)
        inputs = self._words(uniform[:, 1 : self.length + 1])
        pending = np.flatnonzero(labels == 0)
        words = inputs[pending]
        attempt = 0
        while len(pending):
            inputs[pending] = changed = self._corrupt(words, uniform[pending, self.length + 1 :])
            valid = self.accepts(changed)
            pending, words = pending[valid], words[valid]
            attempt += 1
            if len(pending):
                uniform = draws(seed, use, start, count, each, attempt)
        targets = np.full((count, self.length), NOTHING_ASKED, dtype=np.int64)
        targets[:, -1] = labels
        return Batch(inputs, targets, np.full(count, self.length, dtype=np.int64))

    def _words(self, uniform: UInt32[np.ndarray, "batch length"]) -> Int64[np.ndarray, "batch length"]:
        """Words of the language, one random integer per bracket."""
        count = uniform.shape[0]
        by_step = uniform.T.copy()
        # The kind at each height, in one row an example. What stands above the height of now is of no use, and is written over.
        floor = np.arange(count) * (self.depth + 2)
        stack = np.zeros(count * (self.depth + 2), dtype=np.int64)
        height = np.zeros(count, dtype=np.int64)
        words = np.empty((self.length, count), dtype=np.int16 if self.kinds < 1 << 14 else np.int64)
        for step, drawn in enumerate(by_step):
            choice = np.where(height == 0, below(drawn, self.kinds), below(drawn, self.kinds + 1))
            closes = (choice == self.kinds) | (height == min(self.depth, self.length - step))
            top = floor + height
            words[step] = np.where(closes, 2 * stack[top] + 1, 2 * choice)
            stack[top + 1] = choice
            height += 1 - 2 * closes
        return words.T.astype(np.int64, order="C")

    def _corrupt(
        self, words: Int64[np.ndarray, "batch length"], uniform: UInt32[np.ndarray, "batch draws"]
    ) -> Int64[np.ndarray, "batch length"]:
        """Change the drawn number of distinct positions of every word."""
        count = words.shape[0]
        rows = np.arange(count)
        limit = max(1, self.length // 10)
        changed = 1 + below(uniform[:, 0], limit)
        order = np.broadcast_to(np.arange(self.length), (count, self.length)).copy()
        result = words.copy()
        for change in range(limit):
            where, how, which = (uniform[:, 1 + 3 * change + part] for part in range(3))
            other = change + below(where, self.length - change)
            position = order[rows, other]
            order[rows, other] = order[:, change]
            bracket = result[rows, position]
            kind, closing = bracket // 2, bracket % 2
            swap_kind = (how < HALF) & (self.kinds > 1)
            new_kind = (kind + 1 + below(which, max(self.kinds - 1, 1))) % self.kinds
            new = np.where(swap_kind, 2 * new_kind + closing, 2 * kind + 1 - closing)
            result[rows, position] = np.where(change < changed, new, bracket)
        return result

    def accepts(self, words: Int64[np.ndarray, "batch length"]) -> Bool[np.ndarray, "batch"]:
        """Which words are in the language, level by level: a close must match the last open of its level."""
        closes = (words & 1).astype(np.int16)
        kind = np.int16 if words.shape[1] < 1 << 15 else np.int64
        height = np.cumsum(1 - 2 * closes, axis=1, dtype=kind)
        good = (height.min(axis=1) >= 0) & (height.max(axis=1) <= self.depth) & (height[:, -1] == 0)
        rows = np.flatnonzero(good)  # few of the changed words get here, so the rest costs little
        words, is_close = words[rows], closes[rows] == 1
        level, places = height[rows].astype(np.int64) + is_close, np.arange(words.shape[1])
        for depth in range(1, self.depth + 1):
            last_open = np.maximum.accumulate(np.where((level == depth) & ~is_close, places, 0), axis=1)
            opened = np.take_along_axis(words, last_open, axis=1)
            good[rows] &= ~((level == depth) & is_close & (words // 2 != opened // 2)).any(axis=1)
        return good

    def solve(self, inputs: tuple[int, ...]) -> int:
        stack: list[int] = []
        for token in inputs:
            kind, closes = divmod(token, 2)
            if closes and (not stack or stack.pop() != kind):
                return 0
            if not closes:
                stack.append(kind)
            if len(stack) > self.depth:
                return 0
        return int(not stack)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        """Brackets ( ) [ ] { } < >; beyond four kinds, numbered: "(5" opens and ")5" closes kind 5 (from 1)."""
        if 2 * self.kinds <= len(BRACKETS):
            return {"string": "".join(BRACKETS[token] for token in inputs), "label": answer}
        return {"string": " ".join("()"[token % 2] + str(token // 2 + 1) for token in inputs), "label": answer}

    def answer_bits(self) -> int:
        """ceil(log2 c), exactly: c is the most prefix classes at any split of words of this length.

        After t brackets the live classes are the stacks of d open brackets, d of t's parity and
        d <= min(depth, t, length - t), kinds^d of each; from t = 1 on there is also a dead class.
        """
        most = 1
        for read in range(self.length + 1):
            deepest = min(self.depth, read, self.length - read)
            live = sum(self.kinds**d for d in range(read % 2, deepest + 1, 2))
            most = max(most, live + (read > 0))
        return (most - 1).bit_length()

    def alphabets(self, length: int) -> tuple[range, ...]:
        return (range(self.vocabulary),) * length

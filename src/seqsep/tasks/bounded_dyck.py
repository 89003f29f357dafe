"""Bounded Dyck: is a string of brackets well matched, with at most `depth` of them open at any time?

Queries: the last token only. The answer is 1 for a word of Dyck-(kinds, depth) and 0 for any other string; each has
probability 1/2.
Tokens: kind j has the opening bracket 2j and the closing bracket 2j + 1.
Lengths: exactly `length` brackets, in training and evaluation.
Positive examples: brackets are drawn from left to right. If no bracket is open, an opening bracket follows, of a uniform
kind. If `depth` brackets are open, the closing bracket follows. Otherwise the next bracket is uniform among all opening
brackets and the closing bracket that fits. When the number of open brackets equals the number of places left, only closing
brackets follow.
Negative examples: a positive example is changed at 1 .. max(1, length // 10) different positions. With probability 1/2 the
brackets there get another kind. Otherwise opening brackets become closing ones, and the other way round. With one kind of
bracket, this second change is always made. If the changed word is still valid, the original word is changed again.
Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 4.1; examples as in H.1.
We differ: H.1 has another condition for the place after which all brackets are closing ones. For depth <= 3 it gives the same
words as ours. For larger depths it can give words that are longer than `length`. For length < 10, H.1 has no possible number of
changed positions; we change one.
Shortcuts: for length < 20, a negative example has exactly one changed position. With two or more kinds, half of these changes
turn an opening bracket into a closing one, or the reverse. Then the numbers of opening and closing brackets differ. So a
model that only counts opening and closing brackets finds half of the negative examples. With one kind it finds all of them.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
from jaxtyping import Bool, Int64, Shaped, UInt32

from seqsep.core.options import Range
from seqsep.core.stream import below, draws
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import HALF_OF_DRAWS, cache_sized_ranges, use_of
from seqsep.tasks._fixed_length import FixedLengthDecision
from seqsep.tasks.base import Batch, require

BRACKETS = "()[]{}<>"


@dataclass(frozen=True)
class BoundedDyck(FixedLengthDecision):
    """Strings of `length` brackets; the label is 1 if they match and at most `depth` are open at any time.

    >>> task = BoundedDyck(length=4)
    >>> task.solve((0, 2, 3, 1)), task.solve((0, 2, 1, 3))
    (1, 0)
    >>> task.answer_bits()
    3
    """

    name: ClassVar[str] = "bounded-dyck"

    length: Annotated[int, Range(2, 2**20, unit="brackets"), "N, brackets of a word, an even number"]
    kinds: Annotated[int, Range(1, 2**20), "n, kinds of brackets"] = 2
    depth: Annotated[int, Range(1), "k, brackets that may be open at a time"] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.length % 2 == 0, self, f"length is even, since no word of odd length is matched, found {self.length}")

    @property
    def vocabulary(self) -> int:
        return 2 * self.kinds

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

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        most_changes = max(1, self.length // 10)
        each = 1 + self.length + 1 + 3 * most_changes
        draw = partial(draws, seed=seed, use=use_of(evaluate), start=start, count=count, each=each)
        uniform = draw()
        labels = (uniform[:, 0] < HALF_OF_DRAWS).astype(np.int64)
        inputs = self._words(uniform[:, 1 : self.length + 1])
        pending = np.flatnonzero(labels == 0)
        words = inputs[pending]
        attempt = 0
        while len(pending):
            changed = self._corrupt(words, uniform[pending, self.length + 1 :])
            inputs[pending] = changed
            is_valid = self.accepts(changed)
            pending = pending[is_valid]
            words = words[is_valid]
            attempt += 1
            if len(pending):
                uniform = draw(attempt=attempt)
        return self._batch(inputs, labels)

    def _words(self, uniform: UInt32[np.ndarray, "batch length"]) -> Int64[np.ndarray, "batch length"]:
        """Return words of the language, one random integer per bracket."""
        words = np.empty(uniform.shape, dtype=np.int64)
        closed = self._closed(uniform)
        for first, end in cache_sized_ranges(len(words), 2 * self.length):
            self._match(closed[:, first:end], uniform[first:end], words[first:end])
        return words

    def _closed(self, uniform: UInt32[np.ndarray, "batch length"]) -> Shaped[np.ndarray, "length_and_one batch"]:
        """Count the brackets that are closed before each step.

        Before step t with c of them the height is t - 2 c. At the greatest height h we close, that is if c < (t - h + 1) / 2;
        whoever draws the closing bracket closes if the height is not 0, that is if c < t / 2.
        """
        count = len(uniform)
        step = np.arange(self.length)
        forced = (step - np.minimum(self.depth, self.length - step) + 2) // 2
        draws_closing = uniform >= np.uint32(-(-(self.kinds << 32) // (self.kinds + 1)))  # below(.., kinds + 1) is kinds
        small = _smallest(self.length)
        # 32 further columns: rows of a power of two share cache lines
        bounds, closed = np.zeros((2, self.length + 1, count + 32), dtype=small)[:, :, :count]
        np.add(draws_closing * ((step + 1) // 2 - forced).astype(small), forced.astype(small), out=bounds[:-1].T)
        is_less = np.empty(count, dtype=np.bool_)
        for now, after, bound in zip(closed[:-1], closed[1:], bounds[:-1], strict=True):
            np.add(now, np.less(now, bound, out=is_less), out=after)
        return closed

    def _match(
        self,
        closed: Shaped[np.ndarray, "length_and_one batch"],
        uniform: UInt32[np.ndarray, "batch length"],
        words: Int64[np.ndarray, "batch length"],
    ) -> None:
        """Write words: ordered by level, and in one level by place, every second bracket closes the one before it.

        A bracket is one integer, (level, place, token) from the high bits to the low ones: sorted so to be matched, and then
        by (place, token) to be put back.
        """
        closed = np.ascontiguousarray(closed.T)
        step = np.arange(self.length, dtype=closed.dtype)
        height = step - closed[:, :-1]
        level = height - closed[:, 1:]
        height -= closed[:, :-1]
        token_bits = self.vocabulary.bit_length()
        place_bits = self.length.bit_length()
        whole: Any = np.uint32 if token_bits + 2 * place_bits <= 32 else np.uint64  # half as long to sort
        token_mask = whole((1 << token_bits) - 1)
        place = np.arange(self.length, dtype=whole) << whole(token_bits)
        kind = below(uniform, self.kinds + (height > 0)).astype(whole)
        ranked = level.astype(whole)
        ranked <<= whole(place_bits + token_bits)
        ranked |= place
        ranked |= kind << whole(1)
        ranked.sort(axis=1)
        opens = ranked[:, ::2]
        closes = ranked[:, 1::2]
        closes &= ~token_mask
        closes |= opens & token_mask
        closes |= whole(1)
        ranked &= whole((1 << place_bits + token_bits) - 1)
        ranked.sort(axis=1)
        np.bitwise_and(ranked, token_mask, out=words, casting="unsafe")

    def _corrupt(
        self, words: Int64[np.ndarray, "batch length"], uniform: UInt32[np.ndarray, "batch draws"]
    ) -> Int64[np.ndarray, "batch length"]:
        """Change the drawn number of distinct positions of every word."""
        count = len(words)
        most = max(1, self.length // 10)
        rows = np.arange(count)
        changes = np.arange(most)[:, None]
        applies = changes <= below(uniform[:, 0], most)
        place_draws, change_draws, kind_draws = uniform[:, 1:].T.reshape(most, 3, count).swapaxes(0, 1)
        places = self._distinct_positions(place_draws) + rows * self.length
        brackets = words.ravel().take(places)
        kind = brackets >> 1
        is_closing = brackets & 1
        new_kind = kind + 1 + below(kind_draws, max(self.kinds - 1, 1))
        new_kind -= self.kinds * (new_kind >= self.kinds)
        swaps_kind = (change_draws < HALF_OF_DRAWS) & (self.kinds > 1)
        new = np.where(swaps_kind, 2 * new_kind + is_closing, brackets ^ 1)
        result = words.copy()
        result.ravel()[places] = np.where(applies, new, brackets)
        return result

    def _distinct_positions(self, uniform: UInt32[np.ndarray, "most batch"]) -> Int64[np.ndarray, "most batch"]:
        """Return the first places of a random order for every word: the first swaps of a Fisher-Yates shuffle of 0 .. length -
        1.
        """
        most, count = uniform.shape
        changes = np.arange(most)[:, None]
        others = (changes + below(uniform, self.length - changes)) * count + np.arange(count)
        order = np.repeat(np.arange(self.length, dtype=_smallest(self.length)), count)
        positions = np.empty((most, count), dtype=np.int64)
        for change, other in enumerate(others):
            positions[change] = order[other]
            order[other] = order[change * count : (change + 1) * count]
        return positions

    def accepts(self, words: Int64[np.ndarray, "batch length"]) -> Bool[np.ndarray, "batch"]:
        """Return the words in the language, level by level: a closing bracket must match the last open one of its level."""
        closes = (words & 1).astype(np.int16)
        height = np.cumsum(1 - 2 * closes, axis=1, dtype=_smallest(words.shape[1]))
        good = (height.min(axis=1) >= 0) & (height.max(axis=1) <= self.depth) & (height[:, -1] == 0)
        rows = np.flatnonzero(good)  # few of the changed words get here, so the rest costs little
        words = words[rows]
        is_closing = closes[rows] == 1
        level = height[rows].astype(np.int64) + is_closing
        places = np.arange(words.shape[1])
        for depth in range(1, self.depth + 1):
            last_open = np.maximum.accumulate(np.where((level == depth) & ~is_closing, places, 0), axis=1)
            opened = np.take_along_axis(words, last_open, axis=1)
            good[rows] &= ~((level == depth) & is_closing & (words // 2 != opened // 2)).any(axis=1)
        return good

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        """Return the word in brackets ( ) [ ] { } < >. Beyond four kinds they are numbered: "(5" opens and ")5" closes kind 5
        (from 1).
        """
        if 2 * self.kinds <= len(BRACKETS):
            return {"string": "".join(BRACKETS[token] for token in inputs), "label": answer}
        return {"string": " ".join("()"[token % 2] + str(token // 2 + 1) for token in inputs), "label": answer}

    def answer_bits(self) -> int:
        """Return ceil(log2 c), exactly: c is the most prefix classes at any split of words of this length.

        After t brackets the live classes are the stacks of d open brackets, d of t's parity and
        d <= min(depth, t, length - t), kinds^d of each; from t = 1 on there is also a dead class.
        """
        most = 1
        for read in range(self.length + 1):
            deepest = min(self.depth, read, self.length - read)
            live = sum(self.kinds**d for d in range(read % 2, deepest + 1, 2))
            most = max(most, live + (read > 0))
        return ceil_log2(most)

    def alphabets(self, length: int) -> tuple[range, ...]:
        return (range(self.vocabulary),) * length


def _smallest(length: int) -> Any:
    """Return the type for heights and places of this many tokens: 16 bits if they suffice."""
    return np.int16 if length < 1 << 15 else np.int64

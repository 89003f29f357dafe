"""A language model as a reader of states: from books to states, as rows of numbers or as its own, and from these to answers.

The state is whatever the model hands back with its logits. Which axis of each of its tensors is the batch is found by reading
two and three copies of a book; tensors without such an axis, which count tokens, are left as they are.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from seqsep.core.names import BadInput, excerpt
from seqsep.language_models.audit.books import BookQuery, BookQuestions, Tokens
from seqsep.language_models.laws.reader import ModelReader, State
from seqsep.language_models.laws.state import size_in_bytes, tensors

NO_TOKEN = -1
"""Is chosen where the greatest logit is not a number or infinite."""
NUMBERS_AT_ONCE = 1 << 23
MOST_INPUTS_AT_ONCE = 1024
ALLOWED = 1e-3
"""Of the greatest logit, in float32: how far a state that was written down and put back may go on otherwise."""

Rows = Float[Tensor, "books numbers"]


class BookReader:
    """A language model, and the state that it has after books of as many tokens as `book`.

    `numbers` are those of the state after this book, `bits` those of all its tensors. Raises BadInput for a model whose state
    is not handed back, or not all of it.
    """

    def __init__(self, reader: ModelReader, book: Tokens) -> None:
        self.reader = reader
        where = reader.source.where
        if not reader.keeps_state:
            raise BadInput(f"{where}: expected a model that hands its state back with its logits, found none")
        self.axes = _batch_axes(reader, book)
        self.like = self._read([book])
        self.length = len(book)
        self.bits = 8 * size_in_bytes(self.like.value)
        self.numbers = sum(part.numel() for part, axis in self._parts(self.like) if axis is not None)
        self.are_floats = all(part.is_floating_point() for part, axis in self._parts(self.like) if axis is not None)

    def require_whole_state(self, first: Tokens, second: Tokens, asked: BookQuery) -> None:
        """Raise BadInput unless the model continues in the same way from a state that was written down and put in place of
        another book's.
        """
        expected = self._logits(self._read([first]), [asked.continuation])
        self._require_finite(_chosen(expected), [first], [asked])
        rows = self._rows(self._read([first]))
        self.like = self._read([second])
        found = self._logits(self._state(rows), [asked.continuation])
        apart = float((found - expected).abs().max())
        allowed = ALLOWED * max(1.0, float(expected.abs().max()))
        if not apart <= allowed:
            words = f"with the state of a book in place of another's logits differ by {apart:.1e}, allowed {allowed:.1e}"
            what = "expected a model that returns its complete state with its logits"
            raise BadInput(f"{self.reader.source.where}: {what}, found that {words}; seqsep check --model says which law fails")

    def answered(self, questions: BookQuestions) -> np.ndarray:
        """Return a mask, books by questions: which questions the model answers right from its own states."""
        places = len(questions.asked[0])
        right = np.zeros((len(questions.books), places), dtype=bool)
        for group in self._groups(questions, places):
            state = self._read([questions.books[one] for one in group])
            for part, axis in self._parts(state):
                if axis is not None:
                    part.data = part.data.repeat_interleave(places, axis)
            asked = [asked for one in group for asked in questions.asked[one]]
            chosen = _chosen(self._logits(state, [one.continuation for one in asked]))
            self._require_finite(chosen, [questions.books[one] for one in group for _ in range(places)], asked)
            right[group] = _right(chosen, asked, places)
        return right

    def states(self, books: Sequence[Tokens]) -> Rows:
        """Return the states after books of equally many tokens, a row of numbers each."""
        at_once = self._at_once(1)
        return torch.cat([self._rows(self._read(books[first : first + at_once])) for first in range(0, len(books), at_once)])

    def right(self, rows: Rows, questions: BookQuestions) -> np.ndarray:
        """Return a mask, books by questions: which questions the model answers right from these rows."""
        places = len(questions.asked[0])
        at_once = self._at_once(places)
        right = []
        for first in range(0, len(rows), at_once):
            state = self._state(rows[first : first + at_once].repeat_interleave(places, dim=0))
            asked = [one for every in questions.asked[first : first + at_once] for one in every]
            chosen = _chosen(self._logits(state, [one.continuation for one in asked]))
            right.append(_right(chosen, asked, places))  # a state that was rounded may well have no finite logits
        return np.concatenate(right)

    def _at_once(self, places: int) -> int:
        return max(1, min(NUMBERS_AT_ONCE // (places * self.numbers), MOST_INPUTS_AT_ONCE // places))

    def _groups(self, questions: BookQuestions, places: int) -> Iterator[list[int]]:
        """Yield the indices of books of equally many tokens, as many as are read at once."""
        by_length: dict[int, list[int]] = {}
        for one, tokens in enumerate(questions.books):
            by_length.setdefault(len(tokens), []).append(one)
        at_once = self._at_once(places)
        for alike in by_length.values():
            for first in range(0, len(alike), at_once):
                yield alike[first : first + at_once]

    def _read(self, books: Sequence[Tokens]) -> State:
        return self.reader.read(torch.tensor(books))[1]

    def _parts(self, state: State) -> Iterator[tuple[Tensor, int | None]]:
        return zip(tensors(state.value), self.axes, strict=True)

    def _rows(self, state: State) -> Rows:
        parts = [part.movedim(axis, 0).flatten(1) for part, axis in self._parts(state) if axis is not None]
        return torch.cat([part.float() for part in parts], dim=1)

    def _state(self, rows: Rows) -> State:
        """Return the state that the rows represent."""
        state = self.reader.copy(self.like)
        first = 0
        for part, axis in self._parts(state):
            if axis is not None:
                shape = part.movedim(axis, 0).shape[1:]
                numbers = rows[:, first : first + shape.numel()].reshape(len(rows), *shape)
                part.data = numbers.movedim(0, axis).to(part.dtype).contiguous()
                first += shape.numel()
        return state

    def _logits(self, state: State, continuations: Sequence[Tokens]) -> Float[Tensor, "inputs time vocabulary"]:
        """Return the logits of each token of the continuations after the states, read one by one. Shorter ones are filled
        up.
        """
        longest = max(map(len, continuations))
        tokens = torch.tensor([[*one, *one[-1:] * (longest - len(one))] for one in continuations])
        found = []
        for t in range(longest):
            logits, state = self.reader.read(tokens[:, t : t + 1], state)
            found.append(logits[:, 0])
        return torch.stack(found, 1)

    def _require_finite(self, chosen: list[list[int]], books: Sequence[Tokens], asked: Sequence[BookQuery]) -> None:
        """Raise BadInput, with the first book and question, if a logit that decides an answer is NaN or infinite."""
        for tokens, book, one in zip(chosen, books, asked, strict=True):
            if NO_TOKEN in tokens[: len(one.continuation)]:
                prompt = excerpt(" ".join(map(str, (*book, *one.continuation))))
                expected = "expected finite logits, found NaN or infinity after the prompt of the tokens"
                raise BadInput(f"{self.reader.source.where}: {expected} {prompt}")


def _chosen(logits: Float[Tensor, "inputs time vocabulary"]) -> list[list[int]]:
    """Return the first choice after each token."""
    is_finite = logits.amax(-1).isfinite()
    found: list[list[int]] = logits.argmax(-1).where(is_finite, NO_TOKEN).tolist()
    return found


def _right(chosen: list[list[int]], asked: Sequence[BookQuery], places: int) -> np.ndarray:
    """Tell which answers are the first choices: books by questions."""
    right = []
    for one, tokens in zip(asked, chosen, strict=True):
        end = len(one.continuation)
        right.append(tuple(tokens[end - len(one.answer) : end]) == one.answer)
    return np.array(right).reshape(-1, places)


def _batch_axes(reader: ModelReader, book: Tokens) -> list[int | None]:
    """Return for each tensor of the state the axis that grows with the batch, or None without one."""
    two, three = (tensors(reader.read(torch.tensor([book] * copies))[1].value) for copies in (2, 3))
    found: list[int | None] = []
    for one, other in zip(two, three, strict=True):
        grown = [axis for axis, sizes in enumerate(zip(one.shape, other.shape, strict=True)) if sizes == (2, 3)]
        if len(grown) > 1 or (not grown and one.shape != other.shape):
            expected = "expected a state whose tensors have one axis for the batch"
            raise BadInput(f"{reader.source.where}: {expected}, found {tuple(one.shape)} for two inputs")
        found.append(grown[0] if grown else None)
    if all(axis is None for axis in found):
        raise BadInput(f"{reader.source.where}: expected a state with numbers of each input, found none")
    return found

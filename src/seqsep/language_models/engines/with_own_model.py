"""An adapter of a user's own complete model, FILE.py:CLASS, so that the laws of engines are tested on it."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from seqsep.language_models.loader.double import in_float64
from seqsep.models.model import ModelState
from seqsep.models.plugins.model import UserModel

VOCABULARY = 11
LONGEST_INPUT = 24
SEED = 0
"""Of the weights, which are equal in each process."""
Place = tuple[ModelState, int]
"""A state, and the number of tokens before it."""


@contextmanager
def _computing() -> Iterator[None]:
    with torch.no_grad(), in_float64():
        yield


class OwnModelEngine:
    """A model that is built with as many classes as tokens: its `forward` reads prompts, and its `step` all that follows."""

    vocabulary = VOCABULARY

    def __init__(self, words: str, width: str = "8", heads: str = "2") -> None:
        torch.manual_seed(SEED)
        with _computing():
            self.model = UserModel.parse(words).build(VOCABULARY, VOCABULARY, LONGEST_INPUT, width=int(width), heads=int(heads))
            self.model.double()

    def prefill(self, tokens: Sequence[int]) -> tuple[Any, Place]:
        """Read a new sequence: the logits by `forward`, the state by steps."""
        logits, states = self.batch([tokens], [None])
        return logits[0], states[0]

    def decode(self, token: int, state: Place) -> tuple[Any, Place]:
        """Read one token after a state."""
        return self.extend([token], state)

    def extend(self, tokens: Sequence[int], state: Place) -> tuple[Any, Place]:
        """Read tokens one by one after a state."""
        logits, states = self.batch([tokens], [state])
        return logits[0], states[0]

    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[Place | None]) -> tuple[Any, list[Place]]:
        """Read sequences of equal length. Raises NotImplementedError for others."""
        places = {-1 if state is None else state[1] for state in states}
        if len(places) > 1 or len({len(row) for row in tokens}) > 1:
            raise NotImplementedError("sequences of different lengths in one batch")
        new = torch.tensor([list(row) for row in tokens])
        with _computing():
            known = [state for state in states if state is not None]
            before = _together([parts for parts, _ in known]) if known else self.model.start(len(new))
            start = known[0][1] if known else 0
            logits, after = self._steps(new, before, start)
            if not known:
                logits = self.model(new)
        end = start + new.shape[1]
        return logits, [(_row(after, row), end) for row in range(len(new))]

    def fork(self, state: Place) -> Place:
        """Copy a state."""
        return _row(state[0], 0), state[1]

    def save(self, state: Place) -> bytes:
        """Return the tensors of a state as bytes."""
        data = io.BytesIO()
        torch.save(state, data)
        return data.getvalue()

    def load(self, data: bytes) -> Place:
        """Return the state of these bytes."""
        state: Place = torch.load(io.BytesIO(data), weights_only=True)
        return state

    def _steps(self, tokens: Tensor, state: ModelState, start: int) -> tuple[Tensor, ModelState]:
        found = []
        for offset in range(tokens.shape[1]):
            logits, state = self.model.step(tokens[:, offset], state, start + offset)
            found.append(logits)
        return torch.stack(found, 1), state


def _together(states: Sequence[ModelState]) -> ModelState:
    return tuple(tuple(torch.cat(parts) for parts in zip(*blocks, strict=True)) for blocks in zip(*states, strict=True))


def _row(state: ModelState, row: int) -> ModelState:
    return tuple(tuple(part[row : row + 1].clone() for part in block) for block in state)

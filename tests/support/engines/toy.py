"""Engines in Python for tests: a recurrence with every method, and variants that return less or something else."""

import json
from typing import Any

import numpy as np

WIDTH = 5
VOCABULARY = 11


class Toy:
    """A recurrence; a state is the list of its vectors, so that tokens can be cut off."""

    vocabulary = VOCABULARY

    def __init__(self) -> None:
        draw = np.random.default_rng(0)
        self.embedding = draw.normal(size=(VOCABULARY, WIDTH))
        self.recurrence = draw.normal(size=(WIDTH, WIDTH)) / 3
        self.readout = draw.normal(size=(WIDTH, VOCABULARY))

    def prefill(self, tokens: list[int]) -> tuple[Any, Any]:
        return self.extend(tokens, [[0.0] * WIDTH])

    def extend(self, tokens: list[int], state: Any) -> tuple[Any, Any]:
        state = list(state)
        for token in tokens:
            state.append(np.tanh(self.recurrence @ state[-1] + self.embedding[token]).tolist())
        return np.array(state[-len(tokens) :]) @ self.readout, state

    def decode(self, token: int, state: Any) -> tuple[Any, Any]:
        return self.extend([token], state)

    def batch(self, tokens: list[list[int]], states: list[Any]) -> tuple[Any, Any]:
        pairs = [self.extend(new, state or [[0.0] * WIDTH]) for new, state in zip(tokens, states, strict=True)]
        return [logits for logits, _ in pairs], [state for _, state in pairs]

    def fork(self, state: Any) -> Any:
        return list(state)

    def save(self, state: Any) -> bytes:
        return json.dumps(state).encode()

    def load(self, data: bytes) -> Any:
        return json.loads(data)

    def crop(self, state: Any, count: int) -> Any:
        return state[:-count]

    def reset(self, state: Any) -> Any:
        return state[:1]

    def generate(self, tokens: list[int], count: int) -> tuple[Any, Any]:
        logits, state = Toy.extend(self, tokens, [[0.0] * WIDTH])
        rows = [logits[-1]]
        written = [int(logits[-1].argmax())]
        while len(written) < count:
            logits, state = Toy.extend(self, written[-1:], state)
            rows.append(logits[-1])
            written.append(int(logits[-1].argmax()))
        return written, rows


class LastOnly(Toy):
    """It returns the logits of the last token only, as most engines do."""

    def extend(self, tokens: list[int], state: Any) -> tuple[Any, Any]:
        logits, after = super().extend(tokens, state)
        return logits[-1], after


class Bare:
    """It has the two required methods only."""

    vocabulary = VOCABULARY

    def __init__(self) -> None:
        self.toy = Toy()

    def prefill(self, tokens: list[int]) -> tuple[Any, Any]:
        return self.toy.prefill(tokens)

    def decode(self, token: int, state: Any) -> tuple[Any, Any]:
        return self.toy.decode(token, state)


class Deaf(Toy):
    """It does not read its tokens."""

    def extend(self, tokens: list[int], state: Any) -> tuple[Any, Any]:
        return super().extend([0] * len(tokens), state)


class Rounded(Toy):
    """It computes in float32, and says so."""

    dtype = "float32"

    def extend(self, tokens: list[int], state: Any) -> tuple[Any, Any]:
        logits, after = super().extend(tokens, state)
        return logits.astype(np.float32), np.array(after, dtype=np.float32).tolist()


class Narrow(Toy):
    """Its logits lack a token of the vocabulary."""

    def extend(self, tokens: list[int], state: Any) -> tuple[Any, Any]:
        logits, after = super().extend(tokens, state)
        return logits[:, 1:], after

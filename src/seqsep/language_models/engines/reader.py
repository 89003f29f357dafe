"""An engine as a reader: the laws of state of models are tested on it, without a line of their own for engines."""

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from seqsep.core.names import excerpt, text_of
from seqsep.language_models.engines.protocol import TYPES, EngineFails, narrower
from seqsep.language_models.laws.reader import State
from seqsep.language_models.laws.trial import NotTried

NOT_GIVEN = torch.finfo(torch.float64).min
"""Every logit of a token for which the engine returns none."""


class Held:
    """A state inside of the engine. The reader frees it if nothing refers to it and no call has used it up."""

    __slots__ = ("_given", "_reader", "_used")

    def __init__(self, given: Any, reader: "EngineReader") -> None:
        self._given = given
        self._reader = reader
        self._used = False

    def look(self) -> Any:
        """Return the state for a call that leaves it as it is."""
        return self._given

    def take(self) -> Any:
        """Return the state for a call that uses it up."""
        self._used = True
        return self._given

    def __del__(self) -> None:
        if not self._used:
            self._reader.unused.append(self._given)


class EngineRows:
    """The states of several sequences, with the methods that a cache of `transformers` has."""

    __slots__ = ("reader", "rows")

    def __init__(self, rows: Sequence[Held | None], reader: "EngineReader") -> None:
        self.rows = list(rows)
        self.reader = reader

    def held(self) -> list[Held]:
        """Return the states of the sequences that have one."""
        return [row for row in self.rows if row is not None]

    def crop(self, length: int) -> None:
        """Cut -`length` tokens off each state."""
        self.rows = [self.reader.changed("crop", row, -length) for row in self.held()]

    def reset(self) -> None:
        """Empty each state."""
        self.rows = [self.reader.changed("reset", row) for row in self.held()]


class BatchedRows(EngineRows):
    """States that are read as one batch, whose order matters."""

    __slots__ = ()

    def reorder_cache(self, order: Tensor) -> None:
        """Put the states in this order; a state that is in it twice is forked."""
        rows = self.held()
        chosen: dict[int, Held] = {}
        found = []
        for index in order.tolist():
            found.append(self.reader.forked(rows[index]) if index in chosen else rows[index])
            chosen[index] = rows[index]
        self.rows = list(found)


class EngineReader:
    """The interface of `laws.reader.ModelReader` for an engine.

    If it is `batched`, several sequences are one call of `batch`, and padding in a mask is left out: the sequences have
    different lengths. Else each sequence has calls of its own. `narrow` is the type of logits that have fewer digits than the
    type that the engine says that it computes in.
    """

    name = "state"
    keeps_state = True
    takes_marks = False

    def __init__(self, engine: Any, *, batched: bool = False) -> None:
        self.engine = engine
        self.batched = batched
        self.takes_mask = batched
        self.takes_positions = batched
        self.vocabulary = int(engine.vocabulary)
        self.narrow = ""
        self.unused: list[Any] = []
        self.model = SimpleNamespace(generate=self.generate)

    def computing(self) -> AbstractContextManager[None]:
        """Do nothing: the engine computes by itself."""
        return nullcontext()

    def random_tokens(self, batch: int, time: int, seed: int) -> Tensor:
        """Return tokens of the vocabulary."""
        return torch.randint(self.vocabulary, (batch, time), generator=torch.Generator().manual_seed(seed))

    def whole(self, tokens: Tensor, attention_mask: Tensor | None = None, position_ids: Tensor | None = None) -> Tensor:
        """Return the logits of one pass. If positions begin again, each document of the row is a sequence."""
        if position_ids is not None:
            borders = [*(position_ids[0] == 0).nonzero()[:, 0].tolist(), tokens.shape[1]]
            documents = [tokens[0, start:end] for start, end in pairwise(borders)]
            return torch.cat(self._whole(documents))[None]
        keep = torch.ones_like(tokens) if attention_mask is None else attention_mask
        rows = [row[kept > 0] for row, kept in zip(tokens, keep, strict=True)]
        return self._in_places(self._whole(rows), keep)

    def read(
        self, tokens: Tensor, state: State | None = None, mask: Tensor | None = None, counted: bool = True
    ) -> tuple[Tensor, State]:
        """Return the logits of tokens after a state, and the state after them; `counted` means nothing to an engine."""
        keep = torch.ones_like(tokens) if mask is None else mask[:, -tokens.shape[1] :]
        rows = [row[kept > 0].tolist() for row, kept in zip(tokens, keep, strict=True)]
        before: list[Held | None] = [None] * len(rows) if state is None else state.value.rows
        logits, after = self._read(rows, before)
        kind = BatchedRows if self.batched else EngineRows
        seen = tokens.shape[1] + (0 if state is None else state.seen)
        return self._in_places(logits, keep), State(kind(after, self), seen)

    def padded(self, mask: Tensor | None, last: int) -> dict[str, Tensor]:
        """Return the mask as the argument of `whole`."""
        return {} if mask is None else {"attention_mask": mask}

    def generate(self, prompt: Tensor, mask: Tensor | None = None, *, max_new_tokens: int, **options: Any) -> Any:
        """Return what the engine's own loop writes, and the logits of each step."""
        written = []
        steps = []
        for row in prompt.tolist():
            new, logits = self._pair("generate", row, max_new_tokens)
            if len(new) != max_new_tokens:
                raise EngineFails(f"generate after {len(row)} tokens: expected {max_new_tokens} tokens, found {len(new)}")
            written.append([*row, *map(int, new)])
            steps.append(self._logits(logits, max_new_tokens, "generate", whole=True))
        return SimpleNamespace(sequences=torch.tensor(written), logits=list(torch.stack(steps, 1)))

    def copy(self, state: State) -> State:
        """Return a state of forks."""
        kind = type(state.value)
        return State(kind([None if row is None else self.forked(row) for row in state.value.rows], self), state.seen)

    def record_past(self, state: State) -> None:
        """Do nothing: `crop` of an engine needs no notice."""

    def roll_back(self, state: State, count: int) -> State:
        """Cut the last tokens off the state."""
        state.value.crop(-count)
        return State(state.value, state.seen - count)

    def reset(self, state: State) -> State:
        """Empty the state."""
        state.value.reset()
        return State(state.value, 0)

    def join(self, state: State, newcomer: State, rows: tuple[int, int]) -> State:
        """Return a state with the sequences of both."""
        return State(type(state.value)([*state.value.rows, *newcomer.value.rows], self), state.seen)

    def to_bytes(self, state: State) -> bytes:
        """Return the saved states, as JSON."""
        saved = [self._saved(row) for row in state.value.held()]
        return json.dumps([base64.b64encode(data).decode() for data in saved]).encode()

    def from_bytes(self, data: bytes, seen: int) -> State:
        """Load saved states."""
        rows = [Held(self.call("load", base64.b64decode(text)), self) for text in json.loads(data)]
        return State(EngineRows(rows, self), seen)

    def changed(self, method: str, row: Held, *further: Any) -> Held:
        """Return the state that a method makes of one that it uses up."""
        return Held(self.call(method, row.take(), *further), self)

    def forked(self, row: Held) -> Held:
        """Return a fork of a state."""
        return Held(self.call("fork", row.look()), self)

    def call(self, method: str, *values: Any) -> Any:
        """Call a method of the engine. Raises NotTried if it refuses, EngineFails for any other exception."""
        self._free()
        try:
            return getattr(self.engine, method)(*values)
        except NotImplementedError as error:
            raise NotTried(f"the engine refuses {method}: {text_of(error)}") from error
        except (EngineFails, MemoryError):
            raise
        except Exception as error:
            shown = excerpt(", ".join(map(repr, values)), 200)
            raise EngineFails(f"{method}({shown}) raises {type(error).__name__}: {text_of(error)}") from error

    def _free(self) -> None:
        unused = self.unused
        self.unused = []
        if hasattr(self.engine, "free"):
            for given in unused:
                with suppress(EngineFails):  # the next call of the law fails too, and says more
                    self.engine.free(given)

    def _saved(self, row: Held) -> bytes:
        data = self.call("save", row.look())
        if not isinstance(data, (bytes, bytearray)):
            raise EngineFails(f"save: expected bytes, found {type(data).__name__}")
        return bytes(data)

    def _pair(self, method: str, *values: Any) -> tuple[Any, Any]:
        found = self.call(method, *values)
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise EngineFails(f"{method}: expected a pair, found {excerpt(repr(found))}")
        return found[0], found[1]

    def _read(self, rows: list[list[int]], before: Sequence[Held | None]) -> tuple[list[Tensor], list[Held | None]]:
        """Read each row that has tokens; a row without tokens keeps its state."""
        reading = [index for index, row in enumerate(rows) if row]
        after = list(before)
        logits = [torch.zeros(0, self.vocabulary, dtype=torch.float64) for _ in rows]
        for index, (method, found, given) in zip(reading, self._answers(rows, before, reading), strict=True):
            logits[index] = self._logits(found, len(rows[index]), method)
            after[index] = Held(given, self)
        return logits, after

    def _answers(
        self, rows: list[list[int]], before: Sequence[Held | None], reading: list[int]
    ) -> Iterable[tuple[str, Any, Any]]:
        """Return the method, the logits and the state for each row with tokens."""
        if not self.batched or len(rows) == 1:
            return (self._one(rows[index], before[index]) for index in reading)
        states = [held if held is None else held.take() for held in (before[index] for index in reading)]
        found, given = self._pair("batch", [rows[index] for index in reading], states)
        if len(found) != len(reading) or len(given) != len(reading):
            raise EngineFails(f"batch of {len(reading)} sequences: found {len(found)} logits and {len(given)} states")
        return zip(["batch"] * len(reading), found, given, strict=True)

    def _one(self, row: list[int], held: Held | None) -> tuple[str, Any, Any]:
        if held is None:
            return ("prefill", *self._pair("prefill", row))
        if len(row) == 1:
            return ("decode", *self._pair("decode", row[0], held.take()))
        return ("extend", *self._pair("extend", row, held.take()))

    def _whole(self, rows: list[Tensor]) -> list[Tensor]:
        """Return the logits of new sequences; a single call that returns only the last is repeated for each prefix."""
        lists = [row.tolist() for row in rows]
        logits = self._read(lists, [None] * len(lists))[0]
        if self.batched and len(rows) > 1:
            return logits
        for row, found in zip(lists, logits, strict=True):
            for count in range(1, len(row)):
                if bool((found[count - 1] == NOT_GIVEN).all()):
                    found[count - 1] = self._read([row[:count]], [None])[0][0][-1]
        return logits

    def _in_places(self, logits: list[Tensor], keep: Tensor) -> Tensor:
        found = torch.zeros(*keep.shape, self.vocabulary, dtype=torch.float64)
        for row, part in enumerate(logits):
            found[row, keep[row] > 0] = part
        return found

    def _logits(self, found: Any, count: int, method: str, whole: bool = False) -> Tensor:
        """Return a row for each of `count` tokens. Raises EngineFails for anything else."""
        self.narrow = narrower(found, str(getattr(self.engine, "dtype", TYPES[0]))) or self.narrow
        try:
            rows = found.detach().cpu().double() if isinstance(found, Tensor) else torch.from_numpy(_numbers(found))
        except (TypeError, ValueError) as error:
            raise EngineFails(f"{method}: expected rows of numbers, found {excerpt(repr(found))}") from error
        rows = rows[None] if rows.dim() == 1 else rows
        if rows.shape == (count, self.vocabulary):
            return rows.clone()
        if rows.shape == (1, self.vocabulary) and not whole:
            return torch.cat([torch.full((count - 1, self.vocabulary), NOT_GIVEN, dtype=torch.float64), rows])
        shape = " x ".join(map(str, rows.shape))
        expected = f"{count} x {self.vocabulary}" + ("" if whole or count == 1 else f" or 1 x {self.vocabulary}")
        raise EngineFails(f"{method}: expected {expected} logits, found {shape}")


def _numbers(found: Any) -> Any:
    return np.array(found, dtype=np.float64)


class EngineReceiver:
    """The other side of the law "state as bytes": an engine that loads states that it has not computed."""

    def __init__(self, other: Callable[[], Any]) -> None:
        self._other = other
        self._reader: EngineReader | None = None

    def continued(self, source: Any, data: bytes, *, rest: Tensor, at: int, dtype: torch.dtype) -> Tensor:
        """Return the logits of `rest`, read token by token after the states of these bytes."""
        self._reader = self._reader or EngineReader(self._other())
        state = self._reader.from_bytes(data, at)
        found = []
        for token in rest.split(1, 1):
            logits, state = self._reader.read(token, state)
            found.append(logits)
        return torch.cat(found, 1)

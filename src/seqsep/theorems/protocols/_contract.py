"""The contract of recurrent models and of machines, which read one example at a time and have a counted state."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int64


@runtime_checkable
class TokenSequence(Protocol):
    """Tokens in a sequence or array, or vectors in a tensor: a length, parts, and one token after another."""

    def __len__(self) -> int:
        """The number of tokens."""

    def __getitem__(self, place: Any, /) -> Any:
        """One token, or the tokens of a slice."""

    def __iter__(self) -> Iterator[Any]:
        """The tokens in their order."""


@runtime_checkable
class RecurrentModel(Protocol):
    """The contract of a mixer and of `Model`: inputs and outputs are tensors, time second; the caller passes the time."""

    def start(self, batch: int) -> Any:
        """The state before the first token, for this number of examples."""

    def step(self, inputs: Any, state: Any, t: int) -> tuple[Any, Any]:
        """Outputs after one token of each example at time t, and the state after it."""

    def forward(self, inputs: Any) -> Any:
        """Outputs after every token."""


class BitMachine(ABC):
    """A recurrent model that reads one example at a time; its state is a number below 2^`bits`.

    >>> from seqsep.theorems.protocols.machine import as_machine
    >>> from seqsep.theorems.retrieval.index_lookup_state import build
    >>> remembers = as_machine(build(length=3, alphabet=2))
    >>> outputs, state = remembers.read((1, 0, 1))
    >>> remembers.pack(state)
    (5, 3)
    """

    @property
    @abstractmethod
    def bits(self) -> int:
        """Counted state bits."""

    @abstractmethod
    def start(self) -> Any:
        """The state before the first token."""

    @abstractmethod
    def step(self, token: Any, state: Any, t: int) -> tuple[Any, Any]:
        """The output after one token (or vector) at time t, and the state after it."""

    @abstractmethod
    def pack(self, state: Any) -> tuple[int, int]:
        """The state as (number, bits that it takes): the bits are those of this very state."""

    @abstractmethod
    def unpack(self, number: int) -> Any:
        """The state of a number."""

    @abstractmethod
    def states(self, tokens: Int64[np.ndarray, "batch time"]) -> Iterator[Hashable]:
        """A key of the state after each row, equal exactly for equal states."""

    @property
    def parallel(self) -> RecurrentModel | None:
        """The model whose `forward` gives the outputs of the steps; None if there is none, or if the state is rounded."""
        return None

    def read(self, tokens: TokenSequence, state: Any = None, t: int = 0) -> tuple[list[Any], Any]:
        """Outputs after every token (or vector) from time t on, and the state after the last."""
        if state is None:
            state = self.start()
        outputs = []
        for offset, token in enumerate(tokens):
            output, state = self.step(token, state, t + offset)
            outputs.append(output)
        return outputs, state

    def another(self) -> "BitMachine":
        """Return a copy of the model for the other party; it does not contain what this one will keep outside of its state."""
        return copy.deepcopy(self)

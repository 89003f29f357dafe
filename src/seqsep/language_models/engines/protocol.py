"""The methods of an engine: two that every engine has, and some that laws need.

A state is whatever the engine returns: an object, a number of a slot, a name. seqsep gives it back and never looks inside.
A state that is given to `decode`, `extend`, `batch`, `crop` or `reset` is used up: only the returned one is used afterwards.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

__all__ = ["DIGITS", "OPTIONAL", "REQUIRED", "TYPES", "EngineFails", "InferenceEngine", "narrower"]

REQUIRED = ("prefill", "decode")
OPTIONAL = {
    "extend": "(tokens, state) -> logits, state: read several tokens after a state",
    "batch": "(tokens, states) -> logits, states: read tokens of several sequences in one call; a new sequence has state None",
    "fork": "(state) -> state: another state after the same tokens; the first one stays",
    "save": "(state) -> bytes: the state as bytes; the state stays",
    "load": "(bytes) -> state: the state of these bytes, also in another process",
    "crop": "(state, count) -> state: the state without its last tokens, as after rejected drafts",
    "reset": "(state) -> state: the state emptied",
    "generate": "(tokens, count) -> tokens, logits: the engine's own greedy loop",
    "free": "(state): the state is not used again; no law needs this method",
}
"""By name, in words."""
TYPES = ("float64", "float32", "bfloat16", "float16")
"""The types that an engine may say that it computes in, as its `dtype`; float64 if it says nothing."""
DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
"""Binary digits of a number of each type."""


def narrower(logits: Any, declared: str) -> str:
    """Return the type of tensors or arrays of logits if it has fewer digits than the declared one, else an empty text.

    >>> import numpy as np
    >>> narrower([np.zeros(3, np.float32)], "float64"), narrower(np.zeros(3), "float32"), narrower([[0.5]], "float64")
    ('float32', '', '')
    """
    while isinstance(logits, list | tuple) and logits:
        logits = logits[0]
    name = str(getattr(logits, "dtype", "")).removeprefix("torch.")
    return name if DIGITS.get(name, DIGITS[TYPES[0]]) < DIGITS.get(declared, 0) else ""


class EngineFails(Exception):
    """An engine breaks the protocol: it raises, ends, does not answer in time, or answers with something else.

    >>> raise EngineFails("prefill of 3 tokens: the process ended")
    Traceback (most recent call last):
        ...
    seqsep.language_models.engines.protocol.EngineFails: prefill of 3 tokens: the process ended
    """


@runtime_checkable
class InferenceEngine(Protocol):
    """An engine has at least these two methods, and the size of its vocabulary.

    Logits are rows of `vocabulary` numbers, a row for each token that is read, or one row for the last token. They may be
    lists, NumPy arrays or tensors. If an engine has a method but cannot do what is asked, it raises NotImplementedError.

    >>> class Sums:
    ...     vocabulary = 3
    ...
    ...     def prefill(self, tokens):
    ...         return [[float(sum(tokens))] * 3], sum(tokens)
    ...
    ...     def decode(self, token, state):
    ...         return [[float(state + token)] * 3], state + token
    >>> isinstance(Sums(), InferenceEngine)
    True
    """

    vocabulary: int

    def prefill(self, tokens: Sequence[int]) -> tuple[Any, Any]:
        """Read the tokens of a new sequence; return their logits and the state after them."""

    def decode(self, token: int, state: Any) -> tuple[Any, Any]:
        """Read one token after a state; return its logits and the state after it."""

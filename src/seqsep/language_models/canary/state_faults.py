"""Faults of serving engines in models with recurrent states, injected into `Serving` between its calls of `transformers`.

The classes are those of canaries with a recurrence. Faults that change tokens, padding or requests are those of `faults`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor

from seqsep.language_models.canary.faults import (
    EVERY,
    SIZES,
    DraftsStay,
    Fault,
    NeighboursExchanged,
    OtherRequestLeft,
    PaddingBehind,
    PaddingInFront,
    TokenLost,
    TokenTwice,
)
from seqsep.language_models.canary.serving import Serving

OF_ATTENTION = "oldest-key-lost"
"""The fault of classes with attention."""
Kept = list[tuple[Tensor, Tensor]]
"""Pairs of a tensor of the cache and a copy of it."""


class StatesSwapped(Serving):
    """After reading, the requests of a batch have each other's states."""

    def after_batch(self, cache: Any) -> None:
        """Give each row the state of the one before."""
        for part in (*windows(cache), *states(cache)):
            part.copy_(part.roll(1, 0))
        for layer in attention_layers(cache):
            layer.keys, layer.values = layer.keys.roll(1, 0), layer.values.roll(1, 0)


class WindowZero(Serving):
    """The window of the convolution is zero at each chunk border."""

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Set the windows to zero, unless decoding follows."""
        if not is_last:
            _clear(windows(cache))


class WindowZeroInDecoding(Serving):
    """The window of the convolution is zero when decoding begins."""

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Set the windows to zero if decoding follows."""
        if is_last:
            _clear(windows(cache))


class WindowNotAdvanced(Serving):
    """The window of the convolution is not moved in decoding."""

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Keep the windows at the end of the prompt."""
        self._kept = _copies(windows(cache))

    def after_step(self, cache: Any, step: int, at: int) -> int:
        """Bring back the windows."""
        _restore(self._kept)
        return 0


class StateZero(Serving):
    """The recurrent state is zero at each chunk border."""

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Set the states to zero, unless decoding follows."""
        if not is_last:
            _clear(states(cache))


class StateZeroInDecoding(Serving):
    """The recurrent state is zero when decoding begins."""

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Set the states to zero if decoding follows."""
        if is_last:
            _clear(states(cache))


class StateOfChunkBefore(Serving):
    """Decoding begins with the recurrent state at the end of the chunk before the last one."""

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Bring back the states before the last chunk, if there were any."""
        if is_last:
            _restore(getattr(self, "_kept", []))
        self._kept = [] if is_last else _copies(states(cache))


class StateStepNotWritten(Serving):
    """Every seventh decoded token changes neither the recurrent state nor the window."""

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Keep states and windows."""
        self._kept = _copies((*windows(cache), *states(cache)))

    def after_step(self, cache: Any, step: int, at: int) -> int:
        """Bring back what was before the token, or keep what is now."""
        if step % EVERY == 0:
            _restore(self._kept)
        self._kept = _copies((*windows(cache), *states(cache)))
        return 0


class StateInBf16(Serving):
    """The recurrent state is kept in bf16."""

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Round the states."""
        for state in states(cache):
            state.copy_(state.bfloat16())

    def after_step(self, cache: Any, step: int, at: int) -> int:
        """Round the states."""
        self.after_chunk(cache, is_last=True)
        return 0


class OldestKeyLost(Serving):
    """The oldest entry of the attention's cache is lost when decoding begins."""

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Drop the first entry if decoding follows."""
        if is_last:
            for layer in attention_layers(cache):
                layer.keys, layer.values = layer.keys[:, :, 1:], layer.values[:, :, 1:]


STATE_FAULTS: Mapping[str, Fault] = {
    "other-request-left": Fault(OtherRequestLeft, "the state of the request before were left", "absent"),
    "padding-in-front": Fault(PaddingInFront, "padding in front were not masked", "together"),
    "padding-behind": Fault(PaddingBehind, "padding after the prompt entered the state", "together"),
    "states-swapped": Fault(StatesSwapped, "requests of a batch had each other's states", "together"),
    "token-lost": Fault(TokenLost, "a token were lost at a chunk border", "borders", SIZES),
    "token-twice": Fault(TokenTwice, "a token were read twice at a chunk border", "twice", SIZES),
    "neighbours-exchanged": Fault(NeighboursExchanged, "two tokens were exchanged at a chunk border", "borders", SIZES),
    "window-zero": Fault(WindowZero, "the window of the convolution were zero at a chunk border", "borders", SIZES),
    "window-zero-in-decoding": Fault(WindowZeroInDecoding, "the window of the convolution were zero before decoding", "one"),
    "window-not-advanced": Fault(WindowNotAdvanced, "the window of the convolution stood still in decoding", "one"),
    "state-zero": Fault(StateZero, "the recurrent state were zero at a chunk border", "long"),
    "state-zero-in-decoding": Fault(StateZeroInDecoding, "the recurrent state were zero before decoding", "decoding"),
    "state-of-chunk-before": Fault(StateOfChunkBefore, "the state of the last chunk were not written", "decoding", SIZES),
    "state-step-not-written": Fault(StateStepNotWritten, "a decoded token did not change the state", "decoding"),
    "state-in-bf16": Fault(StateInBf16, "the recurrent state were kept in bf16", "fine"),
    "drafts-stay": Fault(DraftsStay, "rejected drafts stayed in the state", "decoding"),
    OF_ATTENTION: Fault(OldestKeyLost, "the oldest entry of the cache were lost", "absent"),
}
"""By name.

The scenario "fine" is a question about a value with more than eight bits, which only olmo-hybrid has. In "twice" a question is
before a chunk border too.
"""


def windows(cache: Any) -> Iterator[Tensor]:
    """Yield the windows of the convolutions in a cache."""
    for layer in cache.layers:
        yield from (part for part in getattr(layer, "conv_states", {}).values() if part is not None)


def states(cache: Any) -> Iterator[Tensor]:
    """Yield the recurrent states in a cache."""
    for layer in cache.layers:
        yield from (part for part in getattr(layer, "recurrent_states", {}).values() if part is not None)


def attention_layers(cache: Any) -> Iterator[Any]:
    """Yield the layers of a cache that have keys and values."""
    yield from (layer for layer in cache.layers if hasattr(layer, "keys"))


def _clear(parts: Iterator[Tensor]) -> None:
    for part in parts:
        part.zero_()


def _copies(parts: Iterator[Tensor] | tuple[Tensor, ...]) -> Kept:
    return [(part, part.clone()) for part in parts]


def _restore(kept: Kept) -> None:
    for part, copied in kept:
        part.copy_(copied)

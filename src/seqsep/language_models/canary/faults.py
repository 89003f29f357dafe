"""Faults of serving engines, injected into a small server between its calls of `transformers`.

Each fault replaces one method of `Serving`. The rates at which they are seen are in results/canary-faults.json.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from seqsep.language_models.canary.serving import PrefixServing, Serving
from seqsep.theorems.canary.vocabulary import V1

SIZES = (16, 64, 256)
"""Sizes of chunks and blocks with which a fault at a border is injected."""
TABLE = 256
EVERY = 7
"""Decoded tokens between two events of a fault in decoding."""
DRAFTS = [V1, V1]
WRONG_BASE = 1e4


class OtherRequestLeft(Serving):
    """The cache of the request before is left."""

    def started(self, prompt: Sequence[int]) -> tuple[Any, int]:
        """Return a cache with the prompt before."""
        cache = self.empty()
        if self.last:
            self.read([self.last] * self.rows, cache, [range(len(self.last))] * self.rows, None)
        return cache, 0


class PaddingInFront(Serving):
    """Padding in front of the prompts of a batch is not masked."""

    def mask(self, pads: Sequence[int], longest: int, decoded: int) -> Tensor:
        """Return 1 for each token."""
        return torch.ones(len(pads), longest + decoded, dtype=torch.long)


class PaddingBehind(PaddingInFront):
    """Padding after the prompts of a batch stays in the cache and is not masked in decoding."""

    pads_behind = True


class RowsSwapped(Serving):
    """After reading, the requests of a batch have each other's caches."""

    def after_batch(self, cache: Any) -> None:
        """Give each row the cache of the one before."""
        for layer in cache.layers:
            layer.keys, layer.values = layer.keys.roll(1, 0), layer.values.roll(1, 0)


class TokenLost(Serving):
    """The first token of each chunk but the first is not read."""

    def tokens_of_chunk(self, prompt: Sequence[int], start: int, stop: int) -> list[int]:
        """Return the tokens without the first one, unless it is the only one."""
        return list(prompt[start + bool(start and stop - start > 1) : stop])


class TokenTwice(Serving):
    """The last token of each chunk is read again at the beginning of the next one."""

    def tokens_of_chunk(self, prompt: Sequence[int], start: int, stop: int) -> list[int]:
        """Return the tokens after the last one of the chunk before."""
        return list(prompt[max(0, start - 1) : stop])


class TokenTwiceInPlace(TokenTwice):
    """The last token of each chunk is read again, at its own position."""

    def __init__(self, model: Any, chunk: int = 64) -> None:
        super().__init__(model, chunk)
        self._twice = 0

    def started(self, prompt: Sequence[int]) -> tuple[Any, int]:
        """Return an empty cache."""
        self._twice = (len(prompt) - 1) // self.chunk
        return super().started(prompt)

    def reading_position(self, at: int, start: int) -> int:
        """Return the position without the tokens that were read again."""
        return at - start // self.chunk

    def decoding_position(self, at: int, start: int) -> int:
        """Return the position without the tokens that were read again."""
        return at - self._twice


class NeighboursExchanged(Serving):
    """The last token of a chunk and the first one of the next chunk are exchanged."""

    def tokens_of_chunk(self, prompt: Sequence[int], start: int, stop: int) -> list[int]:
        """Return the tokens with the exchanged ones at both ends."""
        tokens = list(prompt[start:stop])
        if start:
            tokens[0] = prompt[start - 1]
        if stop < len(prompt):
            tokens[-1] = prompt[stop]
        return tokens


class ChunkNotWritten(Serving):
    """The chunk before the last one is not written to the cache."""

    def __init__(self, model: Any, chunk: int = 64) -> None:
        super().__init__(model, chunk)
        self._before = 0

    def started(self, prompt: Sequence[int]) -> tuple[Any, int]:
        """Return an empty cache."""
        self._before = (len(prompt) - 1) // self.chunk
        return super().started(prompt)

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Change the cache after the chunk before the last one."""
        self._before -= 1
        if self._before == 0:
            self.change(cache)

    def change(self, cache: Any) -> None:
        """Drop the entries of the chunk."""
        _keep(cache, slice(None, -self.chunk))


class ChunkZero(ChunkNotWritten):
    """The entries of the chunk before the last one are zero."""

    def change(self, cache: Any) -> None:
        """Set the entries of the chunk to zero."""
        for layer in cache.layers:
            for part in (layer.keys, layer.values):
                part[:, :, -self.chunk :] = 0


class BlocksExchanged(ChunkNotWritten):
    """The blocks of the cache are in another order."""

    def change(self, cache: Any) -> None:
        """Exchange the first and the last block."""
        for layer in cache.layers:
            layer.keys, layer.values = layer.keys.roll(self.chunk, 2), layer.values.roll(self.chunk, 2)


class OldestLost(ChunkNotWritten):
    """The oldest entry of the cache is lost before the last chunk."""

    def change(self, cache: Any) -> None:
        """Drop the first entry."""
        _keep(cache, slice(1, None))


class WindowTooShort(Serving):
    """Only the last 256 entries of the cache are kept."""

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Drop the older entries."""
        _keep(cache, slice(-TABLE, None))


class CacheInBf16(Serving):
    """The cache is kept in bf16."""

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Round the entries."""
        for layer in cache.layers:
            layer.keys, layer.values = (part.bfloat16().to(part.dtype) for part in (layer.keys, layer.values))

    def after_step(self, cache: Any, step: int, at: int) -> int:
        """Round the entries."""
        self.after_chunk(cache, is_last=True)
        return 0


class PositionsAhead(Serving):
    """Positions in decoding are too large by one."""

    def decoding_position(self, at: int, start: int) -> int:
        """Return the next position."""
        return at + 1


class PositionsRestart(Serving):
    """Positions in decoding begin with zero."""

    def decoding_position(self, at: int, start: int) -> int:
        """Return the number of decoded tokens."""
        return at - start


class PositionsOfChunk(Serving):
    """Positions begin with zero in each chunk."""

    def reading_position(self, at: int, start: int) -> int:
        """Return the place in the chunk."""
        return at - start


class PositionsShifted(Serving):
    """All positions are too large by the same number."""

    def reading_position(self, at: int, start: int) -> int:
        """Return the position and 100."""
        return at + 100

    def decoding_position(self, at: int, start: int) -> int:
        """Return the position and 100."""
        return at + 100


class PositionsInBf16(Serving):
    """Positions are rounded to bf16."""

    def reading_position(self, at: int, start: int) -> int:
        """Return the nearest position with eight bits."""
        return int(torch.tensor(float(at)).bfloat16())

    def decoding_position(self, at: int, start: int) -> int:
        """Return the nearest position with eight bits."""
        return self.reading_position(at, start)


class TableEnds(Serving):
    """The table of angles has 256 positions; later ones have the last angle."""

    def reading_position(self, at: int, start: int) -> int:
        """Return the position in the table."""
        return min(at, TABLE - 1)

    def decoding_position(self, at: int, start: int) -> int:
        """Return the position in the table."""
        return min(at, TABLE - 1)


class StepNotWritten(Serving):
    """Every seventh decoded token is not written to the cache."""

    def after_step(self, cache: Any, step: int, at: int) -> int:
        """Drop the last entry."""
        if step % EVERY == 0:
            _keep(cache, slice(None, -1))
        return 0


class DraftsStay(Serving):
    """Rejected draft tokens stay in the cache, and later tokens have their own positions."""

    moves = 0

    def after_step(self, cache: Any, step: int, at: int) -> int:
        """Read drafts and keep them."""
        if step % EVERY:
            return 0
        places = range(at + 1, at + 1 + len(DRAFTS))
        self.read([DRAFTS] * self.rows, cache, [places] * self.rows, None)
        return self.moves


class DraftsCounted(DraftsStay):
    """Rejected draft tokens stay in the cache, and later tokens follow them."""

    moves = len(DRAFTS)


class PrefixWithoutLast(PrefixServing):
    """The key of a cached block forgets the last token."""

    def key(self, prompt: Sequence[int], block: int) -> tuple[int, ...]:
        """Return all tokens to the end of the block but the last one."""
        return super().key(prompt, block)[:-1]


class PrefixWithoutParent(PrefixServing):
    """The key of a cached block forgets the blocks before it."""

    def key(self, prompt: Sequence[int], block: int) -> tuple[int, ...]:
        """Return the tokens of the block."""
        return super().key(prompt, block)[-self.chunk :]


def wrong_base(model: Any, chunk: int) -> Serving:
    """Serve a model whose rotary base is 1e4."""
    changed = deepcopy(model)
    rotary = changed.model.rotary_emb
    half = len(rotary.inv_freq)
    rotary.inv_freq.copy_(WRONG_BASE ** (-torch.arange(half) / half))
    return Serving(changed, chunk)


def interleaved(model: Any, chunk: int) -> Serving:
    """Serve a model whose rotary pairs are neighbours in place of halves."""
    changed = deepcopy(model)
    size = changed.config.head_dim
    order = torch.cat([torch.arange(0, size, 2), torch.arange(1, size, 2)])
    with torch.no_grad():
        for layer in changed.model.layers:
            for weight in (layer.self_attn.q_proj.weight, layer.self_attn.k_proj.weight):
                weight.copy_(weight.view(-1, size, weight.shape[1])[:, order].reshape(weight.shape))
    return Serving(changed, chunk)


@dataclass(frozen=True)
class Fault:
    """A fault that can be injected.

    Fields:
        serve: function from a model and a size of chunks to the server with the fault.
        words: the fault in words, after "as if".
        seen_in: the scenario whose conversations all see it; empty if it changes nothing in this class.
        sizes: sizes of chunks with which it is injected.
    """

    serve: Callable[[Any, int], Serving]
    words: str
    seen_in: str
    sizes: tuple[int, ...] = (64,)


FAULTS: Mapping[str, Fault] = {
    "other-request-left": Fault(OtherRequestLeft, "the cache of the request before were left", "absent"),
    "padding-in-front": Fault(PaddingInFront, "padding in front were not masked", "together"),
    "padding-behind": Fault(PaddingBehind, "padding after the prompt stayed in the cache", "together"),
    "rows-swapped": Fault(RowsSwapped, "requests of a batch had each other's caches", "together"),
    "token-lost": Fault(TokenLost, "a token were lost at a chunk border", "borders", SIZES),
    "token-twice": Fault(TokenTwice, "a token were read twice at a chunk border", "borders", SIZES),
    "token-twice-in-place": Fault(TokenTwiceInPlace, "a token were read twice at its own position", "", SIZES),
    "neighbours-exchanged": Fault(NeighboursExchanged, "two tokens were exchanged at a chunk border", "borders", SIZES),
    "chunk-not-written": Fault(ChunkNotWritten, "a chunk were not written to the cache", "borders", SIZES),
    "chunk-zero": Fault(ChunkZero, "the entries of a chunk were zero", "borders", SIZES),
    "blocks-exchanged": Fault(BlocksExchanged, "blocks of the cache were in another order", "", SIZES),
    "oldest-lost": Fault(OldestLost, "the oldest entry of the cache were lost", "absent"),
    "window-too-short": Fault(WindowTooShort, "only the last 256 tokens were in the cache", "long"),
    "cache-in-bf16": Fault(CacheInBf16, "the cache were kept in bf16", ""),
    "positions-ahead": Fault(PositionsAhead, "positions in decoding were too large by one", "one"),
    "positions-restart": Fault(PositionsRestart, "positions in decoding began with zero", "one"),
    "positions-of-chunk": Fault(PositionsOfChunk, "positions began with zero in each chunk", "borders", SIZES),
    "positions-shifted": Fault(PositionsShifted, "all positions were too large by the same number", ""),
    "positions-in-bf16": Fault(PositionsInBf16, "positions were rounded to bf16", "long"),
    "table-ends": Fault(TableEnds, "the table of angles ended at 256 positions", "borders"),
    "wrong-base": Fault(wrong_base, "the rotary base were 1e4", "one"),
    "interleaved": Fault(interleaved, "rotary pairs were neighbours in place of halves", "one"),
    "step-not-written": Fault(StepNotWritten, "a decoded token were not written to the cache", "decoding"),
    "drafts-stay": Fault(DraftsStay, "rejected drafts stayed in the cache", "decoding"),
    "drafts-counted": Fault(DraftsCounted, "rejected drafts stayed in the cache and were counted", "one"),
    "prefix-without-last": Fault(PrefixWithoutLast, "the key of a cached block forgot its last token", "twins", SIZES),
    "prefix-without-parent": Fault(PrefixWithoutParent, "the key of a cached block forgot what is before it", "parents", SIZES),
}
"""By name. Positions are relative in this class, and attention does not depend on the order of its cache."""


def _keep(cache: Any, part: slice) -> None:
    """Keep a part of the entries of each layer."""
    for layer in cache.layers:
        layer.keys, layer.values = layer.keys[:, :, part], layer.values[:, :, part]

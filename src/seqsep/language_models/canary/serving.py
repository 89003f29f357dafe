"""A small server on `transformers`: chunked reading, padded batches, a cache of prefixes, greedy decoding.

Each step is a method, so that a fault replaces one method. It serves models whose state is a cache of keys and values, a
recurrent state, or both. A cache of prefixes is for the first kind only.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from seqsep.language_models.loader.library import transformers
from seqsep.theorems.canary.vocabulary import PAD

CACHE_NAMES = {"mamba2": "cache_params"}
"""Class of models -> the name of its argument for the cache, if it has one of its own."""
KEPT = 4
"""Prompts whose blocks a cache of prefixes keeps."""


class Serving:
    """Completes prompts with a model of `transformers`.

    Arguments:
        model: a causal language model.
        chunk: tokens of a chunk, and of a block of cached prefixes.
    """

    pads_behind = False
    """True if the padding of a batch follows the prompts."""

    def __init__(self, model: Any, chunk: int = 64) -> None:
        self.model = model
        self.chunk = chunk
        self.last: Sequence[int] = ()
        self.rows = 1
        self._cache_name = CACHE_NAMES.get(model.config.model_type, "past_key_values")

    def complete(self, prompts: Sequence[Sequence[int]], count: int) -> list[list[int]]:
        """Return `count` tokens for each prompt: in a padded batch for several prompts, in chunks for one."""
        with torch.no_grad():
            answers = self._batch(prompts, count) if len(prompts) > 1 else self.in_rows(prompts, count)
        self.last = prompts[-1]
        return answers

    def not_exercised(self, scenario: str) -> str | None:
        """Return None: every scenario happens here."""
        return None

    def started(self, prompt: Sequence[int]) -> tuple[Any, int]:
        """Return the cache before a prompt, and the number of tokens that are in it."""
        return self.empty(), 0

    def empty(self) -> Any:
        """Return an empty cache."""
        return transformers().DynamicCache(config=self.model.config)

    def tokens_of_chunk(self, prompt: Sequence[int], start: int, stop: int) -> list[int]:
        """Return the tokens of a chunk."""
        return list(prompt[start:stop])

    def reading_position(self, at: int, start: int) -> int:
        """Return the position of a token of the chunk that begins at `start`."""
        return at

    def decoding_position(self, at: int, start: int) -> int:
        """Return the position of a token that was decoded after `start` tokens of the prompt."""
        return at

    def after_chunk(self, cache: Any, *, is_last: bool) -> None:
        """Do nothing after a chunk."""

    def after_prompt(self, prompt: Sequence[int], cache: Any) -> None:
        """Do nothing after a prompt."""

    def after_step(self, cache: Any, step: int, at: int) -> int:
        """Return how far the positions of the next tokens are moved after a decoded token was read at `at`."""
        return 0

    def after_batch(self, cache: Any) -> None:
        """Do nothing after the prompts of a batch."""

    def mask(self, pads: Sequence[int], longest: int, decoded: int) -> Tensor:
        """Return 0 for padding and 1 for other tokens of a batch."""
        mask = torch.ones(len(pads), longest + decoded, dtype=torch.long)
        for row, pad in zip(mask, pads, strict=True):
            row[longest - pad : longest] = 0 if self.pads_behind else 1
            row[:pad] = 1 if self.pads_behind else 0
        return mask

    def read(
        self, rows: Sequence[Sequence[int]], cache: Any, positions: Sequence[Sequence[int]], mask: Tensor | None
    ) -> Tensor:
        """Read tokens into a cache; return the logits of all of them."""
        return self.model(
            torch.tensor(rows),
            position_ids=torch.tensor(positions),
            attention_mask=mask,
            use_cache=True,
            **{self._cache_name: cache},
        ).logits

    def in_rows(self, prompts: Sequence[Sequence[int]], count: int) -> list[list[int]]:
        """Return `count` tokens for each of some prompts of one length, read in chunks."""
        self.rows = len(prompts)
        length = len(prompts[0])
        cache, start = self.started(prompts[0])
        at = start
        logits = torch.empty(0)
        while start < length:
            stop = min(length, (start // self.chunk + 1) * self.chunk)
            tokens = [self.tokens_of_chunk(prompt, start, stop) for prompt in prompts]
            positions = [self.reading_position(place, start) for place in range(at, at + len(tokens[0]))]
            logits = self.read(tokens, cache, [positions] * self.rows, self._ones(cache, len(tokens[0])))
            at += len(tokens[0])
            start = stop
            self.after_chunk(cache, is_last=stop == length)
        self.after_prompt(prompts[0], cache)
        answers = [[int(row[-1].argmax())] for row in logits]
        end = at
        while len(answers[0]) < count:
            position = self.decoding_position(at, end)
            logits = self.read([row[-1:] for row in answers], cache, [[position]] * self.rows, self._ones(cache, 1))
            at += 1 + self.after_step(cache, len(answers[0]), position)
            for row, found in zip(answers, logits, strict=True):
                row.append(int(found[-1].argmax()))
        return answers

    def _ones(self, cache: Any, count: int) -> Tensor | None:
        """Return a mask without padding, or None if the cache has no keys whose number it must match."""
        lengths = [layer.get_seq_length() for layer in cache.layers if hasattr(layer, "get_seq_length")]
        return torch.ones(self.rows, lengths[0] + count, dtype=torch.long) if lengths else None

    def _batch(self, prompts: Sequence[Sequence[int]], count: int) -> list[list[int]]:
        cache = self.empty()
        longest = max(map(len, prompts))
        pads = [longest - len(prompt) for prompt in prompts]
        padded = []
        positions = []
        ends = []
        for prompt, pad in zip(prompts, pads, strict=True):
            behind = pad if self.pads_behind else 0
            padded.append([*[PAD] * (pad - behind), *prompt, *[PAD] * behind])
            counted = [self.reading_position(place, 0) for place in range(len(prompt))]
            positions.append([*[0] * (pad - behind), *counted, *[0] * behind])
            ends.append(longest - 1 - behind)
        logits = self.read(padded, cache, positions, self.mask(pads, longest, 0))
        self.after_batch(cache)
        answers = [[int(row[end].argmax())] for row, end in zip(logits, ends, strict=True)]
        for step in range(count - 1):
            places = [[self.decoding_position(len(prompt) + step, len(prompt))] for prompt in prompts]
            logits = self.read([row[-1:] for row in answers], cache, places, self.mask(pads, longest, step + 1))
            for row, found in zip(answers, logits, strict=True):
                row.append(int(found[-1].argmax()))
        return answers


class PrefixServing(Serving):
    """Keeps the blocks of the last prompts, and begins a prompt with the blocks that it shares with them."""

    def __init__(self, model: Any, chunk: int = 64) -> None:
        super().__init__(model, chunk)
        self._prompts: list[tuple[Sequence[int], list[tuple[Tensor, Tensor]]]] = []

    def key(self, prompt: Sequence[int], block: int) -> tuple[int, ...]:
        """Return the key of a block: all tokens to its end."""
        return tuple(prompt[: (block + 1) * self.chunk])

    def started(self, prompt: Sequence[int]) -> tuple[Any, int]:
        """Return the cached blocks at the beginning of a prompt. Its last token is always read."""
        found: dict[tuple[int, ...], tuple[int, list[tuple[Tensor, Tensor]]]] = {}
        for kept, layers in self._prompts:
            found |= {self.key(kept, block): (block, layers) for block in range(len(kept) // self.chunk)}
        cache = self.empty()
        read = 0
        while read + self.chunk < len(prompt) and (hit := found.get(self.key(prompt, read // self.chunk))):
            block, layers = hit
            part = slice(block * self.chunk, (block + 1) * self.chunk)
            for number, (keys, values) in enumerate(layers):
                cache.update(keys[:, :, part], values[:, :, part], number)
            read += self.chunk
        return cache, read

    def after_prompt(self, prompt: Sequence[int], cache: Any) -> None:
        """Keep the keys and values of a prompt."""
        self._prompts = [*self._prompts[1 - KEPT :], (prompt, [(layer.keys, layer.values) for layer in cache.layers])]

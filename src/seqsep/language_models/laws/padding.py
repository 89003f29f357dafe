"""The laws of padding: tokens on the left or the right that the mask marks as none change nothing, however they are read."""

from collections.abc import Callable

import torch
from torch import Tensor

from seqsep.language_models.laws.trial import NotTried, PathDiffers, Trial


def padded_left(trial: Trial) -> None:
    """Padding on the left, marked in the mask, changes no logit, in one pass and token by token after it."""
    _require_mask(trial)
    _require_padding_unseen(trial, 0, pads_of(trial))


def padded_alone(trial: Trial) -> None:
    """Padding on the left of a single sequence changes no logit, in one pass and token by token, for one padding token or
    more.
    """
    _require_mask(trial)
    most = int(pads_of(trial).max())
    for row, pad in ((0, most), (1, 1)):
        _require_padding_unseen(trial, row, torch.tensor([pad]))


def padded_right(trial: Trial) -> None:
    """Padding on the right, marked in the mask, changes no logit before it."""
    _require_mask(trial)
    pads = pads_of(trial)
    mask = (torch.arange(trial.time)[None] < trial.time - pads[:, None]).long()
    tokens = torch.where(mask > 0, trial.tokens, trial.other_tokens)
    whole = trial.reader.whole(tokens, **trial.reader.padded(mask, trial.time))
    trial.require_same(f"{in_words(pads)} of padding on the right", whole, trial.reference, mask)


def padded_in_chunks(trial: Trial) -> None:
    """Padding on the left of a chunk of several tokens after a state changes no logit, for several sequences and for one."""
    _require_mask(trial)
    trial.require_state()
    pads = pads_of(trial)
    for first, rows in ((0, pads), (len(pads) - 1, pads[-1:])):
        tokens, mask, expected = _behind(trial, first, rows)
        for sizes in _chunkings(trial.time, int(rows.max())):
            words = f"{_shown(first, rows)}, in chunks of {', '.join(map(str, sizes))} tokens"
            path = _in_chunks(trial, tokens, mask, sizes)
            _require_either(trial, words, path, expected=expected, mask=mask)


def pads_of(trial: Trial) -> Tensor:
    """How many tokens of padding each row has: none, some, more."""
    most = max(1, trial.time // 3)
    return torch.arange(len(trial.tokens)) * most // max(1, len(trial.tokens) - 1)


def in_words(pads: Tensor) -> str:
    """The numbers of tokens of padding.

    >>> in_words(torch.tensor([0, 4]))
    '0, 4 tokens'
    """
    return f"{', '.join(map(str, pads.tolist()))} {'token' if pads.tolist() == [1] else 'tokens'}"


def _require_mask(trial: Trial) -> None:
    if not trial.reader.takes_mask:
        raise NotTried("its forward takes no attention_mask")


def _behind(trial: Trial, first: int, pads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The rows from `first` on behind padding, as many as there are `pads`: tokens, mask, and the logits without padding."""
    rows = slice(first, first + len(pads))
    times = torch.arange(trial.time)[None]
    mask = (times >= pads[:, None]).long()
    places = (times - pads[:, None]).clamp(min=0)
    tokens = torch.where(mask > 0, trial.tokens[rows].gather(1, places), trial.other_tokens[rows])
    reference = trial.reference[rows]
    return tokens, mask, reference.gather(1, places[:, :, None].expand_as(reference))


def _shown(first: int, pads: Tensor) -> str:
    alone = f"row {first} alone, " if len(pads) == 1 else ""
    return f"{alone}{in_words(pads)} of padding on the left"


def _require_padding_unseen(trial: Trial, first: int, pads: Tensor) -> None:
    """These rows behind padding, in one pass and token by token."""
    tokens, mask, expected = _behind(trial, first, pads)
    shown = _shown(first, pads)
    whole = trial.reader.whole(tokens, **trial.reader.padded(mask, trial.time))
    trial.require_same(shown, whole, expected, mask)
    if trial.reader.keeps_state:
        half = trial.time // 2
        words = f"{shown}, token by token behind {half}"
        path = _token_by_token(trial, tokens, mask)
        _require_either(trial, words, path, expected=expected, mask=mask)


Path = Callable[[bool], Tensor]
"""Gives the logits of a path, with the mask of the tokens of the state too, or without it."""


def _require_either(trial: Trial, words: str, path: Path, *, expected: Tensor, mask: Tensor) -> None:
    """What only recurs needs no mask of the tokens of its state, and may take it for one of the new tokens."""
    try:
        trial.require_same(words, path(True), expected, mask)
    except Exception as with_mask:
        try:
            trial.require_same(words, path(False), expected, mask)
        except Exception as without:
            says_where = isinstance(without, PathDiffers) and not isinstance(with_mask, PathDiffers)
            raise (without if says_where else with_mask) from None


def _token_by_token(trial: Trial, tokens: Tensor, mask: Tensor) -> Path:
    """A first half with padding in one pass, and single tokens behind it, which need no mask of their own."""
    half = trial.time // 2

    def path(masked: bool) -> Tensor:
        logits, state = trial.reader.read(tokens[:, :half], mask=mask[:, :half])
        found = [logits]
        for t in range(half, trial.time):
            logits, state = trial.reader.read(tokens[:, t : t + 1], state, mask=mask[:, : t + 1] if masked else None)
            found.append(logits)
        return torch.cat(found, 1)

    return path


def _in_chunks(trial: Trial, tokens: Tensor, mask: Tensor, sizes: list[int]) -> Path:
    """Chunks, each from the state after the earlier ones."""

    def path(masked: bool) -> Tensor:
        found = []
        state = None
        start = 0
        for size in sizes:
            end = start + size
            seen = mask[:, (0 if masked else start) : end]
            logits, state = trial.reader.read(tokens[:, start:end], state, mask=seen)
            found.append(logits)
            start = end
        return torch.cat(found, 1)

    return path


def _chunkings(time: int, pad: int) -> list[list[int]]:
    """Ways to cut in the padding: once, so that the chunk behind begins with the rest of it, and by threes."""
    first = max(1, pad // 2)
    threes = [3] * (time // 3) + ([time % 3] if time % 3 else [])
    return [[first, time - first], threes]

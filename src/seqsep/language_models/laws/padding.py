"""The laws of padding: tokens on the left or the right that the mask marks as none change nothing, however they are read."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from seqsep.language_models.laws.trial import LawTrial, NotTried, PathDiffers


def padded_left(trial: LawTrial) -> None:
    """Padding on the left, marked in the mask, changes no logit, in one pass and token by token after it."""
    require_mask(trial)
    _require_padding_unseen(trial, 0, pads_of(trial))


def padded_alone(trial: LawTrial) -> None:
    """Padding on the left of a single sequence changes no logit, in one pass and token by token, for one padding token or
    more.
    """
    require_mask(trial)
    most = int(pads_of(trial).max())
    for row, pad in ((0, most), (1, 1)):
        _require_padding_unseen(trial, row, torch.tensor([pad]))


def padded_right(trial: LawTrial) -> None:
    """Padding on the right, marked in the mask, changes no logit before it."""
    require_mask(trial)
    pads = pads_of(trial)
    mask = (torch.arange(trial.time)[None] < trial.time - pads[:, None]).long()
    tokens = torch.where(mask > 0, trial.tokens, trial.other_tokens)
    whole = trial.reader.whole(tokens, **trial.reader.padded(mask, trial.time))
    trial.require_same(f"{in_words(pads)} of padding on the right", whole, trial.reference, mask)


def padded_in_chunks(trial: LawTrial) -> None:
    """Padding on the left of a chunk of several tokens after a state changes no logit, for several sequences and for one."""
    require_mask(trial)
    trial.require_state()
    pads = pads_of(trial)
    for first, rows in ((0, pads), (len(pads) - 1, pads[-1:])):
        tokens, mask, expected = behind_padding(trial, first, rows)
        for sizes in _chunkings(trial.time, int(rows.max())):
            words = f"{_shown(first, rows)}, in chunks of {', '.join(map(str, sizes))} tokens"
            path = then_chunks(trial, tokens, mask, sizes)
            require_either(trial, words, path, expected=expected, mask=mask)


def pads_of(trial: LawTrial) -> Tensor:
    """Return the number of tokens of padding of each row: none, some, more."""
    most = max(1, trial.time // 3)
    return torch.arange(len(trial.tokens)) * most // max(1, len(trial.tokens) - 1)


def in_words(pads: Tensor) -> str:
    """Return the numbers of tokens of padding, in words.

    >>> in_words(torch.tensor([0, 4]))
    '0, 4 tokens'
    """
    return f"{', '.join(map(str, pads.tolist()))} {'token' if pads.tolist() == [1] else 'tokens'}"


def require_mask(trial: LawTrial) -> None:
    """Raise NotTried if the model takes no mask."""
    if not trial.reader.takes_mask:
        raise NotTried("its forward takes no attention_mask")


def behind_padding(trial: LawTrial, first: int, pads: Tensor, total: int | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Return the rows from `first` on after padding, one for each number in `pads`: tokens, mask, logits without padding.

    `total` is the number of tokens of a row with its padding, by default all.
    """
    rows = slice(first, first + len(pads))
    times = torch.arange(trial.time if total is None else total)[None]
    mask = (times >= pads[:, None]).long()
    places = (times - pads[:, None]).clamp(min=0)
    other = trial.other_tokens[rows, : times.shape[1]]
    tokens = torch.where(mask > 0, trial.tokens[rows].gather(1, places), other)
    reference = trial.reference[rows]
    return tokens, mask, reference.gather(1, places[:, :, None].expand(-1, -1, reference.shape[-1]))


def _shown(first: int, pads: Tensor) -> str:
    alone = f"row {first} alone, " if len(pads) == 1 else ""
    return f"{alone}{in_words(pads)} of padding on the left"


def _require_padding_unseen(trial: LawTrial, first: int, pads: Tensor) -> None:
    """Require the expected logits of these rows after padding, in one pass and token by token."""
    tokens, mask, expected = behind_padding(trial, first, pads)
    shown = _shown(first, pads)
    whole = trial.reader.whole(tokens, **trial.reader.padded(mask, trial.time))
    trial.require_same(shown, whole, expected, mask)
    if trial.reader.keeps_state:
        half = trial.time // 2
        words = f"{shown}, token by token behind {half}"
        path = then_single_tokens(trial, tokens, mask, half)
        require_either(trial, words, path, expected=expected, mask=mask)


Path = Callable[[bool], Tensor]
"""Gives the logits of a path, with the mask of the tokens of the state too, or without it."""


def require_either(
    trial: LawTrial, words: str, path: Path, *, expected: Tensor, mask: Tensor, control: Path | None = None
) -> None:
    """Require the expected logits of a path, with the mask of the tokens of the state or without it.

    A model that only recurs needs no such mask, and may take it for one of the new tokens. `control` is that of
    `LawTrial.require_as`.
    """

    def require(masked: bool) -> None:
        plain = None if control is None else partial(control, masked)
        trial.require_as(words, path(masked), expected, control=plain, places=mask)

    try:
        require(True)
    except Exception as with_mask:
        try:
            require(False)
        except Exception as without:
            says_where = isinstance(without, PathDiffers) and not isinstance(with_mask, PathDiffers)
            raise (without if says_where else with_mask) from None


def then_single_tokens(trial: LawTrial, tokens: Tensor, mask: Tensor, cut: int) -> Path:
    """Return the path that reads `cut` tokens in one pass, and single tokens after them, which need no mask of their own."""

    def path(masked: bool) -> Tensor:
        logits, state = trial.reader.read(tokens[:, :cut], mask=mask[:, :cut])
        found = [logits]
        for t in range(cut, tokens.shape[1]):
            logits, state = trial.reader.read(tokens[:, t : t + 1], state, mask=mask[:, : t + 1] if masked else None)
            found.append(logits)
        return torch.cat(found, 1)

    return path


def then_chunks(trial: LawTrial, tokens: Tensor, mask: Tensor, sizes: list[int]) -> Path:
    """Return the path that reads chunks, each from the state after the earlier ones."""

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
    """Return ways to cut in the padding: once, so that the chunk after it begins with its rest, and by threes."""
    first = max(1, pad // 2)
    threes = [3] * (time // 3) + ([time % 3] if time % 3 else [])
    return [[first, time - first], threes]

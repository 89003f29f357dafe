"""The laws of what stands beside a sequence: other rows, padding, other sequences, and the library's own `generate`."""

import torch
from torch import Tensor

from seqsep.laws.language_model.receiver import continued
from seqsep.laws.language_model.trial import NotTried, Trial
from seqsep.laws.mixer import LawFails

NEW_TOKENS = 4


def numbers_are_finite(trial: Trial) -> None:
    """No logit is NaN or infinite."""
    spoiled = ~torch.isfinite(trial.reference)
    if bool(spoiled.any()):
        token = int(spoiled.any(-1).any(0).int().argmax())
        raise LawFails(f"one pass gives NaN or an infinite logit, first at token {token}")


def causal(trial: Trial) -> None:
    """Other tokens from a position on change no logits before it."""
    for start in (1, trial.time // 2, trial.time - 1):
        changed = torch.cat([trial.tokens[:, :start], trial.other_tokens[:, start:]], 1)
        found = trial.reader.whole(changed)[:, :start]
        trial.require_same(f"other tokens from {start} on", found, trial.reference[:, :start])


def any_batch(trial: Trial) -> None:
    """Each row alone gives what it gives beside others, in one pass and token by token."""
    for row in range(len(trial.tokens)):
        alone = trial.tokens[row : row + 1]
        expected = trial.reference[row : row + 1]
        trial.require_same(f"row {row} of the batch alone", trial.reader.whole(alone), expected)
        if trial.reader.keeps_state and row == 0:
            half = trial.time // 2
            before, state = trial.reader.read(alone[:, :half])
            found = torch.cat([before, continued(trial.reader, alone[:, half:], state)], 1)
            trial.require_same(f"row {row} alone, the second half token by token", found, expected)


def other_sequences_between(trial: Trial) -> None:
    """Another sequence that the same model reads in between changes nothing: all that is remembered is in the state."""
    trial.require_state()
    half = trial.time // 2
    before, state = trial.reader.read(trial.tokens[:, :half])
    other = trial.reader.read(trial.other_tokens[:, :half])[1]
    found = [before]
    for t in range(half, trial.time):
        other = trial.reader.read(trial.other_tokens[:, t : t + 1], other)[1]
        logits, state = trial.reader.read(trial.tokens[:, t : t + 1], state)
        found.append(logits)
    trial.require_same("while the model reads another sequence too", torch.cat(found, 1), trial.reference)


def padded_left(trial: Trial) -> None:
    """Padding on the left, marked in the mask, changes nothing: in one pass, and token by token behind it."""
    _require_mask(trial)
    pads = _pads(trial)
    mask = (torch.arange(trial.time)[None] >= pads[:, None]).long()
    places = (torch.arange(trial.time)[None] - pads[:, None]).clamp(min=0)
    tokens = torch.where(mask > 0, trial.tokens.gather(1, places), trial.other_tokens)
    expected = trial.reference.gather(1, places[:, :, None].expand_as(trial.reference))
    shown = _in_words(pads)
    whole = trial.reader.whole(tokens, **trial.reader.padded(mask, trial.time))
    trial.require_same(f"{shown} of padding on the left", whole, expected, mask)
    if not trial.reader.keeps_state:
        return
    words = f"{shown} of padding on the left, token by token behind {trial.time // 2}"
    try:
        trial.require_same(words, _behind_padding(trial, tokens, mask, masked=True), expected, mask)
    except Exception as with_mask:
        try:  # what only recurs needs no mask behind the padding, and may take it for one of the new tokens
            trial.require_same(words, _behind_padding(trial, tokens, mask, masked=False), expected, mask)
        except Exception:
            raise with_mask from None


def _behind_padding(trial: Trial, tokens: Tensor, mask: Tensor, masked: bool) -> Tensor:
    """The logits of a first half with padding in one pass, and of single tokens behind it, with the mask of all or without."""
    half = trial.time // 2
    logits, state = trial.reader.read(tokens[:, :half], mask=mask[:, :half])
    found = [logits]
    for t in range(half, trial.time):
        logits, state = trial.reader.read(tokens[:, t : t + 1], state, mask=mask[:, : t + 1] if masked else None)
        found.append(logits)
    return torch.cat(found, 1)


def padded_right(trial: Trial) -> None:
    """Padding on the right, marked in the mask, changes no logits before it."""
    _require_mask(trial)
    pads = _pads(trial)
    mask = (torch.arange(trial.time)[None] < trial.time - pads[:, None]).long()
    tokens = torch.where(mask > 0, trial.tokens, trial.other_tokens)
    whole = trial.reader.whole(tokens, **trial.reader.padded(mask, trial.time))
    trial.require_same(f"{_in_words(pads)} of padding on the right", whole, trial.reference, mask)


def generated(trial: Trial) -> None:
    """`generate` with its state gives the logits of one pass over what it wrote, also behind padding on the left."""
    trial.require_state()
    if not hasattr(trial.reader.model, "generate"):
        raise NotTried("it has no generate")
    start = trial.time - NEW_TOKENS
    pads = _pads(trial)
    for words, padding in (("generate", torch.zeros_like(pads)), (f"generate behind {_in_words(pads)} of padding", pads)):
        if bool(padding.any()) and not trial.reader.takes_mask:
            continue
        mask = (torch.arange(start)[None] >= padding[:, None]).long()
        written, logits = _greedy(trial, torch.where(mask > 0, trial.tokens[:, :start], trial.other_tokens[:, :start]), mask)
        found = [
            trial.exact.whole(row[pad:][None])[:, -NEW_TOKENS:] for row, pad in zip(written, padding.tolist(), strict=True)
        ]
        trial.require_same(f"{words} (tokens counted from the first written)", logits, torch.cat(found))


def _greedy(trial: Trial, prompt: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The tokens read by the last pass, and the logits of the last passes."""
    with trial.reader.computing():
        output = trial.reader.model.generate(
            prompt,
            attention_mask=mask,
            max_new_tokens=NEW_TOKENS,
            do_sample=False,
            use_cache=True,
            output_logits=True,
            return_dict_in_generate=True,
            pad_token_id=0,
        )
    return output.sequences[:, :-1], torch.stack(list(output.logits), 1)


def _require_mask(trial: Trial) -> None:
    if not trial.reader.takes_mask:
        raise NotTried("its forward takes no attention_mask")


def _pads(trial: Trial) -> Tensor:
    """How many tokens of padding each row has: none, some, more."""
    most = max(1, trial.time // 3)
    return torch.arange(len(trial.tokens)) * most // max(1, len(trial.tokens) - 1)


def _in_words(pads: Tensor) -> str:
    return f"{', '.join(map(str, pads.tolist()))} tokens"

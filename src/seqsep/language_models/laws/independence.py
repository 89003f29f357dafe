"""The laws of independence: of other rows, of other sequences, and of the library's own `generate`."""

from typing import Any

import torch
from torch import Tensor

from seqsep.core.names import text_of
from seqsep.language_models.laws.padding import in_words, pads_of
from seqsep.language_models.laws.receiver import continued
from seqsep.language_models.laws.trial import LawTrial, NotTried
from seqsep.models.laws.mixer import LawFails

NEW_TOKENS = 4
BEAMS = 3
TIMES_OF_SCORES = 2
"""A log probability is a logit less the logarithm of a sum of exponentials, and each is off by as much as the logits."""


def numbers_are_finite(trial: LawTrial) -> None:
    """No logit is NaN or infinite, in float64 and in the tested precision."""
    for words, logits in (("one pass", trial.reference), (f"one pass in {trial.dtype}", trial.reader.whole(trial.tokens))):
        spoiled = ~torch.isfinite(logits)
        if bool(spoiled.any()):
            token = int(spoiled.any(-1).any(0).int().argmax())
            raise LawFails(f"{words} gives NaN or an infinite logit, first at token {token}")


def causal(trial: LawTrial) -> None:
    """If the tokens from a position on change, no logit before this position changes."""
    for start in (1, trial.time // 2, trial.time - 1):
        changed = torch.cat([trial.tokens[:, :start], trial.other_tokens[:, start:]], 1)
        found = trial.reader.whole(changed)[:, :start]
        trial.require_same(f"other tokens from {start} on", found, trial.reference[:, :start])


def any_batch(trial: LawTrial) -> None:
    """A sequence's logits do not depend on the other sequences in its batch, in one pass and token by token."""
    for row in range(len(trial.tokens)):
        alone = trial.tokens[row : row + 1]
        expected = trial.reference[row : row + 1]
        trial.require_same(f"row {row} of the batch alone", trial.reader.whole(alone), expected)
        if trial.reader.keeps_state and row == 0:
            half = trial.time // 2
            before, state = trial.reader.read(alone[:, :half])
            found = torch.cat([before, continued(trial.reader, alone[:, half:], state)], 1)
            trial.require_same(f"row {row} alone, the second half token by token", found, expected)


def other_sequences_between(trial: LawTrial) -> None:
    """If the model reads another sequence in between, no logit changes: it remembers tokens in the state only."""
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


def generated(trial: LawTrial) -> None:
    """`generate` with its state gives the logits of one pass over the generated text, also after padding on the left."""
    trial.require_state()
    if not hasattr(trial.reader.model, "generate"):
        raise NotTried("it has no generate")
    start = trial.time - NEW_TOKENS
    pads = pads_of(trial)
    for words, padding in (("generate", torch.zeros_like(pads)), (f"generate behind {in_words(pads)} of padding", pads)):
        if bool(padding.any()) and not trial.reader.takes_mask:
            continue
        mask = (torch.arange(start)[None] >= padding[:, None]).long()
        written, logits = _greedy(trial, torch.where(mask > 0, trial.tokens[:, :start], trial.other_tokens[:, :start]), mask)
        found = [
            trial.exact.whole(row[pad:][None])[:, -NEW_TOKENS:] for row, pad in zip(written, padding.tolist(), strict=True)
        ]
        trial.require_same(f"{words} (tokens counted from the first written)", logits, torch.cat(found))


def beams(trial: LawTrial) -> None:
    """Beam search that keeps and reorders its state gives the scores of a beam search that reads all tokens again."""
    trial.require_state()
    if not hasattr(trial.reader.model, "generate"):
        raise NotTried("it has no generate")
    prompt = trial.tokens[:, : trial.time - NEW_TOKENS]
    try:
        kept, anew = (_scores_of_beams(trial, prompt, keeps) for keeps in (True, False))
    except ValueError as error:
        if "beam search" in str(error):
            raise NotTried(text_of(error)) from error
        raise
    difference = float((kept - anew).abs().max())
    allowed = TIMES_OF_SCORES * trial.allowed.difference
    if not difference <= allowed:
        raise LawFails(
            f"beam search with its state: scores differ by {difference:.1e} from those without, allowed {allowed:.1e}"
        )


def _scores_of_beams(trial: LawTrial, prompt: Tensor, keeps_state: bool) -> Tensor:
    """Return the mean log probability of each beam's new tokens, from the best beam of each row on."""
    several: dict[str, Any] = {"num_beams": BEAMS, "num_return_sequences": BEAMS, "output_scores": True}
    output = trial.reader.generate(prompt, max_new_tokens=NEW_TOKENS, use_cache=keeps_state, **several)
    return output.sequences_scores.double()


def _greedy(trial: LawTrial, prompt: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Return the tokens read by the last pass, and the logits of the last passes."""
    output = trial.reader.generate(prompt, mask, max_new_tokens=NEW_TOKENS, use_cache=True, output_logits=True)
    return output.sequences[:, :-1], torch.stack(list(output.logits), 1)

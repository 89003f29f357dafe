"""The law of rollback: draft tokens that are read and then cut off the state leave no trace."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from seqsep.language_models.laws.reader import State
from seqsep.language_models.laws.receiver import continued
from seqsep.language_models.laws.refusals import refusals_not_tried
from seqsep.language_models.laws.trial import LawTrial, NotTried, PathDiffers

MOST_DRAFTS = 4
REFUSES = "its state refuses to be rolled back"


def rolled_back(trial: LawTrial) -> None:
    """After draft tokens were read and cut off with `crop`, the state continues as if it had never read them.

    A speculative decoder does so with each draft that the model rejects. If `crop` refuses with an error, this is not tested.
    """
    trial.require_state()
    claim = _require_crop(trial)
    half = trial.time // 2
    most = min(MOST_DRAFTS, trial.time - half)
    paths: dict[str, tuple[Callable[[LawTrial, int], Tensor], int]] = {
        f"{most} draft tokens after {half} tokens in one pass, rolled back": (_after_a_pass, most),
        f"1 draft token after {half} tokens in one pass, rolled back": (_after_a_pass, 1),
        f"{most} draft tokens after {half} single tokens, rolled back": (_after_single_tokens, most),
        f"{most - 1} draft tokens after each token from {half} on, rolled back": (_each_time, most - 1),
    }
    for words, (path, drafts) in paths.items():
        with refusals_not_tried(REFUSES):
            found = path(trial, drafts)
        control = partial(_on_copies, trial, drafts) if path is _each_time else partial(path, trial, 0)
        try:
            trial.require_as(words, found, trial.reference, control=control)
        except PathDiffers as failure:
            raise PathDiffers(f"{failure}{claim}", failure.token, failure.difference, failure.allowed) from None


def _require_crop(trial: LawTrial) -> str:
    """Return what the state claims about `crop`, to be added to a failure. Raises NotTried if it has none."""
    state = trial.reader.read(trial.tokens[:1, :2])[1]
    if not hasattr(state.value, "crop"):
        raise NotTried("its state has no crop")
    refuses = getattr(state.value, "is_croppable", True) is False
    return "; its is_croppable is False, but crop does not refuse" if refuses else ""


def _after_a_pass(trial: LawTrial, drafts: int) -> Tensor:
    """Record the past after the prompt, as a speculative decoder does with the model that it asks."""
    half = trial.time // 2
    before, state = trial.reader.read(trial.tokens[:, :half])
    trial.reader.record_past(state)
    return torch.cat([before, _continued_after_drafts(trial, state, drafts)], 1)


def _after_single_tokens(trial: LawTrial, drafts: int) -> Tensor:
    """Record the past from the first token on, as a speculative decoder does with the model that drafts."""
    first, state = trial.reader.read(trial.tokens[:, :1])
    trial.reader.record_past(state)
    found = [first]
    for t in range(1, trial.time // 2):
        logits, state = trial.reader.read(trial.tokens[:, t : t + 1], state)
        found.append(logits)
    return torch.cat([*found, _continued_after_drafts(trial, state, drafts)], 1)


def _continued_after_drafts(trial: LawTrial, state: State, drafts: int) -> Tensor:
    """Read draft tokens in one chunk, cut them off, and return the logits of the tokens that are read in place of them."""
    half = state.seen
    if drafts:
        state = trial.reader.read(trial.other_tokens[:, half : half + drafts], state)[1]
        state = trial.reader.roll_back(state, drafts)
    return continued(trial.reader, trial.tokens[:, half:], state)


def _each_time(trial: LawTrial, drafts: int) -> Tensor:
    """Read each token with drafts after it in one chunk, and cut the drafts off."""
    half = trial.time // 2
    before, state = trial.reader.read(trial.tokens[:, :half])
    trial.reader.record_past(state)
    found = [before]
    for t in range(half, trial.time):
        chunk = _with_drafts(trial, t, drafts)
        logits, state = trial.reader.read(chunk, state)
        found.append(logits[:, :1])
        state = trial.reader.roll_back(state, chunk.shape[1] - 1)
    return torch.cat(found, 1)


def _on_copies(trial: LawTrial, drafts: int) -> Tensor:
    """Read the same chunks from copies of the state, so that nothing has to be cut off."""
    half = trial.time // 2
    before, state = trial.reader.read(trial.tokens[:, :half])
    found = [before]
    for t in range(half, trial.time):
        found.append(trial.reader.read(_with_drafts(trial, t, drafts), trial.reader.copy(state))[0][:, :1])
        state = trial.reader.read(trial.tokens[:, t : t + 1], state)[1]
    return torch.cat(found, 1)


def _with_drafts(trial: LawTrial, t: int, drafts: int) -> Tensor:
    return torch.cat([trial.tokens[:, t : t + 1], trial.other_tokens[:, t + 1 : t + 1 + drafts]], 1)

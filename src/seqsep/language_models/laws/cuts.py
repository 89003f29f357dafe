"""The laws of cutting: however an input is cut, and wherever its state goes in between, the logits are those of one pass."""

import torch
from torch import Tensor

from seqsep.language_models.laws.receiver import continued
from seqsep.language_models.laws.state import size_in_bytes
from seqsep.language_models.laws.trial import LawTrial, NotTried
from seqsep.models.laws.mixer import LawFails


def token_by_token(trial: LawTrial) -> None:
    """Decoding token by token gives the logits of one pass, from the empty state and from the state after the first half."""
    trial.require_state()
    half = trial.time // 2
    behind_half, state = trial.reader.read(trial.tokens[:, :half])
    later = continued(trial.reader, trial.tokens[:, half:], state)
    words = f"token by token behind {half} tokens in one pass"
    trial.require_same(words, torch.cat([behind_half, later], 1), trial.reference)
    alone = continued(trial.reader, trial.tokens, None)
    trial.require_same("token by token from the first on", alone, trial.reference)


def in_chunks(trial: LawTrial) -> None:
    """Reading in chunks of several tokens, each from the state after the earlier ones, gives the logits of one pass."""
    trial.require_state()
    for sizes in chunkings(trial.time):
        found: list[Tensor] = []
        state = None
        start = 0
        for size in sizes:
            logits, state = trial.reader.read(trial.tokens[:, start : start + size], state)
            found.append(logits)
            start += size
        shown = ", ".join(map(str, sizes))
        trial.require_same(f"in chunks of {shown} tokens", torch.cat(found, 1), trial.reference)


def positions_counted_on(trial: LawTrial) -> None:
    """A model that is given no positions continues to count them from its state."""
    trial.require_state()
    if not trial.reader.takes_positions:
        raise NotTried("its forward takes no position_ids")
    half = trial.time // 2
    before, state = trial.reader.read(trial.tokens[:, :half], counted=False)
    found = [before]
    for t in range(half, trial.time):
        logits, state = trial.reader.read(trial.tokens[:, t : t + 1], state, counted=False)
        found.append(logits)
    words = f"without position_ids, token by token behind {half} tokens in one pass"
    trial.require_same(words, torch.cat(found, 1), trial.reference)


def chunkings(time: int) -> list[list[int]]:
    """Return ways to cut: in two halves, unevenly with single tokens between, and by threes.

    >>> chunkings(10)
    [[5, 5], [1, 3, 1, 5], [3, 3, 3, 1]]
    """
    half = time // 2
    uneven = [1, max(1, time // 3), 1]
    uneven = [*uneven, time - sum(uneven)]
    threes = [3] * (time // 3) + ([time % 3] if time % 3 else [])
    return [[half, time - half], [size for size in uneven if size > 0], threes]


def state_as_bytes(trial: LawTrial) -> None:
    """The bytes of the state's tensors are enough to continue in another process, which never saw the earlier tokens."""
    trial.require_state()
    for at in (trial.time // 2, 2, trial.time - 1):
        state = trial.reader.read(trial.tokens[:, :at])[1]
        data = trial.reader.to_bytes(state)
        try:
            found = trial.receiver.continued(trial.source, data, rest=trial.tokens[:, at:], at=at, dtype=trial.dtype)
        except ValueError as error:
            raise LawFails(f"sent as {len(data):,} bytes after {at} tokens: {error}") from error
        words = f"sent as {len(data):,} bytes after {at} tokens, continued in another process"
        whole = torch.cat([trial.reference[:, :at], found], 1)
        trial.require_same(words, whole, trial.reference)


def state_copied(trial: LawTrial) -> None:
    """A state and its copy continue independently: reading tokens from one of them does not change the other."""
    trial.require_state()
    half = trial.time // 2
    before, state = trial.reader.read(trial.tokens[:, :half])
    copy = trial.reader.copy(state)
    if size_in_bytes(copy) != size_in_bytes(state):
        raise LawFails(f"the copy of a state of {size_in_bytes(state):,} bytes has {size_in_bytes(copy):,}")
    continued(trial.reader, trial.other_tokens[:, half:], copy)
    second = trial.reader.copy(state)
    for words, one in (("the state after its copy went on otherwise", state), ("a second copy of the state", second)):
        found = continued(trial.reader, trial.tokens[:, half:], one)
        trial.require_same(words, torch.cat([before, found], 1), trial.reference)


def rows_reordered(trial: LawTrial) -> None:
    """After `reorder_cache`, which beam search calls, the state continues like the inputs in the new order."""
    trial.require_state()
    half = trial.time // 2
    before, state = trial.reader.read(trial.tokens[:, :half])
    if not hasattr(state.value, "reorder_cache"):
        raise NotTried("its state has no reorder_cache")
    order = torch.arange(len(trial.tokens)).roll(1)
    with trial.reader.computing():
        state.value.reorder_cache(order)
    found = continued(trial.reader, trial.tokens[order, half:], state)
    trial.require_same("rows of the state reordered", torch.cat([before[order], found], 1), trial.reference[order])

"""The laws of serving: sequences that join a running batch, share a prefix, or differ in whether they pass the window."""

from functools import partial

import torch
from torch import Tensor

from seqsep.language_models.laws.padding import behind_padding, require_either, require_mask, then_chunks, then_single_tokens
from seqsep.language_models.laws.reader import State
from seqsep.language_models.laws.receiver import continued
from seqsep.language_models.laws.settings import windows_of
from seqsep.language_models.laws.trial import LawTrial, NotTried
from seqsep.language_models.loader.source import all_fields


def joined(trial: LawTrial) -> None:
    """A sequence that joins a running batch gives the logits that it gives by itself, and changes none of the others.

    Its state becomes a further row of the batch's state. It has read as many tokens as the batch. If the model takes a mask, a
    shorter sequence with padding on the left is tested too.
    """
    trial.require_state()
    half = trial.time // 2
    for pad in (0, max(1, half // 2)) if trial.reader.takes_mask else (0,):
        late = torch.cat([trial.tokens[:1, :pad], trial.other_tokens[:1, : trial.time - pad]], 1)
        mask = torch.ones_like(trial.tokens)[[*range(len(trial.tokens)), 0]]
        mask[-1, :pad] = 0
        alone = trial.exact.whole(late[:, pad:])
        expected = torch.cat([trial.reference, torch.cat([torch.zeros_like(alone[:, :pad]), alone], 1)])
        batch = _Batch(trial, late, mask if pad else None)
        words = f"a sequence of {half - pad} tokens joins a batch that has read {half}"
        require_either(trial, words, batch.joined, expected=expected, mask=mask, control=batch.apart)


class _Batch:
    """A running batch and a sequence that joins it; the mask is None if the sequence has no padding."""

    def __init__(self, trial: LawTrial, late: Tensor, mask: Tensor | None) -> None:
        self.reader = trial.reader
        self.tokens = torch.cat([trial.tokens, late])
        self.mask = mask
        self.half = trial.time // 2

    def joined(self, masked: bool) -> Tensor:
        """Return the logits of all rows, which are one batch from the half on."""
        before, state = self._first(slice(0, -1))
        late, newcomer = self._first(slice(-1, None))
        state = self.reader.join(state, newcomer, (len(before), len(late)))
        return torch.cat([torch.cat([before, late]), self._then(slice(None), state, masked)], 1)

    def apart(self, masked: bool) -> Tensor:
        """Return the logits of all rows, if the sequence never joins."""
        found = []
        for rows in (slice(0, -1), slice(-1, None)):
            before, state = self._first(rows)
            found.append(torch.cat([before, self._then(rows, state, masked)], 1))
        return torch.cat(found)

    def _first(self, rows: slice) -> tuple[Tensor, State]:
        mask = None if self.mask is None or rows.start == 0 else self.mask[rows, : self.half]
        return self.reader.read(self.tokens[rows, : self.half], mask=mask)

    def _then(self, rows: slice, state: State, masked: bool) -> Tensor:
        found = []
        for t in range(self.half, self.tokens.shape[1]):
            mask = self.mask[rows, : t + 1] if masked and self.mask is not None else None
            logits, state = self.reader.read(self.tokens[rows, t : t + 1], state, mask=mask)
            found.append(logits)
        return torch.cat(found, 1)


def prefix_shared(trial: LawTrial) -> None:
    """Continuations of one prefix, each from a copy of its state and read in turn, do not change each other.

    If the state has `reorder_cache`, the continuations are also tested as the rows of one batch. For this, the state of the
    prefix is repeated, once for each row.
    """
    trial.require_state()
    half = trial.time // 2
    rows = torch.cat([trial.tokens, trial.other_tokens[:1]])
    rows[:, :half] = trial.tokens[:1, :half]
    expected = trial.exact.whole(rows)
    control = partial(_each_by_itself, trial, rows)
    words = f"{len(rows)} continuations of {half} tokens, a token of each in turn"
    trial.require_as(words, _in_turn(trial, rows), expected, control=control)
    before, state = trial.reader.read(rows[:1, :half])
    if not hasattr(state.value, "reorder_cache"):
        return
    with trial.reader.computing():
        state.value.reorder_cache(torch.zeros(len(rows), dtype=torch.long))
    found = torch.cat([before.expand(len(rows), -1, -1), continued(trial.reader, rows[:, half:], state)], 1)
    trial.require_as(f"{len(rows)} continuations of {half} tokens as rows of one batch", found, expected, control=control)


def _in_turn(trial: LawTrial, rows: Tensor) -> Tensor:
    half = trial.time // 2
    before, state = trial.reader.read(rows[:1, :half])
    states = [trial.reader.copy(state) for _ in rows[1:]] + [state]
    found = [[before] for _ in rows]
    for t in range(half, trial.time):
        for row, own in enumerate(states):
            logits, states[row] = trial.reader.read(rows[row : row + 1, t : t + 1], own)
            found[row].append(logits)
    return torch.cat([torch.cat(one, 1) for one in found])


def _each_by_itself(trial: LawTrial, rows: Tensor) -> Tensor:
    half = trial.time // 2
    found = []
    for row in rows.split(1):
        before, state = trial.reader.read(row[:, :half])
        found.append(torch.cat([before, continued(trial.reader, row[:, half:], state)], 1))
    return torch.cat(found)


def window_passed_by_one(trial: LawTrial) -> None:
    """In a batch of sequences, some longer than the window and some shorter, each gives the logits that it gives by itself.

    The shorter sequences have padding on the left.
    """
    require_mask(trial)
    windows = windows_of(all_fields(trial.source))
    if not windows:
        raise NotTried("no field of its config.json is a window")
    for window in windows:
        for total, pad, cut in cuts_at_window(trial.time, window):
            pads = torch.zeros(len(trial.tokens), dtype=torch.long)
            pads[1:] = pad
            tokens, mask, expected = behind_padding(trial, 0, pads, total)
            words = f"sequences of {total} and {total - pad} tokens, a window of {window}"
            whole = trial.reader.whole(tokens, **trial.reader.padded(mask, total))
            trial.require_same(f"{words}, in one pass", whole, expected, mask)
            if trial.reader.keeps_state:
                first = f"{words}, {cut} in one pass and then"
                single = then_single_tokens(trial, tokens, mask, cut)
                control = partial(_rows_by_themselves, trial, pads.tolist(), [cut, *[1] * (total - cut)])
                require_either(trial, f"{first} single tokens", single, expected=expected, mask=mask, control=control)
                chunk = then_chunks(trial, tokens, mask, [cut, total - cut])
                control = partial(_rows_by_themselves, trial, pads.tolist(), [cut, total - cut])
                require_either(trial, f"{first} {total - cut}", chunk, expected=expected, mask=mask, control=control)


def _rows_by_themselves(trial: LawTrial, pads: list[int], sizes: list[int], masked: bool) -> Tensor:
    """Return the logits of each row without its padding, in the same chunks except the first; padding has logits of 0."""
    found = []
    for row, pad in enumerate(pads):
        state = None
        logits = []
        for chunk in trial.tokens[row : row + 1, : sum(sizes) - pad].split([sizes[0] - pad, *sizes[1:]], 1):
            one, state = trial.reader.read(chunk, state)
            logits.append(one)
        found.append(torch.cat([torch.zeros_like(logits[0][:, :1]).expand(-1, pad, -1), *logits], 1))
    return torch.cat(found)


def cuts_at_window(time: int, window: int) -> list[tuple[int, int, int]]:
    """Return numbers of tokens of a row, of padding of the short sequences, and of tokens that are read in one pass.

    In the first the long sequence passes the window in this pass, in the second by single tokens after it. The short one never
    does.

    >>> cuts_at_window(24, 8)
    [(24, 17, 20), (12, 4, 7)]
    >>> cuts_at_window(9, 3), cuts_at_window(9, 20)
    ([(9, 7, 8), (4, 1, 2)], [])
    """
    if not 2 <= window < time:
        return []
    pad = time - window + 1
    found = [(time, pad, pad + max(1, (window - 1) // 2))]
    further = min(window // 2, window - 2, time - window)
    if further > 0:
        found.append((window + further, further, window - 1))
    return found

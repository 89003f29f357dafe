"""An adapter of `transformers`: a folder of a model, or a config.json with random weights, as an engine."""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from seqsep.core.names import BadInput, text_of
from seqsep.language_models.capacity.config import model_path
from seqsep.language_models.engines.protocol import TYPES
from seqsep.language_models.laws.reader import ModelReader, State
from seqsep.language_models.laws.receiver import OTHER_INPUT
from seqsep.language_models.laws.refusals import is_refusal
from seqsep.language_models.laws.state import joined_rows, put_back, tensors, to_bytes
from seqsep.language_models.loader.source import find_source


@dataclass
class RowState(State):
    """The state of one sequence; `seen` counts the `pad` tokens of padding that a batch has put before it."""

    pad: int = 0


class TransformersEngine:
    """A causal language model of `transformers` as an engine.

    Sequences of one batch are all new, with padding on the left of the shorter ones, or they have all read equally many tokens.

    >>> import tempfile
    >>> config = Path(tempfile.mkdtemp()) / "config.json"
    >>> sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8, "vocab_size": 32}
    >>> config.write_text(json.dumps({"model_type": "llama", **sizes})) > 0
    True
    >>> logits, state = TransformersEngine(config).prefill([3, 1, 4])
    >>> logits.shape
    torch.Size([3, 32])
    """

    def __init__(self, path: Path | str, dtype: str = TYPES[0]) -> None:
        if dtype not in TYPES:
            raise BadInput(f"dtype: expected one of {', '.join(TYPES)}, found {dtype!r}")
        self.reader = ModelReader(find_source(model_path(path), {}), getattr(torch, dtype))
        if not self.reader.keeps_state:
            raise BadInput(f"{path}: the model hands no state back with its logits")
        self.dtype = dtype
        self.vocabulary = int(self.reader.config.vocab_size)

    def prefill(self, tokens: Sequence[int]) -> tuple[Any, State]:
        """Read a new sequence in one pass."""
        return self._read(tokens, None)

    def decode(self, token: int, state: State) -> tuple[Any, State]:
        """Read one token after a state, which records what `crop` needs."""
        self._record(state)
        return self._read([token], state)

    def extend(self, tokens: Sequence[int], state: State) -> tuple[Any, State]:
        """Read several tokens after a state, which records what `crop` needs."""
        self._record(state)
        return self._read(tokens, state)

    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[State | None]) -> tuple[Any, list[State]]:
        """Read tokens of several sequences in one pass. Raises NotImplementedError for sequences that do not fit together."""
        known = [state for state in states if state is not None]
        longest = max(map(len, tokens))
        pads = [longest - len(row) for row in tokens]
        if not known:
            padded = [[0] * pad + list(row) for pad, row in zip(pads, tokens, strict=True)]
            return self._read_rows(padded, None, pads)
        if len(known) < len(states):
            raise NotImplementedError("new sequences and running ones in one batch")
        if any(pads) or len({state.seen for state in known}) > 1:
            raise NotImplementedError("running sequences of different lengths in one batch")
        for state in known:
            _drop_record(state)
        value = known[0].value
        for count, state in enumerate(known[1:], 1):
            value = joined_rows(value, state.value, (count, 1))
        together = State(value, known[0].seen)
        self._record(together)
        return self._read_rows(tokens, together, list(map(_pad_of, known)))

    def fork(self, state: State) -> State:
        """Copy a state."""
        return self.reader.copy(state)

    def save(self, state: State) -> bytes:
        """Return the numbers of tokens and of padding that were read, and the bytes of the tensors."""
        kept = self.fork(state)
        _drop_record(kept)
        return json.dumps({"seen": state.seen, "pad": _pad_of(state)}).encode() + b"\n" + to_bytes(kept)

    def load(self, data: bytes) -> State:
        """Put bytes into the tensors of a state of another input of the same length."""
        header, _, parts = data.partition(b"\n")
        counts = json.loads(header)
        state = self.reader.read(self.reader.random_tokens(1, int(counts["seen"]), OTHER_INPUT))[1]
        with torch.no_grad():
            put_back(parts, state)
        return RowState(state.value, state.seen, int(counts["pad"]))

    def crop(self, state: State, count: int) -> State:
        """Cut the last tokens off. Raises NotImplementedError if the state has no `crop`, or if it refuses."""
        if not hasattr(state.value, "crop"):
            raise NotImplementedError("its state has no crop")
        after = _or_refused(lambda: self.reader.roll_back(state, count))
        return RowState(after.value, after.seen, _pad_of(state))

    def reset(self, state: State) -> State:
        """Empty a state by its own `reset`. Raises NotImplementedError if it has none, or if it refuses."""
        if not hasattr(state.value, "reset"):
            raise NotImplementedError("its state has no reset")
        return _or_refused(lambda: self.reader.reset(state))

    def generate(self, tokens: Sequence[int], count: int) -> tuple[list[int], Any]:
        """Write tokens by the library's own loop."""
        prompt = torch.tensor([list(tokens)])
        output = self.reader.generate(prompt, max_new_tokens=count, min_new_tokens=count, output_logits=True)
        return output.sequences[0, len(tokens) :].tolist(), torch.cat(list(output.logits))

    def _record(self, state: State) -> None:
        """Let a state record the tokens that it reads next, and no others: a window would grow with each token."""
        _drop_record(state)
        self.reader.record_past(state)

    def _read(self, tokens: Sequence[int], state: State | None) -> tuple[Any, State]:
        logits, after = self._read_rows([tokens], state, [0 if state is None else _pad_of(state)])
        return logits[0], after[0]

    def _read_rows(self, tokens: Sequence[Sequence[int]], state: State | None, pads: list[int]) -> tuple[Any, list[State]]:
        """Return logits and states of sequences of one length, before which there is padding, and one state for all of them."""
        mask = None
        new = torch.tensor([list(row) for row in tokens])
        seen = 0 if state is None else state.seen
        if any(pads):
            if not self.reader.takes_mask:
                raise NotImplementedError("its forward takes no attention_mask, so sequences of one batch have one length")
            mask = (torch.arange(seen + new.shape[1])[None] >= torch.tensor(pads)[:, None]).long()
        logits, after = self.reader.read(new, state, mask=mask)
        given = [row[max(0, pad - seen) :] for row, pad in zip(logits, pads, strict=True)]
        return given, [_row(after, index, pads) for index in range(len(pads))]


def _drop_record(state: State) -> None:
    """Cut a state that records its past back to what the next token needs. It can be rolled back no longer."""
    recording = getattr(state.value, "is_recording_past", None)
    if recording is not None and any(map(recording, range(len(state.value.layers)))):
        state.value.crop(0)


def _pad_of(state: State) -> int:
    return state.pad if isinstance(state, RowState) else 0


def _row(state: State, index: int, pads: list[int]) -> RowState:
    """Return the state of one sequence of a batch: a copy in which each tensor with a row for each sequence has one row."""
    if len(pads) == 1:
        return RowState(state.value, state.seen, pads[0])
    value = deepcopy(state.value)
    for part in tensors(value):
        if part.dim() and len(part) == len(pads):
            part.data = part[index : index + 1].clone()
    return RowState(value, state.seen, pads[index])


def _or_refused(call: Callable[[], State]) -> State:
    try:
        return call()
    except Exception as error:
        if is_refusal(error):
            raise NotImplementedError(text_of(error)) from error
        raise

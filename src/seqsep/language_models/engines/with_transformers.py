"""An adapter of `transformers`: a folder of a model, or a config.json with random weights, as an engine."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from seqsep.core.names import BadInput, text_of
from seqsep.language_models.engines.protocol import TYPES
from seqsep.language_models.laws.reader import ModelReader, State
from seqsep.language_models.laws.receiver import OTHER_INPUT
from seqsep.language_models.laws.refusals import is_refusal
from seqsep.language_models.laws.state import put_back, to_bytes
from seqsep.language_models.loader.source import find_source


class TransformersEngine:
    """A causal language model of `transformers` as an engine, one sequence a call.

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
        self.reader = ModelReader(find_source(path, {}), getattr(torch, dtype))
        if not self.reader.keeps_state:
            raise BadInput(f"{path}: the model hands no state back with its logits")
        self.dtype = dtype
        self.vocabulary = int(self.reader.config.vocab_size)

    def prefill(self, tokens: Sequence[int]) -> tuple[Any, State]:
        """Read a new sequence in one pass."""
        return self._read(tokens, None)

    def decode(self, token: int, state: State) -> tuple[Any, State]:
        """Read one token after a state."""
        return self._read([token], state)

    def extend(self, tokens: Sequence[int], state: State) -> tuple[Any, State]:
        """Read several tokens after a state, which records what `crop` needs."""
        self.reader.record_past(state)
        return self._read(tokens, state)

    def fork(self, state: State) -> State:
        """Copy a state."""
        return self.reader.copy(state)

    def save(self, state: State) -> bytes:
        """Return the number of tokens that were read, and the bytes of the tensors."""
        return json.dumps({"seen": state.seen}).encode() + b"\n" + to_bytes(state)

    def load(self, data: bytes) -> State:
        """Put bytes into the tensors of a state of another input of the same length."""
        header, _, tensors = data.partition(b"\n")
        seen = int(json.loads(header)["seen"])
        state = self.reader.read(self.reader.random_tokens(1, seen, OTHER_INPUT))[1]
        with torch.no_grad():
            put_back(tensors, state)
        return state

    def crop(self, state: State, count: int) -> State:
        """Cut the last tokens off. Raises NotImplementedError if the state has no `crop`, or if it refuses."""
        if not hasattr(state.value, "crop"):
            raise NotImplementedError("its state has no crop")
        return _or_refused(lambda: self.reader.roll_back(state, count))

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

    def _read(self, tokens: Sequence[int], state: State | None) -> tuple[Any, State]:
        logits, after = self.reader.read(torch.tensor([list(tokens)]), state)
        return logits[0], after


def _or_refused(call: Callable[[], State]) -> State:
    try:
        return call()
    except Exception as error:
        if is_refusal(error):
            raise NotImplementedError(text_of(error)) from error
        raise

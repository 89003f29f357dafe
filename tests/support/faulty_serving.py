"""Readers that go wrong when a state is rolled back, reset, shared or joined, one fault for each law of serving."""

from typing import Any

import torch
from torch import Tensor

from pages._serving_laws import OF_SERVING
from seqsep.language_models.laws.reader import ModelReader, State
from seqsep.language_models.laws.settings import windows_of
from seqsep.language_models.laws.state import tensors
from seqsep.language_models.loader.source import all_fields

FAULTS = {law: fault for law, (_, fault) in OF_SERVING.items()}
"""By the law that catches the fault."""
TYPES = {
    "rolled back": "llama gpt2 mistral lfm2 gemma2",
    "reset": "llama mistral lfm2 qwen3_next bamba",
    "reused": "llama mistral lfm2 qwen3_next bamba",
    "static": "llama mistral lfm2 qwen3_next bamba",
    "joined": "llama mistral lfm2 qwen3_next mamba2",
    "prefix shared": "llama mistral lfm2 qwen3_next mamba2",
    "window passed by one": "mistral gemma2 cohere2 ministral llama4_text",
    "packed": "llama gpt2 mistral gemma2 olmo2",
}
"""Five types for each law; the long check has all types on which the law holds."""


class FaultyServing(ModelReader):
    """A healthy reader with the fault of FAULTS that belongs to a law."""

    def __init__(self, healthy: ModelReader, law: str) -> None:
        vars(self).update(vars(healthy))
        self.law = law
        self.last: State | None = None

    def whole(self, tokens: Tensor, **further: Any) -> Tensor:
        if self.law == "packed" and "position_ids" in further and "attention_mask" not in further:
            further["attention_mask"] = torch.ones_like(tokens)
        return super().whole(tokens, **further)

    def read(
        self, tokens: Tensor, state: State | None = None, mask: Tensor | None = None, counted: bool = True
    ) -> tuple[Tensor, State]:
        logits, after = super().read(tokens, state, mask=mask, counted=counted)
        if self.law == "static" and state is not None and type(state.value).__name__ == "StaticCache":
            write_twice(after)
        if self.law == "prefix shared" and state is not None:
            if self.last is not None and self.last.seen == after.seen and self.last.value is not after.value:
                copy_newest(after, self.last)
            self.last = after
        return logits, after

    def padded(self, mask: Tensor | None, last: int) -> dict[str, Tensor]:
        if self.law == "window passed by one" and mask is not None:
            window = windows_of(all_fields(self.source))[0]
            lengths = mask.sum(1)
            if bool((lengths < window).any()) and bool((lengths > window).any()):
                mask = torch.where((mask.cumsum(1) == 1) & (lengths[:, None] < window), 0, mask)
        return super().padded(mask, last)

    def roll_back(self, state: State, count: int) -> State:
        if self.law != "rolled back":
            return super().roll_back(state, count)
        return State(super().roll_back(state, count - 1).value, state.seen - count)

    def reset(self, state: State) -> State:
        if self.law != "reset":
            return super().reset(state)
        for part in tensors(state.value)[1:]:
            part.zero_()
        return State(state.value, 0)

    def generate(self, prompt: Tensor, mask: Tensor | None = None, **options: Any) -> Any:
        output = super().generate(prompt, mask, **options)
        if self.law == "reused":
            tensors(getattr(output, self.name))[0][..., -1, :] = 0
        return output

    def join(self, state: State, newcomer: State, rows: tuple[int, int]) -> State:
        whole = super().join(state, newcomer, rows)
        if self.law == "joined":
            first = tensors(whole.value)[0]
            first[-1] = first[0]
        return whole


def write_twice(state: State) -> None:
    """The newest token of the first layer with keys is that before it."""
    layer = next(layer for layer in state.value.layers if getattr(layer, "keys", None) is not None)
    newest = min(state.seen, layer.keys.shape[2]) - 1
    layer.keys[:, :, newest] = layer.keys[:, :, newest - 1]


def copy_newest(after: State, other: State) -> None:
    """The newest part of the first tensor of another state is that of this one."""
    ours, theirs = tensors(after.value)[0], tensors(other.value)[0]
    theirs[..., -1, :] = ours[..., -1, :]

"""Readers that go wrong with the state of a healthy model, each in one way that a real implementation could."""

from typing import Any

import torch
from torch import Tensor

from seqsep.language_models.laws.reader import ModelReader, State
from seqsep.language_models.laws.state import tensors

FAMILIES: dict[str, dict[str, Any]] = {
    "mamba2": {
        "hidden_size": 32,
        "num_heads": 4,
        "head_dim": 16,
        "state_size": 4,
        "n_groups": 1,
        "num_hidden_layers": 2,
        "vocab_size": 64,
        "chunk_size": 5,
        "rms_norm": True,
    },
    "qwen3_next": {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "layer_types": ["linear_attention", "full_attention"],
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 16,
        "vocab_size": 64,
        "intermediate_size": 32,
        "moe_intermediate_size": 16,
        "shared_expert_intermediate_size": 16,
        "num_experts": 2,
        "num_experts_per_tok": 1,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 2,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
    },
    "mistral": {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 16,
        "vocab_size": 64,
        "intermediate_size": 32,
        "sliding_window": 6,
    },
}
"""A recurrent model, a hybrid, and attention with windows."""
KINDS_OF_FAULTS = (
    "stale state",
    "state of the wrong position",
    "zeroed convolution window",
    "off by one at a chunk's border",
    "padding written into the state",
    "padding of one sequence written into the state",
    "padding of a chunk written into the state",
    "two sequences swapped",
)


class FaultyReader(ModelReader):
    """A healthy reader with one of KINDS_OF_FAULTS."""

    def __init__(self, healthy: ModelReader, fault: str) -> None:
        vars(self).update(vars(healthy))
        self.fault = fault

    def read(
        self, tokens: Tensor, state: State | None = None, mask: Tensor | None = None, counted: bool = True
    ) -> tuple[Tensor, State]:
        further: dict[str, Any] = {"mask": mask, "counted": counted}
        count = tokens.shape[1]
        if mask is not None and self._sees_padding(len(tokens), count, state):
            further["mask"] = torch.ones_like(mask)
        if self.fault == "off by one at a chunk's border" and state is not None and count > 1 and mask is None:
            return self._first_token_twice(tokens, state)
        if self.fault == "two sequences swapped" and state is not None and len(tokens) > 1:
            for part in tensors(state):
                part[:2] = part[:2].flip(0)
        before = self.copy(state) if state is not None else None
        logits, after = super().read(tokens, state, **further)
        if self.fault == "stale state" and before is not None:
            keep_last(before, after)
        if self.fault == "state of the wrong position" and state is None and count > 1 and mask is None:
            after = State(super().read(tokens[:, :-1])[1].value, after.seen)
        if self.fault == "zeroed convolution window" and state is None and count > 1:
            zero_window(after)
        return logits, after

    def _sees_padding(self, sequences: int, count: int, state: State | None) -> bool:
        """Return True if this call takes padding for tokens."""
        return (
            self.fault == "padding written into the state"
            or (self.fault == "padding of one sequence written into the state" and sequences == 1)
            or (self.fault == "padding of a chunk written into the state" and state is not None and count > 1)
        )

    def _first_token_twice(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        first, state = super().read(tokens[:, :1], state)
        state = super().read(tokens[:, :1], State(state.value, state.seen - 1))[1]
        rest, state = super().read(tokens[:, 1:], state)
        return torch.cat([first, rest], 1), state


def keep_last(before: State, after: State) -> None:
    """The first tensor is not written: a fixed one is as it was, a growing one has its last entry twice."""
    old, new = tensors(before)[0], tensors(after)[0]
    if old.shape == new.shape:
        new.copy_(old)
    else:
        new[:, :, -1] = new[:, :, -2]


def zero_window(state: State) -> None:
    """The columns of the first convolution are 0, or the newest keys and values of the first window."""
    layer = state.value.layers[0]
    window = getattr(layer, "conv_states", None)
    if window is None:
        layer.keys[:, :, -2:] = 0
        layer.values[:, :, -2:] = 0
        return
    for part in tensors(window):
        part.zero_()

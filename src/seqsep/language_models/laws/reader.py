"""A model that reads tokens into its state, whatever the library calls the state and wherever it keeps it."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from seqsep.language_models.laws.double import in_float64
from seqsep.language_models.laws.source import Source, built, transformers
from seqsep.language_models.laws.state import tensors

NAMES_OF_A_STATE = ("cache", "past_key_values", "cache_params", "state", "rnn_state")
"""Of argument and output, newest first: transformers 5.24 has `cache`, and its Mamba drops `cache_params` in silence."""
NAMES_OF_A_CACHE = ("cache", "past_key_values")
"""Of the argument that takes the library's own cache, to be filled."""
Tokens = Int64[Tensor, "batch time"]
Logits = Float[Tensor, "batch time vocabulary"]


@torch.no_grad()
def copy_parameters(from_model: torch.nn.Module, to_model: torch.nn.Module) -> None:
    """Give one model the weights of another. Raises ValueError if it has others; constants that follow from fields are left."""
    weights = dict(from_model.named_parameters())
    for name, weight in to_model.named_parameters():
        if name not in weights or weights[name].shape != weight.shape:
            raise ValueError(f"{name}: expected a weight of shape {tuple(weight.shape)}")
        weight.copy_(weights[name])


@dataclass
class State:
    """What a model hands back to be given with the next tokens, and after how many tokens that was."""

    value: Any
    seen: int


class Reader:
    """A model in one precision.

    `read` takes tokens behind a state and gives their logits and the state after them; the state that it is given is used up.
    A model that hands no state back with its logits is given the library's cache to fill; `keeps_state` is False if it does
    not.
    """

    def __init__(self, source: Source, dtype: torch.dtype = torch.float64) -> None:
        self.source = source
        self.dtype = dtype
        self.model = built(source, dtype)
        if dtype != torch.float64 and source.folder is None:
            copy_parameters(built(source), self.model)
        self.config = self.model.config.get_text_config()
        takes = inspect.signature(self.model.forward).parameters
        self.takes_positions = "position_ids" in takes
        self.takes_mask = "attention_mask" in takes
        self.name = ""
        self.is_filled = False
        self._find_state()

    @property
    def keeps_state(self) -> bool:
        """Whether a state comes back with the logits, or in a cache that the model is given."""
        return bool(self.name)

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Without gradients, and in float64 throughout if that is the precision."""
        with torch.no_grad(), in_float64() if self.dtype == torch.float64 else nullcontext():
            yield

    def whole(self, tokens: Tokens, **further: Any) -> Logits:
        """The logits of every position in one pass that keeps nothing."""
        with self.computing():
            return self._logits(self.model(tokens, use_cache=False, **further))

    def read(
        self, tokens: Tokens, state: State | None = None, mask: Tensor | None = None, counted: bool = True
    ) -> tuple[Logits, State]:
        """The logits of tokens that stand behind the state, and the state after them.

        `mask` has a 1 for each token of the state and of `tokens`, and a 0 for padding. A model that takes positions is given
        them, as `generate` does, unless not `counted`: it then has to count on from its state.
        """
        seen = 0 if state is None else state.seen
        given = self.padded(mask, tokens.shape[1])
        if mask is None and counted and self.takes_positions:
            given["position_ids"] = torch.arange(seen, seen + tokens.shape[1])[None].expand(len(tokens), -1)
        value = None if state is None else state.value
        if value is None and self.is_filled:
            value = transformers().DynamicCache(config=self.config)
        if value is not None:
            given[self.name] = value
        with self.computing():
            output = self.model(tokens, use_cache=True, **given)
        after = value if self.is_filled else getattr(output, self.name)
        return self._logits(output), State(after, seen + tokens.shape[1])

    def padded(self, mask: Tensor | None, last: int) -> dict[str, Tensor]:
        """The mask, and the positions of the last tokens as `generate` counts them: padding has none."""
        if mask is None:
            return {}
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -last:]
        return {"attention_mask": mask} | ({"position_ids": positions} if self.takes_positions else {})

    def copy(self, state: State) -> State:
        """Another state with the same tensors."""
        return deepcopy(state)

    def random_tokens(self, batch: int, time: int, seed: int) -> Tokens:
        """Tokens of the vocabulary that are no special ones."""
        ends = [value for name, value in self.config.to_dict().items() if name.endswith("_token_id")]
        special = {token for end in ends for token in (end if isinstance(end, list) else [end])}
        vocabulary = int(self.config.vocab_size)
        usual = [token for token in range(vocabulary) if token not in special] or list(range(vocabulary))
        drawn = torch.randint(len(usual), (batch, time), generator=torch.Generator().manual_seed(seed))
        return torch.tensor(usual)[drawn]

    def _logits(self, output: Any) -> Logits:
        """The logits, or what the last layer gives in a model without a head."""
        logits = getattr(output, "logits", None)
        return output.last_hidden_state if logits is None else logits

    def _find_state(self) -> None:
        tokens = self.random_tokens(1, 2, 0)
        takes = inspect.signature(self.model.forward).parameters
        with self.computing():
            output = self.model(tokens, use_cache=True)
            names = [name for name in NAMES_OF_A_STATE if name in takes]
            self.name = next((name for name in names if getattr(output, name, None) is not None), "")
            filled = next((name for name in NAMES_OF_A_CACHE if name in takes), "")
            if self.name or not filled:
                return
            cache = transformers().DynamicCache(config=self.config)
            self.model(tokens, use_cache=True, **{filled: cache})
        if tensors(cache):
            self.name = filled
            self.is_filled = True

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

from seqsep.core.names import BadInput, text_of
from seqsep.language_models.laws.state import joined_rows, tensors, to_bytes
from seqsep.language_models.loader.double import in_float64
from seqsep.language_models.loader.library import transformers
from seqsep.language_models.loader.source import ModelSource
from seqsep.language_models.loader.weights import built

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
    """The object that a model returns and gets again with the next tokens, and the number of tokens before that."""

    value: Any
    seen: int


class ModelReader:
    """A model in one precision.

    `read` takes tokens after a state and gives their logits and the state after them; the state that it is given is used up.
    A model that hands no state back with its logits is given the library's cache to fill; `keeps_state` is False if it does
    not.
    """

    def __init__(self, source: ModelSource, dtype: torch.dtype = torch.float64) -> None:
        self.source = source
        self.dtype = dtype
        self.model = built(source, dtype)
        if dtype != torch.float64 and source.folder is None:
            copy_parameters(built(source), self.model)
        self.config = self.model.config.get_text_config()
        takes = inspect.signature(self.model.forward).parameters
        self.takes_positions = "position_ids" in takes
        self.takes_mask = "attention_mask" in takes
        self.takes_marks = True
        self.name = ""
        self.is_filled = False
        try:
            self._find_state()
        except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as error:  # of the library
            raise BadInput(f"{source.where}: transformers cannot run it: {text_of(error)}") from error

    @property
    def keeps_state(self) -> bool:
        """True if a state is returned with the logits, or in a cache that the model is given."""
        return bool(self.name)

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Run the body without gradients, and in float64 throughout if that is the precision."""
        with torch.no_grad(), in_float64() if self.dtype == torch.float64 else nullcontext():
            yield

    def whole(self, tokens: Tokens, **further: Any) -> Logits:
        """Return the logits of every position in one pass that keeps nothing."""
        with self.computing():
            return self._logits(self.model(tokens, use_cache=False, **further))

    def read(
        self, tokens: Tokens, state: State | None = None, mask: Tensor | None = None, counted: bool = True
    ) -> tuple[Logits, State]:
        """Return the logits of tokens that follow the state, and the state after them.

        `mask` has a 1 for each token of the state and of `tokens`, and a 0 for padding. A model that takes positions is given
        them, as `generate` does, unless not `counted`: it then has to count on from its state.
        """
        seen = 0 if state is None else state.seen
        given = self.padded(mask, tokens.shape[1])
        if mask is None and counted and self.takes_positions:
            given["position_ids"] = torch.arange(seen, seen + tokens.shape[1])[None].expand(len(tokens), -1)
        value = None if state is None else state.value
        if value is None and self.is_filled:
            value = self.growing().value
        if value is not None:
            given[self.name] = value
        with self.computing():
            output = self.model(tokens, use_cache=True, **given)
        after = value if self.is_filled else getattr(output, self.name)
        return self._logits(output), State(after, seen + tokens.shape[1])

    def generate(self, prompt: Tokens, mask: Tensor | None = None, **options: Any) -> Any:
        """Return what the library's `generate` returns, without random draws."""
        masks = torch.ones_like(prompt) if mask is None else mask
        fixed = {"do_sample": False, "return_dict_in_generate": True, "pad_token_id": 0}
        with self.computing():
            return self.model.generate(prompt, attention_mask=masks, **fixed, **options)

    def padded(self, mask: Tensor | None, last: int) -> dict[str, Tensor]:
        """Return the mask, and the positions of the last tokens as `generate` counts them: padding has none."""
        if mask is None:
            return {}
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -last:]
        return {"attention_mask": mask} | ({"position_ids": positions} if self.takes_positions else {})

    def copy(self, state: State) -> State:
        """Return another state with the same tensors."""
        return deepcopy(state)

    def to_bytes(self, state: State) -> bytes:
        """Return the bytes of the state's tensors."""
        return to_bytes(state)

    def record_past(self, state: State) -> None:
        """Ask the state to keep what `roll_back` needs, if it takes such a request."""
        ask = getattr(state.value, "activate_past_recording", None)
        if ask is not None:
            ask()

    def roll_back(self, state: State, count: int) -> State:
        """Cut the last `count` tokens off the state, as a speculative decoder does with tokens that it refuses."""
        with self.computing():
            state.value.crop(-count)
        return State(state.value, state.seen - count)

    def reset(self, state: State) -> State:
        """Empty the state by its own `reset`."""
        with self.computing():
            state.value.reset()
        return State(state.value, 0)

    def takes_cache(self, state: State) -> bool:
        """Return True if the state is a cache of the library, so that the model may take another kind of its caches."""
        is_its_own = type(state.value).__module__.startswith("transformers.")
        return is_its_own and isinstance(state.value, transformers().Cache)

    def growing(self) -> State:
        """Return an empty cache of the library that grows with the tokens, as far as the layers keep them."""
        return State(transformers().DynamicCache(config=self.config), 0)

    def static(self, length: int) -> State:
        """Return an empty static cache of the library with place for `length` tokens."""
        return State(transformers().StaticCache(config=self.config, max_cache_len=length), 0)

    def join(self, state: State, newcomer: State, rows: tuple[int, int]) -> State:
        """Return a state with the rows of both, which are as many as `rows` says."""
        return State(joined_rows(state.value, newcomer.value, rows), state.seen)

    def random_tokens(self, batch: int, time: int, seed: int) -> Tokens:
        """Return random tokens of the vocabulary, without special ones."""
        ends = [value for name, value in self.config.to_dict().items() if name.endswith("_token_id")]
        special = {token for end in ends for token in (end if isinstance(end, list) else [end])}
        vocabulary = int(self.config.vocab_size)
        usual = [token for token in range(vocabulary) if token not in special] or list(range(vocabulary))
        drawn = torch.randint(len(usual), (batch, time), generator=torch.Generator().manual_seed(seed))
        return torch.tensor(usual)[drawn]

    def _logits(self, output: Any) -> Logits:
        """Return the logits, or the output of the last layer in a model without a head."""
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

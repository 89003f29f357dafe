"""A user's whole model, FILE.py:CLASS, wherever a `Model` is taken.

It is a module built as `MyModel(vocabulary, classes, longest, width)`, from tokens to logits at every position; `heads` is
passed only if its signature names it.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from seqsep.models.mixers import Block, Mixer, State, state_bits
from seqsep.models.model import Model, ModelState
from seqsep.models.plugins.layer import UserLayer, checked_in, construct, grows_of
from seqsep.models.plugins.load import load
from seqsep.models.plugins.name import PlugIn, is_canonical, names_a_file

OPTIONAL = ("prefill",)
"""Methods that a user's module may define besides `start` and `step`."""


class UserModel(PlugIn):
    """A user's complete model; it is the only entry among the layers of a run."""

    PREFIX: ClassVar[str] = "model:"

    def build(self, vocabulary: int, classes: int, longest: int, width: int, heads: int) -> "WholeModel":
        """Return a fresh model. Raises PlugInFails if the file does not load, or the class is not built like that."""
        own_class = load(self)
        grows_of(own_class, self.words)
        checked_in(own_class, self.words)
        module = construct(own_class, self, values=(vocabulary, classes, longest, width), further={"heads": heads})
        return WholeModel(module, self.words)

    def as_mixer(
        self, vocabulary: int, classes: int, longest: int, width: int, heads: int
    ) -> tuple[Callable[[int], Mixer], int]:
        """Return the subject of the laws of a mixer: a fresh model seen as a layer, and its classes in the place of a width."""

        def make(_: int) -> Mixer:
            return Logits(self.build(vocabulary, classes, longest, width=width, heads=heads), vocabulary)

        return make, classes


class WholeModel(Model):
    """A module with `forward(tokens: "batch time") -> logits: "batch time classes"`, as a model.

    If the module has `start(batch)` and `step(tokens: "batch", state, t) -> logits, state`, these give its state (one tensor
    or a tuple of tensors; `grows = True` on the class if it grows). Else its state is the tokens themselves, as int64, and
    every step runs `forward` over all of them.

    A module with these two methods may also have `prefill(tokens: "batch time", state, t) -> state`, which is called in place
    of repeated steps.
    """

    def __init__(self, module: nn.Module, name: str = "model") -> None:
        nn.Module.__init__(self)
        self.module: Any = module
        self.name = name
        self.blocks = nn.ModuleList()
        self.positions = None
        self.has_bare_state: bool | None = None  # whether the module's state is one tensor without a tuple around it
        self.steps = all(callable(getattr(module, method, None)) for method in ("start", "step"))
        self.called: set[str] = set()  # the optional methods of the module that were called

    def forward(self, inputs: Tensor, at: Tensor | None = None) -> Tensor:
        """Return the logits at every position, or at one position per example."""
        logits = self.module(inputs)
        return logits if at is None else logits[torch.arange(len(inputs), device=inputs.device), at]

    def start(self, batch: int) -> ModelState:
        """Return the state before the first token, as that of one block."""
        if not self.steps:
            return ((torch.zeros(batch, 0, dtype=torch.int64),),)
        return (_parts(self.module.start(batch)),)

    def step(self, inputs: Tensor, state: ModelState, t: int) -> tuple[Tensor, ModelState]:
        """Return the logits after the token at time t, and the state after it."""
        if not self.steps:
            tokens = torch.cat([state[0][0], inputs[:, None]], dim=1)
            return self.module(tokens)[:, -1], ((tokens,),)
        logits, after = self.module.step(inputs, self._as_given(state), t)
        return logits, (_parts(after),)

    def advance(self, inputs: Tensor, state: ModelState, t: int) -> tuple[Tensor, ModelState]:
        """Return what `step` returns: a user's module decides what it does with a state."""
        return self.step(inputs, state, t)

    def prefill(self, inputs: Tensor, state: ModelState | None = None, t: int = 0) -> ModelState:
        """Return the state after all tokens."""
        state = self.start(len(inputs)) if state is None else state
        own = self.own("prefill")
        if own is not None:
            self.called.add("prefill")
            return (_parts(own(inputs, self._as_given(state), t)),)
        for offset in range(inputs.shape[1]):
            state = self.step(inputs[:, offset], state, t + offset)[1]
        return state

    def own(self, name: str) -> Callable[..., Any] | None:
        """Return an optional method that the user's module defines; None if it does not, or if no method returns its state."""
        method = getattr(self.module, name, None)
        return method if name in OPTIONAL and self.steps and callable(method) else None

    def step_output(self, inputs: Tensor, state: ModelState, t: int) -> Tensor:
        """Return the logits for many tokens, each read from the same state (of batch 1) as if it were the only next one."""
        shared = tuple(part.expand(len(inputs), *part.shape[1:]) for part in state[0])
        return self.step(inputs, (shared,), t)[0]

    @torch.no_grad()
    def state_bits(self) -> tuple[int, int]:
        """Return (fixed, per token) bits of one example's state, counted from tensors."""
        start = self.start(1)[0]
        fixed = state_bits(start)
        if self.steps and not getattr(self.module, "grows", False):
            return fixed, 0
        after = self.step(torch.zeros(1, dtype=torch.int64), (start,), 0)[1][0]
        return fixed, state_bits(after) - fixed

    def _as_given(self, state: ModelState) -> Any:
        """Return a state as the user's methods take it: a tensor, or a tuple of tensors."""
        if self.has_bare_state is None:
            self.has_bare_state = isinstance(self.module.start(1), Tensor)
        return state[0][0] if self.has_bare_state else state[0]


class Logits(Mixer):
    """A whole model seen as a layer, so that the laws of layers hold for its logits.

    A token is the first coordinate, in steps of 1/1000, modulo the vocabulary.
    """

    name = "logits"
    block = Block(norm="none", residual=False)

    def __init__(self, model: WholeModel, vocabulary: int) -> None:
        super().__init__()
        self.model = model
        self.vocabulary = vocabulary
        self.grows = not model.steps or bool(getattr(model.module, "grows", False))  # type: ignore[misc]

    def _tokens(self, x: Tensor) -> Tensor:
        return (x[..., 0] * 1000).long() % self.vocabulary

    def forward(self, x: Tensor) -> Tensor:
        return self.model(self._tokens(x))

    def start(self, batch: int) -> State:
        return self.model.start(batch)[0]

    def step(self, x: Tensor, state: State, t: int) -> tuple[Tensor, State]:
        logits, (after,) = self.model.step(self._tokens(x), (state,), t)
        return logits, after

    def prefill(self, x: Tensor, state: State, t: int) -> State:
        return self.model.prefill(self._tokens(x), (state,), t)[0]

    def own(self, name: str) -> Callable[..., Any] | None:
        """Return an optional method that the user's module defines; None if it does not."""
        return self.model.own(name)

    @property
    def called(self) -> set[str]:
        """The optional methods of the module that were called."""
        return self.model.called


def _parts(state: Tensor | State) -> State:
    return (state,) if isinstance(state, Tensor) else tuple(state)


def parse_layer(text: str) -> UserLayer | UserModel:
    """Return the user's layer of FILE.py:CLASS, or the complete model of model:FILE.py:CLASS.

    Raises ValueError and FileNotFoundError as `PlugIn.parse` does.
    """
    return UserModel.parse(text) if text.startswith(UserModel.PREFIX) else UserLayer.parse(text)


def restore_layer(text: Any, files: Mapping[str, str]) -> str | UserLayer | UserModel:
    """Return the layer that a run's configuration names; the name of a mixer is returned unchanged.

    `files` are those of `PlugIn.restore`. Raises ValueError for a value that is not a text, and for the name of a file: a row
    may come from anybody, and what it names is neither opened nor run.
    """
    if not isinstance(text, str):
        raise ValueError(f"layers: expected the names of mixers, found {text!r:.60}")
    if names_a_file(text):
        raise ValueError(f"expected the name of a mixer, or CLASS@SHA-256 of a user's class, found {text!r:.60}")
    if not is_canonical(text):
        return text
    kind = UserModel if text.startswith(UserModel.PREFIX) else UserLayer
    return kind.restore(text, files)

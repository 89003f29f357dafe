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


class UserModel(PlugIn):
    """A user's whole model; it stands alone among the layers of a run."""

    PREFIX: ClassVar[str] = "model:"

    def build(self, vocabulary: int, classes: int, longest: int, width: int, heads: int) -> "WholeModel":
        """A fresh model. Raises PlugInFails if the file does not load, or the class is not built like that."""
        own_class = load(self)
        grows_of(own_class, self.words)
        checked_in(own_class, self.words)
        module = construct(own_class, self, values=(vocabulary, classes, longest, width), further={"heads": heads})
        return WholeModel(module, self.words)

    def as_mixer(
        self, vocabulary: int, classes: int, longest: int, width: int, heads: int
    ) -> tuple[Callable[[int], Mixer], int]:
        """What the laws of a mixer are tried on: a fresh model seen as a layer, and its classes in the place of a width."""

        def make(_: int) -> Mixer:
            return Logits(self.build(vocabulary, classes, longest, width=width, heads=heads), vocabulary)

        return make, classes


class WholeModel(Model):
    """A module with `forward(tokens: "batch time") -> logits: "batch time classes"`, as a model.

    If the module has `start(batch)` and `step(tokens: "batch", state, t) -> logits, state`, these give its state (one tensor
    or a tuple of tensors; `grows = True` on the class if it grows). Else its state is the tokens themselves, as int64, and
    every step runs `forward` over all of them.
    """

    def __init__(self, module: nn.Module, name: str = "model") -> None:
        nn.Module.__init__(self)
        self.module: Any = module
        self.name = name
        self.blocks = nn.ModuleList()
        self.positions = None
        self.has_bare_state: bool | None = None  # whether the module's state is one tensor without a tuple around it
        self.steps = all(callable(getattr(module, method, None)) for method in ("start", "step"))

    def forward(self, inputs: Tensor, at: Tensor | None = None) -> Tensor:
        """Logits at every position, or at one position per example."""
        logits = self.module(inputs)
        return logits if at is None else logits[torch.arange(len(inputs), device=inputs.device), at]

    def start(self, batch: int) -> ModelState:
        """The state before the first token, as that of one block."""
        if not self.steps:
            return ((torch.zeros(batch, 0, dtype=torch.int64),),)
        return (_parts(self.module.start(batch)),)

    def step(self, inputs: Tensor, state: ModelState, t: int) -> tuple[Tensor, ModelState]:
        """Logits after the token at time t, and the state after it."""
        if not self.steps:
            tokens = torch.cat([state[0][0], inputs[:, None]], dim=1)
            return self.module(tokens)[:, -1], ((tokens,),)
        if self.has_bare_state is None:
            self.has_bare_state = isinstance(self.module.start(1), Tensor)
        own_state = state[0][0] if self.has_bare_state else state[0]
        logits, after = self.module.step(inputs, own_state, t)
        return logits, (_parts(after),)

    def advance(self, inputs: Tensor, state: ModelState, t: int) -> tuple[Tensor, ModelState]:
        """`step`: what a user's module does with a state is its own."""
        return self.step(inputs, state, t)

    def prefill(self, inputs: Tensor, state: ModelState | None = None, t: int = 0) -> ModelState:
        """The state after all tokens."""
        state = self.start(len(inputs)) if state is None else state
        for offset in range(inputs.shape[1]):
            state = self.step(inputs[:, offset], state, t + offset)[1]
        return state

    def step_output(self, inputs: Tensor, state: ModelState, t: int) -> Tensor:
        """Logits for many tokens put to one state (batch 1), each as if it alone came next."""
        shared = tuple(part.expand(len(inputs), *part.shape[1:]) for part in state[0])
        return self.step(inputs, (shared,), t)[0]

    @torch.no_grad()
    def state_bits(self) -> tuple[int, int]:
        """(fixed, per token) bits of one example's state, counted from tensors."""
        start = self.start(1)[0]
        fixed = state_bits(start)
        if self.steps and not getattr(self.module, "grows", False):
            return fixed, 0
        after = self.step(torch.zeros(1, dtype=torch.int64), (start,), 0)[1][0]
        return fixed, state_bits(after) - fixed


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


def _parts(state: Tensor | State) -> State:
    return (state,) if isinstance(state, Tensor) else tuple(state)


def parse_layer(text: str) -> UserLayer | UserModel:
    """The user's layer of FILE.py:CLASS, or the whole model of model:FILE.py:CLASS.

    Raises ValueError and FileNotFoundError as `PlugIn.parse` does.
    """
    return UserModel.parse(text) if text.startswith(UserModel.PREFIX) else UserLayer.parse(text)


def restore_layer(text: Any, files: Mapping[str, str]) -> str | UserLayer | UserModel:
    """The layer that a run's configuration names; the name of a mixer stands for itself.

    `files` are those of `PlugIn.restore`. Raises ValueError for what is no text, and for the name of a file: a row may come
    from anybody, and what it names is neither opened nor run.
    """
    if not isinstance(text, str):
        raise ValueError(f"layers: expected the names of mixers, found {text!r:.60}")
    if names_a_file(text):
        raise ValueError(f"expected the name of a mixer, or CLASS@SHA-256 of a user's class, found {text!r:.60}")
    if not is_canonical(text):
        return text
    kind = UserModel if text.startswith(UserModel.PREFIX) else UserLayer
    return kind.restore(text, files)

"""A layer of your own, written as FILE.py:CLASS, can be a mixer of a model.

It is an `nn.Module` that is built as `MyLayer(width)`, and with settings in brackets, FILE.py:CLASS(states=8), as
`MyLayer(width, states=8)`. If its constructor has a parameter `heads`, it gets `heads` too.
A layer has three methods:
    forward(x: "batch time width") -> y      start(batch) -> state      step(x: "batch width", state, t) -> y, state
The state is a tensor or a tuple of tensors, with the batch as first axis. A layer may have these class attributes:
* `grows = True` if the state grows with t.
* `block`, a dictionary with the other parts of the block: `norm` ("layer", "rms", "none"), `residual`, `mlp` and `positions`.
  Missing entries are the defaults of `seqsep.models.mixers.Block`.
* `checked_in = "float32"` if the layer cannot compute in float64.

A layer may also define optional methods: `prefill`, `advance`, `step_output`, `forward_at` and `initialise`. They have the
arguments of `seqsep.models.mixers.Mixer`, with the layer's own kind of state. seqsep calls them in place of its own versions.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from types import MappingProxyType
from typing import Any, ClassVar, get_args, get_type_hints

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.core.names import excerpt
from seqsep.models.mixers import Block, Mixer, State
from seqsep.models.plugins.load import PlugInFails, in_words, load
from seqsep.models.plugins.name import PlugIn, setting_values

CHECKED_IN = {"float64": torch.float64, "float32": torch.float32}
NO_SETTINGS: Mapping[str, Any] = MappingProxyType({})
METHODS = ("forward", "start", "step")
BLOCK_CHOICES = {field: get_args(hint) or (True, False) for field, hint in get_type_hints(Block).items()}


class UserLayer(PlugIn):
    """A user's own layer; among the layers of a run it replaces a mixer's name. Settings in brackets go to its constructor."""

    HAS_SETTINGS: ClassVar[bool] = True

    def build(self, width: int, heads: int) -> "UserMixer":
        """Return a fresh mixer. Raises PlugInFails if the file does not load, or the class is not such a layer."""
        own_class = load(self)
        block = block_of(own_class, self.words)
        grows = grows_of(own_class, self.words)
        checked_in(own_class, self.words)
        module = construct(own_class, self, values=(width,), further={"heads": heads}, settings=setting_values(self.settings))
        missing = [name for name in METHODS if not callable(getattr(type(module), name, None))]
        if "forward" not in missing and type(module).forward is nn.Module.forward:
            missing.append("forward")
        if missing:
            raise PlugInFails(f"{self.words}: expected the methods {', '.join(METHODS)}, found no {missing[0]}")
        return UserMixer(self, module, block, grows)

    def as_mixer(self, width: int, heads: int) -> tuple[Callable[[int], Mixer], int]:
        """Return the subject of the laws of a mixer: a function from a width to a fresh mixer, and the width to test."""
        return lambda width: self.build(width, heads), width


class UserMixer(Mixer):
    """A user's module as a mixer; what it does not define is done as every mixer does it."""

    def __init__(self, source: UserLayer, module: Any, block: Block, grows: bool) -> None:
        super().__init__()
        self.source = source
        self.layer = module
        self.has_bare_state: bool | None = None  # whether the module's state is one tensor without a tuple around it
        self.called: set[str] = set()  # the optional methods of the module that were called
        # Attributes of the class in a built-in mixer, of the object here.
        self.name = str(source)  # type: ignore[misc]
        self.block = block  # type: ignore[misc]
        self.grows = grows  # type: ignore[misc]

    def forward(self, x: Float[Tensor, "batch time width"]) -> Tensor:
        return self.layer(x)

    def own(self, name: str) -> Callable[..., Any] | None:
        """Return an optional method that the user's module defines; None if it does not."""
        method = getattr(self.layer, name, None)
        return method if callable(method) else None

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Tensor:
        own = self._taken("forward_at")
        return super().forward_at(x, at) if own is None else own(x, at)

    def start(self, batch: int) -> State:
        return self._as_state("start", self.layer.start(batch))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Tensor, State]:
        """Return the output and state of the user's step. Raises PlugInFails unless it returns an output and a state."""
        return self._output_and_state("step", self.layer.step(x, self._as_given(state), t))

    def advance(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Tensor, State]:
        own = self._taken("advance")
        if own is None:
            return super().advance(x, state, t)
        return self._output_and_state("advance", own(x, self._as_given(state), t))

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> State:
        own = self._taken("prefill")
        return super().prefill(x, state, t) if own is None else self._as_state("prefill", own(x, self._as_given(state), t))

    def step_output(self, x: Float[Tensor, "batch width"], state: State, t: int) -> Tensor:
        own = self._taken("step_output")
        return super().step_output(x, state, t) if own is None else own(x, self._as_given(state), t)

    def initialise(self, depth: int, deviation: float = 0.02) -> None:
        own = self._taken("initialise")
        if own is not None:
            own(depth, deviation)

    def _taken(self, name: str) -> Callable[..., Any] | None:
        """Return the user's own method to call, and note that it is called."""
        own = self.own(name)
        if own is not None:
            self.called.add(name)
        return own

    def _as_given(self, state: State) -> Any:
        """Return a state as the user's methods take it: a tensor, or a tuple of tensors."""
        if self.has_bare_state is None:
            self.has_bare_state = isinstance(self.layer.start(1), Tensor)
        return state[0] if self.has_bare_state else state

    def _output_and_state(self, method: str, answer: Any) -> tuple[Tensor, State]:
        if not isinstance(answer, tuple) or len(answer) != 2:
            found = type(answer).__name__
            raise PlugInFails(f"{self.source.words}: {method} returns an output and a state, found a {found}")
        y, after = answer
        return y, self._as_state(method, after)

    def _as_state(self, method: str, state: Any) -> State:
        if isinstance(state, Tensor):
            return (state,)
        if not isinstance(state, tuple) or not all(isinstance(part, Tensor) for part in state):
            parts = f" of {', '.join(type(part).__name__ for part in state)}" if isinstance(state, tuple | list) else ""
            found = f"{type(state).__name__}{parts} by {method}"
            raise PlugInFails(
                f"{self.source.words}: expected a state that is a tensor or a tuple of tensors, found {found:.120}"
            )
        return state


def block_of(own_class: Callable[..., Any], words: str) -> Block:
    """Return the other parts of the block of a user's layer. Raises PlugInFails for a field or a value that a block has not.

    `words` name the class in a message.

    >>> block_of(type("MyLayer", (), {"block": {"mlp": True}}), "layer.py:MyLayer")
    Block(norm='layer', residual=True, mlp=True, positions='none')
    """
    described = getattr(own_class, "block", {})
    try:
        block = described if isinstance(described, Block) else Block(**described)
    except TypeError:
        raise PlugInFails(f"{words}: block: expected {', '.join(BLOCK_CHOICES)}, found {described!r:.60}") from None
    for name, choices in BLOCK_CHOICES.items():
        value = getattr(block, name)
        if value not in choices:
            raise PlugInFails(f"{words}: block: expected {name} in {choices}, found {value!r:.60}")
    return block


def grows_of(own_class: Callable[..., Any], words: str) -> bool:
    """Return True if the state of a user's layer or model grows. Raises PlugInFails for anything but True or False.

    >>> grows_of(type("MyLayer", (), {"grows": True}), "layer.py:MyLayer")
    True
    """
    grows = getattr(own_class, "grows", False)
    if not isinstance(grows, bool):
        raise PlugInFails(f"{words}: grows: expected True or False, found {excerpt(repr(grows))}")
    return grows


def checked_in(own_class: Callable[..., Any], words: str) -> torch.dtype:
    """Return the type in which the laws are tested on a user's layer or model. Raises PlugInFails for another word.

    >>> checked_in(type("MyLayer", (), {"checked_in": "float32"}), "layer.py:MyLayer")
    torch.float32
    """
    name = getattr(own_class, "checked_in", "float64")
    if not isinstance(name, str) or name not in CHECKED_IN:
        raise PlugInFails(f"{words}: checked_in: expected {' or '.join(map(repr, CHECKED_IN))}, found {excerpt(repr(name))}")
    return CHECKED_IN[name]


def construct(
    own_class: Callable[..., Any],
    plug_in: PlugIn,
    *,
    values: Sequence[Any],
    further: Mapping[str, Any],
    settings: Mapping[str, Any] = NO_SETTINGS,
) -> nn.Module:
    """Return the module of a user's class, which `plug_in` names, built with `values`, with `settings`, and with those of
    `further` in its signature.

    Raises PlugInFails if it does not take a setting, if it needs something else, raises, seeds torch, or is not a module.
    """
    call = f"{plug_in.words}({', '.join(map(str, values))})"
    parameters: dict[str, Parameter] = {}
    with contextlib.suppress(TypeError, ValueError):  # a built-in callable without a signature
        parameters = dict(list(signature(own_class).parameters.items())[len(values) :])
    takes_any = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values())
    for name in settings:
        if name not in parameters and not takes_any:
            known = ", ".join(name for name in parameters if name not in further) or "none"
            raise PlugInFails(f"{plug_in.words}: expected settings that its constructor takes: {known}; found {name}")
    passed = {name: value for name, value in further.items() if name in parameters} | dict(settings)
    for name, parameter in parameters.items():
        variadic = parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        if name not in passed and parameter.default is Parameter.empty and not variadic:
            raise PlugInFails(f"{call}: expected a default for {name}; only {', '.join(further) or 'nothing'} is passed too")
    seed = torch.initial_seed()
    try:
        module = own_class(*values, **passed)
    except (Exception, SystemExit) as error:
        raise PlugInFails(f"{call}: expected a module, found {in_words(error, plug_in.path)}") from error
    if torch.initial_seed() != seed:
        raise PlugInFails(f"{call}: it seeds torch's random state, so that every run would start from the same weights")
    if not isinstance(module, nn.Module):
        raise PlugInFails(f"{call}: expected a torch.nn.Module, found a {type(module).__name__}")
    return module

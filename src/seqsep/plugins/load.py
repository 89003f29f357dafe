"""A user's own layer, task or whole model, from FILE.py:CLASS.

A plug-in is known by its class name and the SHA-256 of its file, which enter the key of a run; the files that it imports do
not. `plug_in` reads the file without running it; `load` runs it (trusted Python), which the lab does in workers only.

A layer is an `nn.Module` built as `MyLayer(width)`; `heads` and further options are passed only if its signature names them.
    forward(x: "batch time width") -> y      start(batch) -> state      step(x: "batch width", state, t) -> y, state
The state is a tensor or a tuple of tensors, batch first. Optional class attributes: `grows = True` where the state grows with
t; `block`, a dictionary of what the block holds beside the layer, of `norm` ("layer", "rms", "none"), `residual`, `mlp` and
`positions`, with the defaults of `seqsep.mixers.Block`; `checked_in = "float32"` where the layer cannot compute in float64.
A whole model is a module built as `MyModel(vocabulary, classes, longest, width)`, from tokens to logits at every position.
A task is built as `MyTask(length=.., ..)`: see `seqsep.plugins.task`.
"""

import ast
import contextlib
import hashlib
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.mixers import Block, Mixer, State

WHOLE = "model:"
CHOICES = {field: get_args(hint) or (True, False) for field, hint in get_type_hints(Block).items()}
CANONICAL = re.compile(r"(model:)?[^\W\d]\w*@[0-9a-f]{64}")


class PlugInFails(ValueError):
    """A plug-in does what it must not; the message says which and what."""


class PlugIn(str):
    """The canonical name CLASS@SHA-256 (a whole model: model:CLASS@SHA-256), with the file's path where it is known here."""

    path: Path | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it is a model rather than a layer or a task."""
        return self.startswith(WHOLE)

    @property
    def class_name(self) -> str:
        """The name of the class."""
        return self.removeprefix(WHOLE).partition("@")[0]

    @property
    def digest(self) -> str:
        """SHA-256 of the file, 64 hexadecimal digits."""
        return self.partition("@")[2]

    @property
    def words(self) -> str:
        """As a person names it."""
        return f"{self.path.name}:{self.class_name}" if self.path else f"{self.class_name}@{self.digest[:8]}"


def looks_like_a_path(text: str) -> bool:
    """Whether a name means a class in a file: FILE.py:CLASS, model:FILE.py:CLASS or, with the class forgotten, FILE.py."""
    return not isinstance(text, PlugIn) and (text.rpartition(":")[0].endswith(".py") or text.endswith(".py"))


def plug_in(text: str) -> PlugIn:
    """The plug-in of FILE.py:CLASS or model:FILE.py:CLASS. The file is read and parsed, not run.

    Raises ValueError, in one line, for a file that is no Python or does not bind CLASS; FileNotFoundError.
    """
    place, colon, name = text.removeprefix(WHOLE).rpartition(":")
    if not colon or not name.isidentifier():
        raise ValueError(f"{text}: expected FILE.py:CLASS, as in {place or text}:MyLayer")
    path = Path(place)
    if not path.is_file():
        raise FileNotFoundError(2, "no such file", place)
    data = path.read_bytes()
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError) as error:
        line = f" in line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise ValueError(f"{text}: expected a Python file, found{line}: {getattr(error, 'msg', error)}") from None
    bound = _bound(tree)
    if name not in bound and "*" not in bound:
        known = ", ".join(sorted(node.name for node in tree.body if isinstance(node, ast.ClassDef))) or "none"
        raise ValueError(f"{text}: expected a class {name} in {place}, found the classes {known}")
    found = PlugIn(f"{WHOLE if text.startswith(WHOLE) else ''}{name}@{hashlib.sha256(data).hexdigest()}")
    found.path = path.absolute()
    return found


def restore(text: str, files: Mapping[str, str]) -> str:
    """A name as a configuration has it: that of a plug-in gets its path from `files`, where it is known."""
    if not CANONICAL.fullmatch(text):
        return text
    found = PlugIn(text)
    found.path = Path(files[text]) if text in files else None
    return found


def _bound(tree: ast.Module) -> set[str]:
    """Names that some statement of the file may bind."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
    return found


def load(given: PlugIn) -> Callable[..., Any]:
    """Run the plug-in's file, once a process, and return the class; what the file prints goes to stderr.

    Raises PlugInFails, in one line, where the path is not known, the file is not that of the digest, or it does not load.
    """
    if given.path is None:
        raise PlugInFails(f"{given}: expected the file of {given.class_name}; a run read from rows does not know where it is")
    name = f"seqsep plug-in {given.digest} {given.path}"
    if name not in sys.modules:
        _run(name, given)
    found = getattr(sys.modules[name], given.class_name, None)
    if not callable(found):
        raise PlugInFails(f"{given.path}: expected a class {given.class_name}, found a {type(found).__name__}")
    return found


def _run(name: str, given: PlugIn) -> None:
    assert given.path is not None
    data = given.path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest != given.digest:
        raise PlugInFails(f"{given.path}: expected SHA-256 {given.digest}, found {digest}: the file has changed meanwhile")
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = str(given.path)
    sys.path.insert(0, str(given.path.parent))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            exec(compile(data, str(given.path), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise PlugInFails(f"{given.path}: expected a file that loads, found {in_words(error, given.path)}") from error
    finally:
        sys.path.remove(str(given.path.parent))


def in_words(error: BaseException, *paths: Path | None) -> str:
    """An exception in one line, with the last line of the plug-ins' files that it came through."""
    names = {str(path) for path in paths}
    through = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in names]
    where = f" ({Path(through[-1].filename).name}, line {through[-1].lineno})" if through else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"


def construct(given: PlugIn, further: Mapping[str, Any], *values: Any) -> nn.Module:
    """The module of a plug-in, built with `values` and those of `further` that its signature names.

    Raises PlugInFails where it needs something else, raises, seeds torch, or is no module.
    """
    make = load(given)
    call = f"{given.words}({', '.join(map(str, values))})"
    parameters: Mapping[str, Parameter] = {}
    with contextlib.suppress(TypeError, ValueError):  # a built-in callable without a signature
        parameters = signature(make).parameters
    named = {name: value for name, value in further.items() if name in list(parameters)[len(values) :]}
    needed = [
        name
        for name, entry in list(parameters.items())[len(values) :]
        if entry.default is Parameter.empty and entry.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    ]
    unknown = [name for name in needed if name not in named]
    if unknown:
        raise PlugInFails(
            f"{call}: expected a default for {unknown[0]}; only {', '.join(further) or 'nothing'} is passed beside"
        )
    seed = torch.initial_seed()
    try:
        made = make(*values, **named)
    except (Exception, SystemExit) as error:
        raise PlugInFails(f"{call}: expected a module, found {in_words(error, given.path)}") from error
    if torch.initial_seed() != seed:
        raise PlugInFails(f"{call}: it seeds torch's random state, so that every run would start from the same weights")
    if not isinstance(made, nn.Module):
        raise PlugInFails(f"{call}: expected a torch.nn.Module, found a {type(made).__name__}")
    return made


class GivenLayer(Mixer):
    """A user's layer as a mixer; what it does not define is done as every mixer does it. Made by `mixer_class`."""

    given: PlugIn
    METHODS = ("forward", "start", "step")

    def __init__(self, width: int, heads: int = 4, **further: Any) -> None:
        super().__init__()
        self.heads = heads
        self.bare: bool | None = None  # whether the layer's own state is one tensor without a tuple around it
        self.layer: Any = construct(self.given, {"heads": heads, **further}, width)
        missing = [name for name in self.METHODS if not callable(getattr(type(self.layer), name, None))]
        missing += [] if "forward" in missing or type(self.layer).forward is not nn.Module.forward else ["forward"]
        if missing:
            raise PlugInFails(f"{self.given.words}: expected the methods {', '.join(self.METHODS)}, found no {missing[0]}")

    def forward(self, x: Float[Tensor, "batch time width"]) -> Tensor:
        return self.layer(x)

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Tensor:
        own = getattr(self.layer, "forward_at", None)
        return super().forward_at(x, at) if own is None else own(x, at)

    def start(self, batch: int) -> State:
        state = self.layer.start(batch)
        return (state,) if isinstance(state, Tensor) else self._checked("start", state)

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Tensor, State]:
        if self.bare is None:
            self.bare = isinstance(self.layer.start(1), Tensor)
        given = self.layer.step(x, state[0] if self.bare else state, t)
        if not isinstance(given, tuple) or len(given) != 2:
            raise PlugInFails(f"{self.given.words}: step returns an output and a state, found a {type(given).__name__}")
        y, after = given
        return y, ((after,) if isinstance(after, Tensor) else self._checked("step", after))

    def step_output(self, x: Float[Tensor, "batch width"], state: State, t: int) -> Tensor:
        own = getattr(self.layer, "step_output", None)
        return super().step_output(x, state, t) if own is None else own(x, state, t)

    def initialise(self, depth: int, deviation: float = 0.02) -> None:
        own = getattr(self.layer, "initialise", None)
        if own is not None:
            own(depth, deviation)

    def _checked(self, method: str, state: Any) -> State:
        if not isinstance(state, tuple) or not all(isinstance(part, Tensor) for part in state):
            raise PlugInFails(f"{self.given.words}: a state is a tensor or a tuple of tensors, found {state!r:.60} by {method}")
        return state


def mixer_class(given: PlugIn) -> type[GivenLayer]:
    """The plug-in's layer as a mixer that `Model.build` takes. Raises PlugInFails as `load` does."""
    own = load(given)
    block = getattr(own, "block", {})
    try:
        around = block if isinstance(block, Block) else Block(**block)
    except TypeError:
        raise PlugInFails(f"{given.words}: block: expected {', '.join(CHOICES)}, found {block!r:.60}") from None
    for name, choices in CHOICES.items():
        if getattr(around, name) not in choices:
            raise PlugInFails(f"{given.words}: block: expected {name} in {choices}, found {getattr(around, name)!r:.60}")
    members = {"given": given, "name": str(given), "block": around, "grows": bool(getattr(own, "grows", False))}
    return type(given.class_name, (GivenLayer,), members | {"__doc__": getattr(own, "__doc__", None)})

"""What a worker does with plug-ins before it trains them, and for `seqsep check`: load, build and try the laws, in that order.

Every part is announced before it begins, so that whoever waits can say during what a plug-in hung or took the process down.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from seqsep.lab.run import Run
from seqsep.laws.mixer import MIXER_LAWS, Verdict, mixer_and_inputs, try_law
from seqsep.laws.task import check_task
from seqsep.mixers import Block, Mixer, State
from seqsep.plugins.global_state import GlobalState
from seqsep.plugins.layer import OwnLayer
from seqsep.plugins.load import PlugInFails, in_words, load
from seqsep.plugins.model import OwnModel, WholeModel
from seqsep.plugins.name import PlugIn
from seqsep.plugins.task import OwnTask

DTYPES = {"float64": torch.float64, "float32": torch.float32}
TIME, BATCH, PADDING = 19, 3, 5
TASK_EXAMPLES = 40
IN_BOTH_TYPES = ("shapes and types", "finite numbers")
WITHOUT_GRADIENTS = tuple(law for law in MIXER_LAWS if law != "gradients")


class Logits(Mixer):
    """A whole model seen as a layer, so that the laws of layers hold for its logits: a token is the first coordinate, in steps
    of 1/1000, modulo the vocabulary."""

    name = "logits"
    block = Block(norm="none", residual=False)

    def __init__(self, model: WholeModel, vocabulary: int) -> None:
        super().__init__()
        self.model, self.vocabulary = model, vocabulary
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


def layer_verdicts(
    given: OwnLayer, width: int, heads: int, begin: Callable[[str], None], laws: Sequence[str] = tuple(MIXER_LAWS)
) -> Iterator[Verdict]:
    """Whether a layer loads, builds and obeys the laws; `begin` is called with each part's name first. Ends at a part without
    which the others mean nothing."""
    yield from _verdicts(given, width, lambda width: given.build(width, heads), begin, laws)


def model_verdicts(given: OwnModel, vocabulary: int, classes: int, longest: int, width: int, heads: int,
                   begin: Callable[[str], None]) -> Iterator[Verdict]:  # fmt: skip
    """The same for a whole model, whose logits obey the laws of a layer; built with room for the laws' inputs."""
    room = max(longest, TIME + PADDING)

    def make(_: int) -> Mixer:
        return Logits(given.build(vocabulary, classes, room, width=width, heads=heads), vocabulary)

    yield from _verdicts(given, classes, make, begin, WITHOUT_GRADIENTS)


def _verdicts(given: PlugIn, width: int, make: Callable[[int], Mixer], begin: Callable[[str], None],
              laws: Sequence[str]) -> Iterator[Verdict]:  # fmt: skip
    subjects: dict[torch.dtype, tuple[Any, Tensor]] = {}
    exact = torch.float64

    def build() -> None:
        nonlocal exact
        exact = DTYPES[getattr(load(given), "checked_in", "float64")]
        global_state = GlobalState()
        for dtype in (exact, torch.float32):
            subjects[dtype] = mixer_and_inputs(make, width, TIME, BATCH, dtype=dtype)
        changed = global_state.changed()
        if changed is not None:
            raise PlugInFails(f"{given.words}: {changed}")

    for part, call in (("loads", lambda: load_and_look(given)), ("builds", build)):
        begin(part)
        try:
            call()
        except (Exception, SystemExit) as error:
            where = str(error) if isinstance(error, ValueError) else in_words(error, given.path)
            yield Verdict(part, False, where.removeprefix(f"{given.words}: "))
            return
        yield Verdict(part, True)
    global_state = GlobalState()
    for law in laws:
        begin(law)
        types = (torch.float32, exact) if law in IN_BOTH_TYPES else (exact,)
        # Its own picture is too late for what the first call of all does once.
        changed = global_state.changed() if law == "surroundings left alone" else None
        if changed is not None:
            yield Verdict(law, False, changed)
            continue
        found = Verdict(law, True)
        for dtype in types:
            mixer, x = subjects[dtype]
            found = try_law(law, mixer, x, given.path)
            if not found.holds:
                break
        yield found
        if not found.holds and law == "shapes and types":
            return


def verdicts(
    plug_in: OwnLayer | OwnModel, begin: Callable[[str], None], width: int, heads: int, **further: int
) -> Iterator[Verdict]:
    """`layer_verdicts` of a layer, `model_verdicts` of a whole model, which has `further` sizes."""
    if isinstance(plug_in, OwnModel):
        return model_verdicts(plug_in, **further, width=width, heads=heads, begin=begin)
    return layer_verdicts(plug_in, width, heads, begin)


def load_and_look(given: PlugIn) -> None:
    """Load a plug-in. Raises PlugInFails also where that changes threads or settings; a file may seed what it likes."""
    global_state = GlobalState()
    load(given)
    changed = global_state.changed(random_states=False)
    if changed is not None:
        raise PlugInFails(f"{given.words}: {changed}")


def examine(run: Run, begin: Callable[[str], None]) -> None:
    """Raise PlugInFails for the first plug-in of the run that does not load, build or obey the laws.

    Gradients are not compared with finite differences: a layer may want others.
    """
    for given in run.plug_ins():
        begin(f"{given.words}: loads")
        load_and_look(given)
    if isinstance(run.task, OwnTask):
        begin(f"{run.task.name}: laws of a task")
        try:
            check_task(run.task, TASK_EXAMPLES)
        except AssertionError as failure:
            raise PlugInFails(f"{run.task.name}: {' '.join(str(failure).split())}") from failure
    for given in dict.fromkeys(layer for layer in run.layers if isinstance(layer, OwnLayer | OwnModel)):

        def say(part: str, given: PlugIn = given) -> None:
            begin(f"{given.words}: {part}")

        if isinstance(given, OwnModel):
            if run.task.coordinates:
                raise PlugInFails(f"{given.words}: a whole model takes tokens, and {run.task.name} has vectors")
            sizes = {"vocabulary": run.task.vocabulary, "classes": run.task.classes, "longest": run.task.longest}
            found = model_verdicts(given, **sizes, width=run.width, heads=run.heads, begin=say)
        else:
            found = layer_verdicts(given, run.width, run.heads, say, WITHOUT_GRADIENTS)
        for one in found:
            if not one.holds:
                raise PlugInFails(f"{given.words}: {one.law}: {one.where}")


class Watch:
    """What a plug-in must leave alone while it trains: random states, threads, settings; and no second process of this one."""

    def __init__(self, given: Sequence[PlugIn]) -> None:
        self.words = ", ".join(one.words for one in given)
        self.forks: list[str] = []
        self.starts_programs = False
        sys.addaudithook(self._heard)
        self.global_state = GlobalState()

    def begin(self) -> None:
        """From here on the global state must stay as it is."""
        self.global_state = GlobalState()

    def look(self) -> None:
        """Raise PlugInFails for what has happened since."""
        if not self.forks and not self.starts_programs and _has_children():
            self.forks.append("past Python")
        changed = f"it forks ({self.forks[0]})" if self.forks else self.global_state.changed()
        if changed is not None:
            raise PlugInFails(f"{self.words}: {changed}")

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        # Raised inside the call, before there is a second process; `look` finds it also where the plug-in catches it.
        if event in ("os.fork", "os.forkpty"):
            self.forks.append(event)
            raise PlugInFails(f"{self.words}: it forks ({event})")
        # Another program, such as a compiler of kernels, is no copy of this process.
        self.starts_programs |= event in ("subprocess.Popen", "os.posix_spawn", "os.system")


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True

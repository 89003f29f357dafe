"""Validation of plug-ins: load, build and try the laws, in that order.

Workers validate before they train, and for `seqsep check`. Every part is announced before it begins, so that whoever waits
can say during what a plug-in hung or took the process down.
"""

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
TIME = 19
BATCH = 3
PADDING = 5
TASK_EXAMPLES = 40
IN_BOTH_TYPES = ("shapes and types", "finite numbers")
WITHOUT_GRADIENTS = tuple(law for law in MIXER_LAWS if law != "gradients")


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


def layer_verdicts(
    layer: OwnLayer, width: int, heads: int, begin: Callable[[str], None], laws: Sequence[str] = tuple(MIXER_LAWS)
) -> Iterator[Verdict]:
    """Whether a layer loads, builds and obeys the laws, part by part; `begin` is called with each part's name first.

    The verdicts end at a part without which the others mean nothing.
    """
    candidate = _Candidate(layer, width, lambda width: layer.build(width, heads))
    yield from candidate.verdicts(begin, laws)


def model_verdicts(
    model: OwnModel,
    *,
    vocabulary: int,
    classes: int,
    longest: int,
    width: int,
    heads: int,
    begin: Callable[[str], None],
) -> Iterator[Verdict]:
    """The same for a whole model, whose logits obey the laws of a layer. It is built with room for the laws' inputs."""
    room = max(longest, TIME + PADDING)

    def make(_: int) -> Mixer:
        return Logits(model.build(vocabulary, classes, room, width=width, heads=heads), vocabulary)

    yield from _Candidate(model, classes, make).verdicts(begin, WITHOUT_GRADIENTS)


def verdicts(
    plug_in: OwnLayer | OwnModel, begin: Callable[[str], None], width: int, heads: int, **further: int
) -> Iterator[Verdict]:
    """`layer_verdicts` of a layer, `model_verdicts` of a whole model, which has `further` sizes."""
    if isinstance(plug_in, OwnModel):
        return model_verdicts(plug_in, **further, width=width, heads=heads, begin=begin)
    return layer_verdicts(plug_in, width, heads, begin)


class _Candidate:
    """A plug-in under validation: `make` builds it for a width, in each precision that laws are tried in."""

    def __init__(self, plug_in: PlugIn, width: int, make: Callable[[int], Mixer]) -> None:
        self.plug_in = plug_in
        self.width = width
        self.make = make
        self.exact = torch.float64
        self.subjects: dict[torch.dtype, tuple[Any, Tensor]] = {}

    def verdicts(self, begin: Callable[[str], None], laws: Sequence[str]) -> Iterator[Verdict]:
        """Load, build, then law by law."""
        for part, call in (("loads", self._load), ("builds", self._build)):
            begin(part)
            reason = self._failure(call)
            yield Verdict(part, reason is None, reason or "")
            if reason is not None:
                return
        global_state = GlobalState()
        for law in laws:
            begin(law)
            # A law compares the global state around its own calls: too late for what the very first call does once.
            changed = global_state.changed() if law == "surroundings left alone" else None
            judged = self._judged(law) if changed is None else Verdict(law, False, changed)
            yield judged
            if not judged.holds and law == "shapes and types":
                return

    def _load(self) -> None:
        load_and_compare(self.plug_in)

    def _build(self) -> None:
        self.exact = DTYPES[getattr(load(self.plug_in), "checked_in", "float64")]
        global_state = GlobalState()
        for dtype in (self.exact, torch.float32):
            self.subjects[dtype] = mixer_and_inputs(self.make, self.width, TIME, BATCH, dtype=dtype)
        changed = global_state.changed()
        if changed is not None:
            raise PlugInFails(f"{self.plug_in.words}: {changed}")

    def _failure(self, call: Callable[[], None]) -> str | None:
        """Why a call fails, in words; None if it does not."""
        try:
            call()
        except (Exception, SystemExit) as error:
            where = str(error) if isinstance(error, ValueError) else in_words(error, self.plug_in.path)
            return where.removeprefix(f"{self.plug_in.words}: ")
        return None

    def _judged(self, law: str) -> Verdict:
        """The verdict of the first precision in which the law does not hold; else of the last one tried."""
        judged = Verdict(law, True)
        for dtype in (torch.float32, self.exact) if law in IN_BOTH_TYPES else (self.exact,):
            mixer, x = self.subjects[dtype]
            judged = try_law(law, mixer, x, self.plug_in.path)
            if not judged.holds:
                break
        return judged


def load_and_compare(plug_in: PlugIn) -> None:
    """Load a plug-in. Raises PlugInFails also if that changes threads or settings; a file may seed what it likes."""
    global_state = GlobalState()
    load(plug_in)
    changed = global_state.changed(random_states=False)
    if changed is not None:
        raise PlugInFails(f"{plug_in.words}: {changed}")


def validate(run: Run, begin: Callable[[str], None]) -> None:
    """Raise PlugInFails for the first plug-in of the run that does not load, build or obey the laws.

    Gradients are not compared with finite differences: a layer may want others.
    """
    for plug_in in run.plug_ins():
        begin(f"{plug_in.words}: loads")
        load_and_compare(plug_in)
    if isinstance(run.task, OwnTask):
        begin(f"{run.task.name}: laws of a task")
        try:
            check_task(run.task, TASK_EXAMPLES)
        except AssertionError as failure:
            raise PlugInFails(f"{run.task.name}: {' '.join(str(failure).split())}") from failure
    for layer in dict.fromkeys(layer for layer in run.layers if not isinstance(layer, str)):
        for judged in _verdicts_in(run, layer, begin):
            if not judged.holds:
                raise PlugInFails(f"{layer.words}: {judged.law}: {judged.where}")


def _verdicts_in(run: Run, layer: OwnLayer | OwnModel, begin: Callable[[str], None]) -> Iterator[Verdict]:
    """The verdicts on one of the run's layers, or on its whole model, with the sizes of the run."""

    def say(part: str) -> None:
        begin(f"{layer.words}: {part}")

    if isinstance(layer, OwnLayer):
        return layer_verdicts(layer, run.width, run.heads, say, laws=WITHOUT_GRADIENTS)
    if run.task.coordinates:
        raise PlugInFails(f"{layer.words}: a whole model takes tokens, and {run.task.name} has vectors")
    return model_verdicts(
        layer,
        vocabulary=run.task.vocabulary,
        classes=run.task.classes,
        longest=run.task.longest,
        width=run.width,
        heads=run.heads,
        begin=say,
    )

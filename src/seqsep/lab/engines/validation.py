"""Validation of plug-ins: load, build and try the laws, in that order.

Workers validate before they train, and for `seqsep check`. Every part is announced before it begins, so that whoever waits
can say during what a plug-in hung or took the process down.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from seqsep.lab.run import Run
from seqsep.models.laws.mixer import GATES, MIXER_LAWS, Verdict, mixer_and_inputs, try_law
from seqsep.models.laws.task import TASK_LAWS, check_task
from seqsep.models.mixers import Mixer
from seqsep.models.plugins.global_state import GlobalState
from seqsep.models.plugins.layer import UserLayer, checked_in
from seqsep.models.plugins.load import PlugInFails, in_words, load, load_and_compare
from seqsep.models.plugins.model import UserModel
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.task import UserTask
from seqsep.tasks import Batch

TIME = 19
BATCH = 3
DEPTH = 2
PADDING = 5
BEFORE_LAWS = ("loads", "builds")
TASK_GATES = (*BEFORE_LAWS, "sample", "inputs as declared")
TASK_EXAMPLES = 40
TASK_SEED = 5
IN_BOTH_TYPES = ("shapes and types", "finite numbers", "many questions to one state")
WITHOUT_GRADIENTS = tuple(law for law in MIXER_LAWS if law != "gradients")


def verdicts(
    plug_in: UserLayer | UserModel,
    begin: Callable[[str], None],
    laws: Sequence[str] = tuple(MIXER_LAWS),
    **sizes: int,
) -> Iterator[Verdict]:
    """Yield the verdicts of a layer or a complete model, part by part: it loads, it builds, and it obeys each law.

    `begin` is called with each part's name first. `sizes` are width and heads; a whole model, whose logits obey the laws of a
    layer except gradients, has vocabulary, classes and longest too. The verdicts end at a part without which the others mean
    nothing.
    """
    if isinstance(plug_in, UserModel):
        laws = [law for law in laws if law in WITHOUT_GRADIENTS]
        sizes = sizes | {"longest": max(sizes["longest"], TIME + PADDING)}
    yield from _Candidate(plug_in, sizes).verdicts(begin, laws)


class _Candidate:
    """A plug-in under validation, built at these sizes in each precision that laws are tried in."""

    def __init__(self, plug_in: UserLayer | UserModel, sizes: Mapping[str, int]) -> None:
        self.plug_in = plug_in
        self.sizes = sizes
        self.exact = torch.float64
        self.subjects: dict[torch.dtype, tuple[Any, Tensor]] = {}

    def verdicts(self, begin: Callable[[str], None], laws: Sequence[str]) -> Iterator[Verdict]:
        """Load, build, then law by law."""
        for part, call in zip(BEFORE_LAWS, (self._load, self._build), strict=True):
            begin(part)
            reason = _reason(call, self.plug_in)
            yield Verdict(part, reason is None, reason or "")
            if reason is not None:
                return
        global_state = GlobalState()
        for law in laws:
            begin(law)
            # A law compares the global state around its own calls: too late for what the very first call does once.
            changed = global_state.changed() if law == "global state unchanged" else None
            judged = self._judged(law) if changed is None else Verdict(law, False, changed)
            yield judged
            if not judged.holds and law in GATES:
                return

    def _load(self) -> None:
        load_and_compare(self.plug_in)

    def _build(self) -> None:
        self.exact = checked_in(load(self.plug_in), self.plug_in.words)
        global_state = GlobalState()
        make, width = self.plug_in.as_mixer(**self.sizes)
        for dtype in (self.exact, torch.float32):
            self.subjects[dtype] = mixer_and_inputs(make, width, TIME, BATCH, dtype=dtype)
        self._initialise(make, width)
        changed = global_state.changed()
        if changed is not None:
            raise PlugInFails(f"{self.plug_in.words}: {changed}")

    def _initialise(self, make: Callable[[int], Mixer], width: int) -> None:
        """Draw the weights of a mixer of its own, as a model does. Raises PlugInFails if one is NaN or infinite."""
        with torch.random.fork_rng(devices=[]):
            mixer = make(width)
            mixer.initialise(DEPTH)
        for name, weight in mixer.named_parameters():
            if not bool(torch.isfinite(weight).all()):
                raise PlugInFails(f"{self.plug_in.words}: initialise: expected finite weights, found NaN or infinity in {name}")

    def _judged(self, law: str) -> Verdict:
        """Return the verdict of the first precision in which the law does not hold, else of the last one tested."""
        judged = Verdict(law, True)
        for dtype in (torch.float32, self.exact) if law in IN_BOTH_TYPES else (self.exact,):
            mixer, x = self.subjects[dtype]
            judged = try_law(law, mixer, x, self.plug_in.path)
            if not judged.holds:
                break
        return judged


def task_verdicts(task: UserTask, begin: Callable[[str], None]) -> Iterator[Verdict]:
    """Yield the verdicts of a task, part by part, as `verdicts` does: it loads, is built, gives examples and obeys the laws.

    The verdicts of the laws end at the first that is broken where the others then mean nothing.
    """
    blocks: dict[bool, Batch] = {}

    def build() -> None:
        declared = {name: getattr(task, name) for name in ("vocabulary", "classes", "longest", "coordinates", "loss")}
        if not declared["vocabulary"] and not declared["coordinates"]:
            raise PlugInFails(f"{task.name}: vocabulary: expected at least 1 token, or coordinates, found 0")

    def draw() -> None:
        blocks.update({evaluate: task.sample(0, TASK_EXAMPLES, TASK_SEED, evaluate) for evaluate in (False, True)})

    parts: dict[str, Callable[[], None]] = {"loads": partial(load_and_compare, task.source), "builds": build, "sample": draw}
    parts |= {law: partial(holds, task, blocks, TASK_SEED) for law, holds in TASK_LAWS.items()}
    for part, call in parts.items():
        begin(part)
        reason = _reason(call, task.source)
        yield Verdict(part, reason is None, reason or "")
        if reason is not None and part in TASK_GATES:
            return


def parts_of(plug_in: UserLayer | UserModel | UserTask) -> tuple[str, ...]:
    """Return all parts of the validation of a plug-in, in order. If the verdicts end early, the remaining parts were not
    tested.
    """
    if isinstance(plug_in, UserTask):
        return (*BEFORE_LAWS, "sample", *TASK_LAWS)
    return (*BEFORE_LAWS, *(WITHOUT_GRADIENTS if isinstance(plug_in, UserModel) else MIXER_LAWS))


def _reason(call: Callable[[], None], plug_in: PlugIn) -> str | None:
    """Return the reason why a call fails, in words; None if it does not."""
    try:
        call()
    except (Exception, SystemExit) as error:
        is_said = isinstance(error, ValueError | AssertionError)
        where = " ".join(str(error).split()) if is_said and str(error) else in_words(error, plug_in.path)
        return where.removeprefix(f"{plug_in.words}: ")
    return None


def validate(run: Run, begin: Callable[[str], None]) -> None:
    """Raise PlugInFails for the first plug-in of the run that does not load, build or obey the laws.

    Gradients are not compared with finite differences: a layer may want others.
    """
    for plug_in in run.plug_ins():
        begin(f"{plug_in.words}: loads")
        load_and_compare(plug_in)
    if isinstance(run.task, UserTask):
        begin(f"{run.task.name}: laws of a task")
        try:
            check_task(run.task, TASK_EXAMPLES)
        except AssertionError as failure:
            raise PlugInFails(f"{run.task.name}: {' '.join(str(failure).split())}") from failure
    sizes = {"width": run.width, "heads": run.heads}
    of_task = {"vocabulary": run.task.vocabulary, "classes": run.task.classes, "longest": run.task.longest}
    for layer in dict.fromkeys(layer for layer in run.layers if not isinstance(layer, str)):
        is_whole = isinstance(layer, UserModel)
        if is_whole and run.task.coordinates:
            raise PlugInFails(f"{layer.words}: a complete model takes tokens, and {run.task.name} has vectors")
        say = partial(_say, begin, layer.words)
        for judged in verdicts(layer, say, WITHOUT_GRADIENTS, **(sizes | of_task if is_whole else sizes)):
            if not judged.holds:
                raise PlugInFails(f"{layer.words}: {judged.law}: {judged.where}")


def _say(begin: Callable[[str], None], words: str, part: str) -> None:
    begin(f"{words}: {part}")

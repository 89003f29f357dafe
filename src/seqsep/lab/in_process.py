"""`seqsep.train`: one run trained in this process, with its progress shown, on one thread unless told otherwise."""

import math
import sys
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import torch

from seqsep.core.names import whole_arguments
from seqsep.lab.device import CPU
from seqsep.lab.engines.validation import validate
from seqsep.lab.progress import Bars, Display, Lines
from seqsep.lab.run import Run
from seqsep.lab.train import Progress, Result
from seqsep.lab.train import train as train_run
from seqsep.models.model import Model

SECONDS_BETWEEN_MOVES = 0.1


@whole_arguments
def train(
    run: Run, *, keep: Path | str | None = None, threads: int = 1, progress: bool | None = None, device: str = CPU
) -> tuple[Model, Result]:
    """Train a run to its end and return the model with its result, which prints as the table of its curve.

    If the run has your own layer or task, it is checked before the training, with the laws of `seqsep check --mixer` and
    `--task`. Only the law about gradients is left out. A part that breaks a law is not trained, because its accuracy would
    have no meaning. Results of the same run may differ in their last digits if the version of torch, the number of threads or
    the device differs.

    Arguments:
        run: the run to train.
        keep: file to which the model is written for `seqsep.load`; by default none is written.
        threads: threads of torch during training, from 1; for small models or on a busy machine, more threads are slower.
        progress: True shows progress on stderr: a bar on a terminal, lines elsewhere. False shows none. By default, progress
            is shown on a terminal and in a notebook.
        device: device of torch, such as cpu or cuda.

    Raises TypeError for anything except one `Run`. Raises ValueError for a layer or task that breaks a law, for fewer than
    one thread, and for the reasons of `seqsep.save`. Raises OSError if `keep` cannot be written.

    >>> from seqsep.tasks import IndexLookup
    >>> run = Run(IndexLookup(length=5, alphabet=4), ("lstm",), width=8, steps=2, batch=4, evaluate_every=1, evaluation=20)
    >>> model, result = train(run)
    >>> result.status, result.steps, len(result.curve), result.state_bits
    ('finished', 2, 2, (512, 0))
    """
    if not isinstance(run, Run):
        several = ", one call for each" if isinstance(run, Iterable) else ""
        raise TypeError(f"train({type(run).__name__}): expected a seqsep.Run{several}")
    if threads < 1:
        raise ValueError(f"train(threads={threads}): expected a whole number from 1")
    is_shown = (sys.stderr is not None and sys.stderr.isatty()) or _in_notebook() if progress is None else progress
    validate(run, _silently)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with closing(_display(is_shown)) as display:
            display.begin([run], finished=0)
            began = time.monotonic()
            file = None if keep is None else Path(keep)
            model, result = train_run(run, on_progress=_Shown(run, display), keep=file, device=device)
            display.finish(run, result.record(), time.monotonic() - began)
    finally:
        torch.set_num_threads(before)
    return model, result


def _silently(part: str) -> None:
    """Say nothing of the part of a validation that begins."""


def _in_notebook() -> bool:
    """Return True if stderr goes to a notebook, whose kernel does not report a terminal."""
    return type(sys.stderr).__module__.startswith("ipykernel.")


def _display(is_shown: bool) -> Display:
    """Return bars on a terminal, else lines. If it is not shown, return a display without output."""
    if not is_shown:
        return Display()
    return Bars() if sys.stderr is not None and sys.stderr.isatty() else Lines()


class _Shown:
    """The callback of the training loop after each step: it moves the display, some times a second."""

    def __init__(self, run: Run, display: Display) -> None:
        self.run = run
        self.display = display
        self.moved_at = -math.inf

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self.moved_at >= SECONDS_BETWEEN_MOVES:
            self.moved_at = now
            accuracy = progress.curve[-1].accuracy if progress.curve else None
            self.display.update(0, self.run, progress.step, accuracy)

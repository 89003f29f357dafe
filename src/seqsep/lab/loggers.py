"""Loggers write rows for TensorBoard or Weights & Biases; both are optional extras. The driver writes, never a worker.

Each run has a folder of its own, named by experiment, label and key: its curve (accuracy, and loss in nats, over steps), its
hyperparameters, and the row that was written. The folder appears whole; while its row is the same it is not written again, so
a sweep that was killed and started again writes no run twice. Weights & Biases stays offline unless WANDB_MODE says otherwise.
"""

import os
import re
import secrets
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from seqsep.core.files import naming, read_text
from seqsep.core.names import BadInput, install
from seqsep.lab.row import Row
from seqsep.lab.run import Run

ROW = "row.json"
CURVES = ("accuracy", "loss_nats")
Parameter = str | int | float | bool


class LoggerUnavailable(OSError):
    """A requirement of a logger is not installed; the message is one line, with the command that installs it."""


class Logger:
    """Writes the rows that have an outcome, each to `folder`/`kind`/`name_of(row)`; `kind` is one of LOGGERS.

    Raises LoggerUnavailable if its package is not installed.
    """

    def __init__(self, kind: str, folder: Path) -> None:
        if kind not in LOGGERS:
            raise ValueError(f"Logger({kind!r}, ...): kind is one of {', '.join(LOGGERS)}")
        self.folder = folder / kind
        self.fill = LOGGERS[kind]
        try:
            import_module(kind)
        except ImportError as error:
            needed = f"expected the package {kind}, found none that loads ({' '.join(str(error).split())})"
            raise LoggerUnavailable(f"--log {kind}: {needed}; pip install {kind}, or {install('log')}") from error

    def write(self, row: Row) -> bool:
        """Write a row, unless it is there already or has no outcome; returns whether it was written."""
        if not row.has_outcome:
            return False
        place = self.folder / name_of(row)
        text = row.to_json()
        with suppress(FileNotFoundError, BadInput):
            if read_text(place / ROW) == text:
                return False
        # A name that nobody can guess: nobody else can put a link or a folder of theirs there.
        half = place.with_name(f".{place.name}.{secrets.token_hex(8)}.tmp")
        for old in place.parent.glob(f".{place.name}.*.tmp"):  # a killed driver left it
            shutil.rmtree(old, ignore_errors=True)
        try:
            with naming(place):
                half.mkdir(parents=True)
                self.fill(row, half)
                (half / ROW).write_text(text, encoding="utf-8")
                shutil.rmtree(place, ignore_errors=True)  # of another row of this run
                half.replace(place)
        finally:
            shutil.rmtree(half, ignore_errors=True)
        return True


def name_of(row: Row) -> str:
    """Return the folder of a row, experiment/label-key, in characters that every file system takes. The key is cut to 12
    digits.
    """
    experiment, label = (re.sub("[^A-Za-z0-9.=+_-]+", "-", words) for words in (row.experiment, row.run.label()))
    return f"{experiment}/{label}-{row.key[:12]}"


def parameters_of(run: Run) -> dict[str, Parameter]:
    """Return every field of a run, and its task's fields that differ from their defaults, as plain values."""
    chosen: dict[str, Any] = {field.name: getattr(run, field.name) for field in fields(run) if field.name != "task"}
    chosen["layers"] = "+".join(map(str, run.layers))
    chosen |= {f"task.{name}": value for name, value in run.task.configuration().items()}
    return {name: value if isinstance(value, Parameter) else str(value) for name, value in chosen.items()}


def _tensorboard(row: Row, folder: Path) -> None:
    board = import_module("torch.utils.tensorboard")
    summary = import_module("torch.utils.tensorboard.summary")
    with board.SummaryWriter(str(folder)) as writer:
        for step, *values in row.result["curve"]:
            for name, value in zip(CURVES, values, strict=True):
                writer.add_scalar(name, value, step)
        writer.add_text("status", row.status, row.result["steps"])
        # add_hparams would put the run's table into a folder of its own, beside the curve.
        for part in summary.hparams(parameters_of(row.run), {"accuracy": row.result["accuracy"]}):
            writer.file_writer.add_summary(part)


def _wandb(row: Row, folder: Path) -> None:
    wandb = import_module("wandb")
    with wandb.init(
        project="seqsep",
        group=row.experiment,
        name=f"{row.run.label()} {row.key[:12]}",
        id=sha256(name_of(row).encode() + row.key.encode()).hexdigest()[:32],
        config=parameters_of(row.run),
        dir=str(folder),
        mode=os.environ.get("WANDB_MODE", "offline"),
        settings=wandb.Settings(silent=True, console="off", x_disable_stats=True, disable_git=True, disable_code=True),
    ) as run:
        for step, *values in row.result["curve"]:
            run.log(dict(zip(CURVES, values, strict=True)), step=step)
        run.summary.update({name: row.result[name] for name in ("status", "steps", "best_accuracy", "parameters")})
    wandb.teardown()  # its own process writes the file, and has not done so when the run says that it has finished


LOGGERS: Mapping[str, Callable[[Row, Path], None]] = {"tensorboard": _tensorboard, "wandb": _wandb}

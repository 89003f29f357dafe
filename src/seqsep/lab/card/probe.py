"""Measurements of a layer without training: size, transition and speed, in a process of its own.

A user's layer may crash, hang or end its process, so a part that does not come to its end has failed, with the reason.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from seqsep.core.interrupts import watch_parent
from seqsep.lab.card.battery import HEADS, WIDTH, Layer
from seqsep.lab.card.size import VOCABULARY, StateSize, measure_size
from seqsep.lab.card.speed import DECODED, LENGTHS, StepTimes, measure_speed
from seqsep.lab.card.subject import Subject
from seqsep.lab.card.transition import Transition, measure_transition
from seqsep.lab.device import CPU, prepare
from seqsep.models.mixers.settings import mixer_named
from seqsep.models.model import Model
from seqsep.models.plugins.load import in_words
from seqsep.models.plugins.name import shown

PEERS = ("attention", "mamba", "gated-delta")
"""The layers that every layer's speed is compared with."""
THIS = "this layer"
Measured = TypeVar("Measured")


@dataclass(frozen=True)
class Probed(Generic[Measured]):
    """The value that a probe found, or the reason why it found none."""

    value: Measured | None
    failure: str = ""


def probe(part: Callable[..., Measured], *given: Any, stall_seconds: float) -> Probed[Measured]:
    """Return what `part(*given)` returns in a process of its own, which has `stall_seconds` for it."""
    context = get_context("spawn")
    mine, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(theirs, os.getpid(), part, given), daemon=True)
    process.start()
    theirs.close()
    try:
        if not mine.poll(stall_seconds):
            return Probed(None, f"not measured within {stall_seconds:g} s")
        found: Probed[Measured] = mine.recv()
        return found
    except EOFError:
        process.join()
        return Probed(None, f"its process ended with status {process.exitcode}")
    finally:
        process.kill()
        process.join()
        mine.close()


def _serve(connection: Connection, parent: int, part: Callable[..., Any], given: tuple[Any, ...]) -> None:
    """Measure in this process, and send what was found."""
    watch_parent(parent)
    prepare(CPU)
    try:
        found = Probed(part(*given))
    except Exception as error:
        own = [layer.path for subject in given if isinstance(subject, Subject) for layer in subject.own if layer.path]
        found = Probed(None, in_words(error, *own))
    connection.send(found)


def size_of(subject: Subject) -> StateSize:
    """Return the size of the subject's model."""
    return measure_size(_model(subject.stack), WIDTH)


def transitions_of(subject: Subject) -> list[Transition]:
    """Return the transition of each different layer of the subject."""
    found = []
    for layer in dict.fromkeys(subject.layers):
        built = mixer_named(layer).build if isinstance(layer, str) else layer.build
        found.append(measure_transition(shown(layer), lambda width, built=built: built(width, 2)))  # type: ignore[misc]
    return found


def paces_of(subject: Subject, lengths: tuple[int, ...] = LENGTHS) -> list[StepTimes]:
    """Return the pace of the subject's model, and of a model of each peer with as many layers."""
    depth = len(subject.stack)
    stacks: Mapping[str, tuple[Layer, ...]] = {THIS: subject.stack} | {peer: (peer,) * depth for peer in PEERS}
    longest = max(lengths) + DECODED + 1
    return measure_speed({name: _model(stack, longest) for name, stack in stacks.items()}, lengths)


def _model(stack: tuple[Layer, ...], longest: int = 2048) -> Model:
    """Return a fresh model without positions, whose tokens and answers are the same for all layers."""
    return Model.build(
        vocabulary=VOCABULARY, classes=VOCABULARY, longest=longest, layers=stack, width=WIDTH, heads=HEADS, positions="none"
    )

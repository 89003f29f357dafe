"""The engine `ray` on a node: one long-lived actor, which gives batches of runs to one training process.

The training process is that of the engine `local`, so what a run does, prints, or dies of is the same. Files come and go as
bytes: checkpoints in both directions, plug-ins to a node that does not have them. Nothing here waits for torch.
"""

import hashlib
import io
import os
import platform
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import seqsep
from seqsep.core.files import UNLIMITED, read_bytes
from seqsep.core.names import BadInput
from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.device import CPU
from seqsep.lab.engines.engine import Ended, EngineJob, Event, Heartbeat, JobProgress, OfAJob, Saved
from seqsep.lab.engines.local import Supervisor


@dataclass(frozen=True)
class RayJob:
    """A job in the form that is sent: its message, and the bytes of the files that it mentions.

    Files of plug-ins are under their canonical names, checkpoints under their digests.
    """

    content: dict[str, Any]
    digests: tuple[str, ...]
    has_plug_ins: bool
    checkpoints: dict[str, bytes]
    files: dict[str, bytes]

    @classmethod
    def of(cls, work: EngineJob, digests: tuple[str, ...]) -> "RayJob":
        """Pack a job on the driver. What cannot be read is left out: without its checkpoint a run starts from step 0."""
        content = work.message(digests)
        read = {name: _bytes(Path(path)) for name, path in content["files"].items()}
        path = Path(content.get("checkpoint", ""))
        saved = {digest: _bytes(checkpoint_file(path, digest)) for digest in digests}
        checkpoints = {digest: data for digest, data in saved.items() if data is not None}
        files = {name: data for name, data in read.items() if data is not None}
        return cls(
            content=content,
            digests=digests,
            has_plug_ins=work.has_plug_ins,
            checkpoints=checkpoints,
            files=files,
        )

    def unpacked(self, folder: Path) -> "RayJob":
        """Return the order on a node, with its files below `folder`. Plug-ins that the node has already stay next to their
        imports.
        """
        checkpoint = folder / Path(self.content["checkpoint"]).name
        for digest, data in self.checkpoints.items():
            checkpoint_file(checkpoint, digest).write_bytes(data)
        places = dict(self.content["files"])
        for name, data in self.files.items():
            if _bytes(Path(places[name])) != data:
                place = folder / name.partition("@")[2] / Path(places[name]).name
                place.parent.mkdir(exist_ok=True)
                place.write_bytes(data)
                places[name] = str(place)
        content = self.content | {"checkpoint": str(checkpoint), "files": places}
        return replace(self, content=content, checkpoints={}, files={})

    def message(self, digests: tuple[str, ...]) -> dict[str, Any]:
        """Return the message to the worker."""
        return self.content | {"digests": digests}


@dataclass
class Answer:
    """The events since the last answer; jobs are counted within the batch. `checkpoints`: the bytes of those saved."""

    events: list[OfAJob] = field(default_factory=list)
    checkpoints: dict[int, bytes] = field(default_factory=dict)
    printed: str = ""


class RayWorker:
    """The actor. Its training process ends by itself if the actor is killed."""

    def __init__(self, stall_seconds: float, folder: str | None, device: str = CPU) -> None:
        self.supervisor = Supervisor(1, stall_seconds, device)
        self.folder = tempfile.TemporaryDirectory(prefix="seqsep-", dir=folder)
        self.batch: list[RayJob] = []
        self.events: Iterator[Event] = iter(())
        self.kept: dict[int, set[str]] = {}

    def identity(self) -> dict[str, Any]:
        """Return what distinguishes versions: host, torch, seqsep with a digest of its sources, and the environment on GPUs."""
        return identity(self.supervisor.environment() if self.supervisor.device != CPU else {})

    def work(self, orders: list[RayJob], seconds: float) -> Answer:
        """Continue for about `seconds`, or until a run has ended. `orders` are the next batch, once the last one has ended."""
        if orders:
            self.batch = [order.unpacked(Path(self.folder.name)) for order in orders]
            self.events = self.supervisor.run(self.batch)
            self.kept = {}
        deadline = time.monotonic() + seconds
        events: list[OfAJob] = []
        with redirect_stderr(io.StringIO()) as printed:
            for event in self.events:
                if isinstance(event, Heartbeat):
                    continue
                events.append(event)
                if isinstance(event, Ended) or time.monotonic() >= deadline:
                    break
        return self._answer(events, printed.getvalue())

    def stop(self) -> None:
        """Stop the supervisor and remove its folder."""
        self.supervisor.__exit__(None, None, None)
        self.folder.cleanup()

    def _answer(self, events: list[OfAJob], printed: str) -> Answer:
        answer = Answer(printed=printed)
        last = {(type(event), event.job): at for at, event in enumerate(events)}
        for at, event in enumerate(events):
            begins = isinstance(event, JobProgress) and event.step == 0
            place = Path(self.batch[event.job].content["checkpoint"])
            if isinstance(event, Saved):
                for digest in self.kept.get(event.job, set()).difference(event.digests):
                    checkpoint_file(place, digest).unlink(missing_ok=True)
                self.kept[event.job] = set(event.digests)
            if not begins and last[type(event), event.job] != at:
                continue
            if isinstance(event, Saved):
                last_digest = event.digests[0]
                data = _bytes(checkpoint_file(place, last_digest))
                if data is None or hashlib.sha256(data).hexdigest() != last_digest:
                    continue  # the driver continues with the one before
                answer.checkpoints[event.job] = data
            if isinstance(event, Ended):
                for path in place.parent.glob(f"{place.stem}.*{place.suffix}"):
                    path.unlink()
            answer.events.append(event)
        return answer


def identity(environment: Mapping[str, Any]) -> dict[str, Any]:
    """Return this worker's versions. A driver trusts rows only of workers with its own seqsep, torch, GPUs and kernels."""
    sources = hashlib.sha256()
    package = Path(seqsep.__file__).parent
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] != "data":  # the examples, which a wheel holds and a clone has elsewhere
            sources.update(path.read_bytes())
    return {
        "host": f"{platform.node()}, process {os.getpid()}",
        "torch": _version("torch"),
        "seqsep": f"{seqsep.__version__} (sources {sources.hexdigest()[:8]})",
        "environment": dict(environment),
    }


def differs(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str | None:
    """Return one line: why rows of that worker would differ from those of this driver; None if they would not."""
    words = [_said(who) for who in (ours, theirs)]
    return None if words[0] == words[1] else f"worker on {theirs['host']}: expected {words[0]}, found {words[1]}"


def _said(who: Mapping[str, Any]) -> str:
    parts = {"seqsep": who["seqsep"]} | who["environment"] | {"torch": who["torch"]}
    return ", ".join(f"{name} {value}" for name, value in parts.items())


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _bytes(path: Path) -> bytes | None:
    try:
        return read_bytes(path, most=UNLIMITED)
    except (OSError, BadInput):
        return None

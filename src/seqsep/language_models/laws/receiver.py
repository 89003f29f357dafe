"""The other side of the one-way protocol: a process that gets the bytes of a state and its position, never the tokens before.

It builds the model again, reads another input of the same length, so that it has a state of that shape, writes the bytes into
its tensors, and continues. Whatever the model knows of the first half must have been in the bytes.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch import Tensor

from seqsep.core.interrupts import watch_parent
from seqsep.core.names import required, text_of
from seqsep.language_models.loader.source import ModelSource

OTHER_INPUT = 987_654
"""The seed of the input that only gives the state its shape."""


class Receiver:
    """A process that continues states; it is started when it is first asked, and ends with the block.

    >>> with Receiver() as receiver:
    ...     receiver.process is None
    True
    """

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Receiver":
        return self

    def __exit__(self, *failure: object) -> None:
        if self.process is None:
            return
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        self.process.wait()
        self.process = None

    def continued(self, source: ModelSource, data: bytes, *, rest: Tensor, at: int, dtype: torch.dtype) -> Tensor:
        """Return the logits of `rest`, read token by token from the state of these bytes after `at` tokens.

        Raises ValueError with what the other process says if it cannot.
        """
        self.process = self.process or _started()
        sent = required(self.process.stdin, "the input of the other process")
        received = required(self.process.stdout, "the output of the other process")
        header = {"source": source.as_json(), "dtype": _name(dtype), "at": at, "rest": rest.tolist(), "bytes": len(data)}
        sent.write(json.dumps(header).encode() + b"\n" + data)
        sent.flush()
        line = received.readline()
        if not line:
            raise ValueError("the other process ended without an answer")
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(f"in the other process: {answer['error']}")
        flat = torch.frombuffer(bytearray(received.read(answer["bytes"])), dtype=torch.float64)
        return flat.reshape(answer["shape"])


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _started() -> subprocess.Popen[bytes]:
    command, environment = python_module("seqsep.language_models.laws.receiver")
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def python_module(module: str, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """Return command and environment that run a module of this package, and never one of the current folder.

    The module's first argument is the number of this process, with which it ends (`interrupts.watch_parent`).

    By default `-m` looks in the current folder first, and so does an empty part of PYTHONPATH: a model's folder may be the
    current one.
    """
    package = str(Path(__file__).parents[3])
    paths = [package, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    command = [sys.executable, "-P", "-W", "ignore", "-m", module, str(os.getpid()), *arguments]
    return command, {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def serve(received: BinaryIO, sent: BinaryIO) -> None:
    """Answer requests until there are no more."""
    readers: dict[str, Any] = {}
    while line := received.readline():
        request = json.loads(line)
        data = received.read(request["bytes"])
        try:
            logits = _answered(request, data, readers)
            answer = {"shape": list(logits.shape), "bytes": 8 * logits.numel()}
            body = logits.double().contiguous().numpy().tobytes()
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {text_of(error)}"}
            body = b""
        sent.write(json.dumps(answer).encode() + b"\n" + body)
        sent.flush()


def _answered(request: dict[str, Any], data: bytes, readers: dict[str, Any]) -> Tensor:
    from seqsep.language_models.laws.reader import ModelReader
    from seqsep.language_models.laws.state import put_back

    fields = request["source"]
    key = json.dumps([fields, request["dtype"]])
    if key not in readers:
        readers.clear()
        folder = None if fields["folder"] is None else Path(fields["folder"])
        readers[key] = ModelReader(ModelSource(**{**fields, "folder": folder}), getattr(torch, request["dtype"]))
    reader = readers[key]
    rest = torch.tensor(request["rest"])
    other = reader.random_tokens(len(rest), request["at"], OTHER_INPUT)
    state = reader.read(other)[1]
    with torch.no_grad():
        put_back(data, state)
    return continued(reader, rest, state)


def continued(reader: Any, rest: Tensor, state: Any) -> Tensor:
    """Return the logits of tokens read one by one from a state."""
    found: list[Tensor] = []
    for t in range(rest.shape[1]):
        logits, state = reader.read(rest[:, t : t + 1], state)
        found.append(logits)
    return torch.cat(found, 1)


def main(arguments: Sequence[str]) -> None:
    """Serve the process with the given number on the standard streams; what libraries print goes to stderr."""
    watch_parent(int(arguments[0]))
    sent = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    torch.set_num_threads(1)
    serve(sys.stdin.buffer, sent)


if __name__ == "__main__":
    main(sys.argv[1:])

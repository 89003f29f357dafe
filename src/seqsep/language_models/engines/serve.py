"""A Python engine that answers JSON lines: adapters that ship, and classes of the user's.

python -m seqsep.language_models.engines.serve transformers FOLDER
python -m seqsep.language_models.engines.serve llama FILE.gguf
python -m seqsep.language_models.engines.serve FILE.py:CLASS
"""

import base64
import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

import torch
from torch import Tensor

from seqsep.core.names import BadInput, text_of
from seqsep.language_models.engines.protocol import OPTIONAL, REQUIRED, TYPES, narrower


def engine_named(words: Sequence[str]) -> Any:
    """Return an engine: of an adapter and what it loads, or of FILE.py:CLASS, whose class is called without arguments."""
    kind, *further = words
    if kind == "transformers":
        from seqsep.language_models.engines.with_transformers import TransformersEngine

        return TransformersEngine(*further)
    if kind == "llama":
        from seqsep.language_models.engines.with_llama import LlamaEngine

        return LlamaEngine(*further)
    if kind == "model":
        from seqsep.language_models.engines.with_own_model import OwnModelEngine

        return OwnModelEngine(*further)
    from seqsep.models.plugins.load import load
    from seqsep.models.plugins.name import PlugIn

    return load(PlugIn.parse(kind))()


class Server:
    """An engine that answers requests; states have numbers."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self._states: dict[int, Any] = {}
        self._count = 0

    def answer(self, line: bytes) -> dict[str, Any]:
        """Return the answer to one line.

        >>> Server(object()).answer(b'{"id": 4, "method": "sing"}')
        {'id': 4, 'error': "BadInput: expected a method of the protocol, found 'sing'"}
        """
        number = None
        try:
            request = json.loads(line)
            number = request.get("id")
            return {"id": number, **self._answer(request)}
        except NotImplementedError as error:
            return {"id": number, "unsupported": text_of(error)}
        except Exception as error:
            return {"id": number, "error": f"{type(error).__name__}: {text_of(error)}"}

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        method = request["method"]
        if method == "describe":
            return self._description()
        if method not in (*REQUIRED, *OPTIONAL):
            raise BadInput(f"expected a method of the protocol, found {method!r:.60}")
        answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "prefill": lambda given: self._read(self.engine.prefill(given["tokens"])),
            "decode": lambda given: self._read(self.engine.decode(given["token"], self._taken(given["state"]))),
            "extend": lambda given: self._read(self.engine.extend(given["tokens"], self._taken(given["state"]))),
            "batch": self._batch,
            "fork": lambda given: self._kept(self.engine.fork(self._states[given["state"]])),
            "save": lambda given: {"data": base64.b64encode(self.engine.save(self._states[given["state"]])).decode()},
            "load": lambda given: self._kept(self.engine.load(base64.b64decode(given["data"]))),
            "crop": lambda given: self._kept(self.engine.crop(self._taken(given["state"]), given["count"])),
            "reset": lambda given: self._kept(self.engine.reset(self._taken(given["state"]))),
            "generate": self._generate,
            "free": self._free,
        }
        return answers[method](request)

    def _description(self) -> dict[str, Any]:
        methods = [name for name in (*REQUIRED, *OPTIONAL) if callable(getattr(self.engine, name, None))]
        methods = [*methods, *(["free"] if "free" not in methods else [])]
        described = {"vocabulary": int(self.engine.vocabulary), "methods": methods}
        return described | {"dtype": self._dtype, "name": type(self.engine).__name__}

    @property
    def _dtype(self) -> str:
        return str(getattr(self.engine, "dtype", TYPES[0]))

    def _numbers(self, logits: Any) -> dict[str, Any]:
        """Return the logits, and their type if it is narrower than the one that the engine says that it computes in."""
        narrow = narrower(logits, self._dtype)
        return {"logits": _rows(logits), **({"dtype": narrow} if narrow else {})}

    def _batch(self, given: dict[str, Any]) -> dict[str, Any]:
        states = [None if number is None else self._taken(number) for number in given["states"]]
        logits, after = self.engine.batch(given["tokens"], states)
        rows = [self._numbers(one) for one in logits]
        kept = [self._kept(state)["state"] for state in after]
        return {**(rows[0] if rows else {}), "logits": [row["logits"] for row in rows], "states": kept}

    def _generate(self, given: dict[str, Any]) -> dict[str, Any]:
        tokens, logits = self.engine.generate(given["tokens"], given["count"])
        return {"tokens": [int(token) for token in tokens], **self._numbers(logits)}

    def _free(self, given: dict[str, Any]) -> dict[str, Any]:
        state = self._taken(given["state"])
        if callable(getattr(self.engine, "free", None)):
            self.engine.free(state)
        return {}

    def _read(self, found: tuple[Any, Any]) -> dict[str, Any]:
        logits, state = found
        return {**self._numbers(logits), **self._kept(state)}

    def _kept(self, state: Any) -> dict[str, Any]:
        self._count += 1
        self._states[self._count] = state
        return {"state": self._count}

    def _taken(self, number: int) -> Any:
        return self._states.pop(number)


def _rows(logits: Any) -> list[Any]:
    """Return logits as lists, with None for NaN and infinity, which JSON does not have."""
    if isinstance(logits, list | tuple) and any(isinstance(row, Tensor) for row in logits):
        logits = torch.stack([torch.as_tensor(row) for row in logits])
    if isinstance(logits, Tensor):
        logits = logits.detach().cpu().double()
    rows = logits.tolist() if hasattr(logits, "tolist") else [row.tolist() if hasattr(row, "tolist") else row for row in logits]
    return [_finite(row) for row in rows]


def _finite(row: Any) -> Any:
    if isinstance(row, list | tuple):
        return [_finite(number) for number in row]
    return float(row) if math.isfinite(row) else None


def serve(engine: Any, received: BinaryIO, sent: BinaryIO) -> None:
    """Answer lines until there are no more."""
    server = Server(engine)
    while line := received.readline():
        sent.write(json.dumps(server.answer(line)).encode() + b"\n")
        sent.flush()


def main(words: Sequence[str]) -> None:
    """Serve the engine that the words name on the standard streams; what libraries print goes to stderr."""
    sent = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    torch.set_num_threads(1)
    serve(engine_named(words), sys.stdin.buffer, sent)


if __name__ == "__main__":
    main(sys.argv[1:])

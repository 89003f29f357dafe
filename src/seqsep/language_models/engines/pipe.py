"""An engine in another process: each call is a line of JSON on its standard input, each answer a line on its standard output.

docs/reference/engine-protocol.md has the schema. The process is started in a session of its own, and all of the session is
ended with the block, or with this process.
"""

import base64
import json
import shlex
import shutil
from collections.abc import Sequence
from functools import partial
from typing import Any

from seqsep.core.names import BadInput, excerpt, printable, text_of
from seqsep.language_models.engines.process import SHOWN, EngineProcess, ProcessEnds, in_words, one_line
from seqsep.language_models.engines.protocol import OPTIONAL, REQUIRED, TYPES, EngineFails

SECONDS = 60.0
TIMES_TO_START = 5
"""The first answer, before which weights are loaded, may take so many times as long as others."""


class PipeEngine:
    """An engine that a command starts; a context manager, which ends it.

    It has the methods that the answer to `describe` lists. After the end of the process, or no answer within `seconds`, the
    call raises EngineFails, and the next call starts the process again. `stalls` counts the calls without an answer in time.
    `shown` are the words of the user in messages, by default those of the command. `narrow` is the type of logits that have
    fewer digits than the type that the engine says that it computes in.
    """

    def __init__(self, command: str | Sequence[str], seconds: float = SECONDS, *, shown: str = "") -> None:
        self.command = command_words(command)
        self.shown = shown or f"--engine {command if isinstance(command, str) else shlex.join(command)}"
        self.seconds = seconds
        self.stalls = 0
        self.narrow = ""
        self._process: EngineProcess | None = None
        self._starts = 0
        self._count = 0
        try:
            described = self._exchange("describe", {}, seconds * TIMES_TO_START)
            self.vocabulary = _field(described, "vocabulary", int, "describe")
            self.dtype = str(described.get("dtype", TYPES[0]))
            self.name = str(described.get("name", self.command[0]))
            self.methods = tuple(map(str, _field(described, "methods", list, "describe")))
            for method in REQUIRED:
                if method not in self.methods:
                    raise EngineFails(f"describe: methods: expected {method}, found {excerpt(', '.join(self.methods))!r}")
        except EngineFails as error:
            self.close()
            raise BadInput(f"{self.shown}: {text_of(error)}") from error
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "PipeEngine":
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def another(self) -> "PipeEngine":
        """Start the command once more."""
        return PipeEngine(self.command, self.seconds, shown=self.shown)

    def close(self) -> None:
        """End the process and all that it started."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def prefill(self, tokens: Sequence[int]) -> tuple[Any, Any]:
        """Ask for the logits of a new sequence, and for the state after it."""
        return self._read("prefill", {"tokens": list(tokens)})

    def decode(self, token: int, state: Any) -> tuple[Any, Any]:
        """Ask for the logits of one token after a state, and for the state after it."""
        return self._read("decode", {"token": token, "state": self._known(state)})

    def __getattr__(self, name: str) -> Any:
        """Return an optional method, if the engine lists it."""
        if name in OPTIONAL and name in self.__dict__.get("methods", ()):
            return partial(getattr(PipeEngine, f"_{name}"), self)
        raise AttributeError(f"{type(self).__name__} has no {name}")

    def _extend(self, tokens: Sequence[int], state: Any) -> tuple[Any, Any]:
        return self._read("extend", {"tokens": list(tokens), "state": self._known(state)})

    def _batch(self, tokens: Sequence[Sequence[int]], states: Sequence[Any]) -> tuple[Any, Any]:
        known = [None if state is None else self._known(state) for state in states]
        answer = self._exchange("batch", {"tokens": list(map(list, tokens)), "states": known})
        after = _field(answer, "states", list, "batch")
        return _field(answer, "logits", list, "batch"), [(self._starts, state) for state in after]

    def _fork(self, state: Any) -> Any:
        return self._state(self._exchange("fork", {"state": self._known(state)}), "fork")

    def _save(self, state: Any) -> bytes:
        text = _field(self._exchange("save", {"state": self._known(state)}), "data", str, "save")
        try:
            return base64.b64decode(text, validate=True)
        except ValueError as error:
            raise EngineFails(f"save: data: expected base64, found {excerpt(printable(text))!r}") from error

    def _load(self, data: bytes) -> Any:
        return self._state(self._exchange("load", {"data": base64.b64encode(data).decode()}), "load")

    def _crop(self, state: Any, count: int) -> Any:
        return self._state(self._exchange("crop", {"state": self._known(state), "count": count}), "crop")

    def _reset(self, state: Any) -> Any:
        return self._state(self._exchange("reset", {"state": self._known(state)}), "reset")

    def _generate(self, tokens: Sequence[int], count: int) -> tuple[Any, Any]:
        answer = self._exchange("generate", {"tokens": list(tokens), "count": count})
        return _field(answer, "tokens", list, "generate"), _field(answer, "logits", list, "generate")

    def _free(self, state: Any) -> None:
        if self._process is not None and state[0] == self._starts:
            self._exchange("free", {"state": state[1]})

    def _read(self, method: str, fields: dict[str, Any]) -> tuple[Any, Any]:
        answer = self._exchange(method, fields)
        return _field(answer, "logits", list, method), self._state(answer, method)

    def _state(self, answer: dict[str, Any], method: str) -> tuple[int, Any]:
        if answer.get("state") is None:
            raise EngineFails(f"{method}: state: expected a value, found {excerpt(json.dumps(answer))}")
        return self._starts, answer["state"]

    def _known(self, state: Any) -> Any:
        started, given = state
        if started != self._starts or self._process is None:
            raise EngineFails("the state was lost when the engine ended")
        return given

    def _exchange(self, method: str, fields: dict[str, Any], seconds: float | None = None) -> dict[str, Any]:
        """Send a request and return the answer to it. Raises NotImplementedError if the engine cannot do it."""
        if self._process is None:
            self._process = EngineProcess(self.command)
            self._starts += 1
            if seconds is None:
                self._exchange("describe", {}, self.seconds * TIMES_TO_START)
        self._count += 1
        line = json.dumps({"id": self._count, "method": method, **fields})
        sent = f"sent {excerpt(line, SHOWN)}"
        limit = self.seconds if seconds is None else seconds
        try:
            came = self._process.ask(line.encode() + b"\n", limit)
        except ProcessEnds as end:
            self.stalls += end.stalled
            self.close()
            raise EngineFails(f"{method}: {end}; {sent}") from None
        answer = _object(came)
        if answer is None or answer.get("id") != self._count:
            self.close()  # what else comes cannot be assigned to a request
            expected = f'an object with "id": {self._count}' if answer else "a JSON object in one line"
            raise EngineFails(f"{method}: expected {expected}, came {in_words(came)}; {sent}")
        if "unsupported" in answer:
            raise NotImplementedError(excerpt(printable(str(answer["unsupported"])), SHOWN))
        if "error" in answer:
            raise EngineFails(f"{method}: the engine answers with an error: {one_line(answer['error'])}; {sent}")
        if method != "describe" and answer.get("dtype") in TYPES:
            self.narrow = answer["dtype"]
        return answer


def command_words(command: str | Sequence[str]) -> list[str]:
    """Return the words of a command. Raises BadInput if the program does not exist.

    >>> command_words("./my_server --jsonl 'a b'")
    Traceback (most recent call last):
        ...
    seqsep.core.names.BadInput: --engine ./my_server --jsonl 'a b': found no program ./my_server
    """
    shown = command if isinstance(command, str) else shlex.join(command)
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise BadInput(f"--engine {shown}: {text_of(error)}") from error
    if not words or shutil.which(words[0]) is None:
        raise BadInput(f"--engine {shown}: found no program {words[0] if words else 'in it'}")
    return words


def _field(answer: dict[str, Any], name: str, kind: type, method: str) -> Any:
    value = answer.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        words = {int: "a whole number", list: "a list", str: "a string"}[kind]
        raise EngineFails(f"{method}: {name}: expected {words}, came {excerpt(json.dumps(answer), SHOWN)}")
    return value


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

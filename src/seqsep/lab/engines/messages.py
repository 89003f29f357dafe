"""What a worker process says to its driver: messages of known form, read without waiting, in text that can be printed.

A user's code runs in that process and can write to its pipe, so nothing that comes from there is taken on trust.
"""

import json
import os
import struct
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from seqsep.core.names import printable

LONGEST_MESSAGE = 1 << 24
MOST_MESSAGES = 500
"""In one second. A run reports a few times a second."""
READ_AT_ONCE = 1 << 16
HEADER = struct.Struct("!i")


def is_whole(value: Any) -> bool:
    """Whether the value is a whole number, of which True and False are none."""
    return type(value) is int


def is_share_or_none(value: Any) -> bool:
    """Whether the value is a number of 0 to 1, or None."""
    return value is None or (type(value) in (int, float) and 0 <= value <= 1)


def is_text(value: Any) -> bool:
    """Whether the value is a text."""
    return isinstance(value, str)


def is_texts(value: Any) -> bool:
    """Whether the value is a list of texts."""
    return isinstance(value, list) and all(map(is_text, value))


def is_object(value: Any) -> bool:
    """Whether the value is a JSON object."""
    return isinstance(value, dict)


FIELDS: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "ready": {},
    "stage": {"words": is_text},
    "progress": {"step": is_whole, "accuracy": is_share_or_none},
    "checkpoint": {"step": is_whole, "digests": is_texts},
    "verdict": {"law": is_text, "holds": lambda value: isinstance(value, bool), "where": is_text},
    "result": {"result": is_object},
    "failure": {"error": is_text},
}
"""Every kind of message, and what its fields are."""


class Mailbox:
    """The messages of one pipe, as far as they have come: half a message keeps nobody waiting, and is none.

    `take` answers with the next message; with None if it is not whole yet; with the kind `gone` once the pipe has ended; and
    with the kind `garbled`, and an `error` in words, for what is no message, is too long, or comes too often.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.buffer = bytearray()
        self.second = 0
        self.messages = 0

    def has_more(self) -> bool:
        """Whether `take` would find bytes that it has not looked at: a whole message, or something in the pipe."""
        return self._length() is not None or self.connection.poll()

    def take(self) -> dict[str, Any] | None:
        """The next message, if there is one. Waits for nothing if `has_more` or if the pipe is ready."""
        if self._length() is None and self.connection.poll():
            try:
                data = os.read(self.connection.fileno(), READ_AT_ONCE)
            except OSError:
                data = b""
            if not data:
                return {"kind": "gone"}
            self.buffer += data
        length = self._length()
        if length is None:
            return None
        if not 0 <= length <= LONGEST_MESSAGE:
            return {"kind": "garbled", "error": "what its process sent is no message"}
        data = bytes(self.buffer[HEADER.size : HEADER.size + length])
        del self.buffer[: HEADER.size + length]
        if self._is_flood():
            return {"kind": "garbled", "error": f"its process sent more than {MOST_MESSAGES} messages a second"}
        return message_of(data) or {"kind": "garbled", "error": f"what its process sent is no message: {data[:60]!r}"}

    def _length(self) -> int | None:
        """The length of the first message if it is there whole, or if its length is impossible."""
        if len(self.buffer) < HEADER.size:
            return None
        (length,) = HEADER.unpack_from(self.buffer)
        is_possible = 0 <= length <= LONGEST_MESSAGE
        return None if is_possible and len(self.buffer) < HEADER.size + length else length

    def _is_flood(self) -> bool:
        second = int(time.monotonic())
        self.messages = self.messages + 1 if second == self.second else 1
        self.second = second
        return self.messages > MOST_MESSAGES


def message_of(data: bytes) -> dict[str, Any] | None:
    """The message of its JSON, with every text printable; None for anything else.

    >>> message_of(b'{"kind": "failure", "error": "no \\\\ud800"}')
    {'kind': 'failure', 'error': 'no \\\\ud800'}
    >>> message_of(b'{"kind": "progress", "step": "one", "accuracy": null}') is None
    True
    """
    try:
        message = _printable(json.loads(data))
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("kind") not in list(FIELDS):
        return None
    fields = FIELDS[message["kind"]]
    return message if all(name in message and is_right(message[name]) for name, is_right in fields.items()) else None


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_printable(one) for one in value]
    if isinstance(value, dict):
        return {printable(name): _printable(one) for name, one in value.items()}
    return value

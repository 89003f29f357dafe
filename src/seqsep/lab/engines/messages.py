"""Messages of a worker process to its driver: of known form, read without waiting, in text that can be printed.

A user's code runs in that process and can write to its pipe, so nothing that comes from there is taken on trust.
"""

import json
import os
import struct
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from seqsep.core.names import printable

LONGEST_MESSAGE = 1 << 24
READ_AT_ONCE = 1 << 16
HEADER = struct.Struct("!i")


def is_whole(value: Any) -> bool:
    """Return True for a whole number; True and False are not whole numbers."""
    return type(value) is int


def is_share_or_none(value: Any) -> bool:
    """Return True for a number of 0 to 1, and for None."""
    return value is None or (type(value) in (int, float) and 0 <= value <= 1)


def is_text(value: Any) -> bool:
    """Return True for a text."""
    return isinstance(value, str)


def is_texts(value: Any) -> bool:
    """Return True for a list of texts."""
    return isinstance(value, list) and all(map(is_text, value))


def is_object(value: Any) -> bool:
    """Return True for a JSON object."""
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
    """The messages of one pipe, as far as they have arrived. A part of a message blocks no reader, and does not count as one.

    `take` answers with the next message; with None if it is not whole yet; with the kind `gone` once the pipe has ended; and
    with the kind `garbled`, and an `error` in words, for bytes that are not a message or are too long.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.buffer = bytearray()

    def has_more(self) -> bool:
        """Return True if `take` would find bytes that it has not looked at: a whole message, or something in the pipe."""
        return self._length() is not None or self.connection.poll()

    def take(self) -> dict[str, Any] | None:
        """Return the next message, if there is one. It does not wait if `has_more` or if the pipe is ready."""
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
            return {"kind": "garbled", "error": "what its process sent is not a message"}
        data = bytes(self.buffer[HEADER.size : HEADER.size + length])
        del self.buffer[: HEADER.size + length]
        return message_of(data) or {"kind": "garbled", "error": f"what its process sent is not a message: {data[:60]!r}"}

    def _length(self) -> int | None:
        """Return the length of the first message if the message is complete, or if its length is impossible."""
        if len(self.buffer) < HEADER.size:
            return None
        (length,) = HEADER.unpack_from(self.buffer)
        is_possible = 0 <= length <= LONGEST_MESSAGE
        return None if is_possible and len(self.buffer) < HEADER.size + length else length


def message_of(data: bytes) -> dict[str, Any] | None:
    """Return the message of its JSON, with every text printable; None for anything else.

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

"""A channel between two parties that counts the bits sent.

Every bit is one byte on the wire, the character 0 or 1, and nothing else is written: no lengths and no end marks. So either end
can count the bits, and both parties must know from the protocol how many to read. A channel consists of two byte streams: those
of a pipe to another process (`Channel(read, write)`), or two in memory (`meet`). A pipe holds 64 KiB: two processes that both
write more than that before they read wait for each other for ever.
"""

import threading
from collections.abc import Callable
from io import BufferedIOBase
from typing import Any


class Channel:
    """One party's end of a channel; `sent` and `received` count bits.

    >>> from io import BytesIO
    >>> wire = BytesIO()
    >>> Channel(read=BytesIO(), write=wire).send(5, width=4)
    >>> wire.getvalue()
    b'0101'
    """

    def __init__(self, read: BufferedIOBase, write: BufferedIOBase) -> None:
        self._read = read
        self._write = write
        self.sent = 0
        self.received = 0

    @property
    def bits(self) -> int:
        """The bits sent in both directions."""
        return self.sent + self.received

    def send(self, value: int, width: int) -> None:
        """Write a number below 2^width as `width` bits, the highest first. Raises ValueError for one that does not fit."""
        if width < 0 or not 0 <= value < 1 << width:
            raise ValueError(f"send({value}, width={width}): expected a number from 0 to 2^{width} - 1")
        written = format(value, f"0{width}b").encode("ascii") if width else b""
        self._write.write(written)
        self._write.flush()
        self.sent += len(written)

    def receive(self, width: int) -> int:
        """Wait for a number of `width` bits, the highest first.

        Raises EOFError if the other party has closed the channel, and ValueError for bytes other than 0 and 1.
        """
        written = self._read.read(width) if width else b""
        if len(written) < width:
            raise EOFError(f"receive({width}): the other party closed the channel after {len(written)} bits")
        self.received += width
        if written.strip(b"01"):
            raise ValueError(f"receive({width}): expected bytes 0 and 1, found {written[:20]!r}")
        return int(written, 2) if width else 0

    def close(self) -> None:
        """Close both streams."""
        self._write.close()
        self._read.close()


class _Memory(BufferedIOBase):
    """A byte stream from one thread to another. Unlike a pipe it is never full, so both parties may write before they read."""

    def __init__(self) -> None:
        self._arrived = threading.Condition()
        self._waiting = bytearray()

    def write(self, data: bytes) -> int:  # type: ignore[override]
        with self._arrived:
            self._waiting += data
            self._arrived.notify_all()
        return len(data)

    def read(self, size: int | None = -1) -> bytes:
        with self._arrived:
            self._arrived.wait_for(lambda: self.closed or 0 <= (size or 0) <= len(self._waiting))
            data = bytes(self._waiting[:size])
            del self._waiting[:size]
        return data

    def flush(self) -> None:
        """Do nothing: `write` holds nothing back."""

    def close(self) -> None:
        with self._arrived:
            super().close()
            self._arrived.notify_all()


def meet(alice: Callable[[Channel], Any], bob: Callable[[Channel], Any]) -> tuple[Any, Any, int]:
    """Run two parties, Bob in a thread of his own; return what each returns, and the bits sent.

    Raises what Alice raises, or else what Bob raises. A party that waits for one that has ended gets an EOFError.

    >>> meet(lambda channel: channel.send(6, 3), lambda channel: channel.receive(3))
    (None, 6, 3)
    """
    to_alice = _Memory()
    to_bob = _Memory()
    alice_end = Channel(to_alice, to_bob)
    bob_end = Channel(to_bob, to_alice)
    results: dict[str, Any] = {}

    def run(name: str, party: Callable[[Channel], Any], end: Channel) -> None:
        try:
            results[name] = party(end)
        except BaseException as error:  # handed to the caller below
            results[f"{name} raised"] = error
        finally:
            end._write.close()

    thread = threading.Thread(target=run, args=("bob", bob, bob_end), daemon=True)
    thread.start()
    run("alice", alice, alice_end)
    thread.join()
    # A party that failed only because the other one ended is not the cause.
    errors = [error for name in ("alice", "bob") if (error := results.get(f"{name} raised")) is not None]
    for error in sorted(errors, key=lambda error: isinstance(error, EOFError | BrokenPipeError)):
        raise error
    if alice_end.sent != bob_end.received or bob_end.sent != alice_end.received:
        sent = f"{alice_end.sent} and {bob_end.sent} bits sent"
        raise ValueError(f"meet: {sent}, {bob_end.received} and {alice_end.received} received")
    return results["alice"], results["bob"], alice_end.bits

"""A counted channel between two parties: what is sent is bits, counted when they are written.

Every bit is one byte on the wire, the character 0 or 1, and nothing else is written: no lengths, no ends. So whoever holds the
other end can count the bits for himself, and both parties must know from the protocol how many to read. A channel is made of
two byte streams: of a pipe to another process (`Channel(read, write)`), or of one in memory (`meet`). A pipe holds 64 KiB: two
processes that both write more before they read wait for each other for ever.
"""

import threading
from collections.abc import Callable
from io import BufferedIOBase
from typing import Any


class Channel:
    """One party's end; `sent` and `received` count bits."""

    def __init__(self, read: BufferedIOBase, write: BufferedIOBase) -> None:
        self._read, self._write = read, write
        self.sent = 0
        self.received = 0

    @property
    def bits(self) -> int:
        """Bits in both directions."""
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
        """Wait for `width` bits. Raises EOFError where the other party has gone, ValueError for bytes that are no bits."""
        found = self._read.read(width) if width else b""
        if len(found) < width:
            raise EOFError(f"receive({width}): the other party closed the channel after {len(found)} bits")
        self.received += width
        if found.strip(b"01"):
            raise ValueError(f"receive({width}): expected bytes 0 and 1, found {found[:20]!r}")
        return int(found, 2) if width else 0

    def close(self) -> None:
        """Close both streams."""
        self._write.close()
        self._read.close()


class _Memory(BufferedIOBase):
    """Bytes from one thread to another. Unlike a pipe it is never full: both parties may write all before they read."""

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
            found = bytes(self._waiting[:size])
            del self._waiting[:size]
        return found

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        with self._arrived:
            super().close()
            self._arrived.notify_all()


def meet(alice: Callable[[Channel], Any], bob: Callable[[Channel], Any]) -> tuple[Any, Any, int]:
    """Run two parties, Bob in a thread of his own; what each returns, and the bits that were sent in both directions.

    Raises what Alice raises, or else what Bob raises; a party that waits for one that has gone gets an EOFError.
    """
    to_alice, to_bob = _Memory(), _Memory()
    mine, yours = Channel(to_alice, to_bob), Channel(to_bob, to_alice)
    results: dict[str, Any] = {}

    def run(name: str, party: Callable[[Channel], Any], end: Channel) -> None:
        try:
            results[name] = party(end)
        except BaseException as error:  # handed to the caller below
            results[f"{name} raised"] = error
        finally:
            end._write.close()

    thread = threading.Thread(target=run, args=("bob", bob, yours), daemon=True)
    thread.start()
    run("alice", alice, mine)
    thread.join()
    # A party that only met the other's end is not the one to blame.
    errors = [error for name in ("alice", "bob") if (error := results.get(f"{name} raised")) is not None]
    for error in sorted(errors, key=lambda error: isinstance(error, EOFError | BrokenPipeError)):
        raise error
    if mine.sent != yours.received or yours.sent != mine.received:
        raise ValueError(f"meet: {mine.sent} and {yours.sent} bits sent, {yours.received} and {mine.received} received")
    return results["alice"], results["bob"], mine.bits

"""Disjointness by a window: Alice sends her bits in neighbouring places of a circle, whose first place is drawn by a coin.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Fact 1; `random_disjointness` has the proof of the error. Here are the two
parties, on a channel that counts bits and as trees of exact chances.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.communication.channel import Channel
from seqsep.theorems.protocols import protocol_trees
from seqsep.theorems.protocols.protocol_trees import Distribution, Protocol, Tree


@dataclass(frozen=True)
class Windows:
    """Windows of k = `sent` out of N = `length` places; their number is a shared coin or a part of the message.

    >>> Windows(8, 4, shared=False).bits, Windows(8, 4, shared=True).bits, Windows(8, 4, shared=True).error
    (6, 5, Fraction(1, 3))
    """

    length: int
    sent: int
    shared: bool

    @property
    def count(self) -> int:
        """N / gcd(k, N) windows."""
        return self.length // math.gcd(self.sent, self.length)

    @property
    def number_bits(self) -> int:
        """The bits of a window's number."""
        return 0 if self.shared else ceil_log2(self.count)

    @property
    def bits(self) -> int:
        """The window's number, k bits and the answer."""
        return self.number_bits + self.sent + 1

    @property
    def error(self) -> Fraction:
        """(N - k) / (2N - k): also the chance that Bob says 1 without a common place."""
        return Fraction(self.length - self.sent, 2 * self.length - self.sent)

    def places(self, number: int) -> Int64[np.ndarray, "k"]:
        """The places of a window."""
        return (number * math.gcd(self.sent, self.length) + np.arange(self.sent)) % self.length

    def protocol(self) -> Protocol:
        """As trees; for small N."""
        kind = f"windows of {self.sent}, {'shared' if self.shared else 'own'} coins"
        if self.shared:
            return Protocol(kind, tuple(self._tree([number]) for number in range(self.count)))
        return Protocol(kind, (self._tree(range(self.count)),))

    def _tree(self, numbers: range | list[int]) -> Tree:
        """Alice draws one of these windows."""
        messages = [{self._message(x, one): Fraction(1, len(numbers)) for one in numbers} for x in range(1 << self.length)]

        def answers(message: str) -> Distribution:
            number = int(message[: self.number_bits], 2) if self.number_bits else numbers[0]
            said = message[self.number_bits :]
            heard = sum(1 << int(place) for place, bit in zip(self.places(number), said, strict=True) if bit == "1")
            return tuple(Fraction(1) if heard & y else self.error for y in range(1 << self.length))

        return protocol_trees.one_way(messages, answers, self.number_bits + self.sent)

    def _message(self, x: int, number: int) -> str:
        written = f"{number:0{self.number_bits}b}" if self.number_bits else ""
        return written + "".join(str(x >> int(place) & 1) for place in self.places(number))


def windows_for(length: int, error: Fraction, *, shared: bool) -> Windows:
    """Return the windows of the fewest bits with an error of at most e. Raises ValueError for N below 1 or e outside (0, 1/2).

    >>> windows_for(1000, Fraction(1, 3), shared=False).bits, windows_for(1000, Fraction(1, 100), shared=False).bits
    (502, 998)
    """
    if length < 1 or not 0 < error < Fraction(1, 2):
        raise ValueError(f"windows_for({length}, error={error}): length is at least 1, and error between 0 and 1/2")
    least = math.ceil(length * (1 - 2 * error) / (1 - error))
    return min((Windows(length, sent, shared) for sent in range(least, length + 1)), key=lambda windows: windows.bits)


def alice(channel: Channel, windows: Windows, a: Int64[np.ndarray, "length"], number: int) -> int:
    """Send the window's number, if Bob does not know it, and the bits in it; hear the answer."""
    channel.send(number if windows.number_bits else 0, windows.number_bits)
    for place in windows.places(number):
        channel.send(int(a[place]), 1)
    return channel.receive(1)


def bob(channel: Channel, windows: Windows, b: Int64[np.ndarray, "length"], *, number: int | None, coin: bool) -> int:
    """Answer 1 if the sets meet in the window, else what the coin says; `number` is None unless it is shared."""
    heard = channel.receive(windows.number_bits)
    meets = False
    for place in windows.places(heard if number is None else number):
        bit = channel.receive(1)
        meets |= bool(bit and b[place])
    answer = int(meets or coin)
    channel.send(answer, 1)
    return answer

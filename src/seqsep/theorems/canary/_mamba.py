"""The weights of a Mamba-2 mixer, and the heads that canaries of its classes share: a memory and registers.

Facts that these canaries use, next to those of `stream`:
* A_log = -200 makes the decay exactly 1, and softplus(-200) is exactly 0. A step of 32 is softplus(32).
* A write with A = -1 and a step of 32 multiplies what is there by exp(-32).
* The keys B and the queries C are those of a group of heads. The convolution of a channel has one tap of weight 1: tap 0 is the
  token itself, and tap 1 the token before.
* The norm of a group makes its only large entry the square root of the group's width.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seqsep.theorems.canary.stream import WIDTH, Matrix, ones, zeros
from seqsep.theorems.canary.vocabulary import FIRST_KEY, FIRST_RECALL, KEYS, LAST, PAD, SIZE, V0, V1

TAPS = 4
HOLD = -200
WRITE = 14.5
"""Weight of a step from a token: 16 * 14.5 - 200 = 32."""
OPEN = 2
SMALL = 0.25
"""Weight of what is written, and of keys and queries: 4 before SiLU."""
SHOWS = 32
"""Weight of what a head reads."""
CONSTANT = KEYS
PADDED = KEYS + 1
"""Rows of a state after those of the keys."""
WRITTEN = (V0, V1, PAD)
RECALLS = range(FIRST_RECALL, FIRST_RECALL + KEYS)


@dataclass(frozen=True)
class MambaSizes:
    """The sizes of a mixer.

    Fields:
        heads: number of heads.
        head_size: numbers that a head writes.
        groups: groups of heads, which share keys and queries.
        states: size of a key.
    """

    heads: int
    head_size: int
    groups: int
    states: int

    @property
    def inner(self) -> int:
        """The numbers that all heads write."""
        return self.heads * self.head_size


class MambaHeads:
    """The rows of in_proj by what they are for, and the taps of those that are convolved; all weights begin at zero.

    Arguments:
        sizes: the sizes of the mixer.
    """

    def __init__(self, sizes: MambaSizes) -> None:
        self.sizes = sizes
        inner = sizes.inner
        shared = sizes.groups * sizes.states
        self.weight = zeros(2 * inner + 2 * shared + sizes.heads, WIDTH)
        gate, written, key, query, self.step = np.split(self.weight, np.cumsum([inner, inner, shared, shared]))
        self.gate, self.written = (part.reshape(sizes.heads, sizes.head_size, WIDTH) for part in (gate, written))
        self.key, self.query = (part.reshape(sizes.groups, sizes.states, WIDTH) for part in (key, query))
        self.taps = np.zeros(inner + 2 * shared, dtype=np.int64)
        self.written_tap = self.taps[:inner].reshape(sizes.heads, sizes.head_size)
        self.key_tap = self.taps[inner : inner + shared].reshape(sizes.groups, sizes.states)
        self.bias = np.full(sizes.heads, HOLD, dtype=np.float32)
        self.rates = np.full(sizes.heads, HOLD, dtype=np.float32)
        self.out: Matrix = zeros(WIDTH, sizes.heads, sizes.head_size)

    def tensors(self) -> dict[str, Matrix]:
        """Return the weights by their names in the mixer."""
        convolution = zeros(len(self.taps), 1, TAPS)
        convolution[np.arange(len(self.taps)), 0, TAPS - 1 - self.taps] = 1
        return {
            "in_proj.weight": self.weight,
            "conv1d.weight": convolution,
            "conv1d.bias": zeros(len(self.taps)),
            "dt_bias": self.bias,
            "A_log": self.rates,
            "D": zeros(self.sizes.heads),
            "norm.weight": ones(self.sizes.inner),
            "out_proj.weight": self.out.reshape(WIDTH, self.sizes.inner),
        }

    def memory(self, head: int, found: Sequence[int]) -> None:
        """Fill in a head of the first group: values by their keys, which r_i reads.

        Arguments:
            head: the head.
            found: the coordinates of the stream to which V0, V1 and PAD are written.
        """
        key = self.key[0]
        query = self.query[0]
        self.key_tap[0, :KEYS] = 1
        for number in range(KEYS):
            key[number, FIRST_KEY + number] = SMALL
            query[number, FIRST_RECALL + number] = SMALL
        key[PADDED, PAD] = SMALL
        query[PADDED, list(RECALLS)] = SMALL
        self.step[head, list(WRITTEN)] = WRITE
        self.gate[head][:, list(RECALLS)] = OPEN
        self._write(head, WRITTEN, found)

    def latest(self, head: int, found: Sequence[int]) -> None:
        """Fill in a register: the last of V0, V1 and PAD, which LAST reads. Arguments as for `memory`."""
        self._register(head)
        self.step[head, list(WRITTEN)] = WRITE
        self.gate[head, :, LAST] = OPEN
        self._write(head, WRITTEN, found)

    def before(self, head: int, tokens: Sequence[int], readers: Sequence[int], found: Sequence[int]) -> None:
        """Fill in a register that every token overwrites with the token before it.

        Arguments:
            head: the head.
            tokens: the tokens that it knows.
            readers: the tokens that read it.
            found: the coordinate of the stream for each token that it knows.
        """
        self._register(head)
        self.bias[head] = 0
        self.step[head, SIZE] = OPEN
        self.written_tap[head] = 1
        self.gate[head][:, list(readers)] = OPEN
        self._write(head, tokens, found)

    def _register(self, head: int) -> None:
        """Give a head of the last group one row, and a decay."""
        self.key[-1, CONSTANT, SIZE] = SMALL
        self.query[-1, CONSTANT, SIZE] = SMALL
        self.rates[head] = 0

    def _write(self, head: int, tokens: Sequence[int], found: Sequence[int]) -> None:
        for number, (token, coordinate) in enumerate(zip(tokens, found, strict=True)):
            self.written[head, number, token] = SMALL
            self.out[coordinate, head, number] = SHOWS

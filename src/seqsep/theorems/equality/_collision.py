"""Two halves that leave a recurrent model in one state, and the input of equality on which it must then err.

Halves are walked in a fixed scattered order, each once, until one meets the state of another: after at most 2^B + 1 of them, in
expectation about 2^(B/2) for a model that mixes well. After halves a != b with one state, the model answers a b and b b alike,
and one of these answers is wrong. Models on tensors run in batches, where sums may round differently; so a collision counts
once both halves, each alone, leave equal states.
"""

import itertools
import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from seqsep.exact.automata import Recurrence
from seqsep.theorems.evidence import DistinguishingTable, Evidence
from seqsep.theorems.protocols.collision import MOST_PREFIXES, scattered
from seqsep.theorems.protocols.machine import AnyModel, as_machine, choice

BLOCK = 256


def is_equal(word: list[int]) -> bool:
    """EQ: the first half equals the second."""
    return word[: len(word) // 2] == word[len(word) // 2 :]


def require(call: str, length: int, alphabet: int) -> None:
    """Raise ValueError for an odd length, or fewer than two symbols."""
    if length < 2 or length % 2 or alphabet < 2:
        raise ValueError(f"{call}(length={length}, alphabet={alphabet}): an even length from 2 and an alphabet from 2")


def evidence(length: int = 10, alphabet: int = 2) -> Evidence:
    """All S^(N/2) halves as prefixes, told apart by all as suffixes: a first half is equal to one of them only.

    Raises ValueError as `require`, or beyond 2^16 pairs of halves.
    """
    require("evidence", length, alphabet)
    if alphabet**length > 1 << 16:
        raise ValueError(f"evidence(length={length}, alphabet={alphabet}): {alphabet}^{length} inputs, at most 65,536")
    halves = [list(half) for half in itertools.product(range(alphabet), repeat=length // 2)]
    witness = DistinguishingTable(alice=list(range(length // 2)), rows=halves, columns=halves)
    return Evidence("equality", {"length": length, "alphabet": alphabet}, witness)


@dataclass(frozen=True)
class Collision:
    """Two halves with one state, and the input, a first half and a second, on which the model errs."""

    halves: tuple[tuple[int, ...], tuple[int, ...]]
    errs_on: tuple[int, ...]
    answer: int
    expected: int
    tried: int


def collide(model: AnyModel, length: int, alphabet: int = 2, seed: int = 0) -> Collision | None:
    """Two halves of N/2 symbols that leave the model in one state, and an input on which it must err.

    The model says 1 for equal. None: no two of all S^(N/2) collide (then B >= N/2 log2 S).
    Raises ValueError where 2^21 were walked without a collision and more remain.
    """
    require("collide", length, alphabet)
    party, tried = as_machine(model), 0
    seen: dict[Hashable, tuple[int, ...]] = {}
    walk = scattered(length // 2, alphabet, seed, MOST_PREFIXES)
    while block := list(itertools.islice(walk, BLOCK)):
        for half, state in zip(block, party.states(np.array(block, dtype=np.int64)), strict=True):
            tried += 1
            other = seen.setdefault(state, half)
            if other == half or party.pack(party.read(half)[1]) != party.pack(party.read(other)[1]):
                continue
            wrong = half + half if choice(party.read(half + half)[0][-1]) != 1 else other + half
            answer = choice(party.read(wrong)[0][-1])
            return Collision((other, half), wrong, answer, int(is_equal(list(wrong))), tried)
    if tried < alphabet ** (length // 2):
        raise ValueError(f"collide(length={length}, alphabet={alphabet}): no collision among {tried:,} halves")
    return None


def fingerprint(length: int, alphabet: int, bits: int) -> Recurrence:
    """A hash: sum of (x_i + 1) r^i over the first half less that over the second, modulo the greatest prime below 2^bits.

    Transitions differ by time step; equal halves always pass. Raises ValueError below 2 bits.
    """
    require("fingerprint", length, alphabet)
    if bits < 2:
        raise ValueError(f"fingerprint(bits={bits}): at least 2 bits, for a prime")
    half = length // 2
    prime = next(q for q in range((1 << bits) - 1, 1, -1) if all(q % d for d in range(2, math.isqrt(q) + 1)))
    root = 1 + prime // 3

    def move(t: int, state: int, token: int) -> int:
        sign = 1 if t < half else -1
        return (state + sign * (token + 1) * pow(root, t % half + 1, prime)) % prime

    return Recurrence(bits, 0, move, lambda t, state: int(state == 0))

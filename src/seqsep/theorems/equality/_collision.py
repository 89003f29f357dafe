"""Theorem 11 by communication: two halves that leave a recurrent model in one state, and an input that it then answers
wrongly.

Alice holds the first half a. It leaves the model in some state, which is her message to Bob (`one_way_protocol`). Bob holds the
second half, continues from that state, and answers. Suppose that two first halves a != b leave the same state. If Bob holds a,
the model gives the same answer to b a and to a a. One of the two answers is wrong. So all halves leave different states:
2^(state bits) >= S^(N/2).

The search visits halves in a fixed scattered order, each once, until two of them leave the same state. For B bits of state
this takes at most 2^B + 1 halves. It takes about 2^(B/2) on average for a model that mixes well. Models on tensors run in
batches, in which sums may round differently. So a collision counts only if the two halves, each run by itself, leave equal
states.
"""

import itertools
import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import Recurrence
from seqsep.theorems.base import Claim, Number, Outcome
from seqsep.theorems.equality._words import count_halves, has_equal_halves, require
from seqsep.theorems.evidence import DistinguishingTable, Evidence
from seqsep.theorems.options import AlphabetFrom2, LengthFrom2
from seqsep.theorems.protocols.collision import MOST_PREFIXES, TaskSizes, scattered
from seqsep.theorems.protocols.machine import AnyModel, BitMachine, as_machine, choice
from seqsep.theorems.protocols.small_models import with_random_weights

STATEMENT = "A recurrent model with fewer than N/2 log2 S state bits is wrong on some input of equality"
BLOCK = 256
MOST_PAIRS = 1 << 16
MOST_FINGERPRINT_BITS = 18
EXAMPLES = 256


@dataclass(frozen=True)
class CollidingHalves:
    """Two halves with one state, and the input, a first half and a second, that the model answers wrongly."""

    halves: tuple[tuple[int, ...], tuple[int, ...]]
    errs_on: tuple[int, ...]
    answer: int
    expected: int
    tried: int


def collide(model: AnyModel, length: int, alphabet: int = 2, seed: int = 0) -> CollidingHalves | None:
    """Find two halves that leave the model in one state, and an input that it then answers wrongly.

    The model says 1 for equal. None: no two of all S^(N/2) collide (then B >= N/2 log2 S). Raises ValueError if 2^21 were
    visited without a collision and more remain.

    >>> parity = Recurrence(1, 0, lambda t, state, token: state ^ token, lambda t, state: 1 - state)
    >>> shown = collide(parity, length=4)
    >>> parity.answer(shown.errs_on) == shown.answer != shown.expected
    True
    """
    require("collide", length, alphabet)
    party = as_machine(model)
    tried = 0
    first_with: dict[Hashable, tuple[int, ...]] = {}
    walk = scattered(length // 2, alphabet, seed, MOST_PREFIXES)
    while block := list(itertools.islice(walk, BLOCK)):
        for half, state in zip(block, party.states(np.array(block, dtype=np.int64)), strict=True):
            tried += 1
            other = first_with.setdefault(state, half)
            if other != half and _packed_state(party, half) == _packed_state(party, other):
                return _collision_outcome(party, other, half, tried)
    if tried < count_halves(length, alphabet):
        raise ValueError(f"collide(length={length}, alphabet={alphabet}): no collision among {tried:,} halves")
    return None


def _packed_state(party: BitMachine, half: tuple[int, ...]) -> tuple[int, int]:
    """Read one half by itself, and pack the state that it leaves."""
    _, state = party.read(half)
    return party.pack(state)


def _answer(party: BitMachine, word: tuple[int, ...]) -> int:
    """Read a word, and choose the class of the last output."""
    outputs, _ = party.read(word)
    return choice(outputs[-1])


def _collision_outcome(party: BitMachine, other: tuple[int, ...], half: tuple[int, ...], tried: int) -> CollidingHalves:
    """Return the one of a b and b b that the model answers wrongly, for halves a != b that leave one state."""
    errs_on = half + half if _answer(party, half + half) != 1 else other + half
    return CollidingHalves(
        halves=(other, half),
        errs_on=errs_on,
        answer=_answer(party, errs_on),
        expected=int(has_equal_halves(list(errs_on))),
        tried=tried,
    )


def fingerprint(length: int, alphabet: int, bits: int) -> Recurrence:
    """Build a hash of the halves: the sum of (x_i + 1) r^i over the first one less that over the second.

    Sums are modulo the greatest prime below 2^bits. Transitions differ by time step; equal halves always pass. Raises
    ValueError below 2 bits.

    >>> fingerprint(length=4, alphabet=2, bits=3).answer([0, 1, 0, 1])
    1
    """
    require("fingerprint", length, alphabet)
    if bits < 2:
        raise ValueError(f"fingerprint(bits={bits}): at least 2 bits, for a prime")
    half = length // 2
    prime = next(number for number in range((1 << bits) - 1, 1, -1) if _is_prime(number))
    root = 1 + prime // 3

    def move(t: int, state: int, token: int) -> int:
        sign = 1 if t < half else -1
        return (state + sign * (token + 1) * pow(root, t % half + 1, prime)) % prime

    return Recurrence(bits, 0, move, lambda t, state: int(state == 0))


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, math.isqrt(number) + 1))


def check_smaller(
    claim: Claim, length: int, alphabet: int, words: Int64[np.ndarray, "n length"], seed: int
) -> Iterator[Outcome]:
    """Find inputs that two models with too few bits answer wrongly: a fingerprint, and an LSTM rounded to a bit a number.

    Raises TheoremFails with a model that has no such input. Nothing is checked if the bound is below 3 bits.
    """
    needed = ceil_log2(count_halves(length, alphabet))
    if needed < 3:
        return
    bits = min(needed - 1, MOST_FINGERPRINT_BITS)
    width = min((needed - 1) // 2, 8)
    lstm = with_random_weights(TaskSizes(alphabet, 2, length), "lstm", width, seed=seed)
    models = {
        f"fingerprint modulo a prime of {bits} bits": as_machine(fingerprint(length, alphabet, bits)),
        "LSTM with one bit for each number": as_machine(lstm, 1, words[:EXAMPLES]),
    }
    for name, party in models.items():
        shown = collide(party, length, alphabet, seed)
        if shown is None or shown.answer == shown.expected:
            raise claim.fails({"model": name, "state bits": party.bits, "collision": shown})
        yield claim.lower(
            statement=STATEMENT,
            length=length,
            inputs=shown.tried,
            measured={"state_bits": party.bits},
            bound={"state_bits": needed},
            as_printed=printed(length, alphabet),
            variant=name,
            witness={
                "prefixes": [list(half) for half in shown.halves],
                "errs_on": list(shown.errs_on),
                "answer": shown.answer,
                "expected": shown.expected,
            },
        )


def printed(length: int, alphabet: int) -> dict[str, Number | str] | None:
    """Return the bound in the paper, N/2 bits, if it differs from ours."""
    return None if alphabet == 2 else {"state_bits": length // 2}


def certificate_witness(length: LengthFrom2 = 10, alphabet: AlphabetFrom2 = 2) -> Evidence:
    """Show all S^(N/2) halves as prefixes, distinguished by all as suffixes: a first half is equal to one of them only.

    Raises ValueError as `require`, or beyond 2^16 pairs of halves.
    """
    require("certify", length, alphabet)
    if alphabet**length > MOST_PAIRS:
        raise ValueError(f"certify(length={length}, alphabet={alphabet}): {alphabet}^{length} inputs, at most {MOST_PAIRS:,}")
    every_half = [list(half) for half in itertools.product(range(alphabet), repeat=length // 2)]
    witness = DistinguishingTable(alice=list(range(length // 2)), rows=every_half, columns=every_half)
    return Evidence("equality", {"length": length, "alphabet": alphabet}, witness)

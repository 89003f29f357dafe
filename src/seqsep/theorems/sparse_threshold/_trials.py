"""Assignments to test `two_layers` on, and how its answers are compared."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.formulas import Thresholds
from seqsep.maths.networks.executor import Execution
from seqsep.maths.networks.network import Network
from seqsep.tasks.sparse_threshold import readable_function
from seqsep.theorems.base import whole_numbers
from seqsep.theorems.checking import passes
from seqsep.theorems.trial import Trial, climb, distances, edited

BOS = 2
FIRST_SLOT = 3
EXHAUSTIVE_SCORES = 10**8
AT_ONCE = 1 << 22
CLIMBS = 20

Bits = Int64[np.ndarray, "batch variables"]


def tokens(bits: Bits, slots: int) -> Int64[np.ndarray, "batch tokens"]:
    """[BOS] is 2, a bit itself, slot i from 0 is 3 + i."""
    begin = np.full((len(bits), 1), BOS)
    return np.concatenate([begin, bits, np.broadcast_to(FIRST_SLOT + np.arange(slots), (len(bits), slots))], axis=1)


def every_assignment(variables: int) -> Bits:
    """Return all 2^N assignments."""
    return (np.arange(1 << variables)[:, None] >> np.arange(variables)) & 1


def hard_assignments(formula: Thresholds, random: np.random.Generator, most: int) -> Iterator[Bits]:
    """At most `most` of each kind: random ones, constants except for one bit (at every position), and ones at the threshold.

    The second kind is the worst for disjointness and majority, whose literals have one sign. If every other bit raises its own
    score, [BOS] loses most weight.
    """
    variables = formula.variables
    yield random.integers(2, size=(most, variables))
    where = random.permutation(variables)[:most]
    odd = np.zeros((len(where), variables), dtype=np.int64)
    odd[np.arange(len(where)), where] = 1
    yield odd
    yield 1 - odd
    bits = _at_threshold(formula, random, min(most, 32))
    yield bits
    if len(bits) and len(where):
        flipped = bits[np.arange(len(where)) % len(bits)]
        flipped[np.arange(len(where)), where] ^= 1
        yield flipped


def _at_threshold(formula: Thresholds, random: np.random.Generator, count: int) -> Bits:
    """Assignments that climb, by flips of bits, to as many features that hold as the bound, or one more."""
    variables = formula.variables
    bits = random.integers(2, size=(count, variables))
    aim = formula.bound + (np.arange(count) % 2)
    apart = np.abs(formula.count(bits) - aim)
    for _ in range(CLIMBS if variables else 0):
        flips = random.random((count, variables)) < random.choice([1, 2, 8]) / variables
        moved = bits ^ flips
        apart_moved = np.abs(formula.count(moved) - aim)
        bits = np.where((apart_moved <= apart)[:, None], moved, bits)
        apart = np.minimum(apart_moved, apart)
    return bits


def exhaustible(formula: Thresholds, tokens: int, heads: int) -> bool:
    """Return True if every assignment can be tested."""
    return formula.variables <= 16 and (tokens**2 * heads << formula.variables) <= EXHAUSTIVE_SCORES


def margin(network: Network) -> Callable[[Execution], Array]:
    """Return the distance of each count from 1/2, over slots; elsewhere counts are at most 0."""
    return lambda result: distances(result.attended[0][..., network.spaces["count"]], Fraction(1, 2))


def put(trial: Trial, formula: Thresholds, bits: Bits) -> np.ndarray:
    """Run the network of a formula on assignments, in parts that fit, and return the margin of each.

    Slots are tokens unless positions hold them.
    """
    slots = 0 if trial.network.indices is None else len(trial.network.indices.integers)
    expected = formula.evaluate(bits)
    at_once = max(1, AT_ONCE // (1 + formula.variables + slots) ** 2)
    margins = [np.zeros(0)]
    for first in range(0, len(bits), at_once):
        part = bits[first : first + at_once]

        def readable(row: int, part: Bits = part) -> Mapping[str, Any]:
            return {"bits": part[row].tolist()}

        result = trial.require(tokens(part, slots), expected[first : first + at_once], readable)
        margins.append(trial.margins(result) if trial.margin is not None else np.zeros(len(part)))
    return np.concatenate(margins)


def put_hard(trial: Trial, formula: Thresholds, random: np.random.Generator, most: int) -> None:
    """Run every kind of `hard_assignments`, and up to 64 bits a climb from some of them by flipping bits."""
    bits = np.concatenate(list(hard_assignments(formula, random, most)))
    put(trial, formula, bits)
    if 0 < formula.variables <= 64 and len(bits):
        some = bits[:: max(1, len(bits) // 16)]
        climb(lambda changed: put(trial, formula, changed), some, lambda changed: edited(changed, 2, random))


def answers_hard(network: Network, formula: Thresholds, seed: int) -> bool:
    """Return True if a network answers hard assignments rightly on its grid."""
    trial = Trial("", network, in_floats=0)
    bits = np.concatenate(list(hard_assignments(formula, np.random.default_rng(seed), 64)))
    return passes(lambda: put(trial, formula, bits))


def read(given: Mapping[str, Any], variables: int, halves: bool) -> Int64[np.ndarray, "1 variables"]:
    """Read {"bits": [..]}, or {"left": [..], "right": [..]} for two halves. Raises ValueError with the field's name."""
    names = ("left", "right") if halves and "bits" not in given else ("bits",)
    assignment: list[int] = []
    for name in names:
        bits = whole_numbers(given, name)
        if len(bits) != variables // len(names):
            raise ValueError(f"{name}: expected {variables // len(names)} bits, found {len(bits)}")
        wrong = [bit for bit in bits if bit not in (0, 1)]
        if wrong:
            raise ValueError(f"{name}: expected 0 or 1, found {wrong[0]}")
        assignment.extend(bits)
    return np.array([assignment], dtype=np.int64).reshape(1, variables)


def require_function(given: Mapping[str, Any], thresholds: Thresholds, name: str) -> None:
    """Raise ValueError if a user's input has `features` and `threshold` of a function other than the one called `name`."""
    own = readable_function(thresholds)
    for field, expected in own.items():
        if field in given and given[field] != expected:
            raise ValueError(f"{field}: expected those of {name}, of which the network is built, found another function's")

"""Inputs of the equality of two halves, the right answers, and the margin; plain and relabelled halves share them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, Int64

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.codes.codes import BY_NAME as CODES
from seqsep.maths.networks.executor import Execution, run
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import TheoremFails, symbols_in
from seqsep.theorems.checking import passes
from seqsep.theorems.evidence import Evidence, NetworkRun
from seqsep.theorems.trial import Trial, climb, distances, edited

EXHAUSTIVE_INPUTS = 1 << 16
MOST_CERTIFIED = 256
AT_ONCE = 1 << 22
LONGEST_CLIMBED = 64

Inputs = Int64[np.ndarray, "n length"]


@dataclass(frozen=True)
class ComparedHalves:
    """Two halves over S symbols, for EQ or INEQ; `order` holds the places of the left symbols, then the right ones."""

    alphabet: int
    order: Int64[np.ndarray, "length"]
    unequal: bool

    @classmethod
    def plain(cls, length: int, alphabet: int, unequal: bool) -> "ComparedHalves":
        """The first half of the positions and the second."""
        return cls(alphabet, np.arange(length), unequal)

    @property
    def length(self) -> int:
        """Count the positions of both halves: N."""
        return len(self.order)

    def placed(self, inputs: Inputs) -> Inputs:
        """Return the tokens that a network reads: symbol i of an input is at place order[i]."""
        tokens = np.empty_like(inputs)
        tokens[:, self.order] = inputs
        return tokens

    def answers(self, inputs: Inputs) -> Int64[np.ndarray, "n"]:
        """Answer EQ, or INEQ, for each input by definition."""
        return is_equal(inputs) ^ self.unequal


def is_equal(inputs: Inputs) -> Int64[np.ndarray, "n"]:
    """Answer 1 if the first half of an input equals the second, by definition.

    >>> is_equal(np.array([[0, 1, 0, 1], [0, 1, 1, 1]]))
    array([1, 0])
    """
    left, right = np.split(inputs, 2, axis=1)
    return (left == right).all(axis=1).astype(np.int64)


def every_input(length: int, alphabet: int) -> Inputs:
    """List all S^N inputs, the first symbol changing fastest.

    >>> every_input(2, 2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    return np.arange(alphabet**length)[:, None] // alphabet ** np.arange(length) % alphabet


def hard_inputs(length: int, alphabet: int, random: np.random.Generator, most: int) -> Iterator[Inputs]:
    """Yield at most `most` inputs of each kind: random halves, equal ones, nearly equal ones, and near-constant ones.

    Nearly equal halves differ in one symbol, changed at every position, or at `most` drawn ones if N/2 is more. Near-constant
    inputs have one other symbol there, in both halves, the left or the right: a retrieved bit is furthest from its value if
    every other position holds the opposite bit.
    """
    half = length // 2
    places = np.arange(half) if half <= most else np.unique(random.integers(half, size=most))
    rows = np.arange(len(places))
    yield random.integers(alphabet, size=(min(most, 64), length))
    left = random.integers(alphabet, size=(len(places), half))
    equal = np.concatenate([left, left], axis=1)
    yield equal[:64]
    for offset in (0, half):
        changed = equal.copy()
        changed[rows, places + offset] += random.integers(1, max(2, alphabet), size=len(places))
        yield changed % alphabet
    for common, other in ((0, alphabet - 1), (alphabet - 1, 0)):
        for offsets in ((0, half), (0,), (half,)):
            near_constant = np.full((len(places), length), common, dtype=np.int64)
            for offset in offsets:
                near_constant[rows, places + offset] = other
            yield near_constant


def margin(network: Network) -> Callable[[Execution], Array]:
    """Return what measures the distance of |x_t - z| from 1/2, for each bit and position."""

    def apart(execution: Execution) -> Array:
        difference = execution.attended[0][..., network.spaces["symbol"]]
        return distances(Array(np.abs(difference.integers), difference.unit), Fraction(1, 2))

    return apart


def put(trial: Trial, halves: ComparedHalves, inputs: Inputs) -> Float64[np.ndarray, "n"]:
    """Run a network on inputs, the left half and then the right, in parts that fit. Returns the margin of each.

    Raises TheoremFails with the input of a wrong answer.
    """
    half = halves.length // 2
    at_once = max(1, AT_ONCE // (4 * half * half))
    margins = []
    for first in range(0, len(inputs), at_once):
        part = inputs[first : first + at_once]

        def readable(row: int, part: Inputs = part) -> Mapping[str, Any]:
            return {"left": part[row, :half].tolist(), "right": part[row, half:].tolist()}

        execution = trial.require(halves.placed(part), halves.answers(part), readable)
        margins.append(np.zeros(len(part)) if trial.margin is None else trial.margins(execution))
    return np.concatenate(margins)


def put_hard(trial: Trial, halves: ComparedHalves, random: np.random.Generator, most: int, climbs: bool = True) -> None:
    """Run every kind of `hard_inputs`; with `climbs`, up to N = 64, climb from some of them by changing symbols."""
    inputs = np.concatenate(list(hard_inputs(halves.length, halves.alphabet, random, most)))
    put(trial, halves, inputs)
    if climbs and halves.length <= LONGEST_CLIMBED:
        spread = inputs[:: -max(1, len(inputs) // 8)]
        climb(
            lambda changed: put(trial, halves, changed),
            spread,
            lambda changed: edited(changed, halves.alphabet, random),
        )


def answers_hard(network: Network, halves: ComparedHalves, seed: int) -> bool:
    """Tell whether a network answers the hard inputs on its grid."""
    trial = Trial("", network, in_floats=0)
    random = np.random.default_rng(seed)
    return passes(lambda: put_hard(trial, halves, random, 64, climbs=False))


@contextmanager
def naming(**given: Any) -> Iterator[None]:
    """Add these fields to a counterexample that is met inside."""
    try:
        yield
    except TheoremFails as failure:
        raise TheoremFails(failure.theorem, {**given, **failure.counterexample}) from None


def certified(network: Network, halves: ComparedHalves, seed: int) -> Evidence:
    """Show the network's answers: to every input if these are at most 256, else to two hard ones of each kind."""
    length = halves.length
    alphabet = halves.alphabet
    if alphabet**length <= MOST_CERTIFIED:
        inputs = every_input(length, alphabet)[:, ::-1]
    else:
        inputs = np.unique(np.concatenate(list(hard_inputs(length, alphabet, np.random.default_rng(seed), 2))), axis=0)
    answers = run(network, inputs, at=-1).answers[:, 0]
    task = "inequality" if halves.unequal else "equality"
    return Evidence(task, {"length": length, "alphabet": alphabet}, NetworkRun(network, inputs, answers))


def symbols_of(given: Mapping[str, Any], length: int, alphabet: int) -> list[int]:
    """Read the symbols of {"left": [..], "right": [..]}, N/2 each, in this order. Raises ValueError with the field's name.

    >>> symbols_of({"left": [0, 1], "right": [1, 1]}, length=4, alphabet=2)
    [0, 1, 1, 1]
    """
    both: list[int] = []
    for name in ("left", "right"):
        both.extend(symbols_in(given, name, alphabet, least=length // 2, most=length // 2))
    return both


def require(call: str, length: int, alphabet: int, code: str) -> None:
    """Raise ValueError for a length, alphabet or code that does not exist."""
    if code not in CODES:
        raise ValueError(f"{call}(code={code!r}): code is one of {', '.join(CODES)}")
    if length < 2 or length % 2 or alphabet < 1:
        raise ValueError(f"{call}(length={length}, alphabet={alphabet}): length is an even number from 2, alphabet at least 1")


class EqualityCase(NamedTuple):
    """One network of the long check, and the most inputs of each hard kind that it is tried on."""

    length: int
    code: str
    alphabet: int
    unequal: bool
    most: int


class EqualitySeries(NamedTuple):
    """Cases of the long check, up to a number of inputs."""

    inputs: int
    lengths: tuple[int, ...]
    codes: tuple[str, ...]
    most: int

    def case(self, turn: int) -> EqualityCase:
        """Take all lengths in turn; a code, and EQ or INEQ, for each round of them."""
        rounds = turn // len(self.lengths)
        return EqualityCase(
            length=self.lengths[turn % len(self.lengths)],
            code=self.codes[rounds % len(self.codes)],
            alphabet=(2, 3, 64)[turn % 3],
            unequal=rounds % 2 == 1,
            most=self.most,
        )


def long_check(inputs_small: int, inputs_large: int) -> tuple[EqualitySeries, ...]:
    """Plan series: half of the small inputs at N <= 64 with every code, half up to 256; the large ones at 1,024 to 4,096."""
    narrow = ("parabola", "binary", "kerdock", "dual-bch", "circle")
    half = inputs_small // 2
    return (
        EqualitySeries(half, (2, 4, 6, 8, 16, 32, 62, 64), (*narrow, "signs", "one-hot"), most=300),
        EqualitySeries(inputs_small - half, (66, 100, 128, 254, 256), narrow, most=128),
        EqualitySeries(inputs_large, (1024, 1024, 2048, 1024, 1024, 4096, 1024), narrow, most=6),
    )

"""Inputs of the equality of two halves, what is expected of them, and the margin; relabelled halves share them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.exact.codes import BY_NAME as CODES
from seqsep.exact.executor import Execution, run
from seqsep.exact.grid import Array
from seqsep.exact.network import Network
from seqsep.theorems.base import TheoremFails, whole_numbers
from seqsep.theorems.checking import passes
from seqsep.theorems.evidence import Evidence, NetworkRun
from seqsep.theorems.trial import Trial, climb, distances, edited

EXHAUSTIVE_INPUTS = 1 << 16
AT_ONCE = 1 << 22


def hard_inputs(length: int, alphabet: int, random: np.random.Generator, most: int) -> Iterator[Int64[np.ndarray, "n length"]]:
    """At most `most` inputs of each kind: random halves; equal ones, and those with one symbol changed, at every position;
    constants but for one symbol, in both halves, the left or the right.

    A retrieved bit is furthest from its value where every other position holds the opposite bit: the last kind.
    """
    half = length // 2
    where = np.arange(half) if half <= most else np.unique(random.integers(half, size=most))
    yield random.integers(alphabet, size=(min(most, 64), length))
    left = random.integers(alphabet, size=(len(where), half))
    yield np.concatenate([left, left], axis=1)[:64]
    for offset in (0, half):
        edited = np.concatenate([left, left], axis=1)
        edited[np.arange(len(where)), where + offset] += random.integers(1, max(2, alphabet), size=len(where))
        yield edited % alphabet
    for common, odd in ((0, alphabet - 1), (alphabet - 1, 0)):
        for places in ((0, half), (0,), (half,)):
            sequences = np.full((len(where), length), common, dtype=np.int64)
            for offset in places:
                sequences[np.arange(len(where)), where + offset] = odd
            yield sequences


def shown(network: Network, length: int, alphabet: int, unequal: bool, seed: int) -> Evidence:
    """Every input where there are at most 256, else hard ones, two of each kind and position; and what the network answers."""
    if alphabet**length <= 256:
        inputs = np.arange(alphabet**length)[:, None] // alphabet ** np.arange(length)[::-1] % alphabet
    else:
        inputs = np.unique(np.concatenate(list(hard_inputs(length, alphabet, np.random.default_rng(seed), 2))), axis=0)
    answers = run(network, inputs, at=-1).answers[:, 0]
    task = "inequality" if unequal else "equality"
    return Evidence(task, {"length": length, "alphabet": alphabet}, NetworkRun(network, inputs, answers))


def is_equal(inputs: Int64[np.ndarray, "n length"]) -> Int64[np.ndarray, "n"]:
    """By definition."""
    left, right = np.split(inputs, 2, axis=1)
    return (left == right).all(axis=1).astype(np.int64)


def margin(network: Network) -> Callable[[Execution], Array]:
    """The distance of |x_t - z| from 1/2, of each bit and position."""

    def apart(result: Execution) -> Array:
        difference = result.attended[0][..., network.spaces["symbol"]]
        return distances(Array(np.abs(difference.integers), difference.unit), Fraction(1, 2))

    return apart


def put(trial: Trial, inputs: Int64[np.ndarray, "n length"], unequal: bool, order: Int64[np.ndarray, "length"]) -> np.ndarray:
    """Put inputs, the left half and then the right, to a network that reads symbol i at place order[i]; in parts that fit.

    Returns the margin of each.
    """
    half, margins = inputs.shape[1] // 2, []
    at_once = max(1, AT_ONCE // (4 * half * half))
    for first in range(0, len(inputs), at_once):
        part = inputs[first : first + at_once]

        def readable(row: int, part: Int64[np.ndarray, "n length"] = part) -> Mapping[str, Any]:
            return {"left": part[row, :half].tolist(), "right": part[row, half:].tolist()}

        tokens = np.empty_like(part)
        tokens[:, order] = part
        result = trial.require(tokens, is_equal(part) ^ unequal, readable)
        margins.append(trial.margins(result) if trial.margin is not None else np.zeros(len(part)))
    return np.concatenate(margins)


@contextmanager
def naming(**given: Any) -> Iterator[None]:
    """A counterexample that is met here names this as well."""
    try:
        yield
    except TheoremFails as failure:
        raise TheoremFails(failure.theorem, {**given, **failure.counterexample}) from None


def put_hard(
    trial: Trial,
    alphabet: int,
    unequal: bool,
    order: Int64[np.ndarray, "length"],
    random: np.random.Generator,
    most: int,
    climbs: bool = True,
) -> None:
    """Every kind of `hard_inputs`, and with `climbs` up to N = 64 a climb from some of the last ones by changing symbols."""
    inputs = np.concatenate(list(hard_inputs(len(order), alphabet, random, most)))
    put(trial, inputs, unequal, order)
    if climbs and len(order) <= 64:
        climb(
            lambda changed: put(trial, changed, unequal, order), inputs[:: -max(1, len(inputs) // 8)],
            lambda changed: edited(changed, alphabet, random),
        )  # fmt: skip


def answers_hard(network: Network, alphabet: int, unequal: bool, order: Int64[np.ndarray, "length"], seed: int) -> bool:
    """Whether a network answers the hard inputs on its grid."""
    trial = Trial("", network, in_floats=0)
    random = np.random.default_rng(seed)
    return passes(lambda: put_hard(trial, alphabet, unequal, order, random, 64, climbs=False))


def read(given: Mapping[str, Any], length: int, alphabet: int) -> list[int]:
    """The symbols of {"left": [..], "right": [..]}. Raises ValueError with the field's name."""
    found: list[int] = []
    for name in ("left", "right"):
        symbols = whole_numbers(given, name)
        if len(symbols) != length // 2:
            raise ValueError(f"{name}: expected {length // 2} symbols, half of {length}, found {len(symbols)}")
        if not 0 <= min(symbols) <= max(symbols) < alphabet:
            raise ValueError(f"{name}: expected 0 to {alphabet - 1}, found {min(symbols)} to {max(symbols)}")
        found.extend(symbols)
    return found


def require(call: str, length: int, alphabet: int, code: str) -> None:
    """Raise ValueError for a length, alphabet or code that there is not."""
    if code not in CODES:
        raise ValueError(f"{call}(code={code!r}): code is one of {', '.join(CODES)}")
    if length < 2 or length % 2 or alphabet < 1:
        raise ValueError(f"{call}(length={length}, alphabet={alphabet}): length is an even number from 2, alphabet at least 1")


def every_input(length: int, alphabet: int) -> Int64[np.ndarray, "n length"]:
    return np.arange(alphabet**length)[:, None] // alphabet ** np.arange(length) % alphabet


Case = tuple[int, str, int, bool, int]


def plan(inputs_small: int, inputs_large: int) -> Iterator[tuple[int, Callable[[int], Case]]]:
    """So many inputs, and for each turn: N, the code, the alphabet, EQ or INEQ, and the most inputs of a kind.

    Half of the small ones at N <= 64 with every code, half up to 256, the large ones at 1,024 to 4,096.
    """
    narrow = ("parabola", "binary", "kerdock", "dual-bch", "circle")
    for lengths, codes, inputs, most in (
        ((2, 4, 6, 8, 16, 32, 62, 64), (*narrow, "signs", "one-hot"), inputs_small // 2, 300),
        ((66, 100, 128, 254, 256), narrow, inputs_small - inputs_small // 2, 128),
        ((1024, 1024, 2048, 1024, 1024, 4096, 1024), narrow, inputs_large, 6),
    ):

        def case(turn: int, lengths: tuple[int, ...] = lengths, codes: tuple[str, ...] = codes, most: int = most) -> Case:
            rounds = turn // len(lengths)
            return lengths[turn % len(lengths)], codes[rounds % len(codes)], (2, 3, 64)[turn % 3], rounds % 2 == 1, most

        yield inputs, case

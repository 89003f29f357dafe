"""Formulas and assignments that `sparse_threshold_two_layers` is tried on, and how its answers are compared."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.exact.executor import Execution
from seqsep.exact.formulas import Thresholds, TruthTable, cnf, disjointness, dnf, equality, majority
from seqsep.exact.grid import Array
from seqsep.exact.network import Network
from seqsep.theorems.base import Erratum, whole_numbers
from seqsep.theorems.checking import passes
from seqsep.theorems.trial import Trial, climb, distances, edited

BOS, FIRST_SLOT = 2, 3
EXHAUSTIVE_SCORES = 10**8
AT_ONCE = 1 << 22
CLIMBS = 20

TESTS = "tests/theorems/sparse_threshold/test_two_layers.py"
INSTANCES = {"disjointness": disjointness, "majority": majority, "equality": equality}
RANDOM = ("cnf", "dnf", "tables")
ERRATA = (
    Erratum(
        where="Theorem 13, appendix F.3, mask",
        printed="feature i is computed at position i, read at the last position",
        found="position i needs bits after it: under a causal mask 175 of 256 answers to disjointness are "
        "wrong at N = 8, without a mask none",
        built="a slot for each feature after the bits: causal, and any number of features; `variant=printed` has no mask",
        test=f"{TESTS}::test_the_printed_layout_needs_attention_without_a_mask",
    ),
    Erratum(
        where="Theorem 13, appendix F.3, FFN",
        printed="the FFN computes g at every position from the k bits fetched; the embedding has 1 + (k+1) r coordinates",
        found="the FFN is the same at every position and g is not; no printed coordinate depends on g: they "
        "are equal for all functions g of the same bits",
        built="signs and count in the slot's embedding, and attention that evaluates literals; tables are sums of such slots",
        test=f"{TESTS}::test_no_printed_coordinate_depends_on_the_feature",
    ),
    Erratum(
        where="Section 4, appendices B.1 and F.3, DISJ",
        printed="disjointness can be represented as a 2-CNF",
        found="B.1 defines DISJ as 1 where the sets meet, the 2-DNF that F.3 gives for its complement; from N = 6 "
        "on no clause of 2 literals follows from it, so it is no 2-CNF",
        built="DISJ as in B.1, a 2-DNF",
        test=f"{TESTS}::test_disj_of_b1_is_a_2_dnf_and_no_2_cnf",
    ),
)

Bits = Int64[np.ndarray, "batch variables"]


def tokens(bits: Bits, slots: int) -> Int64[np.ndarray, "batch tokens"]:
    """[BOS] is 2, a bit itself, slot i from 0 is 3 + i."""
    begin = np.full((len(bits), 1), BOS)
    return np.concatenate([begin, bits, np.broadcast_to(FIRST_SLOT + np.arange(slots), (len(bits), slots))], axis=1)


def instances(
    length: int, instance: str | None, heads: int | None, random: np.random.Generator, few: bool
) -> dict[str, Thresholds]:
    """By name: those of F.3 and random ones of N bits with about 2 N features, or at most N slots if `few`.

    Raises ValueError for an unknown instance or a length that does not suit it.
    """
    names = (*INSTANCES, *RANDOM)
    if instance is not None and instance not in names:
        raise ValueError(f"check(instance={instance!r}): instance is one of {', '.join(names)}")
    k, found = 3 if heads is None else heads, {}
    if length < 1 or k < 1:
        raise ValueError(f"check(length={length}, heads={heads}): length and heads are at least 1")
    for name in names if instance is None else (instance,):
        if name in INSTANCES:
            if instance is not None or (length % 2 == 0 and (heads is None or heads > 1)) or name == "majority":
                found[name] = INSTANCES[name](length)
        elif name == "tables":
            found[name] = random_tables(length, k, length >> (k - 1) if few else length, random)
        else:
            found[name] = (random_cnf if name == "cnf" else random_dnf)(length, k, length if few else 2 * length, random)
    return found


def random_cnf(variables: int, k: int, clauses: int, random: np.random.Generator, shortest: int = 1) -> Thresholds:
    """Clauses of `shortest` to k literals on any variables, so that repeated ones and tautologies occur."""
    return cnf(variables, _literals(variables, k, clauses, random, shortest))


def random_dnf(variables: int, k: int, terms: int, random: np.random.Generator) -> Thresholds:
    return dnf(variables, _literals(variables, k, terms, random, 1))


def _literals(variables: int, k: int, count: int, random: np.random.Generator, shortest: int) -> Iterator[tuple[int, ...]]:
    for size in random.integers(shortest, k + 1, size=count).tolist():
        yield tuple((random.integers(1, variables + 1, size=size) * random.choice([-1, 1], size=size)).tolist())


def random_tables(variables: int, k: int, count: int, random: np.random.Generator) -> Thresholds:
    """Any functions of up to k variables, and a bound of about half of them."""
    features = []
    for size in random.integers(0, min(k, variables) + 1, size=count).tolist():
        indices = (random.permutation(variables)[:size] + 1).tolist()
        features.append(TruthTable(tuple(indices), tuple(random.integers(2, size=1 << size).tolist())))
    return Thresholds(variables, tuple(features), count // 2)


def every_assignment(variables: int) -> Bits:
    return (np.arange(1 << variables)[:, None] >> np.arange(variables)) & 1


def hard_assignments(formula: Thresholds, random: np.random.Generator, most: int) -> Iterator[Bits]:
    """At most `most` of each kind: random ones; constants but for one bit, at every position; and a climb to the threshold,
    ending where flips of single bits change the answer.

    [BOS] loses most weight where all other bits add to their scores: in an instance, whose literals are alike, the second kind.
    """
    variables = formula.variables
    yield random.integers(2, size=(most, variables))
    where = random.permutation(variables)[:most]
    odd = np.zeros((len(where), variables), dtype=np.int64)
    odd[np.arange(len(where)), where] = 1
    yield odd
    yield 1 - odd
    bits = random.integers(2, size=(min(most, 32), variables))
    aim = formula.bound + (np.arange(len(bits)) % 2)
    apart = np.abs(formula.count(bits) - aim)
    for _ in range(CLIMBS if variables else 0):
        flips = random.random((len(bits), variables)) < random.choice([1, 2, 8]) / variables
        moved = bits ^ flips
        now = np.abs(formula.count(moved) - aim)
        bits, apart = np.where((now <= apart)[:, None], moved, bits), np.minimum(now, apart)
    yield bits
    if len(bits) and len(where):
        edited = bits[np.arange(len(where)) % len(bits)]
        edited[np.arange(len(where)), where] ^= 1
        yield edited


def exhaustible(formula: Thresholds, tokens: int, heads: int) -> bool:
    """Whether every assignment can be tried."""
    return formula.variables <= 16 and (tokens**2 * heads << formula.variables) <= EXHAUSTIVE_SCORES


def margin(network: Network) -> Callable[[Execution], Array]:
    """The distance of each count from 1/2, over slots; elsewhere counts are at most 0."""
    return lambda result: distances(result.attended[0][..., network.spaces["count"]], Fraction(1, 2))


def put(trial: Trial, formula: Thresholds, bits: Bits) -> np.ndarray:
    """Put assignments to the network of a formula, in parts that fit; slots are tokens unless positions hold them.

    Returns the margin of each.
    """
    slots = 0 if trial.network.indices is None else len(trial.network.indices.integers)
    expected = formula.evaluate(bits)
    at_once, margins = max(1, AT_ONCE // (1 + formula.variables + slots) ** 2), [np.zeros(0)]
    for first in range(0, len(bits), at_once):
        part = bits[first : first + at_once]

        def readable(row: int, part: Bits = part) -> Mapping[str, Any]:
            return {"bits": part[row].tolist()}

        result = trial.require(tokens(part, slots), expected[first : first + at_once], readable)
        margins.append(trial.margins(result) if trial.margin is not None else np.zeros(len(part)))
    return np.concatenate(margins)


def put_hard(trial: Trial, formula: Thresholds, random: np.random.Generator, most: int) -> None:
    """Every kind of `hard_assignments`, and up to 64 bits a climb from some of them by flipping bits."""
    bits = np.concatenate(list(hard_assignments(formula, random, most)))
    put(trial, formula, bits)
    if 0 < formula.variables <= 64 and len(bits):
        some = bits[:: max(1, len(bits) // 16)]
        climb(lambda changed: put(trial, formula, changed), some, lambda changed: edited(changed, 2, random))


def answers_hard(network: Network, formula: Thresholds, seed: int) -> bool:
    """Whether a network answers hard assignments on its grid."""
    trial = Trial("", network, in_floats=0)
    bits = np.concatenate(list(hard_assignments(formula, np.random.default_rng(seed), 64)))
    return passes(lambda: put(trial, formula, bits))


def read(given: Mapping[str, Any], variables: int, halves: bool) -> Int64[np.ndarray, "1 variables"]:
    """{"bits": [..]}, or {"left": [..], "right": [..]} for two halves. Raises ValueError with the field's name."""
    names = ("left", "right") if halves and "bits" not in given else ("bits",)
    found: list[int] = []
    for name in names:
        bits = whole_numbers(given, name)
        if len(bits) != variables // len(names):
            raise ValueError(f"{name}: expected {variables // len(names)} bits, found {len(bits)}")
        wrong = [bit for bit in bits if bit not in (0, 1)]
        if wrong:
            raise ValueError(f"{name}: expected 0 or 1, found {wrong[0]}")
        found.extend(bits)
    return np.array([found], dtype=np.int64).reshape(1, variables)


Case = tuple[int, str, str, str, int]


def plan(inputs_small: int, inputs_large: int) -> Iterator[tuple[int, Callable[[int], Case]]]:
    """So many assignments, and for each turn: N, the instance, the code, the variant, and the most assignments of a kind.

    Most of the small ones at N <= 64, a tenth up to 256, the large ones at 1,024 to 4,096, most of them of the cheapest kind.
    """
    codes = ("parabola", "binary", "kerdock", "dual-bch", "circle")
    names = (*INSTANCES, *RANDOM)
    for lengths, inputs, most, of in (
        ((2, 4, 8, 16, 18, 32, 62, 64), inputs_small - inputs_small // 10, 256, names),
        ((65, 66, 100, 66, 128, 66, 256), inputs_small // 10, 64, ("disjointness", "majority", "cnf", "tables")),
        ((*(1024,) * 37, 2048, 4096), inputs_large, 3, ("disjointness",) * 8 + tuple(INSTANCES)),
    ):

        def case(turn: int, lengths: tuple[int, ...] = lengths, most: int = most, of: tuple[str, ...] = of) -> Case:
            rounds = turn // len(lengths)
            variant = "printed" if turn % 5 == 4 else "repaired"
            length, name = lengths[turn % len(lengths)], of[(turn + rounds) % len(of)]
            code = codes[rounds % (len(codes) if length < 1024 else 2)]  # scores beyond 64 bits make the others slow
            return length, "majority" if length % 2 else name, code, variant, most

        yield inputs, case

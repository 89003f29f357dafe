"""Formulas to test `two_layers` on: the instances of F.3, random ones, and the series of the long check."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from seqsep.maths.formulas import Thresholds, TruthTable, cnf, disjointness, dnf, equality, majority

INSTANCES = {"disjointness": disjointness, "majority": majority, "equality": equality}
RANDOM = ("cnf", "dnf", "tables")
SERIES_CODES = ("parabola", "binary", "kerdock", "dual-bch", "circle")
FAST_CODES = ("parabola", "binary")  # scores of the others pass 64 bits at large N, which makes them slow


def instances(
    length: int, instance: str | None, heads: int | None, random: np.random.Generator, few: bool
) -> dict[str, Thresholds]:
    """Return the formulas of N bits to test, by name.

    They are those of F.3, and random ones of about 2 N features, or at most N slots if `few`. Raises ValueError for an unknown
    instance or a length that does not suit it.
    """
    names = (*INSTANCES, *RANDOM)
    if instance is not None and instance not in names:
        raise ValueError(f"check(instance={instance!r}): instance is one of {', '.join(names)}")
    k = 3 if heads is None else heads
    if length < 1 or k < 1:
        raise ValueError(f"check(length={length}, heads={heads}): length and heads are at least 1")
    if instance is not None:
        chosen: tuple[str, ...] = (instance,)
    else:
        suited = length % 2 == 0 and k > 1  # equality and disjointness have two halves, and slots of two literals
        chosen = tuple(name for name in names if suited or name not in INSTANCES or name == "majority")
    return {name: _formula(name, length, k, random=random, few=few) for name in chosen}


def _formula(name: str, length: int, k: int, random: np.random.Generator, few: bool) -> Thresholds:
    if name in INSTANCES:
        return INSTANCES[name](length)
    if name == "tables":
        return random_tables(length, k, length >> (k - 1) if few else length, random)
    draw = random_cnf if name == "cnf" else random_dnf
    return draw(length, k, length if few else 2 * length, random)


def random_cnf(variables: int, k: int, clauses: int, random: np.random.Generator, shortest: int = 1) -> Thresholds:
    """Clauses of `shortest` to k literals on any variables, so that repeated ones and tautologies occur."""
    return cnf(variables, _literals(variables, k, clauses, random, shortest=shortest))


def random_dnf(variables: int, k: int, terms: int, random: np.random.Generator) -> Thresholds:
    """Terms of 1 to k literals on any variables."""
    return dnf(variables, _literals(variables, k, terms, random, shortest=1))


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


@dataclass(frozen=True)
class FormulaCase:
    """One formula to test: N, the instance, the code and the variant."""

    length: int
    instance: str
    code: str
    variant: str


@dataclass(frozen=True)
class FormulaSeries:
    """Formulas that take turns until a number of assignments are tested, at most `most` of a kind for each formula."""

    lengths: tuple[int, ...]
    instances: tuple[str, ...]
    inputs: int
    most: int

    def case(self, turn: int) -> FormulaCase:
        """Lengths change with every turn, codes with every round of lengths; every fifth case has the printed layout."""
        round_number = turn // len(self.lengths)
        length = self.lengths[turn % len(self.lengths)]
        instance = self.instances[(turn + round_number) % len(self.instances)]
        codes = FAST_CODES if length >= 1024 else SERIES_CODES
        return FormulaCase(
            length=length,
            instance="majority" if length % 2 else instance,
            code=codes[round_number % len(codes)],
            variant="printed" if turn % 5 == 4 else "repaired",
        )


def all_series(inputs_small: int, inputs_large: int) -> Iterator[FormulaSeries]:
    """The long check: small inputs at N <= 64, a tenth of them up to 256; large ones at 1,024 to 4,096, mostly disjointness."""
    tenth = inputs_small // 10
    cheap = ("disjointness",) * 8 + tuple(INSTANCES)
    yield FormulaSeries((2, 4, 8, 16, 18, 32, 62, 64), (*INSTANCES, *RANDOM), inputs_small - tenth, most=256)
    yield FormulaSeries((65, 66, 100, 66, 128, 66, 256), ("disjointness", "majority", "cnf", "tables"), tenth, most=64)
    yield FormulaSeries((*(1024,) * 37, 2048, 4096), cheap, inputs_large, most=3)

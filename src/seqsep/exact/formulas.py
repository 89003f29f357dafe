"""Formulas as data: thresholds of k-sparse features, evaluated by brute force; clauses read from DIMACS files.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), appendix F.3: 1 where more than b of the features are 1, each a function of
at most k of the N bits. A literal is v for bit v (from 1) and -v for its negation, as in DIMACS.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Int, Int64

NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True)
class AtLeast:
    """1 where at least `least` of the literals hold: a clause for 1, a term for all. A repeated literal counts twice."""

    literals: tuple[int, ...]
    least: int = 1

    def holds(self, bits: Bool[np.ndarray, "batch variables"]) -> Bool[np.ndarray, "batch"]:
        true = np.zeros(len(bits), dtype=np.int64)
        for literal in self.literals:
            true += bits[:, abs(literal) - 1] == (literal > 0)
        return true >= self.least


@dataclass(frozen=True)
class TruthTable:
    """Any function of some bits: values[a], where binary digit j of a is the bit of index indices[j]."""

    indices: tuple[int, ...]
    values: tuple[int, ...]

    def holds(self, bits: Bool[np.ndarray, "batch variables"]) -> Bool[np.ndarray, "batch"]:
        row = np.zeros(len(bits), dtype=np.int64)
        for digit, index in enumerate(self.indices):
            row += bits[:, index - 1].astype(np.int64) << digit
        return np.array(self.values, dtype=bool)[row]

    def gates(self) -> tuple[tuple[AtLeast, ...], int]:
        """Terms or clauses whose sum is this function plus a constant, and the constant; at most 2^(k-1) of them.

        A term for each row that is 1, of which just one holds there: their sum is the function. Or, where these are fewer, a
        clause against each row that is 0: all hold but, on such a row, one, so their sum is the function plus their number - 1.
        """
        rows = range(len(self.values))
        ones, zeros = ([row for row in rows if self.values[row] == value] for value in (1, 0))
        if len(ones) <= len(zeros):
            return tuple(AtLeast(self._literals(row), len(self.indices)) for row in ones), 0
        return tuple(AtLeast(tuple(-literal for literal in self._literals(row))) for row in zeros), len(zeros) - 1

    def _literals(self, row: int) -> tuple[int, ...]:
        return tuple(index if row >> digit & 1 else -index for digit, index in enumerate(self.indices))


@dataclass(frozen=True)
class Thresholds:
    """1 where more than `bound` of the features are 1; `by_index`: the features are functions of their number and N alone.

    Raises ValueError for a literal or index that is none of 1 .. variables, or a table whose values are not 2^k zeros and ones.
    """

    variables: int
    features: tuple[AtLeast | TruthTable, ...]
    bound: int
    by_index: bool = False

    def __post_init__(self) -> None:
        if self.variables < 0:
            raise ValueError(f"Thresholds(variables={self.variables}): variables is at least 0")
        for feature in self.features:
            used = feature.literals if isinstance(feature, AtLeast) else feature.indices
            least = -self.variables if isinstance(feature, AtLeast) else 1
            if not all(least <= entry <= self.variables and entry for entry in used):
                raise ValueError(f"Thresholds({feature}): variables are 1 to {self.variables}")
            if isinstance(feature, TruthTable) and (
                len(feature.values) != 1 << len(used) or not {0, 1}.issuperset(feature.values)
            ):
                raise ValueError(f"Thresholds({feature}): values are {1 << len(used)} zeros and ones")

    @property
    def sparsity(self) -> int:
        """k, the most bits of a feature, repeated ones counted."""
        sizes = (len(entry.literals if isinstance(entry, AtLeast) else entry.indices) for entry in self.features)
        return max(sizes, default=0)

    def count(self, assignments: Int[np.ndarray, "batch variables"]) -> Int64[np.ndarray, "batch"]:
        """How many features are 1, one after the other."""
        bits, true = assignments.astype(bool), np.zeros(len(assignments), dtype=np.int64)
        for feature in self.features:
            true += feature.holds(bits)
        return true

    def evaluate(self, assignments: Int[np.ndarray, "batch variables"]) -> Int64[np.ndarray, "batch"]:
        """0 or 1 for each assignment."""
        return (self.count(assignments) > self.bound).astype(np.int64)

    def gates(self) -> "Thresholds":
        """The same function with each table taken apart into terms or clauses."""
        gates: list[AtLeast] = []
        bound = self.bound
        for feature in self.features:
            some, constant = ((feature,), 0) if isinstance(feature, AtLeast) else feature.gates()
            gates.extend(some)
            bound += constant
        return Thresholds(self.variables, tuple(gates), bound, self.by_index)


def cnf(variables: int, clauses: Iterable[Sequence[int]]) -> Thresholds:
    """Every clause holds. None at all: true; an empty one: false."""
    features = tuple(AtLeast(tuple(clause)) for clause in clauses)
    return Thresholds(variables, features, len(features) - 1)


def dnf(variables: int, terms: Iterable[Sequence[int]]) -> Thresholds:
    """Some term holds. None at all: false; an empty one: true."""
    return Thresholds(variables, tuple(AtLeast(tuple(term), len(term)) for term in terms), 0)


def disjointness(length: int) -> Thresholds:
    """DISJ as in B.1: 1 where the sets meet, some i with both x_i and x_(i + N/2). A 2-DNF."""
    half = _half("disjointness", length)
    terms = tuple(AtLeast((index, index + half), 2) for index in range(1, half + 1))
    return Thresholds(length, terms, 0, by_index=True)


def equality(length: int) -> Thresholds:
    """EQ: x_i = x_(i + N/2) for every i."""
    half = _half("equality", length)
    tables = tuple(TruthTable((index, index + half), (1, 0, 0, 1)) for index in range(1, half + 1))
    return Thresholds(length, tables, half - 1, by_index=True)


def majority(length: int) -> Thresholds:
    """More than half of the bits are 1."""
    return Thresholds(length, tuple(AtLeast((index,)) for index in range(1, length + 1)), length // 2, by_index=True)


def _half(name: str, length: int) -> int:
    if length < 2 or length % 2:
        raise ValueError(f"{name}(length={length}): length is an even number from 2")
    return length // 2


def read_dimacs(path: Path, widest: int | None = None) -> Thresholds:
    """The formula of a DIMACS CNF file. Raises ValueError with the file, the line, what was expected and what was found."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: expected text in UTF-8, found byte {error.object[error.start]:#x}") from None
    return dimacs(text, str(path), widest)


def dimacs(text: str, source: str = "input", widest: int | None = None) -> Thresholds:
    """The formula of `p cnf VARIABLES CLAUSES`, then clauses of literals, each ended by 0, over any number of lines.

    Lines that begin with c are comments; one that begins with % ends the file, as in SATLIB. Repeated literals, tautologies and
    empty clauses are kept. Raises ValueError as `read_dimacs` does, also for a clause of more than `widest` literals.
    """
    sizes: tuple[int, int] | None = None
    clauses: list[tuple[int, ...]] = []
    clause: list[int] = []
    begun = last = 1
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0][0] == "c":
            continue
        if words[0][0] == "%":
            break
        last = number
        if sizes is None or words[0] == "p":
            if sizes is not None:
                raise ValueError(f"{source}, line {number}: expected one line 'p cnf', found a second one")
            sizes = _sizes(words, line, f"{source}, line {number}")
            continue
        for word in words:
            if not NUMBER.fullmatch(word) or abs(int(word)) > sizes[0]:
                raise ValueError(
                    f"{source}, line {number}: expected a literal from -{sizes[0]} to {sizes[0]}, found {word[:40]!r}"
                )
            if not clause:
                begun = number
            if int(word):
                clause.append(int(word))
                continue
            if widest is not None and len(clause) > widest:
                raise ValueError(
                    f"{source}, line {begun}: expected a clause of at most {widest} literals, found one of {len(clause)}"
                )
            clauses.append(tuple(clause))
            clause = []
    if sizes is None:
        raise ValueError(f"{source}: expected a line 'p cnf VARIABLES CLAUSES', found none")
    if clause:
        raise ValueError(f"{source}, line {last}: expected 0 after the last clause, found the end of the clauses")
    if len(clauses) != sizes[1]:
        raise ValueError(f"{source}, line {last}: expected {sizes[1]} clauses in all, found {len(clauses)}")
    return cnf(sizes[0], clauses)


def _sizes(words: list[str], line: str, where: str) -> tuple[int, int]:
    counts = [int(word) for word in words[2:] if NUMBER.fullmatch(word) and int(word) >= 0]
    if words[:2] != ["p", "cnf"] or len(words) != 4 or len(counts) != 2:
        raise ValueError(f"{where}: expected 'p cnf VARIABLES CLAUSES', found {line.strip()[:60]!r}")
    return counts[0], counts[1]

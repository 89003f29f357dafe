"""Boolean formulas as data: thresholds of k-sparse features, and CNF formulas from DIMACS files.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), appendix F.3. With features f_1 .. f_M, each a function of at most k of the
N bits of x, the formula is

    1 if f_1(x) + .. + f_M(x) > b, else 0

A literal is v for bit v, counted from 1, and -v for its negation, as in DIMACS.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Int, Int64

from seqsep.core.files import read_text
from seqsep.core.names import excerpt

MOST_BYTES = 1 << 24
MOST_NUMBERS = 1 << 17
NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True)
class AtLeast:
    """The feature "at least `least` of the literals hold": a clause for 1, a term for all. A repeated literal counts twice.

    >>> clause = AtLeast((1, -2))
    >>> clause.holds(np.array([[False, True], [True, True]])).tolist()
    [False, True]
    """

    literals: tuple[int, ...]
    least: int = 1

    def holds(self, bits: Bool[np.ndarray, "batch variables"]) -> Bool[np.ndarray, "batch"]:
        """Return, for each assignment, whether the feature is 1."""
        true = np.zeros(len(bits), dtype=np.int64)
        for literal in self.literals:
            true += bits[:, abs(literal) - 1] == (literal > 0)
        return true >= self.least


@dataclass(frozen=True)
class TruthTable:
    """Any function of some bits: values[a], with bit indices[j] as binary digit j of a.

    >>> TruthTable((1, 2), (1, 0, 0, 1)).holds(np.array([[False, False], [False, True]])).tolist()  # x_1 = x_2
    [True, False]
    """

    indices: tuple[int, ...]
    values: tuple[int, ...]

    def holds(self, bits: Bool[np.ndarray, "batch variables"]) -> Bool[np.ndarray, "batch"]:
        """Return, for each assignment, whether the feature is 1."""
        row = np.zeros(len(bits), dtype=np.int64)
        for digit, index in enumerate(self.indices):
            row += bits[:, index - 1].astype(np.int64) << digit
        return np.array(self.values, dtype=bool)[row]

    def gates(self) -> tuple[tuple[AtLeast, ...], int]:
        """At most 2^(k-1) terms or clauses whose sum is this function plus a constant, and the constant.

        Either a term for each row of the table that is 1: exactly one of them holds on such a row, so their sum is the
        function. Or, if that is fewer, a clause for each row that is 0, which fails on that row only: all clauses hold but,
        on such a row, one. So their sum is the function plus their number - 1.
        """
        ones = [row for row, value in enumerate(self.values) if value == 1]
        zeros = [row for row, value in enumerate(self.values) if value == 0]
        if len(ones) <= len(zeros):
            return tuple(AtLeast(self._literals(row), len(self.indices)) for row in ones), 0
        clauses = [AtLeast(tuple(-literal for literal in self._literals(row))) for row in zeros]
        return tuple(clauses), len(zeros) - 1

    def _literals(self, row: int) -> tuple[int, ...]:
        """The literals that hold on a row of the table."""
        return tuple(index if row >> digit & 1 else -index for digit, index in enumerate(self.indices))


@dataclass(frozen=True)
class Thresholds:
    """The formula "more than `bound` of the features are 1".

    `by_index` says that the features are functions of their number and N alone, so they need not be stored.
    Raises ValueError for a literal or index beyond the variables, or a table whose values are not 2^k zeros and ones.

    >>> two_of_three = Thresholds(3, (AtLeast((1,)), AtLeast((2,)), AtLeast((3,))), bound=1)
    >>> two_of_three.evaluate(np.array([[1, 0, 1], [0, 0, 1]])).tolist()
    [1, 0]
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
        """k, the most literals or bits of a feature, repeated ones counted."""
        sizes = (len(entry.literals if isinstance(entry, AtLeast) else entry.indices) for entry in self.features)
        return max(sizes, default=0)

    def count(self, assignments: Int[np.ndarray, "batch variables"]) -> Int64[np.ndarray, "batch"]:
        """Count, for each assignment, the features that are 1."""
        bits = assignments.astype(bool)
        true = np.zeros(len(assignments), dtype=np.int64)
        for feature in self.features:
            true += feature.holds(bits)
        return true

    def evaluate(self, assignments: Int[np.ndarray, "batch variables"]) -> Int64[np.ndarray, "batch"]:
        """The formula's value, 0 or 1, on each assignment."""
        return (self.count(assignments) > self.bound).astype(np.int64)

    def gates(self) -> "Thresholds":
        """The same function with each truth table replaced by terms or clauses (`TruthTable.gates`)."""
        gates: list[AtLeast] = []
        bound = self.bound
        for feature in self.features:
            if isinstance(feature, AtLeast):
                gates.append(feature)
                continue
            parts, constant = feature.gates()
            gates.extend(parts)
            bound += constant
        return Thresholds(self.variables, tuple(gates), bound, self.by_index)


def cnf(variables: int, clauses: Iterable[Sequence[int]]) -> Thresholds:
    """The formula "every clause holds": true without clauses, false with an empty one.

    >>> cnf(2, [(1, 2), (-1,)]).evaluate(np.array([[0, 1], [1, 1]])).tolist()
    [1, 0]
    """
    features = tuple(AtLeast(tuple(clause)) for clause in clauses)
    return Thresholds(variables, features, len(features) - 1)


def dnf(variables: int, terms: Iterable[Sequence[int]]) -> Thresholds:
    """The formula "some term holds": false without terms, true with an empty one.

    >>> dnf(2, [(1, 2), (-1,)]).evaluate(np.array([[0, 1], [1, 0]])).tolist()
    [1, 0]
    """
    return Thresholds(variables, tuple(AtLeast(tuple(term), len(term)) for term in terms), 0)


def disjointness(length: int) -> Thresholds:
    """DISJ as in B.1, a 2-DNF: 1 if x_i = x_(i + N/2) = 1 for some i.

    >>> disjointness(4).evaluate(np.array([[1, 0, 1, 0], [1, 0, 0, 1]])).tolist()
    [1, 0]
    """
    half = _half("disjointness", length)
    terms = tuple(AtLeast((index, index + half), 2) for index in range(1, half + 1))
    return Thresholds(length, terms, 0, by_index=True)


def equality(length: int) -> Thresholds:
    """EQ: 1 if x_i = x_(i + N/2) for every i.

    >>> equality(4).evaluate(np.array([[1, 0, 1, 0], [1, 0, 0, 1]])).tolist()
    [1, 0]
    """
    half = _half("equality", length)
    tables = tuple(TruthTable((index, index + half), (1, 0, 0, 1)) for index in range(1, half + 1))
    return Thresholds(length, tables, half - 1, by_index=True)


def majority(length: int) -> Thresholds:
    """MAJ: 1 if more than half of the bits are 1.

    >>> majority(4).evaluate(np.array([[1, 1, 1, 0], [1, 0, 1, 0]])).tolist()
    [1, 0]
    """
    return Thresholds(length, tuple(AtLeast((index,)) for index in range(1, length + 1)), length // 2, by_index=True)


def _half(name: str, length: int) -> int:
    if length < 2 or length % 2:
        raise ValueError(f"{name}(length={length}): length is an even number from 2")
    return length // 2


def read_dimacs(path: Path, widest: int | None = None) -> Thresholds:
    """The formula of a DIMACS CNF file (`dimacs`).

    Raises ValueError with the file, the line, what was expected and what was found; BadInput for a file of more than 16 MiB.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w", suffix=".cnf") as file:
    ...     print("p cnf 2 1", "1 -2 0", sep=chr(10), file=file, flush=True)
    ...     read_dimacs(Path(file.name)).features
    (AtLeast(literals=(1, -2), least=1),)
    """
    return dimacs(read_text(path, most=MOST_BYTES), str(path), widest)


def dimacs(text: str, source: str = "input", widest: int | None = None) -> Thresholds:
    """The formula of a DIMACS text: a line `p cnf VARIABLES CLAUSES`, then the literals of each clause and 0.

    Clauses may be split over lines. A line that begins with c is a comment; one that begins with % ends the text, as in SATLIB.
    Repeated literals, tautologies and empty clauses are kept. Raises ValueError as `read_dimacs` does, and for a clause of more
    than `widest` literals, or clauses of more than 131,072 numbers in all, their zeros included.

    >>> formula = dimacs("p cnf 2 2 \\n 1 2 0 \\n -1 0")
    >>> [feature.literals for feature in formula.features]
    [(1, 2), (-1,)]
    """
    sizes: tuple[int, int] | None = None
    clauses: list[tuple[int, ...]] = []
    clause: list[int] = []
    begun = last = 1
    numbers = 0
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
        numbers += len(words)
        if numbers > MOST_NUMBERS:
            raise ValueError(
                f"{source}, line {number}: expected clauses of at most {MOST_NUMBERS:,} numbers in all, found more"
            )
        for word in words:
            if not NUMBER.fullmatch(word) or abs(int(word)) > sizes[0]:
                raise ValueError(
                    f"{source}, line {number}: expected a literal from -{sizes[0]} to {sizes[0]}, found {excerpt(word)!r}"
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
        raise ValueError(f"{where}: expected 'p cnf VARIABLES CLAUSES', found {excerpt(line.strip())!r}")
    return counts[0], counts[1]

"""Witnesses of the bounds of `communication`: rows, minors, fooling sets, rectangles; each re-checks itself by `verify()`.

A witness holds its matrix, with entries from 0 or OUTSIDE, -1, for an input outside the domain, and numbers of rows and columns
from 0. `verify` raises ValueError with what is wrong; it uses none of the code that found the witness.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from jaxtyping import Int32, Int64

from seqsep.maths.communication._elimination import is_prime, nonsingular_gf2, nonsingular_modulo

OUTSIDE = -1
BLOCK = 1 << 24

Matrix = Int64[np.ndarray, "rows columns"]
Numbers = Int64[np.ndarray, "_size"]


def _require(holds: bool, witness: object, wrong: str) -> None:
    if not holds:
        raise ValueError(f"{type(witness).__name__}: {wrong}")


def _require_places(witness: object, name: str, numbers: Numbers, size: int) -> None:
    _require(bool(((numbers >= 0) & (numbers < size)).all()), witness, f"{name} are numbers from 0 to {size - 1}")


@dataclass(frozen=True)
class DistinctRows:
    """One row of each kind, and columns such that every two of these rows differ in one of them.

    >>> DistinctRows(np.array([[0, 1], [0, 1], [1, 1]]), rows=np.array([0, 2]), columns=np.array([0])).verify()
    """

    matrix: Matrix
    rows: Numbers
    columns: Numbers

    def verify(self) -> None:
        """Check that the rows differ in the columns, and that every row of the matrix equals one of them."""
        _require_places(self, "rows", self.rows, len(self.matrix))
        _require_places(self, "columns", self.columns, self.matrix.shape[1])
        _require(bool((self.matrix != OUTSIDE).all()), self, "the function is not defined everywhere")
        table = {row.tobytes() for row in np.ascontiguousarray(self.matrix[self.rows][:, self.columns])}
        _require(len(table) == len(self.rows), self, f"{len(self.rows)} rows, {len(table)} of them different in the columns")
        whole = {row.tobytes() for row in np.ascontiguousarray(self.matrix[self.rows])}
        _require(
            all(row.tobytes() in whole for row in np.ascontiguousarray(self.matrix)),
            self,
            "some row of the matrix is not one of them",
        )


@dataclass(frozen=True)
class IncompatibleRows:
    """Rows, every two of which differ in a column where both are defined.

    >>> IncompatibleRows(np.array([[0, OUTSIDE], [1, 0]]), rows=np.array([0, 1])).verify()
    """

    matrix: Matrix
    rows: Numbers

    def verify(self) -> None:
        """Compare every two rows."""
        _require_places(self, "rows", self.rows, len(self.matrix))
        for first, second in combinations(self.rows.tolist(), 2):
            one = self.matrix[first]
            other = self.matrix[second]
            differs = (one != other) & (one != OUTSIDE) & (other != OUTSIDE)
            _require(bool(differs.any()), self, f"rows {first} and {second} may be merged")


@dataclass(frozen=True)
class Merged:
    """A class for each row, such that rows of one class agree wherever they are defined.

    >>> Merged(np.array([[0, OUTSIDE], [OUTSIDE, 1]]), class_of=np.array([0, 0])).verify()
    """

    matrix: Matrix
    class_of: Numbers

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(set(self.class_of.tolist()))

    def verify(self) -> None:
        """Check that no two rows of a class contradict each other."""
        _require(len(self.class_of) == len(self.matrix), self, f"{len(self.class_of)} classes for {len(self.matrix)} rows")
        for number in set(self.class_of.tolist()):
            rows = self.matrix[self.class_of == number]
            defined = rows != OUTSIDE
            least = np.where(defined, rows, np.iinfo(np.int64).max).min(axis=0)
            most = np.where(defined, rows, OUTSIDE).max(axis=0)
            _require(bool((least >= most).all()), self, f"rows of class {number} contradict each other")


@dataclass(frozen=True)
class Rank:
    """A square minor of the size of the rank, nonsingular modulo `prime` and hence over the rationals; 2 means GF(2).

    >>> Rank(np.array([[1, 1], [1, 2]]), rows=np.array([0, 1]), columns=np.array([0, 1]), prime=7).verify()
    """

    matrix: Matrix
    rows: Numbers
    columns: Numbers
    prime: int

    def verify(self) -> None:
        """Check that the minor is nonsingular: the rank is at least its size, which is all that the bound needs."""
        _require_places(self, "rows", self.rows, len(self.matrix))
        _require_places(self, "columns", self.columns, self.matrix.shape[1])
        _require(len(self.rows) == len(self.columns), self, f"{len(self.rows)} rows and {len(self.columns)} columns")
        _require(self.prime < 1 << 31 and is_prime(self.prime), self, f"{self.prime} is not a prime below 2^31")
        minor = self.matrix[self.rows][:, self.columns]
        has_inverse = nonsingular_gf2(minor) if self.prime == 2 else nonsingular_modulo(minor, self.prime)
        _require(has_inverse, self, f"the minor is singular modulo {self.prime}")


@dataclass(frozen=True)
class FoolingSet:
    """Inputs (rows[i], columns[i]) with answer `value`, such that every two have a mixed input with another answer.

    >>> FoolingSet(np.eye(3, dtype=np.int64), value=1, rows=np.arange(3), columns=np.arange(3)).verify()
    """

    matrix: Matrix
    value: int
    rows: Numbers
    columns: Numbers

    def verify(self) -> None:
        """Check every input's answer, and the mixed inputs of every two."""
        _require_places(self, "rows", self.rows, len(self.matrix))
        _require_places(self, "columns", self.columns, self.matrix.shape[1])
        _require(0 < len(self.rows) == len(self.columns), self, f"{len(self.rows)} rows and {len(self.columns)} columns")
        own = self.matrix[self.rows, self.columns]
        _require(bool((own == self.value).all()), self, f"an input has an answer other than {self.value}")
        at_once = max(1, BLOCK // len(self.rows))
        for first in range(0, len(self.rows), at_once):
            some = slice(first, first + at_once)
            one = self.matrix[self.rows[some, None], self.columns]
            other = self.matrix[self.rows, self.columns[some, None]]
            fools = ((one != self.value) & (one != OUTSIDE)) | ((other != self.value) & (other != OUTSIDE))
            fools[np.arange(len(fools)), first + np.arange(len(fools))] = True  # an input with itself
            if not fools.all():
                row, column = np.argwhere(~fools)[0].tolist()
                _require(False, self, f"inputs {first + row} and {column} of the set fool nobody")


@dataclass(frozen=True)
class Discrepancy:
    """On every rectangle the numbers of ones and zeros differ by at most `most`.

    `rows` and `columns` are a rectangle with this difference if `most` is exact; else they are None.

    >>> Discrepancy(np.eye(2, dtype=np.int64), most=1, rows=np.array([0]), columns=np.array([0])).verify()
    """

    matrix: Matrix
    most: int
    rows: Numbers | None = None
    columns: Numbers | None = None

    def verify(self) -> None:
        """Check `most` on all subsets of the shorter side; or, without a rectangle, by the spectral bound."""
        signs = 2 * self.matrix - 1
        _require(bool((np.abs(signs) == 1).all()), self, "answers are not all 0 and 1")
        if self.rows is None or self.columns is None:
            norm = int(np.abs(signs @ signs.T).sum(axis=1).max())
            _require(self.most**2 + 2 * self.most >= norm * signs.size, self, f"{self.most} is below the spectral bound")
            return
        _require_places(self, "rows", self.rows, len(self.matrix))
        _require_places(self, "columns", self.columns, self.matrix.shape[1])
        _require(
            len({*self.rows.tolist()}) == len(self.rows) and len({*self.columns.tolist()}) == len(self.columns),
            self,
            "a row or column stands twice",
        )
        difference = abs(int(signs[self.rows][:, self.columns].sum()))
        _require(difference == self.most, self, f"the rectangle has {difference}, not {self.most}")
        worst = _greatest_difference(signs)
        _require(worst == self.most, self, f"a rectangle has {worst}, not {self.most}")


def _greatest_difference(signs: Matrix) -> int:
    """The greatest |sum of signs| of a rectangle. The best columns of a set of rows are those with sums of one sign."""
    short = (signs if len(signs) <= signs.shape[1] else signs.T).astype(np.int32)
    first_half = _subset_sums(short[: len(short) // 2])
    second_half = _subset_sums(short[len(short) // 2 :])
    greatest = 0
    for sums in second_half:
        by_subset = first_half + sums
        positive = int(np.maximum(by_subset, 0).sum(axis=1).max())
        negative = int(np.maximum(-by_subset, 0).sum(axis=1).max())
        greatest = max(greatest, positive, negative)
    return greatest


def _subset_sums(rows: Int32[np.ndarray, "rows columns"]) -> Int32[np.ndarray, "subsets columns"]:
    """The sum of the rows of every subset."""
    sums = np.zeros((1, rows.shape[1]), dtype=np.int32)
    for row in rows:
        sums = np.concatenate([sums, sums + row])
    return sums

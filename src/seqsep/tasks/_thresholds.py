"""Thresholds of k-sparse features for sparse threshold: drawn ones, DIMACS text, and quick evaluation of many inputs."""

from collections import defaultdict
from functools import lru_cache, partial

import numpy as np
from jaxtyping import Int64, UInt8, UInt32

from seqsep.core.names import ensure, narrowed
from seqsep.core.stream import Use, below, draws
from seqsep.maths.formulas import AtLeast, Thresholds, TruthTable
from seqsep.tasks._blocks import ExampleDraws
from seqsep.tasks._orders import distinct, draws_for_distinct

BYTES_AT_ONCE = 1 << 18
PROBES = 1024
PROBE_ATTEMPT = 1 << 15
LEAST_PROBES = PROBES // 64
MOST_DRAWN = 64


class FeatureCounter:
    """Counts a formula's features that hold; clauses and tables are split into clauses and terms (`Thresholds.gates`).

    Inputs are bits, 8 to a byte and a row for each literal; gates of one kind and size are evaluated together.
    """

    def __init__(self, formula: Thresholds) -> None:
        gates = formula.gates()
        literals_by_kind: dict[tuple[int, bool], list[tuple[int, ...]]] = defaultdict(list)
        for feature in gates.features:
            gate = narrowed(feature, AtLeast)
            ensure(gate.least in (1, len(gate.literals)), "a gate is neither a clause nor a term")
            if gate.literals:  # an empty clause never holds
                literals_by_kind[len(gate.literals), gate.least == 1].append(gate.literals)
        self.constant = gates.bound - formula.bound
        self.at_once = 8 * max(1, BYTES_AT_ONCE // max(1, len(gates.features)))
        self.groups = []
        for (_, is_clause), alike in literals_by_kind.items():
            literals = np.array(alike, dtype=np.int64).T
            rows = np.where(literals > 0, literals, formula.variables - literals) - 1  # of -v: after those of all v
            self.groups.append((np.ascontiguousarray(rows), np.bitwise_or if is_clause else np.bitwise_and))

    def count(self, bits: UInt8[np.ndarray, "batch variables"]) -> Int64[np.ndarray, "batch"]:
        """Count the features that are 1."""
        counts = np.zeros(len(bits), dtype=np.int64)
        for first in range(0, len(bits), self.at_once):
            some = bits[first : first + self.at_once]
            packed = np.ascontiguousarray(np.packbits(some, axis=0).T)
            packed = np.concatenate([packed, ~packed])
            for rows, combine in self.groups:
                holds = packed[rows[0]]
                for literals in rows[1:]:
                    combine(holds, packed[literals], out=holds)
                counts[first : first + self.at_once] += column_sums(holds)[: len(some)]
        return counts - self.constant


def column_sums(rows: UInt8[np.ndarray, "rows bytes"]) -> Int64[np.ndarray, "columns"]:
    """Count, for each bit of 8 `bytes` columns, the rows (at least one) that have it.

    >>> column_sums(np.array([[0b11000000], [0b10000000]], dtype=np.uint8)).tolist()
    [2, 1, 0, 0, 0, 0, 0, 0]
    """
    planes = rows[None]
    while planes.shape[1] > 1:
        pairs = planes.shape[1] // 2
        after = np.zeros((planes.shape[0] + 1, pairs + planes.shape[1] % 2, rows.shape[1]), dtype=np.uint8)
        after[:-1, pairs:] = planes[:, 2 * pairs :]
        carry = np.zeros((pairs, rows.shape[1]), dtype=np.uint8)
        for digit, (some, others) in enumerate(zip(planes[:, :pairs], planes[:, pairs : 2 * pairs], strict=True)):
            differs = some ^ others
            np.bitwise_xor(differs, carry, out=after[digit, :pairs])
            carry = (some & others) | (differs & carry)
        after[-1, :pairs] = carry
        planes = after
    weights = 1 << np.arange(planes.shape[0])
    return weights @ np.unpackbits(planes[:, 0], axis=1).astype(np.int64)


def unpacked(words: UInt32[np.ndarray, "batch words"], count: int) -> UInt8[np.ndarray, "batch bits"]:
    """Return the first `count` bits of each row of words. Of a word the lowest bit comes first."""
    little = np.ascontiguousarray(words).astype("<u4", copy=False).view(np.uint8)
    return np.unpackbits(little, axis=1, count=count, bitorder="little")


def feature_counts(formula: Thresholds, seed: int) -> Int64[np.ndarray, "probes"]:
    """Count the features that are 1 on each of 1,024 uniform inputs, fixed by the seed."""
    words = draws(seed, Use.CODE, 0, PROBES, each=-(-formula.variables // 32), attempt=PROBE_ATTEMPT)
    return FeatureCounter(formula).count(unpacked(words, formula.variables))


def is_balanced_enough(counts: Int64[np.ndarray, "probes"], bound: int) -> bool:
    """Return True if at least one in 64 of the inputs has either label: the function is not constant, and examples can be
    balanced.
    """
    return LEAST_PROBES <= int((counts > bound).sum()) <= PROBES - LEAST_PROBES


@lru_cache(maxsize=64)
def drawn(variables: int, features: int, sparsity: int, bound: int, seed: int) -> Thresholds:
    """Return the features: each has `sparsity` different bits, and any table of them that is not constant, all equally likely.

    `bound` -1 is the bound that comes nearest to half of each label on the probed inputs, of two the lower. A function that is
    not `is_balanced_enough` is drawn again, at most 64 times: the last may be such a one.
    """
    for attempt in range(MOST_DRAWN):
        tables = _drawn_tables(variables, features, sparsity, first=attempt * features, seed=seed)
        counts = feature_counts(Thresholds(variables, tables, bound), seed)
        formula = Thresholds(variables, tables, _halving_bound(counts) if bound < 0 else bound)
        if is_balanced_enough(counts, formula.bound):
            break
    return formula


def _drawn_tables(variables: int, features: int, sparsity: int, *, first: int, seed: int) -> tuple[TruthTable, ...]:
    """Return the features with draws `first` .. first + features - 1 of the seed."""
    widths = (1, draws_for_distinct(sparsity, variables))
    feature_draws = ExampleDraws(widths, seed=seed, use=Use.CODE, start=first, count=features)
    indices = 1 + distinct(partial(feature_draws.part, 1), sparsity, variables)
    numbers = 1 + below(feature_draws.part(0)[:, 0], 2**2**sparsity - 2)
    values = numbers[:, None] >> np.arange(2**sparsity) & 1
    tables = zip(indices.tolist(), values.tolist(), strict=True)
    return tuple(TruthTable(tuple(places), tuple(table)) for places, table in tables)


def _halving_bound(counts: Int64[np.ndarray, "probes"]) -> int:
    """Return the bound that comes nearest to half of each label, of two the lower."""
    bounds = range(int(counts.min()), int(counts.max()) + 1)
    return min(bounds, key=lambda bound: abs(2 * int((counts > bound).sum()) - PROBES))


def dimacs_text(formula: Thresholds) -> str:
    """Return the clauses of a formula as DIMACS text, without comments and one a line."""
    clauses = [" ".join(map(str, (*clause.literals, 0))) for clause in formula.features if isinstance(clause, AtLeast)]
    return "\n".join([f"p cnf {formula.variables} {len(clauses)}", *clauses]) + "\n"

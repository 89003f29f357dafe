"""Thresholds of k-sparse features for sparse threshold: drawn ones, DIMACS text, and quick evaluation of many inputs."""

from collections import defaultdict
from functools import lru_cache, partial

import numpy as np
from jaxtyping import Int64, UInt8, UInt32

from seqsep.exact.formulas import AtLeast, Thresholds, TruthTable
from seqsep.stream import Use, below, draws
from seqsep.tasks._orders import Cut, distinct, draws_for_distinct

BYTES_AT_ONCE = 1 << 18
PROBES = 1024
PROBE_ATTEMPT = 1 << 15
LEAST_PROBES = PROBES // 64
MOST_DRAWN = 64


class Counter:
    """The sum of a formula's features, clauses or tables, which are taken apart into clauses and terms (`Thresholds.gates`).

    Inputs stand in bits, 8 to a byte and a row for each literal; those of one kind and size are evaluated together.
    """

    def __init__(self, formula: Thresholds) -> None:
        gates = formula.gates()
        groups: dict[tuple[int, bool], list[tuple[int, ...]]] = defaultdict(list)
        for gate in gates.features:
            assert isinstance(gate, AtLeast)
            assert gate.least in (1, len(gate.literals)), "neither clause nor term"
            if gate.literals:  # an empty clause never holds
                groups[len(gate.literals), gate.least == 1].append(gate.literals)
        self.constant = gates.bound - formula.bound
        self.at_once = 8 * max(1, BYTES_AT_ONCE // max(1, len(gates.features)))
        self.groups = []
        for (_, clauses), alike in groups.items():
            literals = np.array(alike, dtype=np.int64).T
            rows = np.where(literals > 0, literals, formula.variables - literals) - 1  # of -v: behind those of all v
            self.groups.append((np.ascontiguousarray(rows), np.bitwise_or if clauses else np.bitwise_and))

    def count(self, bits: UInt8[np.ndarray, "batch variables"]) -> Int64[np.ndarray, "batch"]:
        """How many features are 1."""
        found = np.zeros(len(bits), dtype=np.int64)
        for first in range(0, len(bits), self.at_once):
            some = bits[first : first + self.at_once]
            packed = np.ascontiguousarray(np.packbits(some, axis=0).T)
            packed = np.concatenate([packed, ~packed])
            for rows, combine in self.groups:
                holds = packed[rows[0]]
                for literals in rows[1:]:
                    combine(holds, packed[literals], out=holds)
                found[first : first + self.at_once] += column_sums(holds)[: len(some)]
        return found - self.constant


def column_sums(rows: UInt8[np.ndarray, "rows bytes"]) -> Int64[np.ndarray, "columns"]:
    """How many of at least one row have each of the 8 `bytes` columns' bits: binary numbers, a plane for each digit, added in
    pairs."""
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
    """The first `count` bits of each row, of a word the lowest first."""
    little = np.ascontiguousarray(words).astype("<u4", copy=False).view(np.uint8)
    return np.unpackbits(little, axis=1, count=count, bitorder="little")


def probed(formula: Thresholds, seed: int) -> Int64[np.ndarray, "probes"]:
    """How many features are 1 on 1,024 uniform inputs, fixed by the seed."""
    words = draws(seed, Use.CODE, 0, PROBES, -(-formula.variables // 32), PROBE_ATTEMPT)
    return Counter(formula).count(unpacked(words, formula.variables))


def balanced_enough(counts: Int64[np.ndarray, "probes"], bound: int) -> bool:
    """Whether at least one in 64 of the inputs has either label: the function is not constant, and examples can be balanced."""
    return LEAST_PROBES <= int((counts > bound).sum()) <= PROBES - LEAST_PROBES


@lru_cache(maxsize=64)
def drawn(variables: int, features: int, sparsity: int, bound: int, seed: int) -> Thresholds:
    """Each feature: `sparsity` different bits, and any table of them that is not constant, all equally likely.

    `bound` -1 is the bound that comes nearest to half of each label on the probed inputs, of two the lower. A function that is
    not `balanced_enough` is drawn again, at most 64 times: the last may be such a one.
    """
    for attempt in range(MOST_DRAWN):
        cut = Cut((1, draws_for_distinct(sparsity, variables)), seed, Use.CODE, attempt * features, features)
        indices = 1 + distinct(partial(cut.part, 1), sparsity, variables)
        numbers = 1 + below(cut.part(0)[:, 0], 2**2**sparsity - 2)
        values = numbers[:, None] >> np.arange(2**sparsity) & 1
        tables = zip(indices.tolist(), values.tolist(), strict=True)
        formula = Thresholds(variables, tuple(TruthTable(tuple(places), tuple(table)) for places, table in tables), bound)
        counts = probed(formula, seed)
        if bound < 0:
            bounds = range(int(counts.min()), int(counts.max()) + 1)
            formula = Thresholds(
                variables, formula.features, min(bounds, key=lambda b: abs(2 * int((counts > b).sum()) - PROBES))
            )
        if balanced_enough(counts, formula.bound):
            break
    return formula


def dimacs_text(formula: Thresholds) -> str:
    """The clauses of a formula as DIMACS, without comments and one a line."""
    clauses = [" ".join(map(str, (*clause.literals, 0))) for clause in formula.features if isinstance(clause, AtLeast)]
    return "\n".join([f"p cnf {formula.variables} {len(clauses)}", *clauses]) + "\n"

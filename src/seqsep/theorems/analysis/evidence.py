"""The evidence for a least state, for a certificate: all answers, and prefixes with the suffixes that distinguish them."""

import math
from itertools import combinations

import numpy as np
from jaxtyping import Int

from seqsep.core.names import required
from seqsep.maths.automata.enumeration import OUTSIDE, Tabulated
from seqsep.maths.automata.least_state import every_label
from seqsep.maths.automata.partial_states import Clique
from seqsep.theorems.analysis.record import AtLength
from seqsep.theorems.evidence import DistinguishingTable, Evidence

MOST_ANSWERS = 5 << 20  # each takes two bytes or more of a certificate's 10 MiB


def least_state(analysed: AtLength) -> Evidence:
    """Return the evidence for the least state that `analyze` finds at a length, for `certificate("least-state", ..)`.

    The table holds every answer. Rows are prefixes of the widest split, one of each class; if inputs are outside the domain,
    those of the clique. Columns are suffixes that distinguish them. Answers are written unchanged if all are from 0 to 2^31 -
    1, else as their numbers in order of appearance. Raises ValueError for more inputs than a file can list.

    >>> from seqsep.theorems.analysis import analyze
    >>> least_state(analyze("majority", [2]).lengths[0]).witness.rows
    [[0], [1]]
    """
    alphabets = [len(tokens) for tokens in analysed.symbols]
    inputs = math.prod(alphabets)
    if inputs > MOST_ANSWERS:
        raise ValueError(f"least_state(length={analysed.length}): {inputs:,} answers, a certificate holds {MOST_ANSWERS:,}")
    if analysed.least is not None:
        split = analysed.least.split
        prefixes, suffixes, _ = analysed.least.distinguishing_table()
        labels = every_label(analysed.automaton)
    else:
        clique = required(analysed.partial, "the states of a partial function").clique
        tabulated = required(analysed.table, "the table of a partial function")
        split = clique.split
        prefixes, suffixes = distinguishing_table(tabulated, clique)
        labels = tabulated.labels
    some_suffixes = suffixes or [(0,) * (len(alphabets) - split)]
    table = DistinguishingTable(
        alice=list(range(split)),
        rows=[list(map(int, prefix)) for prefix in prefixes],
        columns=[list(map(int, suffix)) for suffix in some_suffixes],
    )
    return Evidence("table", {"alphabets": alphabets, "values": _values(labels, analysed.answers)}, table)


def _values(labels: Int[np.ndarray, "inputs"], answers: tuple[int, ...]) -> list[int]:
    """The entry of each input in the certificate's table."""
    if not answers:
        return [int(label) for label in labels]
    can_stand = all(0 <= answer < 1 << 31 for answer in answers)
    entries = np.array(answers if can_stand else range(len(answers)))
    values: list[int] = np.where(labels == OUTSIDE, OUTSIDE, entries[labels]).tolist()
    return values


def distinguishing_table(table: Tabulated, clique: Clique) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The prefixes of a clique, and suffixes such that every two prefixes clash at one of them."""
    prefix_sizes = table.alphabets[: clique.split]
    suffix_sizes = table.alphabets[clique.split :]
    rows = table.labels.reshape(math.prod(prefix_sizes), -1)[list(clique.prefixes)]
    together = set(combinations(range(len(rows)), 2))
    columns = []
    for one, other in combinations(range(len(rows)), 2):
        if (one, other) not in together:
            continue
        clash = (rows[one] != rows[other]) & (rows[one] != OUTSIDE) & (rows[other] != OUTSIDE)
        column = int(np.flatnonzero(clash)[0])
        columns.append(column)
        seen = rows[:, column]
        together = {(i, j) for i, j in together if seen[i] == seen[j] or OUTSIDE in (seen[i], seen[j])}
    prefixes = [tuple(map(int, np.unravel_index(number, prefix_sizes))) for number in clique.prefixes]
    suffixes = [tuple(map(int, np.unravel_index(column, suffix_sizes))) for column in columns]
    return prefixes, suffixes

"""Decide if a state collision is what it claims, by fractions in units of 1 and by principal minors, without the checker."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np

from seqsep.maths.automata.automata import DFA

GAPS = {"nonnegative-diagonal-parity": 1, "diagonal-periods": 2, "symmetric-steps": 1}


def collision(given: dict[str, Any]) -> bool:
    """Run both words, and compare states, values, claims and the kind of the matrices."""
    task, witness, claims = given["task"], given["witness"], given["claims"]
    steps, size = witness["steps"], len(witness["start"])
    assert len({len(rows) for rows in witness["maps"]} | {size}) == 1
    step, shift = Fraction(1, steps), {"floor": Fraction(0), "nearest": Fraction(1, 2 * steps)}[given["rounding"]]
    words = [[letter for letter, times in word for _ in range(times)] for word in witness["words"]]
    ends = []
    for word in words:
        state = [entry * step for entry in witness["start"]]
        for letter in word:
            assert letter >= 0
            exact = [
                sum(Fraction(a, witness["divisor"]) * x for a, x in zip(row, [*state, step], strict=True))
                for row in witness["maps"][letter]
            ]
            placed = [(entry + shift) // step * step for entry in exact]
            state = [min(max(entry, Fraction(-steps)), Fraction(steps)) for entry in placed]
        ends.append(state)
    values = [_value(task, word, len(witness["maps"])) for word in words]
    lengths = sorted(map(len, words))
    matrices = [[row[:-1] for row in rows] for rows in witness["maps"]]
    gap = GAPS.get(given["theorem"])
    assert gap or given["theorem"] == "one-state-two-values"
    return (
        ends[0] == ends[1]
        and values[0] != values[1]
        and len(words) == 2
        and claims == {"longer": lengths[1], "shorter": lengths[0], "width": size}
        and given["precision"] == (2 * steps**2).bit_length()
        and (gap is None or (_on_ones(given, gap) and all(_of_kind(given["theorem"], matrix) for matrix in matrices)))
    )


def _value(task: dict[str, Any], word: list[int], letters: int) -> int:
    if task["name"] == "ones-modulo":
        assert letters == 2
        return sum(word) % task["modulus"]
    dfa = DFA(np.array(task["table"]), task["start"], np.array(task["accepting"], dtype=bool))
    assert dfa.table.shape == (len(task["accepting"]), letters)
    return int(dfa.accepts(word))


def _on_ones(given: dict[str, Any], gap: int) -> bool:
    witness = given["witness"]
    [[[one, shorter]], [[other, longer]]] = witness["words"]
    values = 2 * witness["steps"] ** 2 + 1
    most = values ** len(witness["start"]) if given["theorem"] == "symmetric-steps" else gap * values
    return (one, other) == (1, 1) and longer - shorter == gap and longer <= most and given["task"]["modulus"] == gap + 1


def _of_kind(theorem: str, matrix: list[list[int]]) -> bool:
    if theorem == "symmetric-steps":
        size = len(matrix)
        subsets = [rows for count in range(1, size + 1) for rows in itertools.combinations(range(size), count)]
        minors = [_determinant([[matrix[i][j] for j in rows] for i in rows]) for rows in subsets]
        return size <= 8 and np.array_equal(matrix, np.transpose(matrix)) and min(minors) >= 0
    others = [entry for i, row in enumerate(matrix) for j, entry in enumerate(row) if i != j]
    least = min(row[place] for place, row in enumerate(matrix))
    return not any(others) and (theorem == "diagonal-periods" or least >= 0)


def _determinant(matrix: list[list[int]]) -> int:
    """By the first row."""
    if not matrix:
        return 1
    return sum(
        (-1) ** place * entry * _determinant([row[:place] + row[place + 1 :] for row in matrix[1:]])
        for place, entry in enumerate(matrix[0])
    )

"""Thresholds of k-sparse features against their definitions, and DIMACS files, good and bad."""

import itertools

import numpy as np
import pytest

from seqsep.maths.formulas import (
    AtLeast,
    Thresholds,
    TruthTable,
    cnf,
    dimacs,
    disjointness,
    dnf,
    equality,
    majority,
    read_dimacs,
)


def every(variables: int) -> np.ndarray:
    return np.array(list(itertools.product([0, 1], repeat=variables)), dtype=int).reshape(2**variables, variables)


def true(literal: int, x) -> bool:
    return bool(x[abs(literal) - 1]) == (literal > 0)


def test_instances_are_what_they_say():
    for length in (2, 4, 6, 8):
        half, inputs = length // 2, every(length)
        meets = [any(a and b for a, b in zip(x[:half], x[half:], strict=True)) for x in inputs]
        assert disjointness(length).evaluate(inputs).tolist() == meets
        assert equality(length).evaluate(inputs).tolist() == [x[:half].tolist() == x[half:].tolist() for x in inputs]
    for length in (1, 2, 5, 6):
        assert majority(length).evaluate(every(length)).tolist() == [2 * sum(x) > length for x in every(length)]
    for make in (disjointness, equality):
        with pytest.raises(ValueError, match="even number from 2"):
            make(3)


def test_cnf_and_dnf_with_empty_repeated_and_tautological_parts():
    random, inputs = np.random.default_rng(0), every(4)
    for _ in range(200):
        parts = [
            (random.integers(1, 5, size=size) * random.choice([-1, 1], size=size)).tolist()
            for size in random.integers(0, 5, size=random.integers(0, 5))
        ]
        assert cnf(4, parts).evaluate(inputs).tolist() == [all(any(true(y, x) for y in part) for part in parts) for x in inputs]
        assert dnf(4, parts).evaluate(inputs).tolist() == [any(all(true(y, x) for y in part) for part in parts) for x in inputs]


def test_tables_become_sums_of_terms_or_clauses():
    """At most half as many terms or clauses as the table has rows add up to the table's function plus the constant."""
    for k in (0, 1, 2, 3):
        for values in itertools.product([0, 1], repeat=1 << k):
            table = TruthTable(tuple(range(k, 0, -1)), values)
            inputs = every(k)
            expected = np.array([values[sum(int(x[k - 1 - digit]) << digit for digit in range(k))] for x in inputs])
            assert table.holds(inputs.astype(bool)).tolist() == expected.tolist()
            gates, constant = table.gates()
            assert len(gates) <= (1 << k) // 2
            total = sum((gate.holds(inputs.astype(bool)).astype(int) for gate in gates), np.zeros(len(inputs), dtype=int))
            assert (total - constant).tolist() == expected.tolist()


def test_gates_keep_the_function():
    random, inputs = np.random.default_rng(1), every(5)
    for _ in range(100):
        features = tuple(
            TruthTable(tuple((random.permutation(5)[:k] + 1).tolist()), tuple(random.integers(2, size=1 << k).tolist()))
            for k in random.integers(0, 4, size=6).tolist()
        )
        formula = Thresholds(5, (*features, AtLeast((1, -2, 3), 2)), int(random.integers(-2, 9)))
        assert np.array_equal(formula.gates().evaluate(inputs), formula.evaluate(inputs))
        assert formula.gates().sparsity <= 3


def test_a_formula_that_is_none_is_refused():
    for features, message in [
        ((AtLeast((4,)),), "variables are 1 to 3"),
        ((AtLeast((0,)),), "variables are 1 to 3"),
        ((TruthTable((-1,), (0, 1)),), "variables are 1 to 3"),
        ((TruthTable((1, 2), (0, 1)),), "4 zeros and ones"),
        ((TruthTable((1,), (0, 2)),), "2 zeros and ones"),
    ]:
        with pytest.raises(ValueError, match=message):
            Thresholds(3, features, 0)
    with pytest.raises(ValueError, match="at least 0"):
        Thresholds(-1, (), 0)


GOOD = """c a comment
p cnf 4 5
1 -2
 3 0 -4 4 0
c inside
2 2 0 0
1 2 3
-4 0
%
0
"""


def test_dimacs():
    formula = dimacs(GOOD)
    assert [feature.literals for feature in formula.features] == [(1, -2, 3), (-4, 4), (2, 2), (), (1, 2, 3, -4)]
    assert not formula.evaluate(every(4)).any()
    assert dimacs("p cnf 3 0\n").evaluate(every(3)).all()
    assert dimacs("p cnf 0 1\n0\n").evaluate(every(0)).tolist() == [0]
    assert formula.sparsity == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.cnf: expected a line 'p cnf VARIABLES CLAUSES', found none"),
        ("c only\n%\n", "f.cnf: expected a line 'p cnf VARIABLES CLAUSES', found none"),
        ("1 2 0\n", "f.cnf, line 1: expected 'p cnf VARIABLES CLAUSES', found '1 2 0'"),
        ("p cnf 3\n", "line 1: expected 'p cnf VARIABLES CLAUSES', found 'p cnf 3'"),
        ("p cnf 3 -1\n", "line 1: expected 'p cnf"),
        ("p sat 3 1\n", "line 1: expected 'p cnf"),
        ("p cnf 3 1\np cnf 3 1\n", "line 2: expected one line 'p cnf', found a second one"),
        ("p cnf 3 1\n1 4 0\n", "line 2: expected a literal from -3 to 3, found '4'"),
        ("p cnf 3 1\n1 x 0\n", "line 2: expected a literal from -3 to 3, found 'x'"),
        ("p cnf 30 1\n1_0 0\n", "found '1_0'"),
        ("p cnf 3 1\n\uff11 0\n", "found '\uff11'"),
        ("p cnf 3 1\n" + "9" * 5000 + " 0\n", "found '9999"),
        ("p cnf 3 1\n1 2\n", "line 2: expected 0 after the last clause, found the end of the clauses"),
        ("p cnf 3 2\n1 2 0\n", "line 2: expected 2 clauses in all, found 1"),
        ("p cnf 3 1\n1 0\n2 0\n", "line 3: expected 1 clauses in all, found 2"),
        ("p cnf 3 1\n1 2\n3 0\n", "line 2: expected a clause of at most 2 literals, found one of 3"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path, text, message):
    path = tmp_path / "f.cnf"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError) as error:  # noqa: PT011
        read_dimacs(path, widest=2)
    assert message in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "f.cnf"
    path.write_bytes(b"p cnf 1 1\n\xff")
    with pytest.raises(ValueError, match="expected text in UTF-8, found byte 0xff"):
        read_dimacs(path)

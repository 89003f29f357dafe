"""The files that both checkers of certificates are asked about. No test here needs Coq; the row `verified-checker` does."""

import json

import numpy as np
import pytest

import long_verified_checker
import seqsep_check
from support.certificates import two_checkers


@pytest.mark.parametrize("made", [two_checkers.ranks, two_checkers.layers])
def test_some_files_hold_and_some_do_not(made):
    holds = [file.holds for file in made(60)]
    assert 15 <= sum(holds) <= 45


def test_files_of_own_types_are_unknown_to_the_first_checker():
    for file in (*two_checkers.ranks(4), *two_checkers.layers(4)):
        assert seqsep_check.check(file.data) == (1, "rejected: no such theorem")


def test_a_minor_that_holds_has_an_inverse():
    for file in two_checkers.ranks(60, seed=1):
        given = json.loads(file.data)
        matrix = np.array(given["task"]["values"]).reshape(given["task"]["alphabets"])
        rows, columns = (np.array(given["witness"][name])[:, 0] for name in ("rows", "columns"))
        if file.holds:
            assert round(abs(np.linalg.det(matrix[rows][:, columns]))) >= 1


def test_mutants_are_of_both_types():
    files = list(two_checkers.mutants(60))
    assert len(files) == 60
    assert sum(file.name.startswith("fooling-set") for file in files) == 30
    assert 0 < sum(file.holds for file in files) < 30


def test_every_rule_is_spoiled():
    extracted = (long_verified_checker.proofs.PROOFS / "ExtractRules.v").read_text(encoding="utf-8")
    assert all(f" {rule} " in extracted for rule in long_verified_checker.SPOILED)
    program = (long_verified_checker.proofs.PROOFS / "check.ml").read_text(encoding="utf-8")
    assert all(program.count(f"Rules.{rule} ") == 1 for rule in long_verified_checker.SPOILED)

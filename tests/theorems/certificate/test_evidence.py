"""Theorems show evidence in certificates, the checker judges it, and some cannot be shown."""

import copy
import json
import re
from fractions import Fraction

import pytest

import seqsep_check
from seqsep.commands.cli import main
from seqsep.theorems import BY_NAME
from seqsep.theorems.certificate import certificate, certify
from seqsep.theorems.retrieval.one_layer import distinguished_inputs
from seqsep.theorems.retrieval.recall_oracle import cases
from seqsep.theorems.state_tracking.collision import CollisionEvidence, GridRecurrence, StateCollision, collision_on_ones
from support.certificates.samples import samples, seal
from support.certificates.verdict import held
from support.command_line import call

THEOREMS = [name for name, theorem in BY_NAME.items() if theorem.certificate_witness is not None]


@pytest.mark.parametrize("name", BY_NAME)
def test_a_theorem_has_a_certificate_or_says_why_not(name, tmp_path, capsys):
    theorem = BY_NAME[name]
    assert (theorem.certificate_witness is None) == bool(theorem.nothing_to_certify)
    if theorem.certificate_witness is None:
        with pytest.raises(ValueError, match=re.escape(f"certify({name!r}): {theorem.nothing_to_certify}")):
            certify(name)
        assert main(["certify", name, "-o", str(tmp_path / "c.json")]) == 2
        said = f"seqsep certify: {name}: no certificate: {theorem.nothing_to_certify}; these have one: "
        assert capsys.readouterr().err.startswith(said)


def test_every_theorem_of_the_second_paper_has_a_certificate():
    """Under its own name, or as a least state or a one-way cost; the blocks of appendix C answer no task."""
    second = {name: theorem for name, theorem in BY_NAME.items() if "2402.18510" in theorem.claim.source}
    assert len(second) >= 22
    assert [name for name, theorem in second.items() if theorem.certificate_witness is None] == ["attention-blocks"]
    general = {name for name in second if name not in seqsep_check.THEOREMS} - {"attention-blocks"}
    assert general == {"is-tree-state", "recall-state", "counting-state", "retrieval-one-layer"}


@pytest.mark.parametrize(
    ("theorem", "options", "why"),
    [
        ("circuits-attention", {"length": 7}, "at most 64 inputs, found 1 bits of state and 128 inputs"),
        ("is-tree-walk", {"length": 3}, "expected at least 4 vertices, for a graph that is not a tree"),
        ("recall-oracle-state", {"length": 9, "alphabet": 9}, "sequences, at most 4,096"),
        ("retrieval-one-layer", {"length": 30}, "inputs of Alice's, at most 4,096"),
        ("turing-machine-hybrid", {"length": 9}, "expected 2 to 4,096 words of at least 1 symbol, found 19,683"),
        ("turing-machine-retrieval", {"length": 0}, "expected 2 to 4,096 words of at least 1 symbol, found 1"),
        ("turing-machine-retrieval", {"steps": 0}, "expected 1 to 4,096 steps"),
        ("turing-machine-recurrent", {"length": 2, "cells": 2}, "the run on .* needs more cells on a side of the head"),
        ("retrieval-by-pattern", {"length": 1}, "expected 2 <= gram <= length, 2 <= alphabet"),
        ("two-layer-no-short-protocol", {"length": 7}, "an even length from 2 to 20"),
        ("counting-attention", {"length": 20, "alphabet": 2}, "all inputs shown have one answer, 1, .* shows two"),
        ("is-tree-peeling", {"length": 3}, "all inputs shown have one answer"),
    ],
)
def test_what_cannot_be_shown_is_refused(theorem, options, why):
    """By the theorem, whatever the ranges of its options are, or by the writer."""

    def shown():
        BY_NAME[theorem].certificate_witness(**options)
        return certify(theorem, **options)

    with pytest.raises(ValueError, match=why):
        shown()


def test_a_circuit_that_thinks_has_no_form(tmp_path):
    path = tmp_path / "circuit.json"
    path.write_text(json.dumps({"inputs": 1, "gates": [["x0", "s0"]], "state": ["g0"], "output": ["g0"], "stop": "g0"}))
    with pytest.raises(ValueError, match="without stop, and at most 64 inputs, found one with stop"):
        certify("circuits-attention", circuit=path)
    path.write_text(json.dumps({"inputs": 1, "gates": [["x0", "x0"], ["x0", "g0"]], "state": ["g0"], "output": ["g1"]}))
    with pytest.raises(ValueError, match="whose last bit of output depends on the input"):
        certify("circuits-attention", circuit=path)
    path.write_text(json.dumps({"inputs": 2, "gates": [["x0", "s0"], ["g0", "x1"]], "state": ["g1"], "output": ["g1", "g0"]}))
    assert "circuits-attention: circuit: bits 2, length 2, all 1, heads 3, inputs 16" in held(
        certify("circuits-attention", length=2, circuit=path)
    )


MACHINES = ("turing-machine-hybrid", "turing-machine-retrieval", "turing-machine-recurrent")


@pytest.mark.parametrize("theorem", MACHINES)
def test_the_checker_runs_the_machine_of_the_file(theorem):
    """Adding 1 to a number: any other rule that some run comes to is refused; and the rules are as shipped."""
    given = json.loads(certify(theorem, machine="binary-increment", length=1))
    rules = given["task"]["rules"]
    assert [rules[place] for place in (0, 1, 2, 6)] == [[2, 0, -1], [0, 1, 1], [0, 2, 1], [1, 2, 0]]
    assert rules[3:6] == [[], [], []]
    reached = {token for run in given["witness"]["answers"] for token in run}
    assert {0, 1, 2, 5, 6} <= reached
    for place, rule in enumerate(rules):
        for other in ([1, 0, 0], [0, 0, 1], []):
            changed = copy.deepcopy(given)
            changed["task"]["rules"][place] = other
            status, line = seqsep_check.check(seal(changed))
            assert status == int(place in reached and rule != other), (place, other, line)
            assert status == 0 or line.startswith("rejected: the value is ["), line


@pytest.mark.parametrize("theorem", MACHINES)
def test_machine_files_of_a_readers_own_are_certified(theorem, tmp_path):
    path = tmp_path / "machine.json"
    rules = {"A": {"a": ["B", "b", "L"], "b": ["A", "a", "R"]}, "B": {"b": ["A", "b", "S"], " ": ["halt", "a", "R"]}}
    path.write_text(json.dumps({"start": "A", "halt": ["halt"], "blank": " ", "rules": rules}))
    line = held(certify(theorem, machine=str(path), length=2, steps=6))
    assert f"holds: {theorem}: {json.loads(certify(theorem, machine=str(path), length=2, steps=6))['task']['name']}: " in line


def test_recall_by_pattern_holds_at_other_sizes():
    for length, alphabet, gram in ((2, 2, 2), (5, 3, 2), (12, 20, 4), (6, 2, 6)):
        line = held(certify("retrieval-by-pattern", length=length, alphabet=alphabet, gram=gram))
        assert f"ngram-by-pattern: alphabet {alphabet}, gram {gram}, length {length}, " in line


@pytest.mark.parametrize("question", ["index", "counting"])
def test_questions_by_pattern_hold_at_other_sizes(question):
    for length, alphabet in ((1, 2), (3, 4), (5, 3), (12, 20)):
        witness = BY_NAME["retrieval-by-pattern"].certificate_witness(length=length, alphabet=alphabet, question=question)
        line = held(certificate("retrieval-by-pattern", witness))
        assert f"{question}-by-pattern: alphabet {alphabet}, length {length}, " in line


def test_counting_by_rounding_holds_in_every_arithmetic():
    for rounding in ("floor", "nearest"):
        for softmax in ("stepwise", "once"):
            held(certify("counting-one-layer", rounding=rounding, softmax=softmax))


def test_lower_bounds_show_as_many_rows_as_the_formula_says():
    for length, alphabet in ((2, 2), (4, 2), (5, 3), (4, 4)):
        line = held(certify("recall-oracle-state", length=length, alphabet=alphabet))
        assert f"rows {cases(length, alphabet)}, " in line
    for task, length in (("recall", 6), ("counting", 4)):
        line = held(certify("retrieval-one-layer", task=task, length=length))
        assert f"rows {distinguished_inputs(task, length, 4)[0]}, " in line


@pytest.mark.slow
def test_verdicts_say_what_was_proved_and_never_say_it_twice():
    lines = {theorem: held(certify(theorem)) for theorem in THEOREMS}
    assert lines["is-tree-tour"].startswith("holds: is-tree-tour: is-tree: vertices 4, all 0, heads 5, inputs 16, layers 3, ")
    assert lines["equality-state"].startswith("holds: equality-state: equality: alphabet 2, length 10, rows 32, state_bits 5, ")
    assert lines["bounded-dyck-state"].endswith(f"; sha256 {json.loads(certify('bounded-dyck-state'))['digest']}")
    assert len(set(lines.values())) == len(lines)


def test_a_constant_network_is_no_certificate_of_a_theorem():
    """One input, or inputs with one answer, are no index lookup; under the general name they are what they are."""
    given = json.loads(samples()["network: lookup"])
    witness = given["witness"]
    same = [place for place, answer in enumerate(witness["answers"]) if answer == 0]
    witness |= {name: [witness[name][place] for place in same] for name in ("inputs", "answers")}
    given["claims"] |= {"all": 0, "inputs": len(same)}
    assert seqsep_check.check(seal(given)) == (1, "rejected: not what the theorem is about")
    assert seqsep_check.check(seal(given | {"theorem": "built-network"}))[0] == 0


@pytest.mark.parametrize("claimed", ["9, found 9\nholds: least-state", "\x1b[2K\rholds: yes", "\ud800"])
def test_what_a_file_claims_is_shown_in_one_line_of_ascii(claimed):
    given = json.loads(certify("equality-state", length=4))
    given["claims"]["rows"] = claimed
    status, line = seqsep_check.check(seal(given))
    assert status == 1
    assert line.isascii()
    assert line.isprintable()
    assert line.startswith("rejected: claims: rows: claimed ")


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
def test_two_words_reach_one_state_at_other_sizes(rounding):
    """The first channel of the first two layers attains the bound on n, or the greatest period."""
    for end in (1, 3, 5):
        values = 2 * end * end + 1
        line = held(certify("nonnegative-diagonal-parity", end=end, rounding=rounding, seed=end))
        assert f"modulus 2, longer {values}, shorter {values - 1}, width 3; " in line
        held(certify("diagonal-periods", end=end, rounding=rounding, seed=end))
        for size in (1, 3, 6):
            line = held(certify("symmetric-steps", end=end, size=size, rounding=rounding, seed=end))
            assert f"width {size}; " in line


def test_a_recurrence_that_counts_has_no_such_words():
    """A rotation of the plane by a quarter has period 4, so it decides parity."""
    quarter = [[0, -1, 0], [1, 0, 0]]
    rotation = GridRecurrence(1, "floor", [quarter, quarter], (1, 0))
    with pytest.raises(ValueError, match="expected a period that divides the gap, found 4"):
        collision_on_ones(rotation, gap=1)
    line = held(certificate("one-state-two-values", collision_on_ones(rotation, gap=4)))
    assert "ones-modulo: modulus 5, longer 4, shorter 0, width 2; " in line


@pytest.mark.parametrize(("end", "entry"), [(1, 1 << 31), (1, Fraction(1, 1 << 31)), ((1 << 15) + 1, 0)])
def test_a_recurrence_of_large_numbers_has_no_form(end, entry):
    still = [[[entry, 0]]]
    words = ([(0, 0)], [(0, 1)])
    given = {"accepting": [0, 1], "start": 0, "table": [[1], [0]]}
    evidence = CollisionEvidence("regular-language", given, StateCollision(GridRecurrence(end, "floor", still, (0,)), words))
    with pytest.raises(ValueError, match=r"numbers are at most 2\^31 - 1 and L is at most 2\^15"):
        certificate("", evidence)


@pytest.mark.parametrize("field", ["start", "output"])
def test_bits_of_state_and_of_the_answer_are_work(field):
    """A circuit of one gate whose state, or whose answer, is long: the bound is on sizes alone, and nothing is run."""
    circuit = {"bits": 1, "gates": [[0, 0]], "length": 1, "output": [0], "start": [0], "state": [0]}
    circuit[field] = [0] * 400_000
    circuit["state"] = [0] * len(circuit["start"])
    given = json.loads(samples()["network: lookup"])
    table = {"alice": [0], "columns": [[2]], "rows": [[0], [1]]}
    changed = given | {"theorem": "one-way-cost", "type": "distinguishing-table", "rounding": "none", "precision": 0}
    changed |= {"task": {"name": "circuit", **circuit}, "witness": table, "claims": {"rows": 2, "state_bits": 1}}
    status, line = seqsep_check.check(seal(changed))
    assert (status, line[:18]) == (2, "unfit: too large: ")


def test_a_certificate_is_not_written_over_its_machine(tmp_path, capsys):
    path = tmp_path / "machine.json"
    path.write_text(json.dumps({"start": "A", "halt": ["H"], "blank": " ", "rules": {"A": {"a": ["H", "b", "R"]}}}))
    before = path.read_bytes()
    named = ("turing-machine-hybrid", "--machine", str(path), "--length", "2", "--steps", "4", "-o", str(path))
    for command in ("certify", "export-network"):
        status, _, error = call(capsys, command, *named)
        assert (status, path.read_bytes()) == (2, before)
        assert str(path) in error

"""The verdicts of `classify` on languages, their records and proofs, and the ways to name a language."""

import json
from time import process_time
from typing import get_args

import numpy as np
import pytest

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.permutations import PermutationGroup, after
from seqsep.maths.automata.separation import Inseparable
from seqsep.maths.automata.witnesses import Witness
from seqsep.theorems.analysis import classify as classify_file
from seqsep.theorems.analysis.classify import classify
from seqsep.theorems.analysis.statements import (
    ARCHITECTURES,
    CAN,
    CANNOT,
    MOST_POINTS,
    OPEN,
    PHASE_TOKENS,
    SHORT,
    STATEMENTS,
)
from seqsep.theorems.options import Length
from seqsep.theorems.state_tracking import solvable, symmetric
from support.small_languages import of_permutations

CLASSES = {
    "aperiodic",
    "r_trivial",
    "l_trivial",
    "j_trivial",
    "da",
    "c_rasp",
    "r_infinity",
    "ac0",
    "acc0",
    "nc1_complete",
    "locally_testable",
    "definite",
    "reverse_definite",
    "generalised_definite",
    "commutative",
}
NUMBERS = {"derived_length", "state_bits", "monoid_size"}
A5 = of_permutations([(1, 2, 3, 4, 0), (1, 2, 0, 3, 4)])
SUBJECTS = {
    "parity": "(0|1 0* 1)*",
    "flip-flop": ".*12*",
    "(01)*": "(01)*",
    "(ab|bba)*": "(01|110)*",
    "all words": ".*",
    "no 11": "(0|10)*1?",
    "window": ".*1.{3}",
    "A5": A5,
    "one letter": DFA(np.array([[1], [2], [0]]), 0, np.array([True, False, False])),
}


def run_word(table, word, state):
    """The state after a word, as a stranger runs it."""
    for letter in word:
        state = table[state][letter]
    return state


def product(table, words, text, state):
    """The state after a product as text, such as "e g^2"."""
    for factor in text.split():
        name, _, times = factor.partition("^")
        for _ in range(int(times or 1)):
            state = run_word(table, words[name], state)
    return state


def holds(table, words, equation):
    left, right = equation.split(" = ")
    return all(product(table, words, left, state) == product(table, words, right, state) for state in range(len(table)))


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_record_has_all_keys_and_a_stranger_checks_it(name):
    record = json.loads(json.dumps(classify(SUBJECTS[name]).record(), allow_nan=False))
    table = record["automaton"]["table"]
    verdicts = record["verdicts"]
    assert set(verdicts) == CLASSES | NUMBERS
    for key in CLASSES:
        verdict = verdicts[key]
        assert set(verdict) == {"holds", "witness", "why"}
        witness = verdict["witness"]
        if key != "nc1_complete":
            assert verdict["holds"] is (witness is None)
        if witness and "equal" in witness:
            assert all(holds(table, witness["words"], equation) for equation in witness["equal"])
            assert not holds(table, witness["words"], witness["different"])
    assert 2 ** verdicts["state_bits"]["value"] >= len(table) > 2 ** (verdicts["state_bits"]["value"] - 1)
    assert verdicts["monoid_size"]["value"] == classify(SUBJECTS[name]).monoid.size


@pytest.mark.parametrize("name", SUBJECTS)
def test_each_proof_shows_its_verdict(name):
    found = classify(SUBJECTS[name])
    found.verify()
    for verdict in found.verdicts.values():
        assert verdict.proof is not None or verdict.holds or verdict.name == "nc1_complete"


def test_a_spoiled_proof_is_refused():
    found = classify("(01|110)*")
    proof = found.verdicts["c_rasp"].proof
    assert isinstance(proof, Inseparable)
    found.verdicts["c_rasp"] = classify_file.ClassVerdict("c_rasp", False, Inseparable(proof.classes, ()))
    with pytest.raises(ValueError, match="no join"):
        found.verify()
    found = classify("(0|1 0* 1)*")
    proof = found.verdicts["aperiodic"].proof
    assert isinstance(proof, Witness)
    found.verdicts["da"] = classify_file.ClassVerdict("da", False, proof)
    with pytest.raises(ValueError, match="says nothing against da"):
        found.verify()


def test_a_group_that_is_not_solvable_has_a_proof():
    found = classify(A5)
    hard = found.verdicts["nc1_complete"]
    assert (hard.holds, found.verdicts["acc0"].holds, found.derived_length) == (True, False, None)
    assert hard.proof == found.verdicts["acc0"].proof is not None
    assert set(found.groups) == {(60, None)}
    assert not any("NC1" in line for line in found.lines()[-8:])


ROWS = ("window", "fixed", "hard", "generalising", "deep", "positive", "complex", "delta", "nonlinear")
VERDICTS = {
    ".*1": (CAN, CANNOT, CAN, OPEN, CAN, CAN, CAN, CAN, CAN),
    "(01)*": (SHORT, CANNOT, CAN, CAN, CAN, CAN, CAN, CAN, CAN),
    "0*1.*": (SHORT, CAN, CAN, CAN, CAN, CAN, CAN, CAN, CAN),
    "(0|1 0* 1)*": (SHORT, CANNOT, CANNOT, OPEN, CAN, SHORT, CAN, CAN, CAN),
    "(10*1)*": (SHORT, CANNOT, CANNOT, OPEN, CAN, SHORT, OPEN, CAN, CAN),
    "A5": (SHORT, CANNOT, CANNOT, OPEN, CANNOT, SHORT, CANNOT, CAN, CAN),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_architectures_have_their_verdicts(name):
    found = classify(A5 if name == "A5" else name).architectures()
    assert len(ROWS) == len(ARCHITECTURES)
    assert tuple(one.verdict for one in found) == VERDICTS[name]
    assert all(one.source and "read " in one.setting for one in found)


ALL = "can, all N"
HORIZONS = {
    ".*1": (ALL, CANNOT, ALL, OPEN, "can, fixed N", ALL, ALL, "can, N open", ALL),
    "0*1.*": (SHORT, ALL, ALL, "can to 500", "can, fixed N", ALL, ALL, "can, N open", ALL),
    "(0|1 0* 1)*": (SHORT, CANNOT, CANNOT, OPEN, "can, fixed N", SHORT, "can to 65,536", ALL, ALL),
    "(10*1)*": (SHORT, CANNOT, CANNOT, OPEN, "can, fixed N", SHORT, OPEN, "can, N open", ALL),
    "A5": (SHORT, CANNOT, CANNOT, OPEN, CANNOT, SHORT, CANNOT, ALL, ALL),
}


@pytest.mark.parametrize("name", HORIZONS)
def test_can_is_printed_with_its_horizon(name):
    found = classify(A5 if name == "A5" else name)
    assert tuple(one.said for one in found.architectures()) == HORIZONS[name]
    for one, record in zip(found.architectures(), found.record()["architectures"], strict=True):
        assert (record["horizon"] is not None) == (one.said.startswith(CAN) and one.said not in ("cannot", "can, N open"))


def test_horizons_are_those_of_the_theorems():
    """The greatest m of `symmetric-reflections`, and the greatest length of `solvable-phases`, with a positive margin."""
    points = get_args(symmetric.Points)[1]
    assert points.most == MOST_POINTS
    assert symmetric.check(length=20, points=MOST_POINTS, floats="bfloat16")
    layers = solvable.build("cyclic", MOST_POINTS)
    assert get_args(Length)[1].most == PHASE_TOKENS
    assert solvable.proved(layers, PHASE_TOKENS, "phases") > 0.3


STEPS = {
    "A5": (A5, 60, 5, 4),
    "Z6": (of_permutations([(1, 2, 3, 4, 5, 0)]), 6, 5, 3),
    "Z10": (of_permutations([tuple((point + 1) % 10 for point in range(10))]), 10, 7, 5),
    "Q8": (of_permutations([(1, 2, 3, 0, 5, 6, 7, 4), (4, 7, 6, 5, 2, 1, 0, 3)]), 8, 8, 6),
    "parity": ("(0|1 0* 1)*", 2, 2, 1),
}


@pytest.mark.parametrize("name", STEPS)
def test_letters_of_a_group_permute_the_fewest_points(name):
    """The printed permutations generate a group of the monoid's size, and words are equal in both or in neither."""
    language, size, points, swaps = STEPS[name]
    found = classify(language)
    letters = [tuple(letter) for letter in found.record()["permutations"]]
    assert len(letters[0]) == points
    assert len(PermutationGroup.generated(letters).elements) == size == found.monoid.size
    delta = found.architectures()[7]
    assert delta.said == ALL
    assert delta.why == f"letters permute {points} points, by {swaps} exact reflection{'s' * (swaps != 1)} a token"
    table = found.language.automaton.table
    random = np.random.default_rng(0)
    seen = {}
    for word in (random.integers(len(letters), size=length).tolist() for length in range(200)):
        state, images = found.language.automaton.start, tuple(range(points))
        for letter in word:
            state, images = table[state, letter], after(letters[letter], images)
        assert seen.setdefault(images, state) == state


@pytest.mark.parametrize("language", [of_permutations([tuple((point + 1) % 11 for point in range(11))]), "(10*1)*", ".*1"])
def test_more_points_or_no_group_leave_the_horizon_open(language):
    found = classify(language)
    assert found.record()["permutations"] is None
    assert found.architectures()[7].said == "can, N open"


def test_layers_are_the_derived_length():
    three = classify(of_permutations([(1, 2, 3, 0), (1, 0, 2, 3)])).architectures()[6]
    assert three.why == "a group of derived length 3: 3 layers, and not fewer"
    assert classify("(0|1 0* 1)*").architectures()[6].why == "a group of derived length 1: 1 layer, and not fewer"


@pytest.mark.unchecked
def test_monoids_of_3000_elements_take_a_third_of_a_second():
    """CPU seconds, the best of three: a letter eleven from the end, a counter modulo 3,000, and S_4 x S_5 on 9 points."""
    counter = DFA(np.array([[(state + 1) % 3000] for state in range(3000)]), 0, np.arange(3000) == 0)
    pair = of_permutations([(1, 2, 3, 0, 5, 6, 7, 8, 4), (1, 0, 2, 3, 5, 4, 6, 7, 8), (0, 1, 2, 3, 5, 4, 6, 7, 8)])
    for language, size in (("(0|1)*1(0|1){10}", 4095), (counter, 3000), (pair, 2880)):
        times = []
        for _ in range(3):
            start = process_time()
            assert classify(language).monoid.size == size
            times.append(process_time() - start)
        assert min(times) < 0.3


def test_an_undecided_class_is_said_to_be_unknown(monkeypatch):
    monkeypatch.setattr("seqsep.maths.automata.separation.MOST_STATES", 1)
    found = classify("(01)*")
    assert found.verdicts["c_rasp"].holds is None
    assert found.record()["verdicts"]["c_rasp"]["why"] == (
        "expected components of at most 1 states in the least automaton, found 2"
    )
    assert any(line.startswith("C-RASP                unknown") for line in found.lines())
    assert any(line.startswith("  unknown C-RASP: expected components") for line in found.lines())
    assert found.architectures()[3].why == "membership in C-RASP is not decided"


@pytest.mark.parametrize("name", SUBJECTS)
def test_lines_are_short_and_complete(name):
    lines = classify(SUBJECTS[name]).lines()
    assert max(map(len, lines)) <= 128
    for statement in STATEMENTS.values():
        assert sum(line.startswith(f"{statement.title} ") for line in lines) >= 1
    assert sum(line.startswith("[") for line in lines) == len(ARCHITECTURES)
    assert "1 states" not in "\n".join(lines)
    assert "1 bits" not in "\n".join(lines)

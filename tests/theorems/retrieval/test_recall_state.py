"""Recall over [n]: classes against the definition, exact models on every input, and inputs on which small models err."""

import itertools
import json
import math

import pytest

import seqsep_check
from seqsep.maths.automata import least_state
from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
from seqsep.theorems import BY_NAME, TheoremFails
from seqsep.theorems.certificate import certify
from seqsep.theorems.protocols.machine import as_machine
from seqsep.theorems.protocols.small_models import RECURRENT, rounded, with_random_weights
from seqsep.theorems.protocols.thought import think
from seqsep.theorems.retrieval import _printed_reductions as printed
from seqsep.theorems.retrieval import recall_state
from seqsep.theorems.retrieval._recall_classes import classes, maps_by_starts
from seqsep.theorems.retrieval._recall_errata import instance
from seqsep.theorems.retrieval.recall_state import (
    build,
    check,
    collide,
    enough_bits,
    least_bits,
    sequences,
    solve,
    with_fewer_bits,
)

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def first_after(data, query):
    """The definition once more, by another loop."""
    behind = [data[end] for end in range(len(query), len(data)) if data[end - len(query) : end] == query]
    return behind[0] if behind else len(data)


@pytest.mark.parametrize(("length", "gram"), [(3, 2), (4, 2), (3, 3), (4, 3), (4, 4)])
def test_solve_and_the_exact_model_are_the_definition(length, gram):
    exact = build(length, gram)
    for tokens in itertools.product(range(length), repeat=length + gram - 1):
        expected = first_after(tokens[:length], tokens[length:])
        assert solve(length, tokens) == exact.answer(tokens) == expected


@pytest.mark.parametrize("length", [2, 3, 4, 5])
def test_the_count_of_classes_is_that_of_brute_force(length):
    table = tabulate(lambda word: solve(length, tuple(word)), alphabet_ranges([length] * (length + 1)))
    least = least_state.of_table(table)
    assert least.classes_by_split[1 : length + 1] == [classes(length, tokens) for tokens in range(1, length + 1)]
    assert least.state_bits == least_bits(length) == (None, None, 2, 5, 8, 11)[length]


@pytest.mark.parametrize(("length", "expected"), [(5, 1175), (6, 12345)])
def test_classes_after_the_data_are_the_lists_of_answers(length, expected):
    answers = set()
    for data in itertools.product(range(length), repeat=length):
        behind = {}
        for token, after in itertools.pairwise(data):
            behind.setdefault(token, after)
        answers.add(tuple(behind.get(token) for token in range(length)))
    assert len(answers) == classes(length, length) == expected


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_maps_by_starts_against_every_map(size):
    counts = [0] * (size + 1)
    for image in itertools.product(range(size), repeat=size):
        leaves = [start for start in range(size) if start not in image]
        reached = set()
        for start in leaves:
            while start not in reached:
                reached.add(start)
                start = image[start]
        starts = len(leaves)
        for start in range(size):
            starts += start not in reached
            while start not in reached:
                reached.add(start)
                start = image[start]
        counts[starts] += 1
    assert counts == [maps_by_starts(size, starts) for starts in range(size + 1)]


@pytest.mark.parametrize(("length", "gram", "bits", "count"), [(3, 3, 5, None), (4, 3, 8, None), (5, 3, 12, 2855)])
def test_three_grams_by_brute_force(length, gram, bits, count):
    table = tabulate(lambda word: solve(length, tuple(word)), alphabet_ranges([length] * (length + gram - 1)))
    least = least_state.of_table(table)
    assert least_bits(length, gram) == least.state_bits == bits <= enough_bits(length, gram)
    assert count is None or least.classes == count


@pytest.mark.parametrize(("length", "gram"), [(4, 2), (5, 2), (4, 3), (5, 3), (4, 4), (5, 4)])
def test_sequences_without_repeated_grams_are_told_apart(length, gram):
    """They are as many as the proof says, or more, and no two have the same answers."""
    questions = list(itertools.product(range(length), repeat=gram - 1))
    answers = {}
    for data in itertools.product(range(length), repeat=length):
        places = [data[place : place + gram - 1] for place in range(length - gram + 2)]
        if len(set(places)) == len(places):
            told = tuple(solve(length, data + query) for query in questions)
            assert answers.setdefault(told, data) == data
    assert len(answers) >= length**length - math.comb(length - gram + 2, 2) * length ** (length - gram + 1)
    if gram == 2:
        assert len(answers) == math.factorial(length)
    else:
        assert 2 * len(answers) > length**length


@pytest.mark.parametrize("length", [2, 3, 4, 5])
def test_questions_that_have_an_answer_tell_permutations_apart(length):
    """With the last token fixed all others have a follower in every permutation: (n-1)! states."""
    last = length - 1
    answers = set()
    for rest in itertools.permutations(range(last)):
        told = tuple(solve(length, (*rest, last, query)) for query in range(last))
        assert length not in told
        answers.add(told)
    assert len(answers) == math.factorial(length - 1)


def test_bits_at_longer_lengths():
    assert [least_bits(length) for length in (8, 16, 32, 64)] == [21, 56, 140, 335]
    assert [enough_bits(length) for length in (8, 16, 32, 64)] == [24, 64, 160, 384]
    for length in (8, 16, 32, 64):
        assert (math.factorial(length) - 1).bit_length() <= least_bits(length) <= enough_bits(length)
    for length in (8, 64, 300):
        assert enough_bits(length, 3) - 1 <= least_bits(length, 3) <= enough_bits(length, 3)
        assert least_bits(length, 3) > length * math.log2(length) - 1 > length // 3


@pytest.mark.parametrize(("length", "gram"), [(2, 2), (4, 2), (4, 3), (5, 4), (20, 2), (20, 3)])
def test_both_sides(length, gram):
    *upper, dropped, signs = outcomes = check(length, gram) if length > 2 else [*check(length, gram), None]
    assert upper
    for outcome in upper:
        assert outcome.measured == outcome.bound or gram == 3
    for outcome in (dropped, signs) if outcomes[-1] else (dropped,):
        assert outcome.measured["state_bits"] < outcome.bound["state_bits"] == least_bits(length, gram)
        witness = outcome.witness
        assert solve(length, tuple(witness["errs_on"])) == witness["expected"] != witness["answer"]


@pytest.mark.parametrize("name", RECURRENT)
def test_every_mixer_rounded_errs_with_its_thought(name):
    task = sequences(12)
    model = with_random_weights(task.sizes, name, 2, seed=5)
    small = rounded(model, task, 1, 0)
    found = collide(small, 12)
    assert found is not None
    thoughts = []
    for values in found.prefixes:
        prompt = values + found.errs_on[12:]
        outputs, state = small.read(prompt)
        thoughts.append(tuple(think(small, outputs[-1], state, len(prompt), thought=task.thought(prompt)).tokens))
    assert thoughts[0] == thoughts[1] == found.written
    assert solve(12, found.errs_on) == found.expected != found.answer


def test_exact_models_collide_as_soon_as_a_state_is_missing():
    assert collide(build(4), 4) is None
    assert collide(build(4, 3), 4, gram=3) is None
    for bits in (0, 3, 7):
        found = collide(with_fewer_bits(4, 2, bits), 4)
        assert solve(4, found.errs_on) == found.expected != found.answer
    table = tabulate(lambda word: solve(4, tuple(word)), alphabet_ranges([4] * 5))
    least = least_state.of_table(table).recurrence()
    assert least.state_bits == 8
    assert as_machine(least).bits == least_bits(4)


def test_a_wrong_exact_model_is_found_out(monkeypatch):
    honest = recall_state._unpacked
    monkeypatch.setattr(recall_state, "_unpacked", lambda state, length, second: honest(state, length, 0))
    with pytest.raises(TheoremFails):
        check(4, 3)


def test_a_wrong_count_is_found_out(monkeypatch):
    monkeypatch.setattr(recall_state, "classes", lambda length, tokens: classes(length, tokens) + (tokens == 2))
    with pytest.raises(TheoremFails, match="counted"):
        check(4)


def test_the_instance_codes_a_bit_for_each_key_once_mended():
    """n/c bits of n tokens; with the printed values, which begin at the last key, it codes fewer."""
    for gram in (2, 3, 4):
        told = {False: set(), True: set()}
        for bits in itertools.product((0, 1), repeat=4):
            for is_mended in (False, True):
                least_value = 4 + int(is_mended)
                data = instance(bits, gram, least_value)
                assert len(data) == 4 * gram
                read = printed.recalled_bits(data, 4, gram, least_value=least_value)
                told[is_mended].add(tuple(read))
                assert read == list(bits) or not is_mended
        assert len(told[True]) == 16 > len(told[False])


def test_certificates_hold():
    for options in ({"length": 3}, {"length": 4}, {"length": 3, "gram": 3}):
        status, _ = seqsep_check.check(certify("recall-state", **options))
        assert status == 0
    with pytest.raises(ValueError, match="at most 5,242,880"):
        certify("recall-state", length=8)


def test_the_certificate_is_of_the_task_itself():
    given = json.loads(certify("recall-state", length=4, gram=3))
    assert given["task"] == {"alphabet": 4, "gram": 3, "length": 4, "name": "ngram"}
    assert given["theorem"] == "least-state"
    assert given["claims"]["rows"] == len(given["witness"]["rows"]) == 238


def test_wrong_arguments():
    for call in (least_bits, enough_bits, build, sequences):
        with pytest.raises(ValueError, match="gram is 2 to length"):
            call(3, 4)
    with pytest.raises(ValueError, match="the bound says nothing"):
        check(5, mixer="mamba")


@pytest.mark.parametrize("gram", [2, 3])
def test_the_applier_answers_every_input_of_its_length(gram):
    apply = recall_state.predictor(4, gram)
    for *tokens, last in itertools.product(range(4), repeat=5):
        query = [last, *tokens[: gram - 2]]
        found = first_after(tuple(tokens), tuple(query))
        assert apply({"tokens": tokens, "query": query}) == (None if found == 4 else found)
    with pytest.raises(ValueError, match=f"query: expected {gram - 1} of them, found 3"):
        apply({"tokens": [1, 2, 3, 0], "query": [1, 1, 1]})


def test_failed_is_an_answer_that_a_model_may_write():
    """A model that writes FAILED where nothing matches has answered; for n = 3 that is the token 3."""
    assert list(sequences(3).answers) == [0, 1, 2, 3]


def test_the_bound_has_the_bits_that_are_needed_and_enough():
    assert BY_NAME["recall-state"].call("bound", {"length": 5, "gram": 2}) == {
        "state_bits": least_bits(5, 2),
        "built_state_bits": enough_bits(5, 2),
    }

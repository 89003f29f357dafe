"""An oracle of associative recall: its simulation, what is left to remember, and inputs on which small models err with it."""

import itertools
import math
from collections import Counter
from random import Random

import pytest

from seqsep.maths.automata.automata import Recurrence
from seqsep.theorems import TheoremFails
from seqsep.theorems.protocols.machine import as_machine
from seqsep.theorems.protocols.small_models import RECURRENT, rounded, with_random_weights
from seqsep.theorems.protocols.thought import think
from seqsep.theorems.retrieval import recall_oracle
from seqsep.theorems.retrieval.recall_oracle import (
    cases,
    check,
    collide,
    decode,
    encode,
    least_bits,
    onto,
    real,
    sequences,
    simulated,
    without_oracle,
    written,
)

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize(("length", "alphabet"), [(2, 2), (3, 2), (9, 2), (12, 2), (4, 3), (8, 3), (6, 4), (4, 5), (5, 1)])
def test_brute_force_over_every_sequence(length, alphabet):
    upper = check(length, alphabet)[0] if alphabet > 1 else recall_oracle._check_upper(length, alphabet, 0)
    assert upper.exhaustive
    assert upper.measured == upper.bound
    assert upper.inputs == alphabet**length * (alphabet + 1)


def test_bits_for_two_symbols_and_for_permutations():
    for length in range(3, 13):
        assert cases(length, 2) == 2 ** (length - 1) - 1
        assert least_bits(length, 2) == length - 1
    for length in range(2, 7):
        answers = Counter()
        for symbols in itertools.permutations(range(length)):
            data = written(symbols, length)
            answers[tuple(real(data, asked) for asked in range(length + 1))] += 1
        assert max(answers.values()) == math.factorial(length - 1)
    assert [onto(places, 3) for places in range(6)] == [0, 0, 0, 6, 36, 150]


def test_numbers_of_sequences_with_equal_answers_differ():
    for length, alphabet in ((3, 3), (5, 3), (4, 4), (5, 2)):
        told = {}
        for symbols in itertools.product(range(alphabet), repeat=length):
            number = encode(symbols, alphabet)
            assert 0 <= number < cases(length, alphabet)
            key = (frozenset(symbols), symbols[1], number)
            assert told.setdefault(key, symbols) == symbols
            assert decode(number, length, alphabet, occurring=key[0], second=key[1]) == symbols
    with pytest.raises(ValueError, match="no sequence with this number"):
        decode(5, 8, 2, occurring=frozenset({0}), second=0)


@pytest.mark.parametrize(("length", "alphabet"), [(5, 3), (64, 64), (64, 2)])
def test_a_readers_inputs_are_answered_from_what_is_remembered(length, alphabet):
    """Also where K has more than 63 bits; the number alone, without the oracle's answers, tells two sequences alike."""
    random = Random(length)
    answer = recall_oracle.predictor(length, alphabet)
    for _ in range(20):
        symbols = [random.randrange(alphabet) for _ in range(length)]
        for position in (1, 2, length):
            found = answer({"symbols": symbols, "position": position})
            assert found["answer"] == symbols[position - 1]
            assert 0 <= found["remembered"] < cases(length, alphabet) <= 2 ** found["state_bits"]
    assert encode((0,) * length, alphabet) == encode((1,) * length, alphabet)


def test_the_oracle_tells_which_symbols_occur():
    """With k = 2: asked for 1, it answers k or FAILED; the constant answer to k is y_2 in both."""
    first = written((0, 0), 2)
    second = written((1, 0), 2)
    assert (first, second) == ((0, 2, 0, 2), (1, 2, 0, 2))
    assert (real(first, 1), real(second, 1)) == (None, 2)
    assert real(first, 2) == real(second, 2) == 0
    for symbols in itertools.product(range(3), repeat=4):
        data = written(symbols, 3)
        for asked in range(4):
            assert real(data, asked) == simulated(frozenset(symbols), symbols[1], asked, 3)


def test_a_model_asks_the_oracle_in_its_thought():
    """It forgets y_1 and y_2, asks for k, and says what it hears: right for y_2, and wrong for y_1 if they differ."""
    task = sequences(3, 2)
    asks = Recurrence(
        4, 0, lambda t, state, token: token + 1 if t >= 6 else 0, lambda t, state: {5: 9, 6: 9, 7: 9}.get(state, state - 1)
    )
    party = as_machine(asks)
    for symbols in itertools.product(range(2), repeat=3):
        prompt = (*written(symbols, 2), 5)
        outputs, state = party.read(prompt)
        tokens = think(party, outputs[-1], state, len(prompt), thought=task.thought(prompt)).tokens
        assert tokens[:2] == [9, symbols[1]]
    found = collide(asks, 3, 2)
    assert found is not None
    assert task.group(found.prefixes[0]) == task.group(found.prefixes[1])
    assert task.solve(found.errs_on) == found.expected != found.answer


@pytest.mark.parametrize(("length", "alphabet"), [(3, 2), (8, 2), (6, 3), (5, 4)])
def test_small_models_err_with_the_oracle(length, alphabet):
    _, *lower = check(length, alphabet)
    assert lower
    task = sequences(length, alphabet)
    for outcome in lower:
        assert outcome.measured["state_bits"] < outcome.bound["state_bits"]
        witness = outcome.witness
        first, second = (tuple(prefix) for prefix in witness["prefixes"])
        assert task.group(first) == task.group(second)
        assert task.solve(tuple(witness["errs_on"])) == witness["expected"] != witness["answer"]


@pytest.mark.parametrize("bits", [0, 3, 5, 6])
def test_every_model_with_a_state_too_few_is_found(bits):
    """All sequences of one group are compared, so none with fewer states than K escapes."""
    found = collide(without_oracle(8, 2, bits), 8, 2)
    assert found is not None
    assert sequences(8, 2).solve(found.errs_on) == found.expected != found.answer
    assert collide(without_oracle(8, 2, 8), 8, 2) is None


@pytest.mark.parametrize("name", RECURRENT)
def test_every_mixer_rounded_errs_with_the_oracle(name):
    task = sequences(24, 3)
    small = rounded(with_random_weights(task.sizes, name, 2, seed=7), task, 1, 0)
    found = collide(small, 24, 3)
    assert found is not None
    assert task.group(found.prefixes[0]) == task.group(found.prefixes[1])
    assert task.solve(found.errs_on) == found.expected != found.answer


@pytest.mark.parametrize("part", ["rank", "simulated"])
def test_a_wrong_code_or_simulation_is_found_out(monkeypatch, part):
    wrong = {"rank": lambda string: 0, "simulated": lambda occurring, second, asked, alphabet: second}
    monkeypatch.setattr(recall_oracle, part, wrong[part])
    with pytest.raises(TheoremFails, match="symbols"):
        check(4, 2)


def test_a_wrong_count_is_found_out(monkeypatch):
    monkeypatch.setattr(recall_oracle, "cases", lambda length, alphabet: cases(length, alphabet) + 1)
    with pytest.raises(TheoremFails, match="formula"):
        check(4, 2)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="at least 2 symbols"):
        check(1, 2)
    with pytest.raises(ValueError, match="the bound says nothing"):
        check(4, 2, mixer="mamba")


def test_the_oracle_reads_the_prompt_to_its_end():
    """After 1 0 1 0 2 1 the token 2 is first in the last pair."""
    oracle = sequences(length=3, alphabet=2).oracle
    assert oracle((1, 0, 1, 0, 2, 1, 4), [9]) == [1]
    assert oracle((1, 0, 1, 0, 1, 1, 4), [9]) == [3]

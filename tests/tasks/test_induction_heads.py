"""Induction heads against its definition, its distribution, and the states of exact lengths."""

import itertools
import re
from collections import Counter

import pytest

from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, InductionHeads
from support.task_examples import assert_counts_are_near, states_before_tokens

TASKS = [InductionHeads(20), InductionHeads(2, 3), InductionHeads(9, 2, least_length=4)]


def every_input(task: InductionHeads):
    """The trigger at each place but the last, and every list of symbols."""
    for place in range(task.length - 1):
        for symbols in itertools.product(range(task.alphabet), repeat=task.length - 1):
            yield (*symbols[:place], task.alphabet, *symbols[place:], task.alphabet)


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, 100)


def test_every_input_is_the_definition():
    """As text: what comes after the first trigger."""
    task = InductionHeads(5, 3)
    for word in every_input(task):
        text = "".join("abc!"[token] for token in word)
        assert "abc"[task.solve(word)] == re.fullmatch(r"[a-c]*!([a-c])[a-c]*!", text)[1]


@pytest.mark.parametrize("evaluate", [False, True])
def test_distribution(evaluate):
    """The trigger's place is uniform for each length, and the answer is uniform and independent of it."""
    task = InductionHeads(4, 2, least_length=3)
    batch = task.sample(0, 20_000, 1, evaluate)
    found: Counter = Counter()
    for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        place = inputs.index(2)
        assert inputs[tokens - 1] == 2
        assert inputs.count(2) == 2
        assert targets[tokens - 1] == inputs[place + 1]
        assert {*targets[: tokens - 1], *targets[tokens:]} == {NOTHING_ASKED}
        found[tokens - 1, place, targets[tokens - 1]] += 1
    lengths = (4,) if evaluate else (3, 4)
    expected = {(n, p, s): 1 / len(lengths) / (n - 1) / 2 for n in lengths for p in range(n - 1) for s in range(2)}
    assert_counts_are_near(found, expected, 20_000)


@pytest.mark.parametrize(("length", "alphabet"), [(2, 2), (2, 3), (3, 2), (3, 4), (4, 2), (5, 3), (4, 4)])
def test_answer_bits_are_enough_and_needed(length, alphabet):
    """Needed by the answers of all inputs; enough as one register: a symbol, or that the trigger was just read."""
    task = InductionHeads(length, alphabet)
    states = alphabet + (length > 2)
    assert states_before_tokens(task, every_input(task)) == states
    assert task.answer_bits() == (states - 1).bit_length()
    for word in every_input(task):
        register = alphabet if length == 2 else 0  # of two tokens the trigger is the first: no state has to say so
        for t, token in enumerate(word[:-1]):
            if length == 2:
                register = token if t == 1 else 0
            elif register == alphabet:
                register = token
            elif token == alphabet:
                register = alphabet
        assert register < states
        assert register == task.solve(word)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: InductionHeads(1), "length is 2 to 2^20 tokens, found 1"),
        (lambda: InductionHeads(9, 1), "alphabet is 2 to 2^30 symbols, found 1"),
        (lambda: InductionHeads(9, least_length=1), "least_length is at least 2 tokens, found 1"),
        (lambda: InductionHeads(9).solve((1, 16, 3, 2)), "expected the trigger 16, a symbol, and the trigger at the end"),
        (lambda: InductionHeads(9).solve((1, 16, 16)), "expected the trigger 16, a symbol, and the trigger at the end"),
        (lambda: InductionHeads(9).alphabets(9), "the inputs are not a product of alphabets, since one token is the trigger"),
    ],
)
def test_what_is_wrong_is_one_line(make, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make()


def test_readable():
    assert InductionHeads(4, 5).readable((0, 5, 3, 1, 5), 3) == {"symbols": [0, "trigger", 3, 1], "answer": 3}

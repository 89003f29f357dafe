"""Automata that are learned from a function's answers."""

import random

import numpy as np
import pytest

from seqsep.maths.automata.learned import MOST_WORDS, count_words, default_length, learn, longest_word, words_up_to
from seqsep.maths.automata.regular import automaton


@pytest.mark.parametrize(
    ("pattern", "letters"), [("(01)*", 2), ("(0|1 0* 1)*", 2), ("0*(12)*", 3), (".*1.{3}", 2), ("(000)*", 1), ("[^01]", 2)]
)
def test_a_languages_automaton_is_learned(pattern, letters):
    expected = automaton(pattern, letters)
    learned = learn(expected.accepts, letters)
    assert learned.automaton.difference(expected) is None
    assert len(learned.automaton.table) == len(expected.table)
    assert learned.length == default_length(letters)
    assert learned.length < learned.longest <= longest_word(learned.length)


def test_every_short_word_and_longer_ones_are_compared():
    called = []

    def even(word):
        called.append(word)
        return len(word) % 2 == 0

    learned = learn(even, 2, length=5)
    assert set(words_up_to(2, 5)) <= set(called)
    assert sum(len(word) > 5 for word in called) == learned.longer_words
    assert max(map(len, called)) == learned.longest
    assert all(type(letter) is int for word in called for letter in word)


DRAWS = random.Random(0)
NOT_LEARNED = {
    "too many states": (lambda word: len(word) % 7 == 0, "show no automaton: they have 7 rows of answers or more"),
    "wrong at some length": (lambda word: len(word) < 40, "answers wrongly on the word"),
    "as many ones as zeros, in order": (
        lambda word: list(word) == sorted(word) and 2 * sum(word) == len(word),
        "answers wrongly",
    ),
    "a coin": (lambda word: DRAWS.random() < 0.5, "show no automaton"),
}


@pytest.mark.parametrize("name", NOT_LEARNED)
def test_a_function_without_a_small_automaton_is_refused(name):
    function, message = NOT_LEARNED[name]
    with pytest.raises(ValueError, match=message):
        learn(function, 2, length=11)


def test_an_answer_that_changes_is_refused():
    """The answers that find the states are right, and one of the later ones is not."""
    calls = []
    with pytest.raises(ValueError, match="answers wrongly on the word"):
        learn(lambda word: calls.append(word) or len(calls) < 2_000, 2, length=11)


@pytest.mark.parametrize(("letters", "length"), [(2, 0), (2, -1), (2, 20), (5, 10), (MOST_WORDS, None)])
def test_too_many_or_no_words_are_refused(letters, length):
    with pytest.raises(ValueError, match="expected a length from 1 with at most 1,048,576 words"):
        learn(lambda word: True, letters, length)


def test_longer_words_repeat_words_of_one_and_two_letters():
    """Drawn letters alternate 40 times with a chance of 2^-39."""
    called = []
    learn(lambda word: called.append(word) or True, 2, length=11)
    assert any(word[:40] in ((0, 1) * 20, (1, 0) * 20) for word in called)
    assert any(word[:40] == (0,) * 40 for word in called)


def test_exactly_the_most_words_are_read(monkeypatch):
    """2 letters have 15 words of at most 3 letters."""
    monkeypatch.setattr("seqsep.maths.automata.learned.MOST_WORDS", 15)
    assert len(learn(lambda word: True, 2, length=3).automaton.table) == 1
    with pytest.raises(ValueError, match="at most 15 words, found 4 for 2 letters"):
        learn(lambda word: True, 2, length=4)


@pytest.mark.parametrize("letters", [1, 2, 3, 5, 36, 100, 1000, 5000])
def test_the_default_length_is_the_greatest_that_is_cheap(letters):
    length = default_length(letters)
    assert count_words(letters, length) == sum(letters**size for size in range(length + 1))
    assert count_words(letters, length) <= (1 << 14 if length > 3 else MOST_WORDS)
    assert letters == 1 or count_words(letters, length + 1) > 1 << 14


def test_equal_seeds_draw_equal_words():
    drawn = []
    for seed in (0, 0, 1):
        words = []
        learn(lambda word, words=words: words.append(word) or True, 2, 3, seed)
        drawn.append(words)
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_quarter_of_longer_words_stay_alive():
    """Random words soon leave (01)*; a quarter does not."""
    words = []
    pairs = automaton("(01)*")
    learn(lambda word: words.append(word) or pairs.accepts(word), 2, 5)
    kept = [word for word in words if len(word) > 5 and np.array_equal(word, np.arange(len(word)) % 2)]
    assert len(kept) >= 250

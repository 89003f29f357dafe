"""Phonebook and index lookup in words: the answer is what a reader finds, chance is exact, draws are independent and kept."""

import hashlib
import re
from collections import Counter

import pytest

from seqsep.language_models.text.index import index_question
from seqsep.language_models.text.lookup import Lookups, chance, distinct
from seqsep.language_models.text.phonebook import book, phonebook_question

GOLDEN = {
    "phonebook": "28f211bff36032ea",
    "index": "bea177828bd586df",
}


def questions(task, lookups, count):
    make = index_question if task == "index" else phonebook_question
    return [make(lookups, index) for index in range(count)]


@pytest.mark.parametrize(("length", "shots"), [(1, 0), (2, 1), (8, 2), (300, 3)])
def test_a_reader_finds_every_number(length, shots):
    """The prompt is read with regular expressions that know nothing of how it was made."""
    for question in questions("phonebook", Lookups(length, shots), 20):
        entries = re.findall(r"^([A-Z][a-z. A-Z]+ [A-Z][a-z]+): (\d{7})$", question.prompt, flags=re.MULTILINE)
        numbers = dict(entries)
        assert len(entries) == len(numbers) == length
        asked = re.findall(r"number of (.+)\?\nAnswer:(?: (\d+)\n)?", question.prompt)
        assert len({name for name, _ in asked}) == len(asked) == shots + 1
        assert [numbers[name] for name, _ in asked] == [*(number for _, number in asked[:-1]), question.expected]
        assert question.prompt.endswith("\nAnswer:")


@pytest.mark.parametrize(("length", "shots"), [(1, 0), (2, 1), (8, 2), (300, 3)])
def test_a_reader_finds_every_word(length, shots):
    for question in questions("index", Lookups(length, shots), 20):
        words = question.prompt.split("\n")[2].split()
        assert len(words) == length
        asked = re.findall(r"Which word is number (\d+) in the list\?\nAnswer:(?: (\w+)\n)?", question.prompt)
        assert len({place for place, _ in asked}) == len(asked) == shots + 1
        assert [words[int(place) - 1] for place, _ in asked] == [*(word for _, word in asked[:-1]), question.expected]


def test_chance_is_that_of_the_best_guess_by_brute_force():
    """Over all places that may be asked, the best single guess is right as often as `chance` says."""
    values = ["red", "blue", "red", "green", "blue", "red"]
    for shown in range(6):
        for other in set(range(6)) - {shown}:
            possible = [values[place] for place in range(6) if place not in (shown, other)]
            best = max(sum(guess == value for value in possible) / len(possible) for guess in values)
            for asked in set(range(6)) - {shown, other}:
                assert chance(values, [shown, other, asked]) == best


def test_places_are_uniform_and_independent_of_the_data():
    """Each place is asked about as often; chi-square with 7 degrees of freedom is below its 99.99th percentile."""
    places = Counter(Lookups(8, 2).drawn(index, further=16)[0][-1] for index in range(8000))
    assert sum((count - 1000) ** 2 / 1000 for count in places.values()) < 29.9
    firsts = Counter((Lookups(2, 0).drawn(index, 1)[0][0], Lookups(2, 0).drawn(index, 1)[1][0] >> 31) for index in range(4000))
    assert sum((count - 1000) ** 2 / 1000 for count in firsts.values()) < 21.1


def test_distinct_draws_are_every_ordered_choice_equally_often():
    """On a grid of draws that divides evenly, each ordered pair out of 4 comes up equally often."""
    grid = [((2 * one + 1) << 32) // 24 for one in range(12)]
    pairs = Counter(tuple(distinct([first, second], 4)) for first in grid for second in grid)
    assert len(pairs) == 12
    assert set(pairs.values()) == {12}


def test_names_are_distinct_at_any_length():
    """Beyond the names without initial there are initials, and beyond these two."""
    for length, dots in ((8192, 0), (8193, 1)):
        entries, _ = book(Lookups(length), 0, 3)
        assert len({name for name, _ in entries}) == length
        assert {name.count(".") for name, _ in entries} == {dots}


def test_training_and_evaluation_differ():
    assert phonebook_question(Lookups(8), 0).prompt != phonebook_question(Lookups(8, evaluate=False), 0).prompt


@pytest.mark.parametrize("task", ["phonebook", "index"])
def test_prompts_are_those_of_their_revision(task):
    """If this fails, `question.REVISION` must grow: stored replies answer other prompts."""
    texts = [f"{question.fields} {question.prompt} {question.expected}" for question in questions(task, Lookups(20, 3, 5), 5)]
    assert hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16] == GOLDEN[task]


@pytest.mark.parametrize(("length", "shots"), [(2, 2), (0, 0), (5, -1), (1_000_001, 2)])
def test_impossible_lengths_are_refused(length, shots):
    with pytest.raises(ValueError, match=f"^length {length}, {shots} examples: the length is above the number of examples"):
        Lookups(length, shots)


@pytest.mark.parametrize("digits", [0, 10])
def test_impossible_digits_are_refused(digits):
    with pytest.raises(ValueError, match="digits are 1 to 9"):
        phonebook_question(Lookups(3), 0, digits)

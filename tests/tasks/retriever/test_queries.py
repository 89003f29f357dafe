"""Each named query means what its regular expression finds, and solves the task that it is for."""

import itertools
import random
import re

import pytest

from seqsep.tasks.retriever import NAMED, Query

WORDS = ["<s>", "~", "-", "[", "]", "FAILED", "x0", "x1", "q0", "qa", "1", "2", "3", "12", "21"]
NUMBERS = ["1", "2", "3", "12"]


def by_pattern(query: Query, tokens: list[str]) -> str | None:
    found = re.search(query.pattern, " ".join(tokens))
    return None if found is None else found.group(1)


def texts(generator: random.Random, count: int):
    """Texts with many matches: few words, edges and records one after another, and some of them torn."""
    for _ in range(count):
        words = generator.sample(WORDS, generator.randint(1, 6))
        tokens = generator.choices(words, k=generator.randrange(24))
        numbers = generator.sample(NUMBERS, generator.randint(2, 3))
        while generator.random() < 0.85:
            u, v, w = generator.choices(numbers, k=3)
            action = generator.choice(["q0", "qa", "3"])
            tokens += generator.choice([[u, "~", v], [u, "~", v], [u, "-", v], ["[", u, "]", w, action], ["x1", "x0"]])
        if tokens and generator.random() < 0.3:
            del tokens[generator.randrange(len(tokens))]
        yield tokens


def arguments_of(name: str, generator: random.Random, tokens: list[str]) -> tuple[str, ...]:
    words = [word for word in tokens if re.fullmatch(r"\w+", word)] or NUMBERS
    numbers = [word for word in words if word in NUMBERS] or NUMBERS
    small = str(generator.randrange(6))
    return {
        "token-at": (str(generator.randrange(30)),),
        "follower": tuple(generator.choices(words, k=generator.randint(1, 3))),
        "count-above": (generator.choice(words), small),
        "first-edge": (generator.choice(numbers),),
        "next-edge": tuple(generator.choices(numbers, k=2)),
        "parent": (generator.choice(numbers),),
        "last-write": (generator.choice(numbers), small)[: generator.randint(1, 2)],
    }[name]


@pytest.mark.parametrize("name", sorted(NAMED))
def test_meaning_equals_expression_on_random_texts(name):
    generator = random.Random(name)
    found = 0
    for tokens in texts(generator, 2_000):
        query = Query(name, arguments_of(name, generator, tokens))
        meant = query.find(tokens)
        assert by_pattern(query, tokens) == meant, (query, tokens)
        found += meant is not None
    assert 200 < found < 1_990


@pytest.mark.parametrize("name", sorted(NAMED))
def test_tokens_joined_by_spaces_are_the_pattern(name):
    query = Query(name, arguments_of(name, random.Random(1), ["1", "2", "qa"]))
    assert " ".join(query.tokens) == query.pattern
    assert query.tokens[0] == "(?x)"
    assert re.compile(query.pattern).groups == 1


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_the_four_retrieval_tasks(length):
    """Every sequence over numbers of one and two digits, every question: the text is <s>, the data, the question."""
    numbers = ["1", "2", "12", "21"]
    for data in itertools.product(numbers, repeat=length):
        start = ["<s>", *data]
        for place in range(1, length + 1):
            assert both(Query("token-at", (str(place),)), [*start, str(place)]) == data[place - 1]
        for asked in numbers:
            after = [data[j + 1] for j in range(length - 1) if data[j] == asked]
            assert both(Query("follower", (asked,)), [*start, asked]) == (after[0] if after else None)
            for threshold in range(length + 1):
                above = asked if data.count(asked) > threshold else None
                assert both(Query("count-above", (asked, str(threshold))), [*start, asked, str(threshold)]) == above
        for gram in itertools.product(numbers, repeat=2):
            after = [data[j + 2] for j in range(length - 2) if data[j : j + 2] == gram]
            assert both(Query("follower", gram), [*start, *gram]) == (after[0] if after else None)


def both(query: Query, tokens: list[str]) -> str | None:
    meant = query.find(tokens)
    assert by_pattern(query, tokens) == meant
    return meant


def test_the_searched_text_contains_the_question():
    """Findings E9: a counting pattern without the look-ahead counts q itself: 7 stands once, which is not above 1."""
    text = "<s> 7 4 7 1"
    assert re.search(r"^(?:.*?(?<!\S)(7)(?!\S)){2}", text)
    assert both(Query("count-above", ("7", "1")), text.split()) is None
    assert re.search(r"(?<!\S)7\s(\S+)", "<s> 4 7 7").group(1) == "7"
    assert both(Query("follower", ("7",)), ["<s>", "4", "7", "7"]) is None


def test_a_count_that_is_written_in_pieces_fails():
    """Findings E10: { 3 } is read literally, under (?x) too; {3} is a count."""
    text = "<s> 4 5 6"
    assert re.search(r"(?x) ^ (?:\S+\s) {3} (\S+)", text).group(1) == "6"
    assert re.search(r"(?x) ^ (?:\S+\s) { 3 } (\S+)", text) is None


def test_counting_takes_no_exponential_time():
    """The shorter pattern tries 2^m ways before it fails; this one fails on 2,000 tokens at once."""
    tokens = ["<s>", *["7"] * 2_000, "7", "2000"]
    assert both(Query("count-above", ("7", "2000")), tokens) is None
    assert both(Query("count-above", ("7", "1999")), tokens) == "7"


def test_last_write_prefers_what_was_written_last():
    tokens = ["<s>", "x1", "x0", "[", "2", "]", "x0", "qa", "[", "1", "]", "x1", "q1", "[", "2", "]", "qa", "q3"]
    assert both(Query("last-write", ("2", "1")), tokens) == "q3"
    assert both(Query("last-write", ("1", "0")), tokens) == "q1"
    assert both(Query("last-write", ("2", "1")), tokens[:3]) == "x0"
    assert both(Query("last-write", ("3", "2")), tokens) is None
    assert both(Query("last-write", ("2",)), tokens[:3]) is None


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("next_edge", ("1", "2"), "expected one of token-at, follower"),
        ("next-edge", ("1",), "expected 2 to 2 arguments, found 1"),
        ("follower", (), "expected 1 to any arguments, found 0"),
        ("first-edge", ("a",), "argument 1 is a number below 10^9, found 'a'"),
        ("token-at", ("9999999999",), "argument 1 is a number"),
        ("follower", ("1", ".*"), "argument 2 is a word"),
    ],
)
def test_queries_outside_the_domain_are_refused(name, arguments, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        Query(name, arguments)

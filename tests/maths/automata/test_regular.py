"""Regular expressions against Python's `re`, and the least states of their languages."""

import itertools
import re
import time
from random import Random

import numpy as np
import pytest

from seqsep.maths.automata import least_state, regular
from seqsep.maths.automata.automata import DFA
from support.small_functions import least

PATTERNS = [
    "(0|1)*1",
    "(01)*",
    "0*(10*10*)*",
    "1{3}",
    "[01]{2,4}0?",
    ".*1.{3}",
    "",
    "2+.|0",
    "([^0]0)*",
    "1{2,}|0",
    "[0-2]*2",
    "1 0?",
    "^1+?0$",
    "^0|1$",
    "(?:0|1)*?(?P<last>1){,2}",
    "(^)(0|^1)$",
    r"\d1",
    "01232|1232",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_regular_expressions(pattern):
    parsed = regular.automaton(pattern)
    compiled = re.compile(pattern.replace(" ", ""))
    for length in range(7):
        for word in itertools.product(range(parsed.table.shape[1]), repeat=length):
            assert parsed.accepts(word) == bool(compiled.fullmatch("".join(map(str, word))))


@pytest.mark.parametrize("pattern", ["(0", "0)", "*", "1{", "1{3", "[0", "[2-", "{2}", "1{3,2}", "1**", "[3-0]"])
def test_wrong_regular_expressions(pattern):
    with pytest.raises(ValueError, match=r"character \d+: expected .*, found"):
        regular.automaton(pattern)


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("(?=a)b", "a look-ahead"),
        ("(?!a)b", "a look-ahead"),
        ("(?<=a)b", "a look-behind"),
        (r"(a)\1", "a back-reference"),
        ("(a)?(?(1)b|c)", "a condition on a group"),
        ("(?>a)b", "an atomic group"),
        ("a*+b", "a possessive repeat"),
        (r"a\b", "a word boundary"),
        ("(?i)a", "a flag"),
        ("(?i:a)", "a flag"),
        (r"a\s", r"\\s, \\S or \\W"),
        ("a^b", "^ that is not at the beginning"),
        ("(^a)*", "^ that is not at the beginning"),
        ("a$b?", "$ that is not at the end"),
        ("aXb", "'X'"),
    ],
)
def test_what_is_not_read_is_refused_by_name(pattern, named):
    with pytest.raises(ValueError, match=r"expected .*, found") as refusal:
        regular.automaton(pattern)
    assert named.replace("\\\\", "\\") in str(refusal.value)


@pytest.mark.parametrize(("pattern", "kept"), [(r"\d*", "0123456789"), (r"\D*", "abc"), (r"\w*", "0123456789abc")])
def test_classes_of_characters_are_those_of_python(pattern, kept):
    parsed = regular.automaton(pattern, 13)
    assert "".join(regular.SYMBOLS[symbol] for symbol in range(13) if parsed.accepts([symbol])) == kept
    assert all(re.fullmatch(pattern, mark) for mark in kept)


def test_a_lazy_repeat_is_not_an_optional_one():
    assert not regular.automaton("1+?", 2).accepts([])
    assert regular.automaton("(1+)?", 2).accepts([])


def drawn_pattern(random, depth):
    """A pattern over three symbols, drawn at random."""
    share = random.random()
    if depth == 0 or share < 0.3:
        return random.choice(["0", "1", "2", ".", "[01]", "[^0]", "()", "[^12]", "[0-1]"])
    if share < 0.55:
        return drawn_pattern(random, depth - 1) + drawn_pattern(random, depth - 1)
    if share < 0.7:
        return f"({drawn_pattern(random, depth - 1)}|{drawn_pattern(random, depth - 1)})"
    repeat = random.choice(["*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "{0,}", "{1,}", "{0}", "{3}", "{,2}"])
    group = random.choice(["(", "(?:"])
    lazy = random.choice(["", "?"])
    return f"{group}{drawn_pattern(random, depth - 1)}){repeat}{lazy}"


def test_drawn_patterns_match_what_python_matches():
    random = Random(1)
    words = [word for length in range(5) for word in itertools.product(range(3), repeat=length)]
    for _ in range(150):
        pattern = random.choice(["", "^"]) + drawn_pattern(random, 4) + random.choice(["", "$"])
        parsed = regular.automaton(pattern, 3)
        compiled = re.compile(pattern)
        assert [parsed.accepts(word) for word in words] == [
            bool(compiled.fullmatch("".join(map(str, word)))) for word in words
        ], pattern


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("(0{1000}){1000}", "at most 4,096 symbols with repeats written out, found 1,000,000"),
        ("(" * 4990 + "0" + ")" * 4990, "parentheses at most 50 deep"),
        ("(" * 50 + "0+" + ")+" * 50, "repeats at most 50 deep"),
        ("0{1001}", "repeats up to 1000, found 1001"),
        ("0{" + "9" * 40 + "}", "repeats up to 1000, found more"),
        ("()" * 5001, "at most 10,000 characters, found 10,002"),
        ("(0|1)*1(0|1){12}", "more than 4,096 states"),
        ("(.?){1000}z", "more than 1,048,576 steps"),
        ("((0?){1000}){4}", "more than 1,048,576 steps"),
    ],
)
def test_large_patterns_are_refused_soon_and_named_shortly(pattern, expected):
    begun = time.process_time()
    with pytest.raises(ValueError, match=expected) as refusal:
        regular.automaton(pattern)
    assert time.process_time() - begun < 5
    assert len(str(refusal.value)) < 250


@pytest.mark.parametrize(
    ("pattern", "states"), [("((0|1)?){500}", 502), ("((((){1000}){1000}){1000})", 2), ("(0|1)*1(0|1){11}", 4096)]
)
def test_patterns_of_few_states_are_read_however_written(pattern, states):
    begun = time.process_time()
    assert len(regular.automaton(pattern).table) == states
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("pattern", PATTERNS)
def test_automata_agree_with_enumeration(pattern):
    automaton = regular.automaton(pattern)
    tokens = automaton.table.shape[1]
    for length in (1, 2, 5):
        minimal = least_state.of_automaton(automaton, length)
        assert minimal.classes_by_split == least(lambda word: int(automaton.accepts(word)), [tokens] * length).classes_by_split


def test_automata_reach_any_length():
    counter = DFA(np.array([[0, 1], [1, 2], [2, 0]]), 0, np.array([True, False, False]))
    minimal = least_state.of_automaton(counter, 64)
    assert (minimal.classes, minimal.state_bits, minimal.every_input) == (3, 2, False)
    assert sorted(set(minimal.automaton.run(least_state.trial_inputs(minimal.automaton)[0]).tolist())) == [0, 1]

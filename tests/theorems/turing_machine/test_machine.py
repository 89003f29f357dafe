"""Turing machines: the direct simulator, the shipped machines, and what is said of a malformed file."""

from itertools import product

import numpy as np
import pytest

from seqsep.theorems.turing_machine._machine import Machine, Rule, replay, simulate
from seqsep.theorems.turing_machine._machine_file import MOST_BYTES, machine_of, read, shipped
from seqsep.theorems.turing_machine._trials import drawn_machines, drawn_words

FLIP = """{
 "start": "A", "halt": ["H"], "blank": "_",
 "rules": {
  "A": {
   "0": ["A", "1", "R"],
   "1": ["A", "0", "R"],
   "_": ["H", "_", "L"]
  }
 }
}"""


def by_two_stacks(machine: Machine, word: str, steps: int) -> tuple[str, str, str, str]:
    """State, symbol under the head, and the tape on both sides without blanks at the ends: written another way."""
    left, right = [], list(reversed(word))
    state = machine.start
    for _ in range(steps):
        symbol = right.pop() if right else machine.blank
        if (state, symbol) not in machine.rules:
            right.append(symbol)
            break
        state, written, move = machine.rules[state, symbol]
        right.append(written)
        if move == 1:
            left.append(right.pop())
        if move == -1:
            right.append(left.pop() if left else machine.blank)
    here = right.pop() if right else machine.blank
    return state, here, "".join(left).lstrip(machine.blank), "".join(reversed(right)).rstrip(machine.blank)


def test_the_simulator_agrees_with_one_of_two_stacks():
    random = np.random.default_rng(0)
    for _, machine in drawn_machines(100, 3):
        for word in drawn_words(machine, 3, 6, random):
            trace, tape = simulate(machine, word, 40)
            state, here, left, right = by_two_stacks(machine, word, 40)
            assert trace[-1] == (state, here)
            cells = range(min([tape.head, *tape.cells]), max([tape.head, *tape.cells]) + 1)
            before = "".join(tape.cells.get(cell, "_") for cell in cells if cell < tape.head).lstrip("_")
            after = "".join(tape.cells.get(cell, "_") for cell in cells if cell > tape.head).rstrip("_")
            assert (before, after) == (left, right)
            assert tape.halted == ((state, here) not in machine.rules)
            assert replay(machine, word, trace) == tape


def test_the_busy_beavers_are_the_known_ones():
    for name, steps, ones in [("busy-beaver-3", 14, 6), ("busy-beaver-4", 107, 13)]:
        machine = machine_of(name)
        _, tape = simulate(machine, "", 1000)
        record = tape.record("0")
        assert (record["halted"], record["steps"], record["tape"].count("1")) == (True, steps, ones)


def test_binary_increment_adds_one():
    machine = machine_of("binary-increment")
    for value in range(70):
        _, tape = simulate(machine, f"{value:b}", 100)
        assert (tape.halted, tape.record("_")["tape"]) == (True, f"{value + 1:b}")


def test_palindromes_are_decided():
    machine = machine_of("palindromes")
    for length in range(8):
        for word in map("".join, product("ab", repeat=length)):
            _, tape = simulate(machine, word, 200)
            assert tape.state == ("yes" if word == word[::-1] else "no")


def test_head_and_tape_are_counted_from_the_first_symbol():
    machine = Machine("A", ("H",), "_", {("A", "_"): Rule("B", "x", -1), ("B", "_"): Rule("H", "y", -1)})
    _, tape = simulate(machine, "", 9)
    assert tape.record("_") == {"state": "H", "halted": True, "steps": 2, "tape": "yx", "head": -1}
    _, tape = simulate(machine, "", 1)
    assert tape.record("_") == {"state": "B", "halted": False, "steps": 1, "tape": "x", "head": 0}
    _, tape = simulate(machine, "", 0)
    assert tape.record("_") == {"state": "A", "halted": False, "steps": 0, "tape": "", "head": 1}


def test_a_state_without_a_rule_for_the_symbol_halts():
    machine = read(FLIP.replace('"_": ["H", "_", "L"]', '"x": ["H", "x", "L"]'), "flip.json")
    _, tape = simulate(machine, "01", 9)
    assert tape.record("_") == {"state": "A", "halted": True, "steps": 2, "tape": "10", "head": 3}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"1": ["A"', '"0": ["A"', "line 6: the key '0' occurs twice in the rules of state 'A'"),
        ('"_": ["H", "_", "L"]\n  }', '"_": ["H", "_", "L"]\n  },\n  "A": {}', "line 9: the key 'A' occurs twice in the rules"),
        ('"halt": ["H"]', '"start": "A"', "line 2: the key 'start' occurs twice in the machine"),
        ('["H", "_", "L"]', '["B", "_", "L"]', "line 7: unknown state 'B': it has no rules and is not a halting state"),
        ('"start": "A"', '"start": "Z"', "line 2: unknown state 'Z'"),
        ('["H"]', '["H", "A"]', "line 2: expected halting states without rules, found rules of 'A'"),
        ('"1", "R"', '"1", "U"', "line 5: expected a move L, R or S, found 'U'"),
        ('"1", "R"', '"1", "r"', "line 5: expected a move L, R or S, found 'r'"),
        ('["A", "1", "R"]', '["A", "", "R"]', "line 5: expected a symbol of one character, found ''"),
        ('"1": [', '"10": [', "line 6: expected a symbol of one character, found '10'"),
        ('"blank": "_"', '"blank": ""', "line 2: expected a symbol of one character, found ''"),
        ('["A", "1", "R"]', '["A", "1"]', "line 5: expected a comma, found ]"),
        ('["A", "1", "R"]', '["A", "1", "R", "R"]', "line 5: expected the end of the rule, found ,"),
        ('["A", "1", "R"]', '["A", 1, "R"]', "line 5: expected a symbol in quotes, found 1"),
        ('["A", "1", "R"]', '"A"', "line 5: expected a rule such as"),
        ('"halt": ["H"], ', "", "line 10: expected the field 'halt', found the end of the file"),
        ('"halt": ["H"]', '"halt": "H"', 'line 2: expected a list of states, found "H"'),
        ('"halt"', '"halts"', "line 2: expected the fields start, halt, blank, rules, found 'halts'"),
        ("  }\n }\n}", "  }\n }\n", "line 10: expected a comma or the end of the object, found the end of the file"),
        ("  }\n }\n}", "  }\n }\n} {", "line 10: expected the end of the file, found '{'"),
        ('"A": {\n', '"A\n": {\n', 'line 4: no JSON string: "'),
        ('"A": {\n', '"\\q": {\n', "line 4: no JSON string"),
        ("{\n", "[\n", r"line 1: expected the machine as an object, found \["),
    ],
)
def test_a_malformed_file_is_refused_with_line_and_reason(old, new, message):
    assert old in FLIP
    with pytest.raises(ValueError, match=f"^flip.json, {message}"):
        read(FLIP.replace(old, new, 1), "flip.json")


def test_no_file_no_text_and_too_long_a_file_are_refused(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"expected a file, a line such as 1RB1LB_1LA1RZ, or one of binary-increment, .*found none"
    ):
        machine_of("busy-beaver-9")
    path = tmp_path / "machine.json"
    path.write_bytes(b'{"start": "\xff"}')
    with pytest.raises(ValueError, match="expected text in UTF-8, found byte 0xff at 11"):
        machine_of(str(path))
    path.write_bytes(b" " * (MOST_BYTES + 1))
    with pytest.raises(ValueError, match=r"expected at most 4,194,304 bytes, found 4,194,305"):
        machine_of(str(path))
    path.write_text("")
    with pytest.raises(ValueError, match="line 1: expected the machine as an object, found the end of the file"):
        machine_of(str(path))


def test_a_file_and_a_shipped_name_give_a_machine(tmp_path):
    path = tmp_path / "flip.json"
    path.write_text(FLIP)
    machine = machine_of(str(path))
    assert machine.states == ("A", "H")
    assert machine.symbols == ("_", "0", "1")
    assert machine.rules["A", "0"] == Rule("A", "1", 1)
    assert [name for name in shipped() if machine_of(name)] == [
        "binary-increment",
        "busy-beaver-3",
        "busy-beaver-4",
        "palindromes",
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "input: missing; found no fields"),
        ({"input": 101}, "input: expected a string, found 101"),
        ({"input": "0121"}, "input: expected symbols among _01, found '2' at place 3"),
        ({"input": "00000"}, "input: expected at most 4 symbols, found 5"),
    ],
)
def test_an_input_is_a_string_of_known_symbols(given, message):
    with pytest.raises(ValueError, match=message):
        read(FLIP, "flip.json").word(given, length=4)

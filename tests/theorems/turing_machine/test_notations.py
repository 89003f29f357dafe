"""Machines as bbchallenge and turingmachine.io write them: the same machines as in JSON, and wrong texts in one line."""

import builtins
import json

import pytest

from seqsep.core.names import BadInput
from seqsep.theorems import BY_NAME, check
from seqsep.theorems.turing_machine import machine_of
from seqsep.theorems.turing_machine._machine import simulate
from seqsep.theorems.turing_machine._notations import is_line, of_line, of_yaml

BUSY_BEAVERS = [("1RB1LB_1LA1RZ", 6, 4), ("1RB2LB1RZ_2LA2RB1LB", 38, 9), ("1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA", None, None)]
JSON = {
    "1RB1LB_1LA1RZ": {
        "start": "A",
        "halt": ["Z"],
        "blank": "0",
        "rules": {"A": {"0": ["B", "1", "R"], "1": ["B", "1", "L"]}, "B": {"0": ["A", "1", "L"], "1": ["Z", "1", "R"]}},
    },
    "1RB1LB_1LA---": {
        "start": "A",
        "halt": [],
        "blank": "0",
        "rules": {"A": {"0": ["B", "1", "R"], "1": ["B", "1", "L"]}, "B": {"0": ["A", "1", "L"]}},
    },
}
YAML = """# two marks around the start, as an exercise asks
blank: '0'
start state: A
table:
  A:
    0: {write: 1, L: B}
    1: {write: 0, R: C}
  B:
    0: {write: 1, R: A}
  C:
    0: {write: 1, L: D}
  D:
"""
LISTS = """
blank: ' '
start state: right
synonyms:
  accept: {R: accepted}
table:
  right:
    [1, 0]: R
    ' ': {L: carry}
  carry:
    1: {write: 0, L}
    [0, ' ']: {write: 1, L: done}
  done:
    [0, 1]: L
    ' ': accept
  accepted: {}
"""


def simulated(machine, word="", steps=1000):
    """The step at which a machine halts, and its tape without blanks."""
    _, tape = simulate(machine, word, steps)
    return tape.record(machine.blank) if tape.halted else None


@pytest.mark.parametrize(("line", "steps", "ones"), BUSY_BEAVERS)
def test_busy_beavers_halt_after_their_steps(line, steps, ones):
    found = simulated(machine_of(line))
    if steps is None:
        assert found is None
    else:
        assert found["steps"] == steps
        assert sum(mark != "0" for mark in found["tape"]) == ones


@pytest.mark.parametrize("line", JSON)
def test_a_line_is_the_same_machine_as_its_json(line, tmp_path):
    (tmp_path / "machine.json").write_text(json.dumps(JSON[line]))
    (tmp_path / "machine.txt").write_text(f"{line}\n")
    machines = [machine_of(name) for name in (line, f"{tmp_path}/machine.json", f"{tmp_path}/machine.txt")]
    assert machines[0] == machines[1] == machines[2]


def test_yaml_of_turingmachine_io(tmp_path):
    (tmp_path / "exercise.yaml").write_text(YAML)
    found = simulated(machine_of(f"{tmp_path}/exercise.yaml"))
    assert (found["steps"], found["tape"], found["state"]) == (4, "101", "D")


def test_lists_of_symbols_synonyms_and_rules_without_a_state():
    machine = of_yaml(LISTS, "binary increment")
    found = simulated(machine, "1011")
    assert (found["tape"], found["state"], found["halted"]) == ("1100", "accepted", True)


@pytest.mark.parametrize("name", ["turing-machine-hybrid", "turing-machine-retrieval"])
def test_networks_run_a_line_for_more_steps_than_a_token_code(name):
    outcome = check(name, machine="1RB1LB_1LA1RZ", steps=70_000, length=1, words=1)[0]
    assert outcome.holds
    assert outcome.measured["state_bits"] > 0
    assert BY_NAME[name].call("apply", {"machine": "1RB1LB_1LA1RZ", "steps": 70_000, "length": 1})({"input": ""})["steps"] == 6


WRONG_LINES = {
    "1RB1RZ_1LB": "as many rules each",
    "1RB2LB_1LA1RZ": "symbols 0 to 1, found 2",
    "_".join(["1RA1RA"] * 27): "up to 26 states",
    "1RA" * 11: "at most 10",
}
WRONG_YAML = {
    "": "found an empty text",
    "[]": "found a list",
    "blank: 0": "found no start state",
    "a: [": "expected YAML",
    "&a [*a]": "found a list",
    "[" * 5000: "expected YAML",
    "a: " + "b" * 70_000: "at most 65,536 characters",
    YAML.replace("'0'", "'00'"): "line 2: expected a symbol of one character, found '00'",
    YAML.replace("L: B", "L: F"): "line 6: expected a state of the table, found 'F'",
    YAML.replace("{write: 0, R: C}", "X"): "line 7: expected a rule such as R or {write: 1, L: B}, found 'X'",
    YAML.replace("{write: 0, R: C}", "{L: A, R: C}"): "line 7: expected a rule such as R",
    YAML.replace("    1:", "    0:"): "line 7: expected one rule for each symbol, found a second one for '0'",
    YAML.replace("  D:", "  D: x"): "line 12: expected rules by their symbols",
    YAML.replace("  C:\n", "  B:\n"): "line 10: expected each name once, found 'B' again",
}


@pytest.mark.parametrize("text", WRONG_LINES)
def test_wrong_lines(text):
    assert is_line(text)
    with pytest.raises(BadInput, match=WRONG_LINES[text]):
        of_line(text, "the line")


@pytest.mark.parametrize("text", WRONG_YAML, ids=range(len(WRONG_YAML)))
def test_wrong_yaml(text):
    with pytest.raises(BadInput) as refused:
        of_yaml(text, "file")
    assert WRONG_YAML[text] in str(refused.value)
    assert "\n" not in str(refused.value)


def test_without_the_package_that_reads_yaml(monkeypatch):
    original = builtins.__import__

    def without(name, *rest):
        if name == "yaml":
            raise ImportError(name)
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(BadInput, match="the package pyyaml is missing, which reads YAML: pip install pyyaml"):
        of_yaml(YAML, "file")

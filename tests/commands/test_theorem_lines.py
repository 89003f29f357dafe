"""A theorem in one line, and what says how far long checks are."""

import json
import threading
import time
from functools import wraps

import pytest

from seqsep.commands.theorem_lines import ProgressLines, brief
from seqsep.theorems import BY_NAME, THEOREMS
from support.command_line import call

LONGEST = 122


def record(**changes):
    sizes = {"measured": {"heads": 1, "width": 12}, "bound": {"heads": 1, "width": 14}}
    return {"theorem": "x", "side": "upper", "length": 8, "holds": True, "computed": False} | sizes | changes


def test_the_line_has_the_size_nearest_to_its_bound():
    exact = record(side="lower", length=5, measured={"bits": 7}, bound={"bits": 7})
    line = brief([record(), exact])
    assert " ".join(line.split()) == "holds x upper, lower N = 5..8 bits 7 / 7 (tightest of 2)"
    assert "width 12 / 14" in brief([record()])
    assert "heads 1 / 1" in brief([record(measured={"heads": 1}, bound={"heads": 1})])
    assert "error 0.1429 / 0.25" in brief([record(measured={"none": 0, "error": 1 / 7}, bound={"none": 3, "error": 0.25})])


def test_the_line_says_what_was_computed_and_what_fails():
    assert brief([record(computed=True)]).startswith("computed ")
    assert brief([record(computed=True), record()]).startswith("holds ")
    assert brief([record(holds=False), record()]).startswith("FAILS ")


def test_every_theorem_fits_a_line_of_a_terminal():
    """With the longest name of the registry, and numbers as great as those of the defaults."""
    longest = max((theorem.name for theorem in THEOREMS), key=len)
    sizes = {"measured": {"bits_without_coins": 65_535}, "bound": {"bits_without_coins": 65_536}}
    line = brief([record(theorem=longest, length=65_536, **sizes), record(theorem=longest, side="lower", **sizes)])
    assert longest in line
    assert len(line) <= LONGEST


@pytest.mark.parametrize("words", [["--verbose"], []])
def test_check_without_names_prints_a_line_a_theorem(capsys, monkeypatch, words):
    few = [BY_NAME[name] for name in ("index-lookup-state", "bounded-dyck-state")]
    monkeypatch.setattr("seqsep.commands.members.names", lambda registry: [theorem.name for theorem in few])
    status, out, _ = call(capsys, "check", "--length=6", *words)
    assert status == 0
    lines = out.splitlines()
    assert len(lines) == (6 if words else 2)
    assert all(("measured / bound" in line) == bool(words) for line in lines)
    assert lines[0].startswith("holds")
    named = call(capsys, "check", "index-lookup-state", "--length", "6")[1]
    assert len(named.splitlines()) == 3


def test_an_option_before_any_theorem_keeps_its_value(capsys, monkeypatch):
    """`check --length 6` is `check --length=6`: all theorems that take a length, with this one."""
    few = [BY_NAME["bounded-dyck-state"]]
    monkeypatch.setattr("seqsep.commands.members.names", lambda registry: [theorem.name for theorem in few])
    _, out, _ = call(capsys, "check", "--length", "6", "--json")
    assert {record["length"] for record in json.loads(out)} == {6}


class Clock:
    """Seconds that a test sets."""

    now = 0.0

    def __call__(self):
        return self.now


def test_a_long_check_is_named_ever_more_rarely():
    clock = Clock()
    heartbeat = ProgressLines(3, clock=clock)
    heartbeat.begin("short")
    heartbeat.end()
    clock.now = 10.0
    heartbeat.begin("long")
    said = {}
    while clock.now < 110.0:
        clock.now += 1.0
        line = heartbeat.due()
        if line:
            said[clock.now - 10.0] = line
    assert list(said) == [5.0, 10.0, 20.0, 40.0, 70.0, 100.0]
    assert said[5.0] == "long: being checked for 5 s; 1 of 3 theorems done in 15 s"
    heartbeat.end()
    clock.now += 60.0
    assert heartbeat.due() == ""


def test_a_long_check_is_said_on_stderr_and_json_stays_json(capsys, monkeypatch):
    monkeypatch.setattr("seqsep.commands.check.ProgressLines", lambda total: ProgressLines(total, first_seconds=0.05))
    theorem = BY_NAME["bounded-dyck-state"]
    checked = theorem.check

    @wraps(checked)
    def slow(**options):
        time.sleep(0.5)
        return checked(**options)

    monkeypatch.setattr("seqsep.theorems.bounded_dyck.state.THEOREM", type(theorem)(theorem.claim, slow))
    before = threading.active_count()
    status, out, err = call(capsys, "check", theorem.name, "--json")
    assert status == 0
    assert json.loads(out)[0]["theorem"] == theorem.name
    assert err.splitlines()[0].startswith(f"{theorem.name}: being checked for 0 s")
    assert threading.active_count() == before


def test_what_is_short_is_said_once(capsys):
    status, _, err = call(capsys, "check", "bounded-dyck-state", "--length", "4")
    assert (status, err) == (0, "")

"""`seqsep classify`: its lines and JSON, and refusals in one line."""

import json

import pytest

from support.command_line import call


def test_it_prints_classes_architectures_and_witnesses(capsys):
    status, out, error = call(capsys, "classify", "(01)*")
    assert (status, error) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "(01)*: 3 states, 2 bits of state, a monoid of 6 elements, over 2 letters"
    assert "R-trivial             no       no state of the least automaton is entered again once it is left" in lines
    assert "C-RASP                yes      counts over prefixes: Transformers that generalise in length" in lines
    assert (
        "soft attention, strict causal mask, no positions     cannot        it recognises only R-trivial languages [2]" in lines
    )
    assert "  not DA: e = 01, y = 0, z = 1: e e = e, y z = e, e y e != e" in lines
    assert max(map(len, lines)) <= 128


def test_several_languages_are_printed_one_after_another(capsys):
    status, out, _ = call(capsys, "classify", ".*1", "(01)*")
    assert status == 0
    assert [line.split(":")[0] for line in out.splitlines() if "a monoid of" in line] == [".*1", "(01)*"]


def test_json_is_one_object(capsys):
    status, out, _ = call(capsys, "classify", ".*12*", "--alphabet", "3", "--json")
    found = json.loads(out)
    assert (status, out.count("\n"), found["alphabet"]) == (0, 1, 3)
    verdicts = found["verdicts"]
    assert verdicts["l_trivial"] == {"holds": True, "witness": None, "why": ""}
    assert verdicts["r_trivial"]["witness"]["equal"] == ["u x = v", "v y = u"]
    assert (verdicts["state_bits"]["value"], verdicts["monoid_size"]["value"]) == (1, 3)
    status, out, _ = call(capsys, "classify", ".*1", "1*", "--json")
    assert [one["language"] for one in json.loads(out)["languages"]] == [".*1", "1*"]


def test_a_function_says_on_which_words_it_was_compared(capsys, tmp_path):
    (tmp_path / "own.py").write_text("def f(word):\n    return len(word) % 3 == 0\n")
    status, out, _ = call(capsys, "classify", f"{tmp_path}/own.py:f", "--length", "7")
    assert status == 0
    said = " ".join(out.splitlines()[1:3])
    assert "agrees with this automaton on all words of at most 7 letters, and on 1,000 longer ones of at most" in said
    assert "Other words were not tested." in said


def test_a_task_takes_its_fields(capsys):
    status, out, _ = call(capsys, "classify", "bounded-dyck", "--kinds", "2", "--depth", "2")
    assert status == 0
    assert out.startswith("bounded-dyck: 8 states, 3 bits of state, a monoid of 60 elements, over 4 letters\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["majority"], "majority: expected a language of words of every length, found a formula for one length at a time"),
        (["(01)*", "--kinds", "2"], "(01)*: unknown option --kinds; only tasks have fields"),
        (["(01)*", "--alphabet", "1"], "character 3: expected a symbol from 0 to 0, found '1'"),
        (["(01)*", "--alphabet", "0"], "expected an alphabet of 1 to 36 symbols, found 0"),
        (["(0|1)*1(0|1){11}"], "expected a syntactic monoid of at most 5,000 elements, found more"),
        (["none.json"], "none.json: No such file or directory"),
        (["none.py:f"], "none.py"),
        ([], "the following arguments are required: LANGUAGE"),
    ],
)
def test_a_refusal_is_one_line(words, expected, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, error = call(capsys, "classify", *words)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert error.startswith("seqsep classify: ")
    assert expected in error


def test_the_refused_language_is_named_among_several(capsys):
    status, out, error = call(capsys, "classify", "(01)*", "(0|1)*1(0|1){11}")
    assert status == 2
    assert out.startswith("(01)*: 3 states")
    assert error.startswith("seqsep classify: (0|1)*1(0|1){11}: expected")

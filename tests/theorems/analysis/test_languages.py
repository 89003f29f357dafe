"""Languages as users name them: expressions, automata, files, functions and tasks; and refusals in one line."""

import json
from pathlib import Path

import numpy as np
import pytest

import seqsep
from seqsep.core.names import BadInput
from seqsep.maths.automata.automata import DFA
from seqsep.theorems.analysis.automaton_file import read_automaton_file
from seqsep.theorems.analysis.classify import classify
from seqsep.theorems.analysis.function import resolve
from seqsep.theorems.analysis.languages import shown
from support.small_languages import of_permutations

A5 = of_permutations([(1, 2, 3, 4, 0), (1, 2, 0, 3, 4)])


@pytest.mark.unchecked
def test_all_ways_to_name_a_language_agree(tmp_path):
    expected = classify("(0|1 0* 1)*").record()
    (tmp_path / "own.py").write_text(
        "import numpy as np\nfrom seqsep.maths.automata.automata import DFA\n"
        "def even(word):\n    return sum(word) % 2 == 0\n"
        "dfa = DFA(np.array([[0, 1], [1, 2], [2, 1]]), 0, np.array([True, False, True]))\n"
    )
    (tmp_path / "own.json").write_text('{"table": [[0, 1], [1, 2], [2, 1]], "start": 0, "accepting": [0, 2, 0]}')
    languages = [f"{tmp_path}/own.py:even", f"{tmp_path}/own.py:dfa", f"{tmp_path}/own.json", lambda word: sum(word) % 2 == 0]
    for language in languages:
        found = classify(language).record()
        assert {key: found[key] for key in ("automaton", "verdicts", "groups")} == {
            key: expected[key] for key in ("automaton", "verdicts", "groups")
        }
    assert seqsep.classify is classify
    assert classify(languages[0]).record()["learned_on_words_of_length"] == 13


@pytest.mark.unchecked
def test_bounded_dyck_is_the_task():
    """The automaton of the stacks has the task's answers at short lengths."""
    named = resolve("bounded-dyck", None, {"kinds": 2, "depth": 2})
    one = classify("bounded-dyck", fields={"kinds": 2, "depth": 2}).language.automaton
    for length in (1, 2, 3, 4):
        table = named.at(length).table
        words = np.argwhere(np.ones(table.values().shape, dtype=bool)).tolist()
        assert [int(one.accepts(word)) for word in words] == [table.answers[label] for label in table.labels.tolist()]
    assert len(classify("bounded-dyck", fields={"kinds": 2, "depth": 3}).language.automaton.table) == 16


FUNCTIONS = {
    "none": ("return None", "expected 0 or 1 for the empty word, found None"),
    "two": ("return 2", "expected 0 or 1 for the empty word, found 2"),
    "a text": ("return 'x'", "expected 0 or 1 for the empty word, found 'x'"),
    "no number": ("return float('nan')", "expected 0 or 1 for the empty word, found nan"),
    "a float": ("return 1.0", "expected 0 or 1 for the empty word, found 1.0"),
    "no empty word": ("return word[0]", "expected 0 or 1 for the empty word, found an error: "),
    "a later error": ("return 1 // (len(word) < 3)", "expected 0 or 1 for the word 000, found an error: "),
    "a later answer": ("return len(word) if word[:1] == [1] else 1", "expected 0 or 1 for the word 10, found 2"),
    "an exit": ("raise SystemExit(0)", "expected 0 or 1 for the empty word, found an error: "),
    "recursion": ("return f(word)", "RecursionError"),
    "a coin": ("return random.random() < 0.5", "show no automaton"),
    "a changing alphabet": (
        "return 1\ndef alphabet(n):\n    return 2 + (n > 6)",
        "expected 2 letters at each position, found [3]",
    ),
    "two alphabets": ("return 1\ndef alphabet(n):\n    return [2, 3][:n] * n if n == 2 else 2", "expected one size or 2"),
}


@pytest.mark.unchecked
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_wrong_function_is_refused_in_one_line(name, tmp_path):
    body, message = FUNCTIONS[name]
    path = tmp_path / "own.py"
    path.write_text(f"import random\nrandom.seed(0)\ndef f(word):\n    {body}\n")
    with pytest.raises(ValueError, match=r"expected|show no automaton") as refused:
        classify(f"{path}:f")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_function_may_change_its_word_and_print(tmp_path, capsys):
    (tmp_path / "own.py").write_text("def f(word):\n    print('noise')\n    word.append(1)\n    return len(word) % 2\n")
    assert classify(f"{tmp_path}/own.py:f", length=4).groups == [(2, 1)]
    out, error = capsys.readouterr()
    assert out == ""
    assert "noise" in error


FILES = {
    "bools": '{"table": [[true]], "start": 0, "accepting": []}',
    "NaN": '{"table": [[NaN]], "start": 0, "accepting": []}',
    "infinity": '{"table": [[1e999]], "start": 0, "accepting": []}',
    "floats": '{"table": [[0.0]], "start": 0, "accepting": []}',
    "huge": f'{{"table": [[{"9" * 4000}]], "start": 0, "accepting": []}}',
    "huger": f'{{"table": [[{"9" * 5000}]], "start": 0, "accepting": []}}',
    "negative": '{"table": [[0]], "start": 0, "accepting": [-1]}',
    "start": '{"table": [[0]], "start": 1, "accepting": []}',
    "no letters": '{"table": [[]], "start": 0, "accepting": []}',
    "no states": '{"table": [], "start": 0, "accepting": []}',
    "ragged": '{"table": [[0], [0, 1]], "start": 0, "accepting": []}',
    "no rows": '{"table": {"0": [0]}, "start": 0, "accepting": []}',
    "accepting": '{"table": [[0]], "start": 0, "accepting": 0}',
    "a list": "[]",
    "no table": '{"start": 0, "accepting": []}',
    "deep": "[" * 100_000,
    "empty": "",
}


@pytest.mark.parametrize("name", FILES)
def test_a_wrong_automaton_is_refused_in_one_line(name, tmp_path):
    path = tmp_path / "own.json"
    path.write_text(FILES[name])
    with pytest.raises(BadInput) as refused:
        read_automaton_file(path)
    assert str(refused.value).startswith(f"{path}: expected ")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value).replace(str(path), "")) < 300


@pytest.mark.unchecked
def test_a_large_automaton_is_read(tmp_path):
    path = tmp_path / "own.json"
    states = 6_000
    rows = [[min(state + 1, states - 1)] for state in range(states)]
    path.write_text(json.dumps({"table": rows, "start": 0, "accepting": [states - 1]}))
    with pytest.raises(ValueError, match="at most 5,000 elements, found 6,000 states"):
        classify(str(path))


OTHER = {
    "alphabet of an automaton": (A5, {"alphabet": 3}, "expected --alphabet 2, as in the automaton, found 3"),
    "fields": (A5, {"fields": {"kinds": 2}}, "unknown option --kinds; only tasks have fields"),
    "no letters": (DFA(np.zeros((1, 0), dtype=int), 0, np.array([True])), {}, "expected an automaton with a letter"),
    "a formula": ("majority", {}, "expected a language of words of every length, found a formula"),
    "a task": ("index-lookup", {}, "expected a language of words of every length, found a task"),
    "a number": (7, {}, "expected a text, a function or a DFA, found 7"),
    "too large a monoid": ("(0|1)*1(0|1){11}", {}, "expected a syntactic monoid of at most 5,000 elements, found more"),
    "length 0": (lambda word: 1, {"length": 0}, "expected a length from 1"),
    "length 100": (lambda word: 1, {"length": 100}, "expected a length from 1"),
    "no alphabet": (lambda word: 1, {"alphabet": 0}, "expected sizes from 1, found 0"),
    "a huge alphabet": (lambda word: 1, {"alphabet": 10**7}, "expected a length from 1 with at most 1,048,576 words"),
}


@pytest.mark.unchecked
@pytest.mark.parametrize("name", OTHER)
def test_what_is_no_language_is_refused(name):
    target, given, message = OTHER[name]
    with pytest.raises(ValueError, match=r"expected|unknown") as refused:
        classify(target, **given)
    assert message in str(refused.value)


def test_a_missing_file_is_named():
    with pytest.raises(FileNotFoundError):
        classify(str(Path("none.json")))


def test_words_are_shown_in_symbols():
    assert shown(tuple(range(8)) * 4) == "012345670123456701234567.."
    assert shown((35, 36)) == "z<36>"

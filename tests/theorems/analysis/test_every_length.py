"""The smallest automaton of a language: its states with and without the sink, as lines, JSON, DOT and a picture."""

import itertools
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from automata.fa import dfa as public
from automata.fa.nfa import NFA

from seqsep.commands.cli import main
from seqsep.maths.automata.automata import DFA
from seqsep.report.figures.automaton_picture import arrows, dot_text
from seqsep.theorems.analysis.analyze import analyze
from seqsep.theorems.analysis.every_length import AutomatonAnalysis

EXPRESSIONS = {
    "there|here": ("01232|1232", 4, 7, 6),
    "(a|b)+d": ("(0|1)+2", 3, 4, 3),
    "odd ones": ("0*1(0*10*1)*0*", 2, 2, 2),
    "z+.?": ("0+.1?", 3, 6, 5),
    "ab*a+b(a+b)*": ("(01*0|1)(0|1)*", 2, 3, 3),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_states_are_those_of_another_library(name):
    pattern, letters, states, without = EXPRESSIONS[name]
    found = AutomatonAnalysis.of(pattern, [letters])
    other = public.DFA.from_nfa(NFA.from_regex(pattern, input_symbols=set("0123"[:letters])), minify=True)
    assert (found.states, found.states_without_sink) == (states, without)
    assert (len(other.to_complete().states), len(other.states)) == (states, without)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_classes_are_those_of_brute_force(name):
    pattern, letters, *_ = EXPRESSIONS[name]
    symbols = "0123"[:letters]
    for one in analyze(pattern, range(3, 6), letters, is_regular=True).lengths:
        for split, count in enumerate(one.least.classes_by_split):
            rest = ["".join(word) for word in itertools.product(symbols, repeat=one.length - split)]
            begun = ("".join(word) for word in itertools.product(symbols, repeat=split))
            rows = {tuple(bool(re.fullmatch(pattern, first + last)) for last in rest) for first in begun}
            assert count == len(rows)


def test_a_regular_language_grows_by_its_automaton(capsys):
    """A fit over these lengths alone says that the state grows."""
    analysis = analyze("(0|1)*1(0|1){4}", range(1, 6))
    assert [one.bits[0] for one in analysis.lengths][-1] > analysis.lengths[0].bits[0]
    assert analysis.record()["growth"] == {"kind": "constant", "basis": "automaton", "states": 32, "state_bits": 5}
    assert main(["analyze", "(01)*", "--lengths", "2..4"]) == 0
    assert "growth: constant, by the smallest automaton: 3 states, so 2 bits are enough at every N" in capsys.readouterr().out
    fitted = analyze(lambda word: sum(word), [2, 3, 4])
    assert fitted.record()["growth"]["basis"] == "fit"


def test_lines_and_json_without_lengths(capsys):
    assert main(["analyze", "--regex", "01232|1232"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "01232|1232",
        "smallest automaton: 7 states, and 6 without the sink; letters 0 1 2 3",
        "state bits: 3 at every length",
        "growth: constant, by the smallest automaton: 7 states, so 3 bits are enough at every N",
    ]
    assert main(["analyze", "01232|1232", "(01)*", "--json"]) == 0
    one, two = json.loads(capsys.readouterr().out)["functions"]
    assert (one["states"], one["states_without_sink"], two["states"]) == (7, 6, 3)
    machine = DFA(np.array(one["automaton"]["table"]), one["automaton"]["start"], np.arange(7) == one["automaton"]["accepting"])
    for word in itertools.product(range(4), repeat=4):
        assert machine.accepts(word) == (word == (1, 2, 3, 2))


@pytest.mark.parametrize(
    ("pattern", "states", "without", "bits"), [("[^01]*", 2, 1, 1), (".*", 1, 1, 0), ("[^01]", 3, 2, 2), ("0[^01]", 1, 1, 0)]
)
def test_the_sink_is_not_counted_if_it_is_the_start(pattern, states, without, bits):
    found = AutomatonAnalysis.of(pattern, [3] if pattern != "0[^01]" else [2])
    assert (found.states, found.states_without_sink, found.state_bits) == (states, without, bits)


def words_of_dot(text, length):
    """The words that the automaton of a DOT text accepts."""
    start = re.search(r"start -> (\d+);", text)[1]
    final = set(re.findall(r"(\d+) \[shape=doublecircle\]", text))
    moves = {}
    for source, target, letters in re.findall(r'(\d+) -> (\d+) \[label="([^"]*)"\]', text):
        moves |= {(source, letter): target for letter in letters.split(",")}
    accepted = set()
    for word in itertools.product("0123", repeat=length):
        state = start
        for letter in word:
            state = moves.get((state, letter))
        if state in final:
            accepted.add("".join(word))
    return accepted


def test_dot_is_the_language(tmp_path, capsys):
    path = tmp_path / "automaton.dot"
    assert main(["analyze", "01232|1232", "-o", str(path)]) == 0
    text = path.read_text()
    assert text.startswith("// 01232|1232: the sink is not drawn")
    assert [words_of_dot(text, length) for length in (4, 5)] == [{"1232"}, {"01232"}]
    assert text == dot_text(AutomatonAnalysis.of("01232|1232"))


def test_letters_of_an_arrow_are_runs():
    assert arrows(AutomatonAnalysis.of(r"[^3]*3", [10])) == {(0, 0): "not 3", (0, 1): "3"}
    assert arrows(AutomatonAnalysis.of("[0-24-6]", [12])) == {(0, 1): "0-2,4-6"}
    assert arrows(AutomatonAnalysis.of(".*", [9])) == {(0, 0): "any"}


@pytest.mark.parametrize(("ending", "first"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_a_picture_has_its_states_and_letters(ending, first, tmp_path, capsys):
    paths = [tmp_path / f"{name}.{ending}" for name in ("one", "two", "other")]
    for path, pattern in zip(paths, ("(0|1)*1(0|1){2}", "(0|1)*1(0|1){2}", "01232|1232"), strict=True):
        assert main(["analyze", pattern, "-o", str(path)]) == 0
    one, two, other = (path.read_bytes() for path in paths)
    assert one.startswith(first)
    assert one == two != other
    if ending == "svg":
        comments = re.findall(r"<!-- (.*?) -->", one.decode())
        assert [comments.count(str(state)) for state in range(2, 8)] == [1] * 6
        ElementTree.fromstring(other.decode())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["(0|1)*1(0|1){6}", "-o", "FOLDER/a.svg"], "expected at most 60 states to draw, found 128; a file that ends in .dot"),
        (["(01)*", "-o", "FOLDER/a.jpg"], "expected a picture that ends in .png, .svg or .pdf, found '.jpg'"),
        (["(01)*", "(10)*", "-o", "FOLDER/a.svg"], "expected one function, or --lengths, found 2 functions"),
        (["(01)*", "--certificate", "FOLDER/a.json"], "expected --lengths with --certificate"),
        (["(01)*", "--precision", "8"], "expected --lengths with --precision"),
        (["(01)*", "majority"], "expected --lengths with majority"),
        (["(01)*", "--kinds", "2"], "unknown option --kinds"),
    ],
)
def test_what_is_wrong_is_one_line(arguments, said, tmp_path, capsys):
    assert main(["analyze", *(argument.replace("FOLDER", str(tmp_path)) for argument in arguments)]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert said in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())

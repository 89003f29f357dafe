"""Functions as other tools write them: truth tables, automata of automata-lib and JFLAP, and DIMACS as people write it."""

import gzip
import json

import pytest
from automata.fa import dfa

from seqsep.commands.cli import main
from seqsep.core.names import BadInput
from seqsep.theorems.analysis.analyze import analyze
from seqsep.theorems.analysis.every_length import AutomatonAnalysis
from seqsep.theorems.analysis.formula_file import read_formula

MAJORITY = [0, 0, 0, 1, 0, 1, 1, 1]
MOVES = {0: (0, 0), 1: (3, 0), 3: (4, 1), 2: (4, 0), 4: (3, 2)}
"""The next states on 0 and on 1. The state 0 is a sink, and the start is 3."""
DICTIONARY = {
    "states": [f"q{state}" for state in MOVES],
    "input_symbols": ["1", "0"],
    "transitions": {f"q{state}": {str(bit): f"q{target}" for bit, target in enumerate(row)} for state, row in MOVES.items()},
    "initial_state": "q3",
    "final_states": ["q1", "q4"],
}


def accepts(word):
    state = 3
    for bit in word:
        state = MOVES[state][bit]
    return int(state in (1, 4))


def jflap(transitions, states="", kind="fa"):
    """A file of JFLAP with the states of MOVES."""
    marks = {1: "<final/>", 3: "<initial/>", 4: "<final/>"}
    listed = "".join(f'<state id="{state}" name="q{state}">{marks.get(state, "")}</state>' for state in MOVES)
    moves = "".join(
        f"<transition><from>{one}</from><to>{two}</to><read>{letter}</read></transition>" for one, letter, two in transitions
    )
    head = '<?xml version="1.0" encoding="UTF-8" standalone="no"?><!--Created with JFLAP 6.4.-->'
    return f"{head}<structure><type>{kind}</type><automaton>{states or listed}{moves}</automaton></structure>"


WITHOUT_SINK = [(state, "ab"[bit], to) for state, row in MOVES.items() for bit, to in enumerate(row) if 0 not in (state, to)]


def test_a_truth_table_is_the_same_in_every_form(tmp_path, capsys):
    (tmp_path / "table.json").write_text(f"{MAJORITY}\n")
    (tmp_path / "text.json").write_text('"00010111"')
    (tmp_path / "table.txt").write_text("0001\n0111\n")
    (tmp_path / "own.py").write_text(
        f"TABLE = {MAJORITY}\ndef table(word):\n    return TABLE[word[0] * 4 + word[1] * 2 + word[2]]\n"
    )
    expected = analyze(f"{tmp_path}/own.py:table", [3]).lengths[0].record()
    for target in (
        "00010111",
        "[0,0,0,1,0,1,1,1]",
        *(f"{tmp_path}/{name}" for name in ("table.json", "text.json", "table.txt")),
    ):
        assert main(["analyze", target, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["lengths"] == [expected]
    assert expected["state_bits"] == 2


def test_tables_of_other_alphabets_and_with_holes():
    sums = [(one + two) % 3 for one in range(3) for two in range(3)]
    assert analyze(str(sums), alphabet=3).lengths[0].classes == 3
    assert analyze("[0,1,2,0,1,2]", alphabet=[2, 3]).lengths[0].classes == 3
    partial = analyze("[0,1,null,1]").lengths[0]
    assert partial.least is None
    assert partial.table.answers == (0, 1)


def test_the_first_position_is_the_most_significant():
    first, last = (analyze(table).lengths[0].least.classes_by_split for table in ("00001111", "01010101"))
    assert (first, last) == ([1, 2, 2, 2], [1, 1, 1, 2])


@pytest.mark.parametrize(
    ("target", "alphabet", "said"),
    [
        ("0001011", None, "0001011: expected a power of 2 from 2 as the number of answers, found 7"),
        ("[0,1,1]", [2, 2], "expected 4 answers for this alphabet, found 3"),
        ("[0,1]", [1], "an alphabet from 2"),
        ("[0,x]", None, "expected 0 and 1, or a JSON list"),
        ("[0,1.5]", None, "expected a list of answers"),
        ("[0,true]", None, "expected a list of answers"),
        ("[[0,1],[1,0]]", None, "expected a list of answers"),
    ],
)
def test_wrong_truth_tables(target, alphabet, said):
    with pytest.raises(BadInput) as refused:
        analyze(target, alphabet=alphabet)
    assert said in str(refused.value)


def test_an_automaton_is_the_same_in_every_form(tmp_path):
    (tmp_path / "own.py").write_text(
        "import numpy as np\nfrom automata.fa.dfa import DFA\n"
        f"given = {DICTIONARY!r}\nsets = given | {{'final_states': {{'q1', 'q4'}}, 'input_symbols': {{'0', '1'}}}}\n"
        "public = DFA(**{key: set(value) if isinstance(value, list) else value for key, value in given.items()})\n"
    )
    (tmp_path / "own.json").write_text(json.dumps(DICTIONARY))
    (tmp_path / "own.jff").write_text(jflap(WITHOUT_SINK))
    order = list(MOVES)
    table = {"table": [[order.index(one) for one in MOVES[state]] for state in order], "start": order.index(3)}
    (tmp_path / "table.json").write_text(json.dumps(table | {"accepting": [order.index(1), order.index(4)]}))
    names = ("own.py:given", "own.py:sets", "own.py:public", "own.json", "own.jff", "table.json")
    found = [AutomatonAnalysis.of(f"{tmp_path}/{name}") for name in names]
    for one in found:
        assert one.automaton_record() == found[0].automaton_record()
    assert {one.letters for one in found} == {("0", "1"), ("a", "b")}
    function = analyze(accepts, range(2, 7))
    given = analyze(f"{tmp_path}/own.jff", range(2, 7))
    assert [one.classes for one in given.lengths] == [one.classes for one in function.lengths] == [1, 3, 1, 3, 1]
    public = dfa.DFA(**{key: set(value) if isinstance(value, list) else value for key, value in DICTIONARY.items()})
    assert found[0].states == len(public.minify().to_complete().states)


def test_classify_reads_them_as_well(tmp_path, capsys):
    (tmp_path / "own.jff").write_text(jflap(WITHOUT_SINK))
    (tmp_path / "own.json").write_text(json.dumps(DICTIONARY))
    for name in ("own.jff", "own.json"):
        assert main(["classify", f"{tmp_path}/{name}", "--json"]) == 0
        assert len(json.loads(capsys.readouterr().out)["automaton"]["table"]) == 5


WRONG = {
    "two moves.jff": (jflap([(3, "a", 4), (3, "a", 1)]), "found several next states of the state '3' for the letter 'a'"),
    "no letter.jff": (jflap([(3, "", 4)]), "found several next states of the state '3' for no letter"),
    "two letters.jff": (jflap([(3, "ab", 4)]), "expected one letter for each transition, found 'ab'"),
    "another state.jff": (jflap([(3, "a", 9)]), "expected states among 0, 1, 3, 2, 4, found '9'"),
    "no start.jff": (jflap([], states='<state id="0"/>'), "found 0 initial states"),
    "a grammar.jff": (jflap([], kind="grammar"), "found <structure> of type 'grammar'"),
    "no XML.jff": ("states: 3", "expected a file of JFLAP, found an error of XML"),
    "entities.jff": ('<!DOCTYPE a [<!ENTITY b "c">]><structure/>', "found a document type"),
    "no letters.jff": (jflap([]), "expected an automaton with a letter, found none"),
    "sets.json": (json.dumps({**DICTIONARY, "transitions": {"q3": {"0": ["q1"]}}}), "expected a deterministic automaton"),
    "no start.json": (
        json.dumps({key: DICTIONARY[key] for key in DICTIONARY if key != "initial_state"}),
        "found no initial_state",
    ),
    "a letter.json": (json.dumps({**DICTIONARY, "input_symbols": ["0"]}), "expected letters among 0, found '1'"),
    "a text.json": (json.dumps({**DICTIONARY, "final_states": "q1"}), "expected final_states as a list"),
    "a list.json": (json.dumps({**DICTIONARY, "transitions": []}), "expected transitions as a dictionary"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("command", ["analyze", "classify"])
def test_wrong_automata_are_one_line(command, name, tmp_path, capsys):
    text, said = WRONG[name]
    (tmp_path / name).write_text(text)
    assert main([command, f"{tmp_path}/{name}"]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert said in error
    assert error.count("\n") == 1


DIMACS = {
    "satlib-end": "c made anew\np cnf 5  4 \n 1 -2 3 0\n-1 4 5 0\n2 -3 -4 0\n-5 1 2 0\n%\n0\n\n",
    "clause-over-lines": "p cnf 3 2      \n1\n2 0 -1\n-3\n0\n",
    "crlf": "p cnf 3 2\r\n1 2 0\r\n-1 3 0\r\n",
    "empty-line": "p cnf 2 1\n\n1 2 0\n",
    "projection": "c ind 1 2 0\nc p show 1 2 0\np cnf 3 2\n1 2 0\n-1 3 0\n",
}
CLAUSES = {
    "satlib-end": [(1, -2, 3), (-1, 4, 5), (2, -3, -4), (-5, 1, 2)],
    "clause-over-lines": [(1, 2), (-1, -3)],
    "crlf": [(1, 2), (-1, 3)],
    "empty-line": [(1, 2)],
    "projection": [(1, 2), (-1, 3)],
}
REFUSED = {
    "graph6": ("@\nG`hRC_$\n", "line 1", "'p cnf VARIABLES CLAUSES' is read, then the literals of each clause and 0"),
    "more-clauses": ("p cnf 3 2\n1 2 0\n-1 3 0\n2 3 0\n", "line 4", "with the first line 'p cnf 3 3', it would be read"),
    "more-variables": ("p cnf 3 2\n1 4 0\n-1 3 0\n", "line 2", "with the first line 'p cnf 4 2', it would be read"),
    "no-header": ("1 2 0\n-1 3 0\n", "line 1", "with the first line 'p cnf 3 2', it would be read"),
    "no-last-zero": (
        "c head\np cnf 3 3\n1 2 0\nc in the middle\n-1 3 0\n-2 -3",
        "line 6",
        "with the first line 'p cnf 3 3' and 0 at the end, it would be read",
    ),
    "weights": ("p wcnf 3 2 10\n10 1 2 0\n3 -1 3 0\n", "line 1", "only 'p cnf' is read"),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", DIMACS)
def test_dimacs_as_people_write_it_is_read(name, packed, tmp_path, capsys):
    path = tmp_path / f"some.cnf{'.gz' if packed else ''}"
    data = DIMACS[name].encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    assert [feature.literals for feature in read_formula(path).features] == CLAUSES[name]
    assert main(["analyze", str(path), "--json"]) == 0
    variables = max(abs(literal) for clause in CLAUSES[name] for literal in clause)
    assert json.loads(capsys.readouterr().out)["lengths"][0]["length"] == variables


@pytest.mark.parametrize("name", REFUSED)
def test_refused_dimacs_has_its_line_and_what_would_be_read(name, tmp_path):
    text, line, advice = REFUSED[name]
    path = tmp_path / "some.cnf"
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        read_formula(path)
    assert f"some.cnf, {line}: expected" in str(refused.value)
    assert f"; {advice}" in str(refused.value)
    first = advice.partition("'")[2].partition("'")[0]
    if first[-1].isdigit():
        body = "\n".join(one for one in text.splitlines() if not one.startswith("p "))
        path.write_text(f"{first}\n{body}{' 0' if 'at the end' in advice else ''}\n")
        assert read_formula(path).variables == int(first.split()[2])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"p cnf 1 1\n1 0\n", "expected a file packed with gzip"),
        (gzip.compress(b"p cnf 1 1\n1 0\n")[:-9], "expected a file packed with gzip"),
        (gzip.compress(b"c" * (1 << 25)), "expected at most 16,777,216 bytes of text, found more"),
        (gzip.compress(b"\xff"), "expected a text in UTF-8, found the byte 0xff"),
    ],
    ids=["not-packed", "cut", "too-long", "not-text"],  # packed bytes have the time in them; a name must not
)
def test_wrong_packed_files(data, said, tmp_path):
    (tmp_path / "some.cnf.gz").write_bytes(data)
    with pytest.raises(BadInput, match=said):
        read_formula(tmp_path / "some.cnf.gz")


def test_a_large_truth_table_is_refused():
    with pytest.raises(BadInput, match="expected at most 1,048,576 answers, found 2,097,152"):
        analyze("01" * (1 << 20))

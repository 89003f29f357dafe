"""`seqsep analyze`: the answers as JSON and lines, its errors in one line with status 2, the automata, and the picture."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.image import imread

from seqsep.commands.cli import main
from seqsep.maths.automata.layered import Layered
from seqsep.report.figures.least_state import draw_least_state
from seqsep.theorems.analysis.analyze import analyze

FUNCTIONS = '''
"""Functions of a user."""
import helper_of_mine
print("printed while loading")
calls = []

def parity(s):
    return sum(s) % 2 == 1

def majority(s):
    assert type(s) is list and all(type(x) is int for x in s)
    return 2 * sum(s) > len(s)

def shifted(s):
    return 7 - 2 * s[0]

def mine(s):
    print("printed while running")
    return helper_of_mine.first(s)

def partial(s):
    return None if s[0] else sum(s) % 3

def floats(s):
    return 0.5

def fails(s):
    return [][s[1]]

def unsteady(s):
    calls.append(s)
    return s[0] + (len(calls) > 4)

value = 3
'''
LOOKUP = """
def alphabet(n):
    return [4] * (n - 1) + [n - 1]

def lookup(s):
    return s[s[-1]]
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "helper_of_mine.py").write_text("def first(s):\n    return s[0]\n")
    path = tmp_path / "functions.py"
    path.write_text(FUNCTIONS)
    return path


def run(capsys, *arguments):
    status = main(["analyze", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_json(capsys, file):
    status, out, _ = run(capsys, f"{file}:majority", "--lengths", "2..8", "--json", "--precision", "8,32")
    assert status == 0
    record = json.loads(out)
    assert record["function"] == f"{file}:majority"
    assert [row["length"] for row in record["lengths"]] == list(range(2, 9))
    for row in record["lengths"]:
        length = row["length"]
        assert row["exact"] is True
        assert row["classes"] == (length + 1) // 2 + 1 == max(row["classes_by_split"])
        assert row["classes_by_split"][row["split"]] == row["classes"]
        assert row["state_bits"] == math.ceil(math.log2(row["classes"]))
        assert row["automaton"] == {"states": sum(row["classes_by_split"]), "inputs_run": 2**length, "every_input": True}
        one, two = row["witness"]["inputs"]
        assert one[row["split"] :] == two[row["split"] :] == row["witness"]["suffix"]
        assert [2 * sum(word) > length for word in (one, two)] == row["witness"]["answers"]
        assert row["witness"]["answers"][0] != row["witness"]["answers"][1]
        attention = row["attention"]
        assert attention["label"] == "lower"
        assert attention["partitions"] == 2 ** (length - 1) - 1
        assert attention["width_times_heads"] == [{"precision": precision, "at_least": None} for precision in (8, 32)]
    assert record["growth"]["kind"] == "logarithmic"
    assert record["growth"]["points"][0] == [2, 1.0]
    assert [bound["length"] for bound in record["attention_bound_from"]] == [None, None]


def test_several_functions_and_lines(capsys, file):
    status, out, _ = run(capsys, f"{file}:majority", f"{file}:parity", "--lengths", "2,4,6", "--json")
    assert status == 0
    records = json.loads(out)["functions"]
    assert [[row["state_bits"] for row in one["lengths"]] for one in records] == [[1, 2, 2], [1, 1, 1]]
    assert records[1]["growth"]["kind"] == "constant"
    status, out, _ = run(capsys, f"{file}:majority", f"{file}:parity", "--lengths", "2..6..2")
    assert status == 0
    assert out.count("state bits") == 2
    assert "growth: constant over N = 2 to 6" in out
    assert "witness at N = 6: 000|111 -> 0 and 001|111 -> 1" in out


def test_what_the_user_prints_is_kept_apart(capsys, file):
    status, out, err = run(capsys, f"{file}:mine", "--lengths", "2", "--alphabet", "3,2", "--json")
    assert status == 0
    assert json.loads(out)["lengths"][0]["classes_by_split"] == [1, 3, 3]
    assert "printed while running" in err


def test_alphabets(capsys, tmp_path, file):
    (tmp_path / "lookup.py").write_text(LOOKUP)
    status, out, _ = run(capsys, f"{tmp_path}/lookup.py:lookup", "--lengths", "2..6", "--json")
    assert status == 0
    assert [row["state_bits"] for row in json.loads(out)["lengths"]] == [2, 4, 6, 8, 10]
    status, out, _ = run(capsys, f"{file}:parity", "--alphabet", "4,4,3", "--json")
    assert [(row["length"], row["alphabets"]) for row in json.loads(out)["lengths"]] == [(3, [4, 4, 3])]
    status, out, _ = run(capsys, f"{tmp_path}/lookup.py:lookup", "--lengths", "3", "--alphabet", "2,2,2", "--json")
    assert json.loads(out)["lengths"][0]["alphabets"] == [2, 2, 2]


def test_outside_the_domain(capsys, file):
    status, out, _ = run(capsys, f"{file}:partial", "--lengths", "2..5", "--json")
    assert status == 0
    for row in json.loads(out)["lengths"]:
        assert row["exact"] is False
        assert row["lower"]["label"] == "lower"
        assert row["upper"]["label"] == "upper"
        assert row["lower"]["state_bits"] <= row["upper"]["state_bits"]
        assert row["domain"] == row["inputs"] // 2
        assert row["state_bits"] in (None, row["lower"]["state_bits"])
        one, two = row["witness"]["inputs"]
        assert [sum(one) % 3, sum(two) % 3] == row["witness"]["answers"]
        assert one[0] == two[0] == 0
    status, out, _ = run(capsys, f"{file}:partial", "--lengths", "4")
    assert "lower bound (clique)" in out
    assert "1 to 1" in out or "2 to 2" in out or "1 to 2" in out


def test_tasks_formulas_and_expressions(capsys, tmp_path):
    status, out, _ = run(capsys, "bounded-dyck", "--lengths", "2..6", "--json")
    assert status == 0
    assert [row["state_bits"] for row in json.loads(out)["lengths"]] == [2, 0, 3, 0, 3]
    status, out, _ = run(capsys, "index_lookup", "--alphabet", "3", "--lengths", "1..4", "--json")
    rows = json.loads(out)["lengths"]
    assert [(row["classes"], row["tokens"]) for row in rows] == [(3, 2), (9, 3), (27, 4), (81, 5)]
    assert rows[0]["witness"]["inputs"][0][-1] == 3
    _, out, _ = run(capsys, "bounded-dyck", "--kinds", "1", "--depth=3", "--lengths", "6", "--json")
    assert json.loads(out)["lengths"][0]["alphabets"] == [2] * 6
    _, out, _ = run(capsys, "majority", "--lengths", "64", "--json")
    row = json.loads(out)["lengths"][0]
    assert (row["classes"], row["state_bits"], row["automaton"]["every_input"]) == (33, 6, False)
    _, out, _ = run(capsys, "(0|1)*1(0|1){2}", "--lengths", "2,64", "--json")
    assert [row["classes"] for row in json.loads(out)["lengths"]] == [1, 2]
    _, out, _ = run(capsys, "012", "--regex", "--lengths", "3", "--json")
    assert json.loads(out)["lengths"][0]["classes_by_split"] == [1, 2, 2, 2]
    (tmp_path / "some.cnf").write_text("p cnf 4 2\n1 -3 0\n2 -4 0\n")
    _, out, _ = run(capsys, f"{tmp_path}/some.cnf", "--json")
    row = json.loads(out)["lengths"][0]
    assert (row["length"], row["classes_by_split"]) == (4, [1, 2, 4, 3, 2])
    (tmp_path / "objects.py").write_text(
        "import numpy as np\nfrom seqsep.maths.automata.automata import DFA\nfrom seqsep.maths.formulas import cnf\n"
        "three = DFA(np.array([[1], [2], [0]]), 0, np.array([True, False, False]))\nboth = cnf(2, [(1,), (2,)])\n"
    )
    _, out, _ = run(capsys, f"{tmp_path}/objects.py:three", "--lengths", "2..4", "--json")
    assert [row["state_bits"] for row in json.loads(out)["lengths"]] == [0, 0, 0]
    _, out, _ = run(capsys, f"{tmp_path}/objects.py:both", "--json")
    assert json.loads(out)["lengths"][0]["classes_by_split"] == [1, 2, 2]


WRONG = [
    (["{file}:absent", "--lengths", "2"], ["absent", "nothing of that name"]),
    (["{file}:value", "--lengths", "2"], ["value", "found a int"]),
    (["{file}", "--lengths", "2"], ["expected the name of a function"]),
    (["{file}:floats", "--lengths", "2"], ["{file}:floats([0, 0])", "expected an integer or None, found '0.5'"]),
    (["{file}:fails", "--lengths", "2"], ["{file}:fails([0, 0])", "IndexError"]),
    (["{file}:unsteady", "--lengths", "2"], ["{file}:unsteady", "the same answer each time"]),
    (["{file}:parity"], ["{file}:parity", "expected lengths"]),
    (["{file}:parity", "--lengths", "0..3"], ["lengths from 1", "0..3"]),
    (["{file}:parity", "--lengths", "5..3"], ["rising", "5..3"]),
    (["{file}:parity", "--lengths", "2-3"], ["2-3"]),
    (["{file}:parity", "--lengths", "9999"], ["{file}:parity", "9999"]),
    (["{file}:parity", "--lengths", "30"], ["{file}:parity", "16,777,216", "1,073,741,824"]),
    (["{file}:parity", "--lengths", "3", "--alphabet", "2,2"], ["{file}:parity", "one size or 3", "found 2"]),
    (["{file}:parity", "--lengths", "3", "--alphabet", "0"], ["from 1", "found 0"]),
    (["{file}:parity", "--lengths", "3", "--precision", "3"], ["4 to 1,024", "found 3"]),
    (["{file}:parity", "--lengths", "3", "--kinds", "2"], ["--kinds"]),
    (["{file}:parity", "--lengths", "3", "-o", "picture.gif"], ["picture.gif", ".png, .svg or .pdf"]),
    (["{folder}/none.py:f", "--lengths", "3"], ["none.py", "No such file"]),
    (["{folder}/broken.py:f", "--lengths", "3"], ["broken.py", "SyntaxError"]),
    (["{folder}/sizes.py:f", "--lengths", "3"], ["alphabet(3)", "'many'"]),
    (["nonsense", "--lengths", "3"], ["nonsense", "expected FILE.py:function", "seqsep list tasks"]),
    (["bounded-dyck", "--lengths", "4", "--alphabet", "3"], ["bounded-dyck", "kinds, depth", "--alphabet"]),
    (["bounded-dyck", "--lengths", "4", "--color", "3"], ["bounded-dyck", "--color"]),
    (["(01", "--lengths", "4"], ["(01", "character 1", "unterminated subpattern"]),
    (["0|1", "--lengths", "4", "--alphabet", "1"], ["0|1", "character 3"]),
    (["equality", "--lengths", "5"], ["equality(length=5)", "even"]),
    (["majority", "--lengths", "4", "--alphabet", "3"], ["majority", "alphabet 2"]),
    (["{folder}/bad.cnf"], ["bad.cnf", "p cnf"]),
    (["{folder}/good.cnf", "--lengths", "3"], ["good.cnf", "expected length 2", "found 3"]),
]


@pytest.mark.parametrize(("arguments", "parts"), WRONG)
def test_errors_are_one_line(capsys, tmp_path, file, arguments, parts):
    (tmp_path / "broken.py").write_text("def f(:\n")
    (tmp_path / "sizes.py").write_text("alphabet = lambda n: 'many'\nf = sum\n")
    (tmp_path / "bad.cnf").write_text("1 2 0\n")
    (tmp_path / "good.cnf").write_text("p cnf 2 1\n1 2 0\n")
    names = {"file": file, "folder": tmp_path}
    status, out, err = run(capsys, *(argument.format(**names) for argument in arguments))
    assert status == 2
    assert out == ""
    said = [line for line in err.splitlines() if not line.startswith("printed")]
    assert len(said) == 1
    for part in parts:
        assert part.format(**names) in said[0]


def test_automata_file_is_a_recurrent_model(capsys, tmp_path, file):
    path = tmp_path / "automata.json"
    run(capsys, f"{file}:majority", "--lengths", "3,5", "--automata", path, "--json")
    for record in json.loads(path.read_text())[0]["lengths"]:
        machine = Layered(
            tuple(np.array(table) for table in record["tables"]), record["start"], np.array(record["answers"])
        ).recurrence()
        assert machine.state_bits == record["state_bits"]
        length = record["length"]
        for word in np.ndindex(*[2] * length):
            assert machine.answer(word) == (2 * sum(word) > length)
    run(capsys, f"{file}:shifted", "--lengths", "2", "--automata", path, "--json")
    assert json.loads(path.read_text())[0]["lengths"][0]["answers"] == [7, 5]


@pytest.mark.parametrize(("ending", "first"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_picture(capsys, tmp_path, file, ending, first):
    path = tmp_path / "folder" / f"picture.{ending}"
    chosen = [f"{file}:{name}" for name in ("majority", "parity", "partial")]
    status, _, _ = run(capsys, *chosen, "--lengths", "2..6", "-o", path, "--json")
    assert status == 0
    assert path.read_bytes().startswith(first)
    analyses = [analyze(one, range(2, 7)) for one in chosen]
    assert draw_least_state(tmp_path / f"again.{ending}", analyses).read_bytes() == path.read_bytes()
    fewer = draw_least_state(tmp_path / f"fewer.{ending}", analyses[:1])
    assert fewer.read_bytes() != path.read_bytes()
    if ending == "png":
        pixels = imread(path)[..., :3]
        assert np.all(pixels[:, -8:] == 1)
        assert 0.01 < np.mean(np.any(pixels < 0.97, axis=-1)) < 0.5


def test_a_function_needs_no_file():
    analysis = analyze(lambda word: word[0], [1, 2, 3], [3])
    assert [one.bits for one in analysis.lengths] == [(2, 2)] * 3
    assert analysis.growth.kind == "constant"
    assert analyze(lambda word: 7, [1]).lengths[0].witness is None


def test_the_layer_of_enumeration_does_not_need_torch():
    names = ", ".join(f"seqsep.maths.automata.{name}" for name in ("least_state", "diagrams", "regular"))
    code = f"import sys, {names}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("flag", ["--automata", "--certificate"])
def test_a_function_is_not_written_over(flag, tmp_path, capsys):
    file = tmp_path / "mine.py"
    text = "def parity(x):\n    return sum(x) % 2\n"
    file.write_text(text)
    assert main(["analyze", f"{file}:parity", "--lengths", "2..3", flag, str(file)]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error == f"seqsep analyze: {file}: expected another name to write to, found a file that this command reads\n"
    assert file.read_text() == text


def test_two_files_have_two_names(tmp_path, capsys):
    path = tmp_path / "q.json"
    assert main(["analyze", "majority", "--lengths", "2..3", "--automata", str(path), "--certificate", str(path)]) == 2
    assert capsys.readouterr().err == f"seqsep analyze: {path}: expected a name for each file to write, found it twice\n"
    assert not path.exists()


def test_digits_alone_are_an_expression_if_that_is_said(capsys):
    assert main(["analyze", "0110", "--lengths", "4"]) == 2
    assert "0110: expected length 2, that of its inputs, found 4" in capsys.readouterr().err
    assert main(["analyze", "0120", "--lengths", "4"]) == 2
    assert "a regular expression (with --regex, if it has no operator)" in capsys.readouterr().err
    assert main(["analyze", "0110", "--regex", "--lengths", "4"]) == 0

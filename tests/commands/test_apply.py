"""`seqsep apply`: the answers of built weights, and one line for what cannot be answered."""

import io
import json
import threading
import time

import pytest

from seqsep.commands.theorem_lines import ProgressLines
from seqsep.theorems import BY_NAME, THEOREMS
from support.apply_cases import CASES, hostile
from support.command_line import call, json_lines

pytestmark = pytest.mark.unchecked  # tests/theorems run the weights with shapes checked


def put(capsys, monkeypatch, name, text, **options):
    """Apply a theorem to standard input."""
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    flags = [part for option, value in options.items() for part in (f"--{option}", str(value))]
    return call(capsys, "apply", name, *flags)


def test_apply_answers_what_sample_prints(capsys, tmp_path, monkeypatch):
    _, out, _ = call(capsys, "sample", "index-lookup", "--length", "9", "--count", "5", "--json")
    examples = [json.loads(line)["readable"] for line in out.splitlines()]
    path = tmp_path / "inputs.jsonl"
    path.write_text("\n\n".join([*out.splitlines()[:3], *map(json.dumps, examples[3:])]))
    status, out, _ = call(capsys, "apply", "index-lookup-attention", "--length", "9", "--input", str(path))
    assert status == 0
    assert json_lines(out) == [{"answer": example["answer"]} for example in examples]
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(examples[0]) + '\n{"symbols": [1]}\n[1]\n'))
    status, out, error = call(capsys, "apply", "index-lookup-attention", "--length", "9", "--input", "-")
    assert status == 2
    assert json_lines(out) == [{"answer": examples[0]["answer"]}]
    assert "standard input, line 2: position: missing; found symbols" in error


ANSWER_SAMPLES = {
    "index-lookup": ("index-lookup-state", "index-lookup-one-layer", "index-lookup-hybrid"),
    "associative-recall": ("associative-recall-state",),
    "ngram-retrieval": ("retrieval-by-pattern",),
    "counting": ("counting-attention", "counting-hybrid", "counting-one-layer", "counting-state"),
    "equality": ("equality-two-layers", "equality-state"),
    "disjointness": ("disjointness-one-layer",),
    "nearest-neighbor": ("nearest-neighbor-two-layers",),
    "bounded-dyck": ("bounded-dyck-attention", "bounded-dyck-state"),
    "is-tree": (
        "is-tree-state",
        "is-tree-peeling",
        "is-tree-tour",
        "is-tree-one-layer",
        "is-tree-hybrid",
        "is-tree-walk",
    ),
}
"""Theorems of the function that a task's examples are of, at the sizes that both have by default."""


@pytest.mark.parametrize(("task", "name"), [(task, name) for task, names in ANSWER_SAMPLES.items() for name in names])
def test_a_line_of_sample_is_answered_as_it_says(capsys, monkeypatch, task, name):
    _, lines, _ = call(capsys, "sample", task, "--length", "6", "--count", "4", "--json")
    examples = [line["readable"] for line in json_lines(lines)]
    status, out, error = put(capsys, monkeypatch, name, lines, length=6)
    assert (status, error) == (0, "")
    said = [example["label" if "label" in example else "answer"] for example in examples]
    assert [answer["answer"] for answer in json_lines(out)] == said


def test_a_line_of_another_function_is_refused(capsys, monkeypatch, tmp_path):
    """An example of sparse-threshold says which function it is of; a theorem that is built of another must not answer it."""
    name = "sparse-threshold-two-layers"
    formula = tmp_path / "formula.cnf"
    formula.write_text("p cnf 5 4\n1 -2 0\n3 4 -5 0\n2 5 0\n-4 1 0\n")
    sample = ("sample", "sparse-threshold", "--length", "5", "--count", "8", "--json")
    _, lines, _ = call(capsys, *sample, "--formula", str(formula))
    status, out, error = put(capsys, monkeypatch, name, lines, cnf=formula)
    assert (status, error) == (0, "")
    labels = [line["readable"]["label"] for line in json_lines(lines)]
    assert [answer["answer"] for answer in json_lines(out)] == labels
    assert set(labels) == {0, 1}
    _, lines, _ = call(capsys, *sample)
    status, out, error = put(capsys, monkeypatch, name, lines, length=5, instance="majority")
    assert (status, out) == (2, "")
    expected = "features: expected those of majority, of which the network is built, found another function's"
    assert error == f"seqsep apply: standard input, line 1: {expected}\n"


def test_apply_reads_a_machine_and_names_the_line_of_its_mistake(capsys, tmp_path, monkeypatch):
    path = tmp_path / "machine.json"
    path.write_text('{"start": "A", "halt": ["H"], "blank": "_", "rules": {"A": {"0": ["A", "1", "R"], "_": ["H", "_", "S"]}}}')
    inputs = '{"input": "000"}\n{"input": "0_"}\n'
    options = {"machine": path, "steps": 9, "length": 4}
    status, out, _ = put(capsys, monkeypatch, "turing-machine-hybrid", inputs, **options)
    assert status == 0
    assert json_lines(out) == [
        {"state": "H", "halted": True, "steps": 4, "tape": "111", "head": 4},
        {"state": "H", "halted": True, "steps": 2, "tape": "1", "head": 2},
    ]
    path.write_text(path.read_text().replace('"_": ["H"', '\n"0": ["H"'))
    status, _, error = put(capsys, monkeypatch, "turing-machine-hybrid", inputs, **options)
    assert status == 2
    assert error == f"seqsep apply: {path}, line 2: the key '0' occurs twice in the rules of state 'A'\n"


def test_every_theorem_is_applied_or_says_what_to_use():
    """Nothing built is out of a reader's reach, and `support.apply_cases` has an input for each."""
    for theorem in THEOREMS:
        assert (theorem.predictor is None) == bool(theorem.nothing_to_apply), theorem.name
    assert set(CASES) == {theorem.name for theorem in THEOREMS if theorem.predictor is not None}


@pytest.mark.parametrize("name", [theorem.name for theorem in THEOREMS if theorem.predictor is None])
def test_a_theorem_without_weights_says_why_in_one_line(name, capsys):
    status, out, error = call(capsys, "apply", name, "--length", "4")
    assert (status, out) == (2, "")
    assert error == f"seqsep apply: {name}: {BY_NAME[name].nothing_to_apply}\n"


@pytest.mark.parametrize("name", CASES)
def test_an_input_is_answered_and_a_malformed_one_refused(name, capsys, monkeypatch):
    """In one line with the field's name: missing fields, other kinds, NaN, truth values for numbers, numbers out of range."""
    case = CASES[name]
    status, out, error = put(capsys, monkeypatch, name, json.dumps(case.given), **case.options)
    assert (status, error) == (0, "")
    printed = json.loads(out)
    assert printed.get("answer", printed) == case.answer
    answer = BY_NAME[name].predictor(**case.options)
    for field in case.optional:
        without = answer({other: kept for other, kept in case.given.items() if other != field})
        assert without.get("answer", without) == case.answer
    refused = 0
    for given in hostile(case.given, case.optional):
        with pytest.raises(ValueError, match=r"^\w+: ") as refusal:
            answer(given)
        assert str(refusal.value).split(":")[0] in {*case.given, "left"}, (given, refusal.value)
        assert len(str(refusal.value)) < 250
        assert "\n" not in str(refusal.value)
        refused += 1
    assert refused >= 19
    status, out, error = put(capsys, monkeypatch, name, json.dumps(given), **case.options)
    assert (status, out) == (2, "")
    assert error == f"seqsep apply: standard input, line 1: {refusal.value}\n"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[" * 100_000, "expected a JSON object of lists, found deeper nesting than can be read"),
        ("{", "not JSON: Expecting property name enclosed in double quotes at column 2"),
        ("[1]", "expected a JSON object, found [1]"),
        ("NaN", "expected a JSON object, found NaN"),
        ('{"symbols": [1], "position": ' + "9" * 5000 + "}", "Exceeds the limit"),
    ],
)
def test_a_line_that_is_no_object_is_refused(line, reason, capsys, monkeypatch):
    status, out, error = put(capsys, monkeypatch, "index-lookup-attention", f"\n{line}\n", length=4)
    assert (status, out) == (2, "")
    assert error.startswith(f"seqsep apply: standard input, line 2: {reason}")
    assert error.count("\n") == 1


@pytest.mark.parametrize("name", CASES)
def test_a_length_that_is_none_is_refused(name, capsys, monkeypatch):
    case = CASES[name]
    for length in ("0", "-1", "abc", "1e3", "nan"):
        status, out, error = put(capsys, monkeypatch, name, json.dumps(case.given), **case.options | {"length": length})
        assert (status, out) == (2, ""), length
        assert error.startswith("seqsep apply: ")
        assert error.count("\n") == 1


NEVER_HALTS = "1RB0RA_1LA1RB"


def test_a_machine_that_never_halts_ends_with_its_steps(capsys, monkeypatch):
    sizes = {"machine": NEVER_HALTS, "length": 1, "steps": 500}
    status, out, error = put(capsys, monkeypatch, "turing-machine-hybrid", '{"input": ""}', **sizes)
    assert (status, error) == (0, "")
    assert json_lines(out) == [{"state": "A", "halted": False, "steps": 500, "tape": "", "head": 251}]


def test_a_long_answer_is_said_on_stderr_and_has_a_limit(capsys, monkeypatch):
    """The second of three answers does not end: the first is printed, and then one line says what takes too long."""

    def slow(theorem, lines, source, **options):
        yield 1
        while True:
            time.sleep(0.01)

    monkeypatch.setattr("seqsep.theorems.apply", slow)
    monkeypatch.setattr(
        "seqsep.commands.apply.ProgressLines", lambda total, doing: ProgressLines(total, doing=doing, first_seconds=0.05)
    )
    before = threading.active_count()
    status, out, error = put(capsys, monkeypatch, "index-lookup-attention", "", length=9, seconds=0.4)
    *progress, last = error.splitlines()
    assert (status, out) == (2, '{"answer": 1}\n')
    assert progress[0] == "index-lookup-attention, answer 2: being computed for 0 s"
    assert last.startswith("seqsep apply: index-lookup-attention: --seconds 0.4: answer 2 takes longer; choose more seconds")
    assert threading.active_count() == before
    assert "expected seconds above 0" in put(capsys, monkeypatch, "index-lookup-attention", "", length=9, seconds=0)[2]

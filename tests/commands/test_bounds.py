"""A size that is too large is refused, with its limit, before work and memory are spent; what may be large is streamed."""

import gc
import io
import json
import re
import resource
import tracemalloc
from itertools import islice

import pytest

import seqsep.report.figures.least_state
import seqsep.theorems.analysis.evidence  # noqa: F401  (what a command imports is not its work)
from seqsep.commands.cli import main
from seqsep.theorems import THEOREMS
from support.command_line import call

pytestmark = pytest.mark.unchecked

MOST_KIB = 512 << 10
MOST_SECONDS = 2


def refusal(capsys, *arguments):
    """The line that refuses a command, which takes at most 2 s of computing and 512 MiB, and leaves standard output empty.

    The objects of the tests that ran before are kept from the collector: to walk them is not the command's work.
    """
    gc.freeze()
    try:
        before = resource.getrusage(resource.RUSAGE_SELF)
        status, out, error = call(capsys, *map(str, arguments))
        after = resource.getrusage(resource.RUSAGE_SELF)
    finally:
        gc.unfreeze()
    assert (status, out, error.count("\n")) == (2, "", 1), error
    assert after.ru_maxrss - before.ru_maxrss < MOST_KIB
    assert after.ru_utime - before.ru_utime < MOST_SECONDS
    assert len(error) < 600
    return error


@pytest.mark.parametrize("theorem", [one for one in THEOREMS if "length" in one.options], ids=lambda theorem: theorem.name)
def test_a_length_of_ten_million_is_refused(theorem, capsys):
    given = ("--length", 10_000_000)
    assert re.search(r"length is .*, found 10,000,000", refusal(capsys, "check", theorem.name, *given))
    applied = {option.name for option in theorem.options_of("apply")}
    if "length" in applied and "machine" not in applied:
        assert re.search(r"length is .*, found 10,000,000", refusal(capsys, "apply", theorem.name, *given))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("analyze (0{1000}){1000}", "at most 4,096 symbols with repeats written out, found 1,000,000"),
        ("sample index-lookup --length 1000000000", "length is 1 to 2^20 symbols, found 1,000,000,000"),
        ("sample bounded-dyck --length 1000000000", "length is 2 to 2^20 brackets, found 1,000,000,000"),
        ("sample equality --length 1000000000", "to 2^20, found 1,000,000,000"),
        ("sample disjointness --length 1000000000", "to 2^20, found 1,000,000,000"),
        ("apply nearest-neighbor-two-layers --length 8 --gamma 1e-300000000", "from 1e-99 to 1e99, found 1e-300000000"),
        ("check log-space-code --coherence 1e300000000", "from 1e-99 to 1e99, found 1e300000000"),
        ("check nearest-neighbor-two-layers --gamma 1e-90", "gamma is 2^-30 to 1, found 1/1"),
        ("check index-lookup-attention --alphabet 1000000000", "alphabet is 1 to 65,536, found 1,000,000,000"),
        ("check equality-state --exponent 1000000000", "exponent is 1 to 16, found 1,000,000,000"),
        ("check turing-machine-hybrid --steps 1000000000", "steps is 0 to 2^20, found 1,000,000,000"),
        ("certify index-lookup-state --length 10000000 -o no.json", "certify: index-lookup-state: length is 1 to 65,536"),
        ("analyze equality --lengths 1..9999999", "expected at most 4,096 lengths, found more in 1..9999999"),
    ],
)
def test_what_is_too_large_is_refused(arguments, expected, capsys):
    assert expected in refusal(capsys, *arguments.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p cnf 20 200000\n" + "1 -2 3 0\n" * 200_000, "line 32770: expected clauses of at most 131,072 numbers in all"),
        ("p cnf 20 1\n" + "1 -2 3\n" * 200_000 + "0\n", "line 43692: expected clauses of at most 131,072 numbers in all"),
        ("c " + "x" * (1 << 24), "expected at most 16,777,216 bytes, found 16,777,218"),
    ],
    ids=["clauses", "one clause", "a comment"],
)
def test_a_formula_of_a_million_literals_is_refused(tmp_path, capsys, text, expected):
    path = tmp_path / "large.cnf"
    path.write_text(text)
    assert expected in refusal(capsys, "analyze", path)
    assert expected in refusal(capsys, "check", "sparse-threshold-two-layers", "--cnf", path)


def test_deep_json_is_refused(tmp_path, capsys, monkeypatch):
    path = tmp_path / "deep.json"
    for text in ("[" * 100_000, '{"inputs":' * 100_000, '{"inputs": ' + "[" * 100_000):
        path.write_text(text)
        assert "found deeper nesting than can be read" in refusal(capsys, "check", "circuits-attention", "--circuit", path)
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        assert "found deeper nesting" in refusal(capsys, "apply", "index-lookup-attention", "--length", 4)


def test_a_line_without_end_is_refused(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("1" * ((1 << 24) + 1)))
    error = refusal(capsys, "apply", "index-lookup-attention", "--length", 4)
    assert "standard input, line 1: expected at most 16,777,216 bytes, found more" in error


def test_a_million_queries_of_one_line_are_refused(capsys, monkeypatch):
    given = {"points": [[0, 1], [1, 0]], "labels": [0, 1], "queries": [[0, 1]] * 1_000_000}
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(given)))
    error = refusal(capsys, "apply", "nearest-neighbor-two-layers", "--length", 8)
    assert "queries: expected at most 87,381 of them next to 2 points, found 1,000,000" in error


class Endless(io.StringIO):
    """A text without end: the same line again and again; says how many were read."""

    count = 0

    def readline(self, size=-1):
        self.count += 1
        return '{"symbols": [3, 1, 2], "position": 2}\n'


def test_lines_are_answered_as_they_are_read(capsys, monkeypatch):
    """The tenth answer stops the command; it has read no more lines than it answered."""
    from seqsep.commands import apply as command

    lines = Endless()
    answers = []

    def take(answer):
        answers.append(answer)
        if len(answers) == 10:
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", lines)
    monkeypatch.setattr(command, "print_json", take)
    assert main(["apply", "index-lookup-attention", "--length", "8", "--alphabet", "4"]) == 130
    assert answers == [{"answer": 1}] * 10
    assert lines.count == 10


def test_examples_are_drawn_as_they_are_printed():
    """A thousand million examples need no memory, and are the same as those drawn at once."""
    from seqsep.commands.sample import _examples
    from seqsep.tasks import IndexLookup

    class Options:
        start, count, seed, training = 3, 1_000_000_000, 0, False

    task = IndexLookup(600)
    at_once = task.sample(3, 500, 0, evaluate=True)
    tracemalloc.start()
    drawn = list(islice(_examples(task, Options), 500))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [inputs for inputs, _ in drawn] == at_once.inputs.tolist()
    assert peak < 64 << 20

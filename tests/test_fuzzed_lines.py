"""A sample of the random command lines of `make verify`, and that a traceback among them would be found."""

import pytest

import long_fuzz
from seqsep.commands import classify
from support import fuzzed_lines

SAMPLE = 80


@pytest.mark.timeout(600)
def test_a_sample_of_lines_ends_without_a_traceback():
    ended = long_fuzz.run_lines(SAMPLE, seed=7)
    assert [(one.words, one.wrong) for one in ended if one.wrong] == []
    assert {0, 2} <= {one.status for one in ended}
    assert len({one.words[0] for one in ended if one.words}) > 10


@pytest.mark.parametrize("line", fuzzed_lines.LINES)
def test_the_lines_that_are_changed_are_of_commands(line):
    assert line.split()[0] in fuzzed_lines.BY_NAME


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (lambda _: {}["none"], "a bug of seqsep: KeyError"),
        (lambda _: 7, "status 7"),
        (lambda _: print("Traceback (most recent call last):"), "Traceback"),
    ],
)
def test_a_fault_is_found(fault, said, tmp_path):
    object.__setattr__(classify.COMMAND, "run", fault)
    try:
        with fuzzed_lines.in_folder(tmp_path):
            found = fuzzed_lines.run_line(["classify", "(01)*"])
    finally:
        object.__setattr__(classify.COMMAND, "run", classify.run)
    assert said in found.wrong or found.wrong == said


def test_a_long_line_is_interrupted(monkeypatch, tmp_path):
    monkeypatch.setattr(fuzzed_lines, "SECONDS", 1)
    with fuzzed_lines.in_folder(tmp_path):
        (tmp_path / "own.py").write_text("import time\ndef f(word):\n    time.sleep(60)\n")
        found = fuzzed_lines.run_line(["classify", "own.py:f"])
    assert (found.status, found.wrong) == (130, "")

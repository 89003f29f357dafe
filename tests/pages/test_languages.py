"""The page of languages and architectures has the verdicts of `seqsep classify`."""

import pytest

from pages.languages import COLUMNS, MORE, languages_page, word_problem
from seqsep.lab.experiments.language_classes import LANGUAGES
from seqsep.theorems.analysis.classify import classify
from seqsep.theorems.analysis.statements import ARCHITECTURES


@pytest.fixture(scope="module")
def lines():
    return languages_page().splitlines()


def cells(lines, beginning):
    (line,) = [line for line in lines if line.startswith(f"| {beginning}")]
    return [cell.strip() for cell in line.replace("\\|", "/").strip("|").split("|")]


def test_each_language_has_a_verdict_for_each_architecture(lines):
    assert cells(lines, "language |")[3:] == list(COLUMNS)
    rows = [line for line in lines[lines.index("|---|" + 11 * "---|") + 1 :] if line.startswith("|")]
    assert len(rows) > len(LANGUAGES) + len(MORE)
    assert cells(lines, "even number of ones")[1:] == [
        *("1", "groups of derived length 1", "up to length", "cannot", "cannot", "open", "can, fixed N"),
        *("up to length", "can to 65,536", "can, all N", "can, all N"),
    ]
    assert cells(lines, "flip-flop")[0].endswith(", 3 letters")


def test_no_architecture_of_fixed_depth_solves_a5(lines):
    found = dict(zip(COLUMNS, cells(lines, "words over A_5")[3:], strict=True))
    can = {name: verdict for name, verdict in found.items() if verdict.startswith("can") and verdict != "cannot"}
    assert can == {"delta rule": "can, all N", "any recurrence": "can, all N"}
    assert classify(word_problem("alternating", 5)).monoid.size == 60


def test_the_short_names_are_in_order(lines):
    verdicts = classify("(01)*").architectures()
    assert len(COLUMNS) == len(ARCHITECTURES)
    for column, verdict in zip(COLUMNS, verdicts, strict=True):
        assert cells(lines, f"{column} |")[1] == verdict.architecture


def test_a_word_problem_multiplies():
    automaton = word_problem("symmetric", 3)
    assert automaton.accepts([3, 4])
    assert not automaton.accepts([3, 3])
    assert [automaton.accepts([letter, letter]) for letter in range(6)].count(True) == 4

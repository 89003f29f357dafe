"""The experiment on classes of languages: its languages, its runs, and which rows count."""

from collections import Counter

import pytest

from seqsep.lab.experiments.language_classes import (
    ARCHITECTURES,
    EXPERIMENT,
    LANGUAGES,
    OF_CLASSES,
    SEEDS,
    TESTED,
    measured,
)
from seqsep.lab.row import Row
from seqsep.lab.train import train
from seqsep.theorems.analysis.classify import classify


def row_of(run, accuracy, longer) -> Row:
    """A row of a run with these accuracies at 40 letters and at all greater lengths."""
    result = {"status": "finished", "accuracy": accuracy, "accuracy_by_length": [[length, longer] for length in TESTED]}
    return Row(EXPERIMENT.name, run.key(), run.configuration(), result, {})


def test_four_languages_of_each_class():
    assert Counter(language.verdict for language in LANGUAGES) == dict.fromkeys(OF_CLASSES, 4)


def test_the_groups_are_those_that_are_named():
    groups = {language.title: classify(language.pattern, is_regular=True).groups for language in LANGUAGES[8:]}
    assert groups["S_3, image of a point"] == [(6, 2)]
    assert groups["even number of ones"] == [(2, 1)]
    assert groups["number of ones modulo 3"] == [(3, 1)]
    assert (2, 1) in groups["(10*1)*"]


def test_runs_are_every_cell_with_every_seed():
    runs = EXPERIMENT.runs("quick")
    cells = {(run.task.pattern, run.task.alphabet, run.layers, run.positions) for run in runs}
    assert len(cells) == len(LANGUAGES) * len(ARCHITECTURES) == len({run.key() for run in runs}) / len(SEEDS)
    assert [run.seed for run in runs] == sorted(run.seed for run in runs)
    assert {(run.task.length, run.task.least_length, run.test_lengths) for run in runs} == {(40, 10, (80, 160, 320))}


def test_a_short_run_of_each_class_is_trained_and_tested():
    runs = EXPERIMENT.runs("smoke")
    assert len(runs) == len(OF_CLASSES)
    assert [length for length, _ in train(runs[0])[1].accuracy_by_length] == list(TESTED)


@pytest.mark.parametrize(("accuracy", "counts"), [(0.989, False), (0.99, True)])
def test_only_a_run_that_learned_the_language_counts(accuracy, counts):
    first, second = (ARCHITECTURES[1].run(LANGUAGES[2].task(40), seed) for seed in SEEDS)
    other = ARCHITECTURES[1].run(LANGUAGES[2].task(40), 7)
    rows = [row_of(first, accuracy, 0.5), row_of(second, 1.0, 0.75), row_of(other, 1.0, 0.25)]
    [cell] = [one for one in measured(rows) if one.rows]
    assert (cell.language, cell.architecture) == (LANGUAGES[2], ARCHITECTURES[1])
    assert cell.at(160) == ((0.5, 0.75) if counts else (0.75,))

"""C-RASP as a predictor: results/crasp-suite.json, of benchmarks/crasp_suite.py, and the sentence of `seqsep classify`."""

import importlib.util
import json
from pathlib import Path

import pytest

from seqsep.theorems.analysis.classify import classify
from seqsep.theorems.analysis.statements import PREDICTOR

ROOT = Path(__file__).parents[3]
SUITE = json.loads((ROOT / "results/crasp-suite.json").read_text(encoding="utf-8"))
ENOUGH = 0.99


def successes(lengths, *, inside):
    """The languages inside of C-RASP, or outside, of which some model has 99 % at these lengths; and the languages."""
    found = [one["best accuracy"][lengths] for one in SUITE.values() if one["ours"]["c_rasp"] is inside]
    return sum(accuracy >= ENOUGH for accuracy in found), len(found)


def test_classes_are_those_of_the_authors():
    assert len(SUITE) == 125
    assert [name for name, one in SUITE.items() if one["ours"] != one["theirs"]] == []


def test_how_many_languages_each_class_has():
    kinds = [tuple(one["ours"].values()) for one in SUITE.values()]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        (True, True, True): 32,
        (False, True, True): 33,
        (False, False, True): 1,
        (False, False, False): 59,
    }


def test_the_sentence_has_the_counts():
    inside, outside = successes("451-500", inside=True), successes("451-500", inside=False)
    assert (inside, outside) == ((61, 65), (0, 60))
    assert f"reached 99 % at lengths 451 to 500 on {inside[0]} of {inside[1]} languages inside of C-RASP" in PREDICTOR
    assert f"and on {outside[0]} of {outside[1]} outside" in PREDICTOR
    whys = [classify(pattern).architectures()[3].why for pattern in ("(01)*", ".*1")]
    assert whys == [
        f"in C-RASP, where trained models succeeded ({inside[0]} of {inside[1]})",
        f"outside of C-RASP, where trained models failed ({outside[0]} of {outside[1]})",
    ]


def test_three_times_the_trained_length():
    """The verdict tells 64 of 65 and 59 of 60 at 101 to 150 letters."""
    assert (successes("101-150", inside=True), successes("101-150", inside=False)) == ((64, 65), (1, 60))


@pytest.fixture
def clone(tmp_path):
    """A folder like theirs, with one language and two files of accuracies."""
    (tmp_path / "main_language_suite.csv").write_text("name,regex,R,CRasp,Rinf\n7,(ab)*,False,True,True\n")
    folder = tmp_path / "results/main_language_suite/hyperparameter-search/lang_id_7"
    folder.mkdir(parents=True)
    (folder / "summary.txt").write_text("x eval_len101-150_acc: 0.5\t\teval_len451-500_acc: 0.25 lr\n")
    (folder / "bigmodel_summary.txt").write_text("y eval_len101-150_acc: 1.0\t\teval_len451-500_acc: 0.125 lr\n")
    return tmp_path


def test_the_program_reads_a_clone(clone):
    """The best model of each range counts, of all files."""
    spec = importlib.util.spec_from_file_location("crasp_suite", ROOT / "benchmarks/crasp_suite.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    classes = {"r_trivial": False, "c_rasp": True, "r_infinity": True}
    best = {"101-150": 1.0, "451-500": 0.25}
    assert program.compared(clone) == {"lang_id_7": {"theirs": classes, "ours": classes, "best accuracy": best}}

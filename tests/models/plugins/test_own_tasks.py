"""A user's own task on the command line: `check --task` and `sample` take it as they take a layer and a task of ours."""

import json
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.lab.engines.validation import task_verdicts
from seqsep.lab.train import train
from seqsep.models.laws.task import TASK_LAWS
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.task import UserTask
from support.plug_ins import FOLDER, GOOD, run_of

EXAMPLE = f"{Path(__file__).parents[3] / 'examples' / 'own_task.py'}:Greatest"
TRUTHS = "score: expected an array of 40 truth values, one for each example"
BITS = "answer_bits: expected None or a whole number from 0 to 12, the bits of an input"
LOSSES = "loss: expected 'cross-entropy' or 'binary-cross-entropy'"
BROKEN = {
    "Late": ("examples by index", "examples depend on the block, start 39"),
    "Wrong": ("right answers", "solve("),
    "Outside": ("inputs as declared", "token 7 of 2"),
    "Floats": ("sample", "sample: expected inputs of int64, found float64"),
    "Sizeless": ("builds", "vocabulary: expected a whole number, found None"),
    "BatchOfFloats": ("sample", "sample: expected inputs of int64, found float64"),
    "Few": ("sample", "sample: expected inputs of 2 axes with 40 examples, found shape (20, 6)"),
    "Without": ("sample", "sample: expected inputs of 2 axes with 40 examples, found shape (0, 6)"),
    "Tokenless": ("inputs as declared", "longest: expected a whole number from 1, found 0"),
    "ScoresAnything": ("scores of answers", "score: expected False for some wrong answer, found True for each that was scored"),
    "ScoresNothing": ("scores of answers", "score: expected True for the right answers, found False for example 0"),
    "ScoresOnce": ("scores of answers", "score: what it gives for an example depends on the others"),
    "ScoresTrue": ("scores of answers", f"{TRUTHS}, found True"),
    "ScoresTokens": ("scores of answers", f"{TRUTHS}, found bool of shape (40, 6)"),
    "ScoresNumbers": ("scores of answers", f"{TRUTHS}, found float64 of shape (40,)"),
    "SolvesAbove": ("right answers", "solve: expected a whole number, found "),
    "SolvesTexts": ("right answers", "solve: expected a whole number, found '"),
    "SolvesTruth": ("right answers", "solve: expected a whole number, found "),
    "IgnoresSeeds": ("different seeds", "expected other training examples under another seed, found the same under 4"),
    "NegativeBits": ("state bits of an answer", f"{BITS}, found -5"),
    "NoNumberOfBits": ("state bits of an answer", f"{BITS}, found nan"),
    "ManyBits": ("state bits of an answer", f"{BITS}, found 1000000000"),
    "OtherAlphabets": ("inputs as declared", "alphabets: expected a token of range(0, 1) at position "),
    "LongAlphabets": ("inputs as declared", "alphabets: expected 6 ranges for some length up to 6, "),
    "NumberOfAlphabets": ("inputs as declared", "alphabets: expected a range of tokens for each position, found 2"),
    "ExitsInReadable": ("readable form", "SystemExit: 0 (bad_tasks.py, line "),
    "ReadsAsText": ("readable form", "readable: expected a dictionary whose keys are texts, found '("),
    "ReadsAsArray": ("readable form", "readable: expected values that JSON can hold, found {'inputs': array("),
    "LossFunction": ("builds", f"{LOSSES}, found <bound method LossFunction.loss of "),
    "LossOfAnotherName": ("builds", f"{LOSSES}, found 'mse'"),
}


def test_the_example_obeys_every_law_and_can_be_learned() -> None:
    task = UserTask.of(PlugIn.parse(EXAMPLE), 4, alphabet=4)
    verdicts = list(task_verdicts(task, lambda part: None))
    assert [verdict.law for verdict in verdicts] == ["loads", "builds", "sample", *TASK_LAWS]
    assert [verdict for verdict in verdicts if not verdict.holds] == []
    assert task.answer_bits() == 2
    run = run_of("lstm", task=task, steps=300, learning_rate=0.01, evaluation=200)
    most_frequent = 1 - (3 / 4) ** 4  # that the greatest of four is 3
    assert train(run)[1].best_accuracy > 0.9 > most_frequent


@pytest.mark.parametrize("name", BROKEN)
def test_the_law_that_a_bad_task_breaks_is_named(name: str) -> None:
    law, where = BROKEN[name]
    task = UserTask.of(PlugIn.parse(f"{FOLDER / 'bad_tasks.py'}:{name}"), 6)
    failed = {verdict.law: verdict.where for verdict in task_verdicts(task, lambda part: None) if not verdict.holds}
    assert list(failed) == [law]
    assert where in failed[law]


@pytest.mark.timeout(300)
def test_check_of_tasks_prints_a_line_for_each_law(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--task", EXAMPLE, "--length", "5", "--alphabet", "3"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[:-1] == [f"holds  {law}" for law in ("loads", "builds", "sample", *TASK_LAWS)]
    assert out[-1] == f"{EXAMPLE} with length 5, alphabet 3: all 11 laws that were tested hold"
    wrong = f"{FOLDER / 'bad_tasks.py'}:Wrong"
    assert main(["check", "--task", wrong, "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["task"], record["sizes"], record["holds"]) == (wrong, {"length": 20}, False)
    assert [law["law"] for law in record["laws"] if not law["holds"]] == ["right answers"]
    assert main(["check", "--task", wrong, "--length", "x"]) == 2
    assert "--length: expected a whole number, found 'x'" in capsys.readouterr().err


def test_sample_of_a_users_task(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["sample", EXAMPLE, "--length", "6", "--count", "4", "--json"]) == 0
    for line in capsys.readouterr().out.splitlines():
        example = json.loads(line)
        assert example["readable"] == {"numbers": example["inputs"], "answer": max(example["inputs"])}
        assert example["targets"] == [-100] * 5 + [max(example["inputs"])]
    assert main(["sample", f"{GOOD}:Parity", "--length", "3"]) == 0
    assert capsys.readouterr().out.startswith("inputs: [")
    for words, expected in (
        ([EXAMPLE], "own_task.py:Greatest: --length: expected a whole number, found none (try seqsep sample"),
        ([EXAMPLE, "--length", "4", "--kinds", "2"], "unexpected keyword argument 'kinds'"),
        ([f"{GOOD}:Parityy", "--length", "4"], "expected a class Parityy"),
    ):
        assert main(["sample", *words]) == 2
        assert expected in capsys.readouterr().err
    file = tmp_path / "raises.py"
    file.write_text("class Mine:\n    def __init__(self, length): pass\n    def sample(self, *words): return 1 / 0\n")
    assert main(["sample", f"{file}:Mine", "--length", "4"]) == 2
    assert "ZeroDivisionError: division by zero (raises.py, line 3)" in capsys.readouterr().err


def test_the_help_of_a_users_task_has_its_docstring(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["sample", EXAMPLE, "--help"])
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert "alphabet: S, numbers to choose from; from 2." in out
    assert "fields of the task:\n  --length\n  --alphabet, by default 16\n" in out
    assert "--count COUNT" in out


def test_the_help_of_a_users_task_has_its_declared_meanings(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "declared.py"
    file.write_text(
        "from typing import Annotated\n"
        "from seqsep.core.options import Range\n"
        "class Mine:\n"
        '    def __init__(self, length, letters: Annotated[int, Range(2, 2**20), "S, letters to choose from"] = 8): pass\n'
    )
    with pytest.raises(SystemExit):
        main(["sample", f"{file}:Mine", "--help"])
    shown = "fields of the task:\n  --length\n  --letters, by default 8: S, letters to choose from; 2 to 2^20.\n"
    assert shown in capsys.readouterr().out

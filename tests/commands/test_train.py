"""`seqsep train`: runs that flags describe, from the words to the rows."""

import argparse
from dataclasses import fields
from typing import get_args, get_type_hints

import pytest

import seqsep
from seqsep.commands import run_settings
from seqsep.lab.row import read_rows
from seqsep.lab.run import Run
from seqsep.lab.run_settings import STEPS
from seqsep.lab.store.store import Store
from support.command_line import call

SMALL = ("--width", "8", "--steps", "4", "--batch", "4", "--evaluate-every", "2", "--eval-examples", "20", "--workers", "1")


def test_every_field_of_a_run_has_a_flag_with_its_default():
    """Except `test_lengths`: `--test-length` tests kept models, so that another length needs no training."""
    others = ("task", "layers", "width", "seed", "test_lengths")
    flagged = {field.name: field.default for field in fields(Run) if field.name not in others}
    stated = {name: setting.default for name, setting in run_settings.SETTINGS.items()}
    assert stated == flagged | {"steps": STEPS}
    hints = get_type_hints(Run)
    for name, setting in run_settings.SETTINGS.items():
        assert setting.choices == (("true", "false") if hints[name] is bool else get_args(hints[name])), name
        assert bool(setting.range) != bool(setting.choices), name


@pytest.mark.unchecked
@pytest.mark.parametrize("name", [name for name, setting in run_settings.SETTINGS.items() if setting.range])
def test_the_range_of_a_setting_is_what_a_run_takes(name):
    """The least is accepted and what is below refused; so at the greatest, where there is one."""
    allowed = run_settings.SETTINGS[name].range
    right = [1e-9 if allowed.above else allowed.least]
    wrong = [0 if allowed.above else allowed.least - 1, -1]
    if allowed.most is not None:
        right.append(999.0 if allowed.below else allowed.most)
        wrong.append(allowed.most if allowed.below else allowed.most + 1e-9)
    for value in right:
        Run(seqsep.IndexLookup(5), ("lstm",), 8, **{name: value})
    for value in wrong:
        with pytest.raises(ValueError, match="found ") as refused:
            Run(seqsep.IndexLookup(5), ("lstm",), 8, **{name: value})
        assert "\n" not in str(refused.value)


def test_a_run_that_diverges_has_failed(capsys, tmp_path):
    """The counts, the exit status and `store show` say so; the row is kept and exported."""
    store = tmp_path / "s.sqlite"
    words = ("train", "index-lookup", "--length", "5", "--alphabet", "4", "--layers", "mamba", *SMALL)
    status, out, _ = call(capsys, *words, "--learning-rate", "990", "--store", str(store))
    assert status == 1, out
    assert out.splitlines()[0] == f"1 run in {store}, 1 failed"
    assert "failed: non-finite" in out
    shown = call(capsys, "store", "show", str(store))[1].splitlines()
    assert "  train: 0 finished, 1 failed" in shown
    assert shown[-1].endswith(": failed: non-finite")
    assert not any("accuracy" in line for line in shown)
    rows = tmp_path / "rows.jsonl"
    assert call(capsys, "export", "--store", str(store), "-o", str(rows))[0] == 0
    (row,) = read_rows(rows)
    assert (row.status, row.finished, row.failed) == ("failed: non-finite", True, True)


def test_a_row_for_each_seed(capsys, tmp_path):
    store = tmp_path / "s.sqlite"
    words = ("train", "index-lookup", "--length", "5", "--alphabet", "4", "--layers", "lstm,attention", *SMALL, "--heads", "2")
    status, out, err = call(
        capsys, *words, "--seed", "0..1", "--biases", "false", "--norm", "rms", "--keep-weights", "--store", str(store)
    )
    assert status == 0, err
    lines = out.splitlines()
    assert lines[0] == f"2 runs in {store}, 0 failed"
    assert [line.split()[:4] for line in lines[2:]] == [["train", "lstm+attention", "index-lookup", "5"]] * 2
    with Store(store) as opened:
        rows = opened.rows()
    expected = Run(
        seqsep.IndexLookup(5, 4),
        ("lstm", "attention"),
        8,
        2,
        steps=4,
        batch=4,
        evaluate_every=2,
        evaluation=20,
        norm="rms",
        biases=False,
    )
    assert {row.run for row in rows} == {expected, Run(**vars(expected) | {"seed": 1})}
    assert {path.stem for path in (tmp_path / "s.sqlite.weights").iterdir()} == {row.key for row in rows}


def test_the_table_has_parameters_beside_bits_of_state(capsys, tmp_path):
    store = tmp_path / "s.sqlite"
    words = ("train", "is-tree", "--length", "4", "--trace", "peel", "--layers", "lstm", *SMALL, "--rollouts", "4")
    status, out, err = call(capsys, *words, "--store", str(store))
    assert status == 0, err
    headings, found = (line.split() for line in out.splitlines()[1:])
    assert headings[-4:] == ["live_accuracy", "parameters", "state_bits", "state_bits_per_token"]
    with Store(store) as opened:
        (row,) = opened.rows()
    assert found[-3:] == [str(row.result["parameters"]), *map(str, row.result["state_bits"])]
    assert row.result["parameters"] > 0


@pytest.mark.slow
def test_own_parts_and_a_dry_run(capsys, tmp_path):
    file = tmp_path / "own.py"
    file.write_text("import torch\n\n\nclass Own(torch.nn.Module):\n    pass\n")
    store = tmp_path / "s.sqlite"
    words = ("train", "is-tree", "--length", "5", "--trace", "peel", "--layers", f"{file}:Own,mamba", "--dry-run")
    status, out, err = call(capsys, *words, "--store", str(store))
    assert status == 0, err
    assert "1 run, at most 5,000 steps" in out
    assert not store.exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("index-lookup", "--layers", "lstm"), "seqsep train: index-lookup: expected --length, found none"),
        (("indx-lookup", "--length", "5", "--layers", "lstm"), "unknown task 'indx-lookup'; did you mean index-lookup"),
        (("index-lookup", "--length", "5", "--layers", "lstn"), "unknown mixer 'lstn'; did you mean lstm"),
        (("index-lookup", "--length", "5", "--layers", "lstm", "--seed", "2..0"), "expected seeds such as 0 or 0..2"),
        (
            ("index-lookup", "--length", "5", "--layers", "lstm", "--norm", "rns"),
            "--norm: expected default, layer, rms, found 'rns'",
        ),
        (("index-lookup", "--length", "5", "--layers", "lstm", "--biases", "no"), "--biases: expected true, false, found 'no'"),
        (("index-lookup", "--length", "5", "--layers", "lstm", "--heads", "x"), "--heads: "),
        (("index-lookup", "--length", "5", "--layers", "lstm", "--target", "2"), "target is above 0 and at most 1, found 2"),
        (("index-lookup", "--length", "5", "--layers", "lstm", "--colour", "2"), "found --colour"),
        (("no.py:Task", "--length", "5", "--layers", "lstm"), "no.py: No such file"),
    ],
)
def test_bad_input_is_one_line(capsys, tmp_path, words, expected):
    status, _, err = call(capsys, "train", *words, "--store", str(tmp_path / "s.sqlite"))
    assert status == 2
    assert expected in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_width_that_heads_do_not_fit_is_refused(capsys, tmp_path):
    store = tmp_path / "s.sqlite"
    words = ("train", "index-lookup", "--length", "5", *SMALL, "--store", str(store))
    for layer, width in (("attention", "15"), ("mamba2(expand=3)", "15"), ("attention", "4098")):
        status, _, error = call(capsys, *words, "--layers", f"lstm,{layer}", "--width", width)
        assert status == 2
        simple = f"width {width} does not divide into 4 heads; choose a multiple of 4, or set --heads"
        assert (simple if layer == "attention" else "Mamba2: heads: expected a divisor of 45 (expand 3 x width 15)") in error
    status, _, error = call(capsys, *words, "--layers", "lstm,attention", "--width", "20", "--positions", "rope")
    assert status == 2
    assert "positions rope: expected an even width of a head, of which it turns pairs of coordinates, found 20 / 4" in error
    assert not store.exists()
    assert call(capsys, *words, "--layers", "lstm", "--width", "15")[0] == 0


@pytest.mark.parametrize(("earlier", "now"), [("--live", "--rollouts"), ("--evaluation", "--eval-examples")])
def test_earlier_names_of_flags_still_work_and_are_hidden(earlier, now, capsys):
    """Both give the same run; only the new name is in the help."""
    values = []
    for flag in (earlier, now):
        parser = argparse.ArgumentParser()
        run_settings.add_new_run_flags(parser)
        values.append(run_settings.settings_given(vars(parser.parse_args(["--layers", "lstm", flag, "7"]))))
    assert values[0] == values[1]
    assert 7 in values[0][0].values()
    with pytest.raises(SystemExit):
        call(capsys, "train", "is-tree", "--help")
    help_text = capsys.readouterr().out
    assert f"{now} " in help_text
    assert f"{earlier} " not in help_text


def test_other_lengths_are_tested(capsys, tmp_path):
    """A table of accuracies after that of the runs; a length of training has the accuracy of the row."""
    store = tmp_path / "s.sqlite"
    words = ("train", "modular-count", "--length", "6", "--ask", "last", "--layers", "lstm", *SMALL, "--keep-weights")
    status, out, err = call(capsys, *words, "--test-length", "6,40", "--seed", "0..1", "--store", str(store))
    assert status == 0, err
    lines = out.splitlines()
    heading = lines.index(next(line for line in lines if "loss_nats" in line and line.startswith("run ")))
    found = [line.split() for line in lines[heading + 1 :]]
    assert [row[-3] for row in found] == ["6", "40", "6", "40"]
    with Store(store) as opened:
        rows = sorted(opened.rows(), key=lambda row: row.run.seed)
    assert [float(row[-2]) for row in found[::2]] == [pytest.approx(row.result["accuracy"]) for row in rows]
    assert all(0 <= float(row[-2]) <= 1 for row in found)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("modular-count", "--layers", "lstm", "--test-length", "9"), "--test-length: expected --keep-weights"),
        (("modular-count", "--layers", "lstm", "--test-length", "9,x"), "--test-length"),
        (
            ("index-lookup", "--layers", "lstm", "--keep-weights", "--test-length", "9"),
            "index-lookup: expected test lengths with the same tokens, found 73 tokens at 9, 69 at 5",
        ),
        (
            ("modular-count", "--layers", "attention", "--keep-weights", "--test-length", "9"),
            "expected positions sinusoidal, rope or none for longer test inputs, found 9 tokens and learned positions for 5",
        ),
        (
            ("flip-flop", "--layers", "lstm", "--keep-weights", "--test-length", "1"),
            "test length 1: FlipFlop(length=1",
        ),
    ],
)
def test_lengths_that_cannot_be_tested_are_refused(capsys, tmp_path, words, expected):
    store = tmp_path / "s.sqlite"
    status, _, err = call(capsys, "train", *words, "--length", "5", *SMALL, "--heads", "2", "--store", str(store))
    assert status == 2
    assert expected in err
    assert not store.exists()

"""`seqsep run --only`: the part of a preset that is trained."""

import re

import pytest

from seqsep.commands.chosen_runs import chosen_by, words_of
from seqsep.commands.cli import main
from seqsep.lab.experiments import BY_NAME, EXPERIMENTS
from support.command_line import OWN_LAYER, call

PAPER = BY_NAME["index-lookup-architectures"].runs("paper")


def listed(capsys, *arguments, preset="paper"):
    """The runs that `--dry-run` prints, and what it says of how many follow."""
    command = ["run", "index-lookup-architectures", "--preset", preset, *arguments, "--dry-run"]
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    return [line.split("  ")[0] for line in lines if "at most" in line and "  " in line], lines


def keys(kept):
    return [run.key()[:12] for run in kept]


def test_the_cells_that_are_chosen_keep_all_rates_and_heads(capsys):
    found, lines = listed(capsys, "--only", "attention,N=50")
    kept = [run for run in PAPER if run.layers == ("attention",) and run.task.length == 50]
    assert found == keys(kept)
    assert len(found) == 7 * 2
    assert "then at most 2 more runs: rates around the best, and other seeds of the best" in lines


def test_one_pattern_asks_for_all_its_words_and_several_for_any(capsys):
    found, lines = listed(capsys, "--only", "attention, N=50", "--only", "heads=8,attention,N=20")
    wanted = ((50, 4), (50, 8), (20, 8))
    kept = [run for run in PAPER if run.layers == ("attention",) and (run.task.length, run.heads) in wanted]
    assert found == keys(kept)
    assert len(found) == 21
    assert "then at most 4 more runs: rates around the best, and other seeds of the best" in lines


def test_a_preset_without_a_search_is_chosen_from_too(capsys):
    found, _ = listed(capsys, "--only", "lstm,N=20", preset="demo")
    runs = BY_NAME["index-lookup-architectures"].runs("demo")
    assert found == keys(run for run in runs if run.layers == ("lstm",) and run.task.length == 20)
    assert len(found) == 1


def test_what_is_chosen_comes_before_what_is_put_in_its_place(capsys):
    found, lines = listed(capsys, "--only", "lstm,N=20", "--mixer", "attention", preset="demo")
    assert len(found) == 1
    assert "  attention index-lookup N=20" in lines[0]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (
            "attention,N=51",
            "'N=51', which is none of mamba, index-lookup, N=400, layers=6, width=256, heads=4, positions=default, scale=",
        ),
        ("attention,width=256", "words that no run has together"),
        ("", "'', which is none of mamba"),
    ],
)
def test_words_that_choose_nothing_are_refused(capsys, pattern, message):
    assert main(["run", "index-lookup-architectures", "--preset", "paper", "--only", pattern, "--dry-run"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"seqsep run: --only {pattern}: expected words of a run, found {message}")
    assert said.count("\n") == 1


def test_every_run_of_the_papers_sizes_is_chosen_by_its_words():
    for experiment in [each for each in EXPERIMENTS if "paper" in each.presets]:
        runs = experiment.runs("paper")
        for run in {words_of(run): run for run in runs}.values():
            assert chosen_by([",".join(words_of(run))], runs)(run)


@pytest.mark.slow
def test_only_takes_the_class_of_a_users_layer(tmp_path, capsys):
    """The digest of its file is in no message."""
    (tmp_path / "layer.py").write_text(OWN_LAYER)
    name = re.search(r"class (\w+)", OWN_LAYER)[1]
    (tmp_path / "mine.py").write_text(
        "from seqsep import IndexLookup, Run\n"
        f"def runs(preset):\n    return [Run(IndexLookup(5), (layer,), 8, steps=1) for layer in ('lstm', 'layer.py:{name}')]\n"
    )
    words = ["run", str(tmp_path / "mine.py"), "--store", str(tmp_path / "s.sqlite"), "--dry-run", "--only"]
    status, out, err = call(capsys, *words, name)
    assert (status, out.count(" at most 1 steps\n")) == (0, 2), err
    status, out, err = call(capsys, *words, f"{name}s")
    assert (status, out) == (2, "")
    assert f", {name}, " in err
    assert not re.search("[0-9a-f]{64}", err)

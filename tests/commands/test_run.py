"""`seqsep run` and `seqsep export`: a user's file of runs, from the command line to the rows."""

import json
import re
import sqlite3
import textwrap

import pytest

from seqsep.commands.cli import main
from seqsep.lab.experiments import EXPERIMENTS, load_experiment
from seqsep.lab.experiments.base import words_of
from seqsep.lab.store.store import Store
from seqsep.models.plugins.name import PlugIn
from support.command_line import OWN_LAYER, TWO_SHORT_RUNS, call, json_lines


def test_dry_run_prints_the_runs(capsys, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(TWO_SHORT_RUNS)
    status, out, _ = call(capsys, "run", str(file), "--preset", "tiny", "--dry-run", "--store", str(tmp_path / "s.sqlite"))
    assert status == 0
    assert "2 runs, at most 40 steps" in out
    assert not (tmp_path / "s.sqlite").exists()


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("--width", "16", "--steps", "7", "--seed", "3"), "lstm index-lookup N=20 rate 0.003 seed 3"),
        (("--length", "9", "--alphabet", "4"), "index-lookup N=9"),
        (("--layers", "mamba2(states=8),lstm"), "mamba2(states=8)+lstm index-lookup"),
        (("--task", "associative-recall", "--keys", "40"), "associative-recall N=20"),
    ],
)
def test_flags_stand_in_the_place_of_the_runs_own(capsys, words, shown):
    status, out, err = call(capsys, "run", "index-lookup-architectures", "--only", "lstm,N=20", *words, "--dry-run")
    assert status == 0, err
    assert shown in out


def test_without_a_preset_the_first_one_is_meant(capsys, monkeypatch):
    """A name of one experiment's preset that another lacks is no default. How long it takes is not asked here."""
    monkeypatch.setattr("seqsep.lab.estimate.measured", lambda run, device: 1.0)
    for name in ("mamba-width", "is-tree"):
        _, chosen, _ = call(capsys, "run", name, "--preset", "quick", "--dry-run")
        status, out, _ = call(capsys, "run", name, "--dry-run")
        assert status == 0
        assert [line for line in out.splitlines() if "is-tree" in line or "N=" in line] == [
            line for line in chosen.splitlines() if "is-tree" in line or "N=" in line
        ]


def test_run_and_export_and_a_user_file(capsys, tmp_path):
    file, store, rows = tmp_path / "mine.py", tmp_path / "s.sqlite", tmp_path / "rows.jsonl"
    file.write_text(TWO_SHORT_RUNS)
    assert main(["run", str(file), "--preset", "tiny", "--store", str(store), "--workers", "1"]) == 0
    assert main(["export", "--store", str(store), "-o", str(rows)]) == 0
    capsys.readouterr()
    exported = json_lines(rows.read_text())
    assert [row["experiment"] for row in exported] == ["mine"] * 2
    assert all(row["result"]["steps"] == 20 for row in exported)


@pytest.mark.parametrize(
    ("flags", "left"),
    [((), r"about \d+ \w+ left"), (("--prune",), r"about \d+ \w+ left of this stage, \d+ \w+ in total if no run learns")],
)
def test_in_a_file_it_says_where_runs_stand(capsys, monkeypatch, tmp_path, flags, left):
    """Standard error is no terminal here. With pruning two runs pause at step 10, and one of them goes on."""
    monkeypatch.setattr("seqsep.lab.progress.LEAST_SECONDS_BETWEEN_LINES", 0.0)
    file, store = tmp_path / "mine.py", tmp_path / "s.sqlite"
    two_rates = TWO_SHORT_RUNS.replace("seed=seed) for seed in (0, 1)", "learning_rate=rate) for rate in (1e-2, 1e-3)")
    file.write_text(two_rates)
    status, _, err = call(capsys, "run", str(file), "--preset", "tiny", "--store", str(store), "--workers", "1", *flags)
    assert status == 0
    standing = rf"\[0/2\] \d[\d.e+]* steps/s, {left}: lstm index-lookup N=5 rate 0.01 seed 0 at \d+/\d0, accuracy 0\.\d{{4}}"
    assert [line for line in err.splitlines() if re.fullmatch(standing, line)], err


def test_run_with_pruning_says_who_is_pruned(capsys, tmp_path):
    file, store, rows = tmp_path / "mine.py", tmp_path / "s.sqlite", tmp_path / "rows.jsonl"
    three_rates = "learning_rate=rate) for rate in (1e-2, 1e-6, 1e-5)"
    file.write_text(TWO_SHORT_RUNS.replace("seed=seed) for seed in (0, 1)", three_rates))
    arguments = ["run", str(file), "--preset", "tiny", "--store", str(store), "--workers", "1", "--prune"]
    assert main([*arguments, "--dry-run"]) == 0
    assert "3 runs, at most 50 steps of 60, as runs are pruned" in capsys.readouterr().out
    assert main(arguments) == 0
    captured = capsys.readouterr()
    first, heads, *table = captured.out.splitlines()
    assert first == f"3 runs in {store}, 1 pruned, 0 failed"
    statuses = [line.split()[heads.split().index("status")] for line in table]
    assert statuses == ["finished", "finished", "pruned"]
    decided = "step 10, lstm index-lookup N=5: 2 of 3 continue; pruned: rate "
    assert sum(line.startswith(decided) for line in captured.err.splitlines()) == 1
    assert main(["export", "--store", str(store), "-o", str(rows)]) == 0
    assert main(["store", "show", str(store)]) == 0
    shown = capsys.readouterr().out.splitlines()[-2:]
    assert shown[0] == "  mine: 2 finished, 1 pruned, 0 failed"
    assert re.fullmatch(r"    lstm \(1, 8\), index-lookup N=5: accuracy .* of 2 runs", shown[1])
    results = [row["result"] for row in json_lines(rows.read_text())]
    assert sorted((result["status"], result["steps"]) for result in results) == [("finished", 20)] * 2 + [("pruned", 10)]


def test_positions_and_dtype_of_every_run(capsys, tmp_path):
    file, store, rows = tmp_path / "mine.py", tmp_path / "s.sqlite", tmp_path / "rows.jsonl"
    file.write_text(TWO_SHORT_RUNS)
    chosen = [
        "--positions",
        "sinusoidal",
        "--dtype",
        "bfloat16",
        "--mixer",
        "retention",
    ]  # an LSTM in bfloat16 is not everywhere
    assert main(["run", str(file), "--preset", "tiny", "--store", str(store), "--workers", "1", *chosen]) == 0
    assert main(["export", "--store", str(store), "-o", str(rows)]) == 0
    capsys.readouterr()
    found = [json.loads(line)["run"] for line in rows.read_text().splitlines()]
    assert found
    assert all((run["positions"], run["dtype"]) == ("sinusoidal", "bfloat16") for run in found)
    assert main(["run", str(file), "--store", str(store), "--positions", "rotary"]) == 2
    assert "--positions" in capsys.readouterr().err


@pytest.mark.parametrize(("pragma", "expected"), [("application_id = 7", "program"), ("user_version = 99", "version")])
def test_a_store_of_another_program_or_a_newer_version(capsys, tmp_path, pragma, expected):
    store = tmp_path / "s.sqlite"
    with Store(store):
        pass
    connection = sqlite3.connect(store)
    connection.execute(f"PRAGMA {pragma}")
    connection.close()
    status, _, err = call(capsys, "export", "--store", str(store), "-o", str(tmp_path / "rows.jsonl"))
    assert status == 2
    assert err.count("\n") == 1
    assert expected in err
    assert str(store) in err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import json\n\n1 / 0\n", "expected a file that loads, found ZeroDivisionError: division by zero (mine.py, line 3)"),
        ("def runs(preset):\n    return [][0]\n", "IndexError: list index out of range (mine.py, line 2)"),
        ("def runs(preset:\n", "expected a file that loads, found SyntaxError: '(' was never closed (mine.py, line 1)"),
        ("runs = 3\n", "expected a function runs(preset) that returns a list of Run, found none"),
    ],
)
def test_an_error_in_a_users_file_names_the_line(capsys, tmp_path, text, expected):
    file = tmp_path / "mine.py"
    file.write_text(text)
    status, out, err = call(capsys, "run", str(file), "--dry-run")
    assert (status, out) == (2, "")
    assert err == f"seqsep run: {file}: {expected}\n"


def test_a_users_file_that_changes_is_run_again(capsys, tmp_path):
    file = tmp_path / "mine.py"
    for steps in (20, 30):
        file.write_text(TWO_SHORT_RUNS.replace('"tiny": 20', f'"tiny": {steps}'))
        _, out, _ = call(capsys, "run", str(file), "--preset", "tiny", "--dry-run")
        assert f"2 runs, at most {2 * steps} steps" in out


def shown_help(capsys, *words):
    """The text that the command prints with --help after these words."""
    with pytest.raises(SystemExit) as end:
        main([*words, "--help"])
    assert end.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_the_help_of_an_experiment_has_its_presets(capsys, experiment):
    out = shown_help(capsys, "run", experiment.name)
    assert f"\n\n{experiment.question}\n\npresets:\n" in out
    listed = out.partition("presets:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == list(experiment.presets)
    assert "--preset PRESET" in out


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_the_help_has_every_word_of_only(capsys, experiment):
    """The listed words are those that `--only` takes: each chooses runs of some preset."""
    out = shown_help(capsys, "run", experiment.name)
    listed = out.partition("words for --only")[2].partition("\n\n")[0].partition(":\n")[2]
    words = re.split(r",?\s+", listed.strip())
    assert sorted(words) == sorted(experiment.words())
    searches = [experiment.search(preset) or experiment.runs(preset) for preset in experiment.presets]
    known = [runs if isinstance(runs, list) else runs.choices() for runs in searches]
    of_runs = {word for runs in known for run in runs for word in words_of(run)}
    assert of_runs == set(words)


def test_the_help_of_a_users_experiment(capsys, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(f'"""Which seed?"""\nPRESETS = ("tiny", "long")\n{TWO_SHORT_RUNS}')
    out = shown_help(capsys, "run", str(file))
    assert "\n\nWhich seed?\n\npresets:\n  tiny\n  long\n\nwords for --only" in out
    words = {word for run in load_experiment(str(file)).runs("tiny") for word in words_of(run)}
    listed = out.partition("words for --only")[2].partition("\n\n")[0].partition(":\n")[2]
    assert set(re.split(r",?\s+", listed.strip())) == words
    file.write_text(TWO_SHORT_RUNS.replace("tiny", "demo"))
    assert listed in shown_help(capsys, "run", str(file))
    assert call(capsys, "run", str(file), "--only", sorted(words)[0], "--dry-run")[0] == 0
    file.write_text("def runs(preset):\n    return {'other': []}[preset]\n")
    out = shown_help(capsys, "run", str(file))
    assert ("words for --only" in out, "--preset PRESET" in out) == (False, True)


def test_the_runs_of_an_experiment_may_be_generated(capsys, tmp_path):
    """Any iterable is taken, once: a generator yields the runs that a list would hold."""
    file = tmp_path / "mine.py"
    listed = TWO_SHORT_RUNS.replace("def runs(", "def listed(")
    file.write_text(f"{listed}\n\ndef runs(preset):\n    yield from listed(preset)\n")
    assert [run.seed for run in load_experiment(str(file)).runs("tiny")] == [0, 1]
    assert call(capsys, "run", str(file), "--preset", "tiny", "--dry-run")[0] == 0


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def runs(preset:\n    return []", "found SyntaxError: '(' was never closed (mine.py, line 1)"),
        ("import nothing_here", "No module named 'nothing_here' (mine.py, line 1)"),
        ("\ndef runs(preset):\n    return 1 / 0", "ZeroDivisionError: division by zero (mine.py, line 3)"),
        ("\n\ndef runs(preset):\n    return [1]", "runs('tiny'): expected a list of Run, found 1 (mine.py, line 3)"),
        ("def runs(preset):\n    pass", "runs('tiny'): expected a list of Run, found None (mine.py, line 1)"),
    ],
)
def test_a_mistake_in_a_users_experiment_names_file_and_line(capsys, tmp_path, code, expected):
    file = tmp_path / "mine.py"
    file.write_text(code)
    status, out, err = call(capsys, "run", str(file), "--preset", "tiny", "--dry-run")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert str(file) in err
    assert err.endswith(f"{expected}\n")


@pytest.mark.slow
def test_a_users_own_layer_is_timed_by_a_worker(capsys):
    layer = "tests/models/plugins/good.py:Sum"
    words = ["train", "index-lookup", "--length", "6", "--alphabet", "4", "--width", "8", "--dry-run"]
    assert main([*words, "--layers", layer, "--steps", "100000000"]) == 0
    assert re.search(r"estimate: about [1-9][\d.]* (h|days) on \d+ workers here", capsys.readouterr().out)
    assert main([*words, "--layers", "tests/models/plugins/bad.py:Raises"]) == 0
    assert "no estimate of time: " in capsys.readouterr().out


def test_no_two_runs_have_the_same_label(capsys):
    words = ["run", "index-lookup-architectures", "--preset", "demo", "--length", "9", "--seed", "0", "--dry-run"]
    assert main(words) == 0
    lines = [line.split("  ") for line in capsys.readouterr().out.splitlines() if "at most 1" in line or "N=9" in line]
    assert len({line[0] for line in lines}) == len({line[1] for line in lines}) == len(lines) > 6


def test_a_path_in_a_file_of_runs_is_relative_to_it(capsys, tmp_path, monkeypatch):
    """From another folder, where a file of the same name would be another layer; and where the runs are made at the top."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "layer.py").write_text(OWN_LAYER)
    (tmp_path / "layer.py").write_text("class Other:\n    pass\n")
    made = "Run(IndexLookup(5), ('layer.py:Own',), 8, steps=10)"
    head = "from seqsep import IndexLookup, Run\n"
    (folder / "inside.py").write_text(f"{head}def runs(preset):\n    return [{made}]\n")
    (folder / "top.py").write_text(f"{head}ALL = [{made}]\ndef runs(preset):\n    return ALL\n")
    monkeypatch.chdir(tmp_path)
    expected = [PlugIn.parse("mine/layer.py:Own")]
    for name in ("inside", "top"):
        [run] = load_experiment(f"mine/{name}.py").runs("demo")
        assert [(layer.digest, layer.path) for layer in run.layers] == [(one.digest, one.path) for one in expected]
    with pytest.raises(ValueError, match=r"expected a class Own in layer\.py, found the classes Other"):
        PlugIn.parse("layer.py:Own")


def test_the_help_shows_a_file_of_runs(capsys):
    """And what it shows is a file of runs, with a layer there is in place of the reader's."""
    with pytest.raises(SystemExit):
        call(capsys, "run", "--help")
    code = capsys.readouterr().out.partition("the file:\n")[2].partition("range(3)]")[0] + "range(3)]"
    names = {}
    exec(textwrap.dedent(code).replace("layer.py:MyLayer", "lstm"), names)
    assert [run.seed for run in names["runs"]("quick")] == [0, 1, 2]


def test_an_experiment_without_runs_takes_no_time(capsys, tmp_path):
    file = tmp_path / "none.py"
    file.write_text("def runs(preset):\n    return []\n")
    assert call(capsys, "run", str(file), "--dry-run") == (0, "0 runs\n", "")

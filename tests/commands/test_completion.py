"""`seqsep completion`: which words may follow, and that shells get them."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from argcomplete.finders import CompletionFinder

from seqsep.commands import COMMANDS
from seqsep.commands.completion import completing_parser
from seqsep.commands.members import names
from support.command_line import call

PROGRAMS = str(Path(sys.executable).parent)
MOST_CPU_SECONDS = 0.2
"""Of a completion that imports no member of a registry."""


def following(words):
    """The words that may stand in the place of the last of `words`, which is as much of it as is typed."""
    *before, begun = words
    finder = CompletionFinder(completing_parser(before), always_complete_options=False, append_space=False)
    return finder._get_completions(before or ["seqsep"], begun, "", None)


@pytest.mark.parametrize(
    ("words", "some", "none"),
    [
        ([""], {"demo", "check", "train", "completion"}, {"--help"}),
        (["cert"], {"certify"}, {"check"}),
        (["check", "equality-"], {"equality-state", "equality-two-layers"}, {"index-lookup-state"}),
        (["check", "index-lookup-attention", "--"], {"--length", "--alphabet", "--json", "--help"}, {"--layers"}),
        (["certify", "bounded-dyck-state", "--d"], {"--depth"}, {"--length"}),
        (["export-network", "index-lookup-attention", "--et"], {"--eta"}, set()),
        (["sample", "bounded-dyck", "--k"], {"--kinds"}, {"--keys"}),
        (["train", "index-lookup", "--layers", "mam"], {"mamba", "mamba2"}, {"lstm"}),
        (["train", "index-lookup", "--al"], {"--alphabet"}, set()),
        (["run", "mamba-w"], {"mamba-width"}, {"is-tree"}),
        (["run", "mamba-width", "--device", ""], {"cpu", "cuda"}, {"mamba-width"}),
        (["train", "index-lookup", "--rol"], {"--rollouts"}, set()),
        (["train", "index-lookup", "--l"], {"--layers", "--length"}, {"--live"}),
        (["run", "mamba-width", "--task", "eq"], {"equality"}, {"equality-one"}),
        (["train", "index-lookup", "--layers", "mamba,att"], {"mamba,attention"}, {"attention", "mamba,mamba"}),
        (["run", "mamba-width", "--preset", ""], {"quick", "paper", "length-scaling"}, {"demo"}),
        (["run", "mamba-width", "--only", "N="], {"N=20", "N=50"}, {"N=30"}),
        (["check", "index-lookup-attention", "--tightness", "--"], {"--code"}, set()),
        (["check", "--json", "index-lookup-s"], {"index-lookup-state"}, set()),
        (["store", ""], {"show", "repair", "import"}, set()),
        (["list", "t"], {"tasks", "theorems"}, {"mixers"}),
        (["check", "no-theorem", "--"], {"--json"}, {"--length"}),
        (["check", "index-lookup-attention", "--code", ""], {"parabola", "kerdock"}, {"index-lookup-state", "--json"}),
        (["check", "index-lookup-state", "--mixer", "mam"], {"mamba", "mamba2"}, {"attention"}),
        (["check", "bounded-dyck-attention", "--variant", "two"], {"two-layer", "two-layer-valid"}, {"relu"}),
        (["apply", "sparse-threshold-two-layers", "--instance", ""], {"majority"}, {"cnf"}),
        (["certify", "turing-machine-hybrid", "--machine", "b"], {"binary-increment", "busy-beaver-3"}, {"palindromes"}),
        (["sample", "is-tree", "--trace", ""], {"vanilla", "walk"}, {"uniform", "is-tree"}),
        (["train", "is-tree", "--distribution", ""], {"double-star", "uniform"}, {"walk"}),
        (["run", "mamba-width", "--task", "is-tree", "--trace", "w"], {"walk"}, {"cot"}),
        (["sample", "equality", "--variant", "o"], {"one"}, {"next"}),
        (["train", "index-lookup", "--decay", ""], {"constant", "cosine"}, {"index-lookup"}),
        (["run", "mamba-width", "--positions", "r"], {"rope"}, {"none"}),
    ],
)
def test_words_that_may_follow(words, some, none):
    found = following(words)
    assert some <= set(found)
    assert not none & set(found)
    assert all(word.startswith(words[-1]) for word in found)


def test_nothing_follows_what_nobody_knows():
    assert following(["no-command", ""]) == []
    assert following(["run", "own_runs.py", "--preset", ""]) == []


def test_files_follow_where_no_word_is_known(tmp_path, monkeypatch):
    (tmp_path / "layer.py").touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    for words in (
        ["capacity", ""],
        ["train", "index-lookup", "--store", ""],
        ["check", "--theorem", ""],
        ["analyze", ""],
        ["classify", ""],
    ):
        assert sorted(following(words)) == ["folder/", "layer.py"], words
    assert following(["train", "index-lookup", "--layers", "la"]) == ["layer.py"]
    assert following(["run", "mamba-width", "--task", "la"]) == ["layer.py"]


def test_no_names_follow_where_all_is_named():
    assert following(["run", "mamba-width", "--task", ""]) == names("tasks")
    for words in (
        ["store", "show", "no-"],
        ["certify", "bounded-dyck-state", ""],
        ["run", "is-tree", ""],
        ["list", "tasks", ""],
    ):
        assert following(words) == [], words


def test_every_theorem_completes_where_one_is_taken():
    for command in ("check", "bound", "apply", "certify", "export-network"):
        assert following([command, ""]) == names("theorems")


def in_child(line, tmp_path, program=("-m", "seqsep")):
    """The words that the program gives for a line by argcomplete's protocol, and its CPU-seconds."""
    variables = os.environ | {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9"}
    variables |= {"_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "words")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *program], env=variables, check=True, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [word.strip() for word in (tmp_path / "words").read_text().split("\n")], seconds


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("seqsep cert", ["certify"]),
        ("seqsep store r", ["repair"]),
        ("seqsep list ta", ["tasks"]),
        ("seqsep train index-lookup --decay c", ["constant", "cosine"]),
        ("seqsep check index-lookup-st", ["index-lookup-state"]),
        ("seqsep apply sparse-threshold-two-layers --instance m", ["majority"]),
        ("seqsep train index-lookup --layers 'mamba,att", ["mamba,attention'"]),
    ],
)
def test_the_program_answers_without_torch(line, words, tmp_path):
    found, _ = in_child(line, tmp_path, ("-c", f"import sys; sys.modules['torch'] = None; {SCRIPT}"))
    assert [word.rstrip("'") for word in found] == [word.rstrip("'") for word in words]


SCRIPT = "from seqsep.commands.cli import script; script()"


def test_a_completion_is_quick(tmp_path):
    """One of twenty attempts is: other programs share the processor's caches."""
    for line in ("seqsep cert", "seqsep store r", "seqsep list ta"):
        assert any(in_child(line, tmp_path)[1] < MOST_CPU_SECONDS for _ in range(20)), line


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell(shell, capsys):
    status, out, _ = call(capsys, "completion", shell)
    assert status == 0
    assert "_ARGCOMPLETE" in out
    assert "seqsep" in out


ASK = {
    "bash": 'eval "$(seqsep completion bash)"; ask() { COMP_LINE="$1" COMP_POINT=${#1} COMP_TYPE=9; '
    '_python_argcomplete seqsep 2>/dev/null; echo "${COMPREPLY[*]}"; }; ask "seqsep check index-lookup-st"; '
    "ask 'seqsep ' | wc -w",
    "zsh": 'compdef() { :; }; eval "$(seqsep completion zsh)"; _describe() { print -l ${completions%%:*}; }; '
    'words=(seqsep); BUFFER="seqsep check index-lookup-st"; CURSOR=$#BUFFER; _python_argcomplete; '
    'BUFFER="seqsep "; CURSOR=$#BUFFER; _python_argcomplete | wc -l',
    "fish": 'seqsep completion fish | source; complete -C "seqsep check index-lookup-st"; complete -C "seqsep " | wc -l',
}


@pytest.mark.parametrize("shell", ASK)
def test_the_shell_gets_the_words(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    variables = os.environ | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    done = subprocess.run([shell, "-c", ASK[shell]], env=variables, capture_output=True, text=True, check=False)
    first, count = done.stdout.split()
    assert (first, int(count)) == ("index-lookup-state", len(COMMANDS)), done.stderr

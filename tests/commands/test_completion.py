"""`seqsep completion`: which words may follow, and that shells get them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from seqsep.commands import COMMANDS
from seqsep.commands.completion import SCRIPTS, following
from seqsep.commands.members import names
from support.command_line import call

PROGRAMS = str(Path(sys.executable).parent)


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
        (["run", "mamba-width", "--task", "eq"], {"equality"}, {"equality-one"}),
        (["train", "index-lookup", "--layers", "mamba,att"], {"mamba,attention"}, {"attention", "mamba,mamba"}),
        (["run", "mamba-width", "--preset", ""], {"quick", "paper", "reach"}, {"demo"}),
        (["run", "mamba-width", "--only", "N="], {"N=20", "N=50"}, {"N=30"}),
        (["check", "index-lookup-attention", "--tightness", "--"], {"--code"}, set()),
        (["check", "index-lookup-attention", "--tightness", "index-lookup-s"], {"index-lookup-state"}, set()),
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
    found = following(words, COMMANDS)
    assert some <= set(found)
    assert not none & set(found)
    assert all(word.startswith(words[-1]) for word in found)


def test_nothing_follows_what_nobody_knows():
    assert following(["no-command", ""], COMMANDS) == []
    assert following(["run", "mamba-width", "--store", ""], COMMANDS) == []
    assert following(["run", "own_runs.py", "--preset", ""], COMMANDS) == []


def test_nothing_follows_where_a_value_is_free_or_all_is_named():
    assert following(["check", "index-lookup-attention", "--length", ""], COMMANDS) == []
    assert following(["sample", "sparse-threshold", "--formula", ""], COMMANDS) == []
    assert following(["run", "mamba-width", "--task", ""], COMMANDS) == names("tasks")
    assert following(["sample", "bounded-dyck", "--kinds", ""], COMMANDS) == []
    for words in (["store", "show", ""], ["certify", "bounded-dyck-state", ""], ["run", "is-tree", ""], ["list", "tasks", ""]):
        assert following(words, COMMANDS) == [], words


def test_every_theorem_completes_where_one_is_taken():
    for command in ("check", "bound", "apply", "certify", "export-network"):
        assert following([command, ""], COMMANDS)[-len(names("theorems")) :] == names("theorems")


def test_a_script_for_each_shell(capsys):
    for shell, script in SCRIPTS.items():
        status, out, _ = call(capsys, "completion", shell)
        assert (status, out) == (0, f"{script}\n")


ASK = {
    "bash": 'eval "$(seqsep completion bash)"; COMP_WORDS=(seqsep check index-lookup-st); COMP_CWORD=2; _seqsep; '
    'echo "${COMPREPLY[*]}"; COMP_WORDS=(seqsep ""); COMP_CWORD=1; _seqsep; echo "${#COMPREPLY[@]}"',
    "zsh": 'compdef() { :; }; eval "$(seqsep completion zsh)"; compadd() { echo "${(@P)2}"; }; _files() { echo files; }; '
    'words=(seqsep check index-lookup-st); CURRENT=3; _seqsep; words=(seqsep ""); CURRENT=2; _seqsep | wc -w',
    "fish": 'seqsep completion fish | source; complete -C "seqsep check index-lookup-st"; complete -C "seqsep expor" | wc -l',
}


@pytest.mark.parametrize("shell", ASK)
def test_the_shell_gets_the_words(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    variables = os.environ | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    done = subprocess.run([shell, "-c", ASK[shell]], env=variables, capture_output=True, text=True, check=False)
    first, count = done.stdout.split()
    expected = 2 if shell == "fish" else len(COMMANDS)  # for an empty word fish shows files too
    assert (first, int(count)) == ("index-lookup-state", expected), done.stderr

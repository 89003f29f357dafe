"""Every command of the README, run as it stands there in the environment that `make demo` makes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from seqsep.commands import COMMANDS
from support.plain_environment import hidden, hide, required

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```\n", flags=re.DOTALL | re.MULTILINE)
NEEDED = ("README.md", "results", "examples", "src")
PROGRAMS = (".venv/bin/seqsep ", "python3 ", "echo ")
INSTEAD = {
    "seqsep check THEOREM --help": "seqsep check index-lookup-state --help",
    "seqsep certify THEOREM": "seqsep certify bounded-dyck-state -o dyck.json",
    "seqsep ask STORE KEY --input FILE.jsonl": "seqsep ask --help",
    "seqsep audit FILE": "seqsep audit --help",
    "seqsep audit FOLDER": "seqsep audit --help",
    "seqsep check --model PATH": "seqsep check --help",
    "seqsep audit STORE KEY": "seqsep audit --help",
    ".venv/bin/seqsep audit results/audit/lstm.safetensors --worst --page audit.html": (
        ".venv/bin/seqsep audit results/audit/lstm.safetensors --worst 300 --questions 250 --page audit.html"
    ),
    "seqsep capacity": "seqsep capacity --help",
    "seqsep generate": "seqsep generate --help",
    "seqsep report": "seqsep report --help",
    "seqsep report -o DIR": "seqsep report -o DIR --help",
    "seqsep text": "seqsep text --help",
    "seqsep text phonebook --model MODEL_FOLDER --n 8 16 32": "seqsep text phonebook --n 8 16 32 --show",
    "seqsep text index": "seqsep text index --show",
    "seqsep text hotpotqa --data hotpot_dev_distractor_v1.json --model A --model B": "seqsep text hotpotqa --help",
    "seqsep run is-tree": "seqsep run is-tree --preset quick --length 8 --only mamba --dry-run",
    ".venv/bin/seqsep train index-lookup --length 20 --layers mamba,attention --steps 2000 --seed 0..2 --keep-weights": (
        ".venv/bin/seqsep train index-lookup --length 20 --layers mamba,attention --steps 20 --seed 0..2 --keep-weights"
    ),
    ".venv/bin/seqsep run index-lookup-architectures --preset demo-seeds --mixer examples/own_layer.py:MovingAverage "
    "--store runs/mine.sqlite": (
        ".venv/bin/seqsep run index-lookup-architectures --preset demo-seeds --mixer examples/own_layer.py:MovingAverage "
        "--length 20 --store runs/mine.sqlite --dry-run"
    ),
    "seqsep run claims --claim figure-2-attention": "seqsep run claims --claim figure-2-attention-20 --dry-run",
    ".venv/bin/seqsep run examples/own_runs.py --preset quick --label mine": (
        ".venv/bin/seqsep run examples/own_runs.py --preset quick --label mine --steps 4 --evaluation 20 --workers 1"
    ),
}
"""What is run for a command that leaves a name to the reader, needs an extra, or trains for long."""


def blocks() -> list[list[str]]:
    """The commands of each block; one that reads what an earlier one wrote comes with it. Lines of output are left out."""
    found: list[list[str]] = []
    for language, text in FENCED.findall(README):
        lines = [line for line in text.splitlines() if line.startswith(PROGRAMS)]
        if language or not lines:
            continue
        if lines[0].startswith("python3 "):
            found[-1] += lines[:1]
        else:
            found.append(lines)
    return found


def named() -> list[str]:
    """The commands in the README's sentences."""
    sentences = FENCED.sub("", README)
    words = "|".join(command.name for command in COMMANDS)
    return list(dict.fromkeys(re.findall(rf"`((?:\.venv/bin/)?seqsep (?:{words}|--help)\b[^`]*)`", sentences)))


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a shell in which only what `make demo` installs can be imported."""
    hidden_from = hide(tmp_path_factory.mktemp("environment") / "site")
    return os.environ | hidden_from | {"OMP_NUM_THREADS": "1"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A clone's folder, as the README's commands expect it: with its files, and programs in .venv/bin and on the path."""
    for name in NEEDED:
        (tmp_path / name).symlink_to(ROOT / name)
    programs = tmp_path / ".venv/bin"
    programs.mkdir(parents=True)
    for name, words in {"seqsep": "-m seqsep", "python": "", "python3": ""}.items():
        script = programs / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        script.chmod(0o755)
    return tmp_path


def shell(command: str, folder: Path, variables: dict[str, str]) -> str:
    """Run a line in a shell; what it prints."""
    path = f"{folder / '.venv/bin'}:{os.environ['PATH']}"
    line = f"set -o pipefail; {command}"
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=variables | {"PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


@pytest.mark.timeout(600)
@pytest.mark.parametrize("commands", blocks(), ids=lambda commands: commands[0][:60])
def test_a_block_of_commands_runs(commands: list[str], folder: Path, variables: dict[str, str]) -> None:
    for command in commands:
        assert shell(INSTEAD.get(command, command), folder, variables) or ">" in command


@pytest.mark.timeout(600)
@pytest.mark.parametrize("command", named())
def test_a_command_in_a_sentence_runs(command: str, folder: Path, variables: dict[str, str]) -> None:
    assert shell(INSTEAD.get(command, command), folder, variables)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "words",
    ["equality --lengths 4,8", "disjointness --lengths 4,8", "clauses.cnf --lengths 3", "'(0|1)*1' --regex --lengths 4"],
)
def test_analyze_needs_no_extra(words: str, folder: Path, variables: dict[str, str]) -> None:
    (folder / "clauses.cnf").write_text("p cnf 3 2\n1 -2 0\n2 3 0\n")
    assert "state bits" in shell(f"seqsep analyze {words}", folder, variables).splitlines()[1]


def test_every_replaced_command_stands_in_the_readme() -> None:
    """None is run in place of one that is gone."""
    assert set(INSTEAD) <= {*named(), *(line for block in blocks() for line in block)}


def test_extras_are_hidden(folder: Path, variables: dict[str, str]) -> None:
    assert {"pytest", "hypothesis", "beartype"} <= hidden()
    assert not {"torch", "numpy", "dd", "seqsep", "matplotlib"} & hidden()
    assert "dd" in required()
    code = "import importlib.util as found; print(*(found.find_spec(name) is None for name in ('pytest', 'pysat', 'dd')))"
    assert shell(f'python3 -c "{code}"', folder, variables) == "True True False\n"


def test_the_makefile_installs_no_extra_for_the_demo() -> None:
    """What `make demo` does in a fresh clone, as make says it: seqsep without extras, and the demo; and it says so first."""
    command = ["make", "--no-print-directory", "-n", "-B", "demo"]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=True)
    installs = [line for line in done.stdout.splitlines() if "pip install" in line]
    assert installs == [".venv/bin/pip install --quiet --editable ."]
    assert done.stdout.splitlines()[-1] == ".venv/bin/seqsep demo"
    assert done.stdout.index("some minutes") < done.stdout.index(installs[0])

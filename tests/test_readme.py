"""What the README says is so; its commands and its example run in test_readme_commands.py."""

import json
import re
import subprocess
import sys
from pathlib import Path

from seqsep.cli import main

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def test_retrieval_from_the_readme_itself(capsys):
    assert main(["check", "index-lookup-attention", "--text", str(README), "--positions", "300"]) == 0
    assert "300 inputs" in capsys.readouterr().out


def test_what_analyze_prints_and_the_stranger_that_checks_it(capsys, monkeypatch, tmp_path):
    text = README.read_text()
    analyze, check = re.search(r"seqsep (analyze .*)", text).group(1), re.search(r"python3 (-I -S .*)", text).group(1)
    monkeypatch.chdir(tmp_path)
    assert main(analyze.split()) == 0
    (shown,) = re.findall(r"```\n(majority\n.*?)```", text, flags=re.DOTALL)
    printed = capsys.readouterr().out
    assert printed.startswith(shown)
    further = re.search(r"\nThree more lines follow: (.*)", text).group(1)
    assert "two inputs that need two states, how D(f) was found, and what would follow for attention" in further
    assert [line.split(" at N")[0] for line in printed[len(shown) :].splitlines()] == ["witness", "D(f)", "attention"]
    *flags, program, file = check.split()
    alone = subprocess.run([sys.executable, *flags, str(ROOT / program), file], capture_output=True, text=True)
    assert alone.returncode == 0
    assert alone.stdout.startswith(re.search(r"\n(holds: least-state: .*)\.\.\.", text).group(1))


def test_what_a_published_model_keeps(capsys, monkeypatch):
    command = re.search(r"seqsep (capacity .*)", README.read_text()).group(1)
    monkeypatch.chdir(ROOT)
    assert main(command.split()) == 0
    assert "no model with this state, however trained, can" in capsys.readouterr().out


def test_as_many_model_types_are_named_as_there_are_verdicts_on():
    files = [ROOT / f"results/{name}-laws.json" for name in ("model", "flash-linear")]
    counts = [len(json.loads(file.read_text())["models"]) for file in files]
    named = f"has {counts[0]} model types, with what fails in which, and {counts[1]} of flash-linear-attention"
    assert named in README.read_text()


def test_the_tree_names_every_folder_once():
    tree = README.read_text().split("## The tree")[1].split("```")[1]
    named, stack = [], []
    for line in tree.strip("\n").splitlines():
        indent, name = (len(line) - len(line.lstrip())) // 2, line.split()[0]
        stack = [*stack[:indent], name.rstrip("/")]
        named.append("/".join(stack))
        assert (ROOT / "/".join(stack)).exists(), "/".join(stack)
    package = ROOT / "src/seqsep"
    rooms = [path for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    assert {str(path.relative_to(ROOT)) for path in rooms if path.name != "__init__.py"} <= set(named)
    assert len(named) == len(set(named)) <= 34


def test_commands_and_sections_stand_in_order():
    text = README.read_text()
    places = [
        text.index(part) for part in ("make demo", "make test", "![", "```python", "## The tree", "## What it does not do")
    ]
    assert places == sorted(places)
    assert (ROOT / re.search(r"!\[[^]]*\]\(([^)]*)\)", text).group(1)).exists()

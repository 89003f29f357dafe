"""A theorem, a task and a mixer are added to a copy of the project: each is its file, its test and one line of a registry."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COPIED = ("src", "tests", "tools", "examples", "pyproject.toml")
COUNTING = (
    "tests/report/test_bibliography.py::test_every_mixer_of_a_paper_has_an_entry_and_no_more",
    "tests/tasks/test_golden_digests.py::test_every_task_with_committed_rows_has_a_golden_digest",
    "tests/commands/test_apply.py::test_every_theorem_is_applied_or_says_what_to_use",
)


@dataclass(frozen=True)
class Added:
    """A member made from a file of the project with other names, the line of its registry, and its test."""

    file: str
    source: str
    renamed: dict[str, str]
    registry: str
    after: str
    line: str
    listed: str
    test: str
    body: str
    command: tuple[str, ...]


ADDED = {
    "theorem": Added(
        file="src/seqsep/theorems/retrieval/parity.py",
        source="examples/own_theorem.py",
        renamed={"PARITY": "THEOREM"},
        registry="src/seqsep/theorems/retrieval/__init__.py",
        after="PLACES = {\n",
        line='    "parity-state": "seqsep.theorems.retrieval.parity:THEOREM",\n',
        listed="    parity  the parity of bits\n",
        test="tests/theorems/retrieval/test_parity.py",
        body="from seqsep.theorems import BY_NAME\nfrom seqsep.theorems.laws import check_theorem\n\n\n"
        'def test_laws():\n    check_theorem(BY_NAME["parity-state"])\n',
        command=("check", "parity-state", "--length", "4"),
    ),
    "task": Added(
        file="src/seqsep/tasks/tallying.py",
        source="src/seqsep/tasks/counting.py",
        renamed={"class Counting": "class Tallying", '"counting"': '"tallying"', "Counting(": "Tallying("},
        registry="src/seqsep/tasks/__init__.py",
        after="PLACES = {\n",
        line='    "tallying": "seqsep.tasks.tallying:Tallying",\n',
        listed="    tallying            numbers, then one and a threshold\n",
        test="tests/tasks/test_tallying.py",
        body="from seqsep.models.laws.task import check_task\nfrom seqsep.tasks import BY_NAME\n\n\n"
        'def test_laws():\n    check_task(BY_NAME["tallying"](length=9))\n',
        command=("sample", "tallying", "--length", "9"),
    ),
    "mixer": Added(
        file="src/seqsep/models/mixers/plain_attention.py",
        source="src/seqsep/models/mixers/linear_attention.py",
        renamed={
            "class LinearAttention": "class PlainAttention",
            '"linear-attention"': '"plain-attention"',
            "Source: Katharopoulos et al. 2020 (arXiv:2006.16236), equations 7 and 16 to 20.\n": "",
        },
        registry="src/seqsep/models/mixers/__init__.py",
        after="    **PAPER_PLACES,\n",
        line='    "plain-attention": "seqsep.models.mixers.plain_attention:PlainAttention",\n',
        listed="    plain_attention      linear attention by another name\n",
        test="tests/models/mixers/test_plain_attention.py",
        body="from seqsep.models.laws.mixer import check_mixer\nfrom seqsep.models.mixers import BY_NAME\n\n\n"
        'def test_laws():\n    check_mixer(lambda width: BY_NAME["plain-attention"](width, 2), 8)\n',
        command=("run", "index-lookup-architectures", "--mixer", "plain-attention", "--dry-run"),
    ),
}


def files(folder: Path) -> dict[str, bytes]:
    """The content of each file of the copy, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def add(member: Added, copy: Path) -> None:
    """Write the member's file, its test and its line of the registry, where the folder's list also names the file."""
    text = (copy / member.source).read_text()
    for before, after in member.renamed.items():
        assert before in text
        text = text.replace(before, after)
    (copy / member.file).write_text(text)
    (copy / member.test).write_text(f'"""Tests of the added member."""\n\n{member.body}')
    registry = (copy / member.registry).read_text()
    assert registry.count(member.after) == 1
    head, quotes, rest = registry.partition('\n"""\n')
    listed = f"{head}\n{member.listed.rstrip()}{quotes}{rest}"
    (copy / member.registry).write_text(listed.replace(member.after, member.after + member.line))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_member_is_its_file_its_test_and_a_line(tmp_path: Path) -> None:
    """Each touches three files; the commands take the members, and the tests that count all members pass."""
    for name in COPIED:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(place, tmp_path / name)
    before = files(tmp_path)
    house = ["tests/test_registries.py", *COUNTING]
    for member in ADDED.values():
        add(member, tmp_path)
        after = files(tmp_path)
        touched = {name for name in after if after[name] != before.get(name)}
        assert touched == {member.file, member.test, member.registry}
        before = after
        room = f"tests/test_rooms.py::test_a_folder_says_what_its_files_are[{(tmp_path / member.registry).parent}]"
        house += [room, member.test]
    (tmp_path / "results").symlink_to(ROOT / "results")
    variables = os.environ | {
        "PYTHONPATH": f"{tmp_path / 'src'}:{tmp_path / 'tools'}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    calls = [["-m", "seqsep", *member.command] for member in ADDED.values()]
    for words in (*calls, ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", *house]):
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]

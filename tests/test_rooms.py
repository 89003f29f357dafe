"""Rooms: few at the top, private files stay in their folder, and every folder says what its files are."""

import ast
import re
from pathlib import Path

import pytest

from test_layers import ROOT, WINGS, imports, module_path


def test_the_house_has_few_rooms():
    """Nine wings stand at the top, and the subjects of the theorems can be seen at a glance."""
    assert rooms_of(ROOT) == set(WINGS) - {"__init__"}
    assert len(rooms_of(ROOT / "theorems")) <= 22, sorted(rooms_of(ROOT / "theorems"))  # thirteen subjects


def rooms_of(folder: Path) -> set[str]:
    """The files and sub-packages of a folder, by name."""
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    return files | {path.parent.name for path in folder.glob("*/__init__.py")}


def test_private_files_are_imported_in_their_folder_only():
    wrong = []
    for path in ROOT.rglob("*.py"):
        for name in imports(path):
            target = module_path(name)
            if target.name.startswith("_") and target.name != "__init__.py" and target.parent != path.parent:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("folder", [path.parent for path in ROOT.rglob("__init__.py") if path.parent != ROOT], ids=str)
def test_a_folder_says_what_its_files_are(folder):
    """The docstring of `__init__` lists every file and sub-folder, a line each."""
    said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    listed = re.findall(r"^ *(\w+) {2,}\S", said, flags=re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == rooms_of(folder)


def test_paths_in_texts_exist():
    """A file or folder of the repository that a page or docstring mentions in full is there."""
    root = ROOT.parents[1]
    pages = [root / "README.md", root / "CONTRIBUTING.md", root / "SECURITY.md", *(root / "docs").rglob("*.md")]
    mention = re.compile(r"`((?:src|tests|tools|docs|results|benchmarks|examples)/[\w./-]+)`")
    missing = [
        f"{path.relative_to(root)}: {name}"
        for path in [*pages, *ROOT.rglob("*.py"), *(root / "tools").rglob("*.py")]
        for name in mention.findall(path.read_text(encoding="utf-8"))
        if not (root / name).exists()
    ]
    assert missing == []

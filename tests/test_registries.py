"""A registry is one tuple in a folder's __init__.py and holds every member that has a file there."""

import inspect
import re
from pathlib import Path

import pytest

from seqsep import tasks, theorems
from seqsep.lab import experiments
from seqsep.maths.codes import codes
from seqsep.models import mixers

INFRASTRUCTURE = {"__init__", "base", "reading", "returned", "settings"}


def files(package) -> set[Path]:
    """Members' files; those that begin with an underscore hold parts of one member."""
    folder = Path(package.__file__).parent
    if package is theorems:
        return {path.relative_to(folder) for path in folder.rglob("*.py") if re.search(r"^THEOREM\b", path.read_text(), re.M)}
    paths = [*folder.glob("[!_]*.py"), *folder.glob("[!_]*/__init__.py")] if package is experiments else folder.glob("[!_]*.py")
    return {path.relative_to(folder) for path in paths if path.stem not in INFRASTRUCTURE or path.parent != folder}


def file_of(member, folder: Path) -> Path:
    """Where a member stands: a class or a theorem's check says so, an experiment's file bears its name."""
    if isinstance(member, experiments.Experiment):
        name = member.name.replace("-", "_")
        return Path(name) / "__init__.py" if (folder / name).is_dir() else Path(f"{name}.py")
    return Path(inspect.getfile(inspect.unwrap(member if inspect.isclass(member) else member.check))).relative_to(folder)


@pytest.mark.parametrize(
    ("package", "members"),
    [
        (tasks, tasks.TASKS),
        (mixers, (*mixers.MIXERS, *mixers.THEOREM_MIXERS)),
        (theorems, theorems.THEOREMS),
        (experiments, experiments.EXPERIMENTS),
    ],
)
def test_registry_equals_files(package, members):
    named = {file_of(member, Path(package.__file__).parent) for member in members}
    assert named == files(package)
    assert len(members) == len(named)


@pytest.mark.parametrize("members", [tasks.TASKS, mixers.MIXERS, theorems.THEOREMS, experiments.EXPERIMENTS, codes.CODES])
def test_names_are_dashed_and_unique(members):
    names = [member.name for member in members]
    assert len(set(names)) == len(names)
    assert all(name == name.lower() and "_" not in name for name in names)

"""A registry is one tuple in a folder's __init__.py and holds every member that has a file there."""

import inspect
from pathlib import Path

import pytest

from seqsep import experiments, mixers, tasks, theorems
from seqsep.exact import codes

INFRASTRUCTURE = {"__init__", "base"}


def files(package) -> set[str]:
    """Members' files; those that begin with an underscore hold parts of one member."""
    every = {path.stem for path in Path(package.__file__).parent.glob("*.py")} - INFRASTRUCTURE
    return {stem for stem in every if not stem.startswith("_")}


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
    named = {
        Path(inspect.getfile(inspect.unwrap(m if inspect.isclass(m) else getattr(m, "check", None) or m.figure))).stem
        for m in members
    }
    assert named == files(package)
    assert len(members) == len(named)


@pytest.mark.parametrize("members", [tasks.TASKS, mixers.MIXERS, theorems.THEOREMS, experiments.EXPERIMENTS, codes.CODES])
def test_names_are_dashed_and_unique(members):
    names = [member.name for member in members]
    assert len(set(names)) == len(names)
    assert all(name == name.lower() and "_" not in name for name in names)

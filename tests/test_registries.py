"""A registry has one line for each member, in its folder's __init__.py; names are known before a member is imported."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from seqsep import tasks, theorems
from seqsep.core.registry import Registry, imported
from seqsep.lab import experiments
from seqsep.maths.codes import codes
from seqsep.models import mixers

INFRASTRUCTURE = {"__init__", "base", "fields", "reading", "returned", "settings"}
REGISTRIES = [
    (tasks, tasks.BY_NAME),
    (mixers, Registry("mixer", {**mixers.PLACES, **mixers.THEOREM_PLACES})),
    (theorems, theorems.BY_NAME),
    (experiments, experiments.BY_NAME),
]


def files(package) -> set[Path]:
    """Members' files; those that begin with an underscore hold parts of one member."""
    folder = Path(package.__file__).parent
    if package is theorems:
        return {path.relative_to(folder) for path in folder.rglob("*.py") if re.search(r"^THEOREM\b", path.read_text(), re.M)}
    paths = [*folder.glob("[!_]*.py"), *folder.glob("[!_]*/__init__.py")] if package is experiments else folder.glob("[!_]*.py")
    return {path.relative_to(folder) for path in paths if path.stem not in INFRASTRUCTURE or path.parent != folder}


def file_of(place: str, folder: Path) -> Path:
    """The file of a place, relative to its registry's folder."""
    return Path(inspect.getfile(sys.modules[place.partition(":")[0]])).relative_to(folder)


@pytest.mark.parametrize(("package", "registry"), REGISTRIES)
def test_registry_equals_files(package, registry):
    members = registry.members()
    named = {file_of(place, Path(package.__file__).parent) for place in registry.places.values()}
    assert named == files(package)
    assert len(members) == len(named) == len(registry)


@pytest.mark.parametrize("registry", [registry for _, registry in REGISTRIES])
def test_names_of_places_are_those_of_members(registry):
    assert list(registry) == [member.name for member in registry.members()]


def test_tuples_are_the_registries_in_their_order():
    assert tuple(tasks.BY_NAME.values()) == tasks.TASKS
    assert tuple(mixers.BY_NAME.values()) == mixers.MIXERS
    assert tuple(theorems.BY_NAME.values()) == theorems.THEOREMS
    assert tuple(experiments.BY_NAME.values()) == experiments.EXPERIMENTS
    assert mixers.MIXERS[: len(mixers.PAPER_MIXERS)] == mixers.PAPER_MIXERS
    subjects = [imported(f"{package}:THEOREMS") for package in dict.fromkeys(map(subject, theorems.PLACES.values()))]
    assert tuple(theorem for subject in subjects for theorem in subject) == theorems.THEOREMS


def subject(place: str) -> str:
    return place.partition(":")[0].rpartition(".")[0]


def test_mixers_that_grow_are_those_that_say_so():
    assert {mixer.name for mixer in mixers.MIXERS if mixer.grows} == mixers.GROWING


@pytest.mark.parametrize("package", [tasks, mixers, theorems, experiments])
def test_public_names_are_there(package):
    assert [name for name in package.__all__ if not hasattr(package, name)] == []
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        package.nothing  # noqa: B018


@pytest.mark.parametrize("members", [tasks.TASKS, mixers.MIXERS, theorems.THEOREMS, experiments.EXPERIMENTS, codes.CODES])
def test_names_are_dashed_and_unique(members):
    names = [member.name for member in members]
    assert len(set(names)) == len(names)
    assert all(name == name.lower() and "_" not in name for name in names)


def test_names_import_no_member():
    """Names, lengths and `in` of the four registries, in a process of its own."""
    code = """
import sys
from seqsep import tasks, theorems
from seqsep.lab import experiments
from seqsep.models import mixers

registries = (tasks.BY_NAME, mixers.BY_NAME, theorems.BY_NAME, experiments.BY_NAME)
for registry in registries:
    assert len(list(registry)) == len(registry) and list(registry)[0] in registry and "nothing" not in registry
members = {place.partition(":")[0] for registry in registries for place in registry.places.values()}
print(sorted(members & set(sys.modules)), "torch" in sys.modules)
theorems.BY_NAME["index-lookup-attention"]
print(sorted(set(theorems.PLACES.values()) & {f"{name}:THEOREM" for name in sys.modules}))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert found == ["[] False", "['seqsep.theorems.retrieval.index_lookup_attention:THEOREM']"]

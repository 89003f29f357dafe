"""The environment that `make demo` makes: seqsep's own requirements and theirs, and nothing that only an extra has."""

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
OURS = "seqsep"

FINDER = """
import sys

HIDDEN = %r


class Without:
    \"\"\"A finder of modules, for all but those that are hidden: they are as if they were not installed.\"\"\"

    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, *further):
        return None if name.partition(".")[0] in HIDDEN else self.finder.find_spec(name, *further)


sys.meta_path[:] = map(Without, sys.meta_path)
"""


def required() -> set[str]:
    """The distributions that seqsep needs without extras, with all that they need here; normalised names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting = [Requirement(line) for line in project["dependencies"]]
    found: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        name = normal(requirement.name)
        if name in found:
            continue
        try:
            needs = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # an optional part of torch's, such as its CUDA libraries on a machine without
        found.add(name)
        given = [Requirement(line) for line in needs]
        waiting += [one for one in given if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


def normal(name: str) -> str:
    """A distribution's name as pip compares it."""
    return re.sub("[-_.]+", "-", name).lower()


def hidden() -> set[str]:
    """The importable names that are installed here but not by `make demo`."""
    kept = required() | {OURS}
    owners = {name: {normal(one) for one in ones} for name, ones in packages_distributions().items()}
    return {name for name, ones in owners.items() if not ones & kept and name not in sys.stdlib_module_names}


def hide(folder: Path) -> dict[str, str]:
    """The variables under which Python, started anew, imports what `make demo` installs and nothing else that is here."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(FINDER % sorted(hidden()), encoding="utf-8")
    return {"PYTHONPATH": f"{folder}:{ROOT / 'src'}"}

"""Every public name has an example in its docstring, and every example of the package does what it shows."""

import doctest
import importlib
import inspect
import pkgutil
import re
from types import ModuleType

import pytest

import seqsep

MODULES = [seqsep, *(importlib.import_module(found.name) for found in pkgutil.walk_packages(seqsep.__path__, "seqsep."))]
FINDER = doctest.DocTestFinder(exclude_empty=True)
EXAMPLES = {example.name: example for module in MODULES for example in FINDER.find(module, module.__name__) if example.examples}


def is_public(name: str, member: object, module: ModuleType) -> bool:
    """A function or class that this module defines or hands on; constants and registries have no docstring of their own."""
    is_ours = getattr(member, "__module__", "").startswith("seqsep")
    return not name.startswith("_") and is_ours and (inspect.isfunction(member) or inspect.isclass(member))


def public() -> dict[str, object]:
    """The names that a package hands on in `__all__`, and all modules of the package's root."""
    members = {}
    for module in MODULES:
        is_root_module = re.fullmatch(r"seqsep\.[a-z]\w*", module.__name__) and not hasattr(module, "__path__")
        for name in getattr(module, "__all__", vars(module) if is_root_module else ()):
            member = getattr(module, name)
            if is_public(name, member, module):
                members[f"{member.__module__}.{member.__qualname__}"] = member
    return members


@pytest.mark.parametrize("name", sorted(public()))
def test_what_is_public_has_an_example(name):
    has_one = [example for example in EXAMPLES if example == name or example.startswith(f"{name}.")]
    in_module = public()[name].__module__ in EXAMPLES  # one class, one file: the file's docstring is the class's
    assert has_one or in_module, f"{name}: expected a >>> example in its docstring, found none"


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_an_example_prints_what_it_shows(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    said = []
    failed, tried = runner.run(EXAMPLES[name], out=said.append)
    assert tried
    assert not failed, "".join(said)

"""A layer is its file and the files beside it that it imports: a change of either is another layer."""

import hashlib
import os
import sys

import pytest

from seqsep.lab.run import Run
from seqsep.models.plugins.layer import UserLayer
from seqsep.models.plugins.load import PlugInFails, load, run_file
from seqsep.models.plugins.sources import digest_of, imported_files
from seqsep.tasks import IndexLookup

LAYER = """from helper import factor
from torch import nn


class Layer(nn.Module):
    FACTOR = factor()
"""
HELPER = """import further


def factor():
    return further.FACTOR
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "layer.py").write_text(LAYER)
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "further.py").write_text("FACTOR = 1")
    (tmp_path / "other.py").write_text("FACTOR = 1")
    yield tmp_path
    for name in ("helper", "further"):
        sys.modules.pop(name, None)


def of(folder):
    return UserLayer.parse(f"{folder / 'layer.py'}:Layer")


@pytest.mark.parametrize("name", ["layer.py", "helper.py", "further.py"])
def test_a_change_of_what_is_imported_is_another_layer(folder, name):
    before = of(folder)
    assert before == of(folder)
    (folder / name).write_text((folder / name).read_text() + "\n# changed\n")
    assert of(folder) != before


def test_other_files_do_not_count(folder):
    before = of(folder)
    (folder / "other.py").write_text("FACTOR = 2")
    assert of(folder) == before
    assert set(imported_files(folder / "layer.py", LAYER.encode())) == {"helper.py", "further.py"}


def test_a_file_that_imports_none_has_the_digest_of_its_bytes(tmp_path):
    """As rows that were written before have it. A folder named torch or seqsep beside it is not the user's."""
    for name in ("torch", "seqsep"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    data = b"import torch, seqsep.tasks, os.path\n"
    assert digest_of(tmp_path / "layer.py", data) == hashlib.sha256(data).hexdigest()
    assert digest_of(tmp_path / "layer.py", b"def (") == hashlib.sha256(b"def (").hexdigest()


def test_every_file_of_a_package_counts(tmp_path):
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    for name in ("__init__.py", "deep/__init__.py", "deep/gate.py"):
        (tmp_path / "parts" / name).write_text("from . import x" if name == "__init__.py" else "")
    found = imported_files(tmp_path / "layer.py", b"from parts.deep import gate")
    assert set(found) == {"parts/__init__.py", "parts/deep/__init__.py", "parts/deep/gate.py"}


def test_what_is_no_regular_file_is_no_part_of_a_package(tmp_path):
    """Python imports neither a pipe nor a device, and the digest waits for neither."""
    (tmp_path / "layer.py").write_text("import package")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "part.py").write_text("FACTOR = 1")
    os.mkfifo(tmp_path / "package" / "pipe.py")
    (tmp_path / "package" / "device.py").symlink_to("/dev/zero")
    (tmp_path / "package" / "folder.py").mkdir()
    assert list(imported_files(tmp_path / "layer.py", b"import package")) == ["package/part.py"]


@pytest.mark.parametrize("nested", ["-" * 100_000 + "1", "(" * 100_000, "a" + ".a" * 100_000, "f" + "()" * 100_000])
def test_nested_expressions_are_refused_in_one_line(tmp_path, nested):
    """Tell if the file is the user's own or one that it imports."""
    file = tmp_path / "layer.py"
    file.write_text(f"x = {nested}\n\n\nclass Layer:\n    pass\n")
    for refused in (lambda: run_file(file), lambda: load(UserLayer.parse(f"{file}:Layer"))):
        with pytest.raises(ValueError, match=r"expected a (Python file|file that loads)") as error:
            refused()
        assert "\n" not in str(error.value)
    (tmp_path / "imports.py").write_text("import layer\n")
    assert list(imported_files(tmp_path / "imports.py", b"import layer")) == ["layer.py"]


def test_files_that_import_each_other_end(tmp_path):
    (tmp_path / "a.py").write_text("import b")
    (tmp_path / "b.py").write_text("import a, layer")
    assert set(imported_files(tmp_path / "layer.py", b"import a")) == {"a.py", "b.py"}


def test_the_code_that_runs_is_that_of_the_digest(folder):
    """Also in one process: an earlier version of an imported file is not what a later one runs."""
    first = of(folder)
    assert load(first).FACTOR == 1
    (folder / "further.py").write_text("FACTOR = 25")
    second = of(folder)
    assert load(second).FACTOR == 25
    assert load(first).FACTOR == 1
    runs = [Run(IndexLookup(5), (layer,), width=8) for layer in (first, second)]
    assert runs[0].key() != runs[1].key()


def test_a_change_meanwhile_is_named(folder):
    layer = of(folder)
    (folder / "helper.py").write_text(HELPER + "\n")
    with pytest.raises(PlugInFails, match="the file, or one that it imports, has changed meanwhile"):
        load(layer)

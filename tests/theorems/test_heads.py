"""Files of theorems are imported without torch: their options and help must not wait seconds for it."""

import subprocess
import sys
from pathlib import Path

from seqsep import theorems

FOLDER = Path(theorems.__file__).parent
WITH_TORCH = {"protocols/tensor_machine.py"}
"""Files that import torch at their heads; others import these inside functions."""

IMPORTS = """
import importlib, sys

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            raise ImportError("torch")

sys.meta_path.insert(0, NoTorch())
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(name, error)
print("tested", len(sys.argv) - 1)
"""


def modules(files) -> list[str]:
    paths = [file.relative_to(FOLDER).with_suffix("") for file in files]
    return [".".join(("seqsep.theorems", *path.parts)) for path in paths]


def printed(names: list[str]) -> list[str]:
    found = subprocess.run([sys.executable, "-c", IMPORTS, *names], capture_output=True, text=True, check=True)
    return found.stdout.splitlines()


def test_no_file_of_theorems_imports_torch():
    """Every theorem is among them, and everything that a theorem imports."""
    files = sorted(path for path in FOLDER.rglob("*.py") if str(path.relative_to(FOLDER)) not in WITH_TORCH)
    names = [name.removesuffix(".__init__") for name in modules(files)]
    assert len(names) > 150
    assert printed(names) == [f"tested {len(names)}"]


def test_files_with_torch_do_import_it():
    """The test above can fail, and its exceptions are none too many."""
    names = modules(FOLDER / file for file in WITH_TORCH)
    assert printed(names) == [*(f"{name} torch" for name in names), f"tested {len(names)}"]

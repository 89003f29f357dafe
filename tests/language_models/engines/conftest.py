"""The C program of the tests, compiled once."""

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "examples/engine/engine.c"


@pytest.fixture(scope="session")
def c_engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine in C; without a compiler, its tests are skipped."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("engine") / "engine"
    subprocess.run([compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-o", program, SOURCE, "-lm"], check=True)
    return program

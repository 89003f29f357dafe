"""The process that continues states: where it imports modules from."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from seqsep.language_models.laws import receiver


class Asked(subprocess.Popen[bytes]):
    """A process that is started as the receiver is, and says which `json` it imports."""

    def __init__(self, command: list[str], **options: Any) -> None:
        assert command[-3:] == ["-m", receiver.__name__, str(os.getpid())]
        super().__init__([*command[:-3], "-c", "import json; print(json.__file__)"], **options)


@pytest.mark.parametrize("given", [None, "", os.pathsep])
def test_it_imports_nothing_from_the_working_folder(given: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file `json.py` that another user has put into the working folder is not run in place of the module."""
    (tmp_path / "json.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if given is not None:
        monkeypatch.setenv("PYTHONPATH", given)
    monkeypatch.setattr(subprocess, "Popen", Asked)
    found, _ = receiver._started().communicate()
    assert found.decode().strip() == sys.modules["json"].__file__

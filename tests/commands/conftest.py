"""A configuration as the file that a command reads; commands that are called here train on workers that are started already."""

import json

import pytest

from support.idle_workers import reuse_idle_workers


@pytest.fixture
def file(tmp_path):
    def write(fields, name="config.json"):
        (tmp_path / name).write_text(json.dumps(fields))
        return str(tmp_path / name)

    return write


@pytest.fixture(autouse=True)
def _started_workers(monkeypatch):
    reuse_idle_workers(monkeypatch)

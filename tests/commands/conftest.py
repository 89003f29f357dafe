"""A configuration as the file that a command reads."""

import json

import pytest


@pytest.fixture
def file(tmp_path):
    def write(fields, name="config.json"):
        (tmp_path / name).write_text(json.dumps(fields))
        return str(tmp_path / name)

    return write

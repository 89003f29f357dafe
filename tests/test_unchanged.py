"""The layout was rebuilt after version 0.3.0: run keys, certificates and committed rows are those of before, byte for byte."""

import hashlib
import json
from pathlib import Path

import pytest

from seqsep.lab.experiments import EXPERIMENTS
from seqsep.theorems.certificate import certify

ROOT = Path(__file__).parents[1]
BEFORE = json.loads((ROOT / "tests/support/unchanged.json").read_text(encoding="utf-8"))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.unchecked  # thousands of runs
def test_every_preset_has_the_run_keys_that_it_had():
    keys = {
        f"{experiment.name} {preset}": sha256("\n".join(run.key() for run in experiment.runs(preset)).encode())
        for experiment in EXPERIMENTS
        for preset in experiment.presets
    }
    assert BEFORE["run_keys"].items() <= keys.items()


@pytest.mark.parametrize("theorem", BEFORE["certificates"])
def test_certificates_have_the_bytes_that_they_had(theorem):
    assert sha256(certify(theorem)) == BEFORE["certificates"][theorem]


@pytest.mark.parametrize("name", BEFORE["rows"])
def test_committed_rows_are_as_they_were(name):
    lines = (ROOT / "results" / name).read_text(encoding="utf-8").splitlines()
    now = {json.loads(line)["key"][:16]: sha256(line.encode())[:16] for line in lines}
    assert BEFORE["rows"][name].items() <= now.items()

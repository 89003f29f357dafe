"""The statements of docs/reference/capacity.md on other calculators are those of results/other-calculators.json."""

import json
from pathlib import Path

import pytest

from pages._other_calculators import OTHERS, other_calculators_section
from seqsep.language_models.capacity.published import published

RESULTS = Path(__file__).parents[2] / "results"
FOUND = json.loads((RESULTS / "other-calculators.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("model", published(), ids=lambda model: model.name)
def test_ours_is_what_capacity_counts_today(model):
    assert FOUND["models"][model.name]["seqsep"] == model.capacity().bytes_at(FOUND["tokens"])


def test_every_published_model_is_there_and_no_other():
    assert list(FOUND["models"]) == [model.name for model in published()]
    assert all(set(row) == {"seqsep", *OTHERS} for row in FOUND["models"].values())


def test_what_is_said_of_them(tmp_path):
    models = {
        "near": {"seqsep": 100, "hf-mem": 104, "hf-vram-calc": 94},
        "far": {"seqsep": 100, "hf-mem": 201, "hf-vram-calc": 1234},
        "none": {"seqsep": 100, "hf-mem": "prints no cache", "hf-vram-calc": "ValueError: no heads"},
    }
    (tmp_path / "other-calculators.json").write_text(json.dumps(FOUND | {"models": models}), encoding="utf-8")
    said = other_calculators_section(tmp_path)
    assert "| hf-mem | 2 | 1 | 1 |\n| hf-vram-calc | 2 | 0 | 1 |\n" in said
    assert said.splitlines()[-3:] == [
        "| near | 100&nbsp;bytes | 1.04 | 0.94 |",
        "| far | 100&nbsp;bytes | 2.01 | 12.3 |",
        "| none | 100&nbsp;bytes | no cache | an error |",
    ]

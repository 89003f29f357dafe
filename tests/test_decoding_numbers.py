"""The gain of decoding by steps over reading the prefix again: results/decoding.json, of benchmarks/decoding.py."""

import json
from pathlib import Path

import pytest

from seqsep.models.mixers import BY_NAME

MEASURED = json.loads((Path(__file__).parents[1] / "results/decoding.json").read_text(encoding="utf-8"))
BAR = 20
NOT_MEASURED = {"rotation", "mlstm", "slstm", "kda"}
"""Mixers that were added after the measurement."""
HYBRIDS = ["mamba+attention", "sliding-attention+gated-delta"]
BELOW_WITH_ONE_PROMPT = {
    "attention+attention",
    "gated-delta+gated-delta",
    "linear-attention+linear-attention",
    "mamba2+mamba2",
    "retention+retention",
    "rwkv7+rwkv7",
    "sliding-attention+gated-delta",
    "sliding-attention+sliding-attention",
}
"""One prompt of a small model: a step is as long as it takes to start its operations, few of which the whole prefix needs."""


def ratios(section: str) -> dict[str, float]:
    return {name: each["ratio"] for name, each in MEASURED[section]["CPU seconds"].items()}


@pytest.mark.parametrize(("section", "prompts"), [("one", 1), ("many", 16)])
def test_every_mixer_is_there(section, prompts):
    assert MEASURED["tokens"] == 1000
    assert MEASURED[section]["prompts"] == prompts
    assert list(ratios(section)) == [*(f"{name}+{name}" for name in BY_NAME if name not in NOT_MEASURED), *HYBRIDS]


def test_the_papers_models_are_there():
    assert MEASURED["paper"]["prompts"] == 16
    assert list(ratios("paper")) == ["Transformer", "Mamba", "hybrid"]


@pytest.mark.parametrize("section", ["one", "many", "paper"])
def test_ratios_are_those_of_the_seconds(section):
    for name, each in MEASURED[section]["CPU seconds"].items():
        assert each["ratio"] == pytest.approx(each["whole prefix"] / each["steps"], rel=0.01), name
        assert each["its ratio"] == pytest.approx(each["last position only"] / each["steps"], rel=0.01), name


def test_many_prompts_are_20_times_as_fast():
    assert min((ratios("many") | ratios("paper")).values()) >= BAR


def test_which_are_not_with_one_prompt():
    assert {name for name, ratio in ratios("one").items() if ratio < BAR} == BELOW_WITH_ONE_PROMPT

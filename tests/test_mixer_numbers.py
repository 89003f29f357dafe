"""How much faster training steps are with our products: results/mixers.json, of benchmarks/mixers.py matrices steps."""

import json
from pathlib import Path

from seqsep.mixers import MIXERS

MEASURED = json.loads((Path(__file__).parents[1] / "results/mixers.json").read_text(encoding="utf-8"))
BARS = {"retention": 1.5, "linear-attention": 1.5, "gated-delta": 1.4, "mamba2": 1.4}
"""How many times as fast a step of 2 layers of width 256 is at least."""


def ratio(run: str) -> float:
    """CPU time of a step with PyTorch's own products over that with ours."""
    sides = MEASURED["medians"][f"steps: {run}, batch 64, every position"]
    return sides["with SEQSEP_PRODUCTS=off"]["CPU ms"] / sides["seqsep"]["CPU ms"]


def test_steps_of_the_mixers_that_gain_most() -> None:
    assert {name: ratio(f"{name}, 2 x 256, N = 100") >= bar for name, bar in BARS.items()} == dict.fromkeys(BARS, True)


def test_attention_at_every_position() -> None:
    assert min(ratio(f"attention, 1 x 64, N = {length}") for length in (200, 400)) >= 1.2


def test_no_mixer_is_slower() -> None:
    """By more than two medians of one thing differ on a machine like this."""
    assert min(ratio(f"{mixer.name}, 2 x 256, N = 100") for mixer in MIXERS) >= 0.97


def test_errors_are_those_of_float32() -> None:
    assert MEASURED["products"] == "oneDNN in large linear layers"
    assert MEASURED["threads"] == 1
    assert MEASURED["largest error of a trial product"] < 1e-4

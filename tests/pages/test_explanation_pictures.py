"""The pictures of docs/explanation/ show what seqsep computes and what the committed rows have; test_write.py compares them."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import seqsep
from pages import PAGES
from pages._explanation_pictures import DYCK_LAYERS, LOOKUP_LAYERS, bounds_picture, positions_picture, scores_picture
from pages._explanation_pictures import _shares as shares
from pages._explanation_pictures import _weight as weight
from seqsep.maths.networks.executor import run
from seqsep.report.formatting import percent
from seqsep.report.styles import STYLES

ROOT = Path(__file__).parents[2]
EXPLANATION = ROOT / "docs/explanation"
RESULTS = ROOT / "results"
PICTURES = [Path(name).name for name in PAGES if re.fullmatch(r"docs/explanation/[^/]+\.svg", name)]


def words_of(picture: str) -> str:
    """Return the texts of a picture, line by line, and its summary."""
    return " ".join(re.findall(r"<(?:text|desc|title)[^>]*>([^<]*)<", picture))


@pytest.mark.parametrize("page", ["bounds", "p-bit-arithmetic", "positions", "theorem-to-program"])
def test_each_page_shows_its_picture_with_a_caption(page: str) -> None:
    """The caption is below the picture, and says what the axes are to a reader who sees nothing else of the page."""
    assert f"{page}.svg" in PICTURES
    text = (EXPLANATION / f"{page}.md").read_text(encoding="utf-8")
    [(words, caption)] = re.findall(rf"!\[([^]]+)\]\({page}\.svg\)\n\n\*([^*]+)\*\n", text)
    assert len(words.split()) >= 10
    assert len(caption.split()) >= 30


def test_the_lstm_is_below_its_ceiling() -> None:
    words = words_of(bounds_picture(RESULTS))
    assert "A trained LSTM of 4,096 bits has 24.9 % at N = 20." in words
    for length in (20, 100, 700):
        needed = seqsep.IndexLookup(length, alphabet=64).answer_bits()
        assert f"N = {length}: {needed:,} bits" in words
        assert seqsep.ceiling(seqsep.IndexLookup(length, alphabet=64), needed - 1) < 1


def test_a_weight_is_that_of_the_softmax() -> None:
    """The page has 1.0 and 0.3 at forty other keys; once, a weight is the exact one, rounded down to tenths."""
    assert [weight(40, softmax) for softmax in ("stepwise", "once")] == [1.0, 0.3]
    for others in range(61):
        assert weight(others, "stepwise") == 1.0
        assert weight(others, "once") == math.floor(10 * math.exp(3) / (math.exp(3) + others)) / 10


def test_positions_are_those_of_the_rows() -> None:
    """As the page computes them, from the same rows."""
    words = words_of(positions_picture(RESULTS))
    for name, length, layers in (("index-lookup", 20, LOOKUP_LAYERS), ("dyck", 100, DYCK_LAYERS)):
        rows = seqsep.read_rows(RESULTS / f"{name}-architectures-reach.jsonl")
        single = [row for row in rows if len(row.run.layers) == 1 and row.run.layers[0] in layers]
        shown = [row for row in single if row.run.task.length == length and row.run.positions_told() in ("none", "learned")]
        assert {row.run.width for row in shown} == {64}
        gains = []
        for layer in layers:
            same = [row for row in shown if row.run.layers == (layer,)]
            none, learned = (
                max(row.result["accuracy"] for row in same if row.run.positions_told() == told) for told in ("none", "learned")
            )
            assert f"{STYLES[layer].title} {percent(none)} % without, {percent(learned)} % with" in words
            gains.append(100 * (learned - none))
        # the caption on the page counts these
        assert sum(gain > 50 for gain in gains) == (5 if name == "index-lookup" else 0)
        assert [layer for layer, gain in zip(layers, gains, strict=True) if gain > 2] == (
            list(LOOKUP_LAYERS) if name == "index-lookup" else ["dss"]
        )


def test_weights_are_those_of_the_executor() -> None:
    """The executor attends with the weights of the picture: a symbol's bits come back as their shares."""
    network = seqsep.build("index-lookup-attention", length=4, alphabet=4)
    arrays = dict(network.arrays())
    head = "layers.0.heads.0."
    queries = arrays["indices"].integers @ arrays[f"{head}query"].integers.T
    keys = arrays["positions"].integers @ arrays[f"{head}key"].integers.T
    symbols = np.array([2, 0, 3, 1])
    bits = np.array([[symbol & 1, symbol >> 1] for symbol in [*symbols, 0]])
    for place in range(4):
        expected = np.array(shares(network.grid, queries[place] @ keys.T)) @ bits
        inputs = np.array([[*symbols, 4 + place]])
        found = run(network, inputs, at=-1).attended[0].floats()[0, 0, :2]
        assert found == pytest.approx(expected, abs=1 / network.grid.steps)
    words = words_of(scores_picture())
    assert "query for 1: 8; query for 2: 2; query for 3: 0; query for 4: 2" in words
    assert "query for 1: 0.88; query for 2: 0.8; query for 3: 0.8; query for 4: 0.8" in words

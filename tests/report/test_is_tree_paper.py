"""The bars of Wen, Dang, Lyu 2025, figures 2 and 5, typed a second time: every value that stands beside ours."""

from itertools import product

import pytest

from seqsep.lab.experiments.claims.papers import is_tree_accuracy
from seqsep.lab.experiments.is_tree import PAPER_LENGTHS, PAPER_SIZES, PAPER_TRACES, TRACES

COT = {
    ("transformer", "0.5M"): (1.0, 1.0, 0.975, 0.690),
    ("transformer", "1M"): (1.0, 1.0, 1.0, 0.924),
    ("transformer", "2M"): (1.0, 1.0, 1.0, 1.0),
    ("mamba", "0.5M"): (0.838, 0.550, 0.498, 0.498),
    ("mamba", "1M"): (0.995, 0.786, 0.489, 0.498),
    ("mamba", "2M"): (1.0, 0.872, 0.489, 0.498),
    ("hybrid", "0.5M"): (0.998, 0.998, 0.969, 0.772),
    ("hybrid", "1M"): (1.0, 0.998, 0.995, 0.758),
    ("hybrid", "2M"): (1.0, 0.998, 0.995, 0.993),
}
VANILLA = {
    ("transformer", "0.5M"): (0.484, 0.496, 0.516, 0.508),
    ("transformer", "1M"): (0.501, 0.481, 0.511, 0.503),
    ("transformer", "2M"): (0.501, 0.503, 0.501, 0.503),
    ("mamba", "0.5M"): (0.508, 0.496, 0.503, 0.498),
    ("mamba", "1M"): (0.491, 0.496, 0.498, 0.489),
    ("mamba", "2M"): (0.496, 0.491, 0.484, 0.501),
    ("hybrid", "0.5M"): (0.511, 0.506, 0.496, 0.504),
    ("hybrid", "1M"): (0.515, 0.508, 0.506, 0.499),
    ("hybrid", "2M"): (0.515, 0.508, 0.506, 0.499),
}
RETRIEVAL = dict.fromkeys(COT, (1.0, 1.0, 1.0, 1.0))
RETRIEVAL |= {("mamba", "1M"): (1.0, 1.0, 1.0, 0.998), ("mamba", "2M"): (1.0, 1.0, 1.0, 0.995)}
BARS = {"cot": COT, "vanilla": VANILLA, "retrieval": RETRIEVAL}


@pytest.mark.parametrize("trace", BARS)
def test_every_bar_is_as_typed_here(trace):
    assert [(size.model, size.size) for size in PAPER_SIZES] == list(COT)
    assert PAPER_LENGTHS == (16, 32, 64, 128)
    found = {
        (model, size): tuple(is_tree_accuracy(trace, f"{model}-{size}", length) for length in PAPER_LENGTHS)
        for model, size in COT
    }
    assert found == BARS[trace]


def test_what_the_paper_does_not_plot():
    assert set(PAPER_TRACES) == set(BARS)
    others = set(TRACES) - set(BARS)
    assert others == {"peel", "walk"}
    for trace, (model, size) in product(others, COT):
        assert is_tree_accuracy(trace, f"{model}-{size}", 16) is None
    assert is_tree_accuracy("cot", "mamba-0.5M", 8) is None

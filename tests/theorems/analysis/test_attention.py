"""The bound on one attention layer: its constant, where it says something, and from where it would."""

import json

import numpy as np
import pytest

from seqsep.commands.cli import main
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.automata.growth import growth
from seqsep.maths.automata.layered import of_values
from seqsep.maths.communication.rank_by_counting import RankByCounting
from seqsep.theorems.analysis.analyze import analyze
from seqsep.theorems.analysis.attention import ProtocolSizes, bound_from
from seqsep.theorems.protocols.one_layer_ledger import message_bits


def total(width: int, heads: int, grid: Grid, tokens: int) -> int:
    bits = message_bits(
        length=tokens,
        width=width,
        embedding=99,
        heads=heads,
        grid=grid,
        variant="one-learns-and-sends",
        classes=2,
        vocabulary=2,
    )
    return bits["total"]


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
@pytest.mark.parametrize("bits", [30, 65, 129, 500])
def test_no_layer_with_less_has_a_protocol_of_so_many_bits(bits, rounding):
    """All m and H with m H below the bound, on every grid of at most p bits: the protocol takes fewer bits than D(f)."""
    for precision in (4, 8, 16):
        question = ProtocolSizes(tokens=128, last_tokens=2, answers=2)
        least = question.width(bits, precision).least
        grids = [Grid(steps, rounding) for steps in range(2, 300) if Grid(steps).precision <= precision]
        for width in range(1, least):
            for heads in range(1, (least - 1) // width + 1):
                assert all(total(width, heads, grid, tokens=128) < bits for grid in grids)
        assert max(total(1, least, Grid(grid.steps, "nearest"), tokens=128) for grid in [*grids, _finest(precision)]) >= min(
            bits, question.bits_of_one(precision)
        )
        assert (question.width(bits, precision).at_least is None) == (bits <= question.bits_of_one(precision))


def _finest(precision: int) -> Grid:
    return next(Grid(steps) for steps in range(1 << precision // 2, 1, -1) if Grid(steps).precision <= precision)


@pytest.mark.slow
@pytest.mark.unchecked
def test_equality_bites_from_where_its_growth_says():
    """D(f) is N/2 + 1 bits at every N, so what is said of longer inputs is what is found there."""
    short = analyze("equality", [8, 16, 32], precisions=(4, 8))
    assert [one.attention.bits for one in short.lengths] == [5, 9, 17]
    for precision, length in short.bounds_from().items():
        assert length is not None
        around = [2 * round(length * share / 2) for share in (0.9, 1.1)]
        before, after = analyze("equality", around, precisions=(precision,)).lengths
        assert (before.widths[0].at_least, after.widths[0].at_least) == (None, 2)
    longest = analyze("equality", [256], precisions=(8, 16, 32)).lengths[0]
    assert longest.attention.bits == 129
    assert [width.at_least for width in longest.widths] == [3, 2, None]


@pytest.mark.slow
@pytest.mark.unchecked
def test_bounded_dyck_at_64(capsys):
    """Beyond enumeration by its automaton: 8 states, and one attention layer of 8 bits needs m H >= 2."""
    assert main(["analyze", "bounded-dyck", "--lengths", "4,8,64", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["lengths"]
    assert [row["state_bits"] for row in rows] == [3, 3, 3]
    assert [row["attention"]["communication_bits"] for row in rows] == [5, 9, 64]
    assert rows[2]["attention"]["rank"] == 2**63
    assert rows[2]["attention"]["width_times_heads"][0] == {"precision": 8, "at_least": 2}


def test_a_formula_without_an_automaton_in_reading_order(capsys):
    """Equality of 64 bits: 2^32 classes of prefixes are shown by the rank, and 58 bits are always enough."""
    assert main(["analyze", "equality", "--lengths", "64", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["lengths"][0]
    assert (row["exact"], row["state_bits"], row["automaton"], row["witness"]) == (False, None, None, None)
    assert (row["lower"]["state_bits"], row["lower"]["classes"], row["lower"]["split"]) == (32, 2**32, 32)
    assert row["upper"]["state_bits"] == 58
    counted = analyze("equality", [64]).lengths[0].attention
    assert isinstance(counted, RankByCounting)
    counted.verify()
    assert main(["analyze", "disjointness", "--lengths", "64,66,68"]) == 0
    out = capsys.readouterr().out
    assert "   64    32 to 58  at least 4,2" in out  # the count is just below 2^32
    assert "no bound above 1 for p = 8, 16, 32; if D(f) continues as these bounds do (linear, 0.5 bits per token)" in out


@pytest.mark.parametrize(
    ("flag", "why"),
    [("--automata", "length 64: expected an automaton, found a diagram that is too large"), ("--certificate", "answers")],
)
def test_what_has_no_automaton_writes_none(flag, why, capsys, tmp_path):
    assert main(["analyze", "equality", "--lengths", "64", flag, str(tmp_path / "x.json")]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert why in said
    assert not (tmp_path / "x.json").exists()


def test_upper_bound_of_the_state_of_any_formula():
    """max over K of min(K, 2^(N - K)) bits, which no function of bits exceeds: random functions of 6 bits come near it."""
    assert analyze("equality", [64]).lengths[0].bits == (32, max(min(split, 2 ** (64 - split)) for split in range(65)))
    most = max(min(split, 2 ** (6 - split)) for split in range(7))
    for seed in range(5):
        values = np.random.default_rng(seed).integers(0, 2, [2] * 6)
        assert most - 1 <= of_values(values).state_bits <= most


@pytest.mark.slow
@pytest.mark.unchecked
def test_nothing_is_said_of_what_does_not_grow(capsys):
    assert main(["analyze", "(0|1)*1", "--lengths", "16,32,64"]) == 0
    assert "no bound above 1 for p = 8, 16, 32; if D(f) continues as these bounds do (constant), there is none" in (
        out := capsys.readouterr().out
    )
    assert "(p = 8)" not in out
    assert main(["analyze", "(00|11)*", "--lengths", "128"]) == 0
    out = capsys.readouterr().out
    assert " 65" + 17 * " " + "2 (p = 8)\n" in out  # least thought is empty
    assert "attention at N = 128: no bound above 1 for p = 16, 32\n" in out
    assert main(["analyze", "(00|11)*", "--lengths", "128", "--precision", "8"]) == 0
    assert "no bound" not in capsys.readouterr().out


def test_growth_by_the_logarithm_reaches_no_bound():
    """The protocol's own bits grow by 3 and more for each doubling of N, so that 2 bits for each never suffice."""
    question = ProtocolSizes(tokens=16, last_tokens=2, answers=2)
    slow = growth([(4, 16), (8, 64), (16, 256)])
    assert slow.kind == "logarithmic"
    assert bound_from(slow, question, (16, 16), precision=8) is None
    fast = growth([(4, 2**16), (8, 2**24), (16, 2**32)])
    first = bound_from(fast, question, (16, 16), precision=8)
    assert 8 * first.bit_length() + 8 > ProtocolSizes(first, 2, 2).bits_of_one(8)


def test_partial_functions_are_not_counted(tmp_path):
    """Beyond 10 positions and outside the domain somewhere: matrices only."""
    path = tmp_path / "f.py"
    path.write_text("def f(s):\n    return None if s[0] else s[:6] == s[6:]\n")
    assert not isinstance(analyze(f"{path}:f", [12]).lengths[0].attention, RankByCounting)

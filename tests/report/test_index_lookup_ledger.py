"""The size ledger: sizes are the theorem's bound, crossings are exact, and both figures show every code."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from seqsep.maths.codes.codes import BY_NAME, MOST_VERIFIED
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.figures.chart import TOP
from seqsep.report.index_lookup_ledger import (
    ALPHABET,
    CODES,
    LENGTHS,
    TOTALS,
    cache_bits,
    code_of,
    crossing,
    formula_bits,
    formula_crossing,
    frontier,
    index_lookup_ledger,
    last_length,
    least_state_bits,
    sizes,
    total_bits,
)
from seqsep.report.page.ledger_charts import (
    CODE_STYLES,
    LARGEST_BITS,
    SMALLEST_BITS,
    crossing_text,
    frontier_figures,
    separation_figure,
    short,
    within,
)
from seqsep.report.page.ledger_picture import ledger_picture, separation_picture
from seqsep.report.page.page import write_page
from seqsep.tasks import IndexLookup
from seqsep.theorems.retrieval.index_lookup_attention import bound, build

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.unchecked  # the rooms' own tests check shapes and types


def smaller(code: str, length: int, total: Any) -> bool:
    return total_bits(code, length, total) < least_state_bits(length)


def test_every_code_is_here() -> None:
    assert set(CODES) == set(BY_NAME) == set(CODE_STYLES)
    data = index_lookup_ledger()
    for code in CODES:
        for total in TOTALS:
            drawn = [size.length for size in data.line(code, total)]
            assert [length for length in drawn if length in LENGTHS] == [at for at in LENGTHS if at <= last_length(code)]
            assert drawn[-1] == min(last_length(code), LENGTHS[-1])
    assert [size.length for size in data.line("signs", "core") if not size.verified] == [1 << power for power in range(15, 22)]


@pytest.mark.parametrize("code", CODES)
def test_the_stated_form_has_the_size_of_the_code_itself(code: str) -> None:
    for length in (1, 2, 16, 255, 256, 1023, 1024, 2000, 4095, 4096, 65_535, 1 << 20):
        if length <= last_length(code) and (code != "signs" or length <= 2000):
            assert sizes(code, length) == bound(length, ALPHABET, BY_NAME[code](length + 1)), length


@pytest.mark.parametrize("code", CODES)
def test_the_last_length_is_the_last(code: str) -> None:
    assert sizes(code, last_length(code))
    if code in ("kerdock", "circle"):
        with pytest.raises(ValueError, match="at most"):
            sizes(code, last_length(code) + 1)
    if code == "signs":
        with pytest.raises(ValueError, match="verified"):
            BY_NAME[code](MOST_VERIFIED + 1)


@pytest.mark.parametrize("code", CODES)
def test_totals_are_those_of_the_arrays(code: str) -> None:
    network = build(20, ALPHABET, code)
    assert network.ledger().core == total_bits(code, 20, "core")
    assert network.ledger().program == total_bits(code, 20, "program")
    assert network.ledger().tables == total_bits(code, 20, "tables")


@pytest.mark.parametrize("code", CODES)
def test_the_cache_is_that_of_the_keys_and_values(code: str) -> None:
    network = build(20, ALPHABET, code)
    numbers = sum(array.integers.shape[0] for name, array in network.arrays() if name.endswith((".key", ".value")))
    assert cache_bits(code, 20) == numbers * network.precision * 20


def test_the_cache_is_larger_than_the_state_at_every_length() -> None:
    assert all(cache_bits("parabola", length) > least_state_bits(length) for length in LENGTHS)


@pytest.mark.parametrize(("constant", "first"), [(1, 351), (3, 1291), (4, 1801)])
def test_the_constant_of_the_papers_formula_moves_the_crossing(constant: int, first: int) -> None:
    assert formula_crossing("parabola", constant) == first
    assert least_state_bits(first) > formula_bits("parabola", first, constant)
    assert not any(least_state_bits(at) > formula_bits("parabola", at, constant) for at in range(1, first))


def test_the_picture_says_what_it_compares() -> None:
    """The cache is a curve of each panel, the paper's formula a band, and the caption says what is not shown."""
    picture = separation_picture()
    assert "The Transformer's cache is in neither of them." in picture.subtitle
    assert all(any("cache" in line.name for line in panel.chart.lines) for panel in picture.panels)
    [band] = [line for line in picture.panels[0].chart.lines if line.band]
    assert band.value == "351–1,801"
    assert "This does not show that a Transformer keeps less while it runs" in picture.caption
    assert picture.caption in " ".join(re.findall(r">([^<>]+)</text>", ledger_picture()))


def test_the_least_state() -> None:
    assert all(least_state_bits(length) == IndexLookup(length, ALPHABET).answer_bits() for length in (1, 2, 17, 1000))


def test_crossings() -> None:
    crossings = {(one.code, one.total): one for one in index_lookup_ledger().crossings}
    assert {code: crossings[code, "core"].first for code in CODES} == {
        "parabola": 1291,
        "binary": 5409,
        "circle": 2011,
        "kerdock": None,
        "dual-bch": 660_401,
        "signs": 407_631_591,
        "one-hot": None,
    }
    assert {code: crossings[code, "program"].first for code in CODES} == {
        "parabola": 18_290,
        "binary": 42_795,
        "circle": 28_381,
        "kerdock": None,
        "dual-bch": 766_749,
        "signs": 259_734_210,
        "one-hot": None,
    }
    assert all(crossings[code, "tables"].first is None for code in CODES)
    assert crossing_text(crossings["dual-bch", "core"]) == "660,401 to 2,097,151; from 2,894,761"
    assert crossing_text(crossings["kerdock", "core"]) == "not to 65,535"
    assert crossing_text(crossings["parabola", "tables"]) == "never"


@pytest.mark.parametrize("one", index_lookup_ledger().crossings, ids=lambda one: f"{one.code}-{one.total}")
def test_a_crossing_is_where_the_order_changes(one: Any) -> None:
    if one.first is None:
        assert not any(smaller(one.code, length, one.total) for length in LENGTHS if length <= last_length(one.code))
        return
    edges = [one.first] if one.held is None else [one.first, one.settled]
    for edge in edges:
        assert smaller(one.code, edge, one.total)
        assert not smaller(one.code, edge - 1, one.total)
    if one.held is not None:
        assert smaller(one.code, one.held, one.total)
        assert not smaller(one.code, one.held + 1, one.total)
        assert code_of(one.code, one.held).dimension < code_of(one.code, one.held + 1).dimension
    length = one.settled
    while length <= one.searched:
        assert smaller(one.code, length, one.total)
        length = length * 5 // 4 + 1


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
def test_nothing_crosses_where_totals_may_fall(code: str) -> None:
    each = [sizes(code, length) for length in range(1, 1025)]
    for total in TOTALS:
        bits = [size[f"{total}_bits"] for size in each]
        assert all(value >= least_state_bits(length) for length, value in enumerate(bits, 1))
        falls = [length for length, (earlier, later) in enumerate(pairwise(bits), 2) if later < earlier]
        assert max(falls, default=0) <= 968


@pytest.mark.parametrize("code", CODES)
def test_totals_do_not_fall_beyond(code: str) -> None:
    around = [(1 << power) + shift for power in range(10, 31) for shift in (-2, -1, 0, 1)] + [3 << p for p in range(9, 29)]
    lengths = sorted(length for length in around if 1000 <= length <= last_length(code))
    for total in TOTALS:
        assert all(total_bits(code, a, total) <= total_bits(code, b, total) for a, b in pairwise(lengths))


def test_a_crossing_by_a_scan_of_every_length() -> None:
    scanned = [smaller("parabola", length, "core") for length in range(1, 2001)]
    first = crossing("parabola", "core").first
    assert first == scanned.index(True) + 1
    assert all(scanned[scanned.index(True) :])


@pytest.mark.parametrize("length", [1000, 65_535])
def test_the_frontier(length: int) -> None:
    choices = frontier(length)
    assert {choice.code for choice in choices} == set(CODES)
    assert [choice.code for choice in choices if choice.frontier] == ["parabola", "binary"]
    for choice in choices:
        better = [other for other in choices if other.width <= choice.width and other.precision <= choice.precision]
        assert choice.frontier == (better == [choice])
        assert choice.width == 6 + 2 * choice.dimension
        assert choice.precision == (2 * choice.base ** (2 * choice.exponent)).bit_length()
    assert [choice.code for choice in choices if not choice.verified] == (["signs"] if length > MOST_VERIFIED else [])


def test_lines_leave_at_the_top() -> None:
    assert within(((1.0, 1e10), (100.0, 1e14), (1000.0, 1e16))) == ((1.0, 1e10), (pytest.approx(10.0), LARGEST_BITS))
    assert within(((1.0, SMALLEST_BITS),)) == ((1.0, SMALLEST_BITS),)
    assert within(()) == ()


def test_short() -> None:
    assert [short(bits) for bits in (12, 999_999, 1_234_567, 10**12 - 1)] == ["12", "999,999", "1.23·10⁶", "1.00·10¹²"]


def test_the_page_has_both_figures_with_their_tables(tmp_path: Path) -> None:
    text = write_page(tmp_path, DemoRuns()).read_text(encoding="utf-8")
    section = text[text.index('<section id="bits">') : text.index('<section id="paper">')]
    assert section.count("<svg") == 3 + 2 + 2, "separation, frontiers, IsTree"
    for number in ("1,291", "18,290", "407,631,591", "660,401 to 2,097,151", "from 2,894,761", "never", "not to 65,535"):
        assert number in section
    for code in CODES:
        assert section.count(f'swatch"></span>{code}<') + section.count(f'swatch"></span><b>{code}</b>') >= 3
        assert len(re.findall(rf">(?:[\d,–]+ )?{code}</text>", section)) == 5
        assert f"--code-{code}: " in text
    assert section.count('stroke-dasharray="4.32,2.52"') == 3, "signs is dashed in each panel"


def test_panels_and_frontiers_stay_inside() -> None:
    charts = [panel.chart for panel in separation_figure().panels] + [figure.chart for figure in frontier_figures()]
    for chart in charts:
        for line in chart.lines:
            assert chart.left <= chart.at(line.end)[0] <= chart.right
            assert TOP - 0.1 <= chart.at(line.end)[1] <= chart.bottom
        for point in chart.points:
            assert chart.left <= chart.at(point.point)[0] <= chart.right


def test_the_committed_picture_is_what_the_code_draws() -> None:
    assert (ROOT / "docs/separation.svg").read_text(encoding="utf-8") == ledger_picture(), "run make pages"
    assert "18,290" in ledger_picture()
    assert not re.search(r"<script|href=|url\(|<image", ledger_picture())

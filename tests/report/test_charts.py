"""A chart is legible at 400 pixels, on dark ground and in every viewer, and draws its data where they belong."""

import re
from functools import cache
from itertools import combinations

import pytest

from seqsep.report.figures.chart import TOP, WIDTH, Axis, Chart, LineData, marker
from seqsep.report.figures.chart_picture import ChartPicture, PicturePanel, chart_svg, picture_svg
from seqsep.report.figures.line_styles import INK, LINE, SOFT
from seqsep.report.limited_state import LIMIT_STYLES
from seqsep.report.page.audit_charts import STYLES as AUDIT_STYLES
from seqsep.report.page.is_tree_bits import IS_TREE_STYLES
from seqsep.report.page.is_tree_picture import is_tree_panels
from seqsep.report.page.ledger_charts import LEDGER_STYLES, frontier_figures, separation_figure
from seqsep.report.page.templates import source
from seqsep.report.styles import FILLS, SPARE_COLOURS, STYLES

PHONE = 372
"""The width of a chart on a page of 400 pixels."""
STYLES_OF_PAGES = [
    *STYLES.values(),
    *LEDGER_STYLES.values(),
    *AUDIT_STYLES.values(),
    *IS_TREE_STYLES.values(),
    *LIMIT_STYLES.values(),
]
NAMED = ["LSTM", "a layer with a name that takes more room than a chart has beside its lines"]


def chart(names=("LSTM",), value="7.0"):
    x = Axis(1.0, 100.0, ((1.0, "1"), (100.0, "100")), "length", log=True)
    y = Axis(0.0, 1.0, ((0.0, "0"), (1.0, "100 %")))
    points = ((1.0, 0.5), (10.0, 0.25), (float("nan"), 0.1), (1000.0, 2.0))
    lines = tuple(LineData(STYLES["lstm"], value, name, points) for name in names)
    return Chart("<title>", "a & b", x, y, lines=lines)


@cache
def every_chart():
    """Every chart of the pages; not at the head of the file, since every process of a test run reads all heads."""
    panels = [*separation_figure().panels, *frontier_figures(), *is_tree_panels()]
    return [panel.chart for panel in panels] + [chart((name,)) for name in NAMED]


def test_points_are_at_their_places():
    """Ratios are even on a logarithmic axis; a value outside is on the edge; others are not drawn."""
    one = chart()
    assert one.at((1.0, 0.0)) == (one.left, one.bottom)
    assert one.at((10.0, 0.5)) == pytest.approx(((one.left + one.right) / 2, (TOP + one.bottom) / 2))
    assert one.at((1000.0, 2.0)) == (one.right, TOP)
    drawn = re.findall(r' d="(M [^"]*)"', chart_svg(one, "id"))
    corners = [f"{x:.2f}".rstrip("0").rstrip(".") for x, _ in map(one.at, ((1.0, 0.5), (10.0, 0.25), (1000.0, 2.0)))]
    assert any(re.findall(r"[ML] ([\d.]+)", path) == corners for path in drawn)
    assert Chart("", "", one.x, one.y, lines=(LineData(STYLES["lstm"], "", "", ((float("nan"), 1.0),)),)).shown == ()


@pytest.mark.parametrize("name", NAMED)
def test_long_labels_are_below(name):
    one = chart((name, name))
    assert bool(one.key_columns) == (name == NAMED[1])
    assert one.height > one.bottom
    assert all(0 < across < WIDTH and 0 < down < one.height for across, down in one.label_places())
    assert min(abs(a[1] - b[1]) for a, b in combinations(one.label_places(), 2)) >= 15.9


@pytest.mark.unchecked  # test_is_tree_ledger.py checks the bounds that the panels draw, thousands of calls
def test_letters_are_nine_pixels_on_a_page_of_400():
    for one in every_chart():
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)px"', chart_svg(one, "id"))]
        assert sizes, one.title
        assert min(sizes) * PHONE / WIDTH >= 9, one.title


@pytest.mark.unchecked
def test_a_page_sets_every_colour_of_a_chart():
    dark = re.findall(r"--c-([0-9a-f]{6}):", source("page.css"))
    assert {INK[1:], SOFT[1:], LINE[1:], "ffffff"} == set(dark)
    colours = {*dark, *(style.light[1:] for style in STYLES_OF_PAGES)}
    for one in every_chart():
        text = chart_svg(one, "id")
        assert set(re.findall(r'(?:fill|stroke)="([^v"][^"]*)"', text)) <= {"none"}, one.title
        assert set(re.findall(r"--c-([0-9a-f]{6}),", text)) <= colours, one.title
        assert not re.search(r"<use|<style|url\(|href|clip-path", text), one.title


def test_a_colour_has_one_counterpart_on_dark_ground():
    pairs = {(style.light, style.dark) for style in STYLES_OF_PAGES} | set(SPARE_COLOURS)
    assert len(dict(pairs)) == len(pairs)


def test_a_picture_has_no_variables_and_escapes_its_words():
    text = picture_svg(ChartPicture("<title>", "subtitle", (PicturePanel("<panel>", "meaning", chart()),), "caption"))
    assert "var(" not in text
    assert text.count("&lt;panel&gt;") == 1
    assert "<title>" not in text.replace('<title id="picture-title">', "")
    assert picture_svg(ChartPicture("<title>", "subtitle", (PicturePanel("<panel>", "meaning", chart()),), "caption")) == text


def test_lines_of_one_colour_have_marks_of_their_own():
    looks = [marker(STYLES["lstm"], variant) for variant in range(len(FILLS))]
    assert len({str(sorted(look.items())) for look in looks}) == len(FILLS)

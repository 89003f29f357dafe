"""The figures beside the heatmap: what they draw, that no words collide, and that equal things look equal."""

from itertools import combinations

import pytest
from markupsafe import escape

from seqsep.report.captions import CURVES, HEATMAP, STATES
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.experiment_table import NamedTable
from seqsep.report.figure_files import write_experiment
from seqsep.report.figures.chart_picture import draw_picture
from seqsep.report.figures.line_styles import DASHES, line_styles
from seqsep.report.figures.panels import Band, band, draw_curves, draw_states
from seqsep.report.figures.results import draw_results, rate_ticks
from seqsep.report.figures.text_width import DOTS_PER_INCH
from seqsep.report.page.ledger_picture import separation_picture
from seqsep.report.page.page import write_page
from seqsep.report.result_table import Column, ResultTable
from seqsep.report.sized_model import MOST_NAMED, SizedModel
from seqsep.report.styles import FILLS, STYLES
from seqsep.tasks import BoundedDyck, IndexLookup
from seqsep.tasks.ceilings import ceiling

DRAWERS = (
    lambda table: draw_results(table, HEATMAP),
    lambda table: draw_curves(table, CURVES),
    lambda table: draw_states(table, STATES),
)
NAMES = ("results", "curves", "states")
OWN_LAYERS = (
    "MovingAverageWithAGate@33333333",
    "mamba",
    "AnotherLayerOfOnesOwnThatHasAVeryLongName@55555555",
    "mamba",
    "attention",
)
RATES = (1e-2, 5e-3, 1e-3, 5e-4, 1e-4, 5e-5, 1e-6)


def no_paper(one, task):
    return None


curves_of = DRAWERS[1]
states_of = DRAWERS[2]


def overlaps(figure):
    """Pairs of words that share ink, and words that leave the figure, as a PNG is drawn."""
    figure.set_dpi(DOTS_PER_INCH)
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    texts = [*figure.texts, *(text for legend in figure.legends for text in legend.get_texts())]
    for axes in figure.axes:
        texts += axes.texts
        texts += [axes.title, axes.xaxis.label, *axes.get_xticklabels(), *axes.get_yticklabels()] if axes.axison else []
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts if text.get_text().strip()]
    wide, high = figure.canvas.get_width_height()
    outside = [name for name, box in boxes if box.x0 < 0 or box.y0 < 0 or box.x1 > wide or box.y1 > high]
    return [(one, other) for (one, a), (other, b) in combinations(boxes, 2) if a.overlaps(b)], outside


@pytest.fixture
def tables(measured):
    """The paper's figure, its widths of Mamba, two alphabets with every architecture there is, sizes beyond naming, and hybrids
    of layers that the reader named."""

    def runs(task, layers, width, accuracy=0.9):
        one = SizedModel(layers, width)
        made = [measured(task, "", accuracy, model=one, learning_rate=rate, steps_allowed=250_000) for rate in RATES]
        return made + [measured(task, "", accuracy, model=one, learning_rate=RATES[0], seed=seed) for seed in (1, 2)]

    lengths = (20, 50, 100, 200, 400)
    everyone = [((name,), 64) for name in STYLES] + [(("mamba", "attention"), 64), (("MyVeryOwnLayer@" + "0" * 64,), 64)]
    cells = {
        "paper": [(IndexLookup(n), (name,) * 6, 256) for n in lengths for name in list(STYLES)[:6]],
        "widths": [(IndexLookup(n), ("mamba",) * 2, w) for n in (20, 50, 75, 100, 200, 400) for w in (32, 64, 256, 512, 1024)],
        "alphabets": [(IndexLookup(20, alphabet=s), *size) for s in (16, 64) for size in everyone],
        "sizes": [(BoundedDyck(30), (n,) * d, w) for n in ("lstm", "mamba") for d in (1, 2, 4) for w in (64, 128, 256)],
        "paper-table": [
            (IndexLookup(n), (name,) * d, w) for n in lengths for name in list(STYLES)[:6] for d in (1, 2) for w in (64, 512)
        ],
        "own": [(IndexLookup(10), OWN_LAYERS, width) for width in (16, 32)],
        "one": [(BoundedDyck(30), ("lstm",), 64)],
    }
    titles = {"one": "Copying, every next symbol right (the paper's size): accuracy, %"}
    return {
        name: ResultTable.of(
            titles.get(name, "Index lookup: accuracy, %"), [run for cell in found for run in runs(*cell)], no_paper
        )
        for name, found in cells.items()
    }


def test_names_of_rows_can_be_read(tables):
    """However long they are, in 7 points at least."""
    heatmap = DRAWERS[0](tables["own"]).axes[0]
    names = [text for text in heatmap.texts if text.get_text().startswith("Moving")]
    assert len(names) == 2
    assert min(text.get_fontsize() for text in names) >= 7


@pytest.mark.parametrize("draw", DRAWERS, ids=NAMES)
@pytest.mark.parametrize("name", ["paper", "widths", "alphabets", "sizes", "paper-table", "own", "one"])
def test_no_words_collide(tables, name, draw):
    assert overlaps(draw(tables[name])) == ([], [])


def test_no_words_collide_in_the_separation():
    assert overlaps(draw_picture(separation_picture(), columns=2)) == ([], [])


def test_the_band_is_least_median_and_greatest(measured):
    """A run that stopped keeps its last accuracy."""
    curves = (
        ((100, 0.1, 1.0), (200, 0.5, 1.0), (300, 0.6, 1.0)),
        ((100, 0.3, 1.0), (200, 0.9, 1.0)),
        ((100, 0.2, 1.0), (200, 0.4, 1.0), (300, 0.3, 1.0)),
    )
    runs = [measured(IndexLookup(20), "lstm", curve[-1][1], seed=seed, curve=curve) for seed, curve in enumerate(curves)]
    [shown] = ResultTable.of("title", runs, no_paper).cells.values()
    assert band(shown) == Band((100.0, 200.0, 300.0), (0.1, 0.4, 0.3), (0.2, 0.5, 0.6), (0.3, 0.9, 0.9))
    seeds = band(shown)
    figure = curves_of(ResultTable.of("title", runs, no_paper))
    drawn = next(line for line in figure.axes[0].lines if len(line.get_xdata()) == 3)
    assert (tuple(drawn.get_xdata()), tuple(drawn.get_ydata())) == (seeds.steps, seeds.middle)
    [area] = figure.axes[0].collections
    corners = {(round(float(x)), round(float(y), 6)) for x, y in area.get_paths()[0].vertices}
    assert corners == {*zip(seeds.steps, seeds.least, strict=True), *zip(seeds.steps, seeds.greatest, strict=True)}
    never = measured(IndexLookup(20), "lstm", 0.0, curve=())
    assert band(next(iter(ResultTable.of("title", [never], no_paper).cells.values()))) == Band((), (), (), ())
    assert overlaps(curves_of(ResultTable.of("title", [never], no_paper))) == ([], [])


def test_a_mark_stands_at_its_bits_and_its_best(measured):
    """The bar goes from the least to the greatest seed, and the black line is the ceiling."""
    task = IndexLookup(100)
    runs = [measured(task, "lstm", accuracy, seed=seed, state_bits=(300, 0)) for seed, accuracy in enumerate((0.4, 0.3, 0.45))]
    runs.append(measured(task, "attention", 0.99, state_bits=(8, 4096)))
    table = ResultTable.of("title", runs, no_paper)
    [axes] = states_of(table).axes
    lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines]
    assert ([300, 300], [0.3, 0.45]) in lines
    assert ([300], [0.4]) in lines
    assert ([8 + 100 * 4096], [0.99]) in lines
    bits, heights = next((x, y) for x, y in lines if len(x) > 100)
    assert all(height == ceiling(task, each) for each, height in zip(map(int, bits), heights, strict=True))
    assert bits[0] <= 300 / 4
    assert heights[0] < heights[-1] == 1


def test_the_ceiling_is_drawn_only_where_one_is_known(measured, monkeypatch):
    asked = BoundedDyck(30).answer_bits()
    assert next(iter(Column(BoundedDyck(30), "", {}).ceiling_line.items())) == (asked, 1.0)
    assert next(iter(Column(IndexLookup(30), "", {}).ceiling_line)) == 1


def test_an_architecture_has_one_colour(tables):
    """No two rows look the same; above `MOST_NAMED` the sizes of an architecture share a look."""
    assert len({(style.light, style.marker) for style in STYLES.values()}) == len(STYLES)
    assert len({style.light for style in STYLES.values()}) == len({style.marker for style in STYLES.values()}) == len(STYLES)
    assert len(DASHES) == len(FILLS)
    found = line_styles(tables["widths"].models)
    assert {look.colour for look in found.values()} == {STYLES["mamba"].light}
    assert len({str(look.dashes) for look in found.values()}) == len({look.fill for look in found.values()}) == 5
    many = tables["sizes"].models
    assert len(many) > MOST_NAMED
    assert [look.label for look in line_styles(many).values() if look.label] == ["LSTM", "Mamba"]
    for draw in DRAWERS:
        [legend] = draw(tables["paper"]).legends
        named = {text.get_text(): line.get_color() for text, line in zip(legend.get_texts(), legend.get_lines(), strict=True)}
        assert named == {style.title: style.light for style in list(STYLES.values())[:6]}


def test_titles_tell_tasks_of_one_length_apart(tables):
    assert {column.title for column in tables["alphabets"].columns} == {"N = 20\nalphabet 16", "N = 20\nalphabet 64"}
    assert {column.title for column in tables["paper"].columns} == {f"N = {length}" for length in (20, 50, 100, 200, 400)}


def test_rate_ticks_keep_apart():
    assert rate_ticks(RATES) == [1e-6, 1e-4, 1e-2]
    assert rate_ticks([5e-4, 1e-3, 1.7e-3, 3e-3]) == [5e-4, 1e-3, 3e-3]
    assert rate_ticks([]) == []


@pytest.mark.slow
def test_the_page_shows_the_figures_of_an_experiment(measured, tmp_path):
    """With their captions; equal tables give equal files."""
    runs = [measured(IndexLookup(20), "lstm", 0.5, learning_rate=rate) for rate in (1e-3, 3e-3)]
    table = ResultTable.of("Index <lookup>: accuracy, %", runs, no_paper)
    named = NamedTable("quick", "Who & what?", table)
    shown = write_experiment(named, tmp_path)
    names = {f"quick{part}.{kind}" for part in ("", "-curves", "-state") for kind in ("pdf", "png", "svg")}
    assert {path.name for path in (tmp_path / "figures").iterdir()} == names
    assert {path.name for path in (tmp_path / "tables").iterdir()} == {"quick.csv", "quick.tex"}
    text = write_page(tmp_path, DemoRuns(tuple(runs)), experiments=[shown]).read_text().replace("\u00a0", " ")
    assert text.count('<img src="data:image/svg+xml;base64,') == 3
    assert "Who &amp; what?" in text
    for figure in shown.figures:
        assert str(escape(figure.caption)) in text
    assert (
        "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\""
        in text
    )
    again = write_experiment(named, tmp_path / "b")
    assert again == shown

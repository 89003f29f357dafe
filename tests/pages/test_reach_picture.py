"""docs/reach.svg shows the seeds of all committed rows on index lookup, next to the paper's numbers."""

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import median

import pytest
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from pages._reach_picture import CAPTION, DEVIATIONS, LENGTHS, is_at_chance, lookup_rows, reach_picture, seeds_rows
from seqsep.lab.answers import chance
from seqsep.lab.experiments._reach import CHEAPEST_FIRST
from seqsep.lab.experiments.claims.papers import figure2_index_lookup
from seqsep.lab.row import Row
from seqsep.report.figures.heatmap import EDGE, HATCH
from seqsep.report.figures.reach_picture import LETTERS, SeedsRow, draw_reach
from seqsep.report.figures.text_width import text_width
from seqsep.report.formatting import DASH, percent
from seqsep.report.measured import RunSummary
from seqsep.report.styles import STYLES
from seqsep.tasks import IndexLookup

ROOT = Path(__file__).parents[2]
NAMES = {style.title: name for name, style in STYLES.items()}


@cache
def rows() -> list[Row]:
    return list(lookup_rows(ROOT / "results"))


@cache
def lines() -> list[SeedsRow]:
    return seeds_rows(rows())


def shown(drawn: Sequence[SeedsRow]) -> list[str]:
    return [text.get_text() for text in draw_reach(drawn, LENGTHS, "note").findobj(Text)]


def test_nobody_is_dropped():
    """Each mixer of the experiment has a row, each length a column, and a cell is empty only if no committed row is there."""
    assert {NAMES[line.name] for line in lines()} == set(CHEAPEST_FIRST)
    made = {(row.run.layers[0], row.run.task.length) for row in rows()}
    assert {(NAMES[line.name], length) for line in lines() for length in line.cells} == made
    texts = shown(lines())
    assert [text for text in texts if text.startswith("N = ")] == [f"N = {length}" for length in LENGTHS]
    assert texts.count(DASH) == len(lines()) * len(LENGTHS) - len(made)


def test_a_cell_has_every_seed_of_its_setting():
    groups: dict[object, list[float]] = {}
    for row in rows():
        groups.setdefault(replace(row.run, seed=0), []).append(row.result["accuracy"])
    settings = {(run.layers[0], run.task.length, tuple(sorted(seeds))) for run, seeds in groups.items()}
    for line in lines():
        for length, cell in line.cells.items():
            assert (NAMES[line.name], length, tuple(sorted(cell.accuracies))) in settings
            assert cell.middle == median(cell.accuracies)


def test_texts_are_the_numbers():
    texts = shown(lines())
    for line in lines():
        for cell in line.cells.values():
            assert {percent(cell.middle), *cell.lines} <= set(texts)
        assert {f"paper {percent(accuracy)}" for accuracy in line.paper.values()} <= set(texts)
    [attention] = [line for line in lines() if line.name == "Attention"]
    assert attention.cells[400].lines == ("97.7–99.9", "3 seeds", "1×64", "8,000 f")


def test_letters_are_nine_pixels_at_a_width_of_400():
    figure = draw_reach(lines(), LENGTHS, "note")
    sizes = [text.get_fontsize() for text in figure.findobj(Text) if text.get_text()]
    assert min(sizes) * 400 / (72 * figure.get_figwidth()) >= 9


def test_the_words_of_a_cell_are_narrower_than_the_cell():
    figure = draw_reach(lines(), LENGTHS, "note")
    cell = 72 * figure.axes[0].get_position().width * figure.get_figwidth() / len(LENGTHS)
    for line in lines():
        for words in [said for one in line.cells.values() for said in one.lines]:
            assert 72 * text_width(words, LETTERS) < cell * (1 - 2 * EDGE), words


def test_another_size_is_hatched_and_chance_is_marked():
    figure = draw_reach(lines(), LENGTHS, "note")
    edges = [patch for patch in figure.findobj(Rectangle) if patch.get_hatch()]
    papers = figure2_index_lookup()
    others = 0
    for line in lines():
        paper = papers.get(NAMES[line.name])
        others += sum(
            paper is not None and (one.layers, one.width) != (paper.depth, paper.width) for one in line.cells.values()
        )
    assert len(edges) == 2 * others > 0
    texts = shown(lines())
    marked = [cell for line in lines() for cell in line.cells.values() if cell.at_chance]
    assert sum("at chance" in text for text in texts) == len(marked) > 0
    assert HATCH in reach_picture(ROOT / "results")


@pytest.mark.parametrize(("accuracy", "guesses"), [(0.0156, True), (0.0226, True), (0.0227, False), (1.0, False)])
def test_a_seed_at_chance_is_four_deviations_above_guessing(accuracy, guesses):
    assert is_at_chance(accuracy, RunSummary.of(rows()[0])) == guesses


def test_the_picture_does_not_depend_on_the_order_of_rows():
    mixed = seeds_rows(random.Random(0).sample(rows(), len(rows())))
    assert [line.name for line in mixed] == [line.name for line in lines()]
    assert shown(mixed) == shown(lines())


def test_the_numbers_of_the_caption_are_those_of_the_rows():
    papers = {f"{STYLES[name].title} {one.depth}×{one.width}" for name, one in figure2_index_lookup().items()}
    others = {name for name in papers if not name.endswith(" 6×256")}
    assert f"which is {', '.join(sorted(others))}, and 6×256 for the others" in CAPTION
    assert {name.rpartition(" ")[0] for name in papers - others} >= {"Mamba", "DSS"}
    assert f"at most {DEVIATIONS} deviations above guessing, which has {percent(chance(IndexLookup(20)))} %." in CAPTION
    single = sum(len(cell.accuracies) == 1 for line in lines() for cell in line.cells.values())
    assert f"{single} of {sum(len(line.cells) for line in lines())} cells have one seed" in CAPTION

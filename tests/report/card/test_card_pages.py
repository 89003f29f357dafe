"""The picture and the page of a card."""

import re
from html.parser import HTMLParser

import pytest

from seqsep.lab.card.battery import BATTERY
from seqsep.lab.card.card import Card, Carried, LawVerdict
from seqsep.lab.card.climb import Climb, Rung
from seqsep.lab.card.limits import StateLimit
from seqsep.lab.card.size import StateSize
from seqsep.lab.card.speed import StepTimes
from seqsep.lab.card.transition import Transition
from seqsep.report.card.page import card_page, exponent, paces_of
from seqsep.report.card.picture import DOT, caption_of, draw_card


def card(label="<mine>", score=2, **fields):
    climbs = tuple(
        Climb(
            ladder.name,
            ladder.family,
            ladder.unit,
            tuple(Rung(difficulty, 1.0 if at < score else None) for at, (difficulty, _) in enumerate(ladder.rungs)),
            chance=0.5,
        )
        for ladder in BATTERY
    )
    paces = [("this layer", 128, 0.1), ("attention", 128, 0.2), ("this layer", 512, 0.8)]
    given = {
        "size": StateSize(64, 2, 10, ((1, 2),), fixed=2, per_token=0, cached_from=1),
        "transitions": (Transition("lstm", "recurrent", 0.5, -0.5, 0.0, horizon=1),),
        "paces": tuple(StepTimes(model, length, seconds, 0.001, 2**20) for model, length, seconds in paces),
        "limits": (StateLimit("index lookup", 11, (1.0, 1.0, 1.0, 0.7, 0.5, 0.2)),),
        "laws": (LawVerdict("causal", True), LawVerdict("chunks", False, "at <token> 3")),
        "carried": Carried(5, 64, 20, 12.0),
        "climbs": climbs,
    }
    return Card(label, ("lstm",), "2m", **(given | fields))


def words(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_the_picture_has_a_row_for_each_ladder_and_its_last_rung():
    shown = words(draw_card([card(score=2)]))
    assert all(ladder.name in shown for ladder in BATTERY)
    assert "N = 2 of 32" in shown
    assert "pairs = 2 of 32" in shown
    assert shown.count("no rung") == shown.count("all rungs") == 1
    assert words(draw_card([card(score=0)])).count("first rung not passed") == 12


def test_other_layers_are_grey_dots():
    company = [card("lstm", score=3), card("mamba", score=3), card("<mine>", score=6)]
    [axes] = draw_card([card()], company).axes
    dots = [line for line in axes.lines if line.get_color() == "#aab4be"]
    assert [list(line.get_xdata()) for line in dots] == [[3]] * len(BATTERY)
    assert all(line.get_markersize() ** 2 == pytest.approx(2 * DOT**2) for line in dots)
    assert "Grey: 2 other layers; a larger dot is several." in caption_of([card()], company[:2])


def test_rungs_beyond_the_state_are_crossed_out():
    [axes] = draw_card([card()]).axes
    crosses = [list(line.get_xdata()) for line in axes.lines if line.get_marker() == "x" and len(line.get_xdata())]
    assert crosses == [[4, 5, 6]]
    assert "red cross" in caption_of([card()], [])
    assert "trained up to N = 20." in caption_of([card()], [])
    assert "red cross" not in caption_of([card(limits=())], [])


def test_the_caption_of_the_page_is_below_the_legend():
    """A text of several lines has places of another form in matplotlib's SVG."""
    page = card_page([card()])
    heights = {words: float(y) for y, words in re.findall(r'<text [^>]*y="([^"]+)">([^<]+)</text>', page)}
    [caption] = [y for words, y in heights.items() if words.startswith("Each ladder has 6 rungs.")]
    assert caption > max(heights[name] for name in ("nearest neighbour", "Search", "&lt;mine&gt;"))


class Reader(HTMLParser):
    """Keeps the tags that are open, and all text."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.text = []
        self.loads = []

    def handle_starttag(self, tag, attrs):
        self.loads += [value for name, value in attrs if name in ("src", "href") and not value.startswith(("data:", "#"))]
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        return

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_is_whole_and_loads_nothing():
    page = card_page([card(), card("b", climbs=(), size=None, paces=())], [card("mamba")])
    reader = Reader()
    reader.feed(page)
    assert not reader.open
    assert not reader.loads
    text = " ".join(" ".join(reader.text).split())
    for said in ("<mine>", "at <token> 3", "12.0 carried at least", "flips", "ceiling 70.0%", "not trained here"):
        assert said in text


def test_the_same_cards_give_the_same_page():
    assert card_page([card()]) == card_page([card()])


def test_ratios_say_how_much_faster_this_layer_is():
    first, second = paces_of(card())
    assert first["training ratios"] == [2.0, None, None]
    assert second["training ratios"] == [None, None, None]
    assert exponent(card()) == 1.5
    assert exponent(card(paces=())) is None

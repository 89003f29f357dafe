"""The picture of one or several cards: a row for each ladder, and how far up it each layer got.

Every ladder has the same width. A mark is at the last rung that was passed, and the number beside the row is that rung of the
first card. Grey dots are the cards of other layers. The area of a dot is the number of layers at its rung.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seqsep.lab.card.battery import BATTERY, PASSED, STEPS, TRAINED_TO
from seqsep.lab.card.card import Card
from seqsep.lab.card.climb import Climb
from seqsep.report.figures.heatmap import MARKED
from seqsep.report.figures.line_styles import INK, LINE, SOFT, LineStyle
from seqsep.report.figures.sheet import FigureLayout, PanelPlace, SheetStyle, draw_sheet
from seqsep.report.formatting import count, listed
from seqsep.report.styles import STYLES, Style, spare_style

WIDTH = 8.6
LEFT = 1.95
RIGHT = 2.0
ROW = 0.3
FAMILY = 0.3
TOP = 0.75
GREY = "#aab4be"
DOT = 3.4
"""The diameter of a dot for one layer, in points."""
MARK = 9.0
APART = 0.13
"""The distance of two marks, as a part of a row."""
TITLES = {"recall": "Recall", "state": "State tracking", "structure": "Structure", "search": "Search"}
STYLE = SheetStyle(title_size=15.0, title_below_top=0.2, caption_size=9.0, caption_line=0.17, most_legend_columns=4)


def draw_card(cards: Sequence[Card], company: Sequence[Card] = ()) -> Figure:
    """Return the picture of one or several cards that were made with one battery and budget."""
    climbs = cards[0].climbs
    families = len({climb.family for climb in climbs})
    height = ROW * len(climbs) + FAMILY * families
    others = [card for card in company if card.label not in {one.label for one in cards}]
    looks = [_look(card, number) for number, card in enumerate(cards)]
    behind = [LineStyle("other layers", GREY, "o", dashes="none", fill="full")] if others else []
    layout = FigureLayout(
        title=f"{listed([card.label for card in cards])}: rungs passed",
        caption=caption_of(cards, others),
        looks=[*looks, *behind],
        width=WIDTH,
        height=height + TOP,
        places=[PanelPlace(LEFT, 0.05, WIDTH - LEFT - RIGHT, height)],
        style=STYLE,
        shows="markers",
    )
    figure, [axes] = draw_sheet(layout)
    rungs = max((len(climb.rungs) for climb in climbs), default=1)
    axes.set(xlim=(-0.15, rungs + 0.15), ylim=(height, 0))
    axes.axis("off")
    axes.text(0, FAMILY - 0.1, "no rung", ha="left", va="baseline", fontsize=9, color=SOFT)
    axes.text(rungs, FAMILY - 0.1, "all rungs", ha="right", va="baseline", fontsize=9, color=SOFT)
    top = 0.0
    for family, of_family in groupby(climbs, key=lambda climb: climb.family):
        axes.text(-0.35, top + FAMILY - 0.1, TITLES[family], ha="right", va="baseline", fontsize=10, weight="bold", color=INK)
        top += FAMILY
        for climb in of_family:
            _draw_ladder(
                axes, climb, top + ROW / 2, marks=[(card.scores, look) for card, look in zip(cards, looks, strict=True)]
            )
            _draw_ceiling(axes, cards[0], climb, top + ROW / 2)
            _draw_company(axes, [card.scores.get(climb.ladder) for card in others], top + ROW / 2)
            top += ROW
    return figure


def caption_of(cards: Sequence[Card], others: Sequence[Card]) -> str:
    """Return the caption, which can be read without the text around it."""
    card = cards[0]
    rungs = max((len(climb.rungs) for climb in card.climbs), default=0)
    crossed = " A red cross: no weights with a state of this size pass this rung." if _are_crossed(card) else ""
    of_lengths = {ladder.name for ladder in BATTERY if ladder.is_of_lengths} & card.scores.keys()
    trained = f" Induction and state tracking: trained up to N = {TRAINED_TO}." if of_lengths else ""
    layers = f"{count(len(others))} other layer{'s' if len(others) > 1 else ''}"
    behind = f" Grey: {layers}; a larger dot is several." if others else ""
    return (
        f"Each ladder has {rungs} rungs. A rung is passed if at least {PASSED:.0%} of the answers are right. The number is the "
        f"last rung passed from the first one without a gap. Two layers of width 64, {count(STEPS[card.budget])} steps "
        f"of 32 examples, the better of two learning rates, seed {card.seed}. A rung that is not passed does not show that the "
        f"layer cannot learn it.{trained}{crossed}{behind} Battery {card.battery}, budget {card.budget}."
    )


def _are_crossed(card: Card) -> bool:
    """Return True if some rung is beyond the card's state."""
    return any(ceiling is not None and ceiling < PASSED for limit in card.limits for ceiling in limit.ceilings)


def _look(card: Card, place: int) -> LineStyle:
    """Return the colour and marker of a card: those of its mixer, if it is one that the report knows."""
    style: Style = STYLES.get(card.label) or spare_style(place)
    return LineStyle(card.label, style.light, style.marker, dashes="none", fill=style.fill)


def _draw_ladder(axes: Axes, climb: Climb, at: float, marks: Sequence[tuple[dict[str, int], LineStyle]]) -> None:
    """Draw a row: its name, its rungs, the marks of the cards, and the last rung of the first card in words."""
    axes.text(-0.35, at, climb.ladder, ha="right", va="center", fontsize=9.5, color=INK)
    axes.plot([0, len(climb.rungs)], [at, at], color=LINE, linewidth=2, zorder=1, solid_capstyle="round")
    axes.plot(range(len(climb.rungs) + 1), [at] * (len(climb.rungs) + 1), "|", color=SOFT, markersize=5, zorder=1)
    for number, (scores, look) in enumerate(marks):
        score = scores.get(climb.ladder)
        if score is None:
            continue
        height = at + ROW * APART * (number - (len(marks) - 1) / 2)
        axes.plot([0, score], [height, height], color=look.colour, linewidth=4 / len(marks) ** 0.5, alpha=0.45, zorder=3)
        axes.plot([score], [height], markersize=MARK, zorder=4, **look.mark | {"linestyle": "none"})
    reached = "first rung not passed" if climb.reached is None else f"{climb.unit} = {climb.reached}"
    last = f"{reached} of {climb.rungs[-1].difficulty}" if climb.reached is not None else reached
    axes.text(len(climb.rungs) + 0.3, at, last, ha="left", va="center", fontsize=9.5, color=INK if climb.reached else SOFT)


def _draw_ceiling(axes: Axes, card: Card, climb: Climb, at: float) -> None:
    """Cross out the rungs that no model with the first card's state can pass."""
    ceilings = next((limit.ceilings for limit in card.limits if limit.ladder == climb.ladder), ())
    impossible = [number for number, ceiling in enumerate(ceilings) if ceiling is not None and ceiling < PASSED]
    axes.plot([number + 1 for number in impossible], [at] * len(impossible), "x", color=MARKED, markersize=6, zorder=2)


def _draw_company(axes: Axes, scores: Sequence[int | None], at: float) -> None:
    """Draw a grey dot at each rung that a layer reaches, its area the number of these layers."""
    for score, layers in sorted(Counter(score for score in scores if score is not None).items()):
        axes.plot([score], [at], "o", color=GREY, markersize=DOT * layers**0.5, zorder=2, alpha=0.9)

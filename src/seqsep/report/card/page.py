"""The page of one or several cards: HTML that loads nothing from elsewhere and needs no script."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from seqsep.core.files import write_file
from seqsep.lab.card.card import Card
from seqsep.lab.card.probe import PEERS, THIS
from seqsep.report.card.picture import draw_card
from seqsep.report.figures.picture_file import plain_svg
from seqsep.report.formatting import listed
from seqsep.report.page.templates import environment, source


def card_page(cards: Sequence[Card], company: Sequence[Card] = ()) -> str:
    """Return the page as text. The same cards give the same page."""
    template = environment().get_template("card_page.html")
    return template.render(css=Markup(source("page.css")), **card_values(cards, company)).lstrip()  # our own file


def card_values(cards: Sequence[Card], company: Sequence[Card] = ()) -> dict[str, Any]:
    """Return the values of the templates card_page.html and card_parts.html."""
    pictures = [card for card in cards if card.climbs]
    return {
        "title": title_of(cards),
        "cards": [(card, paces_of(card), ladders_of(card), exponent(card)) for card in cards],
        "picture": _picture(pictures, company) if pictures else None,
        "peers": PEERS,
        "company": listed([one.label for one in company if one.label not in {card.label for card in cards}]),
    }


def _picture(cards: Sequence[Card], company: Sequence[Card]) -> Markup:
    """Return the picture of cards that were trained, in the colours of the page."""
    figure = draw_card(cards, company)
    return Markup(plain_svg(figure, title_of(cards), "Rungs passed on each ladder", "ladders", for_page=True))


def write_card_page(path: Path, cards: Sequence[Card], company: Sequence[Card] = ()) -> None:
    """Write the page to a file."""
    write_file(path, card_page(cards, company))


def title_of(cards: Sequence[Card]) -> str:
    """Return the layers of the cards, in words."""
    return ", ".join(card.label for card in cards)


def paces_of(card: Card) -> list[dict[str, Any]]:
    """Return a row for each length: tokens a second, kept bytes, and the ratios of the peers' seconds to this layer's."""
    rows = []
    of = {(pace.model, pace.length): pace for pace in card.paces}
    for length in sorted({pace.length for pace in card.paces if pace.model == THIS}):
        own = of[THIS, length]
        peers = [of.get((peer, length)) for peer in PEERS]
        rows.append(
            {
                "length": length,
                "tokens": own.tokens_per_second,
                "kept": own.kept_bytes / 2**20,
                "decoding": 1000 * own.decoding_seconds,
                "training ratios": [None if peer is None else peer.training_seconds / own.training_seconds for peer in peers],
                "decoding ratios": [None if peer is None else peer.decoding_seconds / own.decoding_seconds for peer in peers],
            }
        )
    return rows


def exponent(card: Card) -> float | None:
    """Return the power of N by which a training step grows between the two longest inputs, or None for fewer than two.

    1 is a time that grows with the length, 2 with its square.
    """
    own = sorted((pace.length, pace.training_seconds) for pace in card.paces if pace.model == THIS)
    if len(own) < 2:
        return None
    (shorter, before), (longer, after) = own[-2:]
    return math.log(after / before) / math.log(longer / shorter)


def ladders_of(card: Card) -> list[dict[str, Any]]:
    """Return a row for each ladder: its rungs with their accuracies, chance, and what the state allows."""
    limits = {limit.ladder: limit for limit in card.limits}
    rows = []
    for climb in card.climbs:
        limit = limits.get(climb.ladder)
        ceilings = limit.ceilings if limit is not None else (None,) * len(climb.rungs)
        rows.append({"climb": climb, "rungs": list(zip(climb.rungs, ceilings, strict=True)), "limit": limit})
    return rows

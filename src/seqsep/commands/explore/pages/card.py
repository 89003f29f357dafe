"""The page of a layer's card: one that comes with seqsep or one that a form sends, or two of them compared.

The picture and the tables are those of `seqsep card`.
"""

from dataclasses import replace
from pathlib import Path

from seqsep.commands.card import COMMITTED, committed_cards
from seqsep.commands.explore.uploads import Upload
from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.commands.shipped import shipped
from seqsep.core.names import BadInput, excerpt, text_of
from seqsep.lab.card.battery import STEPS
from seqsep.lab.card.card import Card
from seqsep.lab.card.comparison import drops, require_alike
from seqsep.report.card.page import card_values

MOST_CARD = 1 << 20
SENT = "your card"
UNUSABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError)
"""The errors of a picture of numbers that no card and no audit has."""


def shipped_cards() -> dict[str, Path]:
    """Return the cards that come with seqsep by their names, such as 2m/lstm."""
    folder = shipped(COMMITTED)
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.glob("**/*.json"))}


def content(visit: Visit) -> PageContent:
    """Return the page of a card, or of two that are compared."""
    upload = Upload(visit.body or b"", visit.kind)
    names = list(shipped_cards())
    card = visit.asked("card", names[0] if names else "")
    second = upload.text("second").strip() if visit.body is not None else visit.asked("second")
    values: dict[str, object] = {"found": None, "differences": []}
    error = ""
    try:
        cards = _cards(upload if visit.body is not None else None, card, second)
        if cards:
            values = {"found": card_values(cards, _company(cards)), "differences": differences(cards)}
    except UNUSABLE as wrong:
        error = reason(wrong, f"{SENT}: expected numbers of a card that can be drawn")
    values |= {"names": names, "card": card, "second": second, "sent": visit.body is not None, "budgets": STEPS}
    command = "seqsep card LAYER --budget 2m" if not second else "seqsep card --compare FIRST.json SECOND.json"
    return PageContent("Card of a layer", "card.html", values, error=error, command=command)


def reason(error: BaseException, expected: str) -> str:
    """Return the message of a wrong input, or what was expected if the error is one of drawing.

    >>> reason(KeyError("x"), "your card: expected numbers of a card that can be drawn")
    "your card: expected numbers of a card that can be drawn, found others (KeyError: 'x')"
    """
    if isinstance(error, BadInput):
        return text_of(error)
    return f"{expected}, found others ({type(error).__name__}: {text_of(error)[:100]})"


def _cards(upload: Upload | None, first: str, second: str) -> list[Card]:
    """Return the cards of the forms. Raises BadInput for a name that is not in the list, and for a file that is not a card."""
    cards = []
    if upload is not None:
        cards = [_sent(upload.require("file", "a card"))]
        if upload.fields.get("other", b"").strip():
            cards.append(_sent(upload.fields["other"]))
    elif first:
        cards = [_shipped(first)]
    if second and len(cards) == 1:
        cards.append(_shipped(second))
    require_alike(cards[:2])
    return _distinct(cards)


def _sent(data: bytes) -> Card:
    if len(data) > MOST_CARD:
        raise BadInput(f"{SENT}: expected at most 1 MiB, found more")
    return Card.of_text(data.decode("utf-8", "replace"), SENT)


def _shipped(name: str) -> Card:
    paths = shipped_cards()
    if name not in paths:
        raise BadInput(f"card: expected one of the cards of the list, found {excerpt(repr(name))}")
    return Card.read(paths[name])


def _distinct(cards: list[Card]) -> list[Card]:
    """Return the cards; those of one layer get their seeds, or first and second, in their labels."""
    if len({card.label for card in cards}) == len(cards):
        return cards
    by_seed = len({card.seed for card in cards}) == len(cards)
    words = [f"seed {card.seed}" for card in cards] if by_seed else ["first", "second"]
    return [replace(card, label=f"{card.label}, {word}") for card, word in zip(cards, words, strict=True)]


def _company(cards: list[Card]) -> list[Card]:
    """Return the cards of other layers, which the picture has in grey."""
    return [one for one in committed_cards(cards[0].budget) if not any(card.layers == one.layers for card in cards)]


def differences(cards: list[Card]) -> list[tuple[str, list[str]]]:
    """Return for each of two cards the ladders on which it is worse than the other by more than seeds explain."""
    if len(cards) < 2:
        return []
    return [
        (f"{card.label}, compared with {other.label}", drops(card, other))
        for card, other in (cards, reversed(cards))
        if drops(card, other)
    ]

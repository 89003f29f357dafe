"""Two cards compared: which abilities have dropped, and how alike two cards order layers."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from seqsep.core.names import BadInput
from seqsep.lab.card.card import Card

NOISE = 1
"""Rungs by which the score of a ladder differs between seeds of one layer; a greater drop counts."""


def require_alike(cards: Sequence[Card]) -> None:
    """Raise BadInput unless the cards have one battery and one budget, so that they can be drawn together."""
    for card in cards[1:]:
        if (card.battery, card.budget) != (cards[0].battery, cards[0].budget):
            raise BadInput(
                f"{card.label}: expected a card of battery {cards[0].battery} with --budget {cards[0].budget}, as that of "
                f"{cards[0].label}, found battery {card.battery} with {card.budget}"
            )


def drops(card: Card, baseline: Card) -> list[str]:
    """Return a line for each ladder on which the card is worse than the baseline by more than the noise.

    A ladder that only the baseline has counts as one without a passed rung.
    """
    require_alike([baseline, card])
    found = []
    for climb in baseline.climbs:
        now = card.scores.get(climb.ladder, 0)
        if now < climb.score - NOISE:
            found.append(f"{climb.ladder}: {now} of {len(climb.rungs)} rungs, {climb.score} in the baseline")
    return found


def kendall_tau(one: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """Return Kendall's tau-b between two scores of the same layers, or None if one of them orders nothing.

    >>> kendall_tau({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 3, "c": 2})
    0.3333333333333333
    """
    signs = [
        ((one[a] > one[b]) - (one[a] < one[b]), (other[a] > other[b]) - (other[a] < other[b]))
        for a, b in combinations(sorted(one.keys() & other.keys()), 2)
    ]
    ordered_by_one = sum(first != 0 for first, _ in signs)
    ordered_by_other = sum(second != 0 for _, second in signs)
    if not ordered_by_one or not ordered_by_other:
        return None
    return float(sum(first * second for first, second in signs) / (ordered_by_one * ordered_by_other) ** 0.5)

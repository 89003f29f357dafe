"""Cards compared: abilities that have dropped, scores under other seeds, and how alike two budgets order layers."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from seqsep.core.names import BadInput
from seqsep.lab.card.card import Card

NOISE = 1
"""Rungs by which the score of a ladder may differ between seeds of one layer; a greater drop counts."""
NOISE_OF = {"words of S_3": 5}
"""The same for ladders that differ more. At some seeds a model finds the rule and passes all rungs, at others it does not.

Measured at budget 2m with the cards in results/cards/2m and its folder `seeds`; a test compares both numbers with them.
"""


def require_alike(cards: Sequence[Card]) -> None:
    """Raise BadInput unless the cards have one battery and one budget, so that they can be drawn together."""
    for card in cards[1:]:
        if (card.battery, card.budget) != (cards[0].battery, cards[0].budget):
            raise BadInput(
                f"{card.label}: expected a card of battery {cards[0].battery} with --budget {cards[0].budget}, as that of "
                f"{cards[0].label}, found battery {card.battery} with {card.budget}"
            )


def noise_of(ladder: str) -> int:
    """Return the rungs by which the score of a ladder may differ between seeds.

    >>> noise_of("parity"), noise_of("words of S_3")
    (1, 5)
    """
    return NOISE_OF.get(ladder, NOISE)


def drops(card: Card, baseline: Card) -> list[str]:
    """Return a line for each ladder on which the card is worse than the baseline by more than the noise.

    A ladder that only the baseline has counts as one without a passed rung.
    """
    require_alike([baseline, card])
    found = []
    for climb in baseline.climbs:
        now = card.scores.get(climb.ladder, 0)
        if now < climb.score - noise_of(climb.ladder):
            found.append(f"{climb.ladder}: {now} of {len(climb.rungs)} rungs, {climb.score} in the baseline")
    return found


def spreads(cards: Sequence[Card]) -> dict[str, dict[str, int]]:
    """Return for each ladder and layer the greatest score minus the least, over the cards of the layer.

    The cards of a layer differ in their seeds only. A layer with one card has no spread, and is left out.
    """
    require_alike(cards)
    scores: dict[str, dict[str, list[int]]] = {}
    for card in cards:
        for ladder, score in card.scores.items():
            scores.setdefault(ladder, {}).setdefault(card.label, []).append(score)
    found = {
        ladder: {label: max(of_layer) - min(of_layer) for label, of_layer in layers.items() if len(of_layer) > 1}
        for ladder, layers in scores.items()
    }
    return {ladder: layers for ladder, layers in found.items() if layers}


def order_by_ladder(cards: Sequence[Card], others: Sequence[Card]) -> dict[str, tuple[int, float | None]]:
    """Return for each ladder the number of layers with cards of both budgets, and tau of the two orders of these layers.

    `cards` have one budget, and `others` another one. Tau is None if a budget gives all of these layers the same score.
    """
    found = {}
    for ladder in dict.fromkeys(name for card in cards for name in card.scores):
        one, other = (
            {card.label: card.scores[ladder] for card in of_budget if ladder in card.scores} for of_budget in (cards, others)
        )
        both = one.keys() & other.keys()
        if len(both) > 1:
            found[ladder] = (len(both), kendall_tau(one, other))
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

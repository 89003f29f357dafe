"""docs/reference/cards.md and docs/reference/cards/: the committed cards of the built-in mixers, with a picture of each."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from pages._markdown import table
from seqsep.commands.card import COMMITTED
from seqsep.commands.shipped import shipped
from seqsep.lab.card.battery import BATTERY, FAMILIES, PASSED, STEPS
from seqsep.lab.card.card import Card, cards_in
from seqsep.lab.card.comparison import NOISE, NOISE_OF, order_by_ladder, spreads
from seqsep.report.card.picture import TITLES, draw_card
from seqsep.report.figures.picture_file import plain_svg
from seqsep.report.formatting import listed

FOLDER = "docs/reference/cards"
SEEDS = "seeds"
"""The folder, below that of a budget, of cards under other seeds."""
PARTS = "parts"
"""The folder, below that of a budget, of cards with some ladders only."""
TAU = 0.7
"""An order of layers with a smaller tau is called unsure."""
HEAD = f"""# Cards of the built-in mixers

This page shows how far built-in mixers get on twelve kinds of tasks, all trained by one recipe.
[The guide](../how-to/layer-card.md) says how to read a card and how to make that of your own layer.

A *ladder* is one task at rising difficulty, and each difficulty is a *rung*. A rung is passed if at least {PASSED:.0%} of the
answers are right. A cell has the highest difficulty up to which all rungs are passed, or a dash if the first is not. If a
layer has cards of several seeds, its cell has the lowest and the highest, or one number if they are equal; otherwise it is of
seed 0. A low cell or a dash does not show that the layer cannot learn the task: there were few steps.

Induction and the ladders of state tracking train on inputs of at most 20 tokens, so their rungs above 20 are inputs longer than
any in training. S_3 and S_5 are the groups of permutations of three and five things: the answer to a word is the product of its
letters.

"""
SPEED = """These cards do not have speeds, because the machine did other work during training. `seqsep card MIXER --only speed`
measures them on your machine.

"""
ORDERS = f"""A larger budget may order layers in another way. Kendall's tau is 1 if both budgets give the same order, 0 for
unrelated orders, and -1 for opposite ones. An order with tau below {TAU} is unsure: do not choose a layer by that ladder at the
smaller budget. Ladders that are not in the table were not trained at both budgets.

"""


def committed_places() -> Iterator[tuple[str, str]]:
    """Yield budget and mixer of each committed card."""
    for path in sorted(shipped(COMMITTED).glob("*/*.json")):
        yield path.parent.name, path.stem


def picture_path(budget: str, mixer: str) -> str:
    """Return the path of a card's picture in the clone."""
    return f"{FOLDER}/{budget}-{mixer}.svg"


def card_picture(budget: str, mixer: str, folder: Path) -> str:
    """Return the picture of a card of `folder`, which has a folder for each budget, with the other cards in grey."""
    cards = cards_in(folder / budget)
    card = Card.read(folder / budget / f"{mixer}.json")
    return plain_svg(draw_card([card], cards), f"Card of {card.label}", in_words(card), f"card-{budget}-{mixer}")


def cards_page(folder: Path) -> str:
    """Return docs/reference/cards.md as text, from a folder with a folder for each budget."""
    found = _by_budget(folder)
    tables = "".join(_budget(budget, cards, cards_in(folder / budget / SEEDS)) for budget, cards in found)
    pictures = "\n".join(_pictures(budget, cards) for budget, cards in found)
    return f"{HEAD}{SPEED}{tables}{_seeds(folder)}{_orders(folder)}{pictures}"


def in_words(card: Card) -> str:
    """Return the ladders on which a card passes all rungs, and those on which it passes at most the first."""
    all_rungs = [climb.ladder for climb in card.climbs if climb.score == len(climb.rungs)]
    few_rungs = [climb.ladder for climb in card.climbs if climb.score <= 1]
    passed = f"all rungs of {listed(all_rungs)}" if all_rungs else "no ladder to its last rung"
    few = f"at most the first rung of {listed(few_rungs)}" if few_rungs else "at least two rungs of each ladder"
    return f"With seed {card.seed}, the layer passes {passed}, and {few}."


def _by_budget(folder: Path) -> list[tuple[str, list[Card]]]:
    """Return the budgets that have cards, each with its cards."""
    return [(budget, cards) for budget in STEPS if (cards := cards_in(folder / budget))]


def _budget(budget: str, cards: Sequence[Card], further: Sequence[Card]) -> str:
    """Return the section of a budget: a table for each family, a row for each layer. `further` are cards of other seeds."""
    text = f"## Budget `{budget}`: {STEPS[budget]:,} steps\n\n"
    for family in FAMILIES:
        ladders = [ladder for ladder in BATTERY if ladder.family == family]
        head = [TITLES[family], *(f"{ladder.name} ({ladder.unit} up to {ladder.rungs[-1][0]})" for ladder in ladders)]
        rows = []
        for card in cards:
            of_layer = [card, *(other for other in further if other.label == card.label)]
            rows.append([f"`{card.label}`", *(_reached(of_layer, ladder.name) for ladder in ladders)])
        text += f"{table([head, *rows])}\n"
    return text


def _reached(cards: Sequence[Card], ladder: str) -> str:
    """Return the last rung that a layer passes on a ladder, or the lowest and the highest over its cards."""
    reached = sorted(climb.reached or 0 for card in cards for climb in card.climbs if climb.ladder == ladder)
    ends = dict.fromkeys("–" if value == 0 else str(value) for value in (reached[0], reached[-1]))
    return " to ".join(ends)


def _seeds(folder: Path) -> str:
    """Return the section on other seeds, or nothing without cards of them."""
    text = ""
    for budget, cards in _by_budget(folder):
        further = cards_in(folder / budget / SEEDS)
        labels = {card.label for card in further}
        of_layers = [card for card in cards if card.label in labels] + further
        by_ladder = spreads(of_layers)
        differences = [one for layers in by_ladder.values() for one in layers.values()]
        if not differences:
            continue
        text += (
            f"At budget `{budget}`, {listed([f'`{label}`' for label in sorted(labels)])} had "
            f"{len({card.seed for card in of_layers})} seeds. The score of a ladder is the number of rungs passed. It is the "
            f"same under all seeds on {differences.count(0)} of {len(differences)} ladders. The table has the greatest score "
            "minus the least.\n\n"
        )
        rows = [[ladder, *(str(layers.get(label, "–")) for label in sorted(labels))] for ladder, layers in by_ladder.items()]
        text += f"{table([['ladder', *(f'`{label}`' for label in sorted(labels))], *rows])}\n"
    more = "".join(f", and on {ladder} only a drop of more than {rungs}" for ladder, rungs in NOISE_OF.items())
    said = f"`seqsep card --check` compares with these differences: it reports a drop of more than {NOISE} rung{more}."
    return f"## Other seeds\n\n{text}{said}\n\n" if text else ""


def _orders(folder: Path) -> str:
    """Return the section on the order of layers at two budgets, or nothing without cards of both."""
    of = {budget: cards_in(folder / budget) + cards_in(folder / budget / PARTS) for budget in STEPS}
    known = [budget for budget in STEPS if of[budget]]
    text = ""
    for budget, longer in pairwise(known):
        orders = order_by_ladder(of[budget], of[longer])
        rows = [[ladder, str(layers), _tau(tau)] for ladder, (layers, tau) in orders.items()]
        if rows:
            text += f"Budgets {budget} and {longer}:\n\n{table([['ladder', 'layers', 'tau'], *rows])}\n"
    return f"## Order at two budgets\n\n{ORDERS}{text}" if text else ""


def _tau(tau: float | None) -> str:
    if tau is None:
        return "all layers alike at one budget"
    return f"{tau:.2f}{'' if tau >= TAU else ' (unsure)'}"


def _pictures(budget: str, cards: Sequence[Card]) -> str:
    """Return the section with the pictures of a budget's cards."""
    parts = [
        f"### {card.label}, budget `{budget}`\n\n{in_words(card)}\n\n"
        f"![Card of {card.label}: rungs passed on each ladder](cards/{budget}-{card.label}.svg)\n\n"
        for card in cards
    ]
    return f"## Pictures, budget `{budget}`\n\n{''.join(parts)}".rstrip("\n") + "\n"

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

You need this page if you choose a sequence layer: it shows how far built-in mixers get on twelve kinds of tasks, all trained by
one recipe. [The guide](../how-to/layer-card.md) says how to read a card and how to make that of your own layer.

A rung is passed if at least {PASSED:.0%} of the answers are right. A cell has the last rung passed from the first one without a
gap; a dash means that the first rung was not passed. This does not show that a layer cannot learn a task: there was one seed,
and few steps.

"""
SPEED = """The cards have no speed, since the machine that trained them did other work. `seqsep card MIXER --only speed`
measures it on your machine.

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
    tables = "".join(_budget(budget, cards) for budget, cards in found)
    pictures = "\n".join(_pictures(budget, cards) for budget, cards in found)
    return f"{HEAD}{SPEED}{tables}{_seeds(folder)}{_orders(folder)}{pictures}"


def in_words(card: Card) -> str:
    """Return the ladders on which a card passes all rungs, and those on which it passes at most the first."""
    all_rungs = [climb.ladder for climb in card.climbs if climb.score == len(climb.rungs)]
    few_rungs = [climb.ladder for climb in card.climbs if climb.score <= 1]
    passed = f"All rungs: {listed(all_rungs)}." if all_rungs else "No ladder is passed to its last rung."
    return f"{passed} At most the first rung: {listed(few_rungs) if few_rungs else 'none'}."


def _by_budget(folder: Path) -> list[tuple[str, list[Card]]]:
    """Return the budgets that have cards, each with its cards."""
    return [(budget, cards) for budget in STEPS if (cards := cards_in(folder / budget))]


def _budget(budget: str, cards: Sequence[Card]) -> str:
    """Return the section of a budget: a table for each family, a row for each layer."""
    text = f"## Budget {budget}: {STEPS[budget]:,} steps\n\n"
    for family in FAMILIES:
        ladders = [ladder for ladder in BATTERY if ladder.family == family]
        head = [TITLES[family], *(f"{ladder.name} ({ladder.unit}, to {ladder.rungs[-1][0]})" for ladder in ladders)]
        rows = [[f"`{card.label}`", *(_reached(card, ladder.name) for ladder in ladders)] for card in cards]
        text += f"{table([head, *rows])}\n"
    return text


def _reached(card: Card, ladder: str) -> str:
    """Return the last rung that a card passes on a ladder."""
    [climb] = [climb for climb in card.climbs if climb.ladder == ladder]
    return "–" if climb.reached is None else str(climb.reached)


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
            f"At budget {budget}, {listed([f'`{label}`' for label in sorted(labels)])} had "
            f"{len({card.seed for card in of_layers})} seeds, with {len(differences)} ladders in all. The scores of "
            f"{differences.count(0)} ladders are equal under all seeds. The table has the differences in rungs.\n\n"
        )
        rows = [[ladder, *(str(layers.get(label, "–")) for label in sorted(labels))] for ladder, layers in by_ladder.items()]
        text += f"{table([['greatest score minus least', *(f'`{label}`' for label in sorted(labels))], *rows])}\n"
    more = "".join(f", and of more than {rungs} for {ladder}" for ladder, rungs in NOISE_OF.items())
    return f"## Other seeds\n\n{text}`seqsep card --check` reports a drop of more than {NOISE} rung{more}.\n\n" if text else ""


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
        f"### {card.label}, budget {budget}\n\n{in_words(card)}\n\n"
        f"![Card of {card.label}: rungs passed on each ladder](cards/{budget}-{card.label}.svg)\n\n"
        for card in cards
    ]
    return f"## Pictures, budget {budget}\n\n{''.join(parts)}".rstrip("\n") + "\n"

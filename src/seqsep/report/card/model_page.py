"""The page of a published model's card: HTML that loads nothing from elsewhere and needs no script."""

from pathlib import Path

from markupsafe import Markup

from seqsep.core.files import write_file
from seqsep.core.names import BadInput
from seqsep.language_models.capacity.text import meaning, proved, sizes
from seqsep.language_models.card import ModelCard
from seqsep.report.page.capacity_chart import capacity_chart
from seqsep.report.page.templates import environment, source


def model_card_page(card: ModelCard, length: int | None = None) -> str:
    """Return the page as text; `length` is a number of tokens about which the limits are told."""
    found = card.capacity
    template = environment().get_template("model_card_page.html")
    return template.render(
        css=Markup(source("page.css")),  # our own file
        card=card,
        layers=found.records(),
        sizes=sizes(found),
        meaning=meaning(found),
        proved=[line.strip() for line in proved(found, length)],
        chart=_chart(card),
    ).lstrip()


def write_model_card_page(path: Path, card: ModelCard, length: int | None = None) -> None:
    """Write the page to a file."""
    write_file(path, model_card_page(card, length))


def _chart(card: ModelCard) -> Markup | None:
    """Return the chart of bytes over length, or None for a model that keeps nothing."""
    try:
        return Markup(capacity_chart([card.capacity]))
    except BadInput:
        return None

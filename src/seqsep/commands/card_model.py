"""The card of a published model: `seqsep card` with a folder, a config.json or a GGUF file."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from seqsep.commands.status import DONE, REFUTED
from seqsep.core.names import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seqsep.language_models.card import ModelCard

ENDINGS = (".json", ".gguf")


def names_a_model(text: str) -> bool:
    """Return True if a name means a published model: a folder, or a file with the ending of a configuration.

    >>> [names_a_model(text) for text in ("mamba", "config.json", "layer.py:Layer")]
    [False, True, False]
    """
    return text.lower().endswith(ENDINGS) or Path(text).is_dir()


def run_model_cards(names: "Sequence[str]", folder: Path) -> int:
    """Write the page of each model into a folder. Raises BadInput for a file that cannot be read."""
    from seqsep.commands.outputs import file_name
    from seqsep.language_models.card import model_card
    from seqsep.report.card.model_page import write_model_card_page

    failed = False
    for name in names:
        if not names_a_model(name):
            raise BadInput(f"card: {name}: expected models only, or layers only, found both")
        card = model_card(Path(name), say=lambda part, name=name: print(f"{name}: {part}", file=sys.stderr, flush=True))  # type: ignore[misc]
        page = folder / f"{file_name(name)}.html"
        write_model_card_page(page, card)
        print("\n".join(model_lines(card)))
        print(f"Open {page} in a browser.")
        failed = failed or any(law.holds is False for law in card.laws)
    return REFUTED if failed else DONE


def model_lines(card: "ModelCard") -> list[str]:
    """Return a model's card in a few lines for a terminal."""
    lines = [card.capacity.title()]
    if card.laws:
        tried = [law for law in card.laws if law.holds is not None]
        lines.append(f"  laws: {sum(bool(law.holds) for law in tried)} of {len(tried)} hold, on {card.tested}")
        lines += [f"  FAILS  {law.law}: {law.where}" for law in card.laws if law.holds is False]
    lines += [f"  {line.strip()}" for line in card.one_layer]
    if card.audit is not None:
        carried = f"{card.audit.carries_at_least_bits:,.1f} of {card.audit.stored_bits:,} bits"
        lines.append(f"  carries at least {carried} on phonebooks, {card.audit.accuracy:.1%} of the answers right")
    return [*lines, *(f"  no {part}: {why}" for part, why in card.left_out.items())]

"""`seqsep card`: what a layer can hold, follow, recall and learn, on one page."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seqsep.commands.card_model import names_a_model, run_model_cards
from seqsep.commands.command import TRAINING, Command, flags
from seqsep.commands.kept import KeptRuns, saying_what_is_kept
from seqsep.commands.outputs import file_name, require_folder
from seqsep.commands.shared_flags import seconds, weights_folder, whole_number
from seqsep.commands.shipped import shipped
from seqsep.commands.status import DONE, REFUTED
from seqsep.commands.sweeping import STALL_SECONDS, ExecutionFlags, add_engine_flags, engine_of
from seqsep.core.files import write_file
from seqsep.core.names import BadInput

if TYPE_CHECKING:
    from seqsep.lab.card.card import Card
    from seqsep.lab.card.make import Wanted
    from seqsep.lab.card.subject import Subject
    from seqsep.lab.run import Run
    from seqsep.lab.store.store import Store

NAME = "card"
BUDGETS = ("2m", "10m", "1h")
COMMITTED = "results/cards"
SPEED = "speed"


@dataclass(frozen=True)
class CardFlags:
    """The flags of a card: the layers, the budget, the parts, and the files."""

    layers: list[str]
    budget: str
    only: str | None
    seed: int
    output: Path
    store: Path
    compare: list[Path] | None
    check: Path | None
    stall_seconds: float


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which layers, how much training, which parts, and where the page goes."""
    parser.add_argument(
        "layers",
        nargs="*",
        metavar="LAYERS",
        help="a mixer, your own layer as FILE.py:CLASS, or a stack such as mamba,attention; several are drawn side by side. Or "
        "a published model: its folder, config.json or .gguf file",
    )
    parser.add_argument(
        "--budget",
        choices=BUDGETS,
        default="10m",
        help="steps of a training run: 300, 1,500 or 9,000. The name is about the time of a cheap layer on two cores; by "
        "default 10m",
    )
    parser.add_argument(
        "--only",
        metavar="PART,..",
        help="only these parts: speed, a family of ladders (recall, state, structure, search), or a ladder such as parity",
    )
    parser.add_argument("--seed", type=whole_number, default=0, help="random seed of all runs; by default 0")
    parser.add_argument("-o", "--output", type=Path, default=Path("card"), help="folder of the files; by default card")
    parser.add_argument(
        "--store", type=Path, default=Path("runs/cards.sqlite"), help="file of finished runs; by default runs/cards.sqlite"
    )
    parser.add_argument(
        "--compare", type=Path, nargs="+", metavar="CARD.json", help="train nothing: draw cards that were written before"
    )
    parser.add_argument(
        "--check",
        type=Path,
        metavar="CARD.json",
        help="compare with an earlier card of the same budget; exit with 1 if a ladder drops by more than seeds explain",
    )
    parser.add_argument(
        "--stall-seconds",
        type=seconds,
        default=STALL_SECONDS,
        metavar="S",
        help=f"fail a part that makes no progress for S seconds; by default {STALL_SECONDS:g}",
    )
    add_engine_flags(parser)


def run(options: argparse.Namespace) -> int:
    """Make the cards and write them; or draw earlier ones. Raises BadInput for layers, parts or files that are not usable."""
    from seqsep.lab.card.card import Card
    from seqsep.lab.card.comparison import drops, require_alike

    asked = flags(CardFlags, vars(options))
    if (asked.compare is None) == (not asked.layers):
        found = "neither" if asked.compare is None else "both"
        raise BadInput(f"card: expected layers such as mamba, or --compare with earlier cards, found {found}")
    require_folder(asked.output)
    if any(map(names_a_model, asked.layers)):
        return run_model_cards(asked.layers, asked.output)
    if asked.compare is not None:
        cards = [Card.read(path) for path in asked.compare]
        require_alike(cards)
        print(f"{write_cards(asked.output, cards, company=[], name='compared')}")
        return DONE
    baseline = None if asked.check is None else Card.read(asked.check)
    cards = make_cards(asked, flags(ExecutionFlags, vars(options)))
    page = write_cards(asked.output, cards, committed_cards(asked.budget), "_".join(file_name(card.label) for card in cards))
    for card in cards:
        print("\n".join(lines_of(card)))
    print(f"Open {page} in a browser; the picture and the numbers are beside it.")
    dropped = [] if baseline is None else drops(cards[0], baseline)
    for line in dropped:
        print(f"dropped  {line}")
    is_broken = any(law.holds is False for card in cards for law in card.laws)
    return REFUTED if dropped or is_broken else DONE


def make_cards(asked: CardFlags, execution: ExecutionFlags) -> "list[Card]":
    """Make the card of each subject, its runs kept in the store."""
    from seqsep.lab.card.battery import BATTERY, ladders_of
    from seqsep.lab.card.make import Wanted
    from seqsep.lab.card.subject import Subject
    from seqsep.lab.store.place import require_place
    from seqsep.lab.store.store import Store

    parts = tuple(part.strip() for part in asked.only.split(",")) if asked.only is not None else ()
    try:
        ladders = ladders_of(tuple(part for part in parts if part != SPEED)) if parts != (SPEED,) else ()
        subjects = [Subject.parse(layers) for layers in asked.layers]
    except ValueError as error:
        raise BadInput(str(error)) from None
    wanted = Wanted(
        ladders=BATTERY if not parts else ladders,
        budget=asked.budget,  # type: ignore[arg-type]
        seed=asked.seed,
        has_speed=not parts or SPEED in parts,
        stall_seconds=asked.stall_seconds,
    )
    require_place(asked.store)
    with Store(asked.store) as store, saying_what_is_kept(KeptRuns(store, NAME)):
        return [_CardMaker(store, execution, wanted).card(subject) for subject in subjects]


class _CardMaker:
    """Makes cards whose runs are kept in one store."""

    def __init__(self, store: "Store", execution: ExecutionFlags, wanted: "Wanted") -> None:
        self.store = store
        self.execution = execution
        self.wanted = wanted

    def card(self, subject: "Subject") -> "Card":
        """Return the card of a subject; the engine trains meanwhile."""
        from seqsep.lab.card.make import make_card, with_carried_bits
        from seqsep.lab.progress import display
        from seqsep.lab.sweep import Sweep

        with Sweep(self.store, NAME, engine_of(self.execution), show=display) as sweep:
            card = make_card(
                subject,
                self.wanted,
                train=sweep.train,
                environment=sweep.environment,
                say=lambda part: print(f"{subject.label}: {part}", file=sys.stderr, flush=True),
            )
        return with_carried_bits(card, subject, self._keep)

    def _keep(self, run: "Run") -> Path | None:
        """Return the file of a run's model. The run is trained again if the store has it without its model."""
        from seqsep.lab.engines.local import Supervisor
        from seqsep.lab.sweep import Sweep

        weights = weights_folder(self.store.path)
        engine = Supervisor(1, self.execution.stall_seconds, self.execution.device)
        with Sweep(self.store, NAME, engine, weights=weights) as sweep:
            sweep.train([run])
        path = weights / f"{run.key()}.safetensors"
        return path if path.exists() else None


def committed_cards(budget: str) -> "list[Card]":
    """Return the cards of the built-in mixers that come with seqsep, of one budget."""
    from seqsep.lab.card.card import cards_in

    return cards_in(shipped(COMMITTED) / budget)


def write_cards(folder: Path, cards: "Sequence[Card]", company: "Sequence[Card]", name: str) -> Path:
    """Write each card as JSON, and the page and the picture of all of them as `name`; return the page."""
    from seqsep.report.card.page import write_card_page
    from seqsep.report.card.picture import draw_card
    from seqsep.report.figures.sheet import write_figure

    for card in cards:
        write_file(folder / f"{file_name(card.label)}.json", card.text())
    climbed = [card for card in cards if card.climbs]
    if climbed:
        write_figure(draw_card(climbed, company), folder, name)
    page = folder / f"{name}.html"
    write_card_page(page, cards, company)
    return page


def lines_of(card: "Card") -> list[str]:
    """Return a card in a few lines for a terminal."""
    lines = [f"{card.label}, budget {card.budget}"]
    lines += [f"  FAILS  {law.law}: {law.where}" for law in card.laws if law.holds is False]
    if card.size is not None:
        lines.append(f"  state: {card.size.fixed:,} numbers, and {card.size.per_token:,} more for each token read")
    lines += [f"  transition of {one.mixer}: {one.words()}" for one in card.transitions]
    for climb in card.climbs:
        reached = "none" if climb.reached is None else f"up to {climb.unit} = {climb.reached}"
        lines.append(f"  {climb.ladder:<20} {climb.score} of {len(climb.rungs)} rungs, {reached}")
    if card.carried is not None:
        lines.append(f"  carries at least {card.carried.at_least:,.1f} of {card.carried.stored:,} bits on index lookup")
    return [*lines, *(f"  {part}: {why}" for part, why in card.failures.items())]


COMMAND = Command(
    name=NAME,
    purpose="measure what a layer can hold, follow, recall and learn, and write it on one page",
    example="seqsep card lstm --budget 2m --only parity",
    group=TRAINING,
    add_flags=add_flags,
    run=run,
    details=(
        "A card has the laws of your own layer, its size, its speed beside three peers, what its state proves impossible, and "
        "how far it gets up twelve ladders of tasks. The recipe is the same for all layers. Ctrl-C keeps the finished runs; "
        "the same command continues from there."
    ),
)

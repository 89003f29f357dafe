"""The record of a layer's card: what was measured, where and with which battery; it is written and read as JSON."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from seqsep.core.files import read_text
from seqsep.core.names import BadInput
from seqsep.core.records import restored
from seqsep.lab.card.battery import VERSION, Budget
from seqsep.lab.card.climb import Climb
from seqsep.lab.card.limits import StateLimit
from seqsep.lab.card.size import StateSize
from seqsep.lab.card.speed import StepTimes
from seqsep.lab.card.transition import Transition

EXPECTED = "expected a card that `seqsep card` wrote"


@dataclass(frozen=True)
class LawVerdict:
    """The verdict on a law: holds, fails with its place, or None if it was not tried."""

    law: str
    holds: bool | None
    where: str = ""


@dataclass(frozen=True)
class Carried:
    """Bits of state on index lookup, in the model of the highest rung that was passed.

    Fields:
        length: N of the rung.
        stored: bits of the state after N symbols.
        needed: bits that an always right model needs.
        at_least: bits that the model carries, as its accuracy proves.
    """

    length: int
    stored: int
    needed: int
    at_least: float


@dataclass(frozen=True)
class Card:
    """A layer's card.

    Fields:
        label: the layers in a few words.
        layers: the layers, with the digest of a user's file.
        budget: budget of the battery: 2m, 10m or 1h.
        battery: version of the battery.
        seed: seed of all training runs.
        environment: processor, device and versions.
        seconds: wall seconds that the card took, without what was kept of an earlier call.
        laws: a verdict for each law of each of the user's layers; empty for mixers of seqsep, whose laws its tests try.
        size: parameters and state, or None.
        transitions: the transition of each different layer.
        paces: steps at each length, of this layer and its peers.
        limits: what the bits of the state allow on each ladder.
        climbs: how far up each ladder the layer got.
        carried: bits of state on index lookup, or None.
        failures: parts that failed, with the reason.
    """

    label: str
    layers: tuple[str, ...]
    budget: Budget
    battery: int = VERSION
    seed: int = 0
    environment: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    laws: tuple[LawVerdict, ...] = ()
    size: StateSize | None = None
    transitions: tuple[Transition, ...] = ()
    paces: tuple[StepTimes, ...] = ()
    limits: tuple[StateLimit, ...] = ()
    climbs: tuple[Climb, ...] = ()
    carried: Carried | None = None
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def scores(self) -> dict[str, int]:
        """The score of each ladder that was climbed."""
        return {climb.ladder: climb.score for climb in self.climbs}

    @property
    def family_scores(self) -> dict[str, float]:
        """The share of rungs passed in each family that was climbed."""
        passed: dict[str, list[float]] = {}
        for climb in self.climbs:
            passed.setdefault(climb.family, []).append(climb.score / len(climb.rungs))
        return {family: sum(shares) / len(shares) for family, shares in passed.items()}

    def text(self) -> str:
        """Return the card as JSON.

        >>> card = Card("mamba", ("mamba",), budget="2m")
        >>> Card.of_text(card.text(), "card.json") == card
        True
        """
        return json.dumps(asdict(self), indent=1, allow_nan=False) + "\n"

    @classmethod
    def of_text(cls, text: str, where: str) -> "Card":
        """Return the card of a JSON text. Raises BadInput, which begins with `where`, for another text."""
        try:
            given = json.loads(text)
            if given["battery"] != VERSION:
                raise BadInput(f"{where}: expected a card of battery {VERSION}, found battery {given['battery']}")
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(f"{where}: {EXPECTED}: {' '.join(str(error).split())[:120]}") from None
        card: Card = restored(cls, given, f"{where}: {EXPECTED}: card")
        return card

    @classmethod
    def read(cls, path: Path) -> "Card":
        """Return the card of a file. Raises BadInput for a file that is no card, and OSError if it cannot be read."""
        return cls.of_text(read_text(path), str(path))


def cards_in(folder: Path) -> list[Card]:
    """Return the cards of a folder by their names; none for a folder that does not exist. Raises as `Card.read` does."""
    return [Card.read(path) for path in sorted(folder.glob("*.json"))]

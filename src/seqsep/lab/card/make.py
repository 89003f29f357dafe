"""The parts of a card, one after another: laws, size, transition, limits, speed, battery, and bits carried.

A layer that breaks a law gets a card with its laws, size and transition, and no battery: its accuracy would mean nothing.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from seqsep.lab.card.battery import BY_NAME, HEADS, RATES, WIDTH, Budget, Ladder
from seqsep.lab.card.card import Card, Carried, LawVerdict
from seqsep.lab.card.climb import Train, climb
from seqsep.lab.card.limits import limits_of
from seqsep.lab.card.probe import paces_of, probe, size_of, transitions_of
from seqsep.lab.card.subject import Subject
from seqsep.lab.engines.engine import Ended, Judged
from seqsep.lab.engines.job import Check
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.kept import load
from seqsep.lab.run import Run

LOOKUP = "index lookup"
QUESTIONS = 5000
Say = Callable[[str], None]


@dataclass(frozen=True)
class Wanted:
    """The parts that a card is to have, and how it is made.

    Fields:
        ladders: the ladders to climb.
        budget: the budget of their runs.
        seed: seed of all runs.
        has_speed: measure steps, which takes about half a minute.
        stall_seconds: longest time that a part of a user's layer may take without progress.
    """

    ladders: tuple[Ladder, ...]
    budget: Budget
    seed: int = 0
    has_speed: bool = True
    stall_seconds: float = 600.0


def make_card(
    subject: Subject,
    wanted: Wanted,
    *,
    train: Train,
    environment: Mapping[str, Any],
    say: Say,
) -> Card:
    """Return the card of a subject, without the bits that it carries. `train` trains runs; `say` is called with what begins."""
    began = time.monotonic()
    card = Card(
        subject.label,
        tuple(map(str, subject.layers)),
        wanted.budget,
        seed=wanted.seed,
        environment=dict(environment),
    )
    if subject.own:
        say("laws")
        card = replace(card, laws=tuple(_laws(subject, wanted.stall_seconds)))
    card = _with_probes(card, subject, wanted, say)
    if wanted.ladders and all(law.holds for law in card.laws):
        say(f"battery: {len(wanted.ladders)} ladders")
        climbs = climb(subject.layers, wanted.ladders, budget=wanted.budget, train=train, seed=wanted.seed)
        card = replace(card, climbs=tuple(climbs))
        card = replace(card, failures=card.failures | {one.ladder: one.failure for one in climbs if one.failure})
    return replace(card, seconds=round(time.monotonic() - began, 1))


def _laws(subject: Subject, stall_seconds: float) -> list[LawVerdict]:
    """Return the verdict of each law on each of the user's layers."""
    found = []
    several = len(subject.own) > 1
    for layer in subject.own:
        of = f"{layer.class_name}: " if several else ""
        with Supervisor(1, stall_seconds) as supervisor:
            for event in supervisor.run([Check(layer, {"width": WIDTH // 8, "heads": HEADS // 2})]):
                if isinstance(event, Judged):
                    found.append(LawVerdict(of + event.law, event.holds, event.where))
                elif isinstance(event, Ended) and "status" in event.result:
                    found.append(LawVerdict(f"{of}runs to the end", False, event.result["status"].removeprefix("failed: ")))
    return found


def _with_probes(card: Card, subject: Subject, wanted: Wanted, say: Say) -> Card:
    """Return the card with what is measured without training."""
    say("size and transition")
    size = probe(size_of, subject, stall_seconds=wanted.stall_seconds)
    transitions = probe(transitions_of, subject, stall_seconds=wanted.stall_seconds)
    failures = {"size": size.failure, "transition": transitions.failure}
    card = replace(card, size=size.value, transitions=tuple(transitions.value or ()))
    if size.value is not None:
        card = replace(card, limits=tuple(limits_of(wanted.ladders, size.value)))
    if wanted.has_speed:
        say("speed")
        paces = probe(paces_of, subject, stall_seconds=wanted.stall_seconds)
        failures["speed"] = paces.failure
        card = replace(card, paces=tuple(paces.value or ()))
    return replace(card, failures={part: why for part, why in failures.items() if why})


def with_carried_bits(card: Card, subject: Subject, keep: Callable[[Run], Path | None]) -> Card:
    """Return the card with the bits of state on index lookup at the highest rung that was passed, if one was.

    `keep` returns the file of a run's trained model, or None if there is none.
    """
    from seqsep.lab.audit.answer import audit  # it loads theorems, which no worker needs

    lookup = next((one for one in card.climbs if one.ladder == LOOKUP and one.score), None)
    if lookup is None:
        return card
    rung = lookup.score - 1
    runs = [BY_NAME[LOOKUP].run(subject.layers, rung, rate, budget=card.budget, seed=card.seed) for rate in RATES]
    path = keep(next(run for run in runs if run.key() == lookup.rungs[rung].key))
    if path is None:
        return card
    model, run = load(path, [layer.path for layer in subject.own if layer.path])
    found = audit(model, run.task, questions=QUESTIONS)
    carried = Carried(
        length=run.task.length,
        stored=found.stored_bits,
        needed=run.task.answer_bits() or 0,
        at_least=round(found.carries_at_least_bits, 1),
    )
    return replace(card, carried=carried)

"""Why the contenders of `reach` stay below 99 % at its shortest length: a part of docs/reproduction.md from their audits."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from pages._markdown import table
from seqsep.audit import falls
from seqsep.lab.run import Run
from seqsep.report.numerals import DASH, listed, percent
from seqsep.report.sized_model import SizedModel

SURE = 0.95
"""A place is answered, or held, from this share of the inputs on."""
ALIKE = 0.05
"""Shares that differ by no more are called the same."""
LITTLE = 0.25
"""A state holds little of a place whose symbol is found in it less often."""

Named = Mapping[str, Mapping[str, Any]]
"""Lines of results/audit/reach-places.jsonl by the name of their model."""


def places_part(folder: Path) -> str:
    """What each of them answers and what its state holds, by place; empty without lines."""
    named = named_lines(folder)
    if not named:
        return ""
    first = next(iter(named.values()))
    head = ["", "accuracy, %", "answers places", "others", "holds places", "others"]
    rows = [[name, percent(line["accuracy"]), *map(_entry, cells(line))] for name, line in named.items()]
    return (
        f"\nWhy, for those of one layer below 99 % at N = {len(first['right'])}: the best run of each was trained once more "
        f"and asked for every place of {first['prefixes']:,} inputs that no training saw (`python -m seqsep.audit`). A place "
        f"is answered if the model is right there in at least {percent(SURE)} % of them, and held if so often a linear reader, "
        "fitted to states of other inputs, finds its symbol in the state; another reader may find more. Others: the mean over "
        "the other places, in percent. "
        f"{reading(named)}\n\n{table([head, *rows])}"
    )


def named_lines(folder: Path) -> Named:
    """The lines by name, those with learned positions first."""
    found = {}
    for line in falls.rows(folder):
        model = SizedModel.of(Run.from_configuration(line["run"]))
        found[model] = line
    ranked = sorted(found, key=lambda model: (model.positions != "learned", model.rank))
    return {f"{model.title} with {model.position_words}": found[model] for model in ranked}


def cells(line: Mapping[str, Any]) -> list[tuple[list[int], float | None]]:
    """The places that are answered, from 1, and the mean share over the others, if there are any; the same of those held."""
    found = []
    for name in ("right", "in_state"):
        sure = [place for place, share in enumerate(line[name], 1) if share >= SURE]
        others = [share for share in line[name] if share < SURE]
        found.append((sure, mean(others) if others else None))
    return found


def _entry(cell: tuple[list[int], float | None]) -> str:
    places, others = cell
    return f"{ranges(places)} | {DASH if others is None else percent(others)}"


def ranges(places: Sequence[int]) -> str:
    """Rising numbers in words.

    >>> ranges([1, 2, 3, 20]), ranges([]), ranges([4])
    ('1–3 and 20', 'none', '4')
    """
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return listed([f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]) or "none"


def reading(named: Named) -> str:
    """Whose state holds what it does not answer with, and of whom a linear reader finds no more than is answered."""
    kept: list[str] = []
    ends: list[str] = []
    more: list[str] = []
    same: list[str] = []
    for name, line in named.items():
        (answered, _), (held, others) = cells(line)
        places = len(line["right"])
        if others is None:
            kept.append(name)
        elif {1, places} <= set(held) and others < LITTLE:
            ends.append(name)
        elif _beyond(line) > ALIKE:
            more.append(name)
        elif not answered:
            same.append(name)
    sentences = []
    if kept:
        sentences.append(f"{_who(kept)} every place: what is missed there is missed by what reads it.")
    if ends:
        middle = f"of the other places less than {percent(LITTLE)} % on average"
        sentences.append(f"{_who(ends)} the beginning and the end of an input, and {middle}.")
    if more:
        least, most = (pick(_beyond(named[name]) for name in more) for pick in (min, max))
        by = percent(least) if len(more) == 1 else f"{percent(least)} to {percent(most)}"
        sentences.append(f"{_who(more)} more than is answered, by {by} points on average.")
    if same:
        within = f"on average over places, within {percent(ALIKE)} points"
        sentences.append(f"Of {listed(same)} a linear reader finds no more than is answered {within}.")
    return " ".join(sentences)


def _beyond(line: Mapping[str, Any]) -> float:
    return mean(line["in_state"]) - mean(line["right"])


def _who(names: Sequence[str]) -> str:
    return f"The states of {listed(list(names))} hold" if len(names) > 1 else f"The state of {names[0]} holds"

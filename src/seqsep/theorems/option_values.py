"""What values the options of theorems take: a range for each number, and the words that a choice is made from.

It is the one source: `require_in_range` refuses by it before anything is built, and `python -m pages` writes it into
members.json, from which help and completion read. An option is of one of a theorem's functions (`FUNCTIONS`), since
a certificate may need a longer input than a check. What depends on other options, such as heads that divide a width,
or on being even, is refused by the theorem itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar, get_args

from seqsep.core.names import excerpt
from seqsep.maths.arithmetic.grid import Rounding, Softmax
from seqsep.maths.codes.codes import CODES
from seqsep.theorems.base import LEAST_FRACTION, MOST, Number, Theorem, shown_briefly
from seqsep.theorems.bounded_dyck.state import VARIANTS as STATE_VARIANTS
from seqsep.theorems.protocols.one_layer_protocol import QUESTIONS as PROTOCOL_QUESTIONS
from seqsep.theorems.protocols.one_layer_protocol import VARIANTS as PROTOCOL_VARIANTS
from seqsep.theorems.protocols.small_models import RECURRENT
from seqsep.theorems.retrieval.attention_blocks import PRINTED_SCORES
from seqsep.theorems.turing_machine import shipped

Kept = TypeVar("Kept")
FUNCTIONS: Mapping[str, str] = {
    "check": "check",
    "apply": "applier",
    "certify": "evidence",
    "build": "build",
    "export-network": "build",
    "bound": "bound",
}
"""Which function of a theorem a call takes the options of."""


@dataclass(frozen=True)
class Range:
    """The values from `least` to `most`, both included unless `is_open`: then `most` is excluded. No end if it is None.

    >>> str(Range(2, 65536)), str(Range(0)), str(Range(LEAST_FRACTION, Fraction(1, 2), is_open=True))
    ('2 to 65,536', 'from 0', 'from 2^-30, below 1/2')
    """

    least: int | Fraction
    most: int | Fraction | None = None
    is_open: bool = False

    def has(self, value: Number | Fraction) -> bool:
        """Whether the value lies in it.

        >>> Range(1, 2).has(2), Range(1, 2).has(0)
        (True, False)
        """
        if self.most is None:
            return self.least <= value
        return self.least <= value < self.most if self.is_open else self.least <= value <= self.most

    def __str__(self) -> str:
        least = _shown(self.least)
        if self.most is None:
            return f"from {least}"
        return f"from {least}, below {_shown(self.most)}" if self.is_open else f"{least} to {_shown(self.most)}"


def _shown(value: int | Fraction) -> str:
    if value == LEAST_FRACTION:
        return "2^-30"
    if value == SEEDS:
        return "2^63 - 1"
    return f"{value:,}" if isinstance(value, int) else str(value)


SEEDS = (1 << 63) - 1
LEAST: Mapping[str, int] = {
    "alphabet": 1,
    "back": 0,
    "cells": 1,
    "circuits": 0,
    "classes": 1,
    "depth": 1,
    "dimension": 1,
    "embedding": 1,
    "eta": 0,
    "exponent": 1,
    "gram": 2,
    "graphs": 0,
    "heads": 1,
    "inputs": 0,
    "keys": 1,
    "kinds": 1,
    "layers": 1,
    "length": 1,
    "machines": 0,
    "most": 1,
    "positions": 1,
    "precision": 1,
    "sequences": 1,
    "steps": 0,
    "thought": 0,
    "width": 1,
    "words": 0,
}
"""The least value of each size, where `OWN` has no other; 0 of what is drawn leaves what is not drawn."""
COMMON: Mapping[str, Range] = {name: Range(least, MOST.get(name)) for name, least in LEAST.items()} | {
    "coherence": Range(LEAST_FRACTION, Fraction(1), is_open=True),
    "error": Range(LEAST_FRACTION, Fraction(1, 2), is_open=True),
    "gamma": Range(LEAST_FRACTION, Fraction(1)),
    "seed": Range(0, SEEDS),
}
"""The range of each option that is a number, where `OWN` has no other."""


def _from(least: int, name: str = "length") -> dict[str, Range]:
    """From another least value to the greatest that the option has everywhere."""
    return {name: Range(least, MOST.get(name))}


GRID_STEPS = _from(2, "steps")
INT64_STATE = {name: Range(1, 1 << 15) for name in ("length", "alphabet")}
"""Sizes whose squares in steps of the grid fit an int64, in which the ranges of a recurrent state are measured."""
ROUNDED_STATE = {"precision": Range(1, 32)}
OWN: Mapping[tuple[str, str], Mapping[str, Range]] = {
    ("index-lookup-attention", "build"): GRID_STEPS,
    ("counting-hybrid", ""): INT64_STATE,
    ("linear-attention-state", ""): _from(2, "alphabet") | {"precision": Range(32, 64)},
    ("index-lookup-state", ""): ROUNDED_STATE,
    ("associative-recall-state", ""): ROUNDED_STATE,
    ("retrieval-by-pattern", "evidence"): _from(2) | _from(2, "alphabet"),
    ("near-orthogonal-vectors", ""): {"length": Range(1, 1 << 12)},
    ("log-space-code", ""): {"length": Range(2, 1 << 12)},
    ("counting-state", ""): _from(2) | ROUNDED_STATE,
    ("retrieval-one-layer", ""): _from(3),
    ("retrieval-one-layer", "evidence"): _from(2) | _from(3, "alphabet"),
    ("composition-one-layer", ""): _from(2),
    ("composition-one-layer", "evidence"): {"length": Range(2, 3)},
    ("induction-one-layer", ""): _from(2) | _from(3, "alphabet"),
    ("recall-state", ""): _from(2) | ROUNDED_STATE,
    ("recall-oracle-state", ""): {"length": Range(2, 1 << 8)} | ROUNDED_STATE,
    ("recall-oracle-state", "bound"): {"length": Range(2, 64)},
    ("equality-two-layers", ""): _from(2),
    ("equality-two-layers", "build"): GRID_STEPS,
    ("relabelled-equality-two-layers", ""): _from(2),
    ("relabelled-equality-two-layers", "build"): GRID_STEPS,
    ("equality-state", ""): _from(2) | _from(2, "alphabet"),
    ("equality-one-layer", ""): _from(2),
    ("two-layer-no-short-protocol", ""): {"length": Range(2, 8)},
    ("two-layer-no-short-protocol", "evidence"): {"length": Range(2, 20)},
    ("two-layer-total-size", ""): {"length": Range(4, 1 << 11)},
    ("sparse-threshold-two-layers", "applier"): _from(2),
    ("sparse-threshold-two-layers", "build"): GRID_STEPS,
    ("disjointness-one-layer", ""): _from(2),
    ("disjointness-one-layer", "check"): {"length": Range(2, 16)},
    ("disjointness-one-layer", "build"): _from(2, "width"),
    ("nearest-neighbor-two-layers", ""): _from(2),
    ("nearest-neighbor-two-layers", "build"): GRID_STEPS,
    ("nearest-neighbor-state", ""): _from(2) | ROUNDED_STATE,
    ("bounded-dyck-attention", "build"): GRID_STEPS,
    ("bounded-dyck-state", "check"): _from(2),
    ("bounded-dyck-one-layer", ""): _from(2) | _from(4, "precision"),
    ("bounded-dyck-monoid", ""): {"members": Range(1, 5)},
    ("is-tree-state", ""): _from(2) | ROUNDED_STATE,
    ("is-tree-state", "evidence"): {"length": Range(2, 5)},
    ("is-tree-peeling", "check"): _from(2),
    ("is-tree-peeling", "evidence"): _from(1, "graphs"),
    ("is-tree-tour", "check"): _from(2),
    ("is-tree-tour", "evidence"): _from(2) | _from(1, "graphs"),
    ("is-tree-one-layer", "check"): _from(2),
    ("is-tree-one-layer", "evidence"): _from(2) | _from(1, "graphs"),
    ("is-tree-hybrid", "check"): _from(2),
    ("is-tree-hybrid", "evidence"): _from(1, "graphs"),
    ("is-tree-walk", "check"): _from(2),
    ("is-tree-walk", "evidence"): _from(4) | _from(1, "graphs"),
    ("turing-machine-hybrid", ""): _from(0),
    ("turing-machine-hybrid", "evidence"): _from(1) | {"steps": Range(1, 1 << 12)},
    ("turing-machine-retrieval", ""): _from(0),
    ("turing-machine-retrieval", "evidence"): _from(1) | {"steps": Range(1, 1 << 12)},
    ("turing-machine-recurrent", ""): _from(0) | _from(1, "machines"),
    ("turing-machine-recurrent", "evidence"): _from(1) | {"steps": Range(1, 1 << 12)},
    ("circuits-attention", ""): _from(1, "steps"),
}
"""What a theorem, or one of its functions, has in place of `COMMON`."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "ask": ("word", "next"),
    "block": tuple(PRINTED_SCORES),
    "code": tuple(code.name for code in CODES),
    "instance": ("disjointness", "majority", "equality"),
    "machine": tuple(shipped()),
    "mixer": RECURRENT,
    "question": ("index", "recall", "counting"),
    "rounding": get_args(Rounding),
    "softmax": get_args(Softmax),
    "task": ("recall", "counting"),
    "variant": ("repaired", "printed"),
}
"""The words that an option takes, where `OWN_CHOICES` has no others."""
REPLACED_BY: Mapping[str, tuple[str, ...]] = {"text": ("length", "alphabet", "tightness", "seed")}
"""Options in whose place another one stands: a text has its own length and symbols."""
FILES_TOO = ("machine", "mixer")
"""Options that may name a file in the place of one of their words."""
OWN_CHOICES: Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]] = {
    ("sparse-threshold-two-layers", "check"): {"instance": (*CHOICES["instance"], "cnf", "dnf", "tables")},
    ("bounded-dyck-attention", ""): {"variant": ("one-layer", "two-layer-valid", "two-layer", "three-layer")},
    ("bounded-dyck-state", ""): {"variant": STATE_VARIANTS},
    ("one-layer-protocol", ""): {"variant": PROTOCOL_VARIANTS, "question": PROTOCOL_QUESTIONS},
}


def range_of(theorem: str, function: str, option: str) -> Range | None:
    """The values that an option of a theorem's function may have; None for an option that is no number.

    >>> str(range_of("is-tree-walk", "check", "length")), str(range_of("is-tree-walk", "evidence", "length"))
    ('2 to 65,536', '4 to 65,536')
    """
    return next((own[option] for own in _own(OWN, theorem, function) if option in own), COMMON.get(option))


def choices_of(theorem: str, function: str, option: str) -> tuple[str, ...]:
    """The words that an option of a theorem's function may be; none for an option that is no choice.

    >>> choices_of("bounded-dyck-attention", "check", "ask"), choices_of("bounded-dyck-attention", "check", "length")
    (('word', 'next'), ())
    """
    return next((own[option] for own in _own(OWN_CHOICES, theorem, function) if option in own), CHOICES.get(option, ()))


def _own(table: Mapping[tuple[str, str], Mapping[str, Kept]], theorem: str, function: str) -> list[Mapping[str, Kept]]:
    """What the function has, then what the theorem has."""
    return [table.get((theorem, function), {}), table.get((theorem, ""), {})]


def require_in_range(theorem: Theorem, call: str, options: Mapping[str, Any]) -> None:
    """Raise ValueError for an option out of its range or choices, before anything is built; `call` is one of `FUNCTIONS`.

    >>> from seqsep.theorems import BY_NAME
    >>> require_in_range(BY_NAME["equality-state"], "check", {"length": 0})
    Traceback (most recent call last):
    ValueError: check equality-state: length is 2 to 65,536, found 0
    """
    theorem.require_sizes(call, options)
    for name, replaced in REPLACED_BY.items():
        both = [other for other in replaced if options.get(name) is not None and options.get(other) not in (None, False)]
        if both:
            raise ValueError(f"{call} {theorem.name}: expected {name} or {both[0]}, found both: {name} stands in its place")
    for name, value in options.items():
        where = f"{call} {theorem.name}: {name.replace('_', '-')}"
        choices = choices_of(theorem.name, FUNCTIONS[call], name)
        if choices and name not in FILES_TOO and isinstance(value, str) and value not in choices:
            raise ValueError(f"{where} is one of {', '.join(choices)}, found {excerpt(repr(value))}")
        allowed = range_of(theorem.name, FUNCTIONS[call], name)
        if allowed is None or value is None:
            continue
        kind = int if isinstance(allowed.least, int) else int | float | Fraction
        if not isinstance(value, kind) or isinstance(value, bool):
            wanted = "a whole number" if kind is int else "a number"
            raise ValueError(f"{where} is {wanted}, {allowed}, found {excerpt(repr(value))}")
        if not allowed.has(value):
            raise ValueError(f"{where} is {allowed}, found {shown_briefly(value) if isinstance(value, int) else value}")

"""The range of every option of every theorem: what is shown is what is accepted, and what is beyond is refused in one line."""

import dataclasses
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
import pytest

import seqsep
from seqsep.commands.theorem_options import described
from seqsep.core.options import (
    LEAST_FRACTION,
    FieldsOf,
    InPlaceOf,
    OneOf,
    Option,
    Range,
    Read,
    options_of,
    require_in_range,
)
from seqsep.maths.formulas import disjointness, majority
from seqsep.theorems import BY_NAME
from seqsep.theorems.base import Claim, Theorem
from seqsep.theorems.circuits._circuit import PARITY, parsed
from seqsep.theorems.options import Error, GridSteps, Length
from seqsep.theorems.turing_machine import machine_of
from support.command_line import call

CALLS = ("check", "apply", "certify", "build", "bound")
RANGED = [
    (name, command, option.name)
    for name, theorem in BY_NAME.items()
    for command in CALLS
    for option in theorem.options_of(command)
    if option.range is not None
]


def option_of(name, command, option):
    return next(one for one in BY_NAME[name].options_of(command) if one.name == option)


def just_beyond(allowed):
    """Values next to the range on the outside; one step is 2^-31 where the ends are fractions."""
    step = 1 if isinstance(allowed.least, int) else Fraction(1, 1 << 31)
    above = [] if allowed.most is None else [allowed.most if allowed.below else allowed.most + step]
    return [allowed.least - step, *above]


@pytest.mark.parametrize(("name", "command", "option"), RANGED)
def test_the_ends_are_accepted_and_nothing_beyond(name, command, option):
    options = {one.name: one for one in BY_NAME[name].options_of(command)}
    allowed = options[option].range
    assert not allowed.below or not allowed.has(allowed.most)
    where = f"{command} {name}"
    for value in (allowed.least, *([] if allowed.most is None or allowed.below else [allowed.most])):
        require_in_range(where, options, {option: value})
    for value in just_beyond(allowed):
        with pytest.raises(ValueError, match=f"^{command} {name}: {option.replace('_', '-')} is ") as refused:
            require_in_range(where, options, {option: value})
        assert "\n" not in str(refused.value)
        assert "found " in str(refused.value)


FIRST = list({(name, command): (name, command, option) for name, command, option in reversed(RANGED)}.values())


@pytest.mark.unchecked
@pytest.mark.parametrize(("name", "command", "option"), [one for one in FIRST if one[1] in ("check", "apply", "certify")])
def test_the_help_shows_the_range_that_is_refused_by(name, command, option, capsys):
    """One below the least on the command line and in Python: the same line, and it has the range of the help."""
    found = option_of(name, command, option)
    assert str(found.range) in " ".join(described(found).split())
    low = just_beyond(found.range)[0]
    others = {one.name for one in BY_NAME[name].options_of(command)} - {option}
    needed = ["--length", "8"] if command == "apply" and "length" in others else []
    if command == "apply" and "machine" in BY_NAME[name].predictor_options:
        needed += ["--machine", "palindromes"]
    needed += ["-o", "none.json"] if command == "certify" else []
    status, out, error = call(capsys, command, name, f"--{option}={low}", *needed)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert error.startswith(f"seqsep {command}: {name}: {option} is ")
    assert f"{option} is {found.range}, found {low}" in error


GIVEN = {
    **{"length": 8, "cells": 8, "most": 4, "alphabet": 4, "gram": 2, "steps": 4},
    **{"block": "copy", "question": "recall", "left": (1, 3, 5, 7), "task": "recall"},
    **{"machine": machine_of("palindromes"), "circuit": parsed(PARITY), "formula": disjointness(8)},
}
BESIDE = {
    ("relabelled-equality-two-layers", "length"): {"left": (1,)},
    ("sparse-threshold-two-layers", "heads"): {"formula": majority(8)},
    ("turing-machine-recurrent", "cells"): {"length": 1},
    ("circuits-attention", "steps"): {"length": 1},
    ("dihedral-reflections", "degree"): {"group": "cyclic"},
    ("solvable-phases", "degree"): {"group": "cyclic"},
    ("reflections-per-token", "degree"): {"group": "cyclic"},
}
"""The options that must be small next to an option at its least."""


def of_a_grid(option):
    """Return True for the option L of a grid, which must hold all entries of the network."""
    return option.meaning == GridSteps.__metadata__[-1]


DEFINED = [one for one in RANGED if one[1] in ("build", "bound") and not of_a_grid(option_of(*one))]


@pytest.mark.parametrize(("name", "command", "option"), DEFINED)
def test_networks_and_formulas_at_the_least(name, command, option):
    """The other options are small; L of a grid is left out."""
    required = {one.name for one in BY_NAME[name].options_of(command) if one.is_required} - {option}
    least = option_of(name, command, option).range.least
    known = {one.name for one in BY_NAME[name].options_of(command)}
    beside = {one: value for one, value in BESIDE.get((name, option), {}).items() if one in known}
    given = {one: GIVEN[one] for one in required} | beside | {option: least}
    assert getattr(seqsep, command)(name, **given)


@pytest.mark.unchecked
def test_arrays_of_numpy_are_numbers_and_lists():
    assert seqsep.bound("index-lookup-state", length=np.array(9)) == seqsep.bound("index-lookup-state", length=9)
    certificate = seqsep.certify("index-lookup-state", length=np.int64(2), alphabet=np.array(2))
    assert certificate == seqsep.certify("index-lookup-state", length=2, alphabet=2)
    with pytest.raises(ValueError, match="certify index-lookup-state: length is 1 to 65,536, found 0"):
        seqsep.certify("index-lookup-state", length=np.int64(0))
    with pytest.raises(ValueError, match=r"certify\('index-lookup-state', width=...\): options are length, alphabet"):
        seqsep.certify("index-lookup-state", width=2)
    network = seqsep.build("relabelled-equality-two-layers", length=np.array(4), left=np.array([1, 3]))
    assert repr(network) == repr(seqsep.build("relabelled-equality-two-layers", length=4, left=[1, 3]))


@pytest.mark.unchecked
def test_what_is_no_number_is_refused():
    for wrong in ("8", 2.5, [8], np.array([8, 9])):
        with pytest.raises(ValueError, match=r"check index-lookup-state: length is a whole number, 1 to 65,536, found "):
            seqsep.check("index-lookup-state", length=wrong)
    with pytest.raises(ValueError, match=r"gamma is a number, 2\^-30 to 1, found 'x'"):
        seqsep.check("nearest-neighbor-two-layers", gamma="x")
    with pytest.raises(ValueError, match=r"gamma is a finite number, 2\^-30 to 1, found nan"):
        seqsep.check("nearest-neighbor-two-layers", gamma=float("nan"))


def test_ranges_in_words():
    shown = [str(Range(1)), str(Range(0, 4096)), str(Error.__metadata__[0])]
    assert shown == ["from 1", "0 to 4,096", "from 2^-30 and below 1/2"]
    assert option_of("bounded-dyck-state", "check", "variant").choices == ("automaton", "relu", "sigmoid")


def test_the_last_annotation_counts_and_the_text_stays():
    def check(
        length: Annotated[Length, Range(3, 5)] = 4,
        code: Annotated[str, OneOf("a", "b"), "A code."] | None = None,
        read: Annotated[list, Read(list), InPlaceOf("length"), "Letters."] | None = None,
        share: Fraction | float = 1.0,
    ):
        return length, code, read, share

    length, code, read, share = options_of(check)
    assert (length.range, length.kind, length.default) == (Range(3, 5), int, 4)
    assert length.meaning.startswith("N, ")
    assert (code.choices, code.kind, code.default, code.range) == (("a", "b"), str, None, None)
    assert (read.reads, read.in_place_of) == (list, ("length",))
    assert share.kind is Fraction


def test_two_options_of_which_one_replaces_the_other():
    options = {"text": Option("text", str, None, in_place_of=("length",)), "length": Option("length", int, 8)}
    require_in_range("check parity", options, {"text": None, "length": 8})
    require_in_range("check parity", options, {"text": "a.txt"})
    with pytest.raises(ValueError, match="check parity: expected text or length, found both"):
        require_in_range("check parity", options, {"text": "a.txt", "length": 8})


def test_a_theorem_of_ones_own_has_options_ranges_and_refusals():
    def check(length: Annotated[Length, Range(LEAST_FRACTION.numerator, 9)] = 4, seed: int = 0):
        return []

    theorem = Theorem(Claim("parity", "own", "One bit is enough"), check)
    assert theorem.options == ("length", "seed")
    assert theorem.call("check", {"length": np.int64(9)}) == []
    with pytest.raises(ValueError, match="check parity: length is 1 to 9, found 10"):
        theorem.call("check", {"length": 10})
    with pytest.raises(ValueError, match=r"check\('parity', width=...\): options are length, seed"):
        theorem.call("check", {"width": 1})


def test_the_fields_of_a_record_are_options_of_a_function():
    @dataclasses.dataclass
    class Model:
        width: Annotated[int, Range(1, 8), "Number of coordinates."] = 4
        name: str | None = None

    def check(length: Annotated[int, Range(2, 16)], **model: Annotated[Any, FieldsOf(Model)]) -> None: ...

    length, width, name = options_of(check)
    assert (length.name, length.is_required, width.range, width.default) == ("length", True, Range(1, 8), 4)
    assert (width.meaning, name.kind, name.default) == ("Number of coordinates.", str, None)

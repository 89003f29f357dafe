"""The range of every option of every theorem: what is shown is what is accepted, and what is beyond is refused in one line."""

from fractions import Fraction
from inspect import Parameter, signature, unwrap

import numpy as np
import pytest

import seqsep
from seqsep.commands.theorem_options import explained
from seqsep.maths.formulas import disjointness, majority
from seqsep.theorems import BY_NAME
from seqsep.theorems.circuits._circuit import PARITY, parsed
from seqsep.theorems.option_values import (
    COMMON,
    FUNCTIONS,
    GRID_STEPS,
    OWN,
    OWN_CHOICES,
    Range,
    choices_of,
    range_of,
    require_in_range,
)
from seqsep.theorems.turing_machine import machine_of
from support.command_line import call

CALLS = ("check", "apply", "certify", "build", "bound")
RANGED = [
    (name, command, option)
    for name, theorem in BY_NAME.items()
    for command in CALLS
    if getattr(theorem, FUNCTIONS[command]) is not None
    for option, parameter in signature(unwrap(getattr(theorem, FUNCTIONS[command]))).parameters.items()
    if parameter.annotation is not bool and range_of(name, FUNCTIONS[command], option) is not None
]


def just_beyond(allowed):
    """Values next to the range on the outside; one step is 2^-31 where the ends are fractions."""
    step = 1 if isinstance(allowed.least, int) else Fraction(1, 1 << 31)
    above = [] if allowed.most is None else [allowed.most if allowed.is_open else allowed.most + step]
    return [allowed.least - step, *above]


@pytest.mark.parametrize(("name", "command", "option"), RANGED)
def test_the_ends_are_accepted_and_nothing_beyond(name, command, option):
    theorem = BY_NAME[name]
    allowed = range_of(name, FUNCTIONS[command], option)
    assert not allowed.is_open or not allowed.has(allowed.most)
    for value in (allowed.least, *([] if allowed.most is None or allowed.is_open else [allowed.most])):
        require_in_range(theorem, command, {option: value})
    for value in just_beyond(allowed):
        with pytest.raises(ValueError, match=f"^{command} {name}: {option.replace('_', '-')} is ") as refused:
            require_in_range(theorem, command, {option: value})
        assert "\n" not in str(refused.value)
        assert "found " in str(refused.value)


FIRST = list({(name, command): (name, command, option) for name, command, option in reversed(RANGED)}.values())


@pytest.mark.unchecked
@pytest.mark.parametrize(("name", "command", "option"), [one for one in FIRST if one[1] in ("check", "apply", "certify")])
def test_the_help_shows_the_range_that_is_refused_by(name, command, option, capsys):
    """One below the least on the command line and in Python: the same line, and it has the range of the help."""
    allowed = range_of(name, FUNCTIONS[command], option)
    shown = next(one for one in explained(name, FUNCTIONS[command]).options if one.name == option)
    assert shown.range == str(allowed)
    low = just_beyond(allowed)[0]
    needed = ["--length", "8"] if command == "apply" and option != "length" else []
    if command == "apply" and "machine" in BY_NAME[name].applier_options:
        needed += ["--machine", "palindromes"]
    needed += ["-o", "none.json"] if command == "certify" else []
    status, out, error = call(capsys, command, name, f"--{option}={low}", *needed)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert error.startswith(f"seqsep {command}: {name}: {option} is ")
    if allowed.least != Fraction(1, 1 << 30):  # a fraction nearer to 0 is refused by `Theorem.require_sizes`
        assert f"{option} is {allowed}, found {low}" in error


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
}
"""What must be small beside an option at its least."""
DEFINED = [
    one for one in RANGED if one[1] in ("build", "bound") and (one[2] != "steps" or OWN.get((one[0], "build")) != GRID_STEPS)
]


@pytest.mark.parametrize(("name", "command", "option"), DEFINED)
def test_networks_and_formulas_at_the_least(name, command, option):
    """What is beside the option is small. `GRID_STEPS`, of a grid that must hold all entries, are left."""
    theorem = BY_NAME[name]
    function = theorem.constants if command == "bound" else theorem.build
    required = {one.name for one in signature(function).parameters.values() if one.default is Parameter.empty} - {option}
    least = range_of(name, FUNCTIONS[command], option).least
    beside = BESIDE.get((name, option), {}) if command == "build" else {}
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
    with pytest.raises(ValueError, match=r"gamma is 2\^-30 to 1, found nan"):
        seqsep.check("nearest-neighbor-two-layers", gamma=float("nan"))


def test_what_one_theorem_has_for_itself_differs():
    """No row of the tables repeats what every theorem has, or names an option or a function that there is not."""
    for (name, function), own in OWN.items():
        takes = [getattr(BY_NAME[name], one) for one in ([function] if function else FUNCTIONS.values())]
        parameters = {option for one in takes if one is not None for option in signature(unwrap(one)).parameters}
        assert own.keys() <= parameters, name
        above = OWN.get((name, ""), {}) if function else {}
        for option, allowed in own.items():
            assert allowed != above.get(option, COMMON.get(option)), (name, function, option)
    for name, function in OWN_CHOICES:
        assert function in ("", "check", "applier")
        assert name in BY_NAME


def test_ranges_in_words():
    assert [str(Range(1)), str(Range(0, 4096)), str(COMMON["error"])] == ["from 1", "0 to 4,096", "from 2^-30, below 1/2"]
    assert choices_of("bounded-dyck-state", "check", "variant") == ("automaton", "relu", "sigmoid")

"""`--help` of a theorem: every option with its type, default and meaning, read without importing torch."""

import re
import subprocess
import sys
from functools import partial
from inspect import signature, unwrap
from typing import get_args

import pytest

from seqsep.commands.theorem_options import COMMON, TYPES, Explained, _files, _shown, explained
from seqsep.theorems import BY_NAME, bound
from seqsep.theorems.option_values import choices_of, range_of
from support.command_line import call

FUNCTIONS = ("check", "applier", "bound", "evidence")
"""Of a theorem; what the bound is called with is `constants`, which has the defaults of check."""
EVERY = [(name, function) for name in BY_NAME for function in FUNCTIONS if getattr(BY_NAME[name], function) is not None]


def called_as(name, function):
    return getattr(BY_NAME[name], "constants" if function == "bound" else function)


def test_the_files_name_every_theorem():
    assert set(_files()) == set(BY_NAME)


@pytest.mark.parametrize(("name", "function"), EVERY)
def test_what_is_read_is_what_is_called(name, function):
    """Options, defaults and their order as in the signature; each has a meaning, from the docstring or the common one."""
    called = signature(unwrap(called_as(name, function)))
    found = explained(name, function)
    assert isinstance(found, Explained)
    assert [option.name for option in found.options] == list(called.parameters)
    for option, parameter in zip(found.options, called.parameters.values(), strict=True):
        if parameter.default is parameter.empty:
            assert option.default == "required"
        elif parameter.default is None:
            assert option.default == "optional"
        elif parameter.default is False:
            assert option.default == ""
        else:
            assert option.default == f"by default {parameter.default}"
        assert (option.kind == "switch") == (parameter.annotation is bool)
        assert option.meaning, f"{name}: {function}({option.name}) is not explained"
        assert "Raises" not in option.meaning
        allowed = None if parameter.annotation is bool else range_of(name, function, option.name)
        assert option.range == ("" if allowed is None else str(allowed))
        assert option.choices == choices_of(name, function, option.name)
        assert option.range or option.kind not in ("whole number", "number", TYPES["Fraction"])


CHOSEN = ("ask", "block", "code", "instance", "mixer", "question", "rounding", "softmax", "task", "variant")
WITH_CHOICES = [
    (name, function, option)
    for name, function in EVERY
    for option in explained(name, function).options
    if option.name in CHOSEN
]


@pytest.mark.unchecked  # an unknown word is given on purpose
@pytest.mark.parametrize(("name", "function", "option"), WITH_CHOICES)
def test_the_help_has_the_choices_of_an_option(name, function, option):
    """Those of its type, or those that the error for an unknown word names."""
    called = partial(bound, name) if function == "bound" else called_as(name, function)
    parameters = signature(unwrap(called_as(name, function))).parameters
    choices = get_args(parameters[option.name].annotation)
    if not all(isinstance(word, str) for word in choices) or not choices:
        sizes = {"length": 4} if "length" in parameters else {}
        with pytest.raises(ValueError, match=r"one of|floor or nearest, stepwise or once") as refused:
            called(**sizes, **{option.name: "nonsense"})
        named = re.search(rf"(?:{option.name} is|and) one of ([a-z0-9-]+(?:, [a-z0-9-]+\b(?! ))*)", str(refused.value))
        both = {"rounding": ["floor", "nearest"], "softmax": ["stepwise", "once"]}
        choices = named.group(1).split(", ") if named else both[option.name]
    assert len(choices) > 1
    assert set(choices) == set(choices_of(name, function, option.name))
    shown = re.sub(r"-\s+", "-", _shown(option))
    for word in choices:
        assert re.search(rf"\b{word}\b", shown), (word, shown)


def test_a_theorem_without_the_function_has_none():
    for name, theorem in BY_NAME.items():
        for function in FUNCTIONS:
            assert (explained(name, function) is None) == (getattr(theorem, function) is None)


def test_common_meanings_are_all_used():
    used = {option.name for name, function in EVERY for option in explained(name, function).options}
    assert set(COMMON) <= used


def test_help_explains_the_options_of_one_theorem(capsys):
    with pytest.raises(SystemExit) as done:
        call(capsys, "check", "recall_attention", "--length", "9", "--help")
    assert done.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: seqsep check recall-attention [--json] [options]")
    assert "  --gram        whole number, 2 to 64, by default 2. c, from 2: a query has c - 1 tokens" in out
    with pytest.raises(SystemExit) as done:
        call(capsys, "bound", "bounded-dyck-attention", "--help")
    assert done.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: seqsep bound bounded-dyck-attention [--json] [options]")
    assert "  --length      whole number, 1 to 65,536, by default 32. N: how many tokens" in out
    status, _, error = call(capsys, "certify", "attention-blocks", "--help")
    assert status == 2
    assert error.startswith("seqsep certify: attention-blocks: expected one of ")
    status, _, error = call(capsys, "apply", "recal-attention", "-h")
    assert status == 2
    assert "did you mean recall-attention" in error


@pytest.mark.parametrize("function", ["check", "applier", "build", "bound", "evidence"])
def test_help_is_no_docstring_of_python(function):
    """What a function raises is refused on the command line by the ranges that help shows; no option is without a meaning."""
    for theorem in BY_NAME:
        found = explained(theorem, function)
        if found is not None:
            assert "Raises" not in found.words
            assert [option.name for option in found.options if not option.meaning] == []


def test_help_does_not_import_torch():
    script = """
import sys
from seqsep.commands.cli import main
try:
    main(["apply", "is-tree-walk", "--help"])
except SystemExit:
    print("torch" in sys.modules, "seqsep.theorems" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert done.stdout.splitlines()[-1] == "False False"
    assert '{"vertices": n\', "edges": [[u, v], ..]}' in done.stdout

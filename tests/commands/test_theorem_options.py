"""`--help` of a theorem: every option with its type, range, default and meaning."""

import inspect
import re

import pytest

from seqsep.commands.theorem_options import KINDS, described
from seqsep.theorems import BY_NAME
from support.command_line import call

COMMANDS = {"check": "check", "apply": "predictor", "bound": "constants", "certify": "certificate_witness"}
EVERY = [(name, command) for name in BY_NAME for command in COMMANDS if BY_NAME[name].options_of(command)]


@pytest.mark.parametrize(("name", "command"), EVERY)
def test_every_option_is_explained(name, command):
    for option in BY_NAME[name].options_of(command):
        assert option.meaning, f"{name}: {command}({option.name}) is not explained"
        assert option.kind in KINDS
        assert option.range or option.kind not in (int, float)
        line = " ".join(described(option).split())
        assert line.startswith(f"{option.flag} {KINDS[option.kind][0]}")
        if option.is_required:
            assert "required. " in line
        elif option.default not in (None, False):
            assert f"by default {option.default}. " in line


SIZES = {"length": 4, "alphabet": 2, "dimension": 2, "classes": 2, "kinds": 2, "depth": 2}
CHOSEN = ("ask", "block", "code", "instance", "mixer", "question", "rounding", "softmax", "task", "variant")
WITH_CHOICES = [
    (name, command, option.name)
    for name, command in EVERY
    for option in BY_NAME[name].options_of(command)
    if option.name in CHOSEN
]


@pytest.mark.unchecked  # an unknown word is given on purpose
@pytest.mark.parametrize(("name", "command", "option"), WITH_CHOICES)
def test_the_help_has_the_choices_of_an_option(name, command, option):
    """Those that the refusal of an unknown word names."""
    theorem = BY_NAME[name]
    options = {one.name: one for one in theorem.options_of(command)}
    choices = options[option].choices
    given = {one.name: SIZES[one.name] for one in options.values() if one.is_required} | {option: "nonsense"}
    assert len(choices) > 1
    with pytest.raises(ValueError, match=r"is one of") as refused:
        theorem.call(command, given)
    assert str(refused.value).split(" is one of ")[1].split(", found")[0].split(", ") == list(choices)
    shown = re.sub(r"-\s+", "-", described(options[option]))
    for word in choices:
        assert re.search(rf"\b{word}\b", shown), (word, shown)


def test_a_theorem_without_the_function_has_no_options():
    for theorem in BY_NAME.values():
        for command, function in COMMANDS.items():
            called = getattr(theorem, function)
            parameters = {} if called is None else inspect.signature(called).parameters
            assert bool(theorem.options_of(command)) == bool(parameters), (theorem.name, command)


def test_help_explains_the_options_of_one_theorem(capsys):
    with pytest.raises(SystemExit) as done:
        call(capsys, "check", "recall_attention", "--length", "9", "--help")
    assert done.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: seqsep check recall-attention [--json] [options]")
    assert "  --gram        whole number, 2 to 64, by default 2. c: a query has c - 1 tokens" in out
    with pytest.raises(SystemExit) as done:
        call(capsys, "bound", "bounded-dyck-attention", "--help")
    assert done.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: seqsep bound bounded-dyck-attention [--json] [options]")
    assert "  --length      whole number, 1 to 65,536, by default 32. N, the greatest" in out
    status, _, error = call(capsys, "certify", "attention-blocks", "--help")
    assert status == 2
    assert error.startswith("seqsep certify: attention-blocks: expected one of ")
    status, _, error = call(capsys, "apply", "recal-attention", "-h")
    assert status == 2
    assert "did you mean recall-attention" in error


@pytest.mark.parametrize("name", BY_NAME)
def test_help_is_no_docstring_of_python(name, capsys):
    """Help has no text about exceptions: the ranges that it shows refuse bad values on the command line."""
    for command in COMMANDS:
        if BY_NAME[name].options_of(command):
            with pytest.raises(SystemExit):
                call(capsys, command, name, "--help")
            assert "Raises" not in capsys.readouterr().out

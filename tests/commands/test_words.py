"""The words of commands: what is missing, misplaced or nearly right is named with its cause, and every flag is explained."""

import argparse

import pytest

from seqsep.commands import COMMANDS
from seqsep.commands.command import Parser
from support.command_line import call


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "bound --length 10 index-lookup-state",
            "THEOREM is missing in front of --length: a name of seqsep list theorems, or your own FILE.py:NAME",
        ),
        ("apply --input {text} --length 4 index-lookup-state", "THEOREM is missing in front of --length"),
        ("train --layers mamba --length 10", "TASK is missing in front of --length: a task, or your own as FILE.py:CLASS"),
        ("sample --count 2 --length=4 index-lookup", "TASK is missing in front of --length"),
        ("analyze --kinds 2 bounded-dyck", "FUNCTION is missing in front of --kinds"),
        (
            "export-network sparse-threshold-two-layers -o {text}",
            "the following arguments are required: --formula",
        ),
        (
            "train index-lookup --length 4 --layers lstm --seed 0-2",
            "argument --seed: expected seeds such as 0 or 0..2, found 0-2",
        ),
        ("train index-lookup --length 4 --layers lstm --seed 2..1", "expected seeds such as 0 or 0..2, found 2..1"),
        ("list", "required: tasks|mixers|theorems|experiments"),
        ("text", "required: phonebook|index|hotpotqa"),
        ("bound xyzzy", "unknown theorem 'xyzzy'; seqsep list theorems has them"),
        ("bound index-lookup", "did you mean index-lookup-attention, index-lookup-one-layer, index-lookup-state,"),
        (
            "check own.py:Layer",
            "check: own.py:Layer: expected the name of a theorem; put --theorem, --mixer, --model or",
        ),
        ("check index-lookup-attention --text {text} --length 4", "expected text or length, found both: text stands in its"),
        ("check --model {text} --length 0", "--length: expected a whole number from 9, found 0"),
        ("audit {text} --worst many", "argument --worst: expected a whole number from 1, or all, found 'many'"),
        ("audit {text} --confidence 95", "argument --confidence: expected a number between 0 and 1, such as 0.95, found 95"),
        ("audit {text} 3f2a", "{text} 3f2a: expected no KEY after the file of one model"),
        ("analyze majorty --lengths 2", "did you mean majority?"),
        ("analyze equality", "expected lengths, as in --lengths 2..10, or 2..10..2 for even ones, found none"),
    ],
)
def test_the_true_cause_is_named(words, expected, capsys, tmp_path):
    text = tmp_path / "five.txt"
    text.write_text("hello")
    status, out, error = call(capsys, *words.replace("{text}", str(text)).split())
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert expected.replace("{text}", str(text)) in error


def test_every_flag_is_explained():
    def unexplained(parser, words):
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for name, further in action.choices.items():
                    yield from unexplained(further, f"{words} {name}")
            elif not action.help:
                yield f"{words} {action.option_strings or action.dest}"

    for command in COMMANDS:
        parser = Parser(prog=command.name)
        command.add_flags(parser)
        assert not list(unexplained(parser, command.name))


def test_words_in_front_of_the_name_may_be_the_commands_own(capsys):
    """Only a flag whose value would pass for the name is refused there."""
    status, out, _ = call(capsys, "sample", "--count", "2", "--seed=1", "equality", "--length", "4")
    assert (status, out.count("label")) == (0, 2)

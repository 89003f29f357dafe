"""SECURITY.md names every argument that runs a user's Python file."""

import argparse
from pathlib import Path

import pytest

from seqsep.commands import COMMANDS

PAGE = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")


def arguments() -> list[tuple[str, str]]:
    """Return command and argument of each that takes a Python file, by its help text."""
    found = []
    for command in COMMANDS:
        parser = argparse.ArgumentParser()
        command.add_flags(parser)
        for action in parser._actions:
            if ".py" in f"{action.metavar} {action.help}" or "Python file" in f"{action.help}":
                found.append((command.name, action.option_strings[0] if action.option_strings else "first argument"))
    return found


def test_there_are_such_arguments() -> None:
    assert ("analyze", "first argument") in arguments()
    assert ("classify", "first argument") in arguments()
    assert ("audit", "--part") in arguments()


@pytest.mark.parametrize(("command", "argument"), arguments())
def test_every_argument_that_runs_a_file_is_on_the_page(command: str, argument: str) -> None:
    trusted = PAGE.partition("## Trusted")[2].partition("## Not trusted")[0]
    assert (f"`{argument}" if argument.startswith("--") else f"`seqsep {command}") in trusted

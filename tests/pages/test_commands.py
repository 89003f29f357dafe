"""The pages of commands are those of the parsers. The row `pages-reference` runs the example of each command's help."""

import argparse
import inspect
import re
import shlex
import sys
from pathlib import Path

import pytest

from pages import PAGES
from pages.commands import BEFORE, FAILED, FOLDER, NOT_RUN, command_page, index_page, without_outputs
from seqsep.commands import COMMANDS, Command
from seqsep.commands.cli import parse

ROOT = Path(__file__).parents[2]
BY_NAME = {command.name: command for command in COMMANDS}


def committed(name: str) -> str:
    return without_outputs((ROOT / f"{FOLDER}/{name}.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", BY_NAME)
def test_the_page_of_a_command_is_the_generated_one(name: str) -> None:
    expected = without_outputs(command_page(BY_NAME[name], ROOT, run=False))
    assert committed(name) == expected, f"run python -m pages {FOLDER}"


def test_the_index_is_the_generated_one() -> None:
    assert committed("index") == without_outputs(index_page(ROOT, run=False)), f"run python -m pages {FOLDER}"


def test_every_page_of_the_folder_is_generated() -> None:
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / FOLDER).iterdir()} == {
        name for name in PAGES if name.startswith(FOLDER)
    }


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_flag_is_on_the_page_with_its_meaning(command: Command) -> None:
    parser = argparse.ArgumentParser()
    command.add_flags(parser)
    page = committed(command.name)
    rows = [line for line in page.splitlines() if line.startswith("|")]
    for flag, action in parser._option_string_actions.items():
        is_hidden = action.help == argparse.SUPPRESS
        shown = any(re.search(rf"`{flag}[ `]", row) for row in rows)
        assert (
            flag in ("-h", "--help")
            or (is_hidden and not shown)
            or any(re.search(rf"`{flag}[ `]", row) and row.count("|") >= 5 for row in rows)
        ), flag
    assert all(row.rstrip("| ").count("|") >= 2 and not row.endswith("|  |") for row in rows), "a flag without a meaning"


def words_of(example: str) -> list[list[str]]:
    """Return the words of each call of seqsep in a line of a shell."""
    calls = [one.removeprefix('eval "$(').removesuffix(')"') for one in example.split(" | ")]
    return [shlex.split(one)[1:] for one in calls if one.startswith("seqsep ")]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_example_of_a_command_parses(command: Command) -> None:
    calls = words_of(command.example)
    assert calls[-1][0] == command.name
    for words in calls:
        assert parse(words)[0].name == words[0]


def test_a_command_that_may_fail_for_a_result_says_for_which() -> None:
    users = {name for name, one in BY_NAME.items() if "REFUTED" in inspect.getsource(sys.modules[one.run.__module__])}
    assert users == set(FAILED)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_line_of_a_table_has_all_cells(command: Command) -> None:
    table: list[int] = []
    for line in command_page(command, ROOT, run=False).splitlines():
        table = [*table, len(re.findall(r"(?<!\\)\|", line))] if line.startswith("|") else []
        assert len({*table}) <= 1, line


def test_a_flag_that_must_be_given_is_in_the_usage() -> None:
    assert "[FLAGS] -o FILE THEOREM\n" in command_page(BY_NAME["certify"], ROOT, run=False)


def test_the_default_seeds_are_shown_as_they_are_typed() -> None:
    assert "| `--seed SEEDS` | text | `0` |" in command_page(BY_NAME["train"], ROOT, run=False)


def test_each_exception_is_a_command() -> None:
    assert {*BEFORE, *NOT_RUN} <= set(BY_NAME)

"""`seqsep --help` groups the commands by the question that a user has."""

import shlex
from pathlib import Path

import pytest

from seqsep.commands import COMMANDS, GROUPS, Group
from seqsep.commands.cli import main


def help_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit):
        main([*words, "--help"])
    return capsys.readouterr().out


def test_each_command_is_in_one_group(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = help_of(capsys).split("\n\n")
    for command in COMMANDS:
        line = f"  {command.name} "
        holding = [block.split("\n")[0] for block in blocks if any(one.startswith(line) for one in block.split("\n"))]
        assert holding == [f"{command.group.title}:"], command.name


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.title)
def test_the_example_of_each_group_runs_a_command_of_it(
    group: Group, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["examples", "."]) == 0
    capsys.readouterr()
    assert f"  Example: {group.example}\n" in help_of(capsys)
    program, *words = shlex.split(group.example)
    assert program == "seqsep"
    assert words[0] in [command.name for command in COMMANDS if command.group is group]
    assert main(words) == 0
    assert capsys.readouterr().out


def test_each_purpose_is_one_short_line_that_starts_with_a_verb() -> None:
    for command in COMMANDS:
        assert len(command.purpose.split("\n")) == 1, command.name
        assert len(command.purpose) <= 100, command.name
        assert command.purpose.split()[0] not in ("the", "what", "how", "which", "whether", "a"), command.name

"""Outputs of shell commands on pages: each example runs in bash in a new folder, as the tests of the site run it."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from pages._outputs import MOST_LINES

SOURCE = Path(__file__).parents[2] / "src"
MOST_COLUMNS = 160
SECONDS = 300
LONG = "<!-- long -->"
SLOW = ("seqsep check", "seqsep audit")
"""The commands that print progress on standard error if they take more than 5 seconds."""


@cache
def outputs(commands: tuple[str, ...]) -> tuple[str, ...]:
    """Run commands one after another in one new folder; return what each prints. Raises ValueError if one fails.

    >>> outputs(("seqsep sample equality --length 4", "echo done"))
    ('left: [0, 1]  right: [0, 1]  label: 1\\n', 'done\\n')
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "page"
        folder.mkdir()
        program = Path(place) / "seqsep"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m seqsep "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        ours = {"PYTHONPATH": str(SOURCE), "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1"}
        variables = {**os.environ, **ours, "PATH": f"{place}:{os.environ['PATH']}", "XDG_CACHE_HOME": f"{place}/cache"}
        return tuple(_run(command, folder, variables) for command in commands)


def block(commands: Sequence[str], printed: Iterable[str], most_lines: int = MOST_LINES) -> str:
    r"""Return a console block of commands and what they print; `...` stands for what is left out.

    >>> print(block(["seqsep list tasks"], ["one\ntwo\nthree\n"], most_lines=2))
    <!-- long -->
    ```console
    $ seqsep list tasks
    one
    two
    ...
    ```
    <BLANKLINE>
    """
    lines = [LONG, "```console"]
    for command, text in zip(commands, printed, strict=True):
        progress = ["..."] if command.startswith(SLOW) and text.strip() != "..." else []
        lines += [f"$ {command}", *progress, *_shortened(text, most_lines)]
    return "\n".join([*lines, "```"]) + "\n"


def _run(command: str, folder: Path, variables: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise ValueError(f"{command}: expected status 0, found {done.returncode}: {done.stderr}")
    return done.stdout


def _shortened(text: str, most_lines: int) -> list[str]:
    lines = [f"{line[:MOST_COLUMNS]}..." if len(line) > MOST_COLUMNS else line for line in text.rstrip("\n").splitlines()]
    return lines if len(lines) <= most_lines else [*lines[:most_lines], "..."]

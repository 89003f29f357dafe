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
PROGRAMS = {
    "seqsep": "-m seqsep",
    "seqsep-check": f"-I -S '{SOURCE / 'seqsep_check.py'}'",
    "python": "",
    "python3": "",
}
"""The programs that a page's commands find first, each with the words that Python gets."""
MOST_COLUMNS = 160
SECONDS = 300
LONG = "<!-- long -->"
SLOW = ("seqsep check", "seqsep audit")
"""The commands that print progress on standard error if they take more than 5 seconds."""


@cache
def outputs(commands: tuple[str, ...]) -> tuple[str, ...]:
    """Run commands in order in one new folder; return what each prints. Raises ValueError if one fails.

    >>> outputs(("seqsep sample equality --length 4", "echo done"))
    ('left: [0, 1]  right: [0, 1]  label: 1\\n', 'done\\n')
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "page"
        folder.mkdir()
        variables = environment(folder)
        return tuple(_run(command, folder, variables) for command in commands)


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of commands that run in a folder of a page; programs and caches are in folders next to it."""
    programs, cached = (folder.with_name(f"{folder.name}-{name}") for name in ("programs", "cache"))
    if not programs.exists():
        programs.mkdir()
        for name, words in PROGRAMS.items():
            script = programs / name
            script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
            script.chmod(0o755)
    ours = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(SOURCE),
        "PYTHONDONTWRITEBYTECODE": "1",
        "XDG_CACHE_HOME": str(cached),
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "80",
        "PYTHONIOENCODING": "utf-8",
    }
    return {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"} | ours


def block(commands: Sequence[str], printed: Iterable[str], most_lines: int = MOST_LINES) -> str:
    r"""Return a console block of commands and what they print; `...` marks the parts that are left out.

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

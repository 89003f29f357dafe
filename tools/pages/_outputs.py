"""Outputs of seqsep on pages: commands are run in this process, once each, and their long lines are shortened.

Nothing here depends on the time or on the machine: a line of `seqsep check` has sizes, counts and margins.
"""

import contextlib
import functools
import io
import re
from collections.abc import Iterable

from seqsep.commands.cli import main
from seqsep.theorems import Claim

MOST_LINES = 8
MOST_WITNESS = 80
NOT_RUN = "<!-- not run: tests/pages/test_theorems.py compares this output -->"


@functools.cache
def output(*words: str) -> str:
    """Run `seqsep WORDS` and return what it prints. Raises ValueError if it fails.

    >>> output("bound", "index-lookup-state", "--length", "7").splitlines()[-1]
    '    state_bits 12  bits of the state'
    """
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = main(words)
    if status != 0:
        raise ValueError(f"seqsep {' '.join(words)}: expected status 0, found {status}")
    return printed.getvalue()


def console(words: tuple[str, ...], claims: Iterable[Claim]) -> str:
    """Return a console block of a command on a theorem with its output; `...` marks the parts that are left out."""
    lines = [shortened(line, claims) for line in output(*words).splitlines()]
    if len(lines) > MOST_LINES and words[0] == "check":
        lines = [*lines[: MOST_LINES - 2], "..."]
    return "\n".join([NOT_RUN, "```console", f"$ seqsep {' '.join(words)}", *lines, "```"]) + "\n"


def shortened(line: str, claims: Iterable[Claim]) -> str:
    """Return a line of output without the sources and statements of these claims, and without a long witness.

    >>> claim = Claim("parity", "folklore", "One bit is enough")
    >>> shortened("holds  parity (upper bound; folklore): One bit is enough. N = 8; all 256 inputs", [claim])
    'holds  parity (upper bound; ...): ... N = 8; all 256 inputs'
    """
    for claim in claims:
        line = line.replace(f"; {claim.source}): ", "; ...): ").replace(f" ({claim.source}): ", " (...): ")
        line = line.replace(f": {claim.statement}. N = ", ": ... N = ")
        if line.endswith(f": {claim.statement}"):
            line = f"{line.removesuffix(claim.statement)}..."
        for part in claim.statement.split("; "):
            line = line.replace(f": {part}. N = ", ": ... N = ")
    return re.sub(rf"; wrong on .{{{MOST_WITNESS},}}", "; wrong on ...", line)

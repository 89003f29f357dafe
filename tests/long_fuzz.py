"""3,000 random command lines: each ends with a status, a refusal is one line, and none shows a traceback.

A row of results/verify. Two thirds are right lines with a few changes, the others are words drawn for each command
(`support.fuzzed_lines`). They run in one process, in an empty folder with small files. Lines that would train, or start other
programs, end at a flag that they refuse.
"""

import tempfile
from pathlib import Path

from seqsep.theorems import Claim, Outcome
from support import fuzzed_lines

NAME = "fuzzed-command-lines"
SOURCE = Path(__file__).parents[1] / "src/seqsep"
SOURCES = (
    *sorted(path.relative_to(SOURCE).as_posix() for path in (SOURCE / "commands").glob("*.py")),
    "../../tests/support/fuzzed_lines.py",
    "../../tests/support/fuzz_words.py",
)
WORDS = "a command line ends with a status and without a traceback, and a refusal is one line"
LINES = 3000
SEED = 48
EVERY = 100
"""Lines after which the files are written again."""


def verify(count: int = LINES, seed: int = SEED) -> list[Outcome]:
    """Run the lines; an outcome for each status."""
    ended = run_lines(count, seed)
    for one in ended:
        if one.wrong:
            print(f"seqsep {' '.join(one.words)}: {one.wrong}")
    found = []
    for status in sorted({one.status for one in ended}, key=str):
        same = [one for one in ended if one.status == status]
        wrong = sum(bool(one.wrong) for one in same)
        found.append(
            Claim(NAME, "tests/long_fuzz.py", WORDS).lower(
                length=0,
                inputs=len(same),
                measured={"failures": wrong},
                bound={"failures": 0},
                variant=f"status {status}",
                holds=not wrong,
            )
        )
    return found


def run_lines(count: int, seed: int) -> list[fuzzed_lines.Ended]:
    """Run the lines in a folder of their own."""
    fuzzed_lines.load_everything()
    ended = []
    with tempfile.TemporaryDirectory() as name, fuzzed_lines.in_folder(Path(name)):
        for number, words in enumerate(fuzzed_lines.lines(count, seed)):
            if number % EVERY == 0:
                fuzzed_lines.write_files(Path(name))
            ended.append(fuzzed_lines.run_line(words))
    return ended

"""Random command lines: words of every command, and wrong ones in their places, with small files for them to read."""

import contextlib
import importlib
import io
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from seqsep import tasks, theorems
from seqsep.commands import BY_NAME
from seqsep.commands.cli import main
from seqsep.commands.command import parser_of
from seqsep.lab import experiments, kept
from seqsep.lab.store.place import StoreError
from seqsep.lab.store.store import Store
from support.fuzz_words import FILES, FUNCTIONS, LINES, LOADED, MACHINES, MEMBERS, MODEL, OF_MEMBERS, SMALL, TASKS, WRONG

SECONDS = 5
"""After so long a line is interrupted as Ctrl-C does it: that it ends in one line as well is also tested."""
LONGEST = 2500
"""Characters of a refusal."""
STATUSES = (0, 1, 2, 3, 130)
WITHOUT_TRAINING = sorted(set(BY_NAME) - {"demo", "train", "run", "text", "canary", "report", "explore", "completion"})
"""The other commands train, start processes or write folders of pages; they get only lines that end before that."""
REFUSED_ONLY = ("demo", "train", "run", "report", "canary", "text", "explore", "completion")
SHARE_CHANGED = 0.7


@dataclass(frozen=True)
class Ended:
    """The end of one command line: its words, its status, and what is wrong with it; empty if nothing is."""

    words: tuple[str, ...]
    status: int | None
    wrong: str


def write_files(folder: Path) -> None:
    """Write the files that the lines name."""
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    with contextlib.suppress(StoreError), Store(folder / "new.sqlite"):
        pass


def changed_line(random: Random) -> list[str]:
    """Return a line of LINES with up to three changes: a word is replaced, left out, written twice, or put in."""
    words = random.choice(LINES).split()
    others = (*WRONG, *SMALL, *FILES, *FUNCTIONS, *TASKS, *MACHINES, *MEMBERS, "--json", "--length", "--help", "--no-such-flag")
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        place = random.randrange(1, len(words)) if len(words) > 1 else 1
        change = random.randrange(4)
        if change == 0 and place < len(words):
            words[place] = random.choice(others)
        elif change == 1:
            words[place : place + 1] = []
        elif change == 2:
            words[place:place] = words[place : place + 1]
        else:
            words.insert(random.randrange(1, len(words) + 1), random.choice(others))
    starts_work = words[0] in REFUSED_ONLY or words[:2] in (["check"], ["check", "--json"], ["check", "--verbose"])
    return [*words, "--no-such-flag"] if starts_work else words


def drawn_line(random: Random) -> list[str]:
    """Return a command with drawn words: most fit their place, and some do not."""
    command = random.choice(WITHOUT_TRAINING) if random.random() < 0.9 else random.choice(REFUSED_ONLY)
    parser = parser_of(BY_NAME[command])
    words = [command]
    if random.random() < 0.9:
        words += _first_words(command, random)
    flags = sorted({flag for flag in parser.flags if flag.startswith("--") and flag not in ("--help", "--engine", "--workers")})
    if BY_NAME[command].takes_further and random.random() < 0.7:
        words += ["--length", random.choice(SMALL)] if command not in ("analyze", "classify") else []
        flags += OF_MEMBERS.get(next(iter(words[1:]), ""), ("--length", "--alphabet"))
    for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
        flag = random.choice([*flags, "--json"])
        value = _value(flag, random)
        words += [f"{flag}={value}"] if random.random() < 0.2 else [flag, value] if random.random() < 0.85 else [flag]
    if random.random() < 0.1:
        words.insert(random.randrange(1, len(words) + 1), random.choice(WRONG))
    if random.random() < 0.05:
        words.insert(random.randrange(len(words) + 1), random.choice(("--help", "--no-such-flag", "-h", "-x", "--version")))
    if command in REFUSED_ONLY:
        words.append("--no-such-flag")
    return [word for word in words if "\0" not in word]


def _first_words(command: str, random: Random) -> list[str]:
    known: dict[str, tuple[str, ...]] = {
        **dict.fromkeys(("check", "bound", "apply", "certify", "export-network"), MEMBERS),
        **dict.fromkeys(("analyze", "classify"), FUNCTIONS),
        **dict.fromkeys(("sample", "ceiling"), TASKS),
        "capacity": ("config.json", "dfa.json", "broken.json"),
        "list": ("mixers", "tasks", "theorems", "experiments"),
        "store": ("show", "repair", "import", "store.sqlite", "empty"),
        "claims": ("figure-2-attention", "figure-2"),
    }
    if random.random() < 0.1:
        return [random.choice(WRONG)]
    found = [random.choice(known.get(command, tuple(FILES)))]
    if command == "check":  # without a name it checks every theorem
        found += ["--length", random.choice(SMALL)]
    if command == "store" or random.random() < 0.1:
        found.append(random.choice([*FILES, *FUNCTIONS]))
    return found


def _value(flag: str, random: Random) -> str:
    if random.random() < 0.15:
        return random.choice(WRONG)
    if flag in ("-o", "--output", "--automata", "--certificate", "--page", "--junit", "--equal-states"):
        return random.choice(("new.json", "new.svg", "new.dot", "new.png", "new.npz", "own.py", "none/new.json"))
    if flag == "--machine":
        return random.choice(MACHINES)
    if flag in ("--formula", "--input", "--rows", "--text", "--store"):
        return random.choice(tuple(FILES))
    if flag == "--lengths":
        return random.choice(("2..4", "3", "2,4", "1..5..2"))
    return random.choice((*SMALL, *SMALL, *FILES, *TASKS))


def load_everything() -> None:
    """Import what the commands import when they first run: an interrupt in the middle of it would break what follows."""
    for name in LOADED:
        importlib.import_module(name)
    BY_NAME.members()
    kept.load(MODEL, ())
    for registry in (theorems.BY_NAME, tasks.BY_NAME, experiments.BY_NAME):
        registry.members()


def lines(count: int, seed: int) -> Iterator[list[str]]:
    """Yield drawn command lines."""
    random = Random(seed)
    for _ in range(count):
        yield changed_line(random) if random.random() < SHARE_CHANGED else drawn_line(random)


def run_line(words: list[str]) -> Ended:
    """Run one line in this process, in the current folder, and judge how it ends.

    A line that is refused says why in one line on standard error, and no line shows a traceback or is a bug of seqsep.
    """
    out = io.StringIO()
    err = io.StringIO()
    given = io.StringIO("{}\n")
    signal.signal(signal.SIGALRM, _interrupt)
    signal.alarm(SECONDS)
    status: int | None = None
    wrong = ""
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _standard_input(given):
            status = main(words)
    except SystemExit as ended:
        status = 0 if ended.code is None else int(ended.code)
    except KeyboardInterrupt:
        status = 130
    except BaseException as error:
        wrong = f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return Ended(tuple(words), status, wrong or _wrong(status, out.getvalue(), err.getvalue()))


def _wrong(status: int | None, out: str, err: str) -> str:
    """Return what is wrong with the end of a line."""
    if "Traceback (most recent call last)" in out + err or "a bug of seqsep" in err:
        return err[-600:]
    if status not in STATUSES:
        return f"status {status}"
    refusals = [line for line in err.splitlines() if line.startswith("seqsep")]
    if status == 2 and len(refusals) != 1:
        return f"{len(refusals)} lines say why: {err[:600]}"
    return f"a line of {max(map(len, refusals))} characters" if refusals and max(map(len, refusals)) > LONGEST else ""


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@contextlib.contextmanager
def _standard_input(given: io.StringIO) -> Iterator[None]:
    import sys

    before = sys.stdin
    sys.stdin = given
    try:
        yield
    finally:
        sys.stdin = before


@contextlib.contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    """Work in a folder with the files; what lines write stays in it."""
    before = Path.cwd()
    write_files(folder)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)

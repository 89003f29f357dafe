"""Every option that takes a file refuses a pipe, a device and a folder in one line, and takes no memory for a huge file."""

import inspect
import os
import resource
import signal
import typing
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import seqsep
import seqsep_check
from seqsep.commands import COMMANDS
from seqsep.lab.run import Run
from seqsep.models.plugins.layer import UserLayer
from seqsep.tasks import IndexLookup, IsTree
from seqsep.theorems import THEOREMS
from support.command_line import OWN_LAYER, call

SECONDS = 20
MEBIBYTES = 512
HUGE = 2 << 30
PROMPT = '{"edges":[[2,4],[1,2],[1,3]]}'
SHORT = "--width 8 --steps 1 --store {new}"
READ: dict[str, tuple[str, ...]] = {
    "apply --input": ("apply index-lookup-attention --length 4 --input FILE",),
    "ask model": ("ask FILE --input {new}",),
    "ask --input": ("ask {model} --input FILE",),
    "ask --part": ("ask {own} --input {new} --part FILE.py",),
    "audit model": ("audit FILE",),
    "audit --part": ("audit {own} --part FILE.py",),
    "audit --recheck": ("audit {model} --recheck FILE",),
    "claims --rows": ("claims figure-2-curve --rows FILE",),
    "explore --store": ("explore --store FILE",),
    "export --store": ("export --store FILE -o {new}.jsonl",),
    "generate model": (f"generate FILE --prompt {PROMPT}",),
    "card --check": ("card lstm --only speed --check FILE",),
    "card --compare": ("card --compare FILE -o {new}",),
    "card --store": (),
    "generate --input": ("generate {writer} --input FILE",),
    "generate --part": (f"generate {{own}} --prompt {PROMPT} --part FILE.py",),
    "report --rows": ("report --rows FILE -o {new}",),
    "run --store": (),
    "run --compare": ("run mamba-width --compare FILE --store {new}",),
    "store path": ("store show FILE", "store repair FILE", "store import FILE {rows}"),
    "store rows": ("store import {new} FILE",),
    "text --data": ("text hotpotqa --show --data FILE",),
    "text --store": (),
    "train --store": ("train index-lookup --length 4 --layers lstm --width 8 --steps 1 --store FILE",),
    "train --compare": (f"train index-lookup --length 4 --layers lstm {SHORT} --compare FILE",),
    "demo --store": (),
    "theorem checkpoint": ("check one-way-protocol --checkpoint FILE",),
    "theorem circuit": (
        "check circuits-attention --circuit FILE",
        "certify circuits-attention --circuit FILE -o {new}",
    ),
    "theorem cnf": ("check sparse-threshold-two-layers --cnf FILE",),
    "theorem text": ("check index-lookup-attention --text FILE",),
}
"""Commands that read the file of an option of type Path; empty for a store that `train` opens likewise."""
NAMED: tuple[str, ...] = (
    "analyze FILE.py:function --lengths 2",
    "analyze FILE.cnf",
    "classify FILE.json",
    "classify FILE.py:function",
    "capacity FILE",
    "card FILE.py:Layer --only speed -o {new}",
    "check --mixer FILE.py:Layer",
    "check --model FILE",
    "check turing-machine-hybrid --machine FILE",
    "apply turing-machine-hybrid --length 3 --steps 4 --machine FILE --input {new}",
    "generate {writer} --prompt " + PROMPT + " --retriever FILE.py:find",
    "run FILE.py --store {new}",
    "run mamba-width --mixer FILE.py:Layer --store {new}",
    "run mamba-width --task FILE.py:Task --store {new}",
    "sample FILE.py:Task --length 4",
    "sample sparse-threshold --length 4 --formula FILE",
    f"train FILE.py:Task --length 4 --layers lstm {SHORT}",
    f"train index-lookup --length 4 --layers FILE.py:Layer {SHORT}",
    f"train index-lookup --length 4 --layers model:FILE.py:Model {SHORT}",
)
"""Commands that read a file named by a text."""
WRITTEN = {
    "--automata",
    "--certificate",
    "--chart",
    "--equal-states",
    "--junit",
    "--log-folder",
    "--output",
    "--page",
    "--report",
    "--write",
    "folder",
}
BESIDE: dict[str, str] = {
    "labels": "store import {new} {rows}",
    "a config.json": "capacity {folder}",
}
"""Files that are found beside one that is named."""
READ_BY_MAPPING = {
    words for option in ("ask model", "audit model", "generate model", "theorem checkpoint") for words in READ[option]
}
COMMANDS_THAT_READ = [*(words for several in READ.values() for words in several), *NAMED]


def options_of(parser: ArgumentParser) -> Iterator[str]:
    """The options and arguments of a parser that are paths, and those of its subcommands."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for chosen in action.choices.values():
                yield from options_of(chosen)
        elif action.type is Path:
            yield max(action.option_strings, key=len, default=action.dest)


def test_no_option_that_takes_a_file_is_left_out() -> None:
    found = set()
    for command in COMMANDS:
        parser = ArgumentParser()
        command.add_flags(parser)
        found |= {f"{command.name} {option}" for option in options_of(parser) if option not in WRITTEN}
    for theorem in THEOREMS:
        for function in filter(None, (theorem.check, theorem.predictor, theorem.certificate_witness, theorem.bound)):
            kinds = typing.get_type_hints(inspect.unwrap(function))
            found |= {f"theorem {name}" for name, kind in kinds.items() if Path in (kind, *typing.get_args(kind))}
    assert found == set(READ)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three untrained models, one of a layer from a file, and a file of no rows."""
    folder = tmp_path_factory.mktemp("kept")
    found = {name: folder / name for name in ("model", "own", "writer", "rows")}
    (folder / "layer.py").write_text(OWN_LAYER)
    lookup = IndexLookup(4, alphabet=4)
    own = UserLayer.parse(f"{folder / 'layer.py'}:Own")
    for name, task, layer in (
        ("model", lookup, "lstm"),
        ("own", lookup, own),
        ("writer", IsTree(length=4, trace="peel"), "lstm"),
    ):
        run = Run(task, (layer,), width=8)
        seqsep.save(found[name], run.model(), run)
    found["rows"].touch()
    return found


@contextmanager
def limits(mapped: int = 0) -> Iterator[None]:
    """Fail what hangs, and what takes the memory of a file that has no end; addresses for `mapped` bytes are free."""
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (taken + (MEBIBYTES << 20) + mapped, before[1]))
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def make(kind: str, path: Path) -> None:
    """A device is linked to: to make one needs rights."""
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()


def filled(words: str, tmp_path: Path, places: dict[str, Path]) -> tuple[list[str], Path]:
    """The words of a command, and the file that stands for FILE."""
    name = next((word for word in words.replace(":", " ").split() if word.startswith("FILE")), "FILE")
    file = tmp_path / name
    known = {**places, "new": tmp_path / "new", "folder": tmp_path}
    found = []
    for word in words.split():
        for place, path in known.items():
            word = word.replace(f"{{{place}}}", str(path))
        found.append(word.replace(name, str(file)))
    return found, file


@pytest.mark.parametrize("kind", ["a pipe", "a device", "a folder"])
@pytest.mark.parametrize("words", COMMANDS_THAT_READ)
def test_what_is_not_a_regular_file_is_refused(words, kind, tmp_path, places, capsys) -> None:
    arguments, file = filled(words, tmp_path, places)
    make(kind, file)
    with limits():
        status, _, error = call(capsys, *arguments)
    require_refusal(status, error, file)


def require_refusal(status: int, error: str, file: Path) -> None:
    """The command ends with 2 and one line, which names the file, or the one that it is a link to."""
    assert status == 2, error
    assert error.count("\n") == 1
    assert str(file) in error or str(file.resolve()) in error


@pytest.mark.parametrize("words", [words for words in COMMANDS_THAT_READ if words != "store repair FILE"])
def test_a_file_of_2_gib_takes_no_memory(words, tmp_path, places, capsys) -> None:
    """It is refused by its size, or by what it begins with; it has no blocks on the disk."""
    arguments, file = filled(words, tmp_path, places)
    with file.open("wb") as sparse:
        sparse.truncate(HUGE)
    with limits(mapped=HUGE if words in READ_BY_MAPPING else 0):
        status, _, error = call(capsys, *arguments)
    require_refusal(status, error, file)


@pytest.mark.parametrize("kind", ["a pipe", "a device"])
@pytest.mark.parametrize("beside", BESIDE)
def test_what_lies_beside_a_file_is_read_as_carefully(beside, kind, tmp_path, places, capsys) -> None:
    arguments, _ = filled(BESIDE[beside], tmp_path, {**places, "rows": tmp_path / "rows"})
    (tmp_path / "rows").touch()
    for name in ("rows.labels.json", "config.json"):
        make(kind, tmp_path / name)
    with limits():
        status, _, error = call(capsys, *arguments)
    assert status == 2, error
    assert error.count("\n") == 1


@pytest.mark.parametrize("kind", ["a pipe", "a device"])
def test_the_checker_waits_for_no_pipe(kind, tmp_path, capsys, monkeypatch) -> None:
    """Also if it takes the place of a file that was looked at: the file that is open is what counts."""
    path = tmp_path / "certificate"
    make(kind, path)
    monkeypatch.setattr(os.path, "isfile", lambda place: not isinstance(place, str) and os.fstat(place).st_size > 0)
    with limits():
        assert seqsep_check.main([str(path)]) == 2
    assert "expected a regular file" in capsys.readouterr().out

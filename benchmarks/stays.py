"""The stays of a value on its way through the project: python benchmarks/stays.py [way ..] [--list] [--src DIR] [--json FILE].

    option    --learning-rate of `seqsep run`, from the flag to the row
    layer     a user's layer of `seqsep train`, from the flag to its training
    rows      rows of runs, from their file to a figure

A stay is a function of the project, counted once, that is called with the value as an argument; `self` is an argument too.
The value is the option's number, or the word that is read as it; the layer's word FILE.py:CLASS or CLASS@SHA-256, its
`PlugIn`, or its class; a `Row`, its `RunSummary`, or a list of them. The modules that a layer's class builds are not the layer.

A second number also counts functions to which the value is only carried, inside an argument: an item of a list, tuple, set or
dictionary, a field of a dataclass or of the flags, or a part of a longer text. So each function that takes a `Run` is counted.

Comprehensions and lambdas belong to their function; methods that a dataclass generates are not counted. Processes that the
command starts are counted too: they find this file by `sitecustomize`. --json writes the numbers; results/stays.json is such a
file. --src counts other sources, such as those of an earlier commit.
"""

import argparse
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RATE = 0.00317
LAYER = "StaysLayer"
WORDS = {"option": re.compile(re.escape(str(RATE))), "layer": re.compile(rf"[^ ]*:{LAYER}|{LAYER}@[0-9a-f]+")}
LONGEST_LOOK = 64
"""Items of a long list or dictionary that are looked at: its first ones."""
LAYER_FILE = f"""
from torch import nn

class {LAYER}(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate = nn.Linear(width, width)
    def start(self, batch):
        return self.gate.weight.new_zeros(batch, self.gate.out_features)
    def step(self, x, state, t):
        state = state + self.gate(x)
        return state, state
    def forward(self, x):
        return self.gate(x).cumsum(1)
"""
FIGURE = f"""
from pathlib import Path
from seqsep.lab.row import read_rows
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.figures.picture import draw_picture
rows = read_rows(Path({str(ROOT / "results/demo.jsonl")!r}))
draw_picture(Path("picture.png"), DemoRuns.of_rows(rows, rows))
"""
SMALL = ["--length", "5", "--width", "8", "--steps", "2", "--batch", "4", "--eval-examples", "8", "--store", "runs.db"]
DEMO = ["-m", "seqsep", "run", "index-lookup-architectures", "--preset", "demo", "--only", "lstm,N=20"]
COMMANDS = {
    "option": [*DEMO, *SMALL, "--learning-rate", str(RATE)],
    "layer": ["-m", "seqsep", "train", "index-lookup", "--layers", f"layer.py:{LAYER}", *SMALL],
    "rows": ["-c", FIGURE],
}


def is_value(way: str, value: Any, carried: bool = False) -> bool:
    """Tell if this is the value of a way, or with `carried` also a longer text that has it."""
    kind = type(value)
    if way == "rows":
        return kind.__name__ in ("Row", "RunSummary")
    if kind is str:
        return (WORDS[way].search if carried else WORDS[way].fullmatch)(value) is not None
    if way == "option":
        return kind is float and value == RATE
    return value.__name__ == LAYER if kind is type else kind.__name__ == "UserLayer" and value.class_name == LAYER


def parts_of(value: Any) -> Iterator[Any]:
    """Yield the first items of a container, or the fields of a record."""
    is_record = isinstance(value, argparse.Namespace) or (dataclasses.is_dataclass(type(value)) and hasattr(value, "__dict__"))
    held = vars(value) if is_record else value
    if isinstance(held, dict):
        yield from list(held)[:LONGEST_LOOK]
        held = list(held.values())
    if isinstance(held, list | tuple | set | frozenset):
        yield from list(held)[:LONGEST_LOOK]


def watch(way: str, sources: str, found: int) -> None:
    """Write to the descriptor `found` each function of `sources` that the value is passed to, or carried to."""
    noted: set[tuple[Any, bool]] = set()

    def called(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(sources) or code.co_name[0] == "<" or (code, True) in noted:
            return
        sys.setprofile(None)
        try:
            plain = code.co_argcount + code.co_kwonlyargcount
            given = [frame.f_locals[name] for name in code.co_varnames[:plain] if name in frame.f_locals]
            starred = code.co_varnames[plain : plain + bool(code.co_flags & 4) + bool(code.co_flags & 8)]
            for name in starred:
                given += parts_of(frame.f_locals.get(name))
            lists = [one for value in given if way == "rows" and isinstance(value, list | tuple) for one in value[:1]]
            passed = any(is_value(way, value) for value in given + lists)
            if passed or any(is_value(way, one, carried=True) for value in given for one in (value, *parts_of(value))):
                if (code, passed) not in noted:  # one short line is written whole, also if several processes write
                    os.write(found, f"{code.co_filename.removeprefix(sources)}:{code.co_qualname} {int(passed)}\n".encode())
                noted.add((code, passed))
        finally:
            sys.setprofile(called)

    sys.setprofile(called)


def stays(way: str, sources: Path, folder: Path) -> dict[str, bool]:
    """Run the command of a way; return the functions that the value comes to, and for each if it is passed itself."""
    (folder / "layer.py").write_text(LAYER_FILE)
    found = folder / "found.txt"
    found.touch()
    append = f"os.open({str(found)!r}, os.O_WRONLY | os.O_APPEND)"
    hook = f"import os, sys\nsys.path.append({str(ROOT / 'benchmarks')!r})\nimport stays\n"
    (folder / "sitecustomize.py").write_text(f"{hook}stays.watch({way!r}, {str(sources) + os.sep!r}, {append})\n")
    paths = os.pathsep.join([str(folder), str(sources), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, *COMMANDS[way]]
    done = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    lines = sorted(line.split() for line in found.read_text().splitlines())
    return {name: passed == "1" for name, passed in lines}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("ways", nargs="*", metavar="way", help=", ".join(COMMANDS))
    parser.add_argument(
        "--list", action="store_true", help="print the functions too; = marks those that it is passed to itself"
    )
    parser.add_argument("--src", type=Path, default=ROOT / "src", metavar="DIR", help="the sources to count in")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there")
    options = parser.parse_args()
    counted = {}
    for way in options.ways or COMMANDS:
        with tempfile.TemporaryDirectory() as name:
            found = stays(way, options.src.resolve(), Path(name))
        counted[way] = {"passed": sum(found.values()), "passed or carried": len(found)}
        print(f"{way}: {counted[way]['passed']} passed, {len(found)} passed or carried", flush=True)
        if options.list:
            print("\n".join(f"  {'=' if passed else ' '} {one}" for one, passed in found.items()), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(counted, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

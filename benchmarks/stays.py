"""The stays of a value: the functions of the project that it is passed to on its way, counted while a command runs.

    python benchmarks/stays.py [--list]

Three ways are counted: an option of `seqsep run` from its flag to the row, a user's layer from its flag to its training, and
rows from the store to a figure. `--list` also prints the functions.

A function is counted if one of its arguments is the value, or contains it: a list, tuple, set or dictionary, the namespace of
the flags, or a dataclass. The value is known by what it is: the option's number is one that nothing else has; the layer is its
text FILE.py:CLASS or CLASS@SHA-256, its `PlugIn`, or its class, and not the modules that are built from it; rows are the `Row`
objects, and the `RunSummary` of each. Comprehensions and lambdas belong to the function that they stand in. Processes that the
command starts are counted too: they find this file by `sitecustomize`.
"""

import argparse
import dataclasses
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PROJECT = f"{ROOT / 'src'}{os.sep}"
VALUE = "SEQSEP_STAYS_VALUE"
FOUND = "SEQSEP_STAYS_FOUND"
MOST_ITEMS = 64
"""Of a longer list or dictionary only the beginning is looked at."""
RATE = 0.0012345
LAYER = "StaysLayer"
LAYER_FILE = f'''
import torch
from torch import nn

class {LAYER}(nn.Module):
    """A running sum."""
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
'''
FIGURE = f"""
from pathlib import Path
from seqsep.lab.row import read_rows
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.figures.picture import draw_picture
rows = read_rows(Path({str(ROOT / "results/demo.jsonl")!r}))
draw_picture(Path("picture.png"), DemoRuns.of_rows(rows, rows))
"""
HOOK = f"""
import sys
sys.path.append({str(ROOT / "benchmarks")!r})
import stays
stays.watch()
"""
SMALL = ["--length", "5", "--width", "8", "--steps", "2", "--batch", "4", "--eval-examples", "8"]


def is_option(value: Any) -> bool:
    """Tell if a value is the option's number, or a text of it."""
    return (isinstance(value, float) and value == RATE) or (isinstance(value, str) and str(RATE) in value)


def is_layer(value: Any) -> bool:
    """Tell if a value is the user's layer: its text, its record or its class."""
    if isinstance(value, str):
        return f":{LAYER}" in value or f"{LAYER}@" in value
    if isinstance(value, type):
        return value.__name__ == LAYER
    return "class_name" in getattr(type(value), "__dataclass_fields__", ()) and vars(value)["class_name"] == LAYER


def is_row(value: Any) -> bool:
    """Tell if a value is a row of the store, or its summary."""
    return type(value).__name__ in ("Row", "RunSummary")


KINDS: dict[str, Callable[[Any], bool]] = {"option": is_option, "layer": is_layer, "rows": is_row}


def contains(value: Any, is_it: Callable[[Any], bool]) -> bool:
    """Tell if an argument is the value, or a container or a record that has it."""
    if is_it(value):
        return True
    if type(value) is dict:
        parts = list(value.values())[:MOST_ITEMS] + list(value)[:MOST_ITEMS]
    elif isinstance(value, list | tuple | set | frozenset):
        parts = list(value)[:MOST_ITEMS]
    elif isinstance(value, argparse.Namespace) or dataclasses.is_dataclass(type(value)):
        parts = list(vars(value).values()) if "__dict__" in dir(type(value)) else []
    else:
        return False
    return any(map(is_it, parts))


def watch() -> None:
    """Note, in the file that FOUND names, each function of the project that the value is passed to."""
    is_it = KINDS[os.environ[VALUE]]
    # One write of one short line to a file opened for appending is not torn, also if several processes write.
    found = os.open(os.environ[FOUND], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    seen: set[Any] = set()

    def called(frame: Any, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or code in seen or not code.co_filename.startswith(PROJECT) or code.co_name.startswith("<"):
            return
        names = code.co_varnames[
            : code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        ]
        sys.setprofile(None)
        try:
            values = [frame.f_locals[name] for name in names if name in frame.f_locals]
            if any(contains(value, is_it) for value in values):
                seen.add(code)
                os.write(found, f"{code.co_filename.removeprefix(PROJECT)}:{code.co_qualname}\n".encode())
        finally:
            sys.setprofile(called)

    sys.setprofile(called)


def stays(kind: str, command: list[str], folder: Path) -> list[str]:
    """Run a command of Python, and return the functions that the value of this kind is passed to."""
    hook = folder / "hook"
    hook.mkdir(exist_ok=True)
    (hook / "sitecustomize.py").write_text(
        f"import sys\nsys.path.append({str(ROOT / 'benchmarks')!r})\nimport stays\nstays.watch()\n"
    )
    found = folder / f"{kind}.txt"
    found.touch()
    path = os.pathsep.join([str(hook), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    variables = {**os.environ, "PYTHONPATH": path, VALUE: kind, FOUND: str(found)}
    done = subprocess.run([sys.executable, *command], cwd=folder, env=variables, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return sorted(set(found.read_text().split("\n")) - {""})


def commands(folder: Path) -> dict[str, tuple[str, list[str]]]:
    """Return the three ways: their name, and the command that the value takes it in."""
    (folder / "layer.py").write_text(LAYER_FILE)
    seqsep = ["-m", "seqsep"]
    store = ["--store", "runs.db"]
    run = [*seqsep, "run", "index-lookup-architectures", "--preset", "demo", "--only", "lstm,N=20", *SMALL, *store]
    return {
        "option": ("an option of run, from flag to row", [*run, "--learning-rate", str(RATE)]),
        "layer": (
            "a user's layer, to its training",
            [*seqsep, "train", "index-lookup", "--layers", f"layer.py:{LAYER}", *SMALL, *store],
        ),
        "rows": ("rows, to a figure", ["-c", FIGURE]),
    }


def main() -> None:
    """Count the three ways and print a table."""
    parser = argparse.ArgumentParser(description="Count the functions of the project that a value is passed to.")
    parser.add_argument("--list", action="store_true", help="also print the functions")
    parser.add_argument("--only", choices=sorted(KINDS), help="count one way")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, (words, command) in commands(folder).items():
            if options.only in (None, kind):
                found = stays(kind, command, folder)
                print(f"{len(found):4}  {words}", flush=True)
                if options.list:
                    print("\n".join(f"        {one}" for one in found), flush=True)


if __name__ == "__main__":
    main()

"""Files of up to 10 MiB that are hard on the checker: hostile JSON, and certificates of every type near the work bounds."""

import itertools
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import seqsep_check
from support.certificates.checker_queries import many_queries
from support.certificates.hostile_machines import long_machine, many_ends, many_runs
from support.certificates.samples import seal

CHECKER = Path(seqsep_check.__file__)
MEBIBYTES = 512
SECONDS = 10.0
LARGEST_FILE = 10 << 20


class RunSummary(NamedTuple):
    status: int
    line: str
    errors: str
    cpu_seconds: float


def measured(data: bytes) -> RunSummary:
    """The checker as a program, alone (-I -S), with no more than 512 MiB of address space."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEBIBYTES << 20, MEBIBYTES << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        path.write_bytes(data)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(CHECKER), str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=limit,
            cwd=folder,
            env={"PATH": os.environ.get("PATH", "")},
        )
        assert process.stdout is not None
        assert process.stderr is not None
        line, errors = process.stdout.read(), process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        process.stderr.close()
    return RunSummary(process.returncode, line.decode(), errors.decode(), used.ru_utime + used.ru_stime)


def _made(theorem: str, kind: str, task: dict[str, Any], witness: dict[str, Any], claims: dict[str, int], **more: Any) -> bytes:
    body = {
        "claims": claims,
        "format": "seqsep-certificate",
        "precision": 0,
        "rounding": "none",
        "task": task,
        "theorem": theorem,
        "type": kind,
        "version": 1,
        "witness": witness,
    }
    return seal(body | more)


def _fooling(length: int, count: int, letters: Callable[[int], list[int]], complete: int = 0) -> bytes:
    task = {"name": "equality", "alphabet": 65536, "length": length}
    witness = {"alice": list(range(length // 2)), "value": 1, "words": [letters(number) for number in range(count)]}
    claims = {"bits": (count - 1).bit_length(), "complete": complete, "size": count}
    return _made("communication-cost", "fooling-set", task, witness, claims)


def _deep_words() -> bytes:
    length, count = 2048, 6
    task = {"name": "bounded-dyck", "kinds": 1, "depth": 2048, "length": length}
    words = [[0] * 1024 + [1] * 1024] * count
    return _made("communication-cost", "fooling-set", task, {"alice": [0], "value": 1, "words": words}, {"complete": 0})


def _table(rows: int, columns: int, shown: int, entry: Callable[[int, int], int]) -> bytes:
    task = {"name": "table", "alphabets": [rows, columns]}
    task["values"] = [entry(row, column) for row in range(rows) for column in range(columns)]
    witness = {"alice": [0], "rows": [[row] for row in range(rows)], "columns": [[column] for column in range(shown)]}
    claims = {"rows": rows, "state_bits": (rows - 1).bit_length()}
    return _made("one-way-cost", "distinguishing-table", task, witness, claims)


def _automaton(kinds: int, depth: int) -> bytes:
    stacks = [stack for height in range(depth + 1) for stack in itertools.product(range(kinds), repeat=height)]
    number, dead, table = {stack: place for place, stack in enumerate(stacks)}, len(stacks), []
    for stack in stacks:
        after: list[int] = []
        for kind in range(kinds):
            after.append(number[(*stack, kind)] if len(stack) < depth else dead)
            after.append(number[stack[:-1]] if stack and stack[-1] == kind else dead)
        table.append(after)
    table.append([dead] * (2 * kinds))
    claims = {"states": dead + 1, "live_states": dead, "state_bits": dead.bit_length()}
    witness = {"accepting": [1] + [0] * dead, "start": 0, "table": table}
    return _made("bounded-dyck-state", "automaton", {"name": "bounded-dyck", "kinds": kinds, "depth": depth}, witness, claims)


def _network(
    time: int,
    width: int,
    inner: int,
    hidden: int,
    count: int,
    layers: int,
    steps: int,
    rounding: str = "floor stepwise",
    wild: bool = False,
) -> bytes:
    """Random weights, all different scores, a read-out that does not look at them."""
    draw, most = random.Random(0), steps * steps

    def matrix(rows: int, columns: int) -> list[list[int]]:
        largest = most if wild else 3 * steps
        return [[draw.randrange(-largest, largest + 1) for _ in range(columns)] for _ in range(rows)]

    stack = []
    for _ in range(layers):
        shapes = {"key": (inner, width), "query": (inner, width), "value": (inner, width), "output": (width, inner)}
        head = {name: matrix(*shape) for name, shape in shapes.items()}
        layer: dict[str, Any] = {"causal": 0, "heads": [head], "inner": matrix(hidden, width), "outer": matrix(width, hidden)}
        stack.append(layer | {"inner_bias": matrix(1, hidden)[0], "outer_bias": matrix(1, width)[0]})
    task = {"name": "table", "alphabets": [2] * time, "values": [0] * 2**time}
    witness = {
        "answers": [0] * count,
        "inputs": [[number >> place & 1 for place in range(time)] for number in range(count)],
        "layers": stack,
        "positions": matrix(time, width),
        "readout": [[0] * width] * 2,
        "readout_bias": [1, 0],
        "steps": steps,
        "symbols": matrix(2, width),
    }
    claims = {"all": 0, "heads": 1, "inputs": count, "layers": layers, "width": width}
    precision = (2 * most).bit_length()
    return _made("built-network", "network", task, witness, claims, precision=precision, rounding=rounding)


COLLIDING = (1 << 61) - 1  # its multiples all have the hash 0


def _colliding_scores() -> bytes:
    """One layer of 4,096 places whose scores differ by multiples of COLLIDING."""
    steps, length = 1 << 36, 4096
    head = {"query": [[steps]], "key": [[steps]], "value": [[0]], "output": [[0]]}
    layer = {"causal": 0, "heads": [head], "inner": [[0]], "inner_bias": [0], "outer": [[0]], "outer_bias": [0]}
    halves = [[int(place == number) for place in range(length // 2)] for number in range(5)]
    witness = {
        "answers": [1] * 5,
        "inputs": [half + half for half in halves],
        "layers": [layer],
        "readout": [[0], [0]],
        "positions": [[steps**2 - place * COLLIDING] for place in range(length - 1)] + [[steps]],
        "readout_bias": [0, 1],
        "steps": steps,
        "symbols": [[0]] * 2,
    }
    claims = {"all": 0, "heads": 1, "inputs": 5, "layers": 1, "width": 1}
    task = {"name": "equality", "alphabet": 2, "length": length}
    precision = (2 * steps**2).bit_length()
    return _made("built-network", "network", task, witness, claims, precision=precision, rounding="floor stepwise")


def _long_run(most: int, width: int, remembered: int) -> bytes:
    """One prompt with `most` tokens after it; random weights, and a recurrence in the first of two layers if it remembers."""
    draw, steps = random.Random(0), 1 << 20

    def matrix(rows: int, columns: int) -> list[list[int]]:
        return [[draw.randrange(-3 * steps, 3 * steps) for _ in range(columns)] for _ in range(rows)]

    shapes = {"key": (1, width), "query": (1, width), "value": (1, width), "output": (width, 1)}
    head = {name: matrix(*shape) for name, shape in shapes.items()}
    shapes = {"recurrent": (remembered, remembered), "input": (remembered, width), "output": (width, remembered)}
    first = {name: matrix(*shape) for name, shape in shapes.items()} if remembered else head
    fed = {"inner": [[0] * width], "inner_bias": [0], "outer": [[0]] * width, "outer_bias": [0] * width}
    witness = {
        "answers": [[0] * (most - 1) + [5]],
        "inputs": [[0, 1, 3, 2]],
        "layers": [{"causal": 1, "heads": [one], **fed} for one in (first, head)],
        "positions": matrix(most + 3, width),
        "readout": [[0] * width] * 6,
        "readout_bias": [1, 0, 0, 0, 0, 0],
        "steps": steps,
        "symbols": matrix(6, width),
    }
    claims = {"all": 0, "heads": 1, "inputs": 1, "layers": 2, "width": width}
    precision = (2 * steps**2).bit_length()
    task = {"name": "is-tree", "vertices": 2}
    return _made("built-generator", "generated-run", task, witness, claims, precision=precision, rounding="floor stepwise")


def _colliding_places() -> bytes:
    task = {"name": "equality", "alphabet": 2, "length": 2}
    witness = {"alice": [place * COLLIDING for place in range(399_000)], "value": 1, "words": [[0, 0]]}
    return _made("communication-cost", "fooling-set", task, witness, {"bits": 0, "complete": 0, "size": 1})


def _collision(most: int, size: int, runs: int, entry: int = 0) -> bytes:
    """A recurrence that stays at 0, with a word of `most` ones and one of two more."""
    rows = [[entry] * size + [0]] * size
    words = [[[1, most // runs]] * runs, [[1, most // runs]] * runs + [[1, 2]]]
    longer = most // runs * runs + 2
    witness = {"divisor": 1, "maps": [rows, rows], "start": [0] * size, "steps": 1 << 15, "words": words}
    claims = {"longer": longer, "shorter": longer - 2, "width": size}
    task = {"name": "ones-modulo", "modulus": 3}
    return _made("one-state-two-values", "state-collision", task, witness, claims, precision=32, rounding="nearest")


HOSTILE: dict[str, Callable[[], bytes]] = {
    "ones": lambda: b"[" + b"1," * (LARGEST_FILE // 2 - 2) + b"1]",
    "three digits": lambda: b"[" + b"999," * (LARGEST_FILE // 4 - 2) + b"1]",
    "64 digits": lambda: b"[" + (b"9" * 64 + b",") * (LARGEST_FILE // 65 - 2) + b"1]",
    "10 MiB of digits": lambda: b"9" * LARGEST_FILE,
    "deep": lambda: b"[" * LARGEST_FILE,
    "deep and closed": lambda: b"[" * 199_999 + b"]" * 199_999,
    "chains": lambda: b"[" + (b"[" * 900 + b"]" * 900 + b",") * 220 + b"1]",
    "keys": lambda: b"{" + b",".join(b'"%06d":1' % number for number in range(9_999)) + b"}",
    "keys beyond": lambda: b"{" + b",".join(b'"%06d":1' % number for number in range(900_000)) + b"}",
    "a long string": lambda: b'["' + b"a" * (LARGEST_FILE - 10) + b'"]',
    "escapes": lambda: b'["' + b"\\u0061" * ((LARGEST_FILE - 10) // 6) + b'"]',
    "no ASCII": lambda: b'["' + b"\xff" * (LARGEST_FILE - 10) + b'"]',
    "spaces": lambda: b" " * (LARGEST_FILE - 1) + b"1",
    "fractions": lambda: b"[" + b"1.5," * (LARGEST_FILE // 4 - 2) + b"1]",
    "an exponent": lambda: b"1e" + b"9" * 60,
    "booleans": lambda: b"[" + b"true," * (LARGEST_FILE // 5 - 2) + b"1]",
    "quotation marks": lambda: b'"' * LARGEST_FILE,
    "zeros": lambda: b"\0" * LARGEST_FILE,
    "nothing": lambda: b"",
    "a byte too many": lambda: b"1" * (LARGEST_FILE + 1),
}
NEAR_THE_BOUND: dict[str, Callable[[], bytes]] = {
    "fooling set in pairs": lambda: _fooling(2, 617, lambda number: [number, number]),
    "fooling set, long words": lambda: _fooling(4096, 30, lambda number: [number] * 4096),
    "fooling set, many words": lambda: _fooling(2, 199_000, lambda number: [number % 65536] * 2, 1),
    "fooling set, deep words": _deep_words,
    "table": lambda: _table(2000, 190, 190, lambda row, column: row * column % 1009),
    "table, partial": lambda: _table(1100, 3, 3, lambda row, column: -1 if (row + column) % 3 == 0 else row),
    "table, many values": lambda: _table(65536, 38, 1, lambda row, column: (row + column) % 1000),
    "automaton, wide": lambda: _automaton(660, 1),
    "automaton, deep": lambda: _automaton(2, 14),
    "state collision, long words": lambda: _collision(153_844, 1, 1),
    "state collision, many runs": lambda: _collision(99_000, 1, 99_000),
    "state collision, wide": lambda: _collision(1, 1_070, 1, (1 << 31) - 1),
    "state collision, endless": lambda: _collision((1 << 31) - 3, 1, 1),
    "state collision, empty runs": lambda: _collision(0, 1, 90_000),
    "network, exponentials": lambda: _network(18, 1, 1, 1, 80, 2, 1 << 20),
    "network, exponentials at once": lambda: _network(18, 1, 1, 1, 22, 2, 1 << 20, "nearest once"),
    "network, long numbers": lambda: _network(18, 1, 1, 1, 26, 2, 1 << 100, wild=True),
    "network, long numbers at once": lambda: _network(18, 1, 1, 1, 7, 2, 1 << 100, "floor once", wild=True),
    "network, colliding scores": _colliding_scores,
    "fooling set, colliding places": _colliding_places,
    "network, many ends": lambda: many_ends(20_000),
    "network, feed-forward": lambda: _network(10, 1, 1, 2000, 250, 1, 1 << 10),
    "generated-run, long": lambda: _long_run(124, 1, 0),
    "generated-run, recurrence": lambda: _long_run(90, 200, 100),
    "generated-run, many runs": lambda: many_runs(500, 2_500),
    "generated-run, queries": lambda: many_queries(2_250),
    "generated-run, too many queries": lambda: many_queries(39_000),
    "generated-run, enormous machine": lambda: long_machine(190_000, 1, 4096),
    "generated-run, long machines": lambda: long_machine(2, 100, 4096),
    "network, wide": lambda: _network(4, 400, 20, 400, 6, 2, 1 << 10, wild=True),
    "network, wide, long numbers": lambda: _network(4, 200, 20, 200, 5, 1, 1 << 99, wild=True),
}
WORST = ("ones", "keys beyond", "deep and closed", "fooling set in pairs", "table, many values", "automaton, deep")
WORST += ("state collision, long words", "state collision, wide")
WORST += (
    "network, exponentials",
    "network, wide",
    "network, many ends",
    "network, colliding scores",
    "fooling set, colliding places",
)
WORST += ("generated-run, long", "generated-run, many runs", "generated-run, queries", "generated-run, enormous machine")


def try_file(name: str) -> RunSummary:
    """Raises AssertionError if the checker is slow, does not answer 0, 1 or 2, or says more than one line."""
    measurement = measured((HOSTILE | NEAR_THE_BOUND)[name]())
    assert measurement.status in ((2,) if name in HOSTILE else (0, 1, 2)), (name, measurement)
    assert measurement.line.count("\n") == 1, (name, measurement)
    assert measurement.errors == "", (name, measurement)
    assert measurement.cpu_seconds < SECONDS, (name, measurement)
    return measurement

"""A hundred hostile files for each reader, read by the command line in a process of its own under limits.

A reader is a command and a file that it reads well. Hostile files are that file cut, with changed bits, lines and numbers, in
other encodings, nested, repeated or long. Each must be refused in one line, or read, within the limits and without a traceback.
"""

import contextlib
import io
import json
import os
import random
import re
import resource
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import seqsep
import seqsep_check
from seqsep.commands.cli import main
from seqsep.lab.run import Run
from seqsep.tasks import IsTree
from seqsep.theorems.retrieval import index_lookup_attention
from support.apply_cases import CASES
from support.certificates.samples import TYPES, of_type
from support.faults.forked_sweep import child
from support.faults.spoiled import fill, row
from support.hotpotqa import entry

FILES = 100
CPU_SECONDS = 10.0
MEBIBYTES = 1024
NUMBERS = (
    "-1",
    "0",
    "2147483648",
    "1e308",
    "1e400",
    "-1e-400",
    "NaN",
    "Infinity",
    "true",
    "null",
    "9" * 4000,
    "9" * 5000,
    '"1e999999999"',
    '"\\ud800"',
    "[]",
    "[" * 950 + "]" * 950,
    '{"a":' * 960 + "1" + "}" * 960,
)
"""Some can be read, but not computed with, or not written again: 5,000 digits are more than Python reads."""
DEEP = 100_000
LONG = 1 << 20


LOAD_NETWORK = "load_network"


class Reader(NamedTuple):
    """The words of a command, in which FILE stands for the file, and a file that it reads.

    Two are no commands of seqsep: certificates go to the checker, and LOAD_NETWORK is the Python function. GOOD and GOOD.rows
    stand for files that are there beside it, an input and no rows.
    """

    words: str
    good: Callable[[], bytes]
    name: str = "FILE"


def rows() -> bytes:
    return b"".join(one.to_json().encode() + b"\n" for one in map(row, range(3)))


def store() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return fill(Path(folder) / "store.db")[0]


def certificate() -> bytes:
    return next(iter(of_type(sorted(TYPES)[0]).values()))


def kept_model() -> bytes:
    run = Run(IsTree(length=4, trace="peel"), ("lstm",), width=8)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        seqsep.save(path, run.model(), run)
        return path.read_bytes()


def network(kind: str) -> Callable[[], bytes]:
    """A built network in a file of this kind."""

    def made() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"network.{kind}"
            seqsep.save_network(path, index_lookup_attention.build(3, 2))
            return path.read_bytes()

    return made


def given_to(theorem: str) -> Callable[[], bytes]:
    """An input of `seqsep apply`, twice."""
    return lambda: (json.dumps(CASES[theorem].given) + "\n").encode() * 2


EXPERIMENT = b'''"""No runs, at any size."""

SIZES = [8, 16, 32]


def runs(preset: str) -> list:
    return [size for size in SIZES if size > 100]
'''
DIMACS = b"c four variables\np cnf 4 3\n1 -2 0\n2 3 -4 0\n-1 4 0\n"
MACHINE = b'{"start": "a", "halt": ["H"], "blank": "_", "rules": {"a": {"0": ["a", "1", "R"], "_": ["H", "_", "S"]}}}\n'
CIRCUIT = json.dumps(CASES["circuits-attention"].given["circuit"]).encode()
CONFIGURATION = json.dumps(
    {
        "model_type": "zamba2",
        "hidden_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "layers_block_type": ["mamba", "hybrid", "mamba"],
        "time_step_limit": [0.0, 1e9],
    }
).encode()
HOTPOTQA = json.dumps([entry(number) for number in range(12)]).encode()
LABELS = json.dumps({"0" * 64: "mine", "1" * 64: "yours"}).encode()
READERS: dict[str, Reader] = {
    "rows": Reader("store import NEW FILE", rows),
    "labels": Reader("store import NEW GOOD.rows", lambda: LABELS, "GOOD.rows.labels.json"),
    "stores": Reader("store show FILE", store),
    "stores repaired": Reader("store repair FILE", store),
    "certificates": Reader("FILE", certificate),
    "experiments": Reader("run FILE.py --store NEW --workers 1", lambda: EXPERIMENT, "FILE.py"),
    "DIMACS": Reader("check sparse-threshold-two-layers --heads 4 --cnf FILE", lambda: DIMACS),
    "machines": Reader("apply turing-machine-hybrid --length 3 --steps 4 --machine FILE --input GOOD", lambda: MACHINE),
    "circuits": Reader("check circuits-attention --length 2 --circuit FILE", lambda: CIRCUIT),
    "graphs": Reader("apply is-tree-hybrid --length 6 --input FILE", given_to("is-tree-hybrid")),
    "inputs": Reader("apply index-lookup-one-layer --length 4 --input FILE", given_to("index-lookup-one-layer")),
    "words": Reader("apply bounded-dyck-state --length 6 --input FILE", given_to("bounded-dyck-state")),
    "kept models": Reader("""generate FILE --prompt {"edges":[[2,4],[1,2],[1,3]]}""", kept_model),
    "networks, safetensors": Reader(LOAD_NETWORK, network("safetensors"), "FILE.safetensors"),
    "networks, npz": Reader(LOAD_NETWORK, network("npz"), "FILE.npz"),
    "networks, json": Reader(LOAD_NETWORK, network("json"), "FILE.json"),
    "configurations of models": Reader("capacity FILE --length 1M", lambda: CONFIGURATION),
    "questions": Reader("text hotpotqa --show --data FILE", lambda: HOTPOTQA),
}


def hostile(good: bytes, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """A hundred files: what was done to the good one, and the bytes."""
    yield from whole_files(good)
    drawn = random.Random(seed)
    made = 22
    for number in range((FILES - made) // 3):
        yield f"cut {number}", good[: drawn.randrange(1, len(good))]
        changed = bytearray(good)
        for _ in range(1 + number % 3):
            changed[drawn.randrange(len(good))] ^= 1 << drawn.randrange(8)
        yield f"bits {number}", bytes(changed)
        yield f"a value {number}", with_another_value(good, drawn)


def whole_files(good: bytes) -> Iterator[tuple[str, bytes]]:
    """The files that do not depend on chance: 22 files."""
    yield "empty", b""
    yield "zeros", bytes(LONG)
    yield "blanks", b" " * LONG
    yield "lines", b"\n" * LONG
    yield "letters", b"a" * LONG
    yield "digits", b"9" * LONG
    yield "no UTF-8", b"\xff" + good
    yield "no UTF-8 at the end", good + b"\xc3"
    yield "a mark of byte order", b"\xef\xbb\xbf" + good
    yield "UTF-16", good.decode("latin-1").encode("utf-16")
    yield "line ends", good.replace(b"\n", b"\r\n") + b"\r"
    yield "separators of Unicode", good.replace(b" ", "\u2028".encode())
    yield "twice", good * 2
    yield "many times", good * 300
    yield "a tail", good + b"tail"
    yield "lists", b"[" * DEEP
    yield "objects", b'{"a":' * DEEP
    yield "brackets", b"(" * DEEP + b")" * DEEP
    yield "a long text", b'"' + b"a" * LONG + b'"'
    yield "a list of numbers", b"[" + b"1," * DEEP + b"1]"
    yield "an object that repeats", b"{" + b'"a": 1, ' * 1000 + b'"a": 2}'
    yield "the first half twice", good[: len(good) // 2] * 2


def with_another_value(good: bytes, drawn: random.Random) -> bytes:
    """One number or text of the file is another one."""
    places = list(re.finditer(rb'"[^"\n]*"|-?\d+(\.\d+)?', good))
    if not places:
        return good + b"\0"
    place = drawn.choice(places)
    return good[: place.start()] + drawn.choice(NUMBERS).encode() + good[place.end() :]


def read(reader: Reader, folder: Path, data: bytes) -> tuple[int, str]:
    """The status of the command in this process, and what it says on stderr."""
    path = folder / reader.name
    path.write_bytes(data)
    (folder / "GOOD.rows").touch()
    (folder / "GOOD").write_text('{"input": "0"}\n', encoding="utf-8")
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        if reader.good is certificate:
            status, line = seqsep_check.check(data)
            errors.write(line if status == 2 else "")
        elif reader.words == LOAD_NETWORK:
            try:
                seqsep.load_network(path)
                status = 0
            except (ValueError, OSError) as error:
                status = 2
                errors.write(str(error))
        else:
            words = [str(folder / word) if word.startswith(("FILE", "NEW", "GOOD")) else word for word in reader.words.split()]
            try:
                status = main(words)
            except SystemExit as error:
                status = int(str(error.code))
    return status, errors.getvalue()


def trial(reader: Reader, data: bytes) -> tuple[str, int]:
    """The fault in how one file is read, empty if there is none; and True if the file was refused."""
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryFile() as told:
        folder = Path(name)

        def work() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (2 * int(CPU_SECONDS), 2 * int(CPU_SECONDS)))
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            status, said = read(reader, folder, data)
            told.write(json.dumps([status, said[:2000]]).encode())
            told.flush()

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        pid = os.fork()
        if pid == 0:
            child(work)
        _, ended, used = os.wait4(pid, 0)
        told.seek(0)
        text = told.read()
    if not text:
        return f"ended with {os.waitstatus_to_exitcode(ended)}", 0
    status, said = json.loads(text)
    wrong = []
    is_refuted = status == 1 and reader.good is certificate
    if not (is_refuted or status in (0, 2, 3)) or "a bug" in said or "Traceback" in said:
        wrong.append(f"status {status}: {said[-200:]}")
    if status in (2, 3) and said.strip().count("\n"):
        wrong.append(f"more than a line: {said[:300]!r}")
    if used.ru_utime + used.ru_stime > CPU_SECONDS:
        wrong.append(f"{used.ru_utime + used.ru_stime:.1f} s")
    if used.ru_maxrss - before > MEBIBYTES << 10:
        wrong.append(f"{(used.ru_maxrss - before) >> 10} MiB")
    return "; ".join(wrong), int(status != 0)


def read_all(every: int = 1, only: str = "") -> dict[str, Any]:
    """Every file of every reader, or each `every`-th; of one reader, if it is named."""
    failures, trials, refused = [], 0, 0
    for name, reader in READERS.items():
        if only not in ("", name):
            continue
        good = reader.good()
        wrong, was_refused = trial(reader, good)
        failures += [f"{name}: its own file is not read: {wrong}"] if wrong or was_refused else []
        files = list(hostile(good))
        assert len(files) == FILES, len(files)
        for what, data in files[::every]:
            wrong, was_refused = trial(reader, data)
            failures += [f"{name}, {what}: {wrong}"] if wrong else []
            trials, refused = trials + 1, refused + was_refused
    return {"trials": trials, "failures": failures, "readers": len(READERS), "refused": refused}

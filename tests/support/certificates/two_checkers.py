"""Files that both checkers are asked about: seqsep_check.py, and seqsep-check-verified, whose rules are proved in Rocq.

Two types have no certificate of the package, so seqsep_check.py does not know them. Their files are made here, and the package
answers by other functions: `Rank.verify` and exact products for `rank`, `message_bits` for `one-layer-message`.
"""

import itertools
import json
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import seqsep_check
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.communication.witnesses import Rank
from seqsep.theorems import BY_NAME
from seqsep.theorems.certificate import certify
from support.certificates.forgeries import FORGERIES
from support.certificates.mutants import mutated
from support.certificates.samples import of_type, seal
from support.machine_checked import message_bits_of_token

KINDS = ("fooling-set", "distinguishing-table")
PRIME = (1 << 31) - 1
CERTIFIED = (
    "bounded-dyck-one-layer",
    "composition-one-layer",
    "counting-state",
    "disjointness-one-layer",
    "two-layer-no-short-protocol",
    "index-lookup-state",
    "is-tree-state",
    "recall-oracle-state",
    "recall-state",
    "retrieval-one-layer",
)


class Asked(NamedTuple):
    """A file, and whether it holds by the package."""

    name: str
    data: bytes
    holds: bool


def verified_answers(program: Path, folder: Path, files: list[Asked]) -> list[tuple[int, str]]:
    """Return the status and the line of seqsep-check-verified for each file."""
    paths = [folder / f"{number}.json" for number in range(len(files))]
    for path, file in zip(paths, files, strict=True):
        path.write_bytes(file.data)
    text = "".join(f"{path}\n" for path in paths)
    printed = subprocess.run([program, "--many"], input=text, capture_output=True, text=True, check=True, timeout=600).stdout
    answers = [line.split(" ", 1) for line in printed.splitlines()]
    assert len(answers) == len(files)
    return [(int(status), line) for status, line in answers]


def disagreements(program: Path, folder: Path, files: list[Asked]) -> list[str]:
    """The names of the files that hold for one checker only."""
    answers = verified_answers(program, folder, files)
    return [file.name for file, (status, _) in zip(files, answers, strict=True) if (status == 0) != file.holds]


def by_python(name: str, data: bytes) -> Asked:
    """A file with the answer of seqsep_check.py."""
    return Asked(name, data, seqsep_check.check(data)[0] == 0)


def certificates() -> list[Asked]:
    """Every certificate of these types that the tests have or that a theorem writes by default; all hold."""
    samples = {name: data for kind in KINDS for name, data in of_type(kind).items()}
    written = {name: certify(name) for name, theorem in BY_NAME.items() if name in CERTIFIED and theorem.certificate_witness}
    return [by_python(name, data) for name, data in (samples | written).items()]


def forged() -> list[Asked]:
    """The forgeries of these types."""
    return [by_python(f"{kind} forgery {number}", one.data()) for kind in KINDS for number, one in enumerate(FORGERIES[kind]())]


def mutants(count: int) -> Iterator[Asked]:
    """Draw this number of changed certificates, half of them of each type, sealed with the right digest."""
    for kind in KINDS:
        given = [json.loads(data) for data in of_type(kind).values()]
        made = 0
        for seed in itertools.count():
            changed = mutated(given[seed % len(given)], seed)
            if changed != given[seed % len(given)]:
                yield by_python(f"{kind} mutant {seed}", seal(changed))
                made += 1
            if made == count // len(KINDS):
                break


def ranks(count: int, seed: int = 0) -> Iterator[Asked]:
    """Minors of random matrices with their inverse, half of them changed at one place."""
    random = np.random.default_rng(seed)
    for number in range(count):
        size = int(random.integers(1, 7))
        matrix = random.integers(0, 4, size=(size + 1, size + 1))
        rows, columns = (np.sort(random.permutation(size + 1)[:size]) for _ in range(2))
        inverse, determinant = _inverse(matrix[rows][:, columns].tolist())
        if number % 2:
            place = random.integers(size, size=2)
            inverse[place[0]][place[1]] += int(random.integers(-1, 2))
            determinant += int(random.integers(-1, 2) == 1)
        witness: dict[str, Any] = {"alice": [0], "rows": rows[:, None].tolist(), "columns": columns[:, None].tolist()}
        witness |= {"inverse": inverse, "determinant": determinant}
        product = matrix[rows][:, columns].astype(object) @ np.array(inverse, dtype=object)
        holds = determinant != 0 and bool((product == determinant * np.eye(size, dtype=object).astype(int)).all())
        if holds:
            Rank(matrix.astype(np.int64), rows, columns, PRIME).verify()
        claims = {"bits": ceil_log2(size), "rank": size}
        task = {"name": "table", "alphabets": list(matrix.shape), "values": matrix.reshape(-1).tolist()}
        yield Asked(f"rank {number}", _sealed("rank", "rank-cost", task, witness, claims), holds)


def _inverse(minor: list[list[int]]) -> tuple[list[list[int]], int]:
    """A whole matrix and d: the minor times the matrix is d times the unit matrix; d is 0 if the minor is singular."""
    size = len(minor)
    rows = [[*map(Fraction, row), *(Fraction(int(i == j)) for j in range(size))] for i, row in enumerate(minor)]
    for place in range(size):
        pivot = next((i for i in range(place, size) if rows[i][place]), None)
        if pivot is None:
            return [[0] * size for _ in range(size)], 0
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [entry / rows[place][place] for entry in rows[place]]
        for i in range(size):
            if i != place:
                rows[i] = [a - rows[i][place] * b for a, b in zip(rows[i], rows[place], strict=True)]
    entries = [row[size:] for row in rows]
    scale = int(np.lcm.reduce([entry.denominator for row in entries for entry in row]))
    return [[int(scale * entry) for entry in row] for row in entries], scale


def layers(count: int, seed: int = 0) -> Iterator[Asked]:
    """One-layer messages of random sizes next to the bits of equality; a third claims one bit more or less than is right."""
    random = np.random.default_rng(seed)
    for number in range(count):
        length, alphabet = 2 * int(random.integers(1, 300)), int(random.integers(1, 9))
        sizes = {name: int(random.integers(1, most)) for name, most in (("heads", 4), ("width", 6), ("vocabulary", 9))}
        sizes |= {"steps": int(random.integers(2, 100)), "nearest": number % 2}
        message = message_bits_of_token(
            sizes["nearest"], length, sizes["heads"], sizes["width"], sizes["vocabulary"], sizes["steps"]
        )
        bits = ceil_log2(alphabet ** (length // 2))
        spoiled = number % 3 == 0
        claims = {"bits": bits, "message_bits": message + (int(random.choice((-1, 1))) if spoiled else 0)}
        task = {"name": "equality", "alphabet": alphabet, "length": length}
        data = _sealed("one-layer-message", "one-layer-protocol", task, sizes, claims)
        yield Asked(f"layer {number}", data, message < bits and not spoiled)


def _sealed(kind: str, theorem: str, task: dict[str, Any], witness: dict[str, Any], claims: dict[str, int]) -> bytes:
    body = {"format": "seqsep-certificate", "precision": 0, "rounding": "none", "version": 1}
    return seal(body | {"type": kind, "theorem": theorem, "task": task, "witness": witness, "claims": claims})

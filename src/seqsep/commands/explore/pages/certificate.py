"""The page of a certificate: `seqsep_check` checks the file, and the witness is drawn if it is small.

A file is sent by a form. Or the page writes a certificate of a theorem, and on request changes one number of it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import seqsep_check
from seqsep.commands.explore.forms import taken
from seqsep.commands.explore.pages.theorem import START, STARTS
from seqsep.commands.explore.squares import DrawnSquares, squares_of
from seqsep.commands.explore.uploads import Upload
from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.core.names import BadInput, choose, printable, text_of
from seqsep.theorems import BY_NAME
from seqsep.theorems.certificate.write import certify

DEFAULT = "index-lookup-state"
MOST_DRAWN = 64
MOST_TEXT = 20_000
MOST_WORDS = 40
GRAPHS = 3
"""The graphs of a certificate of IsTree: the checker takes 0.1 s for each."""
VERDICTS = {0: "holds", 1: "rejected", 2: "not a certificate, or too large to check"}
PROVES: Mapping[str, str] = {
    "distinguishing-table": "Every two rows differ in a column. So a recurrent model that is right on these inputs has a state "
    "of its own after each row: at least log2 of the number of rows, in bits.",
    "fooling-set": "All words on the diagonal have one value, and of every two of them a mixed word has another value. So "
    "every protocol between the two parties needs at least log2 of their number, in bits.",
    "automaton": "This automaton is right on words of every length, and no two of its states can be merged. So it has the "
    "least number of states.",
    "state-collision": "Two words with different answers leave this recurrence in one state. So it answers one of them "
    "wrongly.",
    "network": "A network with these weights, run in exact arithmetic on its grid, answers all of these inputs rightly.",
    "generated-run": "A network with these weights, run in exact arithmetic on its grid, writes these tokens by itself, and "
    "the answer at their end is right.",
}
"""For each type, what a certificate that holds shows."""
DOES_NOT: Mapping[str, str] = {
    "distinguishing-table": "This does not show how a model could be built, and says nothing about other lengths.",
    "fooling-set": "This does not show that this number of bits is enough, and says nothing about other lengths.",
    "automaton": "This says nothing about models whose state depends on the time.",
    "state-collision": "This says nothing about other recurrences.",
    "network": "This says nothing about other inputs, unless the claim `all` is 1, or about other lengths.",
    "generated-run": "This says nothing about other prompts, unless the claim `all` is 1, or about other lengths.",
}


@dataclass(frozen=True)
class CheckedCertificate:
    """A certificate with the checker's answer; `fields` are empty for a file that is not JSON."""

    status: int
    line: str
    size: int
    fields: tuple[tuple[str, str], ...]
    kind: str
    drawn: DrawnSquares | None
    words: tuple[str, ...]
    text: str

    @property
    def verdict(self) -> str:
        """The checker's answer in words."""
        return VERDICTS[self.status]


def content(visit: Visit) -> PageContent:
    """Return the page of a theorem's certificate, or of a file that a form sends."""
    names = [name for name, theorem in BY_NAME.items() if theorem.certificate_witness is not None]
    error = ""
    found = None
    name = choose("theorem", visit.name or visit.asked("theorem", DEFAULT), names)
    spoiled = visit.asked("spoil") == "yes"
    try:
        if visit.body is None:
            data = written(name)
            found = checked(spoil(data) if spoiled else data)
        else:
            upload = Upload(visit.body, visit.kind)
            found = checked(_sent(upload))
    except (BadInput, ValueError) as wrong:
        error = text_of(wrong)
    values = {
        "names": names,
        "name": name,
        "found": found,
        "spoiled": spoiled,
        "proves": PROVES,
        "does_not": DOES_NOT,
        "sent": visit.body is not None,
    }
    command = f"seqsep certify {name} -o certificate.json; python -I -S seqsep_check.py certificate.json"
    return PageContent(f"Certificate of {name}", "certificate.html", values, error=error, command=command)


def _sent(upload: Upload) -> bytes:
    data = upload.fields.get("file", b"").strip()
    return data or upload.require("text", "a file or a text").strip()


def written(name: str) -> bytes:
    """Return a small certificate of a theorem.

    >>> checked(written("equality-state")).verdict
    'holds'
    """
    options = BY_NAME[name].options_of("certify")
    start = {**START, **STARTS.get(name, {}), "graphs": GRAPHS}
    return certify(name, **taken(options, start))


def spoil(data: bytes) -> bytes:
    """Return the certificate with one whole number of its witness changed by 1, and with a digest that fits.

    Of the numbers that are last in a part of the witness, the first is taken with which the checker rejects the certificate.

    >>> checked(spoil(written("equality-state"))).verdict
    'rejected'
    """
    parts = sorted(json.loads(data)["witness"], key=lambda part: (part not in ("answers", "words", "rows", "table"), part))
    changed = data
    for part in parts:
        certificate = json.loads(data)
        if not _change(certificate["witness"], [part]):
            continue
        certificate["digest"] = seqsep_check.digest(certificate)
        changed = bytes(seqsep_check.canonical(certificate))
        if seqsep_check.check(changed)[0] == 1:
            break
    return changed


def _change(value: Any, places: Sequence[Any]) -> bool:
    """Change the last whole number at these places of a list or an object; return True if there was one."""
    for place in reversed(places):
        inside = value[place]
        if isinstance(inside, dict | list) and _change(
            inside, sorted(inside) if isinstance(inside, dict) else range(len(inside))
        ):
            return True
        if isinstance(inside, int):
            value[place] = inside - 1 if inside > 0 else inside + 1
            return True
    return False


def checked(data: bytes) -> CheckedCertificate:
    """Return what the checker says of a file, with its fields and a picture of its witness if it has them."""
    status, line = seqsep_check.check(data)
    certificate = _read(data) if status != 2 else {}
    kind = str(certificate.get("type", ""))
    drawn = _drawn(certificate) if status == 0 else None
    words = _words(certificate) if status == 0 else ()
    text = data.decode("ascii", "replace") if len(data) <= MOST_TEXT else ""
    return CheckedCertificate(status, line, len(data), _fields(certificate), kind=kind, drawn=drawn, words=words, text=text)


def _read(data: bytes) -> dict[str, Any]:
    found = json.loads(data)
    return found if isinstance(found, dict) else {}


def _fields(certificate: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the fields besides the witness, as short texts."""
    names = ("theorem", "type", "task", "claims", "precision", "rounding", "version", "digest")
    return tuple((name, printable(_short(certificate[name]), kept="")) for name in names if name in certificate)


def _short(value: Any) -> str:
    text = ", ".join(f"{key} {part}" for key, part in value.items()) if isinstance(value, dict) else str(value)
    return text if len(text) <= 200 else f"{text[:198]} .."


def _drawn(certificate: Mapping[str, Any]) -> DrawnSquares | None:
    """Draw a table that distinguishes states, or a fooling set, as a matrix; None for others, or for a large one."""
    kind = certificate["type"]
    witness = certificate["witness"]
    if kind not in ("distinguishing-table", "fooling-set"):
        return None
    task = seqsep_check.TASKS[certificate["task"]["name"]](certificate["task"])
    alice = witness["alice"]
    bob = [place for place in range(len(task.alphabets)) if place not in alice]
    if kind == "distinguishing-table":
        rows = witness["rows"]
        columns = witness["columns"]
    else:
        rows = [[word[place] for place in alice] for word in witness["words"]]
        columns = [[word[place] for place in bob] for word in witness["words"]]
    if len(rows) > MOST_DRAWN or len(columns) > MOST_DRAWN:
        return None
    values = np.array([[task.solve(_joined(alice, row, bob, column)) for column in columns] for row in rows], dtype=np.float64)
    top = max(1.0, float(values.max()))
    names = [" ".join(map(str, row)) for row in rows]
    of_columns = [" ".join(map(str, column)) if len(column) <= 2 else str(place) for place, column in enumerate(columns, 1)]
    return squares_of("witness", "The witness as a matrix", values / top, rows=names, columns=of_columns, unit="not 0")


def _joined(alice: list[int], row: list[int], bob: list[int], column: list[int]) -> list[int]:
    letters = dict(zip([*alice, *bob], [*row, *column], strict=True))
    return [letters[place] for place in sorted(letters)]


def _words(certificate: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the inputs and answers of a network's certificate, a line each, up to 40."""
    witness = certificate["witness"]
    if certificate["type"] not in ("network", "generated-run"):
        return ()
    pairs = list(zip(witness["inputs"], witness["answers"], strict=True))[:MOST_WORDS]
    return tuple(f"{' '.join(map(str, word))} → {_answer(answer)}" for word, answer in pairs)


def _answer(answer: Any) -> str:
    return " ".join(map(str, answer)) if isinstance(answer, list) else str(answer)

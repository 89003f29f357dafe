"""A forgery by hand: a sample, what is changed in it, the status, and a part of the line that says why.

A change is (path, value); the value is put there, or called on what is there. The digest is made anew.
"""

import copy
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from support.certificates.samples import samples, seal

Change = tuple[str, Any]
REMOVED = object()


class Forgery(NamedTuple):
    sample: str
    changes: tuple[Change, ...]
    status: int
    why: str

    def data(self) -> bytes:
        changed = json.loads(samples()[self.sample])
        for path, value in self.changes:
            put(changed, path, value)
        return seal(changed)


def put(tree: Any, path: str, value: Any) -> None:
    *way, last = [int(step) if step.lstrip("-").isdigit() else step for step in path.split(".")]
    for step in way:
        tree = tree[step]
    if value is REMOVED:
        del tree[last]
    elif callable(value):
        tree[last] = value(copy.deepcopy(tree[last]))
    else:
        tree[last] = value


def repeated(entries: list) -> list:
    return [*entries, entries[0]]


def without_last(entries: list) -> list:
    return entries[:-1]


def wider(entries: list) -> list:
    """Return a vector with one more number, or a matrix with one more row; both are 0."""
    return [*entries, [0] * len(entries[0]) if isinstance(entries[0], list) else 0]


def columns(change: Callable[[list], list]) -> Callable[[list], list]:
    """Return the change of each row of a matrix."""
    return lambda rows: [change(row) for row in rows]


def add(number: int) -> Callable[[int], int]:
    return lambda value: value + number


def forge(sample: str, *changes: Change, why: str, status: int = 1) -> Forgery:
    return Forgery(sample, changes, status, why)


def outer(sample: str, task: str, field: str) -> list[Forgery]:
    """The part that every type has in common."""
    return [
        forge(sample, ("theorem", "index-lookup"), why="no such theorem"),
        forge(sample, ("theorem", ["built-network"]), why="no such theorem"),
        forge(sample, ("theorem", "one-way-cost" if "network" in sample else "built-network"), why="not the type"),
        forge(sample, ("type", "Network"), why="not the type"),
        forge(sample, ("task.name", "bounded-deck"), why="not a task"),
        forge(sample, ("task.name", 7), why="not a task"),
        forge(sample, ("task", [task]), why="must be objects"),
        forge(sample, ("witness", []), why="must be objects"),
        forge(sample, ("claims", []), why="must be objects"),
        forge(sample, ("task.depths", 1), why="task must be an object with exactly the fields"),
        forge(sample, ("witness.more", 1), why="witness must be an object with exactly the fields"),
        forge(sample, ("claims.more", 1), why="claims"),
        forge(sample, ("claims", {}), why="complete" if "fooling" in sample else "claims"),
        forge(sample, ("precision", add(1)), why="claims"),
        forge(sample, ("precision", False), why="claims"),
        forge(sample, ("rounding", "down" if "collision" in sample else "floor"), why="not a rounding"),
        forge(sample, (f"claims.{field}", add(1)), why="claims"),
        forge(sample, (f"claims.{field}", add(-1)), why="claims"),
        forge(sample, (f"claims.{field}", str), why="claims"),
        forge(sample, ("version", 2), why="version 1", status=2),
        forge(sample, ("version", True), why="version 1", status=2),
        forge(sample, ("format", "certificate"), why="not a seqsep-certificate", status=2),
        forge(sample, ("more", 1), why="not the fields of a certificate", status=2),
        forge(sample, ("theorem", REMOVED), why="not the fields of a certificate", status=2),
        forge(sample, (f"claims.{field}", float), why="not canonical", status=2),
        forge(sample, (f"claims.{field}", None), why="claims"),
    ]

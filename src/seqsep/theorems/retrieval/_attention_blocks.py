"""COPY, COUNT, Match, MatchClose, MatchNearest and MatchNext from their definitions, and the inputs that test them.

Position 0 is the sink, with the keys 0. Position k >= 1 has a key, the key that it asks for, a place that it wants to be near
to, and a counter. The answer of a block is the place that it reads: the value of position j is j.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int64

from seqsep.theorems.base import symbols_in

BLOCKS = ("copy", "count", "match", "match-close", "match-nearest", "match-next")
FIELDS = {
    "copy": (),
    "count": ("own", "asked"),
    "match": ("own", "asked"),
    "match-close": ("own", "asked"),
    "match-nearest": ("own", "asked", "near"),
    "match-next": ("own", "asked", "counter"),
}
"""For each block, the inputs of its answer besides the position."""


class Positions(NamedTuple):
    """The keys, places and counters at the positions 0 .. T of one sequence."""

    own: list[int]
    asked: list[int]
    near: list[int]
    counter: list[int]

    def vectors(self) -> Int64[np.ndarray, "time 8"]:
        """Each number with its square, a row a position."""
        columns = np.array(self, dtype=np.int64)
        return np.stack([columns, columns**2], axis=1).reshape(-1, columns.shape[1]).T

    def readable(self) -> Mapping[str, Any]:
        """The fields by name."""
        return self._asdict()


def answer(block: str, given: Positions, here: int, back: int) -> int:
    """The right answer of a block at position `here`: a place, 0 for the sink, or for COUNT the number of matches.

    * copy: the position `back` places before, or the first one if there is none;
    * count: how many positions so far have the key asked for;
    * match, match-close: the first, or the last, of these; the sink if there is none;
    * match-nearest: the one nearest to the place wanted, the earlier of two equally near; the sink if there is none;
    * match-next: the first of them whose counter is one more than the own one; the sink if there is none.

    >>> given = Positions(own=[0, 5, 7, 5], asked=[0, 5, 5, 5], near=[0, 0, 0, 2], counter=[0, 1, 1, 0])
    >>> [answer(block, given, here=3, back=1) for block in BLOCKS]
    [2, 2, 1, 3, 1, 1]
    """
    if block == "copy":
        return max(here - back, 0)
    matches = [j for j in range(1, here + 1) if given.own[j] == given.asked[here]]
    if block == "count":
        return len(matches)
    if block == "match-next":
        matches = [j for j in matches if given.counter[j] == given.counter[here] + 1]
    if not matches:
        return 0
    if block == "match-close":
        return matches[-1]
    if block == "match-nearest":
        return min(matches, key=lambda j: (abs(j - given.near[here]), j))
    return matches[0]


def read(given: Mapping[str, Any], block: str, greatest: int, most: int) -> Positions:
    """A user's lists of numbers 0 .. V = `greatest` at the positions from 1 on; the sink is put before them.

    Fields that the block does not depend on are not read, except `own`. Raises ValueError with the field's name.

    >>> read({"own": [5, 7], "asked": [5, 5]}, "match", greatest=9, most=4).asked
    [0, 5, 5]
    """
    own = symbols_in(given, "own", greatest + 1, most=most)
    columns = {name: [0] * len(own) for name in Positions._fields} | {"own": own}
    for name in FIELDS[block]:
        columns[name] = symbols_in(given, name, greatest + 1, least=len(own), most=len(own))
    return Positions(**{name: [0, *column] for name, column in columns.items()})


def every_input(block: str, length: int) -> Iterator[Positions]:
    """Every sequence of positions 1 .. T over two keys, counters 0 to 2 and all places, as far as the block depends on them."""
    ranges = {"own": (1, 2), "asked": (1, 2), "near": range(length + 1), "counter": range(3)}
    used = FIELDS[block]
    for rows in itertools.product(itertools.product(*(ranges[name] for name in used)), repeat=length):
        columns = {name: [0] * (length + 1) for name in ranges}
        for place, name in enumerate(used):
            columns[name] = [0, *(row[place] for row in rows)]
        yield Positions(**columns)


def drawn(length: int, keys: int, count: int, seed: int) -> Iterator[Positions]:
    """Random sequences over `keys` keys, with counters 0 to 3 and places 0 .. T."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        own = random.integers(1, keys + 1, size=length)
        asked = random.integers(1, keys + 1, size=length)
        near = random.integers(length + 1, size=length)
        counter = random.integers(4, size=length)
        yield Positions(*([0, *column.tolist()] for column in (own, asked, near, counter)))

"""For each theorem with weights to apply: options, an input, its answer, and inputs that must be refused."""

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

from seqsep.theorems import canary
from seqsep.theorems.canary.vocabulary import BOS
from seqsep.theorems.circuits._circuit import PARITY


class Case(NamedTuple):
    """Options of the predictor, an input, and what is answered (of a thought only the answer is compared).

    The answer is the same without the `optional` fields of the input.
    """

    options: dict[str, Any]
    given: dict[str, Any]
    answer: Any
    optional: tuple[str, ...] = ()


LOOKED_UP = Case({"length": 4}, {"symbols": [3, 1, 2, 1], "position": 3}, 2)
RECALLED = Case({"length": 4}, {"tokens": [3, 1, 3, 2], "query": [3]}, 1)
COUNTED = Case({"length": 4}, {"tokens": [2, 0, 2, 1], "query": 2, "threshold": 1}, 1)
EQUAL = Case({"length": 4}, {"left": [0, 1], "right": [0, 1]}, 1)
TREE = Case({"length": 6}, {"vertices": 6, "edges": [[2, 6], [1, 5], [3, 5], [4, 6], [2, 3]]}, 1, ("vertices",))
RUN = Case(
    {"length": 5, "machine": "binary-increment", "steps": 17},
    {"input": "1011"},
    {"state": "H", "halted": True, "steps": 8, "tape": "1100", "head": 2},
)
PARITY_OF_BITS = Case({"length": 4}, {"bits": [1, 0, 1, 1]}, 1)
CASES: dict[str, Case] = {
    "index-lookup-attention": LOOKED_UP,
    "index-lookup-one-layer": LOOKED_UP,
    "index-lookup-state": LOOKED_UP,
    "index-lookup-hybrid": LOOKED_UP,
    "attention-blocks": Case({"length": 4}, {"own": [3, 1, 3], "asked": [3, 3, 1]}, [1, 1, 2]),
    "recall-attention": RECALLED,
    "recall-hybrid": RECALLED,
    "recall-state": RECALLED,
    "counting-attention": COUNTED,
    "counting-hybrid": COUNTED,
    "counting-one-layer": COUNTED,
    "counting-state": COUNTED,
    "retrieval-by-pattern": RECALLED,
    "recall-oracle-state": Case({"length": 4, "alphabet": 4}, {"symbols": [3, 1, 2, 1], "position": 3}, 2),
    "associative-recall-state": Case({"length": 2}, {"pairs": [[1, 40], [0, 7]], "query": 1}, 40),
    "equality-two-layers": EQUAL,
    "equality-state": EQUAL,
    "equality-one-layer": EQUAL,
    "relabelled-equality-two-layers": Case({"length": 4}, {"left": [0, 1], "right": [0, 1]}, 0),
    "sparse-threshold-two-layers": Case({"length": 4}, {"bits": [1, 0, 1, 0]}, 1),
    "disjointness-one-layer": Case({"length": 4}, {"left": [0, 1], "right": [1, 1]}, 1),
    "nearest-neighbor-two-layers": Case(
        {"length": 4}, {"points": [[0.6, 0.8], [0.8, -0.6]], "labels": [5, 7], "query": [0.8, -0.6]}, 7
    ),
    "bounded-dyck-attention": Case({"length": 6}, {"string": "([])"}, 1),
    "bounded-dyck-state": Case({"length": 6}, {"string": "([])"}, 1),
    "is-tree-state": TREE,
    "is-tree-peeling": TREE,
    "is-tree-tour": TREE,
    "is-tree-one-layer": TREE,
    "is-tree-hybrid": TREE,
    "is-tree-walk": TREE,
    "turing-machine-hybrid": RUN,
    "turing-machine-retrieval": RUN,
    "turing-machine-recurrent": RUN,
    "circuits-attention": Case({"length": 4}, {"circuit": PARITY, "input": [1, 1, 0]}, 0),
    "parity-recurrent": PARITY_OF_BITS,
    "delta-parity-in-floats": PARITY_OF_BITS,
    "modular-count-attention": PARITY_OF_BITS,
    "nonnegative-diagonal-parity": Case({"end": 4}, {"ones": 31}, 1),
    "dihedral-reflections": Case({"length": 4, "degree": 3}, {"letters": [[1, 2, 0], [0, 2, 1]]}, [2, 1, 0]),
    "symmetric-reflections": Case({"length": 4, "points": 3}, {"letters": [[1, 0, 2], [0, 2, 1]]}, [2, 0, 1]),
    "solvable-phases": Case({"length": 4, "degree": 3}, {"letters": [[1, 2, 0], [1, 0, 2]]}, [0, 2, 1]),
    "reflections-per-token": Case({"length": 4}, {"letters": [[1, 2, 0, 3], [1, 0, 3, 2]]}, [0, 3, 1, 2]),
    "parity-conditioned-recall-hybrid": Case({"length": 3, "alphabet": 8}, {"pairs": [[2, 7], [0, 4]], "query": 2}, 0),
    "state-based-recall-hybrid": Case(
        {"length": 3, "cells": 3, "alphabet": 9}, {"values": [7, 5, 8], "permutations": [[1, 2, 0], [1, 2, 0]]}, 8
    ),
    "rotary-previous-token": Case({"length": 4}, {"symbols": [3, 1, 2, 1]}, [3, 1, 2]),
    **dict.fromkeys(canary.PLACES, Case({}, {"tokens": [BOS]}, "ack")),
}
"""By the theorem's name."""

NAN = float("nan")
WRONG = (
    None,
    True,
    -1,
    99,
    10**30,
    1.5,
    NAN,
    "?",
    [True],
    [1.0],
    ["1"],
    [None],
    [[1, 2]],
    [-1],
    [99],
    [10**30],
    [NAN],
    {"a": 1},
)
WRONG_ENTRIES = (None, True, -1, 99, 10**30, 1.5, NAN, "1", [], [1], [1, 2, 3], [True, 2], {})


def hostile(given: dict[str, Any], optional: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """The input with a field missing that is not `optional`, of another kind, or with an entry (of an entry, too) of another
    kind or beyond all range.

    Two entries more than any case has room for, and one fewer of a list whose length another field says, are among them.
    """
    for name, value in given.items():
        if name not in optional:
            yield {other: kept for other, kept in given.items() if other != name}
        others = [one for one in WRONG if type(one) is not type(value) or one != value]
        for wrong in (*others, *_with_wrong_entries(value)):
            yield {**given, name: wrong}


def _with_wrong_entries(value: Any) -> Iterator[Any]:
    if isinstance(value, str):
        yield value * 9
        yield value + "?"
    if isinstance(value, list):
        yield value * 9
        for place, entry in enumerate(value):
            for wrong in (*(one for one in WRONG_ENTRIES if one != entry), *_with_wrong_entries(entry)):
                changed = copy.deepcopy(value)
                changed[place] = wrong
                yield changed

"""The range of each size that a theorem's functions take as an option: from LEAST, or what LEAST_OF has, to `base.MOST`.

A theorem may ask for more than a range says: that a length is even, that heads divide a width. It says so by itself.
"""

from collections.abc import Mapping
from typing import Any

from seqsep.theorems.base import MOST, Theorem, shown_briefly

LEAST: Mapping[str, int] = dict.fromkeys(MOST, 1) | {
    "circuits": 0,
    "gram": 2,
    "graphs": 0,
    "machines": 0,
    "steps": 0,
    "thought": 0,
    "words": 0,
}
"""The least value of each size. So many of what is drawn may be none where others are tried in any case."""

LEAST_OF: Mapping[str, Mapping[str, int]] = {
    "log-space-code": {"length": 2},
    "linear-attention-state": {"precision": 32, "alphabet": 2},
    "counting-state": {"length": 2},
    "retrieval-one-layer": {"length": 3},
    "composition-one-layer": {"length": 2},
    "induction-one-layer": {"length": 2, "alphabet": 3},
    "recall-state": {"length": 2},
    "recall-oracle-state": {"length": 2},
    "equality-two-layers": {"length": 2},
    "relabelled-equality-two-layers": {"length": 2},
    "equality-state": {"length": 2, "alphabet": 2},
    "two-layer-no-short-protocol": {"length": 2},
    "two-layer-total-size": {"length": 4},
    "disjointness-one-layer": {"length": 2},
    "nearest-neighbor-two-layers": {"length": 2},
    "nearest-neighbor-state": {"length": 2},
    "bounded-dyck-state": {"length": 2},
    "bounded-dyck-one-layer": {"length": 2, "precision": 4},
    "is-tree-state": {"length": 2},
    "is-tree-peeling": {"length": 2},
    "is-tree-tour": {"length": 2},
    "is-tree-one-layer": {"length": 2},
    "is-tree-hybrid": {"length": 2},
    "is-tree-walk": {"length": 2},
    "turing-machine-hybrid": {"length": 0},
    "turing-machine-retrieval": {"length": 0},
    "turing-machine-recurrent": {"length": 0, "machines": 1},
}
"""Where a theorem begins at another value: IsTree at two vertices, equality at two halves."""


def least(theorem: str, option: str) -> int | None:
    """The least value of a size of this theorem; None for an option that is no size.

    >>> least("is-tree-state", "length"), least("index-lookup-state", "length"), least("index-lookup-state", "seed")
    (2, 1, None)
    """
    return LEAST_OF.get(theorem, {}).get(option, LEAST.get(option))


def require_ranges(theorem: Theorem, call: str, options: Mapping[str, Any]) -> None:
    """Raise ValueError for a size out of its range, or a fraction nearer to 0 than 2^-30, before anything is built.

    >>> from seqsep.theorems import BY_NAME
    >>> require_ranges(BY_NAME["is-tree-peeling"], "check", {"length": 1})
    Traceback (most recent call last):
    ValueError: check is-tree-peeling: length is at least 2, found 1
    """
    theorem.require_sizes(call, options)
    for name, value in options.items():
        low = least(theorem.name, name)
        if isinstance(value, int) and not isinstance(value, bool) and low is not None and value < low:
            raise ValueError(f"{call} {theorem.name}: {name.replace('_', '-')} is at least {low}, found {shown_briefly(value)}")

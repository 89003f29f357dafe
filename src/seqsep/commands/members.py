"""The members of the registries, known without importing them, as torch takes seconds to import.

They are read from members.json, which `python -m pages` generates from the registries; a test compares the two.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

Record = dict[str, Any]
REGISTRIES = ("tasks", "mixers", "theorems", "experiments")


@cache
def _all() -> dict[str, list[Record]]:
    members: dict[str, list[Record]] = json.loads(Path(__file__).with_name("members.json").read_text(encoding="utf-8"))
    return members


def members(registry: str) -> list[Record]:
    """Every member of a registry, in its order: name, summary, and what else `seqsep list` prints.

    >>> members("experiments")[2]["presets"]["quick"]
    18
    """
    return _all()[registry]


def names(registry: str) -> list[str]:
    """The names of a registry's members.

    >>> names("tasks")[:2]
    ['associative-recall', 'bounded-dyck']
    """
    return [record["name"] for record in members(registry)]

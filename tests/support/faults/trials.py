"""Trials in an interpreter of their own, started in tests/; prints JSON.

python -m support.faults.trials KIND NUMBER ... [-- KIND NUMBER ...]; the kind `tests` takes files of tests in place of numbers.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from support.faults import attacked, disk, hostile_files, kills, long_driver, many_rows, plug_in_attacks, readers, spoiled

KINDS: dict[str, Callable[..., dict[str, Any]]] = {
    "kills": kills.kills,
    "pruned": kills.pruned,
    "points": kills.points,
    "disk": disk.full,
    "readers": readers.readers,
    "stores": spoiled.stores,
    "logs": spoiled.logs,
    "checkpoints": spoiled.checkpoints,
    "soak": long_driver.soak,
    "files": hostile_files.read_all,
    "rows": many_rows.rows,
    "attacks": plug_in_attacks.contained,
    "tests": attacked.attacked,
}


def words_and_numbers(words: list[str]) -> list[int | str]:
    """The arguments of a kind: numbers, or files of tests."""
    return [int(word) if word.isdecimal() else word for word in words]


if __name__ == "__main__":
    asked = [words.split() for words in " ".join(sys.argv[1:]).split("--")]
    print(json.dumps({kind: KINDS[kind](*words_and_numbers(numbers)) for kind, *numbers in asked}))

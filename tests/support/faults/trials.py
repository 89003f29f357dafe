"""Trials in an interpreter of their own, started in tests/; prints JSON.

python -m support.faults.trials KIND NUMBER ... [-- KIND NUMBER ...]
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from support.faults import disk, hostile_files, kills, long_driver, many_rows, plug_in_attacks, readers, spoiled

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
}

if __name__ == "__main__":
    asked = [words.split() for words in " ".join(sys.argv[1:]).split("--")]
    print(json.dumps({kind: KINDS[kind](*map(int, numbers)) for kind, *numbers in asked}))

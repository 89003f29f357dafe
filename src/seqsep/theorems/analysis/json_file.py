"""The data of a small JSON file, which may be a network, an automaton or a truth table."""

import json
from pathlib import Path
from typing import Any

from seqsep.core.files import read_text
from seqsep.core.names import BadInput
from seqsep.models.network_file import SUFFIXES
from seqsep.theorems.analysis.automaton_file import is_automaton

MOST_BYTES = 1 << 24


def is_network_file(target: str) -> bool:
    """Return True for the name of a network's file: one with its ending that has no truth table and no automaton."""
    path = Path(target)
    if path.suffix not in SUFFIXES:
        return False
    data = small_json(path)
    return not isinstance(data, list | str) and not is_automaton(data)


def small_json(path: Path) -> Any:
    """Return the data of a JSON file of at most 16 MiB; None if it is another file."""
    if path.suffix != ".json" or (path.is_file() and path.stat().st_size > MOST_BYTES):
        return None
    try:
        return json.loads(read_text(path, most=MOST_BYTES))
    except BadInput:
        raise
    except (ValueError, RecursionError):
        return None

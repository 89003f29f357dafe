"""`seqsep store`: what a store holds, and the repair of a damaged one."""

import argparse
import json
import sys
from typing import Any

from seqsep.lab.store.repair import repair
from seqsep.lab.store.store import Store


def show(options: argparse.Namespace) -> int:
    """Print what the store holds, by experiment. Raises StoreError where it is damaged."""
    with Store(options.path, create=False) as store:
        _, checkpoints = store.contents()
        rows = store.rows()
    record: dict[str, Any] = {"store": str(options.path), "rows": len(rows), "checkpoints": len(checkpoints), "experiments": {}}
    for row in rows:
        counts = record["experiments"].setdefault(row.experiment, {"finished": 0, "pruned": 0, "failed": 0})
        counts["finished" if row.finished else "pruned" if row.has_outcome else "failed"] += 1
    if options.json:
        print(json.dumps(record, ensure_ascii=False))
    else:
        print(f"{options.path}: sound; {_count(len(rows), 'row')}, {_count(len(checkpoints), 'checkpoint')} of unfinished runs")
        for name, counts in record["experiments"].items():
            print(f"  {name}: {', '.join(f'{number} {word}' for word, number in counts.items() if number or word != 'pruned')}")
    return 0


def mend(options: argparse.Namespace) -> int:
    """Repair the store and print what was kept and lost; returns 1 where something was lost. Raises StoreError where
    nothing is left."""
    found = repair(options.path)
    if options.json:
        damaged = None if found.damaged is None else str(found.damaged)
        counts = {"rows": found.runs, "checkpoints": found.checkpoints}
        print(json.dumps({"store": str(options.path), **counts, "lost": found.lost, "damaged": damaged}, ensure_ascii=False))
    elif found.damaged is None:
        print(
            f"{options.path}: sound; {_count(found.runs, 'row')}, {_count(found.checkpoints, 'checkpoint')}; nothing to repair"
        )
    else:
        kept = f"{_count(found.runs, 'row')} and {_count(found.checkpoints, 'checkpoint')} kept"
        print(f"{options.path}: {kept}, {len(found.lost)} lost; the damaged file is {found.damaged}")
    for lost in () if options.json else found.lost:
        print(f"lost: {lost}; it is trained again by its sweep", file=sys.stderr)
    return 1 if found.lost else 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

"""A sample of every fault trial (`make verify` runs them whole, tests/long_faults.py): nothing lost, repeated or changed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from seqsep.lab.store.store import Store
from support.faults import many_rows, plug_in_attacks, spoiled

TESTS = Path(__file__).parents[1]
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="orphans are found in /proc")


def sample(*asked: str) -> dict[str, Any]:
    """In an interpreter of its own, which forks: pytest's has threads, and with more than one OpenMP's would hang a child."""
    command = [sys.executable, "-m", "support.faults.trials", *" -- ".join(asked).split()]
    one = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=TESTS, env=one)
    assert done.returncode == 0, done.stderr[-2000:]
    results = json.loads(done.stdout)
    assert {kind: trials["failures"] for kind, trials in results.items()} == {words.split()[0]: [] for words in asked}
    return results


@pytest.mark.slow
@needs_proc
@pytest.mark.timeout(330)
def test_kills_at_random_and_at_named_points_and_drawn_faults() -> None:
    results = sample("kills 1", "pruned 1", "points 1 6", "soak 8")
    assert [results[kind]["trials"] for kind in ("kills", "pruned", "points")] == [1, 1, 3]
    assert max(results[kind]["longest_orphan_seconds"] for kind in ("kills", "pruned", "points")) < 5
    assert results["soak"]["trials"] > 0
    assert results["soak"]["sweeps of one driver"] > 0


@pytest.mark.slow
@needs_proc
@pytest.mark.timeout(330)
def test_a_full_disk_24_readers_hostile_files_and_an_attack() -> None:
    results = sample("disk 2 0 0", "readers 24", "files 30", "attacks 33 34")
    assert [results[kind]["trials"] for kind in ("disk", "readers", "attacks")] == [2, 24, 1]
    assert results["readers"]["reads"] > 48
    files = results["files"]
    assert files["trials"] == 4 * files["readers"]
    assert files["refused"] > files["trials"] / 2
    assert len(plug_in_attacks.attacks()) >= 40


def test_a_store_of_some_rows_is_shown_and_exported_whole(tmp_path: Path) -> None:
    """The time of 10,000 is measured by the long check only."""
    rows = many_rows.many(300)
    many_rows.fill(tmp_path / "store.db", rows)
    with Store(tmp_path / "store.db", create=False) as store:
        assert store.export(tmp_path / "rows.jsonl") == len({row.key for row in rows}) == 300


def test_changed_bits_and_missing_ends_of_a_store() -> None:
    results = spoiled.stores(20, 3)
    assert (results["trials"], results["failures"]) == (23, [])
    assert results["refused"] > 0
    assert results["repaired"] > 0


def test_changed_bits_and_missing_ends_of_a_log() -> None:
    results = spoiled.logs(5, 3)
    assert (results["trials"], results["failures"]) == (8, [])
    assert results["rows_brought_back"] > 0


def test_changed_bits_and_missing_ends_of_a_checkpoint() -> None:
    results = spoiled.checkpoints(20, 3)
    assert (results["trials"], results["failures"]) == (23, [])

"""Count the stays of a value as benchmarks/stays.py does, and read the numbers that are kept in results/stays.json."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def counted(way: str, folder: Path) -> dict[str, int]:
    """Return the numbers of one way, counted now."""
    file = folder / "stays.json"
    command = [sys.executable, str(ROOT / "benchmarks/stays.py"), way, "--json", str(file)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)
    found: dict[str, int] = json.loads(file.read_text(encoding="utf-8"))[way]
    return found


def is_kept(way: str, folder: Path) -> bool:
    """Tell if a way passes its value as often as is committed, and carries it no more often: slow machines print progress."""
    now = counted(way, folder)
    kept = json.loads((ROOT / "results/stays.json").read_text(encoding="utf-8"))[way]
    return now["passed"] == kept["passed"] and now["passed or carried"] <= kept["passed or carried"]

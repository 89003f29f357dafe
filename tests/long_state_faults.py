"""Measure the table of faults in canaries with recurrent states: how many of 20 conversations see each injected fault.

`python tests/long_state_faults.py` writes results/canary-state-faults.json; with names of canaries it measures only these.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seqsep.language_models.canary.fault_rates import conversations_seen
from seqsep.language_models.canary.faults import Fault
from seqsep.language_models.canary.folder import TYPES, write_canary
from seqsep.language_models.canary.serving import Serving
from seqsep.language_models.canary.state_faults import OF_ATTENTION, STATE_FAULTS
from seqsep.language_models.loader.library import transformers
from seqsep.theorems.canary import CANARIES

KEPT = Path(__file__).parents[1] / "results/canary-state-faults.json"
MEASURED = ("checksum", "olmo-hybrid", "mamba2", "qwen3-next")
CONVERSATIONS = 20
WITHOUT_ATTENTION = ("mamba2",)
SCENARIOS = ("borders", "long", "absent", "together", "decoding", "fine")


def measure(name: str) -> dict[str, list[dict[str, Any]]]:
    """By fault, the number of conversations with a wrong token, for each size of chunks."""
    found: dict[str, list[dict[str, Any]]] = {}
    with TemporaryDirectory() as place:
        model = transformers().AutoModelForCausalLM.from_pretrained(write_canary(name, Path(place) / name, TYPES[0]))
    none = {f"none in {scenario}": Fault(Serving, "", scenario) for scenario in SCENARIOS}
    for fault, how in {**none, **STATE_FAULTS}.items():
        if fault == OF_ATTENTION and name in WITHOUT_ATTENTION:
            continue
        for size in how.sizes:
            seen = conversations_seen(model, CANARIES[name], how, chunk=size, conversations=CONVERSATIONS)
            entry = {"chunk": size, "scenario": how.seen_in, "conversations": CONVERSATIONS, "seen": seen}
            found.setdefault(fault, []).append(entry)
            print(f"{name}, {fault}: {entry}", flush=True)
    return found


def keep(name: str, rates: dict[str, list[dict[str, Any]]]) -> None:
    """Write the rates of a canary next to those of the others."""
    table = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    table[name] = rates
    parts = []
    for canary in sorted(table):
        lines = ",\n".join(f"{json.dumps(fault)}: {json.dumps(entries)}" for fault, entries in table[canary].items())
        parts.append(f"{json.dumps(canary)}: {{\n{lines}\n}}")
    KEPT.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    for canary in sys.argv[1:] or MEASURED:
        keep(canary, measure(canary))

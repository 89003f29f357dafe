"""Measure the table of faults in canaries with recurrent states: how many of 20 conversations see each injected fault.

The row of `make verify` writes results/canary-state-faults.json. `python tests/long_state_faults.py NAME` measures one canary.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seqsep.language_models.canary.fault_rates import conversations_seen
from seqsep.language_models.canary.faults import Fault
from seqsep.language_models.canary.folder import TYPES, write_canary
from seqsep.language_models.canary.serving import Serving
from seqsep.language_models.canary.state_faults import OF_ATTENTION, STATE_FAULTS
from seqsep.language_models.loader.library import transformers
from seqsep.theorems import Claim, Outcome
from seqsep.theorems.canary import CANARIES
from support.kept_verdicts import outcome

NAME = "canary-state-faults"
ASKED = ("fault_rates", "faults", "folder", "questions", "serving", "state_faults")
WRITTEN = ("_look_up", "_olmo", "_qwen", "canary", "checksum", "mamba2", "olmo_hybrid", "qwen3_next", "recall", "stream")
WRITTEN += ("_mamba", "_two_ways")
WALKS = ("walk", "walk_qwen3_next", "_walk_out")
SOURCES = (
    *(f"language_models/canary/{name}.py" for name in ASKED),
    *(f"theorems/canary/{name}.py" for name in (*WRITTEN, "vocabulary", *WALKS)),
)
SEEN = Claim(
    NAME, "seqsep canary check", "All of 20 conversations with a recurrent canary see an injected fault, none sees none"
)
KEPT = Path(__file__).parents[1] / "results/canary-state-faults.json"
MEASURED = ("checksum", "olmo-hybrid", "mamba2", "qwen3-next", "walk-qwen3-next")
CONVERSATIONS = 20
WITHOUT_ATTENTION = ("mamba2", "walk-mamba2")
NOT_SEEN = {
    "checksum": {"state-in-bf16", "oldest-key-lost"},
    "olmo-hybrid": {"token-twice"},
    "mamba2": {"token-twice", "state-in-bf16"},
    "qwen3-next": {"token-twice", "state-in-bf16"},
    "walk-qwen3-next": {
        "states-swapped",
        "token-twice",
        "window-zero-in-decoding",
        "state-zero-in-decoding",
        "state-of-chunk-before",
        "state-in-bf16",
        "oldest-key-lost",
    },
}
"""By canary, the faults that not all of 20 conversations see."""
SCENARIOS = ("borders", "long", "absent", "together", "decoding", "fine")


def verify() -> list[Outcome]:
    """One outcome for each canary, fault and size of chunks."""
    found = []
    for name in MEASURED:
        rates = measure(name)
        keep(name, rates)
        found += _compared(name, rates)
    return found


def _compared(name: str, rates: dict[str, list[dict[str, Any]]]) -> Iterator[Outcome]:
    for fault, entries in rates.items():
        if fault in NOT_SEEN[name]:
            continue
        wanted = CONVERSATIONS if fault in STATE_FAULTS else 0
        for entry in entries:
            words = f"{name}, {fault} in chunks of {entry['chunk']}"
            yield outcome(SEEN, words, entry["seen"] == wanted, inputs=CONVERSATIONS, length=0)


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

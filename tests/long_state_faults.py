"""Measure the table of faults in canaries: how many of 20 conversations see each injected fault.

`long_canary` has the canary `llama`. `walk-llama` has the same faults, and the canaries with recurrent states have others.
The row of `make verify` writes results/canary-state-faults.json. `python tests/long_state_faults.py NAME` measures one canary.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from long_canary import PROMPTS
from seqsep.language_models.canary.diagnosis import faults_of
from seqsep.language_models.canary.exam import examine
from seqsep.language_models.canary.fault_rates import conversations_seen
from seqsep.language_models.canary.faults import SIZES, Fault
from seqsep.language_models.canary.folder import TYPES, write_canary
from seqsep.language_models.canary.scenarios import SCENARIOS, PromptWriter
from seqsep.language_models.canary.serving import Serving
from seqsep.language_models.loader.library import transformers
from seqsep.theorems import Claim, Outcome, canary
from seqsep.theorems.canary import CANARIES
from support.kept_verdicts import outcome

NAME = "canary-state-faults"
ASKED = ("diagnosis", "exam", "fault_rates", "faults", "folder", "questions", "scenarios", "serving", "state_faults")
FOLDER = Path(canary.__file__).parent
WRITTEN = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.endswith(("_run", "__init__", "trial")))
"""The files of theorems/canary that write canaries or know their answers."""
SOURCES = (
    *(f"language_models/canary/{name}.py" for name in ASKED),
    *(f"theorems/canary/{name}.py" for name in WRITTEN),
)
SEEN = Claim(NAME, "seqsep canary check", "All of 20 conversations with a canary see an injected fault, none sees none")
KEPT = Path(__file__).parents[1] / "results/canary-state-faults.json"
CONVERSATIONS = 20
NO_FAULT = "none in "
REWRITTEN = {"token-twice", "state-in-bf16"}
"""A key's value that is written twice is the same value, and these states are exact in bf16."""
OF_DECODING = {"states-swapped", "window-zero-in-decoding", "state-zero-in-decoding", "state-of-chunk-before"}
WITH_MAMBA = ("granite-4-h", "nemotron-h", "falcon-h1")
WITH_ATTENTION = ("qwen3-next", "qwen3.5", *WITH_MAMBA)
NOT_SEEN = {
    "checksum": {"state-in-bf16", "oldest-key-lost"},
    "olmo-hybrid": {"token-twice"},
    **dict.fromkeys(("mamba2", *WITH_ATTENTION), REWRITTEN),
    "jamba": {"state-in-bf16"},
    **{f"walk-{name}": {*OF_DECODING, "state-in-bf16", "oldest-key-lost"} for name in ("qwen3-next", "qwen3.5")},
    **{f"walk-{name}": {*OF_DECODING, "state-in-bf16"} - {"states-swapped"} for name in WITH_MAMBA},
    "walk-mamba2": {*OF_DECODING, "state-in-bf16"},
    "walk-llama": {
        "token-twice",
        "token-twice-in-place",
        "blocks-exchanged",
        "positions-ahead",
        "positions-shifted",
        "wrong-base",
    },
}
"""By canary, the faults that not all of 20 conversations see."""
MEASURED = tuple(NOT_SEEN)
WITHOUT_FAULT = ("borders", "long", "absent", "together", "decoding", "fine")
"""Scenarios in which no fault is injected."""
LOSES_CHUNKS = ("jamba",)
"""Classes whose state `transformers` loses between chunks. Their prompts are read at once, without the faults of OF_CHUNKS."""
AT_ONCE = 512
OF_CHUNKS = ("other-request-left", "window-zero", "state-zero", "drafts-stay")
OF_PREFIXES = ("twins", "parents")
"""Scenarios whose conversations are several prompts, one after the other."""


def verify() -> list[Outcome]:
    """One outcome for each canary, fault and size of chunks."""
    found: list[Outcome] = []
    for name in MEASURED:
        rates = measure(name)
        keep(name, rates)
        found += _compared(name, rates)
    return found


def _compared(name: str, rates: dict[str, list[dict[str, Any]]]) -> Iterator[Outcome]:
    for fault, entries in rates.items():
        if fault in NOT_SEEN[name]:
            continue
        wanted = 0 if fault.startswith(NO_FAULT) else CONVERSATIONS
        for entry in entries:
            words = f"{name}, {fault} in chunks of {entry['chunk']}"
            yield outcome(SEEN, words, entry["seen"] == wanted, inputs=CONVERSATIONS, length=0)


def measure(name: str) -> dict[str, list[dict[str, Any]]]:
    """By fault, the number of conversations with a wrong token, for each size of chunks."""
    found: dict[str, list[dict[str, Any]]] = {}
    with TemporaryDirectory() as place:
        model = transformers().AutoModelForCausalLM.from_pretrained(write_canary(name, Path(place) / name, TYPES[0]))
    none = {f"{NO_FAULT}{scenario}": Fault(Serving, "", scenario) for scenario in WITHOUT_FAULT}
    for fault, how in {**none, **faults_of(model.config.model_type)}.items():
        if name in LOSES_CHUNKS and (fault in OF_CHUNKS or how.sizes == SIZES):
            continue
        for size in [AT_ONCE] if name in LOSES_CHUNKS else how.sizes:
            entry = {
                "chunk": size,
                "scenario": how.seen_in,
                "conversations": CONVERSATIONS,
                "seen": _seen(model, name, how, size),
            }
            found.setdefault(fault, []).append(entry)
            print(f"{name}, {fault}: {entry}", flush=True)
    return found


def _seen(model: Any, name: str, fault: Fault, size: int) -> int:
    """The number of conversations with a wrong token."""
    if fault.seen_in not in OF_PREFIXES:
        return conversations_seen(model, CANARIES[name], fault, chunk=size, conversations=CONVERSATIONS)
    write, _ = SCENARIOS[fault.seen_in]
    prompts = write(PromptWriter(CANARIES[name], 1), CONVERSATIONS * PROMPTS[fault.seen_in])
    report = examine(fault.serve(model, size), prompts)
    return len({wrong.prompt.conversation for wrong in report.wrong})


def keep(name: str, rates: dict[str, list[dict[str, Any]]]) -> None:
    """Write the rates of a canary next to those of the others."""
    table = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    table[name] = rates
    parts = []
    for known in sorted(table):
        lines = ",\n".join(f"{json.dumps(fault)}: {json.dumps(entries)}" for fault, entries in table[known].items())
        parts.append(f"{json.dumps(known)}: {{\n{lines}\n}}")
    KEPT.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    for chosen in sys.argv[1:] or MEASURED:
        keep(chosen, measure(chosen))

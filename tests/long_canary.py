"""The long check of canaries: each injected fault is seen in all of 20 conversations, and no right answer is called wrong.

The row also writes the rates to results/canary-faults.json. `python tests/long_canary.py NAME` counts wrong answers of stock
`transformers` to another canary, at 100,000 positions in each type.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from seqsep.language_models.canary.exam import examine
from seqsep.language_models.canary.faults import FAULTS
from seqsep.language_models.canary.folder import TYPES, proved_types, write_canary
from seqsep.language_models.canary.scenarios import SCENARIOS, CanaryPrompt, PromptWriter
from seqsep.language_models.canary.serving import PrefixServing, Serving
from seqsep.language_models.loader.source import find_source
from seqsep.language_models.loader.weights import built
from seqsep.theorems import Claim, Outcome
from seqsep.theorems.canary import CANARIES
from support.kept_verdicts import outcome

NAME = "canary-faults"
KEPT = Path(__file__).parents[1] / "results/canary-faults.json"
FILES = ("exam", "faults", "folder", "questions", "scenarios", "serving")
SOURCES = (
    *(f"language_models/canary/{name}.py" for name in FILES),
    *(f"theorems/canary/{name}.py" for name in ("canary", "conversations", "llama", "_llama_weights", "stream", "vocabulary")),
)
SEEN = Claim(NAME, "seqsep canary check", "All of 20 conversations see an injected fault, or none does if it changes nothing")
QUIET = Claim(NAME, "seqsep canary check", "No answer of stock transformers to a canary is wrong")
CLASS = "llama"
CONVERSATIONS = 20
OF_HARMLESS = ("borders", "decoding")
PROMPTS = {"together": 4, "again": 2, "twins": 2, "parents": 3, "turns": 4, "absent": 2}
"""Prompts of a conversation; one in other scenarios."""
FEW = ("long", "crowded")
"""Scenarios whose prompts take long."""
LENGTH = 500
POSITIONS = 100_000
ROWS = 10


def verify() -> list[Outcome]:
    """One outcome for each fault and size of chunks, for each scenario without a fault, and for each type."""
    rates = measure()
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entries)}" for name, entries in rates.items())
    KEPT.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    return [*_seen(rates), *_quiet()]


def measure() -> dict[str, list[dict[str, Any]]]:
    """By fault, the number of conversations with a wrong answer, for each size of chunks and each scenario."""
    found: dict[str, list[dict[str, Any]]] = {}
    with TemporaryDirectory() as place:
        model = canary_model(Path(place), TYPES[0])
        for name, fault in FAULTS.items():
            for size in fault.sizes:
                for scenario in [fault.seen_in] if fault.seen_in else OF_HARMLESS:
                    wrong = conversations_seen(fault.serve(model, size), scenario)
                    entry = {"chunk": size, "scenario": scenario, "conversations": CONVERSATIONS, "seen": wrong}
                    found.setdefault(name, []).append(entry)
                    print(f"{name}: {entry}", flush=True)
    return found


def canary_model(folder: Path, dtype: str, name: str = CLASS) -> Any:
    """Write a canary and load it."""
    return built(find_source(write_canary(name, folder / dtype, dtype), {}), getattr(torch, dtype))


def conversations_seen(served: Any, scenario: str) -> int:
    """The number of conversations of a scenario with a wrong answer."""
    report = examine(served, prompts_of(scenario, CONVERSATIONS))
    return len({wrong.prompt.conversation for wrong in report.wrong})


def prompts_of(scenario: str, conversations: int) -> Iterator[CanaryPrompt]:
    """The prompts of a number of conversations."""
    write, _ = SCENARIOS[scenario]
    writer = PromptWriter(CANARIES[CLASS], (1, list(SCENARIOS).index(scenario)))
    return write(writer, conversations * PROMPTS.get(scenario, 1))


def _seen(rates: dict[str, list[dict[str, Any]]]) -> Iterator[Outcome]:
    for name, entries in rates.items():
        for entry in entries:
            words = f"{name} in chunks of {entry['chunk']}: {entry['scenario']}"
            yield outcome(SEEN, words, is_expected(name, entry), inputs=entry["conversations"], length=0)


def is_expected(name: str, entry: dict[str, Any]) -> bool:
    """All conversations see the fault, or none if it changes nothing."""
    return bool(entry["seen"] == (entry["conversations"] if FAULTS[name].seen_in else 0))


def _quiet() -> Iterator[Outcome]:
    for dtype in TYPES:
        with TemporaryDirectory() as place:
            model = canary_model(Path(place), dtype)
            wrong = wrong_positions(model, CLASS)
            print(f"{dtype}: {wrong} of {POSITIONS} positions wrong", flush=True)
            yield outcome(QUIET, f"{dtype}, every position", wrong == 0, inputs=POSITIONS, length=LENGTH)
            for kind in (Serving, PrefixServing):
                for scenario in SCENARIOS:
                    few = 2 if scenario in FEW else CONVERSATIONS
                    report = examine(kind(model), prompts_of(scenario, few))
                    answers = sum(verdict.answers for verdict in report)
                    print(f"{dtype}, {kind.__name__}, {scenario}: {len(report.wrong)} wrong", flush=True)
                    words = f"{dtype}, {kind.__name__}, {scenario}"
                    yield outcome(QUIET, words, report.holds, inputs=answers, length=0)


def wrong_positions(model: Any, name: str) -> int:
    """Positions of random conversations with a wrong greedy token."""
    canary = CANARIES[name]
    wrong = 0
    for seed in range(POSITIONS // (ROWS * LENGTH)):
        rows = [canary.conversation(LENGTH, np.random.default_rng((seed, row))) for row in range(ROWS)]
        answers = [canary.truth(row) for row in rows]
        with torch.no_grad():
            found = model(torch.tensor(rows)).logits.argmax(-1)
        wrong += int((found != torch.tensor(answers)).sum())
    return wrong


if __name__ == "__main__":
    for known in sys.argv[1:]:
        for kind in proved_types(known):
            with TemporaryDirectory() as folder:
                found = wrong_positions(canary_model(Path(folder), kind, known), known)
            print(f"{known}, {kind}: {found} of {POSITIONS} positions wrong", flush=True)

"""The table of canaries in docs/how-to/canary.md: its last column is made from the measured rates of injected faults.

`python -m support.canary_table`, started in tests/, writes it again.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seqsep.language_models.canary.faults import FAULTS
from seqsep.language_models.canary.state_faults import STATE_FAULTS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/how-to/canary.md"
CONVERSATIONS = 20
HEAD = (
    "| canary | class in `transformers` | what its answers depend on | faults that it can miss: of 20 conversations, "
    "those that show the fault |\n|---|---|---|---|\n"
)
WALKS_IN_BOTH = "recurrent state, which every decoded token reads and changes; keys and values"
CANARIES = {
    "llama": ("LlamaForCausalLM", "keys and values, rotary positions"),
    "olmo-hybrid": ("OlmoHybridForCausalLM", "keys and values, recurrent state"),
    "checksum": ("OlmoHybridForCausalLM", "recurrent state, which every token changes"),
    "qwen3-next": ("Qwen3NextForCausalLM", "keys and values, recurrent state"),
    "walk-qwen3-next": ("Qwen3NextForCausalLM", WALKS_IN_BOTH),
    "mamba2": ("Mamba2ForCausalLM", "recurrent state"),
    "qwen3.5": ("Qwen3_5ForCausalLM", "keys and values, recurrent state"),
    "granite-4-h": ("GraniteMoeHybridForCausalLM", "keys and values, recurrent state"),
    "nemotron-h": ("NemotronHForCausalLM", "keys and values, recurrent state"),
    "falcon-h1": ("FalconH1ForCausalLM", "keys and values, recurrent state"),
    "walk-qwen3.5": ("Qwen3_5ForCausalLM", WALKS_IN_BOTH),
    "walk-granite-4-h": ("GraniteMoeHybridForCausalLM", WALKS_IN_BOTH),
    "walk-nemotron-h": ("NemotronHForCausalLM", WALKS_IN_BOTH),
    "walk-falcon-h1": ("FalconH1ForCausalLM", WALKS_IN_BOTH),
    "jamba": ("JambaForCausalLM", "keys and values, recurrent state"),
    "walk-mamba2": ("Mamba2ForCausalLM", "recurrent state, which every decoded token reads and changes"),
    "walk-llama": ("LlamaForCausalLM", "the latest of several equal keys and its value, rotary positions; float32 only"),
}
IN_WORDS = {
    "token-twice": "a token that is read twice",
    "state-in-bf16": "a state in bf16",
    "oldest-key-lost": "a lost key of attention",
    "state-of-chunk-before": "the state of the last chunk, if it is not written",
    "window-zero-in-decoding": "a window of the convolution that is zero before decoding",
    "state-zero-in-decoding": "a state that is zero before decoding",
    "states-swapped": "exchanged states of a batch",
    "token-twice-in-place": "a token that is read again at its own position",
    "blocks-exchanged": "blocks in another order",
    "cache-in-bf16": "a cache in bf16",
    "positions-ahead": "positions in decoding that are too large by one",
    "wrong-base": "a wrong rotary base",
    "positions-shifted": "positions that are all moved by the same number",
}
Rates = Mapping[str, Sequence[Mapping[str, Any]]]


def kept_rates() -> dict[str, Rates]:
    """By canary, the conversations that see each fault."""
    states = json.loads((ROOT / "results/canary-state-faults.json").read_text(encoding="utf-8"))
    return {"llama": json.loads((ROOT / "results/canary-faults.json").read_text(encoding="utf-8")), **states}


def table(rates: Mapping[str, Rates]) -> str:
    """Return the table as Markdown."""
    rows = ((name, *fixed, cell(rates[name])) for name, fixed in CANARIES.items())
    return HEAD + "".join(f"| `{name}` | `{kind}` | {answers} | {unseen} |\n" for name, kind, answers, unseen in rows)


def cell(rates: Rates) -> str:
    """Return the faults that not all conversations see, with the least and the greatest number that see them."""
    parts = []
    for fault, entries in rates.items():
        seen = [entry["seen"] for entry in entries]
        if fault in {*FAULTS, *STATE_FAULTS} and min(seen) < CONVERSATIONS:
            counts = str(min(seen)) if min(seen) == max(seen) else f"{min(seen)} to {max(seen)}"
            parts.append(f"{IN_WORDS[fault]}: {counts}")
    return "; ".join(parts)


def paged(text: str, rates: Mapping[str, Rates]) -> str:
    """Return the page with this table in place of its own."""
    return re.sub(re.escape(HEAD) + r"(?:\|.*\n)*", lambda _: table(rates), text)


if __name__ == "__main__":
    PAGE.write_text(paged(PAGE.read_text(encoding="utf-8"), kept_rates()), encoding="utf-8")

"""The section of docs/reference/capacity.md on other calculators, from results/other-calculators.json."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pages._markdown import table, unbroken
from seqsep.core.files import read_text
from seqsep.language_models.capacity.text import readable

OTHERS: Final = ("hf-mem", "hf-vram-calc")
SHORT: Final = {"prints no cache": "no cache", "asks the hub for code of the model": "asks"}
"""One word for what a calculator prints instead of a number."""
SECTION = """
## Other calculators

What {first} (`--experimental`) and {second} print for the same files, one sequence of {tokens:,} tokens in 16 bits, as
a multiple of what `capacity` counts. A file is the config.json that transformers {transformers} writes for the model, or the
known fields where it has no such family; `benchmarks/calculators.py` makes
[results/other-calculators.json](../../results/other-calculators.json). Of {models} models {near_first} and {near_second}
numbers are within 5 %, {far_first} and {far_second} more than twice as large: there layers with a fixed state, a window or a
latent, or that keep nothing, are taken to keep keys and values of every token. hf-mem means to count the windows of a model
that has full attention too as whole pages, as engines may keep them, which is another quantity. In the table, "no cache" means
that a calculator prints no cache, and "asks" that it asks the hub for code of the model.

"""


def other_calculators_section(results: Path) -> str:
    """The table, model by model, and how many numbers are near and how many far."""
    found = json.loads(read_text(results / "other-calculators.json"))
    models: Mapping[str, Mapping[str, Any]] = found["models"]
    ratios = {name: [ratio for row in models.values() if (ratio := _ratio(row, name)) is not None] for name in OTHERS}
    near = [sum(abs(ratio - 1) <= 0.05 for ratio in ratios[name]) for name in OTHERS]
    far = [sum(ratio > 2 for ratio in ratios[name]) for name in OTHERS]
    versions = found["versions"]
    first, second = (f"{name} {versions[name]}" for name in OTHERS)
    said = SECTION.format(
        first=first,
        second=second,
        tokens=found["tokens"],
        transformers=versions["transformers"],
        near_first=near[0],
        near_second=near[1],
        far_first=far[0],
        far_second=far[1],
        models=len(models),
    )
    rows = [
        [model, unbroken(readable(row["seqsep"])), *(_shown(row, name) for name in OTHERS)] for model, row in models.items()
    ]
    return said + table([["model", "counted", first, second], *rows])


def _ratio(row: Mapping[str, Any], name: str) -> float | None:
    return row[name] / row["seqsep"] if isinstance(row[name], int) else None


def _shown(row: Mapping[str, Any], name: str) -> str:
    ratio = _ratio(row, name)
    if ratio is not None:
        return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}"
    said: str = row[name]
    return SHORT.get(said, said) if ":" not in said else "an error"

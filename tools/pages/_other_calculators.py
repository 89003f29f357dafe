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

Other programs also compute the size of a cache. This section compares two of them with `seqsep capacity`: {first}
(with `--experimental`) and {second}. All read the same file, for one sequence of {tokens:,} tokens in 16 bits.
If transformers {transformers} contains the family of a model, the file is the config.json that `transformers` writes.
Otherwise the file contains the fields that are known. `benchmarks/calculators.py` writes the results to
[results/other-calculators.json](../../results/other-calculators.json).

For most of the {models} models, the other numbers are much larger than those of `capacity`:

{summary}
If a number is more than twice ours, the cause is always the same: the calculator counts keys and values of every token in each
layer. But some layers do not keep them: they have a fixed state, a window or a latent, or keep nothing. If a model has windows
and also full attention, hf-mem counts complete pages for the windows, because engines may keep them so. This is a different
quantity.

The next table has our number, and the number of each calculator as a multiple of ours. "No cache" means that the calculator
prints no cache. "Asks" means that it asks the hub for code of the model.

"""


def other_calculators_section(results: Path) -> str:
    """Return the table, model by model, and how many numbers are near and how many far."""
    found = json.loads(read_text(results / "other-calculators.json"))
    models: Mapping[str, Mapping[str, Any]] = found["models"]
    ratios = {name: [ratio for row in models.values() if (ratio := _ratio(row, name)) is not None] for name in OTHERS}
    near = [sum(abs(ratio - 1) <= 0.05 for ratio in ratios[name]) for name in OTHERS]
    far = [sum(ratio > 2 for ratio in ratios[name]) for name in OTHERS]
    versions = found["versions"]
    first, second = (f"{name} {versions[name]}" for name in OTHERS)
    counts = [
        [name, str(len(ratios[name])), str(close), str(large)] for name, close, large in zip(OTHERS, near, far, strict=True)
    ]
    said = SECTION.format(
        first=first,
        second=second,
        tokens=found["tokens"],
        transformers=versions["transformers"],
        summary=table([["calculator", "models with a number", "within 5 % of ours", "more than twice ours"], *counts]),
        models=len(models),
    )
    rows = [
        [model, unbroken(readable(row["seqsep"])), *(_shown(row, name) for name in OTHERS)] for model, row in models.items()
    ]
    return said + table([["model", "seqsep", first, second], *rows])


def _ratio(row: Mapping[str, Any], name: str) -> float | None:
    return row[name] / row["seqsep"] if isinstance(row[name], int) else None


def _shown(row: Mapping[str, Any], name: str) -> str:
    ratio = _ratio(row, name)
    if ratio is not None:
        return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}"
    said: str = row[name]
    return SHORT.get(said, said) if ":" not in said else "an error"

"""The long check of capacity on flash-linear-attention: what a config.json declares is what the library's cache holds.

Triton's interpreter runs the library's kernels on a CPU. Each family is built tiny, reads 11 tokens, then single ones to 12 and
15, and the tensors of its cache are counted each time. `support.flash_linear_models` says what is not run.
"""

import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from seqsep.theorems import Claim, Outcome

ROOT = Path(__file__).parents[1]
NAME = "capacity-flash-linear"
READERS = ("answer", "config", "declare", "flash_linear", "part", "states")
SOURCES = tuple(f"language_models/capacity/{name}.py" for name in READERS)
LENGTHS = (11, 12, 15)


def verify() -> list[Outcome]:
    """An outcome for each family that runs here."""
    command = [sys.executable, __file__]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{NAME}: {done.stderr[-3000:]}")
    packages = ", ".join(f"{name} {version(name)}" for name in ("flash-linear-attention", "triton", "torch"))
    cases = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [_outcome(case, packages) for case in cases]


def _outcome(case: dict[str, Any], packages: str) -> Outcome:
    words = f"{case['family']}: numbers of the cache at {', '.join(map(str, LENGTHS))} tokens; {packages}"
    return Claim(NAME, "tests/long_fla.py", words).lower(
        length=LENGTHS[-1],
        inputs=len(LENGTHS),
        exhaustive=False,
        measured={"numbers": case["measured"][-1]},
        bound={"numbers": case["declared"][-1]},
        variant=words,
        holds=case["measured"] == case["declared"],
    )


def measure() -> Iterator[dict[str, Any]]:
    """Each family as transformers writes its file, beside its cache."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    from seqsep.language_models.capacity import capacity
    from seqsep.language_models.loader.flash_linear import import_models
    from support.flash_linear_models import FAMILIES, fields_of

    warnings.simplefilter("ignore")
    import_models(NAME, "gla")
    for family in FAMILIES:
        torch.manual_seed(0)
        config = AutoConfig.for_model(**fields_of(family))
        model = AutoModelForCausalLM.from_config(config).eval()
        written = capacity(json.loads(json.dumps(config.to_dict(), default=str)))
        yield {
            "family": family,
            "measured": counted(model),
            "declared": [written.bytes_at(length, allocated=True) // 2 for length in LENGTHS],
        }


def counted(model: Any) -> list[int]:
    """The numbers in the cache after 11 tokens at once, and then 1 and 3 more, one by one."""
    import torch

    tokens = torch.arange(LENGTHS[-1])[None] % model.config.vocab_size
    found = []
    with torch.no_grad():
        cache = model(tokens[:, : LENGTHS[0]], use_cache=True).past_key_values
        found.append(sum(part.numel() for layer in cache for part in tensors(layer)))
        for length in range(LENGTHS[0] + 1, LENGTHS[-1] + 1):
            cache = model(tokens[:, length - 1 : length], past_key_values=cache, use_cache=True).past_key_values
            if length in LENGTHS:
                found.append(sum(part.numel() for layer in cache for part in tensors(layer)))
    return found


def tensors(kept: Any) -> Iterator[Any]:
    """The tensors in what a layer keeps, which may be nested."""
    import torch

    if isinstance(kept, torch.Tensor):
        yield kept
    elif isinstance(kept, dict):
        for part in kept.values():
            yield from tensors(part)
    elif isinstance(kept, list | tuple):
        for part in kept:
            yield from tensors(part)


if __name__ == "__main__":
    for case in measure():
        print(json.dumps(case), flush=True)

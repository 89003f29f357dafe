"""The long check of the laws of state on flash-linear-attention: what holds in its layers, on a CPU by Triton's interpreter.

Every law on tiny random models in float64, on few tokens, which the library reads by recurrent kernels, token after token; and
one law on 66, which its kernels of chunks read 64 at once. `verify()` compares what fails with results/flash-linear-laws.json,
and runs the scripts that show each failure without seqsep. `python tests/long_flash_linear_laws.py` writes that file.

Not tried: mesa_net, which solves a system for each token by conjugate gradients to about 10^-3 and demands float32 states; abc,
whose kernels mix types under float64; rwkv7, whose kernels the interpreter does not take; and what attends, for which the
library asks for flash-attn.
"""

import json
import os
import subprocess
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from seqsep.theorems import Claim, Outcome
from support.kept_verdicts import failing, kept_text, outcome

ROOT = Path(__file__).parents[1]
ROOM = ROOT / "src/seqsep/laws/language_model"
KEPT = ROOT / "results/flash-linear-laws.json"
SCRIPTS = ROOT / "examples/flash_linear_state"
NAME = "flash-linear-laws"
SOURCES = tuple(sorted(f"laws/language_model/{path.name}" for path in ROOM.glob("*.py")))
WORDS = "Laws of state, tried on tiny models of flash-linear-attention: what fails is what results/flash-linear-laws.json says"
TYPES = Claim(NAME, "seqsep check --model", WORDS)
SHOWN = Claim(NAME, "examples/flash_linear_state", "A script of a few lines shows a failure without seqsep")
PACKAGES = ("flash-linear-attention", "triton", "transformers", "torch")
TIME = 9
LONG = 66
LAW_OF_LONG = "padding on the left"
"""One pass with padding and without, and token by token behind half of it."""
BATCH = 2
WORKERS = 2
LEAST = 1e-3
TINY: dict[str, Any] = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "vocab_size": 32}
HEADS = {"num_heads": 2}
WIDE_HEADS = {"num_heads": 2, "head_dim": 8}
SLOTS = {"num_heads": 2, "num_slots": 4}
FAMILIES: dict[str, dict[str, Any]] = {
    "gla": HEADS,
    "retnet": HEADS,
    "linear_attn": HEADS,
    "delta_net": HEADS,
    "gated_deltanet": WIDE_HEADS,
    "gated_deltaproduct": WIDE_HEADS,
    "comba": WIDE_HEADS,
    "kda": WIDE_HEADS,
    "hgrn": {},
    "hgrn2": {"expand_ratio": 8},
    "gsa": SLOTS,
    "raven": {**SLOTS, "topk": 2},
    "rwkv6": {"num_heads": 2, "proj_low_rank_dim": 4, "gate_low_rank_dim": 4},
    "mamba": {"fuse_norm": True, "state_size": 4, "time_step_rank": 2},
    "mamba2": {"fuse_norm": True, "head_dim": 8, "num_heads": 4, "state_size": 4, "chunk_size": 16},
}
"""Model type -> the fields of a tiny configuration beside TINY."""


def verify() -> list[Outcome]:
    """One outcome for each model type, and for each script."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))["models"]
    found = []
    for name, laws in tried_on_types().items():
        same = failing(laws) == failing(kept[name])
        if not same:
            print(f"{name}: fails {failing(laws)}, kept are {failing(kept[name])}", flush=True)
        tried = sum(law["holds"] is not None for law in laws)
        found.append(outcome(TYPES, "tiny models", same, inputs=tried, length=LONG))
    return [*found, *scripts()]


def tried_on_types() -> dict[str, list[dict[str, Any]]]:
    """The verdicts by model type."""
    names = list(FAMILIES)
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(tried, [names[worker::WORKERS] for worker in range(WORKERS)]))
    found = {name: laws for part in parts for name, laws in part.items()}
    return {name: found[name] for name in names}


def tried(names: list[str]) -> dict[str, list[dict[str, Any]]]:
    """The verdicts on some types, in one process and another one that gets bytes."""
    import torch

    from seqsep.laws.language_model.check import try_law, try_laws
    from seqsep.laws.language_model.receiver import Receiver
    from seqsep.laws.language_model.source import Source
    from seqsep.laws.language_model.trial import Trial

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found = {}
    with Receiver() as receiver:
        for name in names:
            source = Source(name, {"model_type": name, **TINY, **FAMILIES[name]})
            records = [verdict.record() for verdict in try_laws(source, time=TIME, batch=BATCH, receiver=receiver)]
            trial = Trial(source, time=LONG, batch=BATCH, seed=0, dtype=torch.float64, receiver=receiver)
            found[name] = [*records, try_law(LAW_OF_LONG, trial).record() | {"law": f"{LAW_OF_LONG}, {LONG} tokens"}]
            print(f"{name}: fails {failing(found[name])}", flush=True)
    return found


def scripts() -> list[Outcome]:
    """Each script prints how far two results are apart that should be the same."""
    found = []
    for path in sorted(SCRIPTS.glob("*.py")):
        command = [sys.executable, "-W", "ignore", str(path)]
        environment = os.environ | {"TRITON_INTERPRET": "1"}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        apart = [float(line.split()[-1]) for line in done.stdout.splitlines()]
        found.append(outcome(SHOWN, path.name, bool(apart) and min(apart) > LEAST, inputs=len(apart), length=TIME))
        print(f"{path.name}: {done.stdout.strip()}", flush=True)
    return found


if __name__ == "__main__":
    KEPT.write_text(kept_text({name: version(name) for name in PACKAGES}, tried_on_types()), encoding="utf-8")

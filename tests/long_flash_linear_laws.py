"""The long check of the laws of state on flash-linear-attention: what holds in its layers, on a CPU by Triton's interpreter.

Every law on tiny random models in float64, on few tokens, which the library reads by recurrent kernels, token after token; and
one law on 66, which its kernels of chunks read 64 at once. `verify()` compares what fails with results/flash-linear-laws.json,
and runs the scripts that show each failure without seqsep. `python tests/long_flash_linear_laws.py` writes that file.

Not tried: mesa_net, which solves a system for each token by conjugate gradients to about 10^-3 and demands float32 states; abc,
whose kernels mix types under float64; rwkv7, whose kernels the interpreter does not take; and what attends, for which the
library asks for flash-attn.
"""

import warnings
from importlib.metadata import version
from pathlib import Path

from seqsep.theorems import Claim, Outcome
from support.flash_linear_models import FAMILIES, fields_of
from support.kept_verdicts import Verdicts, beside_kept, failing, in_parts, kept_text, scripts

ROOT = Path(__file__).parents[1]
ROOMS = ROOT / "src/seqsep/language_models"
KEPT = ROOT / "results/flash-linear-laws.json"
SCRIPTS = ROOT / "examples/flash_linear_state"
NAME = "flash-linear-laws"
SOURCES = tuple(
    sorted(f"language_models/{path.relative_to(ROOMS)}" for room in ("laws", "loader") for path in (ROOMS / room).glob("*.py"))
)
WORDS = "Laws of state, tried on tiny models of flash-linear-attention: what fails is what results/flash-linear-laws.json says"
TYPES = Claim(NAME, "seqsep check --model", WORDS)
SHOWN = Claim(NAME, "examples/flash_linear_state", "A script of a few lines shows a failure without seqsep")
PACKAGES = ("flash-linear-attention", "triton", "transformers", "torch")
TIME = 9
LONG = 66
LAW_OF_LONG = "padding on the left"
"""One pass with padding and without, and token by token after half of it."""
BATCH = 2
NOT_TRIED = ("mesa_net", "abc")


def verify() -> list[Outcome]:
    """One outcome for each model type, and for each script."""
    return [*beside_kept(TYPES, tried_on_types(), KEPT, LONG), *scripts(SHOWN, SCRIPTS, TIME, TRITON_INTERPRET="1")]


def tried_on_types() -> Verdicts:
    """The verdicts by model type."""
    return in_parts(tried, [name for name in FAMILIES if name not in NOT_TRIED])


def tried(names: list[str]) -> Verdicts:
    """The verdicts on some types, in one process and another one that gets bytes."""
    import torch

    from seqsep.language_models.laws.check import try_law, try_laws
    from seqsep.language_models.laws.receiver import Receiver
    from seqsep.language_models.laws.trial import LawTrial
    from seqsep.language_models.loader.source import ModelSource

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found = {}
    with Receiver() as receiver:
        for name in names:
            source = ModelSource(name, fields_of(name))
            records = [verdict.record() for verdict in try_laws(source, time=TIME, batch=BATCH, receiver=receiver)]
            trial = LawTrial(source, time=LONG, batch=BATCH, seed=0, dtype=torch.float64, receiver=receiver)
            found[name] = [*records, try_law(LAW_OF_LONG, trial).record() | {"law": f"{LAW_OF_LONG}, {LONG} tokens"}]
            print(f"{name}: fails {failing(found[name])}", flush=True)
    return found


if __name__ == "__main__":
    KEPT.write_text(kept_text({name: version(name) for name in PACKAGES}, tried_on_types()), encoding="utf-8")

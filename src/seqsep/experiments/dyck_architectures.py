"""Which architecture learns to recognise Dyck-(2,2), and how fast? Figure 2, right, of Bhattamishra et al. 2024.

Presets: `demo-rates` is every model at three learning rates with seed 0, `demo-seeds` the best rate of each with two more
seeds, `demo` that rate with seed 0 once more. Scaled down against the paper: N = 30 in place of 400 and 1,200 steps (2,000
for attention) in place of up to 250,000. Where weights start as GPT-2's they are drawn with deviation 0.09: with its 0.02,
which was chosen for width 768, attention stays below 65 % at this width for 5,000 steps at the rates tried.
"""

from seqsep.experiments.base import Experiment, require_preset
from seqsep.lab.run import Run
from seqsep.mixers import PAPER_MIXERS
from seqsep.tasks import BoundedDyck

NAME = "dyck-architectures"
PRESETS = ("demo", "demo-rates", "demo-seeds")
RATES = (5e-4, 1e-3, 3e-3)
SEEDS = (0, 1, 2)
STEPS = {"attention": 2000}
STEPS_OF_OTHERS = 1200
WEIGHT_SCALE = dict.fromkeys(("attention", "linear-attention", "retention"), 0.09)
MODELS = tuple(mixer.name for mixer in reversed(PAPER_MIXERS))
BEST_RATE = {name: 1e-3 if name in ("attention", "retention") else 3e-3 for name in MODELS}


def runs(preset: str) -> list[Run]:
    """The runs of a preset."""
    require_preset(NAME, preset, PRESETS)
    if preset == "demo-rates":
        return [make(architecture, rate, SEEDS[0]) for architecture in MODELS for rate in RATES]
    seeds = SEEDS[:1] if preset == "demo" else SEEDS[1:]
    return [make(architecture, BEST_RATE[architecture], seed) for architecture in MODELS for seed in seeds]


def make(architecture: str, learning_rate: float, seed: int) -> Run:
    """One model's run: batch 64, 5,000 evaluation examples, a stop at 99.9 %."""
    return Run(
        task=BoundedDyck(30),
        layers=(architecture,),
        width=64,
        steps=STEPS.get(architecture, STEPS_OF_OTHERS),
        learning_rate=learning_rate,
        seed=seed,
        decay="linear",
        embedding_scale=0.5,
        weight_scale=WEIGHT_SCALE.get(architecture, 0.02),
        evaluate_every=100,
        target=0.999,
    )


EXPERIMENT = Experiment(NAME, "Which architecture learns to recognise Dyck-(2,2), and how fast?", PRESETS, runs)

"""Recognition of Dyck-(2,2) by architecture, and the speed of learning it. Figure 2, right, of Bhattamishra et al. 2024.

Preset `paper` is the legend of the figure, LSTM and Mamba (1, 64), attention (2, 64) and (1, 256), at lengths 20 to 400 (curves
are printed at 400 alone); `paper-grid` everything that appendix H lists (`_paper`); `quick` the same question on two cores.

The demo's presets: `demo-rates` is every model at three learning rates with seed 0, `demo-seeds` the best rate of each with two
more seeds, `demo` that rate with seed 0 once more. Scaled down against the paper: N = 30 in place of 400 and 1,200 steps (2,000
for attention) in place of up to 250,000. Where weights start as GPT-2's they are drawn with deviation 0.09: with its 0.02,
which was chosen for width 768, attention stayed below 65 % at this width in first trials, whose rows were not kept.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from seqsep.lab.experiments._paper import full_grid, printed_sizes
from seqsep.lab.experiments._reach import LONG_STEPS, SCALES, Level, Reach, contenders
from seqsep.lab.experiments._search import QUICK_RATES, Search, SearchCell
from seqsep.lab.experiments.base import Experiment
from seqsep.lab.run import Run
from seqsep.models.mixers import PAPER_MIXERS
from seqsep.tasks import BoundedDyck

SIZES = (("mamba", 1, 64), ("attention", 1, 256), ("attention", 2, 64), ("lstm", 1, 64))
RATES = (5e-4, 1e-3, 3e-3)
SEEDS = (0, 1, 2)
STEPS = {"attention": 2000}
STEPS_OF_OTHERS = 1200
WEIGHT_SCALE = dict.fromkeys(("attention", "linear-attention", "retention"), 0.09)
MODELS = tuple(mixer.name for mixer in reversed(PAPER_MIXERS))
BEST_RATE = {name: 1e-3 if name in ("attention", "retention") else 3e-3 for name in MODELS}


def quick(length: int, architecture: str, depth: int) -> Run:
    """Return the run of width 64, at any rate; initial deviations are those of the demo."""
    return Run(
        task=BoundedDyck(length),
        layers=(architecture,) * depth,
        width=64,
        steps=1500,
        decay="linear",
        embedding_scale=0.5,
        weight_scale=WEIGHT_SCALE.get(architecture, 0.02),
        evaluate_every=150,
        target=0.999,
    )


QUICK_MODELS = (("mamba", 1), ("attention", 2), ("attention", 1), ("lstm", 1))
QUICK = Search(
    SearchCell.each(*(quick(length, *model) for length in (60, 20) for model in QUICK_MODELS)),
    QUICK_RATES,
    refine=True,
    seeds=3,
)


def rates() -> list[Run]:
    """Return every model at three learning rates with seed 0."""
    return [make(architecture, rate, SEEDS[0]) for architecture in MODELS for rate in RATES]


def at_best_rate(seeds: Iterable[int]) -> list[Run]:
    """Return the runs at the best rate of each model, with these seeds."""
    return [make(architecture, BEST_RATE[architecture], seed) for architecture in MODELS for seed in seeds]


def make(architecture: str, learning_rate: float, seed: int) -> Run:
    """Return one model's run: batch 64, 5,000 evaluation examples, a stop at 99.9 %."""
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


REACH = Reach(
    contenders(BoundedDyck(100), weight_scale=0.09),
    levels=(
        Level(BoundedDyck(100), steps=2000, longer=6000, scales=SCALES),
        Level(BoundedDyck(200), steps=2000, longer=6000),
    ),
    rates=(1e-3, 3e-3),
    outer_rates=(3e-4,),
)

EXPERIMENT = Experiment.of_presets(
    name="dyck-architectures",
    question="Which architecture learns to recognise Dyck-(2,2), and how fast?",
    lists={
        "demo": partial(at_best_rate, SEEDS[:1]),
        "demo-rates": rates,
        "demo-seeds": partial(at_best_rate, SEEDS[1:]),
    },
    searches={
        "quick": lambda: QUICK,
        "paper": partial(printed_sizes, BoundedDyck, SIZES),
        "paper-grid": partial(full_grid, BoundedDyck),
        "length-scaling": lambda: REACH,
        "length-scaling-long": lambda: replace(REACH, long_steps=LONG_STEPS),
    },
    title="Bounded Dyck: accuracy, %",
    paper_task=BoundedDyck,
)

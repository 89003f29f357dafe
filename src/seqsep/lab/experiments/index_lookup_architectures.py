"""Index lookup by architecture and length. Figure 2, left and middle, of Bhattamishra et al. 2024.

Preset `paper` is the figure's sizes at its lengths, 20 to 400; `paper-grid` everything that appendix H lists (`_paper`);
`quick` the same question on two cores (`QUICK`); `readings` each reading of appendix H.1 (`_readings`); `curriculum` the demo's
recipe with and without its curriculum (`_curriculum`).

The demo's presets have one layer of width 64 for the paper's six architectures and the gated delta rule, all trained by one
recipe (`recipe`). `demo-rates` compares three learning rates at N = 50; `demo-lengths` takes the best of them to N = 400;
`demo` is what `seqsep demo` trains, and `demo-seeds` has two more seeds of the cells that its page compares.
Scaled down against the paper (section 6, appendix H): one layer of width 64 in place of up to 6 layers of width 256, thousands
of steps in place of 250,000, three learning rates in place of seven.

`length-scaling` and `state-bits`, and the demo's rows of an earlier version (`drawn-rates`, `drawn-seeds`: `_drawn`), have
training inputs of a drawn length. `length-scaling` continues with longer inputs with the setting that was best at the shorter
ones, which need not be the best there. `length-scaling-demo` is what it missed for two: at the length where an architecture
falls in it, the setting that `drawn-rates` found best at its longest, with the most steps of `length-scaling`. Its rows are
among those of `length-scaling`.
"""

from dataclasses import replace
from functools import partial

from seqsep.lab.experiments import _drawn
from seqsep.lab.experiments._curriculum import curriculum
from seqsep.lab.experiments._paper import full_grid, printed_sizes
from seqsep.lab.experiments._reach import CHEAPEST_FIRST, LONG_STEPS, SCALES, Level, Reach, contenders
from seqsep.lab.experiments._readings import readings
from seqsep.lab.experiments._search import QUICK_RATES, Search, SearchCell
from seqsep.lab.experiments._state_bits import state_bits
from seqsep.lab.experiments.base import Experiment
from seqsep.lab.experiments.claims.recipe import STEPS, lookup_run
from seqsep.lab.run import Run
from seqsep.models.mixers import PAPER_MIXERS
from seqsep.tasks import IndexLookup

SIZES = (
    ("mamba", 6, 256),
    ("dss", 6, 256),
    ("retention", 6, 256),
    ("linear-attention", 6, 256),
    ("lstm", 3, 256),
    ("attention", 1, 64),
)
DEMO_MIXERS = (*(mixer.name for mixer in PAPER_MIXERS), "gated-delta")
RATES = (5e-4, 1e-3, 3e-3)
RATES_AT = 50
"""The length at which the rates are compared; longer inputs have the best rate of this one."""
SEEDS = (0, 1, 2)
DEMO_LENGTHS = (20, 50)
"""The lengths at which all architectures are compared; attention is trained at all lengths."""
SLOW = (
    *(("attention", length) for length in (400, 200)),
    *((name, 50) for name in ("mamba", "gated-delta", "dss", "lstm", "retention")),
)
"""Cells that take a minute of a core or more each. The demo does not train them: its page shows their committed rows."""
BEST_RATE = {
    "attention": 1e-3,
    "linear-attention": 3e-3,
    "retention": 1e-3,
    "lstm": 3e-3,
    "dss": 3e-3,
    "mamba": 3e-3,
    "gated-delta": 1e-3,
}
"""By the rows of `demo-rates`: of the rates that reach 99.9 % the one nearest to 0.001, else the most accurate."""


def quick(length: int, architecture: str) -> Run:
    """Return the run of one layer of width 64 and 16 symbols, at any rate."""
    return Run(
        task=IndexLookup(length, alphabet=16),
        layers=(architecture,),
        width=64,
        steps=2000,
        embedding_scale=0.3,
        evaluate_every=200,
        target=0.999,
    )


QUICK = Search(
    SearchCell.each(*(quick(length, mixer.name) for length in (20, 5) for mixer in reversed(PAPER_MIXERS))),
    QUICK_RATES,
    refine=True,
    seeds=3,
)
"""16 symbols in place of 64, so that 2,000 steps are enough for all at N = 5."""


def cells() -> list[tuple[str, int]]:
    """Return (architecture, length) of the demo and its committed rows, the cheapest first."""
    cheapest = sorted(DEMO_MIXERS, key=CHEAPEST_FIRST.index)
    return [(name, length) for length in STEPS for name in cheapest]


def rates() -> list[Run]:
    """Return every architecture at three learning rates, at one length."""
    return [make(name, length, rate, SEEDS[0]) for name, length in cells() if length == RATES_AT for rate in RATES]


def lengths() -> list[Run]:
    """Return every cell at its architecture's best rate, with seed 0; the rows of `demo-rates` are left out."""
    return [make(name, length, BEST_RATE[name], SEEDS[0]) for name, length in cells() if length != RATES_AT]


def seeds() -> list[Run]:
    """Return the cells that are compared, with two more seeds."""
    return [make(name, length, BEST_RATE[name], seed) for name, length in compared() for seed in SEEDS[1:]]


def compared() -> list[tuple[str, int]]:
    """Return every architecture at two lengths, and attention at all; the most expensive first."""
    chosen = [cell for cell in cells() if cell[1] in DEMO_LENGTHS or cell[0] == "attention"]
    return chosen[::-1]


def demo() -> list[Run]:
    """Return the runs of `seqsep demo`: the cells that are compared, except the slow ones, with seed 0."""
    return [make(name, length, BEST_RATE[name], SEEDS[0]) for name, length in compared() if (name, length) not in SLOW]


def make(architecture: str, length: int, learning_rate: float, seed: int) -> Run:
    """Return one cell's run: one layer of width 64 under the recipe."""
    return lookup_run((architecture,), 64, length, steps=STEPS[length], rate=learning_rate, seed=seed)


REACH = Reach(
    contenders(IndexLookup(20)),
    levels=(
        Level(IndexLookup(20), steps=4000, longer=16_000, scales=SCALES),
        Level(IndexLookup(50), steps=4000, longer=16_000, scales=SCALES),
        Level(IndexLookup(100), steps=6000, longer=16_000),
        Level(IndexLookup(200), steps=8000, longer=16_000),
        Level(IndexLookup(400), steps=8000, longer=16_000),
    ),
)

EXPERIMENT = Experiment.of_presets(
    name="index-lookup-architectures",
    question="Which architecture learns index lookup at which length?",
    lists={
        "demo": demo,
        "demo-rates": rates,
        "demo-lengths": lengths,
        "demo-seeds": seeds,
        "drawn-rates": _drawn.rates,
        "drawn-seeds": partial(_drawn.at_best_rate, _drawn.SEEDS[1:], tuple(_drawn.STEPS)),
        "length-scaling-demo": _drawn.reach_demo,
        "curriculum": curriculum,
    },
    searches={
        "quick": lambda: QUICK,
        "paper": partial(printed_sizes, IndexLookup, SIZES),
        "paper-grid": partial(full_grid, IndexLookup),
        "length-scaling": lambda: REACH,
        "length-scaling-long": lambda: replace(REACH, long_steps=LONG_STEPS),
        "state-bits": state_bits,
        "readings": readings,
    },
    title="Index lookup: accuracy, %",
    paper_figure="figure2_index_lookup",
    paper_task=IndexLookup,
)

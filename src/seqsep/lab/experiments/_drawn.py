"""The presets of index lookup that an earlier demo had: training inputs of a drawn length, one of the readings of H.1.

`drawn-rates` is every cell at three learning rates with seed 0, `drawn-seeds` the best rate of each cell with two more seeds.
Under this reading the last positions are hardly ever asked in training (`tasks.index_lookup`), so attention stops below 100 %
at N = 100 and 200. The rows stay, for comparison; the demo has the likely reading (`recipe`).
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from seqsep.lab.experiments._reach import CHEAPEST_FIRST
from seqsep.lab.experiments.claims.recipe import learned_positions
from seqsep.lab.run import Run
from seqsep.models.mixers import PAPER_MIXERS
from seqsep.tasks import IndexLookup

RATES = (5e-4, 1e-3, 3e-3)
SEEDS = (0, 1, 2)
STEPS = {20: 1500, 50: 3000, 100: 7500}
DEMO_LENGTHS = (20, 50)
DEMO_MIXERS = (*(mixer.name for mixer in PAPER_MIXERS), "gated-delta")
AT_100 = ("attention", "linear-attention")
AFTER_DEMO = (("gated-delta", 50, 100), ("attention", 100, 200))
"""Architectures that `length-scaling-demo` trains again: the earlier demo's longest input, and the one of its fall."""
BEST_RATE = {
    ("attention", 20): 3e-3,
    ("attention", 50): 1e-3,
    ("attention", 100): 1e-3,
    ("linear-attention", 20): 3e-3,
    ("linear-attention", 50): 1e-3,
    ("linear-attention", 100): 1e-3,
    ("retention", 20): 1e-3,
    ("retention", 50): 5e-4,
    ("lstm", 20): 3e-3,
    ("lstm", 50): 3e-3,
    ("dss", 20): 3e-3,
    ("dss", 50): 3e-3,
    ("mamba", 20): 3e-3,
    ("mamba", 50): 1e-3,
    ("gated-delta", 20): 5e-4,
    ("gated-delta", 50): 1e-3,
}


def cells() -> list[tuple[str, int]]:
    """Return (architecture, length) of each cell, the most expensive first, so that no core waits at the end."""
    slow = sorted(DEMO_MIXERS, key=CHEAPEST_FIRST.index, reverse=True)
    return [*((name, 50) for name in slow), *((name, 100) for name in AT_100), *((name, 20) for name in slow)]


def rates() -> list[Run]:
    """Return every cell at three learning rates with seed 0."""
    return [make(*cell, rate, SEEDS[0]) for cell in cells() for rate in RATES]


def at_best_rate(seeds: Iterable[int], lengths: Collection[int]) -> list[Run]:
    """Return the runs at the best rate of each cell of these lengths, with these seeds."""
    chosen = [cell for cell in cells() if cell[1] in lengths]
    return [make(*cell, BEST_RATE[cell], seed) for cell in chosen for seed in seeds]


def make(architecture: str, length: int, learning_rate: float, seed: int) -> Run:
    """Return one cell's run: learned positions, batch 64, 5,000 evaluation examples, a stop at 99.9 %."""
    return Run(
        task=IndexLookup(length),
        layers=(architecture,),
        width=64,
        steps=STEPS[length],
        learning_rate=learning_rate,
        seed=seed,
        positions=learned_positions(architecture),
        embedding_scale=0.3,
        evaluate_every=STEPS[length] // 10,
        target=0.999,
    )


def reach_demo() -> list[Run]:
    """Return the demo's best settings, of embedding scale 0.3, that differ from those with which `length-scaling` continued."""
    found = {length: make(name, at, BEST_RATE[name, at], SEEDS[0]) for name, at, length in AFTER_DEMO}
    return [replace(run, task=IndexLookup(length), steps=16_000, evaluate_every=500) for length, run in found.items()]

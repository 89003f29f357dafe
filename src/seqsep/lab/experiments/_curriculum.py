"""The preset `curriculum`: what a curriculum gains on index lookup.

Each cell is trained by the recipe (`recipe`) twice: with mixed lengths in the first 2,000 steps, and with N symbols in every
step. Nothing else differs. As the recipe says, the learning rate falls after the curriculum; without one it falls from the
first step on. Attention has three lengths and three seeds. The other architectures have one length and one seed.
"""

from dataclasses import replace

from seqsep.lab.experiments.claims.recipe import STEPS, lookup_run
from seqsep.lab.run import Run

WIDTH = 64
LENGTHS = (100, 200, 400)
SEEDS = (0, 1, 2)
OTHERS = ("linear-attention", "mamba2", "gated-delta")
"""Architectures with the first length and the first seed only, the cheapest step first."""


def curriculum() -> list[Run]:
    """Return each cell with and without a curriculum: attention first, the short inputs before the long ones."""
    cells = [("attention", length, seed) for length in LENGTHS for seed in SEEDS]
    cells += [(name, LENGTHS[0], SEEDS[0]) for name in OTHERS]
    with_one = [lookup_run((name,), WIDTH, length, steps=STEPS[length], seed=seed) for name, length, seed in cells]
    return [run for mixed in with_one for run in (mixed, replace(mixed, mixed_steps=0))]

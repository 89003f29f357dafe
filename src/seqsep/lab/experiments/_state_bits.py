"""The preset `state-bits`: accuracy on index lookup at fixed steps over the bits of state, where the state keeps one size.

Widths 16 to 128 and, at width 64, 1 and 16 heads beside 4, which change the state of those that keep a matrix for each head,
Mamba-2 with 16 and 256 states for each channel beside 64, and the gated delta rule with values 1 and 4 times as wide as its
keys beside 2. All have learned positions, embeddings of deviation 0.3, the rate 0.001 and 2,000 steps: nothing is searched, so
that models of one width differ in their layer alone. The short inputs come first, and the small states.
"""

from dataclasses import replace

from seqsep.lab.experiments._reach import CHEAPEST_FIRST
from seqsep.lab.experiments._search import Search, SearchCell
from seqsep.lab.run import Run
from seqsep.models.mixers import MIXERS
from seqsep.tasks import IndexLookup

STEPS = 2000
RATE = 1e-3
WIDTHS = (16, 32, 64, 128)
HEADS = (1, 16)
LENGTHS = (50, 100, 200)
LONGEST_OF_WIDEST = 100
STATE_BY_HEADS = ("linear-attention", "retention", "gated-delta", "rwkv7")
"""The mixers whose state depends on the number of heads."""
RESIZED = {
    "mamba2": ("mamba2(states=16)", "mamba2(states=256)"),
    "gated-delta": ("gated-delta(expand=1)", "gated-delta(expand=4)"),
}
"""Mixers whose state has a size of its own, each with a smaller and a larger one."""


def state_bits() -> Search:
    """Return a cell for each length and state. The greatest width at the greatest length is left out: it takes hours."""
    cells = []
    for length in LENGTHS:
        for width in WIDTHS:
            if width == max(WIDTHS) and length > LONGEST_OF_WIDEST:
                continue
            for mixer in MIXERS:
                if mixer.grows or mixer.name not in CHEAPEST_FIRST:
                    continue
                run = make(mixer.name, length, width)
                cells.append(run)
                if width == 64 and mixer.name in STATE_BY_HEADS:
                    cells += [replace(run, heads=heads) for heads in HEADS]
                if width == 64:
                    cells += [make(name, length, width) for name in RESIZED.get(mixer.name, ())]
    return Search(SearchCell.each(*cells), rates=(RATE,))


def make(name: str, length: int, width: int) -> Run:
    """Return the run of one layer of this mixer."""
    return Run(
        task=IndexLookup(length),
        layers=(name,),
        width=width,
        steps=STEPS,
        learning_rate=RATE,
        embedding_scale=0.3,
        evaluate_every=250,
        target=0.999,
        positions="learned",
    )

"""Index lookup by two layers of Mamba of different widths. Figure 3 of Bhattamishra et al. 2024.

Presets: `paper` is widths 32 to 1,024 at lengths 20 to 400, those of the paper; `paper-grid` the same, since appendix H lists
no more; `quick` widths 16, 32 and 64 on two cores (`QUICK`).
"""

from functools import partial

from seqsep.lab.experiments._paper import printed_sizes
from seqsep.lab.experiments._reach import SCALES, Contender, Level, Reach
from seqsep.lab.experiments._search import QUICK_RATES, Search, SearchCell
from seqsep.lab.experiments.base import Experiment
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup

SIZES = tuple(("mamba", 2, width) for width in (1024, 512, 256, 64, 32))
LENGTHS = (20, 50, 75, 100, 200, 400)


def quick(length: int, width: int) -> Run:
    """Return the run of two layers and 16 symbols, at any rate."""
    return Run(
        task=IndexLookup(length, alphabet=16),
        layers=("mamba",) * 2,
        width=width,
        steps=1500,
        embedding_scale=0.3,
        evaluate_every=150,
        target=0.999,
    )


QUICK = Search(
    SearchCell.each(*(quick(length, width) for length in (20, 5) for width in (64, 32, 16))), QUICK_RATES, refine=True, seeds=3
)

REACH = Reach(
    tuple(
        Contender(Run(IndexLookup(20), ("mamba",) * 2, width=width, positions=positions, target=0.999))
        for positions in ("learned", "default")
        for width in (32, 64, 128)
    ),
    levels=(
        Level(IndexLookup(20), steps=4000, longer=12_000, scales=SCALES),
        Level(IndexLookup(50), steps=4000, longer=12_000),
        Level(IndexLookup(100), steps=4000, longer=12_000),
    ),
    rates=(1e-3, 3e-3),
    outer_rates=(3e-4,),
)

PAPER = partial(printed_sizes, IndexLookup, SIZES, LENGTHS)
EXPERIMENT = Experiment.of_presets(
    name="mamba-width",
    question="Does a wider Mamba look up more?",
    searches={"quick": lambda: QUICK, "paper": PAPER, "paper-grid": PAPER, "length-scaling": lambda: REACH},
    title="Index lookup by width of Mamba: accuracy, %",
    paper_figure="figure3_mamba_width_index_lookup",
    paper_task=IndexLookup,
)

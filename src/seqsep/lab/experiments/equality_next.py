"""Equality as next-character prediction, by architecture: figure 4, right, of Bhattamishra et al. 2024 (Eq-ncp, section H.2).

Presets: `paper` is two layers of width 64 at lengths 100 to 800; `paper-grid` everything that appendix H lists (`_paper`);
`quick` has 8 symbols and lengths 4 and 10 on two cores (`_equality`), `length-scaling` 8 symbols and weights of
deviation 0.09 too, at N = 20, 50 and 100 (`_reach`).
"""

from dataclasses import replace
from functools import partial

from seqsep.lab.experiments._equality import equality_experiment
from seqsep.lab.experiments._reach import LONG_STEPS, SCALES, Level, Reach, contenders
from seqsep.tasks import Equality

TASK = partial(Equality, variant="next")

EIGHT = partial(TASK, alphabet=8)
"""Eight symbols: of 1,024 a model that knows nothing has a loss of 0.004 nats already."""

REACH = Reach(
    contenders(EIGHT(20), depth=2, weight_scale=0.09),
    levels=(
        Level(EIGHT(20), steps=1500, longer=6000, scales=SCALES),
        Level(EIGHT(50), steps=1500, longer=6000),
        Level(EIGHT(100), steps=1500, longer=6000),
    ),
    rates=(1e-3, 3e-3),
    outer_rates=(3e-4,),
)

EXPERIMENT = equality_experiment(
    name="equality-next",
    question="Which architecture copies, and up to which length?",
    title="Copying, every next symbol right: accuracy, %",
    task=TASK,
    quick_task=EIGHT,
    quick_lengths=(4, 10),
    width=64,
    lengths=(100, 200, 400, 600, 800),
    paper_figure="figure4_eq_ncp",
    reaches={"length-scaling": lambda: REACH, "length-scaling-long": lambda: replace(REACH, long_steps=LONG_STEPS)},
)

"""Equal halves against two random ones, by architecture: figure 4, left, of Bhattamishra et al. 2024 (Eq-random, section H.2).

Presets: `paper` is two layers of width 256 at lengths 20 to 400; `paper-grid` everything that appendix H lists (`_paper`);
`quick` has lengths 6 and 20 on two cores (`_equality`).
"""

from functools import partial

from seqsep.lab.experiments._equality import equality_experiment
from seqsep.tasks import Equality

TASK = partial(Equality, variant="random")

EXPERIMENT = equality_experiment(
    name="equality-random",
    question="Which architecture distinguishes equal halves from two random ones, and up to which length?",
    title="Equality of two random halves: accuracy, %",
    task=TASK,
    quick_task=TASK,
    quick_lengths=(6, 20),
    width=256,
    lengths=(20, 50, 100, 200, 400),
    paper_figure="figure4_eq_random",
)

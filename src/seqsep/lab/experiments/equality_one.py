"""Equal halves against halves that differ at one place, by architecture. Section H.2 of Bhattamishra et al. 2024 (Eq-one).

The paper says in words that all models come near 100 % up to length 400, and prints no sizes: `paper` takes those of Eq-random,
two layers of width 256; `paper-grid` is everything that appendix H lists (`_paper`);
`quick` has 8 symbols and lengths 4 and 16 on two cores (`_equality`).
"""

from functools import partial

from seqsep.lab.experiments._equality import equality_experiment
from seqsep.tasks import Equality

TASK = partial(Equality, variant="one")

EXPERIMENT = equality_experiment(
    name="equality-one",
    question="Which architecture distinguishes equal halves from halves that differ at one place?",
    title="Equality, one symbol changed: accuracy, %",
    task=TASK,
    quick_task=partial(TASK, alphabet=8),
    quick_lengths=(4, 16),
    width=256,
    lengths=(20, 50, 100, 200, 400),
)

"""Who copies? Equality as next-character prediction: figure 4, right, of Bhattamishra et al. 2024 (Eq-ncp, section H.2).

Presets: `paper` is two layers of width 64 at lengths 100 to 800; `paper-grid` everything that appendix H lists (`_paper`);
`quick` has 8 symbols and lengths 4 and 10 on two cores (`_equality`).
"""

from collections.abc import Iterable
from functools import partial

from seqsep.experiments._equality import quick
from seqsep.experiments._figure import grid_of
from seqsep.experiments._paper import grid, printed
from seqsep.experiments.base import Experiment
from seqsep.lab.row import Row
from seqsep.mixers import PAPER_MIXERS
from seqsep.report.cells import Grid
from seqsep.tasks import Equality

TASK = partial(Equality, variant="next")
FIGURE = "figure4_eq_ncp"
SIZES = tuple((mixer.name, 2, 64) for mixer in PAPER_MIXERS)
LENGTHS = (100, 200, 400, 600, 800)
READING = """At N = 4 all six reach 100 % under every seed. At N = 10 they part: attention and linear attention stay above 99 %
under every seed, retention and Mamba reach it but not under every seed, DSS stops below 99 % and the LSTM at 60 %.

Like the paper's: attention learns every length, and the LSTM is among the first to fall behind. Unlike them: linear attention
and retention keep up with attention where the LSTM does not; in the paper all three fail from N = 400 on, DSS and Mamba from
600. Our lengths are short enough for 1,000 steps, so they show who learns to copy early, not where copying ends.
"""


def figure(rows: Iterable[Row]) -> Grid:
    """The experiment's figure from rows of one preset."""
    return grid_of("Copying, every next symbol right: accuracy, %", rows, FIGURE, TASK)


EXPERIMENT = Experiment.of_searches(
    "equality-next",
    "Who copies, up to which length?",
    {
        "quick": partial(quick, partial(TASK, alphabet=8), (4, 10)),
        "paper": partial(printed, TASK, SIZES, LENGTHS),
        "paper-grid": partial(grid, TASK, LENGTHS),
    },
    figure,
    FIGURE,
    READING,
)

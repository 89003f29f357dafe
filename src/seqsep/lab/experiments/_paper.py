"""Common parts of the paper's experiments: sizes, heads, steps, and the grid of appendix H (Bhattamishra et al. 2024).

`printed_sizes` is the preset `paper`: each printed size at each length, with 4 and with 8 heads if its mixer has heads.
`full_grid` is the preset `paper-grid`: depths 1, 2, 4, 6 (LSTM 1, 2, 3), widths 64 to 512 and heads 4 and 8, the best of them
in one cell. Learning rates are the seven of appendix H, steps 250,000, batches of 64, evaluations on 5,000 examples; a run
stops when it is perfect. We add two more seeds for the best run of each cell. Not stated there and ours: initial deviations of
0.02, as GPT-2's, and an evaluation every 250 steps.
"""

from collections.abc import Callable, Iterable
from itertools import product

from seqsep.lab.experiments._search import PAPER_RATES, Search, SearchCell
from seqsep.lab.run import Run
from seqsep.models.mixers import PAPER_MIXERS
from seqsep.tasks import Task

LENGTHS = (20, 50, 100, 200, 400)
HEADS = (4, 8)
WITH_HEADS = ("attention", "linear-attention", "retention")
DEPTHS = (1, 2, 4, 6)
LSTM_DEPTHS = (1, 2, 3)
WIDTHS = (64, 128, 256, 512)
SEEDS = 3

PaperSize = tuple[str, int, int]
"""Architecture, depth, width."""


def choices(task: Task, size: PaperSize) -> tuple[Run, ...]:
    """Return the runs of one size, with 4 and with 8 heads if its architecture has heads."""
    name, depth, width = size
    heads = HEADS if name in WITH_HEADS else HEADS[:1]
    return tuple(Run(task=task, layers=(name,) * depth, width=width, heads=each) for each in heads)


def printed_sizes(task: Callable[[int], Task], sizes: Iterable[PaperSize], lengths: Iterable[int] = LENGTHS) -> Search:
    """Return the preset `paper`, long sequences first."""
    cells = tuple(SearchCell(choices(task(length), size)) for length in sorted(lengths, reverse=True) for size in sizes)
    return Search(cells, PAPER_RATES, seeds=SEEDS)


def full_grid(task: Callable[[int], Task], lengths: Iterable[int] = LENGTHS) -> Search:
    """Return the preset `paper-grid`: 980 choices x rates for each length."""
    cells = []
    for length, name in product(sorted(lengths, reverse=True), (mixer.name for mixer in PAPER_MIXERS)):
        depths = LSTM_DEPTHS if name == "lstm" else DEPTHS
        sizes = [(name, depth, width) for depth, width in product(depths, WIDTHS)]
        cells.append(SearchCell(tuple(run for size in sizes for run in choices(task(length), size))))
    return Search(tuple(cells), PAPER_RATES, seeds=SEEDS)

"""The preset `quick` of the three equality experiments: two layers as in the paper, of width 32 in place of 64 or 256.

Initial deviations are ours: 0.3 for embeddings as in `index_lookup_architectures`, 0.09 where weights start as GPT-2's as in
`dyck_architectures`. Steps are 1,000 in place of up to 250,000, alphabets of `one` and `next` 8 in place of 1,024.
"""

from collections.abc import Callable, Iterable

from seqsep.experiments._search import QUICK_RATES, Cell, Search
from seqsep.lab.run import Run
from seqsep.mixers import PAPER_MIXERS
from seqsep.tasks import Task

STEPS = 1000


def quick(task: Callable[[int], Task], lengths: Iterable[int]) -> Search:
    """A cell for each architecture and length, the most expensive first."""
    runs = (
        Run(
            task=task(length),
            layers=(mixer.name,) * 2,
            width=32,
            steps=STEPS,
            embedding_scale=0.3,
            weight_scale=0.09,
            evaluate_every=STEPS // 10,
            target=0.999,
        )
        for length in sorted(lengths, reverse=True)
        for mixer in reversed(PAPER_MIXERS)
    )
    return Search(Cell.each(*runs), QUICK_RATES, refine=True, seeds=3)

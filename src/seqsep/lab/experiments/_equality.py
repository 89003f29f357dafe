"""Common parts of the three equality experiments: the preset `quick`, and the sizes of `paper` and `paper-grid`.

`quick` has two layers as the paper has, of width 32 in place of 64 or 256. Initial deviations are ours: 0.3 for embeddings as
in `index_lookup_architectures`, 0.09 for the weights that start as GPT-2's, as in `dyck_architectures`. Steps are 1,000 in
place of up to 250,000, alphabets of `one` and `next` 8 in place of 1,024.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType

from seqsep.lab.experiments._paper import full_grid, printed_sizes
from seqsep.lab.experiments._reach import Reach
from seqsep.lab.experiments._search import QUICK_RATES, Search, SearchCell
from seqsep.lab.experiments.base import Experiment
from seqsep.lab.run import Run
from seqsep.models.mixers import PAPER_MIXERS
from seqsep.tasks import Task

STEPS = 1000


def quick(task: Callable[[int], Task], lengths: Iterable[int]) -> Search:
    """Return a cell for each architecture and length, the most expensive first."""
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
    return Search(SearchCell.each(*runs), QUICK_RATES, refine=True, seeds=3)


def equality_experiment(
    *,
    name: str,
    question: str,
    title: str,
    task: Callable[[int], Task],
    quick_task: Callable[[int], Task],
    quick_lengths: Iterable[int],
    width: int,
    lengths: Iterable[int],
    paper_figure: str | None = None,
    reaches: Mapping[str, Callable[[], Reach]] = MappingProxyType({}),
) -> Experiment:
    """Return an experiment on one variant of equality: two layers of every architecture, with the paper's `width`.

    `reaches` are further presets.
    """
    sizes = tuple((mixer.name, 2, width) for mixer in PAPER_MIXERS)
    return Experiment.of_presets(
        name=name,
        question=question,
        searches={
            "quick": partial(quick, quick_task, quick_lengths),
            "paper": partial(printed_sizes, task, sizes, lengths),
            "paper-grid": partial(full_grid, task, lengths),
            **reaches,
        },
        title=title,
        paper_figure=paper_figure,
        paper_task=task,
    )

"""The claims of section 6 of Wen, Dang and Lyu 2025 (arXiv:2402.18510), and the runs that decide them.

IsTree has 108 accuracies: three kinds of model in three sizes, three traces, four numbers of vertices. Each is decided by a
smaller model with a larger rate (the preset `quick` or `length-scaling` of `is-tree`), and by the paper's model with the
paper's training. HotpotQA asks language models that others trained; no run here decides it.
"""

from itertools import product

from seqsep.core.names import required
from seqsep.lab.experiments.claims.claim import NEAR_PERFECT, Accuracy, Claim, Outside, RankingClaim
from seqsep.lab.experiments.claims.papers import is_tree_accuracy
from seqsep.lab.experiments.is_tree import (
    PAPER_LENGTHS,
    PAPER_SIZES,
    PAPER_STEPS,
    PAPER_TRACES,
    Effort,
    Size,
    make,
    small,
)
from seqsep.tasks import IsTree

TRIALS = {
    "vanilla": Effort(steps=2000, batch=64),
    "cot": Effort(steps=6000, batch=64),
    "retrieval": Effort(steps=3000, batch=8),
}
SHALLOW = {
    "transformer": ("attention",) * 4,
    "mamba": ("mamba",) * 4,
    "hybrid": ("mamba",) * 3 + ("attention",),
}
QUESTIONS = {"random-order": "random order", "gold-last": "the two gold paragraphs last"}
WHY = "the paper measures three published language models; `seqsep text` measures your own model"


def _accuracy(size: Size, trace: str, length: int) -> Accuracy:
    """Return the claim of one bar of figures 2 and 5."""
    model = f"{size.model}-{size.size}"
    printed = required(is_tree_accuracy(trace, model, length), f"an accuracy of {model}")
    trial = small(SHALLOW[size.model], size.width, length, trace, effort=TRIALS[trace])
    return Accuracy(
        name=f"is-tree-{trace}-{model}-{length}",
        source="figures 2 and 5",
        task=IsTree(length, trace=trace),
        layers=size.layers,
        width=size.width,
        printed=printed,
        learns=printed >= NEAR_PERFECT,
        steps=PAPER_STEPS,
        runs=(trial, make(size.layers, size.width, length, trace)),
    )


def is_tree() -> list[Claim]:
    """Return the claims of figures 2 and 5, and that with a chain of thought the Transformer is above Mamba."""
    at = {
        (trace, size.model, str(size.size), length): _accuracy(size, trace, length)
        for trace, size, length in product(PAPER_TRACES, PAPER_SIZES, PAPER_LENGTHS)
    }
    orders = [
        RankingClaim(
            name=f"is-tree-order-{size}-{length}",
            source="section 6.1",
            statement=f"with a chain of thought the Transformer ({size}) is above Mamba ({size}) at n = {length}",
            above=at["cot", "transformer", size, length],
            below=(at["cot", "mamba", size, length],),
        )
        for size, length in product(("0.5M", "1M", "2M"), (32, 64, 128))
    ]
    return [*at.values(), *orders]


def hotpotqa() -> list[Claim]:
    """Return the claims on HotpotQA, which are in words here: their numbers are in papers.json."""
    return [
        Outside(
            f"hotpotqa-{model}-{order}",
            "section 6.2",
            f"{model}: right answers to 350 questions over 2 to 8 paragraphs, {words}",
            WHY,
        )
        for model, (order, words) in product(("transformer", "hybrid", "rnn"), QUESTIONS.items())
    ]


def claims_of_retrieval() -> list[Claim]:
    """Return all claims."""
    return [*is_tree(), *hotpotqa()]

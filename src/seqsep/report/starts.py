"""How models start, in words: their positions, and the deviation of their first embeddings."""

from collections.abc import Iterable, Sequence

from seqsep.report.formatting import listed
from seqsep.report.measured import RunSummary
from seqsep.report.sized_model import SizedModel


def starts(models: Iterable[SizedModel], scales: Iterable[float]) -> str:
    """Which models have which positions, and with which deviation embeddings start; empty if either is unknown.

    >>> starts([SizedModel(("attention",), 64, "learned"), SizedModel(("lstm",), 64, "none")], [0.5])
    'Learned positions: Attention; no positions: LSTM. Embeddings start with deviation 0.5.'
    """
    by_words: dict[str, list[str]] = {}
    for model in models:
        if model.position_words:
            by_words.setdefault(model.position_words, []).append(model.title)
    deviations = [f"{scale:g}" for scale in sorted(set(scales))]
    if not by_words or not deviations:
        return ""
    who = "; ".join(f"{words}: {listed(list(dict.fromkeys(titles)))}" for words, titles in sorted(by_words.items()))
    positions = who[0].upper() + who[1:]
    if len(by_words) == 1:
        positions = "None has positions" if "no positions" in by_words else f"All have {next(iter(by_words))}"
    best_of = "the best of " if len(deviations) > 1 else ""
    return f"{positions}. Embeddings start with deviation {best_of}{listed(deviations)}."


def starts_of_runs(runs: Sequence[RunSummary]) -> str:
    """The same of the models of some runs, in the order of every table."""
    models = sorted({run.model for run in runs}, key=lambda model: model.rank)
    return starts(models, [run.embedding_scale for run in runs])

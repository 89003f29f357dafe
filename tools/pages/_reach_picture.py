"""docs/reach.svg: the accuracy of each architecture on index lookup at each length, with its seeds, from all committed rows."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from seqsep.lab.answers import chance
from seqsep.lab.experiments.claims.papers import PaperModel, figure2_index_lookup
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run import Run
from seqsep.models.mixers import MIXERS
from seqsep.report.figures.picture_file import svg_text
from seqsep.report.figures.reach_picture import SeedsCell, SeedsRow, draw_reach
from seqsep.report.formatting import known
from seqsep.report.measured import RunSummary, by_accuracy
from seqsep.report.styles import STYLES
from seqsep.tasks import IndexLookup

LENGTHS = (20, 50, 100, 200, 400)
"""The lengths of the paper's figure 2."""
ALPHABET = 64
INPUTS = {"full-length": "f", "drawn-length": "d", "drawn-position": "p"}
"""The letter of each reading of appendix H.1 (`IndexLookup.training_inputs`)."""
NEAR = 0.01
DEVIATIONS = 4
"""A seed is at chance if it is at most this many standard deviations above guessing."""
CAPTION = (
    "All committed rows with learned positions. Of the settings whose first seed is within one point of the best, a cell "
    "has the one with most seeds. f: training inputs have N symbols; d: training inputs have a drawn length up to N (two "
    "readings of the paper's appendix H.1). Hatched edges: another size than the paper's, which is Attention 1×64, LSTM "
    "3×256, and 6×256 for the others. Red: seeds at chance, at most 4 deviations above guessing, which has 1.6 %. —: no run. "
    "23 of 41 cells have one seed. The paper's models have up to 250,000 steps. This does not show that an architecture "
    "cannot do better."
)
"""A written caption; a test computes its numbers."""


def reach_picture(folder: Path = Path("results")) -> str:
    """Return docs/reach.svg as text. Its words are paths, as matplotlib of constraints.txt draws them."""
    rows = seeds_rows(lookup_rows(folder))
    return svg_text(draw_reach(rows, LENGTHS, CAPTION))


def lookup_rows(folder: Path) -> Iterator[Row]:
    """Yield the rows with an outcome on the paper's task, of layers of one mixer with learned positions."""
    names = {mixer.name for mixer in MIXERS}
    for path in sorted(folder.glob("*.jsonl")):
        for row in read_rows(path):
            task = row.run.task
            if (
                row.has_outcome
                and isinstance(task, IndexLookup)
                and task.alphabet == ALPHABET
                and task.length in LENGTHS
                and len(set(row.run.layers)) == 1
                and row.run.layers[0] in names
                and row.run.positions_told() == "learned"
            ):
                yield row


def seeds_rows(rows: Iterable[Row]) -> list[SeedsRow]:
    """Return a row for each architecture: at each length a setting with all its seeds, of those whose first seed is near the
    best.
    """
    places: dict[tuple[str, int], dict[Run, dict[int, RunSummary]]] = {}
    for row in rows:
        settings = places.setdefault((str(row.run.layers[0]), row.run.task.length), {})
        settings.setdefault(replace(row.run, seed=0), {})[row.run.seed] = RunSummary.of(row)
    papers = figure2_index_lookup()
    found: dict[str, dict[int, SeedsCell]] = {}
    for (name, length), settings in places.items():
        setting = _chosen(settings)
        found.setdefault(name, {})[length] = _cell(setting, list(settings[setting].values()), papers.get(name))
    return [
        SeedsRow(STYLES[name].title, found[name], papers[name].accuracy if name in papers else {})
        for name in STYLES
        if name in found
    ]


def _chosen(settings: Mapping[Run, Mapping[int, RunSummary]]) -> Run:
    """Return one of the settings whose first seed is within one point of the best: the one with most seeds, then the best."""
    first = {setting: seeds[min(seeds)] for setting, seeds in settings.items()}
    highest = max(by_accuracy(run)[0] for run in first.values())
    near = [setting for setting, run in first.items() if by_accuracy(run)[0] >= highest - NEAR]
    return max(near, key=lambda setting: (len(settings[setting]), by_accuracy(first[setting])))


def _cell(setting: Run, seeds: list[RunSummary], paper: PaperModel | None) -> SeedsCell:
    size = (len(setting.layers), setting.width)
    accuracies = tuple(run.accuracy if known(run.accuracy) else 0.0 for run in seeds)
    return SeedsCell(
        accuracies=accuracies,
        layers=size[0],
        width=size[1],
        steps=max(run.steps for run in seeds),
        inputs=INPUTS[getattr(setting.task, "training_inputs", "full-length")],
        at_chance=sum(is_at_chance(accuracy, run) for accuracy, run in zip(accuracies, seeds, strict=True)),
        is_other_size=paper is not None and size != (paper.depth, paper.width),
    )


def is_at_chance(accuracy: float, run: RunSummary) -> bool:
    """Return True if an accuracy is at most four standard deviations above guessing, on the examples of its evaluation."""
    guessing = chance(run.task)
    return accuracy <= guessing + DEVIATIONS * math.sqrt(guessing * (1 - guessing) / run.evaluation)

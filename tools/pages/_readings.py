"""The part of docs/reproduction.md on the readings of appendix H.1: accuracy under each, and by tenths of the positions."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pages._markdown import table
from seqsep.experiments import Experiment
from seqsep.experiments.claims.papers import printed
from seqsep.lab.row import Row, read_rows
from seqsep.report.numerals import DASH, count, percent
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import IndexLookup
from seqsep.tasks.index_lookup import TRAINING

PRESET = "readings"
TEXT = """
### Which reading of appendix H.1 is the likely one?

H.1 samples "a length k uniformly between 10 and N", then "N symbols", then "a position between 1 and k". Taken literally,
inputs have N symbols and a position up to k. If "N symbols" means k symbols, inputs are shorter. Under both, the last positions
are rare in training, and the evaluation asks for all positions alike. If only the evaluation's sentence counts, training inputs
have N symbols and a uniform position.

| Reading | Training inputs | Probability that training asks for position N |
|---|---|---|
| `drawn-length` | k symbols, position uniform in 1 .. k | about 1/(N (N - 9)) |
| `full-length` | N symbols, position uniform in 1 .. N | 1/N |
| `drawn-position` | N symbols, position uniform in 1 .. k | about 1/(N (N - 9)) |

Of the paper's other tasks, Dyck-(2,2) has inputs of "length exactly N", and equality draws a length and asks about all of it.
Neither has a position, so there is one reading.

The runs below have one recipe and one seed. Attention has the paper's size; the others have the paper's width and fewer layers.
"""
CONCLUSION = """
What decides is the speed of attention. The paper's curve at N = 200 is near-perfect "within a few thousand steps". Under
`full-length` this recipe is as fast, or faster. Under the two others, the positions of the last tenth are learned last. So we
take `full-length` as the likely reading: the demo and the claims train on it. Rows of an earlier version have `drawn-length`;
they keep their keys, and each table says which reading it has.

This does not show which reading the authors implemented: with all of their 250,000 steps the rare positions may be learned too.
"""


def readings_part(experiment: Experiment, folder: Path) -> str:
    """Return the part as Markdown; empty without rows."""
    path = experiment.rows_file(folder, PRESET)
    rows = [row for row in read_rows(path) if row.finished] if path.is_file() else []
    if not rows:
        return ""
    found = {(SizedModel.of(row.run), row.run.task.length, _reading(row)): row for row in rows}
    cells = sorted({(model, length) for model, length, _ in found}, key=lambda cell: (cell[0].rank, cell[1]))
    lines: list[Sequence[str]] = [["Model", "N", *(f"`{reading}`" for reading in TRAINING), "Paper"]]
    tenths: list[Sequence[str]] = [["Model", "N", "Reading", *(f"{10 * tenth}-{10 * tenth + 10} %" for tenth in range(10))]]
    for model, length in cells:
        by_reading = {reading: found.get((model, length, reading)) for reading in TRAINING}
        paper = printed("figure2_index_lookup", (model.architecture, len(model.layers), model.width), length)
        name = f"{model.title} {model.size}"
        lines.append([name, str(length), *map(_accuracy, by_reading.values()), percent(paper)])
        tenths += _tenths(name, length, by_reading)
    by_position = (
        "\nAccuracy by tenth of the queried positions, of those runs above that end below 99.9 %:\n\n"
        if len(tenths) > 1
        else ""
    )
    return "".join([TEXT, "\n", table(lines), by_position, table(tenths) if len(tenths) > 1 else "", CONCLUSION])


def _reading(row: Row) -> str:
    task = row.run.task
    return task.training_inputs if isinstance(task, IndexLookup) else ""


def _accuracy(row: Row | None) -> str:
    if row is None:
        return "not run"
    return f"{percent(row.result['accuracy'])} ({count(row.result['steps'])} steps)"


def _tenths(name: str, length: int, by_reading: Mapping[str, Row | None]) -> list[Sequence[str]]:
    """Return a line for each run that is not perfect."""
    lines: list[Sequence[str]] = []
    for reading, row in by_reading.items():
        shares = None if row is None else row.result.get("accuracy_by_tenth")
        if row is not None and shares is not None and row.result["accuracy"] < 0.999:
            texts = [DASH if share is None else percent(share) for share in shares]
            lines.append([name, str(length), f"`{reading}`", *texts])
    return lines

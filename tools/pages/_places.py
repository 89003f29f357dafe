"""The page on contenders of `length-scaling` below 99 % at its shortest length: places that they answer and hold."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from pages._experiment_page import ExperimentPage
from pages._experiment_rows import hours
from pages._markdown import table
from seqsep.core.tables import as_csv
from seqsep.lab.audit import falls
from seqsep.lab.run import Run
from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.figures.chart_picture import ChartPicture, PicturePanel, picture_svg
from seqsep.report.formatting import DASH, count, listed, percent
from seqsep.report.page.curves import PERCENT
from seqsep.report.sized_model import SizedModel

SURE = 0.95
"""A place is answered, or held, from this share of the inputs on."""
TITLE = "Symbols that a state holds"
QUESTION = "If a model answers wrongly, does its state lack the symbol, or does its read-out miss it?"
CSV = (
    "The CSV file has a line for each `model` and each `place`, counted from 1. "
    "Of the inputs, `right` is the share that the model answers right, "
    "and `in_state` is the share in which the linear reader finds the symbol."
)
CAUSES = (
    "The states of DSS with learned positions and DSS with no positions hold every place. "
    "So their wrong answers come from the part of the model that reads the state. "
    "In 8 of 10 models, on average over places, the linear reader finds a symbol more often than the model answers it. "
    "A reader of another kind may find more symbols in a state."
)
"""A written sentence; a test computes its numbers."""
PANELS = {"right": "answered", "in_state": "held in the state"}
CAPTION = (
    "Index lookup, N = 20, one layer of width 64. Each line is a model, and the horizontal axis is the place. "
    "*Answered* is the share of inputs that the model answers right. "
    "*Held in the state* is the share of inputs in which a linear reader finds the symbol in the state. "
    "The models are those of the preset `length-scaling` that stay below 99 %, with learned positions or without."
)

Named = Mapping[SizedModel, Mapping[str, Any]]
"""Lines of results/audit/reach-places.jsonl by their model."""


def named_lines(folder: Path) -> Named:
    """Return the lines by model, those with learned positions first."""
    found = {SizedModel.of(Run.from_configuration(line["run"])): line for line in falls.rows(folder)}
    ranked = sorted(found, key=lambda model: (model.positions != "learned", model.rank))
    return {model: found[model] for model in ranked}


def title_of(model: SizedModel) -> str:
    """Return a model with its positions."""
    return f"{model.title} with {model.position_words}"


def places_page(folder: Path) -> ExperimentPage:
    """Return the page's parts."""
    named = named_lines(folder)
    first = next(iter(named.values()))
    runs = [Run.from_configuration(line["run"]) for line in named.values()]
    setup = [
        ["Set-up", ""],
        ["Task", "[index-lookup](../reference/tasks.md#index-lookup)"],
        ["N", str(len(first["right"]))],
        [
            "Models",
            f"{len(named)} models of one layer. The preset `length-scaling` has a best run for each model. If this run stays "
            "below 99 %, it was trained again for this page",
        ],
        ["Inputs", f"{count(first['prefixes'])} that are not training inputs"],
        ["Reader of the state", "linear, fitted to states of other inputs"],
        ["Steps, at most", ", ".join(sorted({count(run.steps) for run in runs}))],
    ]
    head = ["", "accuracy, %", "answers places", "others, %", "holds places", "others, %"]
    rows = [[title_of(model), percent(line["accuracy"]), *map(_entry, cells(line))] for model, line in named.items()]
    return ExperimentPage(
        title=TITLE,
        question=QUESTION,
        setup=table(setup),
        cells=(
            "A place is a position of the input. "
            f"A model *answers* a place if it answers at least {percent(SURE)} % of the inputs right there. "
            f"Its state *holds* a place if a linear reader finds the symbol in at least {percent(SURE)} % of the inputs. "
            "A column *others* has the mean share of the places that are not in the column before it.\n\n"
            f"{table([head, *rows])}"
        ),
        picture="index-lookup-architectures-places.svg",
        caption=CAPTION,
        notes=[CAUSES, CSV],
        cost=hours(((run, run.steps) for run in runs), folder),
        commands=["python -m seqsep.lab.audit"],
    )


def places_csv(folder: Path) -> str:
    """Return a line for each model and place."""
    return as_csv(
        [
            {"model": title_of(model), "place": place, "right": right, "in_state": held}
            for model, line in named_lines(folder).items()
            for place, (right, held) in enumerate(zip(line["right"], line["in_state"], strict=True), 1)
        ]
    )


def places_svg(folder: Path) -> str:
    """Return the picture: shares over places, answered and held, with learned positions and without."""
    named = named_lines(folder)
    panels = []
    for told in dict.fromkeys(model.position_words for model in named):
        for field, words in PANELS.items():
            data = []
            for model, line in named.items():
                points = tuple((float(place), share) for place, share in enumerate(line[field], 1))
                if model.position_words == told:
                    data.append(LineData(model.style, percent(points[-1][1]), model.title, points))
            last = max(at for line in data for at, _ in line.points)
            x = Axis(1.0, last, tuple((float(at), str(at)) for at in (1, 5, 10, 15, 20)), "place")
            ends = "; ".join(f"{line.name} {line.value} %" for line in data)
            title = f"{told}, {words}"
            summary = f"{title}, by place. At the last: {ends}."
            chart = Chart(title, summary, lines=tuple(data), x=x, y=Axis(0.0, 1.0, PERCENT))
            panels.append(PicturePanel(title, "share of the inputs, %", chart))
    subtitle = "Index lookup, N = 20: the share that is answered right, and the share that a linear reader finds in the state."
    return picture_svg(ChartPicture(TITLE, subtitle, tuple(panels)))


def cells(line: Mapping[str, Any]) -> list[tuple[list[int], float | None]]:
    """Return the answered places, from 1, and the mean share over the others, if there are any; and the same of the places
    held.
    """
    found = []
    for name in ("right", "in_state"):
        kept = [place for place, share in enumerate(line[name], 1) if share >= SURE]
        others = [share for share in line[name] if share < SURE]
        found.append((kept, mean(others) if others else None))
    return found


def _entry(cell: tuple[list[int], float | None]) -> str:
    places, others = cell
    return f"{ranges(places)} | {DASH if others is None else percent(others)}"


def ranges(places: Sequence[int]) -> str:
    """Return rising numbers in words.

    >>> ranges([1, 2, 3, 20]), ranges([]), ranges([4])
    ('1–3 and 20', 'none', '4')
    """
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return listed([f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]) or "none"

"""The page of the experiment `language-classes`: the class of a language against the accuracy on longer words."""

from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from pages._experiment_page import ExperimentPage
from pages._experiment_rows import hours
from pages._markdown import table
from seqsep.core.tables import as_csv
from seqsep.lab.experiments.language_classes import (
    ARCHITECTURES,
    EXPERIMENT,
    LEARNED,
    NAME,
    OF_CLASSES,
    SEEDS,
    STEPS,
    TESTED,
    TRAINED,
    WIDTH,
    Measured,
    measured,
)
from seqsep.lab.row import Row, read_rows
from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.figures.chart_picture import ChartPicture, PicturePanel, picture_svg
from seqsep.report.formatting import count, listed, percent
from seqsep.report.page.curves import PERCENT
from seqsep.report.styles import STYLES, spare_style

BAR = f"{100 * LEARNED:g}"
TITLE = "Classes of languages and longer words"
CLASSES = (
    "The class of each language is computed by `seqsep classify`. "
    "A right word has right answers after each of its letters. "
    f"A run counts if at least {BAR} % of the words of {TRAINED} letters are right. "
    "If no run of a cell counts, the language was *not learned*."
)
BY_CLASS = (
    f"The next table counts these runs by class. *2 of 5* means that 5 runs count, and that 2 of them have at least "
    f"{BAR} % of the words of {max(TESTED)} letters right."
)
TICKS = ("in C-RASP", "other star-free", "with groups")
"""The classes below the axis, in which long words would touch."""
CAPTION = (
    "Each mark is a run that counts, and each line joins the means of an architecture over the classes of languages. "
    f"The dotted line is at {BAR} %. "
    "Two lines of one colour are two kinds of positions or two kinds of one mixer."
)
SCOPE = (
    "This does not show what other steps, rates or sizes lead to. The classes are statements about weights that exist, and not "
    "about those that training finds."
)
CSV = (
    "The CSV file has a line for each run: its language, class and architecture, and its accuracy at each length, a fraction. "
    "The column `counts` says if the run counts."
)


def rows_file(results: Path) -> Path:
    """Return the file of committed rows."""
    return EXPERIMENT.rows_file(results)


def rows_of_classes(results: Path) -> list[Row]:
    """Return the rows of the experiment."""
    return list(read_rows(rows_file(results)))


def classes_page(results: Path) -> ExperimentPage:
    """Return the page's parts."""
    rows = rows_of_classes(results)
    cells = measured(rows)
    planned = len(cells) * len(SEEDS)
    setup = [
        ["Set-up", ""],
        ["Task", "[regular-language](../reference/tasks.md#regular-language)"],
        ["N in training", f"10 to {TRAINED}"],
        ["N in tests", listed(list(map(str, TESTED)))],
        ["Models", f"2 layers of width {WIDTH}"],
        ["Steps, at most", count(STEPS)],
        ["Seeds", listed(list(map(str, SEEDS)))],
        ["Runs", f"{len(rows)} of {planned} planned"],
    ]
    return ExperimentPage(
        title=TITLE,
        question=EXPERIMENT.question,
        setup=table(setup),
        cells=f"{CLASSES}\n\n{language_table(cells)}\n{BY_CLASS}\n\n{class_table(cells)}",
        picture=f"{NAME}.svg",
        caption=CAPTION,
        notes=[SCOPE, CSV],
        cost=hours(((row.run, row.result["steps"]) for row in rows), results),
        commands=[f"seqsep run {NAME} --preset quick"],
        further="" if len(rows) >= planned else f"The command below trains all {planned} planned runs, and takes longer.",
    )


def language_table(cells: Sequence[Measured]) -> str:
    """Return a row for each language: its class, and the accuracies of each architecture at the greatest test length."""
    longest = max(TESTED)
    lines = [[f"Accuracy at N = {longest}, %", "class", *(one.title for one in ARCHITECTURES)]]
    for language in dict.fromkeys(cell.language for cell in cells):
        mine = [cell for cell in cells if cell.language == language]
        title = f"{language.title}: `{language.pattern}`".replace("|", "\\|")
        lines.append([title, language.verdict, *(_entry(cell, longest) for cell in mine)])
    return table(lines)


def _entry(cell: Measured, length: int) -> str:
    """Return the least and the greatest accuracy of the runs that count."""
    if not cell.rows:
        return "not run"
    found = sorted({percent(share) for share in cell.at(length)}, key=float)
    return "–".join(dict.fromkeys((found[0], found[-1]))) if found else "not learned"


def class_table(cells: Sequence[Measured]) -> str:
    """Return a row for each architecture: of the runs that count in each class, those that are right on the longest words."""
    lines = [[f"Runs with {BAR} % at N = {max(TESTED)}", *OF_CLASSES]]
    for one in ARCHITECTURES:
        shares = [shares_of(cells, one.title, name, max(TESTED)) for name in OF_CLASSES]
        lines.append([one.title, *(f"{sum(share >= LEARNED for share in mine)} of {len(mine)}" for mine in shares)])
    return table(lines)


def shares_of(cells: Sequence[Measured], title: str, verdict: str, length: int) -> list[float]:
    """Return the accuracies of an architecture's runs that count, on the languages of a class."""
    mine = [cell for cell in cells if cell.architecture.title == title and cell.language.verdict == verdict]
    return [share for cell in mine for share in cell.at(length)]


def classes_csv(results: Path) -> str:
    """Return a line for each run: its language and class, and whether it counts, with the accuracy at each length."""
    lines = [
        {
            "language": cell.language.title,
            "pattern": cell.language.pattern,
            "class": cell.language.verdict,
            "architecture": cell.architecture.title,
            "seed": row.run.seed,
            "steps": row.result["steps"],
            f"accuracy_{TRAINED}": row.result["accuracy"],
            **{f"accuracy_{length}": share for length, share in row.result["accuracy_by_length"]},
            "counts": row in cell.learned,
            "key": row.key,
        }
        for cell in measured(rows_of_classes(results))
        for row in cell.rows
    ]
    return as_csv(lines)


def classes_svg(results: Path) -> str:
    """Return the picture: accuracy by class, a panel for each test length."""
    cells = measured(rows_of_classes(results))
    panels = []
    for length in TESTED:
        chart = _chart(cells, length)
        panels.append(PicturePanel(f"N = {length}", "accuracy, %", chart))
    subtitle = f"Each mark is a run with at least {BAR} % at N = {TRAINED}, the greatest length in training."
    return picture_svg(ChartPicture(TITLE, subtitle, tuple(panels)))


def _chart(cells: Sequence[Measured], length: int) -> Chart:
    data = []
    for place, one in enumerate(ARCHITECTURES):
        shares = {number: shares_of(cells, one.title, name, length) for number, name in enumerate(OF_CLASSES)}
        shift = 0.06 * (place - (len(ARCHITECTURES) - 1) / 2)
        means = tuple((number + shift, mean(mine)) for number, mine in shares.items() if mine)
        dots = tuple((number + shift, share) for number, mine in shares.items() for share in mine)
        if means:
            style = STYLES.get(one.mixer.partition("(")[0]) or spare_style(place)
            data.append(LineData(style, percent(means[-1][1]), one.title, means, dots=dots))
    ends = "; ".join(f"{line.name} {line.value} %" for line in data) or "no run yet"
    return Chart(
        f"Accuracy at N = {length}",
        f"Accuracy at N = {length} by class of language. Means of the last class with runs: {ends}.",
        lines=tuple(data),
        x=Axis(-0.5, len(OF_CLASSES) - 0.5, tuple((float(place), name) for place, name in enumerate(TICKS))),
        y=Axis(0.0, 1.0, PERCENT),
        guides=(LEARNED,),
    )

"""An experiment's cells as a table: tables/NAME.csv for programs, tables/NAME.tex for papers (booktabs).

A row is a cell of the experiment's figure and has its numbers: both read the same `ResultTable`. In the CSV file accuracies are
fractions that read back as the same float, and an empty field is a number that is not there; in LaTeX they are in percent.
"""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from statistics import mean, median
from typing import Any

from seqsep.core.files import write_file
from seqsep.core.tables import as_csv
from seqsep.models.mixers.settings import has_heads
from seqsep.report.formatting import DASH, count, percent, percent_at_most
from seqsep.report.result_table import Cell, ResultTable
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import Task

ROWS_OF_A_PAGE = 40
LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "%": r"\%",
        "#": r"\#",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": "$<$",
        ">": "$>$",
        "|": "$|$",
        "[": "{[}",
        "]": "{]}",
        '"': "''",
        "–": "--",
        DASH: "---",
    }
)
COLUMNS = (
    ("", "model"),
    ("depth,", "width, heads"),
    ("", r"\(N\)"),
    ("posi-", "tions"),
    ("", "rate"),
    ("", "scale"),
    ("", "best"),
    ("", "least"),
    ("", "mean"),
    ("", "most"),
    ("", "seeds"),
    ("", "runs"),
    ("", "steps"),
    ("each", "answer"),
    ("chance,", r"\%"),
    ("paper,", r"\%"),
    ("ceiling,", r"\%"),
    ("loss,", "nats"),
    ("state,", "bits"),
    ("para-", "meters"),
)
"""The two lines of each column's heading."""

FIRST_ACCURACY = 7
ACCURACIES = 4
FilledCell = tuple[SizedModel, Task, Cell]


def filled_cells(table: ResultTable) -> list[FilledCell]:
    """Return the cells that have runs, by task and then in the order of the figure's rows."""
    return [(model, column.task, cell) for column in table.columns for model, cell in column.cells.items()]


def task_words(task: Task) -> str:
    """Return the task's name, and those of its fields that differ from their defaults, without the length."""
    chosen = {name: value for name, value in task.configuration().items() if name not in ("name", "length")}
    return " ".join([task.name, *(f"{name}={value}" for name, value in chosen.items())])


def records(table: ResultTable) -> list[dict[str, Any]]:
    """Return one `record` for each cell that has runs."""
    return [record(*place) for place in filled_cells(table)]


def record(model: SizedModel, task: Task, cell: Cell) -> dict[str, Any]:
    """Return one row; None means an absent number.

    `accuracy_best` is the best run's, with the first seed; least, median and greatest are over the seeds of that run, `runs`
    counts those that it is the best of, `steps` are what it took, and `state_bits` what it keeps once `length` tokens are read.
    `accuracy_low` and `accuracy_high` are a 95 % confidence interval of the best run's accuracy over all examples.
    `accuracy_per_answer` counts single answers, `chance` is the accuracy of guessing, and `settings` are those of training that
    differ from their defaults.
    """
    best = cell.best
    seeds = cell.seeds
    return {
        "task": task_words(task),
        "length": task.length,
        "architecture": model.architecture,
        "depth": len(model.layers),
        "width": model.width,
        "heads": best.heads if has_heads(model.layers) else None,
        "positions": model.positions or None,
        "learning_rate": best.learning_rate,
        "embedding_scale": best.embedding_scale,
        "accuracy_best": best.accuracy,
        "accuracy_least": min(seeds),
        "accuracy_median": median(seeds),
        "accuracy_greatest": max(seeds),
        "accuracy_mean": mean(seeds),
        "accuracy_low": best.interval[0],
        "accuracy_high": best.interval[1],
        "accuracy_per_answer": best.accuracy_per_answer,
        "chance": best.chance,
        "loss_nats": best.loss_nats,
        "seeds": len(seeds),
        "runs": len(cell.tried) + len(cell.pruned),
        "steps": best.steps,
        "steps_allowed": best.steps_allowed,
        "paper_accuracy": None if cell.paper is None else round(cell.paper, 6),
        "ceiling": cell.ceiling,
        "state_bits": best.bits_before_the_question,
        "parameters": best.parameters,
        "batch": best.batch,
        "weight_scale": best.weight_scale,
        "settings": " ".join(f"{name.replace(' ', '_')}={value}" for name, value in best.further) or None,
    }


def as_latex(table: ResultTable) -> str:
    r"""Return the table as tabulars of at most a page each, for \input in a document that loads booktabs."""
    places = filled_cells(table)
    pages = [places[first : first + ROWS_OF_A_PAGE] for first in range(0, len(places), ROWS_OF_A_PAGE)]
    tabulars = "\n\n\\medskip\n\n".join(map(_tabular, pages))
    title = " ".join(table.title.split())
    return f"% {title}: a row for each cell of the figure. Needs booktabs.\n{tabulars}\n"


def escaped(text: str) -> str:
    r"""Return the words in LaTeX, without anything that it would read as a command. Letters beyond ASCII have their code
    points.

    >>> escaped("a_b & 100 %")
    'a\\_b \\& 100 \\%'
    """
    translated = " ".join(text.split()).translate(LATEX)
    return "".join(letter if " " <= letter <= "~" else f"U+{ord(letter):04X}" for letter in translated)


def write_tables(table: ResultTable, folder: Path, name: str) -> list[Path]:
    """Write `folder`/`name` as CSV and as LaTeX; return their paths."""
    paths = []
    for suffix, text in ((".csv", as_csv(records(table))), (".tex", as_latex(table))):
        paths.append(folder / f"{name}{suffix}")
        write_file(paths[-1], text)
    return paths


def _tabular(rows: list[FilledCell]) -> str:
    columns = len(COLUMNS)
    upper, lower = zip(*COLUMNS, strict=True)
    over = f"\\multicolumn{{{ACCURACIES}}}{{c}}{{accuracy, \\%}}"
    top = [*upper[: FIRST_ACCURACY - 1], over, *upper[FIRST_ACCURACY - 1 + ACCURACIES :]]
    lines = [
        r"\begingroup\scriptsize\setlength{\tabcolsep}{2.5pt}%",
        r"\begin{tabular}{ll" + "r" * (columns - 2) + "}",
        r"\toprule",
        _line(top),
        f"\\cmidrule(lr){{{FIRST_ACCURACY}-{FIRST_ACCURACY + ACCURACIES - 1}}}",
        _line(lower),
    ]
    for words, same_kind in groupby(rows, lambda place: task_words(place[1])):
        lines += [r"\midrule", _line([f"\\multicolumn{{{columns}}}{{l}}{{{escaped(words)}}}"])]
        for _, same_length in groupby(same_kind, lambda place: place[1].length):
            lines += [r"\addlinespace[2pt]", *(_line(map(escaped, _entries(*place))) for place in same_length)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\endgroup"])


def _line(entries: Iterable[str]) -> str:
    return " & ".join(entries) + r" \\"


def _entries(model: SizedModel, task: Task, cell: Cell) -> list[str]:
    row = record(model, task, cell)
    return [
        model.title,
        ", ".join(str(row[name] or DASH) for name in ("depth", "width", "heads")),
        str(task.length),
        row["positions"] or DASH,
        f"{row['learning_rate']:g}",
        f"{row['embedding_scale']:g}",
        *(percent(row[f"accuracy_{name}"]) for name in ("best", "least", "mean", "greatest")),
        *(count(row[name]) for name in ("seeds", "runs", "steps")),
        percent(row["accuracy_per_answer"]),
        percent(row["chance"]),
        percent(row["paper_accuracy"]),
        percent_at_most(row["ceiling"]),
        DASH if row["loss_nats"] is None else f"{row['loss_nats']:.3g}",
        count(row["state_bits"]),
        count(row["parameters"]),
    ]
